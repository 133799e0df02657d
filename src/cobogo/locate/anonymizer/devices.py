"""Who may use the anonymizer, and what their reports cost: a token for each device, and a budget in a window of time.

The server keeps a digest of a token only, and the books hold no position. A cost is checked and written in one
transaction, so that two requests at once cannot overspend a budget, and a restart does not forget it.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from cobogo.errors import InputError, LedgerError
from cobogo.floor.files import exclusive, write_private
from cobogo.floor.language import tr
from cobogo.floor.store import Store, create_book, parse_place
from cobogo.locate.device import WindowLedger

OPERATOR = "operator"
PERSON = "person"


class Devices:
    """Tokens and their owners, in a file that only the server's user may read, or in memory.

    >>> devices = Devices()
    >>> token = devices.enrol("ana")
    >>> devices.owner(token), devices.owner("something else")
    (('person', 'ana'), None)
    """

    def __init__(self, file: str | Path | None = None) -> None:
        self._file = None if file is None else Path(file).expanduser()
        self._known: dict[str, tuple[str, str]] = {}
        self._stamp: tuple[int, int] | None = None
        self._refresh()

    def enrol(self, name: str, *, operator: bool = False) -> str:
        """A new token for a person's device, or for an operator of the server. It cannot be shown again."""
        if not name or len(name) > 200:
            raise InputError(
                tr("must have from 1 to 200 characters"),
                where=tr("the name of a device's owner"),
                remedy=tr("Choose a shorter name."),
            )
        token = secrets.token_urlsafe(32)
        with self._lock():
            self._known[_digest(token)] = (OPERATOR if operator else PERSON, name)
        return token

    def revoke(self, name: str) -> int:
        """Make all tokens of a person invalid; returns how many there were."""
        with self._lock():
            gone = [digest for digest, (_, owner) in self._known.items() if owner == name]
            for digest in gone:
                del self._known[digest]
        return len(gone)

    def owner(self, token: str) -> tuple[str, str] | None:
        """The kind (`PERSON`, `OPERATOR`) and the name of a token's owner. Digests are looked up, so that the time it
        takes reveals nothing about any token."""
        self._refresh()
        return self._known.get(_digest(token))

    def _refresh(self) -> None:
        """Read the file again if it was changed: devices are enrolled and revoked while the server runs. Where the file
        is gone, no device is enrolled."""
        if self._file is None:
            return
        try:
            status = self._file.stat()
        except FileNotFoundError:
            self._known, self._stamp = {}, None
            return
        if (status.st_mtime_ns, status.st_ino) == self._stamp:
            return
        try:
            content = json.loads(self._file.read_text(encoding="utf-8"))
            self._known = {str(digest): (str(kind), str(name)) for digest, (kind, name) in content.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            raise InputError(
                tr("is not a file of devices"), where=str(self._file), remedy=tr("Restore the file, or remove it.")
            ) from None
        self._stamp = (status.st_mtime_ns, status.st_ino)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Lock the file, read it, let the block change what it says, and write it."""
        if self._file is None:
            yield
            return
        with exclusive(self._file):
            self._stamp = None  # the file may have changed within one tick of its clock
            self._refresh()
            yield
            before = self._file.stat().st_mtime_ns if self._file.exists() else 0
            write_private(self._file, json.dumps(self._known, indent=1))
            status = self._file.stat()
            if status.st_mtime_ns <= before:  # a coarse clock: the change must be seen by its time
                os.utime(self._file, ns=(status.st_atime_ns, before + 1))


def _digest(token: str) -> str:
    """One round of a hash is enough: a token has 256 random bits, and cannot be guessed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


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
