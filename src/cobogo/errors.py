"""Every error that Cobogó raises on purpose. Each says what was wrong, where, and what to do.

::

    CobogoError
    ├── InputError            the input is wrong: exit code 2
    │   ├── PolicyError         the policy file, or a policy object
    │   ├── DataError           the table to be protected
    │   ├── QueryRefused        a question that the curator does not answer; it cost nothing
    │   ├── ReportError         reports of clients, or counts of them, that a collection does not take
    │   ├── MemoError           a client's memo of permanent answers cannot be used
    │   ├── LedgerError         the ledger of privacy budgets cannot be used
    │   ├── HierarchyError      a generalization hierarchy
    │   │   └── UnfitValues       values of the data that a hierarchy cannot place
    │   ├── OutputError         the place where results should go
    │   ├── RegistryError       the registry of releases: its place, its key, what it holds
    │   ├── VaultError          a vault of tokens, or a key to it
    │   ├── PluginError         what another package adds, and cannot be used
    │   ├── TableTooLarge       more distinct combinations of values than can be counted in memory
    │   └── SearchTooLarge      more possibilities than the algorithm can go through
    └── AnswerIsNo            the answer is no: exit code 1
        ├── BudgetSpent         a privacy budget does not allow for one more answer
        ├── NoAnswer            a question was paid for and could not be answered
        ├── Stale               what somebody acts on is no longer what they see
        ├── NoSolution          nothing satisfies the policy
        ├── VerificationFailed  a release does not hold what it promises
        └── Exposed             with earlier releases, a release would expose people
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

ENDS = (".", "!", "?", ":")
"""What ends a sentence."""

OPTION = re.compile(r"(`[^`]*`|cobogo [a-z][^\n]*)|(?<![\w-])--([a-z][a-z-]*)")
"""An option of the command line, after commands that have it and stay as they are."""


class CobogoError(Exception):
    """The root. ``what`` is a sentence, ``where`` names the place, ``remedy`` says what to do about it.

    Its ``message`` names options as the command line does; in Python, as text, they are the arguments that they are.

    >>> print(CobogoError("must be 1 or more", where="--population-size", remedy="`cobogo risk --help` says more."))
    population_size: must be 1 or more.
    `cobogo risk --help` says more.
    """

    exit_code: ClassVar[int] = 2
    code: str = "COBOGO-ERROR"

    def __init__(self, what: str, *, where: str | None = None, remedy: str | None = None, code: str = "") -> None:
        super().__init__(what, where, remedy)
        self.what = what
        self.where = where
        self.remedy = remedy
        self.code = code or self.code
        self.errors: tuple[CobogoError, ...] = ()

    def __str__(self) -> str:
        return OPTION.sub(lambda found: found[1] or found[2].replace("-", "_"), self.message)

    @property
    def message(self) -> str:
        """What is wrong, where, and what to do, in the words of the command line."""
        sentence = f"{self.where}: {self.what}" if self.where else self.what
        sentence = sentence if sentence.endswith(ENDS) else sentence + "."
        return f"{sentence}\n{self.remedy}" if self.remedy else sentence


class InputError(CobogoError):
    """The input is wrong."""

    code = "COBOGO-INPUT"


class PolicyError(InputError):
    """The policy is not one that can be carried out."""

    code = "COBOGO-POLICY"


class DataError(InputError):
    """The data cannot be read, or is not what the policy says it is.

    ``offers``: a key of ``[data]``, and values with one of which they can be read, such as the sheets of a workbook.
    """

    code = "COBOGO-DATA"
    offers: tuple[str, tuple[str, ...]] | None = None


class QueryRefused(InputError):
    """The curator does not answer this question. The reason follows from its text and from declarations alone."""

    code = "COBOGO-QUERY"


class ReportError(InputError):
    """Bytes or text that are no reports of a collection, or counts that are none of it."""

    code = "COBOGO-REPORT"


class MemoError(InputError):
    """A client's memo of permanent answers cannot be used, so nothing is reported."""

    code = "COBOGO-MEMO"


class LedgerError(InputError):
    """The ledger of privacy budgets cannot be used, so nothing is answered."""

    code = "COBOGO-LEDGER"


class HierarchyError(InputError):
    """A generalization hierarchy contradicts itself or cannot be built."""

    code = "COBOGO-HIERARCHY"


class UnfitValues(HierarchyError):
    """Values of the data that a hierarchy cannot place: they are quasi-identifiers' values, so they may be shown.

    A builder sees only distinct values; the stage that holds the table adds how many records and which row.
    """

    code = "COBOGO-HIERARCHY-VALUES"

    def __init__(self, what: str, values: Sequence[str | None], *, where: str | None = None, remedy: str | None = None):
        super().__init__(what, where=where, remedy=remedy)
        self.values = tuple(values)


class OutputError(InputError):
    """The place where the results should go is not fit for them."""

    code = "COBOGO-OUTPUT"


class RegistryError(InputError):
    """The registry of releases cannot be used: it is not there, not readable, or not with this key."""

    code = "COBOGO-REGISTRY"


class VaultError(InputError):
    """A vault of tokens cannot be opened, its key does not fit or lacks the role, or it has not what was asked for."""

    code = "COBOGO-VAULT"


class PluginError(InputError):
    """Another package offers something by a name, and it cannot be used."""

    code = "COBOGO-PLUGIN"


class TableTooLarge(InputError):
    """There are more distinct combinations of values than can be counted in memory."""

    code = "COBOGO-TABLE-SIZE"


class SearchTooLarge(InputError):
    """There are more possibilities than the algorithm can go through."""

    code = "COBOGO-SEARCH-SIZE"


class AnswerIsNo(CobogoError):
    """The question was well put, and the answer is no."""

    code = "COBOGO-NO"
    exit_code: ClassVar[int] = 1


class BudgetSpent(AnswerIsNo):
    """A privacy budget does not allow for this answer."""

    code = "COBOGO-BUDGET"


class NoAnswer(AnswerIsNo):
    """A question was paid for and could not be answered. Why is not told: it may depend on somebody's data."""

    code = "COBOGO-NO-ANSWER"


class Stale(AnswerIsNo):
    """What somebody acts on is no longer what they see: nothing is done."""

    code = "COBOGO-STALE"


class NoSolution(AnswerIsNo):
    """No recoding satisfies the policy; the message says what stands in the way."""

    code = "COBOGO-NO-SOLUTION"


class VerificationFailed(AnswerIsNo):
    """A release does not hold what it promises."""

    code = "COBOGO-VERIFY"


class Exposed(AnswerIsNo):
    """Together with earlier releases, a release would expose people; the message names the attack and the remedies."""

    code = "COBOGO-EXPOSED"
