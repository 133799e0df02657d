"""The budget of a device: what its reports may cost within a window of time that moves with the clock."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal

from cobogo.errors import BudgetSpent

EXACTLY = Context(prec=60)


class Ledger:
    """At most ``budget`` (of ε per metre, or of another ``unit``) within any ``window`` of so many seconds. Three times
    0.1 is 0.3, exactly.

    >>> ledger = Ledger(0.3, window=60)
    >>> for second in (0, 1, 2):
    ...     ledger.spend(0.1, second)
    >>> ledger.left(3), ledger.left(60.5)
    (0.0, 0.1)
    """

    def __init__(
        self, budget: float, *, window: float, entries: Iterable[tuple[float, float]] = (), unit: str = "ε per metre"
    ) -> None:
        for name, value in (("budget", budget), ("window", window)):
            if not 0 < value < float("inf"):
                raise ValueError(f"The {name!r} parameter of a ledger must be above 0. Got {value!r} instead")
        self.budget, self.window, self.unit = budget, window, unit
        self.resume(entries)

    def resume(self, entries: Iterable[tuple[float, float]]) -> None:
        """Go on with what was written elsewhere."""
        self._entries = [(float(time), _exact(cost)) for time, cost in entries]

    def spent(self, now: float) -> float:
        """What was spent in the window that ends now. What was spent later than now counts, too: a clock that goes back
        frees nothing."""
        return float(self._spent(now))

    def left(self, now: float) -> float:
        """What may still be spent."""
        return float(max(EXACTLY.subtract(_exact(self.budget), self._spent(now)), Decimal(0)))

    def allows(self, cost: float, now: float) -> bool:
        """Whether so much may be spent now."""
        return EXACTLY.add(self._spent(now), _exact(cost)) <= _exact(self.budget)

    def spend(self, cost: float, now: float) -> None:
        """Spend, or raise `BudgetSpent` and spend nothing."""
        if not cost >= 0:
            raise ValueError(f"The 'cost' parameter of spend must be 0 or above. Got {cost!r} instead")
        if not self.allows(cost, now):
            raise BudgetSpent(
                f"{self.left(now):g} of {self.budget:g} ({self.unit}) is left for this window, and a report may cost "
                f"{cost:g}",
                where="the device's ledger",
                remedy=f"Wait: what was spent more than {self.window:g} s ago is free again.",
            )
        self._entries = [(time, one) for time, one in self._entries if time > now - self.window]
        if cost:
            self._entries.append((float(now), _exact(cost)))

    def entries(self) -> list[tuple[float, float]]:
        """Times and costs that may still count."""
        return [(time, float(cost)) for time, cost in self._entries]

    def _spent(self, now: float) -> Decimal:
        total = Decimal(0)
        for time, cost in self._entries:
            if time > now - self.window:
                total = EXACTLY.add(total, cost)
        return total


def _exact(amount: float) -> Decimal:
    """The number as it is written: 0.1 is a tenth."""
    return Decimal(repr(float(amount)))
