"""What the server remembers: keys, data sets, policies, jobs, releases, collections and the log.

SQLite in the state directory by default, PostgreSQL by its URL. The schema has a version; an older one is brought up to
date, step by step, when the server opens it, and a newer one is refused.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    Table,
    Text,
    delete,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.exc import DataError, SQLAlchemyError

from cobogo.errors import CobogoError, InputError
from cobogo.floor import store
from cobogo.floor.language import from_json, to_json, tr
from cobogo.floor.language.errors import error_from_json, error_to_json

META = MetaData()

VERSION = Table("cobogo_server", META, Column("version", Integer, nullable=False))
HOME = Table("cobogo_server_home", META, Column("directory", Text, nullable=False))
"""Which directory has the files that the rows are about, by the number that lies in it."""

KEYS = Table(
    "cobogo_keys",
    META,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Column("created", Float, nullable=False),
    Column("expires", Float),
    Column("revoked", Float),
)
DATASETS = Table(
    "cobogo_datasets",
    META,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("created", Float, nullable=False),
)
POLICIES = Table(
    "cobogo_policies",
    META,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False, index=True),
    Column("dataset", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("toml", Text, nullable=False),
    Column("created", Float, nullable=False),
)
DRAFTS = Table(
    "cobogo_drafts",
    META,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("owner", Text, nullable=False),
    Column("dataset", Text, nullable=False, index=True),
    Column("what", Text, nullable=False),
    Column("toml", Text, nullable=False),
    Column("undone", Integer, nullable=False),
    Column("created", Float, nullable=False),
    sqlite_autoincrement=True,
)
JOBS = Table(
    "cobogo_jobs",
    META,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("asked", Text, nullable=False),
    Column("state", Text, nullable=False, index=True),
    Column("stage", Text, nullable=False),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("message", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("created", Float, nullable=False),
    Column("finished", Float),
)
RELEASES = Table(
    "cobogo_releases_made",
    META,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False, index=True),
    Column("dataset", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("created", Float, nullable=False),
)
COLLECTIONS = Table(
    "cobogo_collections",
    META,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("toml", Text, nullable=False),
    Column("created", Float, nullable=False),
)
LOG = Table(
    "cobogo_log",
    META,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    Column("owner", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("object", Text, nullable=False),
    Column("status", Integer, nullable=False),
)

BEGUN = 102
"""The status of an act that is not over; of one whose server was killed meanwhile it stays."""

Row = dict[str, Any]
Step = Callable[[Connection], None]


def _add_drafts(connection: Connection) -> None:
    DRAFTS.create(connection, checkfirst=True)


def _add_home(connection: Connection) -> None:
    HOME.create(connection, checkfirst=True)


MIGRATIONS: Sequence[Step] = (META.create_all, _add_home, _add_drafts)
"""What brings a database from the version before to each version: the first makes everything of version 1. To change
the schema: append one, never edit those that were published."""


ONE_AT_A_TIME = 0x636F626F676F
"""The lock that servers take in turn when they open one database at once."""


class StateError(InputError):
    """The place where the server's state lies cannot be used."""


