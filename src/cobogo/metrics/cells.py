"""Metrics that look at each released cell: how far it was generalized."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.metrics.base import IdealBound, Numbers, Outcome, Scale, Separable


@dataclass(frozen=True)
class Loss(Separable):
    """Granularity lost, per attribute the mean share of the domain under a released value, 0 to 1, combined by a
    geometric mean: ``∏(1+v)^(w/Σw) − 1``. A suppressed record has share 1."""

    name: ClassVar[str] = "loss"
    maximize: ClassVar[bool] = False

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """The logarithm of each attribute's factor."""
        shares = outcome.leaf_sums + np.multiply.outer(outcome.suppressed, scale.leaves)
        least = scale.records
        most = np.maximum(scale.leaves - 1, 1) * scale.records
        lost = np.where(scale.leaves > 1, (shares - least) / most, 0.0)
        return np.asarray(np.log1p(lost) * (scale.weights / scale.weights.sum()))

    def combined(self, total: Numbers) -> Numbers:
        """Between 0 (nothing changed) and 1 (nothing left)."""
        return np.asarray(np.expm1(total))


@dataclass(frozen=True)
class ILoss(Separable):
    """Share of the leaves that a released value stands for beyond the true one, ``(|Vg|−1)/|D_A|``, weighted over
    the attributes, averaged over the records (Xiao and Tao 2006). A suppressed cell stands for all leaves."""

    name: ClassVar[str] = "iloss"
    maximize: ClassVar[bool] = False

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """Between 0 and 1 − 1/|D_A|, by weight."""
        shares = outcome.leaf_sums + np.multiply.outer(outcome.suppressed, scale.leaves)
        lost = (shares - scale.records) / (scale.leaves * scale.records)
        return np.asarray(lost * (scale.weights / scale.weights.sum()))


@dataclass(frozen=True)
class Precision(Separable):
    """One minus the mean height to which cells were generalized, each as a share of its hierarchy's height
    (Sweeney 2002). A suppressed cell counts its full height."""

    name: ClassVar[str] = "precision"
    maximize: ClassVar[bool] = True

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """The mean share of its height that each attribute climbed, over the number of attributes."""
        heights = np.maximum(scale.heights, 1)
        climbed = outcome.level_sums + np.multiply.outer(outcome.suppressed, heights)
        return np.asarray(climbed / heights / (scale.records * len(heights)))

    def combined(self, total: Numbers) -> Numbers:
        """Between 0 and 1; 1 is the original table."""
        return np.asarray(1.0 - total)


@dataclass(frozen=True)
class Height(Separable):
    """The sum of the levels of a full-domain recoding: its distance from the bottom of the lattice."""

    name: ClassVar[str] = "height"
    maximize: ClassVar[bool] = False

    def terms(self, outcome: Outcome, scale: Scale) -> Numbers:
        """The mean level of the kept records: a whole number for a full-domain recoding."""
        kept = np.maximum(scale.records - np.asarray(outcome.suppressed), 1)
        return np.asarray(outcome.level_sums / kept[..., None])


@dataclass(frozen=True)
class Ambiguity(IdealBound):
    """The mean number of original tuples that a released record may stand for: the product over the attributes of the
    leaves under its values (Goldberger and Tassa 2010). A suppressed record may stand for any tuple."""

    name: ClassVar[str] = "ambiguity"
    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("products",)

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """From 1 (nothing changed) to the product of all domains; infinite where no number can hold it."""
        with np.errstate(over="ignore", invalid="ignore"):
            every = np.prod(scale.leaves.astype(float))
            lost = np.where(np.asarray(outcome.suppressed) > 0, outcome.suppressed * every, 0.0)
            return np.asarray((outcome.products + lost) / max(scale.records, 1))
