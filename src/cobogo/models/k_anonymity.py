"""k-anonymity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cobogo.models.arguments import whole
from cobogo.models.base import Classes, Floats, Mask, Model, Monotone


@dataclass(frozen=True)
class KAnonymity(Model):
    """Every released quasi-identifier tuple is shared by at least k people (Samarati and Sweeney 1998; Sweeney 2002).

    Protects against record linkage by anyone who knows only the quasi-identifiers: confidence at most 1/k.
    Says nothing about the sensitive values inside a class: see l-diversity.
    """

    k: int

    name: ClassVar[str] = "k-anonymity"

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, least=1)

    @property
    def monotone(self) -> Monotone:
        """A class of fewer than k has only parts of fewer than k."""
        return Monotone.EVEN_WITH_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The size of each class."""
        return classes.sizes.astype(float)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At least k."""
        return measured >= self.k
