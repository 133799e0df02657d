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

CALLS = {
    "anonymize|attack|audit|compare|frontier|improve|inspect|mask|perturb|risk|sample|statement|synthesize|verify": (
        r"cb.\g<0>"
    ),
    "anonymize --out": "release.write",
    "answer budget": "session.datasets",
    "answer check": "curator.check",
    "explain (.+)|list (.+)": r'cb.explain("\1\2")',
    "inspect DATA --write policy.toml": "cb.inspect(data).policy()",
    "inspect (.+) --write policy.toml": r'cb.inspect("\1").policy()',
    "kinds": "cb.families",
    "list|explain": "cb.explain",
    "vault|vault create": "cb.Vault.create",
    "vault check": "vault.check",
    "vault key": "vault.issue",
    "vault show": "vault.show",
}
"""What is called in Python instead of commands; ``cb`` is the package. Other commands are only on the command line."""

ARGUMENTS = {"lang": "language", "out": "path"}
"""What options are called in Python, if not as on the command line."""

COMMAND_LINE = re.compile(
    r"`cobogo (?P<quoted>[^`]*)`"
    r"|^cobogo (?P<whole>[a-z -]*)$"
    r"|(?P<other>`[^`]*`|cobogo [a-z][^\n]*)"
    r"|(?<![\w-])--(?:set )?(?P<option>[a-z][a-z-]*)"
)
"""Words of the command line: a command, alone or in backticks, and an option; not those of what else is quoted."""


def python_words(text: str) -> str:
    """A sentence with the words of Python instead of those of the command line.

    >>> python_words("`cobogo list models` shows all. Or leave --population-size out. See `cobogo risk --help`.")
    '`cb.explain("models")` shows all. Or leave population_size out. See `help(cb.risk)`.'
    >>> python_words("`cobogo registry list` shows the releases.")
    '`cobogo registry list` shows the releases.'
    """
    return COMMAND_LINE.sub(_python_word, text)


def _python_word(found: re.Match[str]) -> str:
    if found["quoted"]:
        return f"`{_call(found['quoted'])}`"
    if found["option"]:
        return ARGUMENTS.get(found["option"], found["option"].replace("-", "_"))
    return str(found["other"]) if found["whole"] is None else _call(found["whole"])


def _call(command: str) -> str:
    """What is called in Python instead of a command; the command, where there is nothing."""
    name = command.removesuffix(" --help")
    found = ((re.fullmatch(pattern, name), call) for pattern, call in CALLS.items())
    call = next((match.expand(call) for match, call in found if match), None)
    if call is None:
        return f"cobogo {command}"
    return call if name == command else f"help({call})"


class CobogoError(Exception):
    """The root. ``what`` is a sentence, ``where`` names the place, ``remedy`` says what to do about it.

    Its ``message`` has the words of the command line; as text, in Python, it has those of Python.

    >>> print(CobogoError("must be 1 or more", where="--population-size", remedy="`cobogo risk --help` says more."))
    population_size: must be 1 or more.
    `help(cb.risk)` says more.
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
        return _sentence(*(part and python_words(part) for part in (self.what, self.where, self.remedy)))

    @property
    def message(self) -> str:
        """What is wrong, where, and what to do, in the words of the command line."""
        return _sentence(self.what, self.where, self.remedy)


def _sentence(what: str | None, where: str | None, remedy: str | None) -> str:
    sentence = f"{where}: {what}" if where else what or ""
    sentence = sentence if sentence.endswith(ENDS) else sentence + "."
    return f"{sentence}\n{remedy}" if remedy else sentence


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
