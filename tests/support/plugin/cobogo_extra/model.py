"""A privacy model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.data.classes import Classes
from cobogo.floor.arguments import whole
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.promises.models.base import Model, Monotone


@card("parity", group="identity", start={"pairs": 1})
@dataclass(frozen=True)
class Parity(Model):
    r"""The people of every class can be paired off, in at least so many pairs.

    Formula: $\lvert E\rvert = 2m$ with $m \ge$ pairs, for every class $E$
    Example:
        >>> from cobogo.promises.models.example_classes import classes
        >>> Parity(pairs=1).measure(classes(disease=[["flu", "flu"], ["flu"]])).tolist()
        [1.0, 0.0]

    Guarantee: Nobody is alone in a class.
    Limits: A toy: it says nothing about sensitive values.
    Cost: $O(n)$ for n classes.
    Paper: None: made up for the guide of contributors.
    """

    pairs: int = 1

    def __post_init__(self) -> None:
        whole(self.name, "pairs", self.pairs, least=1)

    @property
    def monotone(self) -> Monotone:
        """Even numbers make an even one; an odd one spoils it."""
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The pairs of each class; 0 where somebody is left over."""
        return np.where(classes.sizes % 2 == 0, classes.sizes // 2, 0).astype(float)

    def holds(self, classes: Classes, measured: Floats) -> Mask:
        """At least so many pairs."""
        return measured >= self.pairs
