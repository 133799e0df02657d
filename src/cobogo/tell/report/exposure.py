"""The risk before and after, for the report of a release."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from cobogo.data.classes import Classes
from cobogo.data.policy import Policy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.examine.risk.attackers import attackers, estimate_probabilities
from cobogo.examine.risk.estimates import ClassSizes, estimates
from cobogo.examine.risk.population import population_size
from cobogo.floor.arrays import Ints
from cobogo.promises.population import open_population
from cobogo.tell.report.content import Risk, Telling


@dataclass(frozen=True)
class Exposure:
    """The risk of the original table, and what is left of it."""

    before: Risk
    after: Risk

    def as_dict(self) -> dict[str, Any]:
        """What report.json holds: no entry where there is nothing to say."""
        return {
            side: {key: value for key, value in asdict(risk).items() if value is not None}
            for side, risk in (("before", self.before), ("after", self.after))
        }


def measure_exposure(policy: Policy, original: Classes, released: Ints | None) -> Exposure:
    """The risk of an original, and that of the released classes of so many people each; the same, where None says that
    the release hides nobody's identity."""
    people = original.total
    size = _population(policy, people)
    threshold = policy.risk.threshold
    before = risk(original.sizes, threshold, people, size)
    return Exposure(before, before if released is None else risk(released, threshold, people, size))


def risk(sizes: Ints, threshold: float, people: int, population: int | None) -> Risk:
    """What attackers can expect of classes; where the size is known of the population that people were drawn from,
    estimates, too."""
    sizes = sizes[sizes > 0]
    sample = ClassSizes.from_classes(sizes)
    chances, unique = None, None
    if population is not None:
        if sample.people <= people:  # otherwise somebody is in several classes
            unique = estimates(sample, population)["dankar"].uniques
        chances = estimate_probabilities(sizes, min(sample.people, people) / population, unique)
    found = attackers(sizes, threshold, estimated=chances)
    return Risk(
        highest=found.prosecutor.highest,
        average=found.prosecutor.average,
        over=found.prosecutor.over_share,
        unique=sample.uniques / sample.people,
        journalist=None if found.journalist is None else found.journalist.highest,
        marketer=None if found.journalist is None else found.marketer,
        population=None if unique is None or population is None else unique / population,
    )


def telling(before: FrequencyTable, after: FrequencyTable) -> tuple[Telling, ...]:
    """How well each quasi-identifier tells records apart, and all of them do, in two tables."""
    alone = [
        Telling(
            name, separation(before.marginal(place)), separation(after.marginal(after.quasi_identifiers.index(name)))
        )
        for place, name in enumerate(before.quasi_identifiers)
        if name in after.quasi_identifiers
    ]
    alone.sort(key=lambda one: -one.before)
    return (*alone, Telling(None, separation(before.counts), separation(after.counts)))


def separation(counts: Ints) -> float:
    """The share of the pairs of records whose values differ.

    >>> import numpy as np
    >>> separation(np.array([1, 1, 2]))
    0.8333333333333334
    """
    total = float(counts.sum())
    alike = float((counts.astype(float) * (counts - 1)).sum())
    return 1 - alike / (total * (total - 1)) if total > 1 else 0.0


def worst_inference(name: str, classes: Classes) -> float:
    """The share of the likeliest sensitive value in the class where that share is largest, of those who have one."""
    whole = classes.histograms[name]
    histogram, there = whole.known, np.maximum(classes.sizes - whole.unknown, 1)
    return float(np.minimum(histogram.counts / there[histogram.owners], 1.0).max(initial=0.0))


def _population(policy: Policy, people: int) -> int | None:
    if policy.risk.population is not None:
        return max(open_population(policy.risk.population, policy).rows(), people)
    return population_size(policy.risk, people)
