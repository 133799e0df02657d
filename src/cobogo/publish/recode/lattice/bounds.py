"""Lower bounds of what nodes cost, from the attributes' own marginal counts and from what was found above them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.examine.metrics import Outcome
from cobogo.examine.metrics.base import Bracketed, Floor, Separable
from cobogo.floor.arrays import Floats
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import slack
from cobogo.publish.recode.lattice.sums import A_LITTLE_LESS


def bounds(problem: Problem, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Lower bounds of the cost of many nodes (one a row). The cost is the metric, negated where more is better."""
    best = ideal_outcomes(problem, nodes)
    values = np.asarray(problem.metric.bound(best, problem.scale, problem.limit), dtype=float)
    return np.broadcast_to(-values if problem.metric.maximize else values, (len(nodes),))


LARGEST = float(np.finfo(float).max) / 4
"""The largest bound, and the largest surplus: their sum is a number, and so is the difference of two bounds. A closed
node has an infinite bound."""


class Yardstick:
    """Costs and bounds in the unit in which the search compares them: for a separable metric the sum of its terms, so
    that bounds are read from a table; for a bracketed one its measure; for any other, the cost itself."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        metric = problem.metric
        self._separable = metric if isinstance(metric, Separable) and problem.scale.records else None
        self._bracketed = metric if isinstance(metric, Bracketed) and problem.scale.records else None
        width = len(problem.highest)
        steps = np.arange(max(problem.highest, default=0) + 1)[:, None]
        self._steps = np.minimum(steps, np.array(problem.highest, dtype=np.int64).reshape(1, width))
        self._ideal_outcome = ideal_outcomes(problem, self._steps) if self._separable else None

    @property
    def separable(self) -> bool:
        """Whether there are tables of terms."""
        return self._separable is not None

    @property
    def bracketed(self) -> bool:
        """Whether nodes are bounded by what was found below and above them."""
        return self._bracketed is not None

    @property
    def first_look(self) -> float:
        """Which part of a path lies below the node that is looked at first."""
        return 0.5 if self._bracketed is None else self._bracketed.first_look

    def terms(self, floor: Floor | None = None) -> Floats:
        """What each attribute contributes at least at each level (attributes × levels). A floor raises the terms for
        the node where it was found and all below: its records are lost there, each with at most as many leaves as at
        the node."""
        assert self._separable is not None
        assert self._ideal_outcome is not None
        best, scale = self._ideal_outcome, self._problem.scale
        if floor is not None:
            best = Outcome(
                suppressed=np.full(len(self._steps), floor.suppressed),
                classes=best.classes,
                squares=best.squares,
                leaf_sums=best.leaf_sums - floor.leaf_sums,
                level_sums=self._steps * (scale.records - floor.suppressed),
                bits=None if best.bits is None else best.bits + floor.bits,
            )
        return np.ascontiguousarray(self._separable.terms(best, scale).T)

    def bounds(self, nodes: NDArray[np.int64]) -> Floats:
        """Lower bounds of many nodes, one a row."""
        if self._separable is None:
            return self._measure(bounds(self._problem, nodes))
        return np.asarray(self.terms()[np.arange(nodes.shape[1]), nodes].sum(axis=1))

    def bracket(self, spread: Outcome, floor: Floor | None) -> tuple[Floats, Floats]:
        """What a node and every node above it costs at least, and how much more than such a bound the node and every
        node below it costs at least. Both in the unit of the metric, in which they add up.

        A node g lies above f and below c. Seen from f, nothing of g is finer: each kept class of g is made of whole
        classes of f, so an outcome that keeps the classes of f as they are, and suppresses nothing, is no worse than
        that of g (`sums.spread`). Seen from c, some records of g are lost: they are doomed (`Floor`). The bound from f
        counts these records, too, as though they were kept. It counts them with no more than they cost at c, where
        their classes are no smaller. So g costs at least the bound from f, plus what the doomed records cost when they
        are suppressed, less what they would cost if they were kept at c: the surplus.
        """
        assert self._bracketed is not None
        scale, limit = self._problem.scale, self._problem.limit
        bound = np.minimum(self._measure(self._bracketed.bound(spread, scale, limit)), LARGEST)
        if floor is None or not np.any(floor.suppressed):
            return bound, np.zeros_like(bound)
        return bound, np.minimum(np.asarray(self._bracketed.surplus(floor, scale, limit)) * A_LITTLE_LESS, LARGEST)

    def _measure(self, costs: Floats) -> Floats:
        if self._bracketed is None:
            return costs
        return np.maximum(self._bracketed.measure(costs, self._problem.scale), -LARGEST)

    def value(self, bound: float) -> float:
        """The metric's value that no node with this bound can beat, by more than rounding."""
        safe = bound - 2 * slack(bound)
        if self._separable is not None:
            return float(self._separable.combine(np.float64(safe)))  # type: ignore[arg-type]
        if self._bracketed is not None:
            return float(self._bracketed.value_of(safe, self._problem.scale))
        return -safe if self._problem.metric.maximize else safe

    def ceiling(self, best: Outcome) -> float:
        """The bound above which a node is worse than the best one found, by more than rounding."""
        metric, scale = self._problem.metric, self._problem.scale
        value = float(metric.value(best, scale))
        found = -value if metric.maximize else value
        if self._separable is not None:
            measure = float(self._separable.terms(best, scale).sum())
            return measure + 2 * max(slack(measure), slack(found))
        return float(self._measure(np.asarray(found + 2 * slack(found))))


