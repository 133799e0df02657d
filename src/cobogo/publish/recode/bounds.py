"""Lower bounds of what nodes cost, from the attributes' own marginal counts and from what was found above them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cobogo.examine.metrics import Outcome
from cobogo.examine.metrics.base import Separable
from cobogo.floor.arrays import Floats
from cobogo.publish.recode.evaluate import Floor
from cobogo.publish.recode.outcome import ideal
from cobogo.publish.recode.problem import Problem
from cobogo.publish.recode.solution import slack


def bounds(problem: Problem, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Lower bounds of the cost of many nodes (one a row). The cost is the metric, negated where more is better."""
    best = ideal(problem, nodes)
    values = np.asarray(problem.metric.bound(best, problem.scale, problem.limit), dtype=float)
    return np.broadcast_to(-values if problem.metric.maximize else values, (len(nodes),))


class Yardstick:
    """Costs and bounds in the unit in which the search compares them: of a separable metric the sum of its terms, so
    that bounds are read from a table; of another, the cost itself."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        metric = problem.metric
        self._separable = metric if isinstance(metric, Separable) and problem.scale.records else None
        width = len(problem.highest)
        steps = np.arange(max(problem.highest, default=0) + 1)[:, None]
        self._steps = np.minimum(steps, np.array(problem.highest, dtype=np.int64).reshape(1, width))
        self._ideal = ideal(problem, self._steps) if self._separable else None

    @property
    def separable(self) -> bool:
        """Whether there are tables of terms."""
        return self._separable is not None

    def terms(self, floor: Floor | None = None) -> Floats:
        """What each attribute contributes at least at each level (attributes × levels); with a floor, at and below the
        node where it was found: those records are lost there, each at no more leaves than it has at the node."""
        assert self._separable is not None
        assert self._ideal is not None
        best, scale = self._ideal, self._problem.scale
        if floor is not None:
            best = Outcome(
                suppressed=np.full(len(self._steps), floor.suppressed),
                classes=best.classes,
                squares=best.squares,
                leaf_sums=best.leaf_sums - floor.leaf_sums,
                level_sums=self._steps * (scale.records - floor.suppressed),
                bits=best.bits,
            )
        return np.ascontiguousarray(self._separable.terms(best, scale).T)

    def bounds(self, nodes: NDArray[np.int64]) -> Floats:
        """Lower bounds of many nodes, one a row."""
        if self._separable is None:
            return bounds(self._problem, nodes)
        return np.asarray(self.terms()[np.arange(nodes.shape[1]), nodes].sum(axis=1))

    def ceiling(self, best: Outcome) -> float:
        """Above this, a node is worse than the best found, and not only by rounding."""
        metric, scale = self._problem.metric, self._problem.scale
        value = float(metric.value(best, scale))
        found = -value if metric.maximize else value
        if self._separable is not None:
            measure = float(self._separable.terms(best, scale).sum())
            return measure + 2 * max(slack(measure), slack(found))
        return found + slack(found)
