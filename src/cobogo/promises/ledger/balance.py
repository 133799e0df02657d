"""What a budget allows and what is left of it, in whole units."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from cobogo.floor.language import tr
from cobogo.floor.representation import brief
from cobogo.promises.accounting import ATTO, NANO, Measure, PrivacyLoss, round_down, round_up

SYMBOLS = {"epsilon": "ε", "rho": "ρ"}


@dataclass(frozen=True)
class Units:
    """An amount of ε or ρ in billionths, and of δ in 10⁻¹⁸."""

    amount: int
    delta: int

    @classmethod
    def from_cost(cls, loss: PrivacyLoss) -> Units:
        """A cost, rounded up."""
        return cls(round_up(loss.amount, NANO), round_up(loss.delta, ATTO))

    @classmethod
    def from_limit(cls, limit: PrivacyLoss) -> Units:
        """A limit, rounded down."""
        return cls(round_down(limit.amount, NANO), round_down(limit.delta, ATTO))

    def __add__(self, other: Units) -> Units:
        return Units(self.amount + other.amount, self.delta + other.delta)

    def within(self, limit: Units) -> bool:
        """Whether nothing exceeds the limit."""
        return self.amount <= limit.amount and self.delta <= limit.delta

    def loss(self, measure: Measure) -> PrivacyLoss:
        """The same as fractions."""
        return PrivacyLoss(measure, Fraction(self.amount, NANO), Fraction(self.delta, ATTO))


@dataclass(frozen=True)
class Balance:
    """One budget: of a data set (``analyst`` is None) or of an analyst on it."""

    dataset: str
    analyst: str | None
    measure: Measure
    limit: Units
    spent: Units

    def __repr__(self) -> str:
        whose = self.dataset if self.analyst is None else f"{self.dataset}, {self.analyst}"
        spent, limit = self.spent.amount / NANO, self.limit.amount / NANO
        return brief(self, whose, f"{self.measure} {spent:g} of {limit:g} spent")

    @property
    def left(self) -> Units:
        """What may still be spent; nothing, where a limit was lowered below what had been spent."""
        return Units(max(0, self.limit.amount - self.spent.amount), max(0, self.limit.delta - self.spent.delta))

    def as_dict(self) -> dict[str, object]:
        """The content for JSON."""
        return {
            "dataset": self.dataset,
            "analyst": self.analyst,
            "measure": self.measure,
            **{
                key: {"amount": units.amount / NANO, "delta": units.delta / ATTO}
                for key, units in (("limit", self.limit), ("spent", self.spent), ("left", self.left))
            },
        }


@dataclass(frozen=True)
class Debit:
    """One entry of the ledger: a cost, and the totals after it, of the data set and of the analyst."""

    dataset: str
    number: int
    analyst: str
    analyst_number: int
    cost: Units
    total: Units
    analyst_total: Units
    question: str
    at: datetime


def amount_text(units: Units, measure: Measure) -> str:
    """An amount for people.

    >>> amount_text(Units(250_000_000, 10**12), "epsilon")
    'ε = 0.25, δ = 1e-06'
    """
    amount = tr("{symbol} = {amount:.10g}", symbol=SYMBOLS[measure], amount=units.amount / NANO)
    return tr("{amount}, δ = {delta:.6g}", amount=amount, delta=units.delta / ATTO) if units.delta else amount
