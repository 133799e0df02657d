"""Guarantees that compare posterior with prior: (ρ1, ρ2)-privacy, its upward half, and Δ-growth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cobogo.floor.arguments import choice, number, text
from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.promises.guarantees.base import SLACK, Exposure, Guarantee, largest_posterior
from cobogo.promises.models.check import ModelVerdict


@card(
    "rho1-rho2-privacy",
    plain=(
        "Randomized values: what was improbable about a person (at most ρ1) does not become probable "
        "(above ρ2), nor the other way round."
    ),
    title="(ρ1,ρ2)-privacy",
    group="noise",
    start={"rho1": 0.1, "rho2": 0.5},
)
@dataclass(frozen=True)
class RhoPrivacy(Guarantee):
    r"""A property with a prior probability of at most ρ1 has a posterior probability of at most ρ2, and a property with
    a prior of at least ρ2 has a posterior of at least ρ1.

    With ``prior = "any"`` this holds for every attacker. With ``prior = "table"`` it holds for an attacker who knows
    the distribution of the whole table and nothing else about a person: more values can be retained, and properties
    more frequent than ρ1 may become certain. What is measured is the largest posterior of a property with a prior of at
    most ρ1.

    Formula: $\Pr[Q] \le \rho_1 \Rightarrow \Pr[Q \mid y] \le \rho_2$ and $\Pr[Q] \ge \rho_2 \Rightarrow \Pr[Q \mid y]
        \ge \rho_1$ for every property $Q$ and released value $y$

        For any prior it is met when $\gamma \le \frac{\rho_2 (1 - \rho_1)}{\rho_1 (1 - \rho_2)}$, since posterior odds
        are at most γ times the prior odds
    Example: From 5 % to at most 50 %; uniform perturbation over ten values may keep a value with a probability of nine
        in fourteen.
        >>> from fractions import Fraction
        >>> from cobogo.promises.operators import Uniform
        >>> model = RhoPrivacy("disease", rho1=0.05, rho2=0.5)
        >>> round(model.largest_amplification, 9), round(model.measure(Exposure(Uniform(10, Fraction(9, 14)))), 9)
        (19.0, 0.5)

    Guarantee: What was improbable does not become probable, and what was probable does not become improbable, for one
        release, even if the attacker knows everybody else's values.
    Limits: Properties with a prior between ρ1 and ρ2 are not bounded. With ``prior = "table"``, an attacker who knows
        more about a person than the table's distribution is not covered. A new draw for the same people multiplies the
        odds once more.
    Cost: $O(1)$ for any prior; $O(m^2 \log m)$ for the table's prior, with m values.
    Paper: A. Evfimievski, J. Gehrke and R. Srikant, Limiting privacy breaches in privacy preserving data mining, PODS
        2003.
    """

    attribute: str
    rho1: float
    rho2: float
    prior: str = "any"

    def __post_init__(self) -> None:
        text(self.name, "attribute", self.attribute)
        number(self.name, "rho1", self.rho1, above=0)
        number(self.name, "rho2", self.rho2, above=0)
        choice(self.name, "prior", self.prior, ("any", "table"))
        if not self.rho1 < self.rho2 < 1:
            raise ValueError(f"{self.name} needs 0 < rho1 < rho2 < 1. Got {self.rho1!r} and {self.rho2!r} instead")

    @property
    def needs_prior(self) -> bool:
        """Where the prior is the table's."""
        return self.prior == "table"

    @property
    def largest_amplification(self) -> float:
        """ρ2(1 − ρ1)/(ρ1(1 − ρ2))."""
        return self.rho2 * (1 - self.rho1) / (self.rho1 * (1 - self.rho2))

    def measure(self, exposure: Exposure) -> float:
        """γρ1/(1 − ρ1 + γρ1), or what the table's own distribution leads to."""
        return self._largest_posterior(self.rho1, exposure)

    def _largest_posterior(self, prior: float, exposure: Exposure) -> float:
        """The largest posterior of any property with at most this prior."""
        if not self.needs_prior:
            return _mix_with_prior(largest_posterior(prior, exposure.amplification), prior, exposure.owned)
        if exposure.share is not None:
            worst = largest_posterior(min(1.0, prior / exposure.share), exposure.operator.amplification)
        else:
            assert exposure.prior is not None
            worst = worst_posterior(exposure.operator.matrix(), exposure.prior, prior)
        return _mix_with_prior(largest_posterior(worst, exposure.others), prior, exposure.owned)

    def holds(self, measured: float) -> bool:
        """At most ρ2."""
        return measured <= self.rho2 + SLACK

    def check(self, exposure: Exposure) -> ModelVerdict:
        """Upwards and downwards: where a property falls from ρ2 to below ρ1, its opposite rises from 1 − ρ2 to above
        1 − ρ1."""
        found = super().check(exposure)
        sinks = self._largest_posterior(1 - self.rho2, exposure) > 1 - self.rho1 + SLACK
        return ModelVerdict(self, found.satisfied and not sinks, found.measured, None, 0)


