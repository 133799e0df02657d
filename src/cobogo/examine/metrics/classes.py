"""Metrics that look at the equivalence classes: their sizes, and how well a label can be predicted within them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from cobogo.examine.metrics.base import Bracketed, Floor, Numbers, Outcome, Scale
from cobogo.floor.catalogue import card


@card(
    "discernibility",
    plain=("Each record counts with the size of its class, a suppressed record with the size of the table."),
)
@dataclass(frozen=True)
class Discernibility(Bracketed):
    r"""Each record costs the size of its class, a suppressed record the size of the table.

    Formula: $\sum_E \lvert E\rvert^2 + N \cdot \lvert S\rvert$ over the kept classes $E$ and the suppressed records $S$
    Example: Two classes of two records and one, and one suppressed record, of four.
        >>> scale = Scale(records=4, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]))
        >>> node = Outcome(suppressed=1, classes=2, squares=5, leaf_sums=np.array([6]), level_sums=np.array([3]))
        >>> float(Discernibility().value(node, scale))
        9.0

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: It looks at sizes only, not at how coarse the values of a class are.
    Cost: $O(c)$ for c classes.
    Paper: R. J. Bayardo and R. Agrawal, Data privacy through optimal k-anonymization, ICDE 2005.
    """

    maximize: ClassVar[bool] = False

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """From the number of records to its square."""
        return np.asarray(outcome.squares + outcome.suppressed * np.float64(scale.records))

    def surplus(self, floor: Floor, scale: Scale, limit: int) -> float:  # noqa: ARG002
        """A doomed record costs the size of the table instead of that of its class."""
        return float(floor.suppressed * scale.records - floor.squares)


@card("c_avg", plain="The average class size as a multiple of k: 1 is the least that k allows.")
@dataclass(frozen=True)
class AverageClassSize(Bracketed):
    r"""The mean size of the released classes as a multiple of k: 1 is as small as k-anonymity allows.

    Formula: $\frac{N - \lvert S\rvert}{c \cdot k}$ with $c$ kept classes and $\lvert S\rvert$ suppressed records
    Example:
        >>> scale = Scale(records=6, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]), k=2)
        >>> node = Outcome(suppressed=0, classes=2, squares=18, leaf_sums=np.array([12]), level_sums=np.array([6]))
        >>> float(AverageClassSize().value(node, scale))
        1.5

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: It has no value without k-anonymity. It does not count suppressed records against a release, so it accepts
        as many of them as the limit allows.
    Cost: $O(1)$, given the number of classes.
    Paper: K. LeFevre, D. J. DeWitt and R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006.
    """

    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()
    counts_alone: ClassVar[bool] = True

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """At least 1; NaN where the policy asks for no k-anonymity."""
        if scale.k is None:
            return np.full(np.shape(outcome.classes), np.nan)
        return np.asarray((scale.records - outcome.suppressed) / np.maximum(outcome.classes, 1) / scale.k)

    def bound(self, ideal: Outcome, scale: Scale, limit: int) -> Numbers:
        """As few records as the limit leaves, in as many classes as there can be. To suppress a class of s < k records
        is no gain: it takes s records and s / k of a class."""
        return self.value(replace(ideal, suppressed=0 if scale.small_only else limit), scale)

    def measure(self, value: Numbers, scale: Scale) -> Numbers:  # noqa: ARG002
        r"""$-\frac{R}{N - R}$ for a value of $N / R$: k times the classes that there can be, over what is left."""
        with np.errstate(divide="ignore"):
            return np.asarray(-1.0 / np.maximum(np.asarray(value) - 1.0, 0.0))

    def value_of(self, measure: float, scale: Scale) -> float:  # noqa: ARG002
        """The inverse of `measure`."""
        return 1.0 - 1.0 / measure if measure < 0 else math.inf

    def surplus(self, floor: Floor, scale: Scale, limit: int) -> Numbers:  # noqa: ARG002
        r"""Where d records of the R are doomed, the value is $\frac{N - d}{R - d} = 1 + \frac{N - R}{R - d}$, so that
        the measure grows by $\frac{d}{N - R}$, and by $\frac{d}{N}$ at least."""
        return np.asarray(floor.classes * (scale.k or 1) / max(scale.records, 1))


@card("aecs", plain="Records per class; the suppressed records count as one class.")
@dataclass(frozen=True)
class AverageEquivalenceClassSize(Bracketed):
    r"""The number of records over the number of classes; the suppressed records count as one more class.

    Formula: $\frac{N}{c + [\lvert S\rvert > 0]}$ with $c$ kept classes and the suppressed records $S$
    Example:
        >>> scale = Scale(records=6, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]))
        >>> node = Outcome(suppressed=1, classes=2, squares=13, leaf_sums=np.array([12]), level_sums=np.array([6]))
        >>> float(AverageEquivalenceClassSize().value(node, scale))
        2.0

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: It looks at the number of classes only, not at how coarse their values are.
    Cost: $O(1)$, given the number of classes.
    Paper: None: as ARX reports it; after K. LeFevre, D. J. DeWitt and R. Ramakrishnan 2006.
    """

    maximize: ClassVar[bool] = False
    counts_alone: ClassVar[bool] = True

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """From 1 to the number of records."""
        groups = outcome.classes + (np.asarray(outcome.suppressed) > 0)
        return np.asarray(scale.records / np.maximum(groups, 1))

    def bound(self, ideal: Outcome, scale: Scale, limit: int) -> Numbers:
        """As many classes as there can be, and that of the suppressed records where some may be."""
        return np.asarray(scale.records / np.maximum(ideal.classes + (limit > 0), 1))

    def measure(self, value: Numbers, scale: Scale) -> Numbers:
        """The number of classes, negated."""
        return np.asarray(-scale.records / value)

    def value_of(self, measure: float, scale: Scale) -> float:
        """Records per class."""
        return -scale.records / measure if measure < 0 else math.inf

    def surplus(self, floor: Floor, scale: Scale, limit: int) -> Numbers:  # noqa: ARG002
        """The classes that the doomed records could have made."""
        return np.asarray(floor.classes)


@card(
    "classification",
    plain=("The share of the records whose label is not the most frequent one of their class, or that are suppressed."),
)
@dataclass(frozen=True)
class Classification(Bracketed):
    r"""The share of the records whose label is not the most frequent label of their class, or that are suppressed.

    The policy names the label: ``label`` under ``[recoding]``. The search then keeps the detail that separates labels,
    and gives up the rest.

    Formula: $\frac{1}{N} \left( \sum_E (\lvert E\rvert - \max_y c_y(E)) + \lvert S\rvert \right)$ with $c_y(E)$ the
        records of class $E$ with label $y$
    Example: In a class of three records, two have the same label; one record is suppressed.
        >>> scale = Scale(records=4, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]))
        >>> node = Outcome(1, 1, 9, np.array([12]), np.array([6]), majority=2)
        >>> float(Classification().value(node, scale))
        0.5

    Guarantee: None: a metric says what was lost, not who is protected. If the label is sensitive, a good value is the
        opposite of protection.
    Limits: A classifier that guesses the majority is poor; accuracy measures better classifiers on the finished
        release.
    Cost: $O(c\,y)$ for each node, with c classes and y labels.
    Paper: V. S. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002.
    """

    # A step up joins classes, and the majority of the whole is no more than the majorities of its parts; suppression
    # takes a class's majority away. So any finer partition without suppression gives a bound.

    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("majority",)
    counts_alone: ClassVar[bool] = True

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """Between 0 (each class has one label) and 1 (nothing left)."""
        return np.asarray((scale.records - outcome.majority) / max(scale.records, 1))

    def surplus(self, floor: Floor, scale: Scale, limit: int) -> Numbers:  # noqa: ARG002
        """A doomed record does not count for the majority of its class."""
        return np.asarray(floor.majority / max(scale.records, 1))


def information_gain(children: Sequence[Sequence[int]]) -> float:
    """What a specialization says about a label, in bits: the entropy before it less the mean entropy after.

    ``children`` holds, for each more special value, how many records have each label.

    >>> information_gain([[4, 0], [0, 4]]), information_gain([[2, 2], [2, 2]])
    (1.0, 0.0)
    """
    counts = np.asarray(children, dtype=float)
    sizes = counts.sum(axis=1)
    total = sizes.sum()
    if not total:
        return 0.0
    after = sum(float(size) * _entropy(row) for size, row in zip(sizes, counts, strict=True))
    return max(_entropy(counts.sum(axis=0)) - after / float(total), 0.0)


def igpl(children: Sequence[Sequence[int]], *, smallest_before: int, smallest_after: int) -> float:
    """The worth of a specialization: ``IG / (PL + 1)``, information gained on the label over privacy lost (Fung, Wang
    and Yu 2005). The privacy lost is by how much the smallest class shrinks.

    >>> igpl([[4, 0], [0, 4]], smallest_before=8, smallest_after=4)
    0.2
    >>> igpl([[4, 0], [0, 4]], smallest_before=4, smallest_after=4)       # for free
    1.0
    """
    return information_gain(children) / (max(smallest_before - smallest_after, 0) + 1)


def _entropy(counts: Numbers) -> float:
    """In bits."""
    present = counts[counts > 0]
    shares = present / present.sum()
    return float(-(shares * np.log2(shares)).sum()) if len(present) else 0.0
