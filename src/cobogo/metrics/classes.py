"""Metrics that look at the sizes of the equivalence classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from cobogo.metrics.base import IdealBound, Numbers, Outcome, Scale


@dataclass(frozen=True)
class Discernibility(IdealBound):
    """Each record pays the size of its class, a suppressed one the size of the table (Bayardo and Agrawal 2005)."""

    name: ClassVar[str] = "discernibility"
    maximize: ClassVar[bool] = False

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """From the number of records to its square."""
        return np.asarray(outcome.squares + outcome.suppressed * np.float64(scale.records))


@dataclass(frozen=True)
class AverageClassSize:
    """The mean size of the kept classes as a multiple of k (LeFevre, DeWitt and Ramakrishnan 2006)."""

    name: ClassVar[str] = "c_avg"
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


@dataclass(frozen=True)
class AverageEquivalenceClassSize(IdealBound):
    """All records over all classes, the suppressed ones counting as one more class."""

    name: ClassVar[str] = "aecs"
    maximize: ClassVar[bool] = False

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """From 1 to the number of records."""
        groups = outcome.classes + (np.asarray(outcome.suppressed) > 0)
        return np.asarray(scale.records / np.maximum(groups, 1))
