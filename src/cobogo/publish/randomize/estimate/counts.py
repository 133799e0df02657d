"""Counting queries on randomized data: estimates with their variances and intervals."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.promises.operators.base import Operator
from cobogo.promises.operators.inference import estimate_by_inversion, project_onto_simplex
from cobogo.promises.operators.uniform import Uniform


@dataclass(frozen=True)
class CountEstimate:
    """An estimated count, and its standard error over the draws."""

    count: float
    error: float

    @property
    def estimable(self) -> bool:
        """Whether the error is no larger than the count: below that a count says nothing."""
        return self.error <= self.count

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """A symmetric interval that holds the true count with about this probability.

        >>> [round(bound, 2) for bound in CountEstimate(100.0, 10.0).interval()]
        [80.4, 119.6]
        """
        half = self.error * quantile(0.5 + confidence / 2)
        return self.count - half, self.count + half

    def __add__(self, other: CountEstimate) -> CountEstimate:
        """Of two groups of records that were drawn apart."""
        return CountEstimate(self.count + other.count, math.hypot(self.error, other.error))


def quantile(share: float) -> float:
    """The value below which a standard normal variable falls with a probability."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)


def count(operator: Operator, observed: Ints, wanted: Collection[int]) -> CountEstimate:
    """How many of some records have one of the ``wanted`` values, when ``observed`` counts what was released of them.

    Which records, any condition on the other columns says: those were released as they are. The variance is that of
    the draws, with the true counts put where the estimates are.
    """
    codes = sorted(set(wanted))
    if isinstance(operator, Uniform):
        return _uniform(operator, observed, codes)
    weights = np.zeros(operator.size)
    weights[codes] = 1
    matrix = operator.matrix()
    try:
        reader = np.linalg.solve(matrix.T, weights)  # what each released value adds to the estimate
    except np.linalg.LinAlgError:
        raise ValueError("two values are released alike: counts of one of them cannot be estimated") from None
    records = int(observed.sum())
    found = records * project_onto_simplex(estimate_by_inversion(operator, observed))
    mean, square = reader @ matrix, (reader**2) @ matrix
    return CountEstimate(float(reader @ observed), math.sqrt(max(float(found @ (square - mean**2)), 0.0)))


def _uniform(operator: Uniform, observed: Ints, codes: Sequence[int]) -> CountEstimate:
    """(o_S − n·|S|·q)/p; the variance [c·a(1 − a) + (n − c)·b(1 − b)]/p² with b = |S|·q and a = p + b."""
    p, b = float(operator.retention), len(codes) * float(operator.other)
    records = int(observed.sum())
    found = (int(observed[codes].sum()) - records * b) / p
    true = min(max(found, 0.0), float(records))
    return CountEstimate(found, math.sqrt(max(uniform_variance(operator, true, records, len(codes)), 0.0)))


def uniform_variance(operator: Uniform, true: float, records: int, values: int) -> float:
    """The variance of a count's estimate when the true count is known."""
    p, b = float(operator.retention), values * float(operator.other)
    a = p + b
    return (true * a * (1 - a) + (records - true) * b * (1 - b)) / (p * p)


def sampled(operator: Uniform, observed: Ints, sizes: Ints, wanted: Collection[int]) -> CountEstimate:
    """The same where one record of each group was released, with the size of its group: ``observed[g]`` is its value.

    Each record stands for its group; the variance is that of weighted draws, with the group's draw of a record in it.
    """
    p, b = float(operator.retention), len(set(wanted)) * float(operator.other)
    hits = np.isin(observed, sorted(set(wanted)))
    each = sizes * (hits - b) / p
    return CountEstimate(float(each.sum()), float(np.sqrt((sizes**2 * _spread(hits, p, b)).sum())))


def _spread(hits: Mask, p: float, b: float) -> Floats:
    """About the variance of one record's estimate: that of a coin of the overall share, over p²."""
    share = float(np.clip(hits.mean(), 1e-12, 1 - 1e-12)) if len(hits) else 0.0
    return np.full(len(hits), max(share * (1 - share), b * (1 - b)) / (p * p))
