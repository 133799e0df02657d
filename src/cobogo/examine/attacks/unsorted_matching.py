"""Unsorted matching: two releases of one table in the same order of rows can be joined by position."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from cobogo.data.policy import Policy
from cobogo.data.table.columns import Column
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case, PublishedTable
from cobogo.examine.attacks.crossing import Meeting, distinct_pairs
from cobogo.examine.attacks.linking import Links, link
from cobogo.examine.attacks.pairing import column_meeting
from cobogo.examine.attacks.rows import Rows, code_alike
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr

STEPS = 400
"""Points of the grid of shares of rows in the same order, over which the posterior is summed."""


@card("unsorted-matching", title="unsorted matching")
@dataclass(frozen=True)
class UnsortedMatching(Attack):
    r"""Join two releases of the same people by the position of their rows.

    Each release may be k-anonymous: one generalizes race, the other the ZIP code; side by side they are the table
    itself. It is visible that the order is the same: rows at the same position never contradict each other. The number
    of rows that agree is compared with the number expected if the order is random; beforehand, the order is assumed to
    be random with probability 1/2.

    Formula: $\Pr[q \mid a \text{ of } n \text{ rows agree}] \propto \pi(q)\,(q + (1 - q)\,c)^a\,((1 - q)(1 - c))^{n -
        a}$ for the share $q$ of rows in the same order and the probability $c$ to agree by chance; a row that agrees
        is the right one with $\frac{q}{q + (1 - q)\,c}$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> races, zips = ["asian", "black", "white"], ["02138", "02139", "02141", "02142"]
        >>> first = table("race zip", *[f"person {code}" for code in zips * 3])
        >>> second = table("race zip", *[f"{race} {code[:4]}0" for race in races for code in zips])
        >>> trees = {"race": {"tree": {"person": races}}, "zip": {"tree": {"02130": zips[:2], "02140": zips[2:]}}}
        >>> len(attack("unsorted-matching", first, second, policy=roles("race zip", **trees)).exposed)
        12

    Guarantee: None: an attack finds people, it does not protect them. A random order of the rows makes it useless;
        every Cobogó release has one.
    Limits: It finds nothing unless both releases have the same rows in the same order.
    Cost: $O(n)$ for n rows.
    Paper: L. Sweeney, k-anonymity: a model for protecting privacy, 2002.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "record"
    knows: ClassVar[str] = tr("two releases of the same people")
    defence: ClassVar[str] = tr("A new random order of rows for each release; Cobogó always does so.")
    releases: ClassVar[tuple[int, int]] = (2, 2)
    uses: ClassVar[frozenset[Input]] = frozenset({"knowledge"})

    def run(self, case: Case) -> Findings:
        """For each row that agrees with the row at its place, the probability that both are of one person."""
        one, other = case.releases
        if one.rows.count != other.rows.count:
            return self._empty_findings(
                one, tr("the releases have different numbers of rows, so their orders cannot be the same")
            )
        shared = tuple(name for name in one.rows.names if name in other.rows.columns)
        if not shared:
            return self._empty_findings(
                one, tr("the releases have no common column that could show that their order is the same")
            )
        links = link(one.rows, _with_policy(other, one.policy), columns=shared)
        agrees, chance = _agreement(links)
        sure = _posterior(int(agrees.sum()), len(agrees), chance)
        agreeing = np.flatnonzero(agrees)
        whole, finer = combine_releases(one, other)
        completed = agreeing[finer[agreeing]]
        measures: dict[str, float | int | None] = {
            tr("rows that agree"): len(agreeing),
            tr("rows that would agree by chance"): float(chance * len(agrees)),
            tr("rows that the other release completes"): len(completed),
        }
        if case.knowledge is not None:
            measures[tr("rows of the knowledge that the join gives back")] = _count_recovered(whole, case.knowledge)
        return self.build_findings(
            "release",
            completed + 1,
            np.full(len(completed), sure),
            baseline=1 / np.maximum(links.records[links.known.ids][completed], 1),
            attacked=one.rows.count,
            measures=measures,
            records=completed + 1,
        )

    def _empty_findings(self, release: PublishedTable, why: str) -> Findings:
        nothing = np.zeros(0, dtype=np.int64)
        return self.build_findings("release", nothing, np.zeros(0), attacked=release.rows.count, notes=(why,))


