"""Who may do what. A role is a set of scopes; a key has a role, and may be narrowed to some of its scopes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from cobogo.errors import InputError


class Scope(StrEnum):
    """One kind of thing that a request may do."""

    DATA = "data"  # upload, see and delete one's own data sets and policies
    RUN = "run"  # start and cancel jobs on them
    RELEASES = "releases"  # see the releases that one made: what may leave the house
    EVIDENCE = "evidence"  # see what must stay in it
    REGISTRY = "registry"  # see the registry of releases
    VAULT = "vault"  # put values in place of tokens and back
    ASK = "ask"  # ask the curator
    BUDGETS = "budgets"  # see everybody's budgets
    COLLECT = "collect"  # describe collections and decode what was collected
    REPORT = "report"  # hand in randomized reports, and positions for the anonymizer
    JOBS = "jobs"  # see that jobs of anybody wait or run, and cancel them
    KEYS = "keys"  # make and revoke keys
    AUDIT = "audit"  # read the log of who did what
    METRICS = "metrics"  # read the server's figures


class Role(StrEnum):
    """Who somebody is."""

    STEWARD = "steward"
    ANALYST = "analyst"
    COLLECTOR = "collector"
    AUDITOR = "auditor"
    ADMIN = "admin"


SCOPES: Mapping[Role, frozenset[Scope]] = {
    Role.STEWARD: frozenset(
        {
            Scope.DATA,
            Scope.RUN,
            Scope.RELEASES,
            Scope.EVIDENCE,
            Scope.REGISTRY,
            Scope.VAULT,
            Scope.BUDGETS,
            Scope.COLLECT,
        }
    ),
    Role.ANALYST: frozenset({Scope.ASK}),
    Role.COLLECTOR: frozenset({Scope.REPORT}),
    Role.AUDITOR: frozenset(
        {Scope.RELEASES, Scope.EVIDENCE, Scope.REGISTRY, Scope.BUDGETS, Scope.AUDIT, Scope.METRICS}
    ),
    Role.ADMIN: frozenset({Scope.KEYS, Scope.JOBS, Scope.AUDIT, Scope.METRICS}),
}
"""An administrator makes keys and sees no data; whoever makes keys for themselves leaves a trace in the log."""


LOCAL = SCOPES[Role.STEWARD] | SCOPES[Role.ANALYST]
"""What the one person of a workbench on their own machine may do."""


def choose_scopes(role: Role, scopes: Iterable[str] | None) -> frozenset[Scope]:
    """The scopes of a key: all of its role, or those asked for.

    >>> sorted(choose_scopes(Role.ANALYST, None))
    [<Scope.ASK: 'ask'>]
    """
    if scopes is None:
        return SCOPES[role]
    asked = set(scopes)
    beyond = asked - SCOPES[role]
    if beyond or not asked:
        raise InputError(
            f"a key of a {role} cannot have {', '.join(sorted(beyond)) or 'no scope at all'}",
            where="scopes",
            remedy=f"Choose among {', '.join(sorted(SCOPES[role]))}.",
        )
    return frozenset(Scope(one) for one in asked)
