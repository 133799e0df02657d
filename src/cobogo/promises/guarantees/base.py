"""The contract of a guarantee: a promise about how values were drawn.

To add one: one frozen dataclass that extends `Guarantee`, one line in `cobogo.promises.guarantees.GUARANTEES`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from cobogo.floor.arrays import Floats
from cobogo.promises.models.check import ModelVerdict
from cobogo.promises.models.promise import Promise
from cobogo.promises.operators import Operator

SLACK = 1e-9
"""The most by which the rounding of floats may make a figure exceed a bound that it meets."""


@dataclass(frozen=True, eq=False, repr=False)
class Exposure:
    """What a release shows of one person's value of an attribute: a draw by an operator, and perhaps more.

    ``others`` is the amplification of everything else that was drawn from the same person: other attributes, further
    records. All of it may depend on the value, so amplifications multiply. ``owned`` is the largest probability that
    the record belongs to the person; it is below 1 where records were sampled. ``prior`` is the original distribution,
    where it is known; guarantees that hold for any prior do not need it. ``share`` is the share of the people who have
    one of the operator's values, where the release reveals who they are. An attacker who sees that a person is one of
    them rules all other values out: a property with a prior of q then has a probability of at most q/share, even
    before the attacker looks at the draw.
    """

    operator: Operator
    others: float = 1.0
    owned: float = 1.0
    prior: Floats | None = None
    share: float | None = None

    @property
    def amplification(self) -> float:
        """γ of everything that is shown."""
        if self.share is not None and self.share < 1:
            return math.inf
        return self.operator.amplification * self.others


def largest_posterior(prior: float, amplification: float) -> float:
    """The posterior probability whose odds are ``amplification`` times the odds of a prior.

    >>> round(largest_posterior(0.05, 19), 9)
    0.5
    """
    if math.isinf(amplification):
        return 1.0 if prior > 0 else 0.0
    return amplification * prior / (1 - prior + amplification * prior)


@dataclass(frozen=True)
class Guarantee(Promise, ABC):
    """A promise about a sensitive attribute."""

    @property
    @abstractmethod
    def largest_amplification(self) -> float:
        """The largest γ with which an operator meets the guarantee for any prior; the retention follows from it."""

    @abstractmethod
    def measure(self, exposure: Exposure) -> float:
        """What the release attains, in the guarantee's own terms."""

    @abstractmethod
    def holds(self, measured: float) -> bool:
        """Whether that is enough."""

    @property
    def needs_prior(self) -> bool:
        """Whether it covers only attackers who know the original distribution and no more: a check needs that."""
        return False

    @property
    def follows_from_release(self) -> bool:
        """False where the figure would reveal the original distribution."""
        return not self.needs_prior

    def check(self, exposure: Exposure) -> ModelVerdict:
        """Measure an exposure and judge it."""
        measured = self.measure(exposure)
        return ModelVerdict(self, self.holds(measured), measured, None, 0)