def combine_releases(one: PublishedTable, other: PublishedTable) -> tuple[Rows, Mask]:
    """Join two releases by position, each value from the release where it is finer; also which rows are finer than in
    the first release."""
    columns: dict[str, Column] = {}
    finer = np.zeros(one.rows.count, dtype=np.bool_)
    case = Case((one, other))
    for name in dict.fromkeys((*one.rows.names, *other.rows.names)):
        if name not in one.rows.columns or name not in other.rows.columns:
            source = one if name in one.rows.columns else other
            columns[name] = source.rows.columns[name]
            if source is other:
                finer[:] = True
            continue
        both = one.rows.columns[name], other.rows.columns[name]
        better = _finer_rows(*both, column_meeting(name, case))
        (first, second), labels = code_alike(both)
        columns[name] = np.where(better, second, first).astype(np.int32), labels
        finer |= better
    return Rows("the releases joined by position", columns, one.rows.count), finer


def _with_policy(release: PublishedTable, policy: Policy | None) -> PublishedTable:
    return replace(release, policy=release.policy or policy, manifest=None, public=None)


def _finer_rows(first: Column, second: Column, meet: Meeting) -> Mask:
    """The rows whose second value is finer than the first, and does not contradict it."""
    pairs, inverse = distinct_pairs(first, second)
    finer = [meet(*pair)[0] and not meet.earlier_implies(*pair) for pair in pairs]
    return np.array(finer, dtype=np.bool_)[inverse]


def _agreement(links: Links) -> tuple[Mask, float]:
    """Which rows are compatible with the row at their place, and the share of all pairs that are."""
    width = max(len(links.released), 1)
    pairs = np.unique(links.owners * width + links.targets)
    here = links.known.ids * width + links.released.ids
    rows = len(links.known.ids)
    by_chance = float((links.records * links.known.sizes).sum()) / max(rows * rows, 1)
    return np.isin(here, pairs), by_chance


def _posterior(agreeing: int, rows: int, chance: float) -> float:
    """The probability that a row that agrees is the right one.

    A share q of the rows is in the same order and agrees; the others agree by chance. A priori, q is 0 with probability
    1/2, 1 with probability 1/4, and otherwise uniform between them.
    """
    if chance >= 1 - 1e-12 or not agreeing:
        return 0.0  # all rows agree in any order
    share = np.concatenate([[0.0], (np.arange(STEPS) + 0.5) / STEPS, [1.0]])
    prior = np.concatenate([[0.5], np.full(STEPS, 0.25 / STEPS), [0.25]])
    agree = share + (1 - share) * chance
    with np.errstate(divide="ignore", invalid="ignore"):
        missing = np.where(rows > agreeing, (rows - agreeing) * np.log(1 - agree), 0.0)
        likely: Floats = np.log(prior) + agreeing * np.log(np.maximum(agree, 1e-300)) + missing
    weight = np.exp(likely - likely.max())
    right = np.divide(share, agree, out=np.zeros(len(share)), where=agree > 0)
    return float((weight * right).sum() / weight.sum())


def _count_recovered(whole: Rows, knowledge: Rows) -> int:
    """How many rows of the knowledge are in a table, by the columns that both have; a row that occurs twice counts only
    as often as the table has it."""
    names = [name for name in whole.names if name in knowledge.columns]
    both: dict[str, Column] = {}
    for name in names:
        codes, labels = code_alike([whole.columns[name], knowledge.columns[name]])
        both[name] = np.concatenate(codes).astype(np.int32), labels
    if not names:
        return 0
    groups = Rows("both", both, whole.count + knowledge.count).group(names)
    first = np.bincount(groups.ids[: whole.count], minlength=len(groups))
    second = np.bincount(groups.ids[whole.count :], minlength=len(groups))
    return int(np.minimum(first, second).sum())
