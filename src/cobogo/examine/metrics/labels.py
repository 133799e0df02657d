"""Metrics for those who want to predict a label: one column of the table that is released as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.examine.metrics.base import IdealBound, Numbers, Outcome, Scale
from cobogo.floor.catalogue import card


@card("classification")
@dataclass(frozen=True)
class Classification(IdealBound):
    r"""The share of the records whose label is not their class's most frequent one, or that are suppressed.

    The policy names the label: ``label`` under ``[recoding]``. The search then gives up what does not tell labels apart
    and keeps what does.

    Formula: $\frac{1}{N} \left( \sum_E (\lvert E\rvert - \max_y c_y(E)) + \lvert S\rvert \right)$ with $c_y(E)$ the
        records of class $E$ with label $y$
    Example: In a class of three two have the same label; one record is suppressed.
        >>> scale = Scale(records=4, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]))
        >>> node = Outcome(1, 1, 9, np.array([12]), np.array([6]), majority=2)
        >>> float(Classification().value(node, scale))
        0.5

    Guarantee: None: a metric says what was lost, not who is protected. For a sensitive label it is the opposite of
        protection.
    Limits: Guessing the majority is a poor classifier; accuracy measures better ones on the finished release.
    Cost: $O(c\,y)$ for c classes and y labels a node.
    Paper: V. S. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002.
    """

    # A step up joins classes, and the majority of the whole is no more than the majorities of its parts; suppression
    # takes a class's majority away. So any finer partition without suppression gives a bound.

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
