"""Models that compare a release with the population that it was drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.data.classes import Classes
from cobogo.floor.arguments import choice, number, text, whole
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.promises.models.base import Model, Monotone, quotient

SLACK = 1e-12


@card(
    "delta-presence",
    plain=(
        "An attacker cannot tell whether a person of a public list is in the table. For tables in which "
        "being listed is the secret, such as the patients of a clinic."
    ),
    title="δ-presence",
    group="identity",
    start={"population": "population.csv", "min": 0.0, "max": 0.5},
)
@dataclass(frozen=True)
class DeltaPresence(Model):
    r"""For each person of a public table, the probability that they are in the release lies between ``min`` and
    ``max``.

    In every class of the public table, the share of people who were released lies between the two bounds. With ``min``
    above 0, no class of the public table may be suppressed or empty, because an absence is informative too.

    Formula: $\delta_{\min} \le \frac{\lvert T_E\rvert}{\lvert P_E\rvert} \le \delta_{\max}$ for every class $E$ of the
        public table $P \supseteq T$
    Example: Four of five people of one class were released, and three of four people of another.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu"] * 4, ["flu"] * 3], populations={"census.csv": [5, 4]})
        >>> DeltaPresence("census.csv", max=0.8).measure(table).tolist()
        [0.8, 0.75]

    Guarantee: Against table linkage: an attacker who has the public table believes that a given person of it is in the
        release with a probability of at least ``min`` and at most ``max``.
    Limits: It holds for this public table and these quasi-identifiers only. It needs a global recoding, and
        verification needs the population again. Sensitive values are not protected.
    Cost: $O(n + p)$ once, for n distinct tuples of the table and p of the population; then $O(c)$ for c classes.
    Paper: M. E. Nergiz, M. Atzori and C. Clifton, Hiding the presence of individuals from shared databases, SIGMOD
        2007.
    """

    population: str
    min: float = 0.0
    max: float = 1.0

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
        return quotient(classes.sizes, classes.populations[self.population])

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """Between the two."""
        return (measured >= self.min - SLACK) & (measured <= self.max + SLACK)


@card(
    "k-map",
    plain=(
        "Everybody looks like at least k people of the population from which the table was drawn. Milder "
        "than k-anonymity; right for samples, if attackers do not know who was drawn."
    ),
    group="identity",
    start={"k": 5, "population-size": 1000000},
)
@dataclass(frozen=True)
class KMap(Model):
    r"""Every released combination of quasi-identifiers matches at least k people of the population; the table itself
    may be a small sample of it.

    With ``population``, a table of the population, the people who match are counted. Without such a table, give
    ``population-size``, and the size of each class is tested. A class passes if a sample would contain so many of its
    people with a probability of at most ``significance``, were there only k of them in the population. Draws are
    assumed to be Poisson, or Poisson given that there was one.

    Formula: $\lvert P_E\rvert \ge k$ for every released class $E$, with $P_E$ the people of the population that match
        it; without a table, $\Pr[X \ge \lvert E\rvert] \le \alpha$ for $X \sim \mathrm{Poisson}(k\,n/N)$, or $\lvert
        E\rvert \ge k$
    Example: A class has one record, and 25 people of the population match it.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu"]], populations={"census.csv": [25]})
        >>> KMap(k=20, population="census.csv").measure(table).tolist()
        [25.0]
        >>> KMap(k=20, population_size=1000).least_size(100)
        6

    Guarantee: Against record linkage: an attacker who does not know that the person is in the table finds the person
        with a probability of at most $1/k$. Without a population table this is an estimate, not a guarantee.
    Limits: An attacker who knows that the person is in the table is not covered: see k-anonymity. The model needs a
        global recoding.
    Cost: $O(n + p)$ with a population of p distinct tuples; $O(n + k)$ without.
    Paper: L. Sweeney, k-anonymity: a model for protecting privacy, 2002. The estimate: J. Pannekoek, Statistical
        methods for some simple disclosure limitation rules, 1999; K. El Emam and F. K. Dankar, Protecting privacy using
        k-anonymity, 2008.
    """

    k: int
    population: str | None = None
    population_size: int | None = None
    significance: float = 0.05
    estimator: Literal["poisson", "zero-truncated-poisson"] = "poisson"

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
        """The size that a class must have in a sample of so many records.

        >>> KMap(k=20, population_size=1000).least_size(100)
        6
        """
        assert self.population_size is not None
        mean = self.k * min(records / self.population_size, 1.0)
        probability = np.exp(-mean)
        truncated = self.estimator == "zero-truncated-poisson"
        total = -np.expm1(-mean) if truncated else 1.0
        cumulated, size = 0.0 if truncated else probability, 0
        while 1.0 - cumulated / total > self.significance and size < self.k:
            size += 1
            probability *= mean / size
            cumulated += probability
        return min(size + 1, self.k)
