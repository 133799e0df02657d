"""The database of a vault: SQLite in a file, or PostgreSQL by its URL. Transactions, and statements for many rows.

A database's own messages never leave this module: they may quote what is in the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect
from sqlalchemy.exc import SQLAlchemyError

from cobogo.errors import VaultError
from cobogo.floor.language import tr
from cobogo.floor.store import Store, create_book, parse_place
from cobogo.publish.mask.vault import schema

Row = tuple[str, bytes, bytes]
"""A token, the lookup of its value, and the sealed value."""

CHUNK = 30_000
"""Rows of one statement: SQLite takes 32,766 parameters."""

_WAIT = 60
"""Seconds that a writer waits for another."""

_DEADLOCK = "40P01"

_PRAGMAS = (
    "page_size = 8192",
    "journal_mode = WAL",
    "synchronous = FULL",  # what was committed survives a loss of power
    "secure_delete = ON",  # what is forgotten is overwritten
    "cache_size = -262144",
    "temp_store = MEMORY",
)


class Crossed(Exception):
    """Two writers waited for each other (a deadlock), and the database aborted this one."""


class VaultStore(Store):
    """A database with the tables of a vault, or one where they are to be made."""

    def __init__(self, place: str | Path) -> None:
        found = parse_place(place, VaultError)
        self.place, self.file = found.name, found.file
        super().__init__(found, partial(_complaint, place=found.name), patience=_WAIT, pragmas=_PRAGMAS)

    def exists(self) -> bool:
        """Whether there is a vault."""
        if self.file is not None and not self.file.exists():
            return False
        with self.guard(), self.engine.connect() as connection:
            return inspect(connection).has_table(schema.vault.name)

    def reading(self) -> AbstractContextManager[Connection]:
        """A transaction that only reads."""
        return self.transaction(reads=True)

    def writing(self) -> AbstractContextManager[Connection]:
        """A transaction that writes. In SQLite one at a time."""
        return self.transaction()

    @contextmanager
    def creating(self) -> Iterator[Connection]:
        """The transaction that creates a vault; if it fails, no file is left."""
        made = self.file is not None and create_book(self.file, VaultError)
        try:
            with self.writing() as connection:
                schema.metadata.create_all(connection, checkfirst=False)
                yield connection
        except BaseException:
            if made and self.file is not None:
                self.engine.dispose()
                for suffix in ("", "-wal", "-shm"):
                    Path(f"{self.file}{suffix}").unlink(missing_ok=True)
            raise

    def insert(self, connection: Connection, domain: int, batch: int, rows: Sequence[Row]) -> int:
        """Add tokens, except those whose value or token exists already; return how many were added."""
        if not rows:
            return 0
        columns = f"INSERT INTO {schema.tokens.name} (domain, batch, token, lookup, sealed)"
        if self.file is not None:
            statement = f"{columns} VALUES ({domain:d}, {batch:d}, ?, ?, ?) ON CONFLICT DO NOTHING"
            return connection.exec_driver_sql(statement, list(rows)).rowcount
        statement = (
            f"{columns} SELECT {domain:d}, {batch:d}, * FROM unnest(%b::text[], %b::bytea[], %b::bytea[]) "
            "ON CONFLICT DO NOTHING"
        )
        return connection.exec_driver_sql(statement, tuple(map(list, zip(*rows, strict=True)))).rowcount

    def select(
        self, connection: Connection, columns: str, table: str, among: str, wanted: Sequence[Any], *, domain: int | None
    ) -> list[Any]:
        """The rows of a table, or of a domain's part of it, whose ``among`` is one of the values wanted."""
        within = "" if domain is None else f"domain = {domain:d} AND "
        head = f"SELECT {columns} FROM {table} WHERE {within}{among}"
        rows: list[Any] = []
        for start in range(0, len(wanted), CHUNK):
            some = list(wanted[start : start + CHUNK])
            if self.file is not None:
                found = connection.exec_driver_sql(f"{head} IN ({','.join('?' * len(some))})", tuple(some))
            else:
                found = connection.exec_driver_sql(f"{head} = ANY(%b)", (some,))
            rows += found.cursor.fetchall() if found.cursor is not None else ()
        return rows

    def update(self, connection: Connection, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement for many rows; its parameters are written ``?``."""
        if rows:
            style = statement if self.file is not None else statement.replace("?", "%s")
            connection.exec_driver_sql(style, [tuple(row) for row in rows])


def _complaint(error: SQLAlchemyError, place: str) -> Exception:
    if getattr(getattr(error, "orig", None), "sqlstate", None) == _DEADLOCK:
        return Crossed()
    text = str(getattr(error, "orig", error)).lower()
    if "not a database" in text or "malformed" in text or "no such column" in text or "no such table" in text:
        return VaultError(
            tr("is not a vault, or is damaged"),
            where=place,
            remedy=tr("Check the path, or restore the vault from a copy."),
        )
    if "locked" in text:
        return VaultError(
            tr("is in use: writing was not possible for {wait} seconds", wait=_WAIT),
            where=place,
            remedy=tr("Run the command again later."),
        )
    if "readonly" in text or "unable to open" in text or "permission denied" in text:
        return VaultError(
            tr("cannot be opened or written"), where=place, remedy=tr("Check the path and the permissions.")
        )
    if "disk" in text and "full" in text:
        return VaultError(
            tr("the disk is full; nothing was lost"),
            where=place,
            remedy=tr("Free some space, and run the command again."),
        )
    return VaultError(
        tr("the database refused the request: {error}", error=type(getattr(error, "orig", error)).__name__),
        where=place,
        remedy=tr("Check that the database is running and that you may use it."),
    )
