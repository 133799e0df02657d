"""Guarantees that bound how much likelier one value makes a release than another: amplification, local DP."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cobogo.floor.arguments import number, text
from cobogo.floor.catalogue import card
from cobogo.promises.guarantees.base import SLACK, Exposure, Guarantee, largest_posterior
from cobogo.promises.models.check import ModelVerdict


@card(
    "gamma-amplification",
    plain=(
        "Randomized values: no released value is more than γ times as probable from one original value as from another."
    ),
    title="γ-amplification",
    group="noise",
    start={"gamma": 5.0},
)
@dataclass(frozen=True)
class Amplification(Guarantee):
    r"""No released value is more than γ times as probable from one original value as from another.

    For any prior, the odds of any property change by a factor of at most γ. The measured ratio is that of everything
    that was drawn from one person.

    Formula: $\max_y \frac{\max_x P[y \mid x]}{\min_x P[y \mid x]} \le \gamma$
    Example:
        >>> from fractions import Fraction
        >>> from cobogo.promises.operators import Uniform
        >>> round(Amplification("disease", gamma=20).measure(Exposure(Uniform(10, Fraction(9, 14)))), 9)
        19.0

    Guarantee: The posterior odds of any property are between $1/\gamma$ and γ times the prior odds, for any prior, even
        if the attacker knows everybody else's values.
    Limits: The ratios of several attributes or records of a person multiply, and so do those of repeated draws.
    Cost: $O(m^2)$ for a matrix over m values; $O(1)$ for uniform perturbation.
    Paper: A. Evfimievski, J. Gehrke and R. Srikant, Limiting privacy breaches in privacy preserving data mining, PODS
        2003.
    """

    attribute: str
    gamma: float

    def __post_init__(self) -> None:
        text(self.name, "attribute", self.attribute)
        number(self.name, "gamma", self.gamma, least=1)

    @property
    def largest_amplification(self) -> float:
        """γ itself."""
        return float(self.gamma)

    def measure(self, exposure: Exposure) -> float:
        """γ of all draws together."""
        return exposure.amplification

    def holds(self, measured: float) -> bool:
        """At most γ."""
        return measured <= self.gamma * (1 + SLACK)


@card(
    "local-differential-privacy",
    plain=(
        "Randomized values: each person can plausibly deny any value; ε says how well. It holds even "
        "against the party that collects the data."
    ),
    title="ε-local differential privacy",
    group="noise",
    start={"epsilon": 1.0},
)
@dataclass(frozen=True)
class LocalPrivacy(Guarantee):
    r"""ε-local differential privacy: the logarithm of the amplification is at most ε.

    The measured ε is that of everything that was drawn from one person. Collecting gives this guarantee: people need
    not trust any party.

    Formula: $P[y \mid x] \le e^{\varepsilon} P[y \mid x']$ for all $y$, $x$, $x'$; so $\varepsilon = \ln \gamma$
    Example:
        >>> from fractions import Fraction
        >>> from cobogo.promises.operators import Uniform
        >>> round(LocalPrivacy("disease", epsilon=3).measure(Exposure(Uniform(10, Fraction(9, 14)))), 3)
        2.944

    Guarantee: Whatever an attacker knows beforehand, what is released about a person changes the odds of any property
        of their value by a factor of at most $e^{\varepsilon}$.
    Limits: Quasi-identifiers that are released unchanged are not protected. The ε of several draws from one person add
        up.
    Cost: $O(m^2)$ for a matrix over m values; $O(1)$ for uniform perturbation.
    Paper: S. P. Kasiviswanathan, H. K. Lee, K. Nissim, S. Raskhodnikova and A. Smith, What can we learn privately?,
        FOCS 2008. J. C. Duchi, M. I. Jordan and M. J. Wainwright, Local privacy and statistical minimax rates, FOCS
        2013.
    """

    attribute: str
    epsilon: float

    def __post_init__(self) -> None:
        text(self.name, "attribute", self.attribute)
        number(self.name, "epsilon", self.epsilon, above=0, most=700)

    @property
    def largest_amplification(self) -> float:
        """e^ε."""
        return math.exp(self.epsilon)

    def measure(self, exposure: Exposure) -> float:
        """ln γ."""
        return math.log(exposure.amplification)

    def holds(self, measured: float) -> bool:
        """At most ε."""
        return measured <= self.epsilon + SLACK


@card(
    "d-gamma-privacy",
    plain=("Randomized values: a value that had a probability of at most d gets a probability of at most γ."),
    title="(d,γ)-privacy",
    group="noise",
    start={"d": 0.1, "gamma": 0.5},
)
@dataclass(frozen=True)
class DGammaPrivacy(Guarantee):
    r"""For every value with a prior probability of at most d, the posterior is at most γ, and at least d/γ times the
    prior.

    This γ bounds a posterior: it is not an amplification. What is measured is the largest posterior.

    Formula: $\Pr[x] \le d \Rightarrow \frac{d}{\gamma} \Pr[x] \le \Pr[x \mid y] \le \gamma$; an operator meets it when
        its amplification is at most $\frac{\gamma}{d}$, which is what the smallest priors ask for
    Example:
        >>> round(DGammaPrivacy("disease", d=0.1, gamma=0.4).largest_amplification, 9)
        4.0

    Guarantee: An attacker to whom records are independent, and who believed a value with a probability of at most d,
        believes it afterwards with a probability of at most γ.
    Limits: The values of one person exclude each other, so records are not independent: over ten values, d = 0.1 and γ
        = 0.4 allow a posterior of 0.727 with the alpha-beta method. The report states this posterior.
    Cost: $O(1)$.
    Paper: V. Rastogi, D. Suciu and S. Hong, The boundary between privacy and utility in data publishing, VLDB 2007.
    """

    attribute: str
    d: float
    gamma: float

    def __post_init__(self) -> None:
        text(self.name, "attribute", self.attribute)
        number(self.name, "d", self.d, above=0)
        number(self.name, "gamma", self.gamma, above=0)
        if not self.d < self.gamma < 1:
            raise ValueError(f"{self.name} needs 0 < d < gamma < 1. Got {self.d!r} and {self.gamma!r} instead")

    @property
    def largest_amplification(self) -> float:
        """The smaller of γ(1 − d)/(d(1 − γ)), for the upper bound, and γ/d, for the lower."""
        return min(self.gamma * (1 - self.d) / (self.d * (1 - self.gamma)), self.gamma / self.d)

    def measure(self, exposure: Exposure) -> float:
        """The largest posterior from a prior of d."""
        return largest_posterior(self.d, exposure.amplification)

    def holds(self, measured: float) -> bool:
        """At most γ."""
        return measured <= self.gamma + SLACK

    def check(self, exposure: Exposure) -> ModelVerdict:
        """Check the largest posterior, and how far a probability falls."""
        return self.check_odds(exposure.amplification, exposure.amplification)

    def check_odds(self, rise: float, fall: float) -> ModelVerdict:
        """The verdict where the odds of a value grow by a factor of at most ``rise``, and its probability shrinks by a
        factor of at most ``fall``."""
        measured = largest_posterior(self.d, rise)
        stays = self.d * fall <= self.gamma * (1 + SLACK)
        return ModelVerdict(self, self.holds(measured) and stays, measured, None, 0)
