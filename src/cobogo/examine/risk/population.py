"""What is known of the population: who of the table is unique in it, counted or estimated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.data.policy import Policy, RiskPolicy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.errors import DataError, PolicyError, number_of
from cobogo.examine.risk.estimates import ClassSizes, UniquesEstimate, estimates
from cobogo.examine.risk.source import RiskSource
from cobogo.floor.arrays import Ints
from cobogo.promises.population import open_population

SEVERAL = "somebody has records of several classes, and the estimators take each person to be in one"


@dataclass(frozen=True)
class PopulationUniques:
    """People who are unique in the population: counted in a table of it, or estimated from its size."""

    size: int
    fraction: float  # of the population that is in the table
    estimates: Mapping[str, UniquesEstimate]
    counted: int | None = None  # in the population
    counted_here: int | None = None  # of the table's own people

    @property
    def uniques(self) -> float | None:
        """What to go by: the count, or else the estimate that Dankar's rule chooses."""
        return float(self.counted) if self.counted is not None else self.estimates["dankar"].uniques

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
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
    """Refuse early what a policy tells of the population, where that cannot be."""
    if policy.risk.population is not None:
        open_population(policy.risk.population, policy)
    population_size(policy.risk, people, where=f"{policy.name}, risk.population-size")


def population_size(asked: RiskPolicy, people: int, *, where: str = "--population-size") -> int | None:
    """How many people the population has, from what is known of it."""
    if asked.fraction is not None:
        return max(round(people / asked.fraction), people)
    size = asked.population_size
    if size is not None and size < people:
        raise PolicyError(
            f"the population has {number_of(size, 'person', 'people')}, and the data alone have {people:,}",
            where=where,
            remedy="Give the size of the population that the data were drawn from.",
        )
    return size


@dataclass(frozen=True, eq=False, repr=False)
class KnownPopulation:
    """What is known of the population: nothing, its size, or its people in every class of its own and of the table."""

    size: int | None = None
    fraction: float | None = None  # of it that is in the table
    everybody: Ints | None = None  # the people of each of the population's classes
    here: Ints | None = None  # of each of the table's


def read_population(source: RiskSource, counted: FrequencyTable, people: int, asked: RiskPolicy) -> KnownPopulation:
    """Look at the population, as far as something is told of it."""
    if asked.population is not None:
        both = source.with_population(counted, asked.population)
        everybody = both.populations[asked.population]
        here = everybody[both.counts > 0]  # a table's own tuples keep their order among others
        short = int(np.maximum(counted.classes().sizes - here, 0).sum())
        if short:
            raise DataError(
                f"the population table lacks {short:,} of the people in the data",
                where=asked.population,
                remedy="The population must hold everybody in the data, with the same spelling of every value.",
            )
        size = int(everybody.sum())
        return KnownPopulation(size, people / size, everybody, here)
    known = population_size(asked, people)
    return KnownPopulation(known, None if known is None else asked.fraction or people / known)


def uniqueness(sizes: Ints, people: int, around: KnownPopulation) -> PopulationUniques | None:
    """Of a table's classes, who is unique in the population."""
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
