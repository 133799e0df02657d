"""Re-identification risk as a criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.models.arguments import number
from cobogo.models.base import Classes, Floats, Mask, Model, Monotone, Scope

SLACK = 1e-12


@dataclass(frozen=True)
class HighestRisk(Model):
    """Nobody can be pointed at with a chance above ``max`` by who knows the quasi-identifiers and that the person is in
    the table (prosecutor risk): one over the size of the class."""

    max: float

    name: ClassVar[str] = "highest-risk"
    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        number(self.name, "max", self.max, above=0, most=1)

    @property
    def monotone(self) -> Monotone:
        """Classes only grow."""
        return Monotone.EVEN_WITH_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """One over the size of each class."""
        return 1.0 / np.maximum(classes.sizes, 1)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most ``max``."""
        return measured <= self.max + SLACK


@dataclass(frozen=True)
class AverageRisk(Model):
    """Pointing at people one after the other succeeds with a chance of at most ``max`` on average: the number of
    classes over the number of people."""

    max: float

    name: ClassVar[str] = "average-risk"
    scope: ClassVar[Scope] = Scope.TABLE
    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        number(self.name, "max", self.max, above=0, most=1)

    @property
    def monotone(self) -> Monotone:
        """Classes only become fewer; with suppression, the largest may be the ones that go."""
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """Classes over people."""
        return np.array([(classes.sizes > 0).sum() / max(int(classes.sizes.sum()), 1)])

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most ``max``."""
        return measured <= self.max + SLACK
