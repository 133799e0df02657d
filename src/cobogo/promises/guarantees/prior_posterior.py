"""(ρ1, ρ2)-privacy: what was unlikely does not become likely, nor the reverse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arguments import choice, number, text
from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.promises.guarantees.base import SLACK, Exposure, Guarantee, raised
from cobogo.promises.models.check import ModelVerdict


@card("rho1-rho2-privacy", title="(ρ1,ρ2)-privacy", group="noise", start={"rho1": 0.1, "rho2": 0.5})
@dataclass(frozen=True)
class RhoPrivacy(Guarantee):
    r"""No property of a value whose prior probability is at most ρ1 gets a posterior above ρ2, and none of at least ρ2
    one below ρ1.

    With ``prior = "any"`` this holds whatever is known before. With ``prior = "table"`` it holds for whoever knows the
    distribution of the whole table and nothing more of a person: more can be retained, and properties more frequent
    than ρ1 are not protected from becoming certain. Measured: the largest posterior from a prior of at most ρ1.

    Formula: $\Pr[Q] \le \rho_1 \Rightarrow \Pr[Q \mid y] \le \rho_2$ and $\Pr[Q] \ge \rho_2 \Rightarrow \Pr[Q \mid y]
        \ge \rho_1$ for every property $Q$ and released value $y$

        For any prior it is met when $\gamma \le \frac{\rho_2 (1 - \rho_1)}{\rho_1 (1 - \rho_2)}$, since posterior odds
        are at most γ times the prior odds
    Example: From 5 % to at most 50 %; uniform perturbation over ten values may keep nine in fourteen.
        >>> from fractions import Fraction
        >>> from cobogo.promises.operators.uniform import Uniform
        >>> model = RhoPrivacy("disease", rho1=0.05, rho2=0.5)
        >>> round(model.largest_amplification, 9), round(model.measure(Exposure(Uniform(10, Fraction(9, 14)))), 9)
        (19.0, 0.5)

    Guarantee: What was unlikely does not become likely, and what was likely not unlikely, for one release and whoever
        else is corrupted.
    Limits: Silent on properties between ρ1 and ρ2. With ``prior = "table"``, whoever knows more of a person
        than the table's distribution is not covered. Drawing anew for the same people multiplies the odds once more.
    Cost: $O(1)$ for any prior; $O(m^2 \log m)$ for the table's, with m values.
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
        """Of a prior that is the table's."""
        return self.prior == "table"

    @property
    def largest_amplification(self) -> float:
        """ρ2(1 − ρ1)/(ρ1(1 − ρ2))."""
        return self.rho2 * (1 - self.rho1) / (self.rho1 * (1 - self.rho2))

    def measure(self, exposure: Exposure) -> float:
        """γρ1/(1 − ρ1 + γρ1), or what the table's own distribution leads to."""
        return self._risen(self.rho1, exposure)

    def _risen(self, prior: float, exposure: Exposure) -> float:
        """The largest posterior of any property with at most this prior."""
        if not self.needs_prior:
            return _sampled(raised(prior, exposure.amplification), prior, exposure.owned)
        if exposure.share is not None:
            worst = raised(min(1.0, prior / exposure.share), exposure.operator.amplification)
        else:
            assert exposure.prior is not None
            worst = worst_posterior(exposure.operator.matrix(), exposure.prior, prior)
        return _sampled(raised(worst, exposure.others), prior, exposure.owned)

    def holds(self, measured: float) -> bool:
        """At most ρ2."""
        return measured <= self.rho2 + SLACK

    def check(self, exposure: Exposure) -> ModelVerdict:
        """Upwards and downwards: a property that sinks from ρ2 below ρ1 is one whose opposite rises from 1 − ρ2
        above 1 − ρ1."""
        found = super().check(exposure)
        sinks = self._risen(1 - self.rho2, exposure) > 1 - self.rho1 + SLACK
        return ModelVerdict(self, found.satisfied and not sinks, found.measured, None, 0)


@card("upward-rho1-rho2-privacy", title="upward (ρ1,ρ2)-privacy", group="noise", start={"rho1": 0.1, "rho2": 0.5})
@dataclass(frozen=True)
class UpwardRhoPrivacy(RhoPrivacy):
    r"""No property of a value whose prior probability is at most ρ1 gets a posterior above ρ2: the first half of
    (ρ1, ρ2)-privacy, and no more.

    What was likely may become unlikely, or be ruled out: a release that tells which few values a person's own is among
    keeps this promise, and not the whole one. Measured: the largest posterior from a prior of at most ρ1.

    Formula: $\Pr[Q] \le \rho_1 \Rightarrow \Pr[Q \mid y] \le \rho_2$ for every property $Q$ and released value
        $y$
    Example: It is told in which half of the table a person is, and nothing of which of two values there.
        >>> from fractions import Fraction
        >>> from cobogo.promises.operators.uniform import Uniform
        >>> shown = Exposure(Uniform(2, Fraction(0)), share=0.5)
        >>> promises = [kind("disease", 0.3, 0.6, "table") for kind in (UpwardRhoPrivacy, RhoPrivacy)]
        >>> [promise.check(shown).satisfied for promise in promises]
        [True, False]

    Guarantee: What was unlikely does not become likely, for one release and whoever else is corrupted.
    Limits: Silent on properties above ρ1: those may become certain or impossible. With ``prior = "table"``, whoever
        knows more of a person than the table's distribution is not covered.
    Cost: As of (ρ1, ρ2)-privacy.
    Paper: A. Evfimievski, J. Gehrke and R. Srikant, Limiting privacy breaches in privacy preserving data mining, PODS
        2003, for the two halves: upward and downward breaches.
    """

    def check(self, exposure: Exposure) -> ModelVerdict:
        """Upwards alone."""
        return Guarantee.check(self, exposure)


def _sampled(posterior: float, prior: float, owned: float) -> float:
    """The posterior where the record seen may be somebody else's."""
    return owned * posterior + (1 - owned) * prior


def worst_posterior(matrix: Floats, prior: Floats, rho1: float) -> float:
    """The largest posterior, over all released values, of any property with a prior of at most ρ1.

    A property is a set of values; the bound is of sets that may hold parts of values too (a fractional knapsack), and
    so never too low.

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
