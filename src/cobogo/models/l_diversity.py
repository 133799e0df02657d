"""l-diversity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.models.base import Classes, Floats, Mask, Monotone, Needs, whole_number


@dataclass(frozen=True)
class LDiversity:
    """Every class holds at least l distinct values of a sensitive attribute (Machanavajjhala et al. 2007).

    Protects against learning a value for certain because a whole class shares it. It does not bound the inference
    by 1/l: one value may still make up most of a class. The report states the worst inference that was measured.
    """

    attribute: str
    l: int
    kind: Literal["distinct"] = "distinct"

    name: ClassVar[str] = "l-diversity"
    needs: ClassVar[Needs] = Needs.DISTRIBUTION
    monotone: ClassVar[Monotone] = Monotone.EVEN_WITH_SUPPRESSION

    def __post_init__(self) -> None:
        whole_number("l", self.name, self.l, least=1)
        if self.kind != "distinct":
            raise ValueError(f"The 'kind' parameter of {self.name} must be 'distinct'. Got {self.kind!r} instead")

    def measure(self, classes: Classes) -> Floats:
        """The number of distinct values in each class; NULL is a value."""
        return np.diff(classes.histograms[self.attribute].offsets).astype(float)

    def holds(self, measured: Floats) -> Mask:
        """At least l values."""
        return measured >= self.l

    def worst(self, measured: Floats) -> float:
        """The least diverse class."""
        return float(measured.min())
