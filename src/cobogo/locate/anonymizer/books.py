"""The anonymizer's books: what each person's reports cost within a window of time. They hold no position.

A cost is checked and written in one transaction, so that two requests at once cannot overspend a budget, and a restart
does not forget it.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from cobogo.errors import LedgerError
from cobogo.floor.language import tr
from cobogo.floor.store import Store, create_book, parse_place
from cobogo.locate.device.memory import WindowLedger

PATIENCE = 10
"""Seconds that one writer waits for another."""


class WindowBooks:
    """Budgets of all people who report with noise: each has ``budget`` (ε per metre) within ``window`` seconds."""

    def __init__(self, budget: float, *, window: float, file: str | Path | None = None) -> None:
        self.empty = WindowLedger(budget, window=window)
        self._kept: dict[str, list[tuple[float, float]]] = {}
        self._store: Store | None = None
        if file is not None:
            self._open(Path(file).expanduser())

    def spend(self, user: str, cost: float, now: float) -> None:
        """Write down a cost before the report goes out. Raises `BudgetSpent`."""
        if self._store is None:
            ledger = self._ledger(self._kept.get(user, []))
            ledger.spend(cost, now)
            self._kept[user] = ledger.entries()
            return
        from sqlalchemy import text

        with self._store.transaction() as connection:
            ledger = self._ledger(self._read(connection, user))
            ledger.spend(cost, now)
            connection.execute(
                text("DELETE FROM spent WHERE person = :person AND at <= :before"),
                {"person": user, "before": now - ledger.window},
            )
            connection.execute(
                text("INSERT INTO spent (person, at, cost) VALUES (:person, :at, :cost)"),
                {"person": user, "at": now, "cost": cost},
            )

    def balance(self, user: str, now: float) -> dict[str, float | int]:
        """A person's budget, what they have spent of it and what is left; only they may see it."""
        if self._store is None:
            ledger = self._ledger(self._kept.get(user, []))
        else:
            with self._store.transaction() as connection:
                ledger = self._ledger(self._read(connection, user))
        counted = sum(1 for time, _ in ledger.entries() if time > now - ledger.window)
        return {"budget": ledger.budget, "window": ledger.window, "spent": ledger.amount_spent(now),
                "left": ledger.amount_left(now), "reports": counted}  # fmt: skip

    def _ledger(self, entries: list[tuple[float, float]]) -> WindowLedger:
        return WindowLedger(self.empty.budget, window=self.empty.window, entries=entries)

    def _open(self, file: Path) -> None:
        from sqlalchemy import text

        create_book(file, LedgerError)
        place = parse_place(file, LedgerError)
        pragmas = ("journal_mode = WAL", "synchronous = FULL")
        self._store = Store(place, _unusable, patience=PATIENCE, pragmas=pragmas)
        with self._store.transaction() as connection:
            connection.execute(
                text(
                    "CREATE TABLE IF NOT EXISTS spent "
                    "(person TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, cost DOUBLE PRECISION NOT NULL)"
                )
            )
            connection.execute(text("CREATE INDEX IF NOT EXISTS spent_by_person ON spent (person, at)"))

    @staticmethod
    def _read(connection: Any, user: str) -> list[tuple[float, float]]:
        from sqlalchemy import text

        with closing(
            connection.execute(text("SELECT at, cost FROM spent WHERE person = :person ORDER BY at"), {"person": user})
        ) as rows:
            return [(float(at), float(cost)) for at, cost in rows]


def _unusable(error: Exception) -> LedgerError:  # noqa: ARG001
    return LedgerError(
        tr("cannot be read or written; nothing was released"),
        where=tr("the ledger of locations"),
        remedy=tr("Check the permissions of the file and the disk."),
    )
