"""Metrics for those who want to predict a label: one column of the table that is released as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.metrics.base import IdealBound, Numbers, Outcome, Scale


@dataclass(frozen=True)
class Classification(IdealBound):
    """The share of the records whose label is not their class's most frequent one, or that are suppressed (Iyengar
    2002). The policy names the label: ``label`` under ``[recoding]``."""

    # A step up joins classes, and the majority of the whole is no more than the majorities of its parts; suppression
    # takes a class's majority away. So any finer partition without suppression gives a bound.

    name: ClassVar[str] = "classification"
    maximize: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("majority",)

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """Between 0 (each class has one label) and 1 (nothing left)."""
        return np.asarray((scale.records - outcome.majority) / max(scale.records, 1))


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
