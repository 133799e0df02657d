"""The contract of a randomization operator: the probability with which each value of a domain is released as another.

An operator is a column-stochastic matrix: column x holds the probabilities of every released value y. Probabilities
are exact fractions of whole numbers wherever values are drawn; large domains never become a matrix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Source

LARGEST = 4096
"""The largest domain whose matrix is written out: 128 MiB."""


@dataclass(frozen=True, eq=False, repr=False)
class Operator(ABC):
    """Values of a domain of ``size``, as codes 0 … size − 1."""

    size: int

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """The operator as a manifest states it; `cobogo.promises.operators.matrix.read_operator` is the inverse."""

    @abstractmethod
    def sample(self, codes: Ints, source: Source) -> Ints:
        """Draw the released value of each original value, independently."""

    @abstractmethod
    def probability(self, released: Ints, original: Ints) -> Floats:
        """P[released | original], entry by entry; both are broadcast against each other."""

    @property
    @abstractmethod
    def amplification(self) -> float:
        """γ: the largest ratio of two originals' probabilities of one released value. ε of local differential privacy
        is its logarithm."""

    @abstractmethod
    def spread(self, shares: Floats) -> Floats:
        """The expected released distribution (or counts) of an original one: P·f."""

    @abstractmethod
    def inverse(self, released: Floats) -> Floats:
        """P⁻¹·o: the unbiased estimate of the original distribution (or counts) from the released one.

        It may have negative entries, and sums are right only with them.
        """

    def bounds(self) -> tuple[Floats, Floats]:
        """For each released value the least and the largest probability that any original gives it."""
        matrix = self.matrix()
        return matrix.min(axis=1), matrix.max(axis=1)

    @property
    def diagonal(self) -> Floats:
        """P[x|x]: the probability that each value is released unchanged."""
        everything = np.arange(self.size)
        return self.probability(everything, everything)

    def matrix(self) -> Floats:
        """P, written out."""
        if self.size > LARGEST:
            raise ValueError(f"a domain of {self.size:,} values is too large for a matrix")
        everything = np.arange(self.size)
        return self.probability(everything[:, None], everything[None, :])

    def expected_unchanged(self, shares: Floats) -> float:
        """The expected share of records that are released unchanged, where values have some shares."""
        return float((self.diagonal * shares).sum())

    def posterior(self, prior: Floats) -> Floats:
        """Pr[x|y] in row x, column y, for an attacker who knows the prior; 0 for a y that is never released."""
        joint = self.matrix() * prior[None, :]
        seen = joint.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(joint, seen, out=np.zeros_like(joint), where=seen > 0).T)
