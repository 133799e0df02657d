"""Models for sensitive numbers, where close values tell as much as equal ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.models.arguments import choice, number, numeric, whole
from cobogo.models.base import Classes, Domain, Floats, Histogram, Ints, Mask, Model, Monotone, over


@dataclass(frozen=True)
class KE(Model):
    """(k,e)-anonymity: a class holds at least k distinct numbers, which span a range of at least e (Zhang, Koudas,
    Srivastava and Yu 2007). NULL is one of the distinct values and none of the range."""

    attribute: str
    k: int
    e: float

    name: ClassVar[str] = "k-e-anonymity"

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, least=1)
        number(self.name, "e", self.e, least=0)

    @property
    def monotone(self) -> Monotone:
        """Distinct values and range only grow."""
        return Monotone.EVEN_WITH_SUPPRESSION

    def fits(self, domains: Mapping[str, Domain]) -> None:
        """The attribute is numeric."""
        numeric(self.name, domains[self.attribute])

    def measure(self, classes: Classes) -> Floats:
        """The range of each class."""
        histogram = classes.histograms[self.attribute]
        values = histogram.domain.numbers[histogram.values]
        known = ~np.isnan(values)
        highest = np.full(len(classes), -np.inf)
        lowest = np.full(len(classes), np.inf)
        np.maximum.at(highest, histogram.owners[known], values[known])
        np.minimum.at(lowest, histogram.owners[known], values[known])
        return np.where(np.isfinite(highest), highest - lowest, 0.0)

    def holds(self, classes: Classes, measured: Floats) -> Mask:
        """A range of at least e and at least k distinct values."""
        wide = measured >= self.e - 1e-9 * max(1.0, abs(self.e))
        return wide & (_distinct(classes.histograms[self.attribute]) >= self.k)


def _distinct(histogram: Histogram) -> Ints:
    """The distinct numbers of each class, however they are spelled; NULL is one more."""
    _, kinds = np.unique(histogram.domain.numbers, return_inverse=True, equal_nan=True)
    width = int(kinds.max(initial=0)) + 1
    pairs = np.unique(histogram.owners * width + kinds[histogram.values])
    return np.bincount(pairs // width, minlength=len(histogram.offsets) - 1).astype(np.int64)


def _slack(numbers: Floats) -> Floats:
    """What rounding may have taken from a decimal number: 0.8 − 0.1 should be 0.7."""
    return np.asarray(1e-9 * np.maximum(1.0, np.abs(numbers)))


@dataclass(frozen=True)
class EpsilonM(Model):
    """(ε,m)-anonymity: around no value of a class, within ε, lies more than a share 1/m of it (Li, Tao and Xiao 2008).

    ``absolute``: within ε. ``relative``: within ε times the value. Not monotone: two classes that satisfy it may
    together fail. NULL is near NULL alone.
    """

    attribute: str
    epsilon: float
    m: int
    kind: Literal["absolute", "relative"] = "absolute"

    name: ClassVar[str] = "epsilon-m-anonymity"

    def __post_init__(self) -> None:
        number(self.name, "epsilon", self.epsilon, least=0)
        whole(self.name, "m", self.m, least=1)
        choice(self.name, "kind", self.kind, ("absolute", "relative"))

    def fits(self, domains: Mapping[str, Domain]) -> None:
        """The attribute is numeric."""
        numeric(self.name, domains[self.attribute])

    def measure(self, classes: Classes) -> Floats:
        """The people of each class over those in its most crowded neighbourhood: the m it reaches."""
        return over(classes.sizes, self._crowds(classes.histograms[self.attribute]))

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At least m: in whole numbers, crowd · m ≤ people."""
        return np.asarray(self._crowds(classes.histograms[self.attribute]) * self.m <= classes.sizes)

    def _crowds(self, histogram: Histogram) -> Floats:
        """The most people of a class within reach of one of its values, counted on the sorted values."""
        numbers = histogram.domain.numbers
        known = ~np.isnan(numbers[histogram.values])
        values, owners = numbers[histogram.values][known], histogram.owners[known]
        counts = histogram.counts[known]
        steps = np.unique(numbers[~np.isnan(numbers)])
        order = np.lexsort((values, owners))
        values, owners, counts = values[order], owners[order], counts[order]
        width = len(steps) + 1
        place = owners * width + np.searchsorted(steps, values)
        reach = self.epsilon * (np.abs(values) if self.kind == "relative" else 1.0) + _slack(values)
        low = np.searchsorted(place, owners * width + np.searchsorted(steps, values - reach, "left"), "left")
        high = np.searchsorted(place, owners * width + np.searchsorted(steps, values + reach, "right"), "left")
        running = np.concatenate([[0], np.cumsum(counts)])
        most = histogram.sums(np.where(known, 0.0, histogram.counts))  # NULLs are a crowd of their own
        np.maximum.at(most, owners, (running[high] - running[low]).astype(float))
        return most
