"""A utility metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.examine.metrics.base import IdealBound, Numbers, Outcome, Scale
from cobogo.floor.catalogue import card


@card("suppression", title="suppressed share")
@dataclass(frozen=True)
class Suppression(IdealBound):
    r"""The share of the records that are suppressed: 0 is none, 1 is all of them.

    Formula: $\frac{\lvert S\rvert}{N}$ with the suppressed records $S$
    Example:
        >>> scale = Scale(records=4, leaves=np.array([4]), heights=np.array([2]), weights=np.array([1.0]))
        >>> node = Outcome(suppressed=1, classes=2, squares=5, leaf_sums=np.array([6]), level_sums=np.array([3]))
        >>> float(Suppression().value(node, scale))
        0.25

    Guarantee: None: a metric says what was lost, not who is protected.
    Limits: Does not see how coarse the kept records are.
    Cost: $O(1)$.
    Paper: None: made up for the guide of contributors.
    """

    maximize: ClassVar[bool] = False

    def value(self, outcome: Outcome, scale: Scale) -> Numbers:
        """From 0 to 1."""
        return np.asarray(outcome.suppressed / np.float64(max(scale.records, 1)))
