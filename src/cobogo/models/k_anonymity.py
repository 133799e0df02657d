"""k-anonymity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cobogo.models.base import Classes, Floats, Mask, Monotone, Needs, whole_number


@dataclass(frozen=True)
class KAnonymity:
    """Every released quasi-identifier tuple is shared by at least k records (Samarati and Sweeney 1998; Sweeney 2002).

    Protects against record linkage by anyone who knows only the quasi-identifiers: confidence at most 1/k.
    Says nothing about the sensitive values inside a class: see l-diversity.
    """

    k: int

    name: ClassVar[str] = "k-anonymity"
    needs: ClassVar[Needs] = Needs.SIZES
    monotone: ClassVar[Monotone] = Monotone.EVEN_WITH_SUPPRESSION

    def __post_init__(self) -> None:
        whole_number("k", self.name, self.k, least=1)

    def measure(self, classes: Classes) -> Floats:
        """The size of each class."""
        return classes.sizes.astype(float)

    def holds(self, measured: Floats) -> Mask:
        """At least k records."""
        return measured >= self.k

    def worst(self, measured: Floats) -> float:
        """The smallest class."""
        return float(measured.min())
