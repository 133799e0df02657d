"""A client's memo: its permanent answers, so that it gives the same answers again.

The file holds a random key, the client's cohort in each question, and for each value that was answered for a digest of
the value under the key, the randomized answer, and its cost. It never holds a value. An attacker who has the file *and*
the key can try values against the digests, as anybody who can run the client can. With its key elsewhere (``key``, from
the system's key ring, say) the file reveals the number of different values and the randomized answers, and nothing
else. An answer is on disk before a report of it is released, so that neither a crash nor a second process makes a
client draw twice.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Column, Connection, Integer, LargeBinary, MetaData, String, Table, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from cobogo.errors import MemoError
from cobogo.floor.language import tr, trn
from cobogo.floor.store import Store, cause, create_book, parse_place

WAIT = 60
"""Seconds to wait for another process that writes to the same memo."""

VERSION = 1

Names = Sequence[str]
"""The names of a question in a memo: its identity, under which answers are stored, and the name that earlier versions
of this program stored answers under, which still hold."""

TABLES = MetaData()
ABOUT = Table("about", TABLES, Column("version", Integer, primary_key=True), Column("key", LargeBinary, nullable=False))
CLIENTS = Table(
    "clients", TABLES, Column("collection", String, primary_key=True), Column("standing", Integer, nullable=False)
)
ANSWERS = Table(
    "answers",
    TABLES,
    Column("collection", String, primary_key=True),
    Column("digest", LargeBinary, primary_key=True),
    Column("answer", LargeBinary, nullable=False),
    Column("cost", Integer, nullable=False),
)


@dataclass(frozen=True)
class Spending:
    """The number of values that were answered for in a question, and the nano-ε of all answers of the memo."""

    values: int
    nano: int


class Memo:
    """A memo in a file that its owner alone may read. ``key``: 32 bytes kept elsewhere; else they are in the file."""

    def __init__(self, path: str | Path, *, key: bytes | None = None) -> None:
        if key is not None and len(key) != 32:
            raise MemoError(
                trn(
                    "the key of a memo has 32 bytes. Got {n:,} byte instead",
                    "the key of a memo has 32 bytes. Got {n:,} bytes instead",
                    n=len(key),
                ),
                where=str(path),
                remedy=tr("Give the key with which the memo was made."),
            )
        place = parse_place(path, MemoError)
        if place.file is None:
            raise MemoError(
                tr("a memo must be a file on the client's device"),
                where=place.name,
                remedy=tr("Give the path of a file."),
            )
        self.path = place.file
        create_book(self.path, MemoError)
        self._refuse_open_to_others()
        pragmas = ["synchronous = FULL", "secure_delete = ON"]
        self._store = Store(place, self._unusable, patience=WAIT, pragmas=pragmas)
        with self._store.transaction() as connection:
            TABLES.create_all(connection)
            found = connection.execute(select(ABOUT.c.version, ABOUT.c.key)).first()
            if found is None:
                kept = secrets.token_bytes(32) if key is None else b""
                connection.execute(insert(ABOUT).values(version=VERSION, key=kept))
                found = connection.execute(select(ABOUT.c.version, ABOUT.c.key)).one()
        if found.version != VERSION:
            raise MemoError(
                tr(
                    "has version {version} of the format, and this Cobogó reads version {known}",
                    version=found.version,
                    known=VERSION,
                ),
                where=str(path),
                remedy=tr("Use the Cobogó that wrote it, or a later one."),
            )
        if bool(found.key) is (key is not None):
            what = (
                tr("the memo holds its own key, and another key was given")
                if key
                else tr("the memo needs a key that is kept elsewhere, and no key was given")
            )
            raise MemoError(
                what, where=str(path), remedy=tr("Open the memo as it was made: with its key, or without a key.")
            )
        self._key = found.key or key or b""

    def standing(self, question: Names, draw: Callable[[], int]) -> int:
        """What the client keeps for a question, whatever its values; drawn at the first use."""
        with self._store.transaction() as connection:
            known = select(CLIENTS.c.standing).where(CLIENTS.c.collection.in_(question))
            found = connection.execute(known).scalar()
            if found is None:
                found = draw()
                connection.execute(insert(CLIENTS).values(collection=question[0], standing=found))
        return int(found)

    def answer(self, question: Names, value: str, cost: int, draw: Callable[[Spending], bytes]) -> bytes:
        """The permanent answer for a value. If there is none yet, ``draw`` draws it, at a cost in nano-ε, in a
        transaction that excludes other processes; it gets what was spent before, and may refuse."""
        digests = [self._digest(name, value) for name in question]
        with self._store.transaction() as connection:
            known = select(ANSWERS.c.answer).where(ANSWERS.c.digest.in_(digests))
            found = connection.execute(known).scalar()
            if found is None:
                found = draw(_read_spending(connection, question))
                row = {"collection": question[0], "digest": digests[0], "answer": found, "cost": cost}
                connection.execute(insert(ANSWERS).values(row))
        return bytes(found)

    def _digest(self, name: str, value: str) -> bytes:
        return hashlib.blake2b(f"{name} {value}".encode(), digest_size=32, key=self._key).digest()

    def spending(self, question: Names) -> Spending:
        """What was spent so far on a question, and in all."""
        with self._store.transaction() as connection:
            return _read_spending(connection, question)

    def _unusable(self, error: SQLAlchemyError) -> MemoError:
        return MemoError(
            tr("cannot be used: {cause}", cause=cause(error)),
            where=str(self.path),
            remedy=tr(
                "Check the permissions of the file and the disk. "
                "Nothing was reported: without a memo, repeated reports would reveal the answer."
            ),
        )

    def _refuse_open_to_others(self) -> None:
        if os.name == "posix" and stat.S_IMODE(self.path.stat().st_mode) & 0o077:
            raise MemoError(
                tr("other users than its owner can read the file"),
                where=str(self.path),
                remedy=tr("Run: chmod 600 {path}", path=str(self.path)),
            )


def _read_spending(connection: Connection, question: Names) -> Spending:
    mine = select(func.count()).select_from(ANSWERS).where(ANSWERS.c.collection.in_(question))
    total = select(func.coalesce(func.sum(ANSWERS.c.cost), 0))
    return Spending(int(connection.execute(mine).scalar_one()), int(connection.execute(total).scalar_one()))
