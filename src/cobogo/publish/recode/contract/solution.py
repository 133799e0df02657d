"""What a recoding algorithm returns, and how solutions are compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from cobogo.examine.metrics import BUCKETED, MARGINALIZED, Outcome
from cobogo.examine.metrics.base import Floor
from cobogo.publish.recode.contract.assignment import Assignment
from cobogo.publish.recode.contract.buckets import Buckets
from cobogo.publish.recode.contract.problem import Levels
from cobogo.release.margins import Margins

RUNNERS_UP = 10
"""Satisfied nodes that a report shows beside the best."""

TOLERANCE = 1e-12
"""Relative difference of two metric values that rounding alone can make."""

NOTHING = 1e-9
"""A bound below this says nothing: what is left of 0 after rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class Checked:
    """The result of checking a node of the lattice. A ``hopeless`` node fails, and so does every node below it."""

    levels: Levels
    hopeless: bool
    satisfied: bool
    outcome: Outcome | None  # of a satisfied node
    value: float
    failing_records: int  # that are suppressed, or whose values are withheld
    floor: Floor | None = None  # what the nodes below lose at least; of a node that is not hopeless
    spread: Outcome | None = None  # no worse than the nodes above, in any respect; likewise


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """The node chosen, whether it is proven best, and what was seen on the way."""

    algorithm: str
    chosen: Checked
    optimal: bool  # proven
    nodes: int
    checked: int
    runners_up: tuple[Checked, ...]  # their outcomes may lack the sums that the metric makes nothing of
    notes: tuple[str, ...] = ()  # what the steward should know
    bound: float | None = None  # that no node can beat, where that is known; the value itself where it is proven

    metric: ClassVar[None] = None

    @property
    def gap(self) -> float | None:
        """By what share the node is worse than the best one, at most; None where nothing is known."""
        if self.bound is None or abs(self.bound) < NOTHING:
            return None
        return abs(self.value - self.bound) / abs(self.bound)

    @property
    def levels(self) -> Levels:
        """The level of each quasi-identifier."""
        return self.chosen.levels

    @property
    def value(self) -> float:
        """Of the metric asked for."""
        return self.chosen.value


@dataclass(frozen=True, eq=False, repr=False)
class Assigned:
    """The assignment chosen by an algorithm that gives each record its own levels. ``value``: of the metric."""

    algorithm: str
    assignment: Assignment
    value: float
    nodes: int
    checked: int
    metric: str | None = None  # what ``value`` is of, where it is not the metric asked for
    notes: tuple[str, ...] = ()  # what the steward should know

    optimal: ClassVar[bool] = False
    bound: ClassVar[None] = None
    gap: ClassVar[None] = None
    runners_up: ClassVar[tuple[Checked, ...]] = ()
    levels: ClassVar[None] = None


@dataclass(frozen=True, eq=False, repr=False)
class Bucketed:
    """The buckets chosen by an algorithm that leaves tuples as they are and parts them from the sensitive values."""

    algorithm: str
    buckets: Buckets
    value: float
    nodes: int
    checked: int
    metric: str = BUCKETED
    slices: tuple[
        tuple[str, ...], ...
    ] = ()  # attributes that stay together; none where only the sensitive one is apart
    notes: tuple[str, ...] = ()
    optimal: bool = False  # proven

    bound: ClassVar[None] = None
    gap: ClassVar[None] = None
    runners_up: ClassVar[tuple[Checked, ...]] = ()
    levels: ClassVar[None] = None


@dataclass(frozen=True, eq=False, repr=False)
class Marginalized:
    """The marginals chosen, each attribute at one level in all of them."""

    algorithm: str
    margins: Margins
    attribute_levels: Mapping[str, int]
    value: float
    nodes: int
    checked: int
    metric: str = MARGINALIZED
    notes: tuple[str, ...] = ()

    optimal: ClassVar[bool] = False
    bound: ClassVar[None] = None
    gap: ClassVar[None] = None
    runners_up: ClassVar[tuple[Checked, ...]] = ()
    levels: ClassVar[None] = None


AnySolution = Solution | Assigned | Bucketed | Marginalized
"""A recoding algorithm answers with a node of the lattice, with an assignment of records to released tuples, with
buckets of records, or with marginals."""


def cost(checked: Checked, *, maximize: bool) -> float:
    """The metric's value, negated where more is better."""
    return -checked.value if maximize else checked.value


def slack(best: float) -> float:
    """Values within this much of the best are equal to it."""
    return TOLERANCE * max(1.0, abs(best))


def rank_nodes(candidates: Iterable[Checked], *, maximize: bool) -> list[Checked]:
    """Satisfied nodes, best first. Ties go to more classes, fewer suppressed, fewer withheld, lower height, smaller
    levels."""

    def by_cost(node: Checked) -> float:
        return cost(node, maximize=maximize)

    def by_tie(node: Checked) -> tuple[int, int, int, int, Levels]:
        assert node.outcome is not None
        lost = int(node.outcome.suppressed)
        return -int(node.outcome.classes), lost, node.failing_records - lost, sum(node.levels), node.levels

    rest = sorted(candidates, key=lambda node: (by_cost(node), by_tie(node)))
    if not rest:
        return []
    best = by_cost(rest[0])
    tied = [node for node in rest if by_cost(node) <= best + slack(best)]
    return sorted(tied, key=by_tie) + rest[len(tied) :]
