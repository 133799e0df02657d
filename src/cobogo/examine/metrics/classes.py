"""Metrics that look at the sizes of the equivalence classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from cobogo.examine.metrics.base import IdealBound, Numbers, Outcome, Scale
from cobogo.floor.catalogue import card


@card("discernibility")
@dataclass(frozen=True)
class Discernibility(IdealBound):
    r"""Each record pays the size of its class, a suppressed one the size of the table.

    Formula: $\sum_E \lvert E\rvert^2 + N \cdot \lvert S\rvert$ over the kept classes $E$ and the suppressed records $S$
    Example: Classes of two and one, and one suppressed record of four.
        >>> scale = Scale(records=4, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]))
        >>> node = Outcome(suppressed=1, classes=2, squares=5, leaf_sums=np.array([6]), level_sums=np.array([3]))
        >>> float(Discernibility().value(node, scale))
        9.0

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: Looks at sizes only: how coarse the values of a class are plays no part.
    Cost: $O(c)$ for c classes.
    Paper: R. J. Bayardo and R. Agrawal, Data privacy through optimal k-anonymization, ICDE 2005.
    """

    maximize: ClassVar[bool] = False

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """From the number of records to its square."""
        return np.asarray(outcome.squares + outcome.suppressed * np.float64(scale.records))


@card("c_avg")
@dataclass(frozen=True)
class AverageClassSize:
    r"""The mean size of the kept classes as a multiple of k: 1 is as small as k-anonymity allows.

    Formula: $\frac{N - \lvert S\rvert}{c \cdot k}$ with $c$ kept classes and $\lvert S\rvert$ suppressed records
    Example:
        >>> scale = Scale(records=6, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]), k=2)
        >>> node = Outcome(suppressed=0, classes=2, squares=18, leaf_sums=np.array([12]), level_sums=np.array([6]))
        >>> float(AverageClassSize().value(node, scale))
        1.5

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: Has no value without k-anonymity. Does not count suppressed records against a release: it does not mind
        leaving out as many as the limit allows.
    Cost: $O(1)$, given the number of classes.
    Paper: K. LeFevre, D. J. DeWitt and R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006.
    """

    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """At least 1; NaN where the policy asks for no k-anonymity."""
        if scale.k is None:
            return np.full(np.shape(outcome.classes), np.nan)
        return np.asarray((scale.records - outcome.suppressed) / np.maximum(outcome.classes, 1) / scale.k)

    def bound(self, ideal: Outcome, scale: Scale, limit: int) -> Numbers:
        """As few records as the limit leaves, in as many classes as there can be."""
        return self.value(replace(ideal, suppressed=limit), scale)


@card("aecs")
@dataclass(frozen=True)
class AverageEquivalenceClassSize(IdealBound):
    r"""All records over all classes, the suppressed ones counting as one more class.

    Formula: $\frac{N}{c + [\lvert S\rvert > 0]}$ with $c$ kept classes and the suppressed records $S$
    Example:
        >>> scale = Scale(records=6, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]))
        >>> node = Outcome(suppressed=1, classes=2, squares=13, leaf_sums=np.array([12]), level_sums=np.array([6]))
        >>> float(AverageEquivalenceClassSize().value(node, scale))
        2.0

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: Looks at the number of classes only, not at how coarse their values are.
    Cost: $O(1)$, given the number of classes.
    Paper: None: as ARX reports it; after K. LeFevre, D. J. DeWitt and R. Ramakrishnan 2006.
    """

    maximize: ClassVar[bool] = False

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """From 1 to the number of records."""
        groups = outcome.classes + (np.asarray(outcome.suppressed) > 0)
        return np.asarray(scale.records / np.maximum(groups, 1))
