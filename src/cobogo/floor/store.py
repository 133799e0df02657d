"""Databases that keep books, in a file of SQLite or in PostgreSQL.

The ledger, the registry, the vault, a client's memo, the anonymizer's books and the server's state lie in such.

They share how a place is written, how it is opened, and how transactions begin, wait and fail. A database's own
messages are never shown: they may quote what is in the rows.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cobogo.errors import CobogoError
from cobogo.floor.extras import require
from cobogo.floor.files import create_private
from cobogo.floor.language import tr
from cobogo.floor.language.errors import reason
from cobogo.floor.urls import is_url, public_url

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.exc import SQLAlchemyError

SQLITE = "sqlite:///"

PRIMARY_CODE = 0xFF
"""The bits of SQLite's code of an error that say what kind of error it is."""

AGAIN = 0.01
"""Seconds until a lock is tried again that SQLite does not wait for. Not tuned: changing the journal takes less."""


@dataclass(frozen=True)
class StorePlace:
    """A file of SQLite, or the URL of a PostgreSQL database; ``name`` is what messages call it."""

    file: Path | None
    url: str
    name: str


def parse_place(place: str | Path, error: type[CobogoError], *, where: str | None = None) -> StorePlace:
    """A path, ``sqlite:///…`` or ``postgresql://…`` as a place for a book.

    >>> parse_place("books/ledger.db", CobogoError).file
    PosixPath('books/ledger.db')
    """
    text = str(place)
    if not is_url(text) or text.startswith("sqlite://"):
        file = text.removeprefix(SQLITE).removeprefix("sqlite://")
        if file in ("", ":memory:"):
            raise error(
                tr("what is in memory would be lost when the program ends"),
                where=where or text,
                remedy=tr("Give a path."),
            )
        return StorePlace(Path(file).expanduser(), f"{SQLITE}{Path(file).expanduser()}", text)
    scheme, _, rest = text.partition("://")
    if scheme.partition("+")[0] not in ("postgresql", "postgres"):
        raise error(
            tr("{scheme} is not supported here", scheme=scheme),
            where=where or public_url(text),
            remedy=tr("Give the path of a file, or the URL of a PostgreSQL database: postgresql://host/database."),
        )
    missing = tr("PostgreSQL's driver is not installed")
    require("psycopg", "postgres", missing, where=where or public_url(text), error=error)
    return StorePlace(None, f"postgresql+psycopg://{rest}", public_url(text))


class Store:
    """An open database of books: transactions, whose failures are raised as what ``complaint`` makes of them.

    A writer waits ``patience`` seconds for another. In SQLite a transaction begins by locking the file, so that nobody
    writes between a look and an entry; one that only reads does not. No connection outlives its use unless they are
    ``pooled`` (in PostgreSQL).
    """

    def __init__(
        self,
        place: StorePlace,
        complaint: Callable[[SQLAlchemyError], Exception],
        *,
        patience: int,
        pragmas: Sequence[str] = (),
        pooled: bool = False,
    ) -> None:
        self.complaint = complaint
        with self.guard():
            self.engine = _engine(place, patience, pragmas, pooled=pooled)
        weakref.finalize(self, self.engine.dispose)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """A block whose failures in the database are raised as errors of the book."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except SQLAlchemyError as error:
            raise self.complaint(error) from None

    @contextmanager
    def transaction(self, *, reads: bool = False) -> Iterator[Connection]:
        """A transaction: all of it, or none. One that only ``reads`` waits for nobody."""
        with self.guard(), self.engine.connect().execution_options(reads=reads) as connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()


def take_turn(connection: Connection, lock: int) -> None:
    """Wait until no other transaction holds the same lock, and hold it; in SQLite a writer is alone anyway."""
    from sqlalchemy import func, select

    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(lock)))


def cause(error: SQLAlchemyError) -> str:
    """What kind of failure of the database it was; its own words may quote what is in the rows."""
    return type(getattr(error, "orig", None) or error).__name__


def _engine(place: StorePlace, patience: int, pragmas: Sequence[str], *, pooled: bool) -> Engine:
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import NullPool

    if place.file is None:
        options: dict[str, Any] = {"max_overflow": -1} if pooled else {"poolclass": NullPool}
        return create_engine(place.url, hide_parameters=True, connect_args={"connect_timeout": 10}, **options)
    engine = create_engine(place.url, hide_parameters=True, poolclass=NullPool, connect_args={"timeout": patience})

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, record: Any) -> None:  # noqa: ARG001
        connection.isolation_level = None  # the driver begins transactions too late, and not all of them
        for pragma in pragmas:
            _set_pragma(connection, pragma, patience)

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        reads = connection.get_execution_options().get("reads")
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def _set_pragma(connection: Any, pragma: str, patience: int) -> None:
    """Set what holds for a connection. SQLite waits for locks, but not while another connection changes the journal."""
    import sqlite3

    end = time.monotonic() + patience
    while True:
        try:
            connection.execute(f"PRAGMA {pragma}").close()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & PRIMARY_CODE != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(AGAIN)


def create_book(file: Path, error: type[CobogoError]) -> bool:
    """Make a file that only this user may read, before anything is in it; False where it is there already."""
    try:
        create_private(file)
    except FileExistsError:
        return False
    except OSError as problem:
        raise error(
            tr("cannot be written: {reason}", reason=reason(problem)),
            where=str(file),
            remedy=tr("Choose another place for it."),
        ) from None
    return True