@card(
    "upward-rho1-rho2-privacy",
    plain=(
        "Randomized values: what was improbable about a person (at most ρ1) does not become probable "
        "(above ρ2); what was probable may become improbable."
    ),
    title="upward (ρ1,ρ2)-privacy",
    group="noise",
    start={"rho1": 0.1, "rho2": 0.5},
)
@dataclass(frozen=True)
class UpwardRhoPrivacy(RhoPrivacy):
    r"""A property with a prior probability of at most ρ1 has a posterior probability of at most ρ2: the first half of
    (ρ1, ρ2)-privacy.

    What was probable may become improbable or impossible: a release that narrows a person's value down to a few values
    satisfies this model, and not (ρ1, ρ2)-privacy. What is measured is the largest posterior of a property with a prior
    of at most ρ1.

    Formula: $\Pr[Q] \le \rho_1 \Rightarrow \Pr[Q \mid y] \le \rho_2$ for every property $Q$ and released value
        $y$
    Example: The release shows in which half of the values a person's value is, and nothing about which of the two
        values of that half it is.
        >>> from fractions import Fraction
        >>> from cobogo.promises.operators import Uniform
        >>> shown = Exposure(Uniform(2, Fraction(0)), share=0.5)
        >>> promises = [kind("disease", 0.3, 0.6, "table") for kind in (UpwardRhoPrivacy, RhoPrivacy)]
        >>> [promise.check(shown).satisfied for promise in promises]
        [True, False]

    Guarantee: What was improbable does not become probable, for one release, even if the attacker knows everybody
        else's values.
    Limits: Properties with a prior above ρ1 are not bounded: they may become certain or impossible. With ``prior =
        "table"``, an attacker who knows more about a person than the table's distribution is not covered.
    Cost: The same as (ρ1, ρ2)-privacy.
    Paper: A. Evfimievski, J. Gehrke and R. Srikant, Limiting privacy breaches in privacy preserving data mining, PODS
        2003, for the two halves: upward and downward breaches.
    """

    def check(self, exposure: Exposure) -> ModelVerdict:
        """Upwards alone."""
        return Guarantee.check(self, exposure)


def _mix_with_prior(posterior: float, prior: float, owned: float) -> float:
    """The posterior where the record may belong to somebody else."""
    return owned * posterior + (1 - owned) * prior


def worst_posterior(matrix: Floats, prior: Floats, rho1: float) -> float:
    """The largest posterior, over all released values, of any property with a prior of at most ρ1.

    A property is a set of values. The bound allows sets that hold parts of values as well (a fractional knapsack), so
    it is never too low.

    >>> round(worst_posterior(np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([0.1, 0.9]), 0.1), 3)
    0.5
    """
    joint = matrix * prior[None, :]
    seen = joint.sum(axis=1)
    order = np.argsort(-matrix, axis=1, kind="stable")
    mass = np.take_along_axis(joint, order, axis=1)
    weight = prior[order]
    before = np.cumsum(weight, axis=1) - weight
    taken = np.clip((rho1 - before) / np.where(weight > 0, weight, 1), 0, 1)
    found = np.divide((mass * taken).sum(axis=1), seen, out=np.zeros(len(seen)), where=seen > 0)
    return float(found.max())


