"""Unsorted matching: two releases of one table, in the same order of rows, are one release with all that both tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Label
from cobogo.data.policy import Policy
from cobogo.data.table.coder import Column
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input
from cobogo.examine.attacks.case import Case, Published
from cobogo.examine.attacks.crossing import Meeting
from cobogo.examine.attacks.linking import Links, link
from cobogo.examine.attacks.pairing import meeting_of
from cobogo.examine.attacks.rows import Rows
from cobogo.floor.arguments import number
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card

STEPS = 400


@card("unsorted-matching", title="unsorted matching")
@dataclass(frozen=True)
class UnsortedMatching(Attack):
    r"""Join two releases of the same people by the position of their rows.

    Each may be k-anonymous: one makes race coarser, the other the ZIP code; side by side they are the table itself.
    That the order is the same shows: rows at the same place never contradict each other. How many agree is weighed
    against how many would by chance, with even odds before that the order tells nothing.

    Formula: $\Pr[q \mid a \text{ of } n \text{ rows agree}] \propto \pi(q)\,(q + (1 - q)\,c)^a\,((1 - q)(1 - c))^{n -
        a}$ for the share $q$ of rows in the same order and the chance $c$ to agree anyway; a row that agrees is the
        right one with $\frac{q}{q + (1 - q)\,c}$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> races, zips = ["asian", "black", "white"], ["02138", "02139", "02141", "02142"]
        >>> first = table("race zip", *[f"person {code}" for code in zips * 3])
        >>> second = table("race zip", *[f"{race} {code[:4]}0" for race in races for code in zips])
        >>> trees = {"race": {"tree": {"person": races}}, "zip": {"tree": {"02130": zips[:2], "02140": zips[2:]}}}
        >>> len(attack("unsorted-matching", first, second, policy=roles("race zip", **trees)).exposed)
        12

    Guarantee: None: an attack finds, it does not protect. A random order of the rows makes it useless; every Cobogó
        release has one.
    Limits: Both releases must have the same rows in the same order, or nothing is found.
    Cost: $O(n)$ for n rows.
    Paper: L. Sweeney, k-anonymity: a model for protecting privacy, 2002.
    """

    threshold: float = 0.5

    finds: ClassVar[Finding] = "record"
    knows: ClassVar[str] = "two releases of the same people"
    defence: ClassVar[str] = "A random order of rows, drawn anew for each release; Cobogó always does so."
    releases: ClassVar[tuple[int, int]] = (2, 2)
    uses: ClassVar[frozenset[Input]] = frozenset({"knowledge"})

    def __post_init__(self) -> None:
        number(self.name, "threshold", self.threshold, least=0, most=1)

    def run(self, case: Case) -> Findings:
        """For each row that agrees with the one at its place, how probably the two are of one person."""
        one, other = case.releases
        if one.rows.count != other.rows.count:
            return self._none(one, "the releases have different numbers of rows, so no order is the same in both")
        shared = tuple(name for name in one.rows.names if name in other.rows.columns)
        if not shared:
            return self._none(one, "the releases share no column that could show that their order is the same")
        links = link(one.rows, _knowing(other, one.policy), columns=shared)
        agrees, chance = _agreement(links)
        sure = _posterior(int(agrees.sum()), len(agrees), chance)
        found = np.flatnonzero(agrees)
        whole, finer = combine_releases(one, other)
        told = found[finer[found]]
        measures: dict[str, float | int | None] = {
            "rows that agree": len(found),
            "rows that would agree by chance": float(chance * len(agrees)),
            "rows that the other release completes": len(told),
        }
        if case.knowledge is not None:
            measures["rows of the knowledge that the join gives back"] = _given_back(whole, case.knowledge)
        return self.found(
            "release",
            told + 1,
            np.full(len(told), sure),
            baseline=1 / np.maximum(links.records[links.known.ids][told], 1),
            attacked=one.rows.count,
            measures=measures,
            records=told + 1,
        )

    def _none(self, release: Published, why: str) -> Findings:
        nothing = np.zeros(0, dtype=np.int64)
        return self.found("release", nothing, np.zeros(0), attacked=release.rows.count, notes=(why,))


def combine_releases(one: Published, other: Published) -> tuple[Rows, Mask]:
    """The two releases joined by position, each value from the one that tells more of it, and which rows then tell more
    than the first release alone."""
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
        (first, known), (second, also) = one.rows.columns[name], other.rows.columns[name]
        better = _finer(first, second, known, also, meeting_of(name, case))
        labels = tuple(dict.fromkeys((*known, *also)))
        index = {label: code for code, label in enumerate(labels)}
        mine, theirs = (np.array([index[label] for label in part], dtype=np.int32) for part in (known, also))
        columns[name] = np.where(better, theirs[second], mine[first]).astype(np.int32), labels
        finer |= better
    return Rows("the releases joined by position", columns, one.rows.count), finer


def _knowing(release: Published, policy: Policy | None) -> Published:
    return Published(release.rows, release.quasi_identifiers, release.sensitive, release.policy or policy)


def _finer(
    first: NDArray[np.int32], second: NDArray[np.int32], known: Sequence[Label], also: Sequence[Label], meet: Meeting
) -> Mask:
    """The rows whose second value says more than the first, and does not contradict it."""
    width = max(len(also), 1)
    pairs, inverse = np.unique(first.astype(np.int64) * width + second, return_inverse=True)
    named = [(known[pair // width], also[pair % width]) for pair in pairs.tolist()]
    found = [meet(*pair)[0] and not meet.covers(*pair) for pair in named]
    return np.array(found, dtype=np.bool_)[inverse]


def _agreement(links: Links) -> tuple[Mask, float]:
    """Which rows are compatible with the row at their place, and how often rows at random are."""
    width = max(len(links.released), 1)
    pairs = np.unique(links.owners * width + links.targets)
    here = links.known.ids * width + links.released.ids
    rows = len(links.known.ids)
    by_chance = float((links.records * links.known.sizes).sum()) / max(rows * rows, 1)
    return np.isin(here, pairs), by_chance


def _posterior(agreeing: int, rows: int, chance: float) -> float:
    """How probably a row that agrees is the right one.

    A share q of the rows is in the same order and agrees; the others agree by chance. Before looking, q is 0 with one
    half, 1 with a quarter, and anything between with the last quarter.
    """
    if chance >= 1 - 1e-12 or not agreeing:
        return 0.0  # whatever the order, all agree: nothing can be seen
    share = np.concatenate([[0.0], (np.arange(STEPS) + 0.5) / STEPS, [1.0]])
    prior = np.concatenate([[0.5], np.full(STEPS, 0.25 / STEPS), [0.25]])
    agree = share + (1 - share) * chance
    with np.errstate(divide="ignore", invalid="ignore"):
        missing = np.where(rows > agreeing, (rows - agreeing) * np.log(1 - agree), 0.0)
        told: Floats = np.log(prior) + agreeing * np.log(np.maximum(agree, 1e-300)) + missing
    weight = np.exp(told - told.max())
    right = np.divide(share, agree, out=np.zeros(len(share)), where=agree > 0)
    return float((weight * right).sum() / weight.sum())


def _given_back(whole: Rows, knowledge: Rows) -> int:
    """How many rows of a table stand among others, each as often as it stands there; by the columns they share."""
    names = [name for name in whole.names if name in knowledge.columns]
    both: dict[str, Column] = {}
    for name in names:
        (one, known), (other, also) = whole.columns[name], knowledge.columns[name]
        index = {label: code for code, label in enumerate(dict.fromkeys((*known, *also)))}
        mine, theirs = (np.array([index[label] for label in part], dtype=np.int32) for part in (known, also))
        both[name] = np.concatenate([mine[one], theirs[other]]), tuple(index)
    if not names:
        return 0
    groups = Rows("both", both, whole.count + knowledge.count).grouped(names)
    first = np.bincount(groups.ids[: whole.count], minlength=len(groups))
    second = np.bincount(groups.ids[whole.count :], minlength=len(groups))
    return int(np.minimum(first, second).sum())
