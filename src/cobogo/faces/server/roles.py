"""Who may do what. A role is a set of scopes; a key has a role, and may be narrowed to some of its scopes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from cobogo.errors import InputError
from cobogo.floor.language import tr


class KeyScope(StrEnum):
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


class KeyRole(StrEnum):
    """Who somebody is."""

    STEWARD = "steward"
    ANALYST = "analyst"
    COLLECTOR = "collector"
    AUDITOR = "auditor"
    ADMIN = "admin"


SCOPES: Mapping[KeyRole, frozenset[KeyScope]] = {
    KeyRole.STEWARD: frozenset(
        {
            KeyScope.DATA,
            KeyScope.RUN,
            KeyScope.RELEASES,
            KeyScope.EVIDENCE,
            KeyScope.REGISTRY,
            KeyScope.VAULT,
            KeyScope.BUDGETS,
            KeyScope.COLLECT,
        }
    ),
    KeyRole.ANALYST: frozenset({KeyScope.ASK}),
    KeyRole.COLLECTOR: frozenset({KeyScope.REPORT}),
    KeyRole.AUDITOR: frozenset(
        {KeyScope.RELEASES, KeyScope.EVIDENCE, KeyScope.REGISTRY, KeyScope.BUDGETS, KeyScope.AUDIT, KeyScope.METRICS}
    ),
    KeyRole.ADMIN: frozenset({KeyScope.KEYS, KeyScope.JOBS, KeyScope.AUDIT, KeyScope.METRICS}),
}
"""An administrator makes keys and sees no data; whoever makes keys for themselves leaves a trace in the log."""


LOCAL = SCOPES[KeyRole.STEWARD] | SCOPES[KeyRole.ANALYST]
"""What the one person of a workbench on their own machine may do."""


def choose_scopes(role: KeyRole, scopes: Iterable[str] | None) -> frozenset[KeyScope]:
    """The scopes of a key: all of its role, or those asked for.

    >>> sorted(choose_scopes(KeyRole.ANALYST, None))
    [<KeyScope.ASK: 'ask'>]
    """
    if scopes is None:
        return SCOPES[role]
    asked = set(scopes)
    beyond = asked - SCOPES[role]
    if beyond or not asked:
        raise InputError(
            tr(
                "a key with the role {role} cannot have the scopes {beyond}",
                role=role,
                beyond=", ".join(sorted(beyond)),
            )
            if beyond
            else tr("a key needs at least one scope"),
            where="scopes",
            remedy=tr("Choose among {scopes}.", scopes=", ".join(sorted(SCOPES[role]))),
        )
    return frozenset(KeyScope(one) for one in asked)
