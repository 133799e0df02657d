"""Trackers: harmless queries whose answers, added and subtracted, tell of one person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.data.classes import written_number
from cobogo.errors import DataError, PolicyError, SearchTooLarge, number_of
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.queries import AnsweredQuery, Term
from cobogo.examine.attacks.rows import Rows
from cobogo.floor.arguments import number, whole
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card

Secret = str | frozenset[Term]
"""What queries tell of people: a column that is added up, or a condition on sensitive columns that is counted."""

CELLS_AT_MOST = 5000


@card("tracker")
@dataclass(frozen=True)
class Tracker(Attack):
    """Combine the answers of several queries until they tell of one person.

    The attacker knows the quasi-identifiers of everybody, so which people each query is about; the answers are exact
    counts and sums of what is sensitive. Whatever follows from them by adding and subtracting is found: people whom no
    query tells apart are one unknown, and an unknown is told when the answers leave it no choice. ``refuse-below`` is
    the smallest number of people, and of people left out, that a query may be about: a rule that trackers get around.
    The table that is given as release is the one that the queries were asked of.

    Formula: $A x = b$ with $A_{qg} = 1$ if query $q$ is about group $g$; $x_g$ is told if the unit vector $e_g$ is in
        the row space of $A$
    Example: The judge's pay, as the difference of two sums.
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> staff = table("sex job pay", "F aide 9", "F cook 8", "F maid 7", "F judge 99", "M aide 6", "M cook 5")
        >>> asked = ["sum pay where sex = F", "sum pay where sex = F and job != judge"]
        >>> attack("tracker", staff, queries=asked, policy=roles("sex job", "pay"), refuse_below=2).exposed.tolist()
        [4]

    Guarantee: None: an attack finds, it does not protect. Differential privacy helps, or answers from an anonymized
        table.
    Limits: Answers must be exact; noisy ones are not solved for.
    Cost: $O(q^2 g)$ for q queries and g groups of people that they tell apart.
    Paper: D. E. Denning, P. J. Denning and M. D. Schwartz, The tracker: a threat to statistical database security, ACM
        Transactions on Database Systems, 1979.
    """

    threshold: float = 0.5
    refuse_below: int = 0

    finds: ClassVar[Finding] = "value"
    knows: ClassVar[str] = "everybody's quasi-identifiers, and the exact answers to some queries"
    defence: ClassVar[str] = (
        "Answer with differential privacy, which counts what all answers tell together; or from an anonymized table."
    )
    needs: ClassVar[frozenset[Input]] = frozenset({"queries"})

    def __post_init__(self) -> None:
        number(self.name, "threshold", self.threshold, least=0, most=1)
        whole(self.name, "refuse-below", self.refuse_below, least=0)

    def run(self, case: Case) -> Findings:
        """For each person, the surest statement about any of the secrets."""
        assert case.queries is not None
        rows = case.release.rows
        sensitive = {*case.release.sensitive, *(query.column for query in case.queries if query.column is not None)}
        if not sensitive:
            raise PolicyError("has no sensitive attribute", where=rows.name, remedy="Give a policy: --policy.")
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
                asked.setdefault(secret, []).append(_chosen(known, rows))
        sure, before = np.zeros(rows.count), np.zeros(rows.count)
        told: set[int] = set()
        for secret, masks in asked.items():
            confidence, baseline, alone = _solved(rows, secret, np.array(masks))
            sure, before = np.where(confidence > sure, confidence, sure), np.where(confidence > sure, baseline, before)
            told.update(alone.tolist())
        found = np.flatnonzero(sure > 0)
        notes: tuple[str, ...] = ()
        if refused:
            notes = (f"{number_of(refused, 'query', 'queries')} went unanswered: about too few people, or all but few",)
        return self.found(
            "release",
            found + 1,
            sure[found],
            baseline=before[found],
            attacked=rows.count,
            measures={"queries answered": len(case.queries) - refused, "people whose own value is told": len(told)},
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
                    f'asks about "{name}", which is no column of {rows.name}',
                    where=f"queries, line {query.written}",
                    remedy=f"Its columns: {', '.join(rows.names)}.",
                )


def _chosen(terms: Iterable[Term], rows: Rows) -> Mask:
    return AnsweredQuery(tuple(terms)).selects(rows)


def _solved(rows: Rows, secret: Secret, masks: Mask) -> tuple[Floats, Floats, Ints]:
    """For each row, how surely the answers tell its secret, how sure anybody would be, and the rows told alone."""
    if isinstance(secret, str):
        codes, labels = rows.columns[secret]
        amounts = np.array([written_number(label, ".") for label in labels] + [np.nan])[codes]
        values = np.nan_to_num(amounts)
    else:
        values = _chosen(secret, rows).astype(np.float64)
    cells, ids = np.unique(np.packbits(masks, axis=0), axis=1, return_inverse=True)
    ids = ids.reshape(-1)
    if cells.shape[1] > CELLS_AT_MOST:
        raise SearchTooLarge(
            f"the queries tell {cells.shape[1]:,} kinds of people apart, more than the {CELLS_AT_MOST:,} that can be "
            "solved for",
            remedy="Give fewer queries.",
        )
    matrix = np.unpackbits(cells, axis=0, count=len(masks)).astype(np.float64)
    sizes = np.bincount(ids, minlength=cells.shape[1])
    fixed = _determined(matrix)
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


def _determined(matrix: Floats) -> Mask:
    """Which unknowns a system of equations leaves no choice: those that no solution of the homogeneous one moves."""
    _, strength, directions = np.linalg.svd(matrix, full_matrices=True)
    rank = int((strength > 1e-9 * max(strength.max(initial=0.0), 1.0)).sum())
    return np.asarray(np.abs(directions[rank:]).max(axis=0, initial=0.0) < 1e-7)
