"""An operator as a matrix of probabilities in steps of 2⁻⁵³, which draws meet exactly; operators read from
manifests."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import STEPS, Source, choices
from cobogo.floor.untrusted import fraction
from cobogo.promises.operators.base import LARGEST, Operator
from cobogo.promises.operators.uniform import Uniform


@dataclass(frozen=True, eq=False, repr=False)
class Matrix(Operator):
    """``weights[y, x] / 2**53`` is P[y|x]. Everything is computed from these weights, as values are drawn by them.

    >>> operator = operator_from_matrix(np.array([[0.7, 0.4], [0.3, 0.6]]))
    >>> operator.inverse(operator.spread(np.array([30.0, 70.0]))).round(9).tolist()
    [30.0, 70.0]
    """

    weights: Ints

    def __post_init__(self) -> None:
        if self.weights.shape != (self.size, self.size) or self.size > LARGEST:
            raise ValueError(f"an operator of {self.size:,} values needs a square matrix of at most {LARGEST:,}")
        if (self.weights < 0).any() or (self.weights.sum(axis=0) != STEPS).any():
            raise ValueError("each column of an operator must hold probabilities that sum to 1")

    def matrix(self) -> Floats:
        """P."""
        return np.asarray(self.weights / STEPS)

    @property
    def amplification(self) -> float:
        """Over the rows that can be drawn; infinite where one original never leads to a value and another does."""
        most, least = self.weights.max(axis=1), self.weights.min(axis=1)
        seen = most > 0
        if (least[seen] == 0).any():
            return math.inf
        return float((most[seen] / least[seen]).max())

    @property
    def condition(self) -> float:
        """The condition number: how much the errors of the released distribution may grow in the estimate."""
        return float(np.linalg.cond(self.matrix()))

    def as_dict(self) -> dict[str, Any]:
        """The whole numbers, column by column."""
        return {"operator": "matrix", "size": self.size, "columns": self.weights.T.tolist()}

    def sample(self, codes: Ints, source: Source) -> Ints:
        """Each by its own column."""
        return choices(self.weights, np.asarray(codes), source)

    def probability(self, released: Ints, original: Ints) -> Floats:
        """The entries of the matrix."""
        return np.asarray(self.weights[released, original] / STEPS)

    def spread(self, shares: Floats) -> Floats:
        """P·f."""
        return np.asarray(self.matrix() @ shares)

    def inverse(self, released: Floats) -> Floats:
        """By solving P·π = o."""
        try:
            return np.asarray(np.linalg.solve(self.matrix(), released))
        except np.linalg.LinAlgError:
            raise ValueError("two values are released alike: there is no inverse") from None


def operator_from_matrix(matrix: Floats) -> Matrix:
    """The operator nearest to a column-stochastic matrix. Each column's largest entry takes up what rounding leaves."""
    if not np.isfinite(matrix).all() or (matrix < -1e-9).any() or (abs(matrix.sum(axis=0) - 1) > 1e-6).any():
        raise ValueError("each column of an operator must hold probabilities that sum to 1")
    clean = np.clip(matrix, 0, None)
    weights = np.floor(clean / clean.sum(axis=0) * STEPS).astype(np.int64)
    weights[weights.argmax(axis=0), np.arange(len(weights))] += STEPS - weights.sum(axis=0)
    return Matrix(len(weights), weights)


@card("warner", title="Warner's randomized response")
def warner(truth: float) -> Uniform:
    r"""Warner's randomized response: a yes-or-no question is answered truthfully with a given probability, and
    otherwise with the opposite.

    With the probability ``truth`` of a true answer, it is uniform perturbation of two values with the retention 2·truth
    − 1.

    Formula: $\Pr[\text{yes} \mid \text{yes}] = t$, $\gamma = \frac{t}{1 - t}$; the share of yes is estimated as
        $\hat{\pi} = \frac{\lambda - (1 - t)}{2 t - 1}$ from the share $\lambda$ of yes answers
    Example:
        >>> round(warner(0.75).amplification, 9)
        3.0

    Guarantee: $\ln \frac{t}{1 - t}$-local differential privacy for one answer.
    Limits: It is for two values only. A second random answer reveals more: keep the first one.
    Cost: $O(n)$ draws for n records.
    Paper: S. L. Warner, Randomized response: a survey technique for eliminating evasive answer bias, Journal of the
        American Statistical Association, 1965.
    """
    if not 0.5 <= truth <= 1:
        raise ValueError(f"The 'truth' parameter of warner must be of 0.5 to 1. Got {truth!r} instead")
    return Uniform(2, 2 * Fraction(str(truth)) - 1)


READERS: dict[str, Callable[[Mapping[str, Any]], Operator]] = {
    "uniform": lambda stated: Uniform(int(stated["size"]), fraction(stated["retention"])),
    "matrix": lambda stated: Matrix(int(stated["size"]), np.array(stated["columns"], dtype=np.int64).T),
}


def read_operator(stated: Mapping[str, Any]) -> Operator:
    """The operator that a statement describes; ValueError or KeyError where it describes none."""
    return READERS[stated["operator"]](stated)
