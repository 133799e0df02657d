"""What a device keeps: the budget of its reports, and what a restart must not forget.

A budget bounds what reports cost within a window of time that moves with the clock. The file holds what was spent, the
last report, and one noisy value for each of the owner's places. It also holds the true places: only its owner may read
it, and it is replaced whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

from cobogo.errors import BudgetSpent, DataError
from cobogo.floor.files import exclusive, write_private
from cobogo.floor.language import tr
from cobogo.locate.device.reports import Report, ReportArea

EXACTLY = Context(prec=60)
"""Sums of decimal texts without rounding: three times 0.1 is 0.3."""


class WindowLedger:
    """At most ``budget`` (ε per metre, or another ``unit``) within any ``window`` of so many seconds, in exact decimal
    arithmetic.

    >>> ledger = WindowLedger(0.3, window=60)
    >>> for second in (0, 1, 2):
    ...     ledger.spend(0.1, second)
    >>> ledger.amount_left(3), ledger.amount_left(60.5)
    (0.0, 0.1)
    """

    def __init__(
        self,
        budget: float,
        *,
        window: float,
        entries: Iterable[tuple[float, float]] = (),
        unit: str = tr("ε per metre"),
    ) -> None:
        for name, value in (("budget", budget), ("window", window)):
            if not 0 < value < float("inf"):
                raise ValueError(f"The {name!r} parameter of a ledger must be above 0. Got {value!r} instead")
        self.budget, self.window, self.unit = budget, window, unit
        self.resume(entries)

    def resume(self, entries: Iterable[tuple[float, float]]) -> None:
        """Replace the entries by those of a file."""
        self._entries = [(float(time), _exact(cost)) for time, cost in entries]

    def amount_spent(self, now: float) -> float:
        """What was spent in the window that ends now. Later entries count as well: setting the clock back frees
        nothing."""
        return float(self._sum_spent(now))

    def amount_left(self, now: float) -> float:
        """What may still be spent."""
        return float(max(EXACTLY.subtract(_exact(self.budget), self._sum_spent(now)), Decimal(0)))

    def allows(self, cost: float, now: float) -> bool:
        """Whether a cost is within the budget now."""
        return EXACTLY.add(self._sum_spent(now), _exact(cost)) <= _exact(self.budget)

    def spend(self, cost: float, now: float) -> None:
        """Spend a cost; raises `BudgetSpent` where it exceeds the budget, and spends nothing then."""
        if not cost >= 0:
            raise ValueError(f"The 'cost' parameter of spend must be 0 or above. Got {cost!r} instead")
        if not self.allows(cost, now):
            raise BudgetSpent(
                tr(
                    "{left:g} of {budget:g} ({unit}) is left for this window, and a report may cost {cost:g}",
                    left=self.amount_left(now),
                    budget=self.budget,
                    unit=self.unit,
                    cost=cost,
                ),
                where=tr("the device's ledger"),
                remedy=tr("Wait: what was spent more than {window:g} s ago can be spent again.", window=self.window),
            )
        self._entries = [(time, one) for time, one in self._entries if time > now - self.window]
        if cost:
            self._entries.append((float(now), _exact(cost)))

    def entries(self) -> list[tuple[float, float]]:
        """The times and costs that are kept."""
        return [(time, float(cost)) for time, cost in self._entries]

    def _sum_spent(self, now: float) -> Decimal:
        total = Decimal(0)
        for time, cost in self._entries:
            if time > now - self.window:
                total = EXACTLY.add(total, cost)
        return total


def _exact(amount: float) -> Decimal:
    """The number as it is written: 0.1 is a tenth."""
    return Decimal(repr(float(amount)))


@dataclass
class DeviceMemory:
    """A device's memory, with or without a ``file``."""

    file: Path | None = None
    entries: list[tuple[float, float]] = field(default_factory=list)
    last: Report | None = None
    places: dict[str, ReportArea] = field(default_factory=dict)
    memos: dict[str, Report] = field(default_factory=dict)

    @classmethod
    def open(cls, file: str | Path | None) -> DeviceMemory:
        """The memory of a file. A file that cannot be read is an error: without it the budget would be spent again."""
        if file is None:
            return cls()
        path = Path(file).expanduser()
        if not path.exists():
            return cls(path)
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                path,
                [(float(time), float(cost)) for time, cost in content["spent"]],
                None if content["last"] is None else Report.from_dict(content["last"]),
                {name: ReportArea(*map(float, place)) for name, place in content["places"].items()},
                {name: Report.from_dict(memo) for name, memo in content["memos"].items()},
            )
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            raise DataError(
                tr("is not the memory of a device, or is damaged"),
                where=str(path),
                remedy=tr(
                    "Restore the file: without it the device would spend its budget again, and report home a "
                    "second time "
                    "with other noise."
                ),
            ) from None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the file and read it again: two processes would spend one budget twice, and draw two values for home."""
        if self.file is None:
            yield
            return
        with exclusive(self.file):
            if self.file.exists():
                now = DeviceMemory.open(self.file)
                self.entries, self.last, self.places, self.memos = now.entries, now.last, now.places, now.memos
            yield

    def save(self) -> None:
        """Write the file, durably."""
        if self.file is None:
            return
        content: dict[str, Any] = {
            "spent": self.entries,
            "last": None if self.last is None else self.last.as_dict(),
            "places": {name: [place.lon, place.lat, place.radius] for name, place in self.places.items()},
            "memos": {name: memo.as_dict() for name, memo in self.memos.items()},
        }
        write_private(self.file, json.dumps(content))
