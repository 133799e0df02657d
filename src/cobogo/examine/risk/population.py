"""What is known about the population, and how many people are unique in it: counted or estimated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.data.policy import Policy, RiskPolicy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.errors import DataError, PolicyError
from cobogo.examine.risk.estimates import ClassSizes, UniquesEstimate, estimates
from cobogo.examine.risk.source import RiskSource
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr
from cobogo.promises.population import open_population

SEVERAL = tr("some people have records in several classes, and the estimators assume one class for each person")


@dataclass(frozen=True)
class PopulationUniques:
    """How many people are unique in the population: counted in a table of it, or estimated from its size."""

    size: int
    fraction: float  # the share of the population that is in the table
    estimates: Mapping[str, UniquesEstimate]
    counted: int | None = None  # uniques of the population
    counted_here: int | None = None  # those of them who are in the table

    @property
    def uniques(self) -> float | None:
        """The count or, without one, the estimate that Dankar's rule chooses."""
        return float(self.counted) if self.counted is not None else self.estimates["dankar"].uniques

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        shown = {
            name: {
                "uniques": found.uniques,
                "share": None if found.uniques is None else found.uniques / self.size,
                **({} if found.model is None else {"model": found.model}),
                **({} if found.why is None else {"why": found.why}),
            }
            for name, found in self.estimates.items()
        }
        counted = {} if self.counted is None else {"uniques": self.counted, "uniques_here": self.counted_here}
        return {"size": self.size, "fraction": self.fraction, **counted, "estimates": shown}


def check_population(policy: Policy, people: int) -> None:
    """Refuse early a population table that cannot be opened and a population size below the number of people."""
    if policy.risk.population is not None:
        open_population(policy.risk.population, policy)
    population_size(policy.risk, people, where=f"{policy.name}, risk.population-size")


def population_size(rules: RiskPolicy, people: int, *, where: str = "--population-size") -> int | None:
    """The population's size, as the policy gives it or its sampling fraction implies it; None without either."""
    if rules.fraction is not None:
        return max(round(people / rules.fraction), people)
    size = rules.population_size
    if size is not None and size < people:
        raise PolicyError(
            tr(
                "the population cannot be smaller than the data: {size:,} people, and {people:,} in the data",
                size=size,
                people=people,
            ),
            where=where,
            remedy=tr("Give the size of the population from which the data were drawn."),
        )
    return size


@dataclass(frozen=True, eq=False, repr=False)
class KnownPopulation:
    """What is known about the population: nothing, its size, or the sizes of its classes."""

    size: int | None = None
    fraction: float | None = None  # the share of it that is in the table
    everybody: Ints | None = None  # the population's people in each of its own classes
    here: Ints | None = None  # and in each of the table's classes


def read_population(source: RiskSource, counted: FrequencyTable, people: int, rules: RiskPolicy) -> KnownPopulation:
    """Count the population's table or, without one, take the size that the policy gives."""
    if rules.population is not None:
        both = source.with_population(counted, rules.population)
        everybody = both.populations[rules.population]
        here = everybody[both.counts > 0]  # a table's own tuples keep their order among others
        short = int(np.maximum(counted.classes().sizes - here, 0).sum())
        if short:
            raise DataError(
                tr("the population table lacks {short:,} of the people who are in the data", short=short),
                where=rules.population,
                remedy=tr("The population must contain everybody in the data, with the same spelling of every value."),
            )
        size = int(everybody.sum())
        return KnownPopulation(size, people / size, everybody, here)
    known = population_size(rules, people)
    return KnownPopulation(known, None if known is None else rules.fraction or people / known)


def uniqueness(sizes: Ints, people: int, around: KnownPopulation) -> PopulationUniques | None:
    """Count or estimate the people who are unique in the population; None where nothing is known about it."""
    if around.size is None or around.fraction is None:
        return None
    sample = ClassSizes.from_classes(sizes)
    if sample.people != people:
        found = {name: UniquesEstimate(None, SEVERAL) for name in ("zayatz", "pitman", "snb", "dankar")}
    else:
        found = estimates(sample, around.size)
    if around.everybody is None or around.here is None:
        return PopulationUniques(around.size, around.fraction, found)
    here = int((around.here == 1).sum())
    return PopulationUniques(around.size, around.fraction, found, int((around.everybody == 1).sum()), here)
