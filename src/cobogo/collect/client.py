"""A client: it runs on the device that has the value, and releases nothing but randomized reports.

Its memo holds its permanent answers, so that it gives the same answers again. The file holds a random key, the client's
cohort in each question, and for each value that was answered for a digest of the value under the key, the randomized
answer, and its cost. It never holds a value. An attacker who has the file *and* the key can try values against the
digests, as anybody who can run the client can. With its key elsewhere (``key``, from the system's key ring, say) the
file reveals the number of different values and the randomized answers, and nothing else. An answer is on disk before a
report of it is released, so that neither a crash nor a second process makes a client draw twice.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Column, Connection, Integer, LargeBinary, MetaData, String, Table, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from cobogo.collect import wire
from cobogo.collect.collection import Collection
from cobogo.collect.protocol import UnknownValue
from cobogo.errors import BudgetSpent, DataError, MemoError
from cobogo.floor.language import tr, trn
from cobogo.floor.randomness import Entropy, Source
from cobogo.floor.store import Store, cause, create_book, parse_place
from cobogo.promises.accounting import NANO, Amount, exact_amount, round_down, round_up

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


LIMIT = 20
"""The default limit on the ε of all answers of a client, for ever. It is the largest ε of a collection, so that a
client can answer for one value of any collection, or for several values of collections with a small ε."""


class Client:
    """One client of a collection, with its memo.

    A client gives the same permanent answer for the same value, also where the question is published again under
    another name or version. Another value costs as much again. After ``lifetime-values`` values the client refuses
    (`BudgetSpent`); so it does where all answers of its memo, in any collection, would exceed its own ``limit``: an ε
    for ever, 20 unless another is given, and no limit where it is None. Each value stays protected by the loss stated.
    An attacker who can link two reports of one client sees *that* its value changed, unless the mechanism randomizes
    each report anew, as RAPPOR does.

    >>> import tempfile
    >>> asked = {"name": "pets", "question": "pet", "mechanism": "grr", "epsilon": 1, "values": ["cat", "dog", "none"]}
    >>> with tempfile.TemporaryDirectory() as home:
    ...     client = Client({"collection": asked}, f"{home}/memo.db")
    ...     client.report("cat") == client.report("cat"), client.spent
    (True, 1.0)
    """

    def __init__(
        self,
        collection: Collection | Mapping[str, Any] | str | Path,
        memo: Memo | str | Path,
        *,
        key: bytes | None = None,
        limit: Amount | None = LIMIT,
        source: Source | None = None,
    ) -> None:
        if isinstance(collection, str | Path):
            collection = Collection.load(collection)
        self.collection = collection if isinstance(collection, Collection) else Collection.of(collection)
        self._memo = memo if isinstance(memo, Memo) else Memo(memo, key=key)
        self._limit = None if limit is None else round_down(exact_amount(limit, "limit"), NANO)
        self._source = source or Entropy()
        self._name = (self.collection.identity.hex(), self.collection.fingerprint.hex())
        self._cost = round_up(Fraction(self.collection.protocol.epsilon_forever), NANO)

    @property
    def spent(self) -> float:
        """The ε of all values that were answered for so far, in this question."""
        return self._memo.spending(self._name).values * self.collection.protocol.epsilon_forever

    @property
    def left(self) -> float:
        """The ε that may still be spent on other values, within the collection's limit and the client's own."""
        spent = self._memo.spending(self._name)
        values = self.collection.lifetime_values - spent.values
        if self._limit is not None:
            values = min(values, (self._limit - spent.nano) // self._cost)
        return max(values, 0) * self.collection.protocol.epsilon_forever

    def report(self, value: str) -> bytes:
        """The message of one report."""
        protocol = self.collection.protocol
        try:
            held, same = protocol.read([value]), protocol.canonical_value(value)
        except UnknownValue:
            raise DataError(
                tr("the collection does not ask about this value"),
                where=self.collection.question,
                remedy=tr("Report nothing, or name a value for all others in the collection (other)."),
            ) from None

        def draw(spent: Spending) -> bytes:
            if spent.values >= self.collection.lifetime_values:
                raise self._silent(tr("this client has answered for as many different values as the collection allows"))
            if self._limit is not None and spent.nano + self._cost > self._limit:
                raise self._silent(tr("an answer for another value would exceed the limit of this client"))
            return protocol.draw_permanent(held, np.array([standing]), self._source).tobytes()

        standing = self._memo.standing(self._name, lambda: int(protocol.draw_standing(1, self._source)[0]))
        answer = self._memo.answer(self._name, same, self._cost, draw)
        kept = np.frombuffer(answer, dtype=np.uint8).reshape(1, -1)
        row = protocol.draw_reports(kept, self._source).tobytes()
        return wire.single_message(self.collection, row, seeded=not self._source.safe)

    def adopt(self, value: str, standing: int, answer: bytes) -> None:
        """Take over the permanent answer that another program gave for a value on this device, with the client's cohort
        there: reports go on from it, and a move from that program costs no further ε. It counts as an answer here. Of
        RAPPOR as Google's clients do it, `collect.rappor.google.permanent_answer` computes the answer."""
        protocol = self.collection.protocol
        wire.check_rows(
            self.collection, np.frombuffer(answer, dtype=np.uint8).reshape(1, protocol.layout.width), where="answer"
        )
        if self._memo.standing(self._name, lambda: standing) != standing:
            raise self._differs()
        if self._memo.answer(self._name, protocol.canonical_value(value), self._cost, lambda _: answer) != answer:
            raise self._differs()

    def _differs(self) -> MemoError:
        return MemoError(
            tr("this client has answered already, and otherwise"),
            where=self.collection.question,
            remedy=tr("Adopt an answer before the first report."),
        )

    def text(self, value: str) -> str:
        """A report as a line of text."""
        return wire.to_text(self.report(value))

    def json(self, value: str) -> str:
        """A report as a line of JSON."""
        return wire.json_line(self.collection, self.report(value))

    def _silent(self, what: str) -> BudgetSpent:
        remedy = tr("Report nothing about the new value. Reports about earlier values cost nothing more.")
        return BudgetSpent(what, where=self.collection.question, remedy=remedy)
