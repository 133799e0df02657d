"""Where books are kept: a file of SQLite, or PostgreSQL by its URL. The ledger, the registry and the vault lie in such.

What they share is how a place is written, how it is opened, and when transactions begin. A database's own messages are
never shown: they may quote what is in the rows.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cobogo.errors import CobogoError
from cobogo.floor.urls import is_url, shown

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

SQLITE = "sqlite:///"


@dataclass(frozen=True)
class Place:
    """A file of SQLite, or the URL of a PostgreSQL database; ``name`` is what messages call it."""

    file: Path | None
    url: str
    name: str


def placed(place: str | Path, kind: str, error: type[CobogoError], *, where: str | None = None) -> Place:
    """A path, ``sqlite:///…`` or ``postgresql://…`` as a place for a ``kind`` of book.

    >>> placed("books/ledger.db", "ledger", CobogoError).file
    PosixPath('books/ledger.db')
    """
    text = str(place)
    if not is_url(text) or text.startswith("sqlite://"):
        file = text.removeprefix(SQLITE).removeprefix("sqlite://")
        if file in ("", ":memory:"):
            raise error(f"a {kind} in memory would forget everything", where=where, remedy="Give a path.")
        return Place(Path(file).expanduser(), f"{SQLITE}{Path(file).expanduser()}", text)
    scheme, _, rest = text.partition("://")
    if scheme.partition("+")[0] not in ("postgresql", "postgres"):
        raise error(
            f"there is no {kind} over {scheme}",
            where=where or shown(text),
            remedy="Give the path of a file, or the URL of a PostgreSQL database: postgresql://host/database.",
        )
    if find_spec("psycopg") is None:
        raise error(
            "PostgreSQL's driver is not installed",
            where=where or shown(text),
            remedy="Install it: pip install 'cobogo[postgres]'.",
        )
    return Place(None, f"postgresql+psycopg://{rest}", shown(text))


def opened(place: Place, *, patience: int, pragmas: Sequence[str] = (), pooled: bool = False) -> Engine:
    """The engine of a place. A writer waits for another so many seconds, ``patience``.

    In SQLite a transaction begins by locking the file, so that nobody writes between a look and an entry; one on a
    connection with the execution option ``reads`` does not. No connection outlives its use unless they are ``pooled``.
    """
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
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        reads = connection.get_execution_options().get("reads")
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def new_file(file: Path, kind: str, error: type[CobogoError]) -> bool:
    """Make a file that only this user may read, before anything is in it; False where it is there already."""
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError as problem:
        raise error(
            f"cannot be written: {problem.strerror}", where=str(file), remedy=f"Choose another place for the {kind}."
        ) from None
    return True
