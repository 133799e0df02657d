"""Trackers: harmless queries whose answers, added and subtracted, reveal one person's values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.data.classes import parse_number
from cobogo.errors import DataError, PolicyError, SearchTooLarge
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import AnsweredQuery, Case, Term
from cobogo.examine.attacks.rows import Rows
from cobogo.floor.arguments import whole
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr, trn

Secret = str | frozenset[Term]
"""What queries are about: a column that is summed, or a condition on sensitive columns whose rows are counted."""

CELLS_AT_MOST = 5000
"""Groups of people that are solved for: the singular value decomposition takes cubic time, here some minutes."""


@card("tracker")
@dataclass(frozen=True)
class Tracker(Attack):
    """Combine the answers to several queries until they reveal a value of one person.

    The attacker knows everybody's quasi-identifiers, and so the people that each query is about; the answers are exact
    counts and sums of sensitive values. The attack finds whatever follows from them by linear algebra: people whom no
    query distinguishes are one unknown, and an unknown is found if the equations determine it. ``refuse-below`` is the
    smallest number of people, and of people left out, that a query may be about: a rule that trackers get around. The
    table that is given as the release is the one that the queries were about.

    Formula: $A x = b$ with $A_{qg} = 1$ if query $q$ is about group $g$; $x_g$ is found if the unit vector $e_g$ is in
        the row space of $A$
    Example: The judge's pay is the difference of two sums.
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> staff = table("sex job pay", "F aide 9", "F cook 8", "F maid 7", "F judge 99", "M aide 6", "M cook 5")
        >>> asked = ["sum pay where sex = F", "sum pay where sex = F and job != judge"]
        >>> attack("tracker", staff, queries=asked, policy=roles("sex job", "pay"), refuse_below=2).exposed.tolist()
        [4]

    Guarantee: None: an attack finds people, it does not protect them. Differential privacy helps, and so do answers
        from an anonymized table.
    Limits: Answers must be exact; the attack does not solve for noisy ones.
    Cost: $O(q^2 g)$ for q queries and g groups of people that they distinguish.
    Paper: D. E. Denning, P. J. Denning and M. D. Schwartz, The tracker: a threat to statistical database security, ACM
        Transactions on Database Systems, 1979.
    """

    threshold: float = 0.5
    refuse_below: int = 0

    finds: ClassVar[Finding] = "value"
    knows: ClassVar[str] = tr("everybody's quasi-identifiers, and the exact answers to some queries")
    defence: ClassVar[str] = tr(
        "Answer with differential privacy, which bounds what all answers reveal together; or from an anonymized table."
    )
    needs: ClassVar[frozenset[Input]] = frozenset({"queries"})

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "refuse-below", self.refuse_below, least=0)

    def run(self, case: Case) -> Findings:
        """For each person, the surest statement about any of the secrets."""
        assert case.queries is not None
        rows = case.release.rows
        sensitive = {*case.release.sensitive, *(query.column for query in case.queries if query.column is not None)}
        if not sensitive:
            raise PolicyError(tr("has no sensitive attribute"), where=rows.name, remedy=tr("Give a policy: --policy."))
        _check(case.queries, rows)
        asked: dict[Secret, list[Mask]] = {}
        refused = 0
        for query in case.queries:
            known = [term for term in query.terms if term.column not in sensitive]
            hidden = frozenset(term for term in query.terms if term.column in sensitive)
            if self._refuses(query.selects(rows)):
                refused += 1
                continue
            secret = query.column if query.column is not None else hidden
            if secret and not (query.column is not None and hidden):
                asked.setdefault(secret, []).append(_select_rows(known, rows))
        sure, before = np.zeros(rows.count), np.zeros(rows.count)
        revealed: set[int] = set()
        for secret, masks in asked.items():
            confidence, baseline, alone = _solve(rows, secret, np.array(masks))
            sure, before = np.where(confidence > sure, confidence, sure), np.where(confidence > sure, baseline, before)
            revealed.update(alone.tolist())
        found = np.flatnonzero(sure > 0)
        notes: tuple[str, ...] = ()
        if refused:
            notes = (
                trn(
                    "{n:,} query was not answered: it is about too few people, or about all but a few",
                    "{n:,} queries were not answered: they are about too few people, or about all but a few",
                    n=refused,
                ),
            )
        return self.build_findings(
            "release",
            found + 1,
            sure[found],
            baseline=before[found],
            attacked=rows.count,
            measures={
                tr("queries answered"): len(case.queries) - refused,
                tr("people whose own value is told"): len(revealed),
            },
            notes=notes,
        )

    def _refuses(self, chosen: Mask) -> bool:
        about = int(chosen.sum())
        return min(about, len(chosen) - about) < self.refuse_below


def _check(queries: Iterable[AnsweredQuery], rows: Rows) -> None:
    for query in queries:
        for name in query.columns:
            if name not in rows.columns:
                raise DataError(
                    tr('asks about "{name}", which is not a column of {table}', name=name, table=rows.name),
                    where=tr("queries, line {line}", line=query.line),
                    remedy=tr("Its columns: {names}.", names=", ".join(rows.names)),
                )


def _select_rows(terms: Iterable[Term], rows: Rows) -> Mask:
    return AnsweredQuery(tuple(terms)).selects(rows)


def _solve(rows: Rows, secret: Secret, masks: Mask) -> tuple[Floats, Floats, Ints]:
    """For each row, the confidence in its secret and the baseline; and the rows whose own secret is determined."""
    if isinstance(secret, str):
        codes, labels = rows.columns[secret]
        amounts = np.array([parse_number(label, ".") for label in labels] + [np.nan])[codes]
        values = np.nan_to_num(amounts)
    else:
        values = _select_rows(secret, rows).astype(np.float64)
    cells, ids = np.unique(np.packbits(masks, axis=0), axis=1, return_inverse=True)
    ids = ids.reshape(-1)
    if cells.shape[1] > CELLS_AT_MOST:
        raise SearchTooLarge(
            tr(
                "the queries divide people into {shape:,} groups; at most {cells_at_most:,} can be solved for",
                shape=cells.shape[1],
                cells_at_most=CELLS_AT_MOST,
            ),
            remedy=tr("Give fewer queries."),
        )
    matrix = np.unpackbits(cells, axis=0, count=len(masks)).astype(np.float64)
    sizes = np.bincount(ids, minlength=cells.shape[1])
    fixed = _determined_unknowns(matrix)
    sums = np.bincount(ids, values, cells.shape[1])
    sure = np.zeros(cells.shape[1])
    if isinstance(secret, str):
        sure[fixed & (sizes == 1)] = 1.0
        before = np.zeros(rows.count)
    else:
        share = sums / np.maximum(sizes, 1)
        sure[fixed] = np.maximum(share, 1 - share)[fixed]
        overall = values.mean()
        before = np.where((share > 0.5)[ids], overall, 1 - overall)
    return sure[ids], before, np.flatnonzero((fixed & (sizes == 1))[ids])


def _determined_unknowns(matrix: Floats) -> Mask:
    """Which unknowns of a system of equations are determined: those that are 0 in the whole null space."""
    _, strength, directions = np.linalg.svd(matrix, full_matrices=True)
    rank = int((strength > 1e-9 * max(strength.max(initial=0.0), 1.0)).sum())
    return np.asarray(np.abs(directions[rank:]).max(axis=0, initial=0.0) < 1e-7)
