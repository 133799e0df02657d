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

import difflib
from collections.abc import Iterable, Sequence
from typing import ClassVar


def number_of(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> number_of(1, "record"), number_of(1200, "class", "classes")
    ('1 record', '1,200 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def nearest(name: object, known: Iterable[str], command: str) -> str:
    """A remedy for a name that is not known: the one that was meant, perhaps, and how to see all.

    >>> nearest("k-anonimity", ["k-anonymity", "l-diversity"], "cobogo list models")
    'Did you mean "k-anonymity"? `cobogo list models` shows all.'
    """
    near = difflib.get_close_matches(str(name), list(known), n=1)
    return (f'Did you mean "{near[0]}"? ' if near else "") + f"`{command}` shows all."


class CobogoError(Exception):
    """The root. ``what`` is a sentence, ``where`` names the place, ``remedy`` says what to do about it.

    >>> print(CobogoError("no such file", where="policy.toml, data.path", remedy="Check the path."))
    policy.toml, data.path: no such file.
    Check the path.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, what: str, *, where: str | None = None, remedy: str | None = None) -> None:
        super().__init__(what, where, remedy)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        sentence = f"{self.where}: {self.what}" if self.where else self.what
        sentence = sentence if sentence.endswith((".", "!", "?", ":")) else sentence + "."
        return f"{sentence}\n{self.remedy}" if self.remedy else sentence


class InputError(CobogoError):
    """The input is wrong."""


class PolicyError(InputError):
    """The policy is not one that can be carried out."""


class DataError(InputError):
    """The data cannot be read, or is not what the policy says it is."""


class QueryRefused(InputError):
    """The curator does not answer this question. The reason follows from its text and from declarations alone."""


class ReportError(InputError):
    """Bytes or text that are no reports of a collection, or counts that are none of it."""


class MemoError(InputError):
    """A client's memo of permanent answers cannot be used, so nothing is reported."""


class LedgerError(InputError):
    """The ledger of privacy budgets cannot be used, so nothing is answered."""


class HierarchyError(InputError):
    """A generalization hierarchy contradicts itself or cannot be built."""


class UnfitValues(HierarchyError):
    """Values of the data that a hierarchy cannot place: they are quasi-identifiers' values, so they may be shown.

    A builder sees only distinct values; the stage that holds the table adds how many records and which row.
    """

    def __init__(self, what: str, values: Sequence[str | None], *, where: str | None = None, remedy: str | None = None):
        super().__init__(what, where=where, remedy=remedy)
        self.values = tuple(values)


class OutputError(InputError):
    """The place where the results should go is not fit for them."""


class RegistryError(InputError):
    """The registry of releases cannot be used: it is not there, not readable, or not with this key."""


class VaultError(InputError):
    """A vault of tokens cannot be opened, its key does not fit or lacks the role, or it has not what was asked for."""


class PluginError(InputError):
    """Another package offers something by a name, and it cannot be used."""


class TableTooLarge(InputError):
    """There are more distinct combinations of values than can be counted in memory."""


class SearchTooLarge(InputError):
    """There are more possibilities than the algorithm can go through."""


class AnswerIsNo(CobogoError):
    """The question was well put, and the answer is no."""

    exit_code: ClassVar[int] = 1


class BudgetSpent(AnswerIsNo):
    """A privacy budget does not allow for this answer."""


class NoAnswer(AnswerIsNo):
    """A question was paid for and could not be answered. Why is not told: it may depend on somebody's data."""

    def __init__(self) -> None:
        super().__init__("the question could not be answered; what it cost stays spent")

    def __reduce__(self) -> tuple[type[NoAnswer], tuple[()]]:
        return type(self), ()


class Stale(AnswerIsNo):
    """What somebody acts on is no longer what they see: nothing is done."""


class NoSolution(AnswerIsNo):
    """No recoding satisfies the policy; the message says what stands in the way."""


class VerificationFailed(AnswerIsNo):
    """A release does not hold what it promises."""


class Exposed(AnswerIsNo):
    """Together with earlier releases, a release would expose people; the message names the attack and the remedies."""
