"""The private table, and the two ways to learn from it: counts with noise, and a choice by the exponential mechanism.

Methods of synthesis are programs over these two. Their cost is added up exactly and recorded step by step, so that a
reader of the manifest can add it up again. Two tables are neighbours if one has all records of one more person; at most
``max_rows`` records of a person count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Source
from cobogo.promises.accounting import selection_epsilon
from cobogo.promises.mechanisms import ExponentialMechanism, Gaussian

Attributes = tuple[int, ...]
"""Places of attributes, ascending."""

KEPT_CELLS = 20_000_000
"""Cells of exact counts that are cached (160 MB), so that marginals are not counted again in every round."""


class Mechanisms(Protocol):
    """The mechanisms that exact figures pass through."""

    def add_noise(self, counts: Ints, squared: int, rho: Fraction) -> tuple[Ints, float]:
        """Add Gaussian noise to counts; return them and its scale. ``squared``: their squared L2 sensitivity."""

    def choose(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction) -> int:
        """Choose the index of a score, with preference for large ones. A person changes each by ``sensitivity``."""


class ExactMechanisms:
    """Discrete noise and choices, both exact and from the operating system's entropy."""

    def add_noise(self, counts: Ints, squared: int, rho: Fraction) -> tuple[Ints, float]:
        """The discrete Gaussian."""
        noise = Gaussian(squared, rho)
        return np.array(noise.release(counts.tolist()), dtype=np.int64), noise.scale

    def choose(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction) -> int:
        """The exponential mechanism."""
        return ExponentialMechanism(sensitivity, epsilon).choose(scores)


@dataclass(frozen=True, eq=False, repr=False)
class MarginalMeasurement:
    """Noisy counts of every combination of some attributes' values, and the standard deviation of the noise."""

    attributes: Attributes
    counts: NDArray[Any]
    deviation: float
    summed: Ints | None = None  # for each count, how many noisy counts it is the sum of

    def merge(self, codes: Ints) -> MarginalMeasurement:
        """Merge some values of a measurement of one attribute."""
        width = int(codes.max()) + 1
        counts = np.bincount(codes, weights=self.counts, minlength=width)
        return MarginalMeasurement(self.attributes, counts, self.deviation, np.bincount(codes, minlength=width))


@dataclass(frozen=True)
class PaidStep:
    """One use of a mechanism, with everything that its cost follows from."""

    mechanism: str  # gaussian, exponential
    attributes: Attributes  # measured, or chosen
    rho: Fraction  # what was allowed for it
    scale: float | None = None
    epsilon: Fraction | None = None
    sensitivity: int = 1  # of a Gaussian the square of that in the L2 norm
    candidates: int = 0

    @property
    def cost(self) -> Fraction:
        """ρ as it follows from the scale, or from ε."""
        if self.mechanism == "exponential":
            assert self.epsilon is not None
            return self.epsilon**2 / 8
        assert self.scale is not None
        return self.sensitivity / (2 * Fraction(self.scale) ** 2)


