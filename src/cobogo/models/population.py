"""Models that look at the people a release was drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.models.arguments import choice, number, text, whole
from cobogo.models.base import Classes, Floats, Mask, Model, Monotone, over

SLACK = 1e-12


@dataclass(frozen=True)
class DeltaPresence(Model):
    """From the release nobody can tell, with a confidence outside ``min`` … ``max``, that a person of a public table is
    in it (Nergiz, Atzori and Clifton 2007): in every class of the public table, the share that was released lies
    between the two.

    With ``min`` above 0 no class of the public table may be suppressed or empty.
    """

    population: str
    min: float = 0.0
    max: float = 1.0

    name: ClassVar[str] = "delta-presence"
    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        text(self.name, "population", self.population)
        number(self.name, "min", self.min, least=0, most=1)
        number(self.name, "max", self.max, least=self.min, most=1)

    @property
    def monotone(self) -> Monotone:
        """A union's share is a mean of its parts' shares."""
        return Monotone.WITHOUT_SUPPRESSION

    @property
    def needs_every_class(self) -> bool:
        """An absence tells something too."""
        return self.min > 0

    def measure(self, classes: Classes) -> Floats:
        """The share of each class of the public table that is in the release."""
        return over(classes.sizes, classes.populations[self.population])

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """Between the two."""
        return (measured >= self.min - SLACK) & (measured <= self.max + SLACK)


@dataclass(frozen=True)
class KMap(Model):
    """Every released tuple matches at least k people of the population (Sweeney 2002).

    With ``population``, a table of it, they are counted. Without one, give ``population-size``: a class must then be
    so large that, were there only k such people, drawing as many of them would have a chance of at most
    ``significance``. Draws are taken to be Poisson, or Poisson given that there was one (Pannekoek 1999; El Emam and
    Dankar 2008). The second is an estimate, not a guarantee.
    """

    k: int
    population: str | None = None
    population_size: int | None = None
    significance: float = 0.05
    estimator: Literal["poisson", "zero-truncated-poisson"] = "poisson"

    name: ClassVar[str] = "k-map"

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, least=1)
        number(self.name, "significance", self.significance, above=0, most=1)
        choice(self.name, "estimator", self.estimator, ("poisson", "zero-truncated-poisson"))
        if (self.population is None) == (self.population_size is None):
            raise ValueError(f"{self.name} needs either 'population', a table, or 'population-size', a number")
        if self.population is not None:
            text(self.name, "population", self.population)
        if self.population_size is not None:
            whole(self.name, "population-size", self.population_size, least=1)

    @property
    def monotone(self) -> Monotone:
        """Matches only grow."""
        return Monotone.EVEN_WITH_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The people of the population that match each class; without a table, the people of the class itself."""
        counted = classes.sizes if self.population is None else classes.populations[self.population]
        return counted.astype(float)

    def holds(self, classes: Classes, measured: Floats) -> Mask:
        """At least k; or as many as the estimate asks for."""
        return measured >= (self.k if self.population is not None else self.least_size(classes.total))

    def least_size(self, records: int) -> int:
        """The smallest class that a sample of so many records may show.

        >>> KMap(k=20, population_size=1000).least_size(100)
        6
        """
        assert self.population_size is not None
        mean = self.k * min(records / self.population_size, 1.0)
        chance = np.exp(-mean)
        truncated = self.estimator == "zero-truncated-poisson"
        whole_chance = -np.expm1(-mean) if truncated else 1.0
        seen, size = 0.0 if truncated else chance, 0
        while 1.0 - seen / whole_chance > self.significance and size < self.k:
            size += 1
            chance *= mean / size
            seen += chance
        return min(size + 1, self.k)