@card(
    "delta-growth",
    plain="Randomized values: no belief about a person grows by more than Δ.",
    title="Δ-growth",
    group="noise",
    start={"delta": 0.3},
)
@dataclass(frozen=True)
class DeltaGrowth(Guarantee):
    r"""The posterior probability of any property exceeds its prior by at most Δ, even if the attacker knows the values
    of any other people.

    What is measured is the largest growth; where records were sampled, it is multiplied by the probability that the
    record is the person's. With ``largest-prior`` below the worst prior, only single values are protected, and only
    from attackers whose prior of each value is at most ``largest-prior``.

    Formula: $\Pr[Q \mid y] - \Pr[Q] \le \Delta$; growth is largest at the prior $\frac{1}{\sqrt{\gamma} + 1}$, where it
        is $\frac{\sqrt{\gamma} - 1}{\sqrt{\gamma} + 1}$
    Example:
        >>> largest_growth(9.0)
        0.5
        >>> round(DeltaGrowth("disease", delta=0.5).largest_amplification, 9)
        9.0

    Guarantee: No belief about a person grows by more than Δ, for any prior (or any up to ``largest-prior``), even if
        the attacker knows everybody else of the table.
    Limits: It bounds a difference, not a ratio: a probability of almost 0 may grow to Δ. How far a probability falls is
        not bounded.
    Cost: $O(1)$.
    Paper: Y. Tao, X. Xiao, J. Li and D. Zhang, On anti-corruption privacy preserving publication, ICDE 2008.
    """

    attribute: str
    delta: float
    largest_prior: float = 1.0

    def __post_init__(self) -> None:
        text(self.name, "attribute", self.attribute)
        number(self.name, "delta", self.delta, above=0)
        number(self.name, "largest-prior", self.largest_prior, above=0, most=1)
        if self.delta >= 1:
            raise ValueError(f"The 'delta' parameter of {self.name} must be below 1. Got {self.delta!r} instead")

    @property
    def largest_amplification(self) -> float:
        """The γ at which the growth is Δ, found from the closed forms."""
        free = ((1 + self.delta) / (1 - self.delta)) ** 2
        if self.largest_prior >= 1 / (math.sqrt(free) + 1):
            return free
        posterior = self.largest_prior + self.delta  # the prior is below the point of fastest growth
        if posterior >= 1:
            return math.inf
        return posterior * (1 - self.largest_prior) / (self.largest_prior * (1 - posterior))

    def measure(self, exposure: Exposure) -> float:
        """The growth at the prior where it is largest, of those allowed."""
        return exposure.owned * largest_growth(exposure.amplification, self.largest_prior)

    def holds(self, measured: float) -> bool:
        """At most Δ."""
        return measured <= self.delta + SLACK


def largest_growth(amplification: float, largest_prior: float = 1.0) -> float:
    """The largest difference of posterior and prior at an amplification.

    >>> largest_growth(9.0)
    0.5
    """
    if math.isinf(amplification):
        return 1.0
    worst = min(largest_prior, 1 / (math.sqrt(amplification) + 1))
    return largest_posterior(worst, amplification) - worst


def ownership_probability(retention: float, size: int, group: int, largest_prior: float = 1.0) -> float:
    """The largest probability that the one record published from a group of k belongs to a given person:
    (pλ + u)/(pλ + k·u) with u = (1 − p)/m.

    In the worst case the attacker knows all others of the group, and each of them has another value: each shows the
    published value with probability u, and the victim with probability at most pλ + u.
    """
    u = (1 - retention) / size
    return (retention * largest_prior + u) / (retention * largest_prior + group * u) if u else 1.0
