"""The re-identification risk of the original and of the release, for the report."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from cobogo.data.classes import Classes
from cobogo.data.policy import Policy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.examine.risk.attackers import attackers, estimate_probabilities
from cobogo.examine.risk.population import ClassSizes, estimates, population_size
from cobogo.floor.arrays import Ints
from cobogo.promises.population import open_population
from cobogo.tell.report.content import Risk, Separation


@dataclass(frozen=True)
class Exposure:
    """The risk of the original table, and that of the release."""

    before: Risk
    after: Risk

    def as_dict(self) -> dict[str, Any]:
        """What report.json holds; figures that are None have no entry."""
        return {
            side: {key: value for key, value in asdict(risk).items() if value is not None}
            for side, risk in (("before", self.before), ("after", self.after))
        }


def measure_exposure(policy: Policy, original: Classes, released: Ints | None) -> Exposure:
    """The risk of the original's classes, and that of released classes of the given sizes; without sizes, the release
    hides no identity and has the risk of the original."""
    people = original.total
    size = _population(policy, people)
    threshold = policy.risk.threshold
    before = risk(original.sizes, threshold, people, size)
    return Exposure(before, before if released is None else risk(released, threshold, people, size))


def risk(sizes: Ints, threshold: float, people: int, population: int | None) -> Risk:
    """The risk of classes of the given sizes; with the size of the ``population``, also the estimates that need it."""
    sizes = sizes[sizes > 0]
    sample = ClassSizes.from_classes(sizes)
    probabilities, unique = None, None
    if population is not None:
        if sample.people <= people:  # otherwise some people are in several classes
            unique = estimates(sample, population)["dankar"].uniques
        probabilities = estimate_probabilities(sizes, min(sample.people, people) / population, unique)
    found = attackers(sizes, threshold, estimated=probabilities)
    return Risk(
        highest=found.prosecutor.highest,
        average=found.prosecutor.average,
        over=found.prosecutor.over_share,
        unique=sample.uniques / sample.people,
        journalist=None if found.journalist is None else found.journalist.highest,
        marketer=None if found.journalist is None else found.marketer,
        population=None if unique is None or population is None else unique / population,
    )


def separations(before: FrequencyTable, after: FrequencyTable) -> tuple[Separation, ...]:
    """The separation of each quasi-identifier, and of all together, in two tables."""
    alone = [
        Separation(
            name, separation(before.marginal(place)), separation(after.marginal(after.quasi_identifiers.index(name)))
        )
        for place, name in enumerate(before.quasi_identifiers)
        if name in after.quasi_identifiers
    ]
    alone.sort(key=lambda one: -one.before)
    return (*alone, Separation(None, separation(before.counts), separation(after.counts)))


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
    """The largest share that a sensitive value has of a class, among the people with a value."""
    whole = classes.histograms[name]
    there = np.maximum(classes.sizes - whole.unknown, 1)
    return float(np.minimum(whole.known.majorities / there, 1.0).max(initial=0.0))


INFERRED = 0.5
"""The probability above which a sensitive value is called inferred: by the report, and by attacks unless told."""

SLACK = 1e-9


def inferred(*, after: float, baseline: float, before: float = 0.0) -> bool:  # noqa: ARG001
    """Whether somebody's value is inferred: more likely right than wrong, and more likely than anybody knows.

    >>> inferred(after=0.857, baseline=0.667), inferred(after=0.9, baseline=0.9)
    (True, False)
    """
    return after > max(INFERRED, baseline) + SLACK


def baseline_inference(name: str, classes: Classes) -> float:
    """The share that the most frequent value has of all people with a value: the best guess without a class."""
    histogram = classes.histograms[name].known
    totals = np.bincount(histogram.values, histogram.counts) if len(histogram.counts) else np.zeros(1)
    return float(totals.max() / max(totals.sum(), 1.0))


def _population(policy: Policy, people: int) -> int | None:
    if policy.risk.population is not None:
        return max(open_population(policy.risk.population, policy).rows(), people)
    return population_size(policy.risk, people)