class ServerState:
    """The server's memory. Every method is one transaction."""

    def __init__(self, place: str | Path, *, migrations: Sequence[Step] = MIGRATIONS) -> None:
        found = store.parse_place(place, StateError)
        if found.file is not None:
            store.create_book(found.file, StateError)
        self.name = found.name
        pragmas = ("journal_mode = WAL", "synchronous = NORMAL")
        self._store = store.Store(found, self._complaint, patience=30, pragmas=pragmas, pooled=True)
        try:
            self._migrate(migrations)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of every connection."""
        self._store.close()

    def transaction(self, *, reads: bool = False) -> AbstractContextManager[Connection]:
        """A transaction; one that only reads waits for no other."""
        return self._store.transaction(reads=reads)

    def _complaint(self, error: SQLAlchemyError) -> InputError:
        if isinstance(error, DataError):
            return InputError(
                tr("contains a character that the server's database does not accept"),
                where=tr("the text"),
                remedy=tr("Remove control characters."),
            )
        return StateError(
            tr("cannot be used ({error})", error=type(error).__name__),
            where=self.name,
            remedy=tr("Check that the disk has room and that the database is running."),
        )

    def _migrate(self, migrations: Sequence[Step]) -> None:
        with self.transaction() as connection:
            store.take_turn(connection, ONE_AT_A_TIME)
            if not inspect(connection).has_table(VERSION.name):
                VERSION.create(connection)
                connection.execute(insert(VERSION).values(version=0))
            version = int(connection.execute(select(VERSION.c.version)).scalar_one())
            if version > len(migrations):
                raise StateError(
                    tr(
                        "was written by a later version of Cobogó (schema {version}; this version knows {known})",
                        version=version,
                        known=len(migrations),
                    ),
                    where=self.name,
                    remedy=tr("Update Cobogó."),
                )
            for step in migrations[version:]:
                step(connection)
            connection.execute(update(VERSION).values(version=len(migrations)))

    def settle_in(self, directory: str) -> None:
        """Tie the database to a directory of files, by its number. A database of another directory is refused: its
        jobs need files that are missing here."""
        with self.transaction() as connection:
            store.take_turn(connection, ONE_AT_A_TIME)
            found = connection.execute(select(HOME.c.directory)).scalar()
            if found is None:
                connection.execute(insert(HOME).values(directory=directory))
            elif found != directory:
                raise StateError(
                    tr("belongs to another state directory"),
                    where=self.name,
                    remedy=tr(
                        "Servers that share a database must share the state directory, too, on a disk that all of them "
                        "can reach."
                    ),
                )

    def add(self, table: Table, **values: Any) -> str:
        """A new row under a new identity."""
        identity = secrets.token_hex(8)
        with self.transaction() as connection:
            connection.execute(insert(table).values(id=identity, created=time.time(), **values))
        return identity

    def get(self, table: Table, identity: str, owner: str | None = None) -> dict[str, Any] | None:
        """A row; None if it does not exist, or belongs to another owner."""
        with self.transaction(reads=True) as connection:
            row = (
                connection.execute(_filter_owner(select(table).where(table.c.id == identity), table, owner))
                .mappings()
                .first()
            )
        return None if row is None else dict(row)

    def rows(self, table: Table, owner: str | None = None, **equal: Any) -> list[dict[str, Any]]:
        """Rows, the latest first."""
        query = _filter_owner(select(table), table, owner)
        for name, value in equal.items():
            query = query.where(table.c[name] == value)
        with self.transaction(reads=True) as connection:
            return [dict(row) for row in connection.execute(query.order_by(table.c.created.desc())).mappings()]

    def change(self, table: Table, identity: str, *, only_if: Mapping[str, Any] | None = None, **values: Any) -> bool:
        """Change a row; whether there was one, in the condition given."""
        query = update(table).where(table.c.id == identity)
        for name, value in (only_if or {}).items():
            query = query.where(table.c[name] == value)
        with self.transaction() as connection:
            return connection.execute(query.values(**values)).rowcount == 1

    def remove(self, table: Table, identity: str) -> bool:
        """Remove a row; whether there was one."""
        with self.transaction() as connection:
            return connection.execute(delete(table).where(table.c.id == identity)).rowcount == 1

    def note(self, *, owner: str, role: str, key: str, action: str, what: str, status: int) -> int:
        """Write a line of the log: who did what to what, and what came of it. Never a value, never a secret.

        Returns the line's number: an act is noted as begun (`BEGUN`) before it is done, and settled afterwards.
        """
        line = {"at": time.time(), "owner": owner, "role": role, "key": key, "action": action, "object": what}
        with self.transaction() as connection:
            written = connection.execute(insert(LOG).values(**line, status=status))
            return int(written.inserted_primary_key[0])  # type: ignore[index]

    def settle(self, line: int, what: str, status: int) -> None:
        """Write the outcome into a line of the log that was noted as begun; a settled line does not change."""
        begun = (LOG.c.id == line) & (LOG.c.status == BEGUN)
        with self.transaction() as connection:
            connection.execute(update(LOG).where(begun).values(object=what, status=status))

    def log(self, after: int = 0, limit: int = 1000) -> list[dict[str, Any]]:
        """Lines of the log in their order."""
        query = select(LOG).where(LOG.c.id > after).order_by(LOG.c.id).limit(limit)
        with self.transaction(reads=True) as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def log_before(self, line: int | None, limit: int) -> list[dict[str, Any]]:
        """Lines of the log before a line, or the last ones; the latest first."""
        query = select(LOG).order_by(LOG.c.id.desc()).limit(limit)
        if line is not None:
            query = query.where(LOG.c.id < line)
        with self.transaction(reads=True) as connection:
            return [dict(row) for row in connection.execute(query).mappings()]


def _filter_owner(query: Any, table: Table, owner: str | None) -> Any:
    return query if owner is None else query.where(table.c.owner == owner)


def pack(content: Any) -> str:
    """JSON for a text column, with sorted keys so that equal contents have equal texts."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True)


def pack_texts(content: Any) -> Any:
    """Content for JSON in which every sentence keeps its template, so that it can be shown in any language.

    >>> unpack_texts(pack_texts({"why": [tr("no {name}", name="x")]}))["why"][0].template
    'no {name}'
    """
    if isinstance(content, Mapping):
        return {key: pack_texts(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [pack_texts(value) for value in content]
    return to_json(content) if isinstance(content, str) else content


def unpack_texts(content: Any) -> Any:
    """The content again, with its sentences as texts."""
    if isinstance(content, Mapping):
        if {"text", "template", "values"} <= content.keys():
            return from_json(content)
        return {key: unpack_texts(value) for key, value in content.items()}
    return [unpack_texts(value) for value in content] if isinstance(content, list) else content


def pack_error(error: CobogoError) -> str:
    """An error for a text column, so that it can be said in the language of whoever reads it."""
    return pack(error_to_json(error))


def unpack_error(text: str) -> CobogoError | None:
    """The error of a text column; None where it is empty. Earlier versions kept the English sentence alone."""
    if not text:
        return None
    return error_from_json(json.loads(text)) if text.startswith("{") else CobogoError(text)