def ideal_outcomes(problem: Problem, nodes: NDArray[np.int64]) -> Outcome:
    """Outcomes no worse in any respect than those of many nodes (one a row), from the attributes' own counts.

    Nothing is suppressed; there are as many classes, of sizes as equal, as the attributes' values allow.
    """
    records = problem.scale.records
    with np.errstate(over="ignore"):
        combinations = _look_up(problem.distinct, nodes).prod(axis=1, dtype=float)
    most = min(len(problem.table.counts), records / (problem.scale.k or 1))
    classes = np.maximum(np.minimum(combinations, most), 1.0)
    needs = problem.metric.needs
    return Outcome(
        suppressed=np.zeros(len(nodes), dtype=np.int64),
        classes=classes,
        squares=float(records) ** 2 / classes,
        leaf_sums=_look_up(problem.leaf_totals, nodes),
        level_sums=nodes * records,
        majority=np.full(len(nodes), records) if "majority" in needs else None,
        products=_ideal_products(problem, nodes) if "products" in needs else None,
        bits=_look_up(problem.bit_totals, nodes) if "bits" in needs else None,
        cross_nats=_ideal_cross_nats(problem, nodes) if "cross_nats" in needs else None,
    )


def _ideal_products(problem: Problem, nodes: NDArray[np.int64]) -> Floats:
    """The mean of products is at least their geometric mean, and that is the product of the attributes' own."""
    records = problem.scale.records
    with np.errstate(over="ignore"):
        means = np.exp(_look_up(problem.log_leaf_totals, nodes).sum(axis=1) / max(records, 1))
        return np.asarray(records * means * A_LITTLE_LESS)


def _ideal_cross_nats(problem: Problem, nodes: NDArray[np.int64]) -> Floats:
    """A lower bound of the cross entropy. Without suppression it is, per record, H(classes) + the mean of ln(tuples
    that a class covers).

    The second term is a sum over the attributes. The first is at least the entropy of any one attribute's released
    values, and at least H(tuples) − Σ H(value | released value): the classes leave open at most as much about the
    tuples as the attributes, one by one, leave open about their values.
    """
    records = max(problem.scale.records, 1)
    open_nats = _look_up(problem.bit_totals, nodes).sum(axis=1) * np.log(2) / records
    classes = np.maximum(
        _look_up(problem.value_nats, nodes).max(axis=1, initial=0.0), problem.scale.tuple_nats - open_nats
    )
    return np.asarray(_look_up(problem.log_leaf_totals, nodes).sum(axis=1) + records * classes)


def _look_up(tables: tuple[NDArray[Any], ...], nodes: NDArray[np.int64]) -> NDArray[Any]:
    """The entries of tables (by attribute and level) for each node's levels."""
    columns = [table[nodes[:, column]] for column, table in enumerate(tables)]
    return np.stack(columns).T if columns else np.zeros((len(nodes), 0))
