"""The private table, and the two ways to learn of it: counts with noise, and a choice by the exponential mechanism.

Methods of synthesis are programmes over these two. What they cost is added up exactly, and written down step by step,
so that whoever reads the manifest can add it up again. Two tables are neighbours if one has all records of one more
person; of a person at most ``max_rows`` records count.
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
"""Cells of exact counts that are kept, so that nothing is counted twice."""


class Mechanisms(Protocol):
    """Where exact figures go and noisy ones come from."""

    def noisy(self, counts: Ints, squared: int, rho: Fraction) -> tuple[Ints, float]:
        """Counts with Gaussian noise, and its scale. A person changes them by √``squared`` at most, in the L2 norm."""

    def chosen(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction) -> int:
        """The place of one score, a large one rather. A person changes each by ``sensitivity`` at most."""


class Exact:
    """Discrete noise by OpenDP, choices by whole numbers alone, both from the operating system's entropy."""

    def noisy(self, counts: Ints, squared: int, rho: Fraction) -> tuple[Ints, float]:
        """The discrete Gaussian."""
        noise = Gaussian(squared, rho)
        return np.array(noise.release(counts.tolist()), dtype=np.int64), noise.scale

    def chosen(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction) -> int:
        """The exponential mechanism."""
        return ExponentialMechanism(sensitivity, epsilon).choose(scores)


@dataclass(frozen=True, eq=False, repr=False)
class MarginalMeasurement:
    """Counts of every combination of some attributes' values, with noise of a standard deviation."""

    attributes: Attributes
    counts: NDArray[Any]
    deviation: float
    summed: Ints | None = None  # for each count, of how many it is the sum; each of them has noise

    def merged(self, codes: Ints) -> MarginalMeasurement:
        """The same, of one attribute, with some values taken for one."""
        width = int(codes.max()) + 1
        counts = np.bincount(codes, weights=self.counts, minlength=width)
        return MarginalMeasurement(self.attributes, counts, self.deviation, np.bincount(codes, minlength=width))


@dataclass(frozen=True)
class PaidStep:
    """One use of a mechanism: all that its cost follows from."""

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
class Private:
    """The rows of a table as codes of declared values, and a budget to learn of them."""

    sizes: tuple[int, ...]
    codes: tuple[NDArray[np.int32], ...]
    rho: Fraction
    max_rows: int = 1
    mechanisms: Mechanisms = field(default_factory=Exact)
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
        """How many combinations of values there are: of the domain, not of the table."""
        return math.prod(self.sizes[place] for place in attributes)

    def merge(self, maps: Sequence[Ints]) -> None:
        """Take some values of each attribute for one: a map from codes to fewer. Each record still has one of each."""
        self.sizes = tuple(int(codes.max()) + 1 for codes in maps)
        self.codes = tuple(codes[own].astype(np.int32) for codes, own in zip(maps, self.codes, strict=True))
        self._known, self._cells = {}, 0

    def measure(self, attributes: Attributes, rho: Fraction) -> MarginalMeasurement:
        """How many records have each combination of values, with noise that costs ρ."""
        self._spend(rho)
        squared = self.max_rows**2
        noisy, scale = self.mechanisms.noisy(self.counts(attributes), squared, rho)
        self.steps.append(PaidStep("gaussian", attributes, rho, scale=scale, sensitivity=squared))
        return MarginalMeasurement(attributes, noisy, scale)

    def choose(
        self, candidates: Sequence[Attributes], score: Callable[[Attributes, Private], int], change: int, rho: Fraction
    ) -> Attributes:
        """One of several sets of attributes, a good one rather, at a cost of ρ.

        One record more or less changes a ``score`` by ``change`` at most; a person has several records.
        """
        self._spend(rho)
        epsilon, sensitivity = selection_epsilon(rho), change * self.max_rows
        scores = [score(candidate, self) for candidate in candidates]
        chosen = candidates[self.mechanisms.chosen(scores, sensitivity, epsilon)]
        self.steps.append(
            PaidStep(
                "exponential", chosen, rho, epsilon=epsilon, sensitivity=sensitivity, candidates=len(candidates)
            )
        )  # fmt: skip
        return chosen

    def counts(self, attributes: Attributes) -> Ints:
        """The exact counts: for mechanisms, and for scores on the way to one. Never released."""
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
    """How many records there are: the sums of the measurements, each by how little noise it has."""
    weights = np.array([1 / (len(m.counts) * m.deviation**2) for m in measured])
    sums = np.array([float(m.counts.sum()) for m in measured])
    return max(1.0, float((weights * sums).sum() / weights.sum()))


def nonnegative(counts: NDArray[Any], records: float) -> Floats:
    """The nearest counts, none below 0, that sum to a number of records.

    >>> nonnegative(np.array([6.0, -2.0, 2.0]), 4.0).tolist()
    [4.0, 0.0, 0.0]
    """
    falling = np.sort(counts)[::-1].astype(np.float64)
    excess = (np.cumsum(falling) - records) / np.arange(1, len(falling) + 1)
    level = excess[np.flatnonzero(falling > excess)[-1]]
    found: Floats = np.maximum(counts - level, 0.0)
    return found


def apart(private: Private, attributes: Attributes, expected: NDArray[Any]) -> int:
    """How far the counts are from those expected, in the L1 norm: one record more or less changes it by 1 at most.

    What is expected is rounded first, so that the distance is a whole number and nothing of it is lost.
    """
    rounded = np.rint(expected).astype(np.int64)
    return int(np.abs(private.counts(attributes) - rounded.ravel()).sum())


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """What a method leaves: about how many records there are, and a way to draw some."""

    records: float
    draw: Callable[[int, Source], list[Ints]]
