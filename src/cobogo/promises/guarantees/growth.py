"""Δ-growth: how much a belief can grow."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cobogo.floor.arguments import number, text
from cobogo.floor.catalogue import card
from cobogo.promises.guarantees.base import SLACK, Exposure, Guarantee, raised


@card("delta-growth", title="Δ-growth", group="noise", start={"delta": 0.3})
@dataclass(frozen=True)
class DeltaGrowth(Guarantee):
    r"""The posterior of any property exceeds its prior by at most Δ, whomever else the attacker has corrupted.

    Measured: the largest growth, times the probability that the record is the person's, where records were sampled.
    With ``largest-prior`` below the worst prior only single values are protected, from attackers whose prior of each is
    at most that.

    Formula: $\Pr[Q \mid y] - \Pr[Q] \le \Delta$; growth is largest at the prior $\frac{1}{\sqrt{\gamma} + 1}$, where it
        is $\frac{\sqrt{\gamma} - 1}{\sqrt{\gamma} + 1}$
    Example:
        >>> growth(9.0)
        0.5
        >>> round(DeltaGrowth("disease", delta=0.5).largest_amplification, 9)
        9.0

    Guarantee: No belief about a person grows by more than Δ, for any prior (or any up to ``largest-prior``), even if
        everybody else of the table is known.
    Limits: A bound on a difference: a probability of 0.001 may become Δ. What falls is not bounded.
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
        return exposure.owned * growth(exposure.amplification, self.largest_prior)

    def holds(self, measured: float) -> bool:
        """At most Δ."""
        return measured <= self.delta + SLACK


def growth(amplification: float, largest_prior: float = 1.0) -> float:
    """The largest difference of posterior and prior at an amplification.

    >>> growth(9.0)
    0.5
    """
    if math.isinf(amplification):
        return 1.0
    worst = min(largest_prior, 1 / (math.sqrt(amplification) + 1))
    return raised(worst, amplification) - worst


def owned(retention: float, size: int, group: int, largest_prior: float = 1.0) -> float:
    """The largest probability that the one record published of a group of k is a given person's:
    (pλ + u)/(pλ + k·u) with u = (1 − p)/m.

    The others of the group may be corrupted and have any other value, so that each shows the published one with the
    probability u; the victim with pλ + u at most.
    """
    u = (1 - retention) / size
    return (retention * largest_prior + u) / (retention * largest_prior + group * u) if u else 1.0
