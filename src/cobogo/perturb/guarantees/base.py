"""The contract of a guarantee: a promise about how values were drawn, whatever the values are.

To add one: one frozen dataclass that extends `Guarantee`, one line in `cobogo.perturb.guarantees.GUARANTEES`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from cobogo.models.check import ModelVerdict
from cobogo.models.promise import Promise
from cobogo.perturb.operators.base import Operator


@dataclass(frozen=True, eq=False)
class Exposure:
    """What a release shows of one person's value of an attribute: a draw by an operator, and perhaps more.

    ``others`` is the amplification of whatever else was drawn from the same person: other attributes, further records.
    They may all depend on the value, so amplifications multiply.
    """

    operator: Operator
    others: float = 1.0

    @property
    def amplification(self) -> float:
        """γ of all that is shown together."""
        return self.operator.amplification * self.others


@dataclass(frozen=True)
class Guarantee(Promise, ABC):
    """What is promised of a sensitive attribute, for any prior knowledge of its values."""

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

    def check(self, exposure: Exposure) -> ModelVerdict:
        """The verdict on what is shown."""
        measured = self.measure(exposure)
        return ModelVerdict(self, self.holds(measured), measured, None, 0)
