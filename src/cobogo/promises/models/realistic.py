"""ε-privacy against realistic adversaries: attackers with beliefs of limited stubbornness. Not differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.data.classes import Classes, Histogram
from cobogo.floor.arguments import choice, missing, number
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.promises.models.base import Model, Monotone, quotient

SLACK = 1e-12


@card(
    "realistic-epsilon-privacy",
    plain=(
        "Whether a person's record is in the table changes an attacker's belief about the person's value at most by a "
        "factor of ε, for attackers whose earlier belief rests on limited data. This is not differential privacy."
    ),
    title="ε-privacy (realistic adversaries)",
    group="attribute",
    start={"epsilon": 2.5, "stubbornness": 10, "prior": "table"},
)
@dataclass(frozen=True)
class RealisticEpsilonPrivacy(Model):
    r"""ε-privacy against realistic adversaries: with a person's record in the table, an attacker believes in each
    value at most ε times as much, and disbelieves it at most ε times less, as with the same release made without it.

    Before the release, the attacker's belief about the values of a class is a Dirichlet distribution with the
    parameters $\sigma\phi_x$. Its *stubbornness* $\sigma$ is the number of records that the belief is worth: an
    attacker who has seen few records is easily convinced by the release. Its *shape* $\phi$ is the ``prior``:
    ``table``, the shares of the whole table; ``uniform``, all values alike; ``any``, whatever shape is worst. Attackers
    with less stubbornness are covered.

    This is *not differential privacy*. ε is a ratio of beliefs, at least 1, and no exponent; nothing is drawn at
    random, releases do not compose, and attackers whose belief is more stubborn are not covered. Differential privacy
    protects from attackers of any stubbornness and shape. No generalization can: the bound $1 + \sigma/n$ grows with σ
    without limit, whatever the class.

    Formula: In a class of $n$ people, $c_x$ of whom have the value $x$: $p = \frac{c_x}{n}$ with the record and $q =
        \frac{c_x + \sigma\phi_x}{n + \sigma}$ without it; $\frac{p}{q} \le \varepsilon$ and $\frac{1-q}{1-p} \le
        \varepsilon$ for every $x$ with $c_x > 0$; with ``any``, $\phi_x \to 0$
    Example: Nobody is sure of a value in the first class; in the second, everybody is.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu", "flu", "cough", "fever"], ["flu", "flu"]])
        >>> RealisticEpsilonPrivacy("disease", epsilon=2, stubbornness=4, prior="any").measure(table).tolist()
        [2.0, inf]

    Guarantee: An attacker of at most this stubbornness, who knows everybody's quasi-identifiers and has one release,
        does not multiply the odds of any value by more than $\varepsilon^2$ because of the person's own record.
    Limits: Covered are attackers whose stubbornness is bounded, with a given shape or any. It is our reading of the
        paper that the release shows the same counts with the record and without it, and that each class has a belief of
        its own. Attackers who know other people's values are not covered: see t-corruption. Record linkage is not
        covered: combine it with k-anonymity.
    Cost: $O(v)$ for v pairs of a class and a value.
    Paper: A. Machanavajjhala, J. Gehrke and M. Götz, Data publishing against realistic adversaries, VLDB 2009. The
        closed form was derived here from the definition, and is tested against an enumeration of all tables.
    """

    attribute: str
    epsilon: float
    stubbornness: float
    prior: Literal["table", "uniform", "any"] = "table"
    missing: Literal["value"] | None = None

    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        number(self.name, "epsilon", self.epsilon, least=1)
        number(self.name, "stubbornness", self.stubbornness, above=0)
        choice(self.name, "prior", self.prior, ("table", "uniform", "any"))
        missing(self.name, self.missing)

    @property
    def monotone(self) -> Monotone:
        """The share that a value may have grows with the class, and a union's share is a mean of its parts' shares."""
        return Monotone.WITHOUT_SUPPRESSION

    @property
    def compares(self) -> bool:
        """The values of the whole table are the shape, or all values that there are."""
        return self.prior != "any"

    def measure(self, classes: Classes) -> Floats:
        """The larger of the two ratios, for the worst value of each class; 1 where nobody has a known value."""
        histogram, there = self.known_values(classes)
        many = np.maximum(there, 1)[histogram.owners].astype(float)
        counts, sigma, shape = np.minimum(histogram.counts, many), self.stubbornness, self._shape(histogram)
        # Quotients are multiplied, and never divided after multiplying, so that no stubbornness overflows.
        belief = (counts / many) * ((many + sigma) / (counts + sigma * shape))
        rest = (many - counts + sigma * (1 - shape)) / (many + sigma)
        disbelief = np.where(rest > 0, quotient(rest, (many - counts) / many), 1.0)
        return np.maximum(histogram.most(np.maximum(belief, disbelief)), 1.0)

    def _shape(self, histogram: Histogram) -> Floats:
        """The attacker's expected share of each entry's value before the release."""
        if self.prior == "any":
            return np.zeros(len(histogram.values))
        if self.prior == "uniform":
            return np.full(len(histogram.values), 1 / max(len(histogram.domain), 1))
        return np.minimum(histogram.domain.shares[histogram.values], 1.0)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most ε."""
        return measured <= self.epsilon * (1 + SLACK)
