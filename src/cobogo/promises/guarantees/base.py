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
from cobogo.promises.operators.base import Operator

SLACK = 1e-9
"""By so much may a bound be missed through the rounding of floats."""


@dataclass(frozen=True, eq=False, repr=False)
class Exposure:
    """What a release shows of one person's value of an attribute: a draw by an operator, and perhaps more.

    ``others`` is the amplification of whatever else was drawn from the same person: other attributes, further records.
    They may all depend on the value, so amplifications multiply. ``owned`` is the largest probability that the record
    seen is the person's at all: below 1 where records were sampled. ``prior`` is the original's distribution, where it
    is known; guarantees that hold for any prior do without. ``share`` is that of the people who have one of the
    operator's values, where the release tells who they are: whoever sees that a person is one of them knows a property
    that had a prior of q with q/share at most before the draw is looked at, and rules all other values out.
    """

    operator: Operator
    others: float = 1.0
    owned: float = 1.0
    prior: Floats | None = None
    share: float | None = None

    @property
    def amplification(self) -> float:
        """γ of all that is shown together."""
        if self.share is not None and self.share < 1:
            return math.inf
        return self.operator.amplification * self.others


def raised(prior: float, amplification: float) -> float:
    """The posterior whose odds are so many times those of a prior.

    >>> round(raised(0.05, 19), 9)
    0.5
    """
    if math.isinf(amplification):
        return 1.0 if prior > 0 else 0.0
    return amplification * prior / (1 - prior + amplification * prior)


@dataclass(frozen=True)
class Guarantee(Promise, ABC):
    """What is promised of a sensitive attribute."""

    @property
    @abstractmethod
    def largest_amplification(self) -> float:
        """The largest γ of an operator that meets it, for any prior: what the retention is found by."""

    @abstractmethod
    def measure(self, exposure: Exposure) -> float:
        """What the release attains, in the guarantee's own terms."""

    @abstractmethod
    def holds(self, measured: float) -> bool:
        """Whether that is enough."""

    @property
    def needs_prior(self) -> bool:
        """Whether it holds for whoever knows the original's distribution and no more, which must be known to check."""
        return False

    @property
    def follows_from_release(self) -> bool:
        """Not where it is about the original's distribution, which its figure would tell of."""
        return not self.needs_prior

    def check(self, exposure: Exposure) -> ModelVerdict:
        """The verdict on what is shown."""
        measured = self.measure(exposure)
        return ModelVerdict(self, self.holds(measured), measured, None, 0)