@dataclass(eq=False, repr=False)
class PrivateTable:
    """The rows of a table as codes of declared values, and a budget to learn from them."""

    sizes: tuple[int, ...]
    codes: tuple[NDArray[np.int32], ...]
    rho: Fraction
    max_rows: int = 1
    mechanisms: Mechanisms = field(default_factory=ExactMechanisms)
    steps: list[PaidStep] = field(default_factory=list)
    spent: Fraction = Fraction(0)
    _known: dict[Attributes, Ints] = field(default_factory=dict)
    _cells: int = 0

    @property
    def left(self) -> Fraction:
        """What may still be spent."""
        return self.rho - self.spent

    @property
    def every(self) -> Attributes:
        """All attributes."""
        return tuple(range(len(self.sizes)))

    def cells(self, attributes: Attributes) -> int:
        """The number of combinations of values in the domain."""
        return math.prod(self.sizes[place] for place in attributes)

    def merge(self, maps: Sequence[Ints]) -> None:
        """Merge values of each attribute by a map from codes to fewer codes."""
        self.sizes = tuple(int(codes.max()) + 1 for codes in maps)
        self.codes = tuple(codes[own].astype(np.int32) for codes, own in zip(maps, self.codes, strict=True))
        self._known, self._cells = {}, 0

    def measure(self, attributes: Attributes, rho: Fraction) -> MarginalMeasurement:
        """Count the records with each combination of values, with noise that costs ρ."""
        self._spend(rho)
        squared = self.max_rows**2
        noisy, scale = self.mechanisms.add_noise(self.counts(attributes), squared, rho)
        self.steps.append(PaidStep("gaussian", attributes, rho, scale=scale, sensitivity=squared))
        return MarginalMeasurement(attributes, noisy, scale)

    def choose(
        self,
        candidates: Sequence[Attributes],
        score: Callable[[Attributes, PrivateTable], int],
        change: int,
        rho: Fraction,
    ) -> Attributes:
        """Choose one of several sets of attributes, with preference for a high score, at a cost of ρ.

        One record more or less changes a ``score`` by at most ``change``; a person has up to ``max_rows`` records.
        """
        self._spend(rho)
        epsilon, sensitivity = selection_epsilon(rho), change * self.max_rows
        scores = [score(candidate, self) for candidate in candidates]
        chosen = candidates[self.mechanisms.choose(scores, sensitivity, epsilon)]
        self.steps.append(
            PaidStep(
                "exponential", chosen, rho, epsilon=epsilon, sensitivity=sensitivity, candidates=len(candidates)
            )
        )  # fmt: skip
        return chosen

    def counts(self, attributes: Attributes) -> Ints:
        """The exact counts, for mechanisms and for the scores that go into one. They are never released."""
        if attributes in self._known:
            return self._known[attributes]
        place = np.zeros(len(self.codes[0]) if self.codes else 0, dtype=np.int64)
        for attribute in attributes:
            place = place * self.sizes[attribute] + self.codes[attribute]
        found = np.bincount(place, minlength=self.cells(attributes)).astype(np.int64)
        if self._cells + len(found) <= KEPT_CELLS:
            self._known[attributes] = found
            self._cells += len(found)
        return found

    def _spend(self, rho: Fraction) -> None:
        if rho <= 0 or self.spent + rho > self.rho:
            raise AssertionError(f"a step would cost {rho} of {self.left}")
        self.spent += rho


def total(measured: Sequence[MarginalMeasurement]) -> float:
    """Estimate the number of records: the mean of the measurements' sums, weighted by precision."""
    weights = np.array([1 / (len(m.counts) * m.deviation**2) for m in measured])
    sums = np.array([float(m.counts.sum()) for m in measured])
    return max(1.0, float((weights * sums).sum() / weights.sum()))


def nonnegative(counts: NDArray[Any], records: float) -> Floats:
    """Project counts on the nearest nonnegative ones that sum to a number of records.

    >>> nonnegative(np.array([6.0, -2.0, 2.0]), 4.0).tolist()
    [4.0, 0.0, 0.0]
    """
    falling = np.sort(counts)[::-1].astype(np.float64)
    excess = (np.cumsum(falling) - records) / np.arange(1, len(falling) + 1)
    level = excess[np.flatnonzero(falling > excess)[-1]]
    found: Floats = np.maximum(counts - level, 0.0)
    return found


def distance(private: PrivateTable, attributes: Attributes, expected: NDArray[Any]) -> int:
    """The L1 distance of the counts from those expected: one record more or less changes it by at most 1.

    Expected counts are rounded first, so that the distance is an exact integer.
    """
    rounded = np.rint(expected).astype(np.int64)
    return int(np.abs(private.counts(attributes) - rounded.ravel()).sum())


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """A fitted method: the estimated number of records, and a function that draws some."""

    records: float
    draw: Callable[[int, Source], list[Ints]]
