"""The ledger's tables, which nobody changes unseen: triggers keep them append-only, and every entry is in a chain.

Each entry is sealed together with the one before it, under a key that is kept elsewhere: a seal is the HMAC of an entry
and of the seal before it. An attacker who changes, removes, reorders or adds an entry without the key breaks the chain
from there on. The last seal, which is stored with the key in the seal's file, exposes an attacker who cuts off the end
or puts an old copy in its place. Totals are computed from the entries, never believed.

What this cannot show: that somebody who can write the ledger *and* its seal changed both; and an end that was cut off
between a commit and the note of its seal, which takes a kill at that moment and an old copy of that very moment.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    DateTime,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    func,
    insert,
    select,
    text,
)

from cobogo.errors import LedgerError
from cobogo.floor.language import tr, trn
from cobogo.floor.language.errors import reason
from cobogo.floor.store import take_turn
from cobogo.promises.accounting import Measure
from cobogo.promises.ledger.balance import Units

METADATA = MetaData()

BOOKS = Table(
    "cobogo_books",
    METADATA,
    Column("dataset", String(200), primary_key=True),
    Column("measure", String(10), nullable=False),
    Column("opened", DateTime(timezone=True), nullable=False),
)
"""One row a data set, which each debit locks first."""

_ID = BigInteger().with_variant(Integer, "sqlite")

LIMITS = Table(
    "cobogo_limits",
    METADATA,
    Column("id", _ID, primary_key=True, autoincrement=True),
    Column("dataset", String(200), nullable=False, index=True),
    Column("analyst", String(200), nullable=False),  # empty: the data set as a whole
    Column("amount", BigInteger, nullable=False),
    Column("delta", BigInteger, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
)
"""What may be spent; the last row of an analyst holds."""

DEBITS = Table(
    "cobogo_debits",
    METADATA,
    Column("id", _ID, primary_key=True, autoincrement=True),
    Column("dataset", String(200), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("analyst", String(200), nullable=False),
    Column("analyst_number", BigInteger, nullable=False),
    *(
        Column(f"{of}{unit}", BigInteger, nullable=False)
        for of in ("", "total_", "analyst_total_")
        for unit in ("amount", "delta")
    ),
    Column("question", Text, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    UniqueConstraint("dataset", "number"),
    UniqueConstraint("dataset", "analyst", "analyst_number"),
)
"""What was spent. Each entry carries the totals, and its number can be taken once: even without locks two analysts
could not both spend what is left."""

SEALS = Table(
    "cobogo_seals",
    METADATA,
    Column("dataset", String(200), primary_key=True),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", String(10), nullable=False),
    Column("seal", String(64), nullable=False),
)
"""One row for each of the others, in the order in which they were written: see `cobogo.promises.ledger.chain`."""

SQLITE = """
CREATE TRIGGER IF NOT EXISTS {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END
"""

POSTGRESQL = (
    """
CREATE OR REPLACE FUNCTION cobogo_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$
""",
    """
CREATE OR REPLACE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION cobogo_append_only()
""",
)


OPENING = 7214962001
"""The lock of PostgreSQL that is held while tables are made and books opened: any number that nothing else takes."""


def lock_books(connection: Connection) -> None:
    """Let no other process open books until the transaction ends; in SQLite no other writes anyway."""
    take_turn(connection, OPENING)


def create_tables(connection: Connection) -> None:
    """Create the tables that do not exist yet, one process at a time."""
    names = [table.name for table in (BOOKS, LIMITS, DEBITS, SEALS)]
    lock_books(connection)
    if connection.dialect.name == "postgresql":
        METADATA.create_all(connection)
        connection.execute(text(POSTGRESQL[0]))
        for name in names:
            connection.execute(text(POSTGRESQL[1].format(table=name)))
        return
    METADATA.create_all(connection)
    for name in names:
        for verb in ("UPDATE", "DELETE"):
            connection.execute(text(SQLITE.format(table=name, verb=verb)))


ENTRY_TABLES: Mapping[str, Table] = {"book": BOOKS, "limit": LIMITS, "debit": DEBITS}
"""The tables whose entries are sealed, by the kind of entry."""

NOTHING = (Units(0, 0), 0)


@dataclass(frozen=True)
class LedgerBook:
    """What the entries of a data set add up to, up to a place in its chain."""

    dataset: str
    position: int = 0
    seal: str = ""
    measure: Measure | None = None
    limits: Mapping[str, Units] = field(default_factory=dict)  # by analyst; empty: the data set as a whole
    spent: Mapping[str, tuple[Units, int]] = field(default_factory=dict)  # likewise, with how many entries
    last_limit: int = 0
    limit_entries: int = 0

    def spent_by(self, analyst: str) -> tuple[Units, int]:
        """What was spent, and in how many entries: by an analyst, or (empty) by all."""
        return self.spent.get(analyst, NOTHING)

    def with_entry(self, kind: str, row: Mapping[str, Any], key: bytes) -> LedgerBook:
        """The book with one more entry; `LedgerError` where the totals of the entry are not the sums of the entries."""
        sealed = compute_seal(key, self, kind, row)
        more = replace(self, position=self.position + 1, seal=sealed)
        if kind == "book":
            return replace(more, measure=cast(Measure, row["measure"]))
        if kind == "limit":
            limits = {**self.limits, row["analyst"]: Units(row["amount"], row["delta"])}
            return replace(more, limits=limits, last_limit=row["id"], limit_entries=self.limit_entries + 1)
        cost, analyst = Units(row["amount"], row["delta"]), row["analyst"]
        whole, own = ((spent + cost, number + 1) for spent, number in (self.spent_by(""), self.spent_by(analyst)))
        if (row["number"], row["analyst_number"]) != (whole[1], own[1]):
            raise tampering_error(self.dataset, tr("entries are missing"))
        totals = (Units(row["total_amount"], row["total_delta"]), whole[0])
        of_analyst = (Units(row["analyst_total_amount"], row["analyst_total_delta"]), own[0])
        if totals[0] != totals[1] or of_analyst[0] != of_analyst[1]:
            raise tampering_error(self.dataset, tr("its totals are not the sums of its entries"))
        return replace(more, spent={**self.spent, "": whole, analyst: own})


def compute_seal(key: bytes, before: LedgerBook, kind: str, row: Mapping[str, Any]) -> str:
    """The seal of an entry after those before it."""
    content = {name: _plain(value) for name, value in row.items() if name != "id"}
    text = json.dumps([before.dataset, before.position, before.seal, kind, content], sort_keys=True)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def append_entry(
    connection: Connection, key: bytes, before: LedgerBook, kind: str, row: Mapping[str, Any]
) -> LedgerBook:
    """Write an entry and its seal; the book after it."""
    written = connection.execute(insert(ENTRY_TABLES[kind]).values(row))
    found = dict(row) | ({"id": written.inserted_primary_key[0]} if kind == "limit" else {})  # type: ignore[index]
    return _seal(connection, before, kind, before.with_entry(kind, found, key))


def seal_old_entries(connection: Connection, key: bytes, dataset: str) -> LedgerBook:
    """Seal the entries of a book that was kept before there were seals."""
    book = LedgerBook(dataset)
    for kind in ENTRY_TABLES:
        for row in _entries(connection, kind, book):
            book = _seal(connection, book, kind, book.with_entry(kind, row, key))
    return book


def _seal(connection: Connection, before: LedgerBook, kind: str, after: LedgerBook) -> LedgerBook:
    row = {"dataset": before.dataset, "position": after.position, "kind": kind, "seal": after.seal}
    connection.execute(insert(SEALS).values(row))
    return after


def check_entries(
    connection: Connection, key: bytes, book: LedgerBook, head: tuple[int, str] | None = None
) -> LedgerBook:
    """Check the entries that a book does not know yet; the book with them. No other process may write meanwhile.

    ``head`` is a place in the chain and the seal that was there.
    """
    query = select(SEALS).where(SEALS.c.dataset == book.dataset, SEALS.c.position > book.position)
    waiting = {kind: _entries(connection, kind, book) for kind in ENTRY_TABLES}
    for sealed in connection.execute(query.order_by(SEALS.c.position)):
        row = next(waiting.get(sealed.kind, iter(())), None)
        if row is None or sealed.position != book.position + 1:
            raise tampering_error(book.dataset, tr("entries are missing"))
        book = book.with_entry(sealed.kind, row, key)
        if not hmac.compare_digest(book.seal, sealed.seal):
            raise tampering_error(
                book.dataset, tr("entry {number} is not the one that was written", number=book.position)
            )
        if head is not None and head[0] == book.position and head[1] != book.seal:
            raise tampering_error(book.dataset, tr("it is not the ledger that was last written here"))
    if any(next(rows, None) is not None for rows in waiting.values()):
        raise tampering_error(book.dataset, tr("entries were added that Cobogó did not write"))
    if head is not None and head[0] > book.position:
        lost = head[0] - book.position
        what = trn("its last entry is missing", "its last {n:,} entries are missing", n=lost)
        raise tampering_error(book.dataset, what)
    _check_sums(connection, book)
    return book


def _entries(connection: Connection, kind: str, book: LedgerBook) -> Iterator[Any]:
    """The entries of a kind that a book does not know yet, in their order."""
    table = ENTRY_TABLES[kind]
    query = select(table).where(table.c.dataset == book.dataset)
    if kind == "book":
        return iter(() if book.position else connection.execute(query).mappings().all())
    order, known = (LIMITS.c.id, book.last_limit) if kind == "limit" else (DEBITS.c.number, book.spent_by("")[1])
    return iter(connection.execute(query.where(order > known).order_by(order)).mappings())


def _check_sums(connection: Connection, book: LedgerBook) -> None:
    """Entries that were checked before may have been changed since: their sums tell, at a fraction of the cost."""
    sums = select(func.count(), func.coalesce(func.sum(DEBITS.c.amount), 0), func.coalesce(func.sum(DEBITS.c.delta), 0))
    found = connection.execute(sums.where(DEBITS.c.dataset == book.dataset)).one()
    limits = select(func.count()).select_from(LIMITS).where(LIMITS.c.dataset == book.dataset)
    spent, number = book.spent_by("")
    if tuple(map(int, found)) != (number, spent.amount, spent.delta):
        raise tampering_error(book.dataset, tr("entries were changed"))
    if connection.execute(limits).scalar_one() != book.limit_entries:
        raise tampering_error(book.dataset, tr("limits were changed"))


def tampering_error(dataset: str, what: str) -> LedgerError:
    """The error for a book that somebody changed."""
    return LedgerError(
        tr("was changed by another program: {what}", what=what),
        where=tr("the ledger of {dataset}", dataset=dataset),
        remedy=tr(
            "No questions are answered until it is repaired. Restore the latest copy of the "
            "ledger, and find out who changed it."
        ),
    )


def _plain(value: Any) -> Any:
    """A value as it is sealed: moments in UTC, whatever a database makes of their time zones."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    return value


BEGINS = re.compile(r"cobogo-ledger-seal 1 ([0-9a-f]{64})")
LONG = 1 << 20
"""Bytes from which on the file is shortened to one line a book: some 10,000 lines, which are read in a moment."""

PUBLIC = b"cobogo ledger without a seal"
"""The key where there is no file. Chains are checked, but everybody who knows this program can forge them."""


class SealFile:
    """The file beside a ledger: the key that seals its entries, and the last seal of each book.

    It is made with the ledger and belongs in another backup: somebody who has both can write anything. Lines are only
    added, after a commit: the file may be behind the ledger, and never ahead of it. Without a file the key is public,
    and nothing is known of the end of a chain.
    """

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.key = PUBLIC

    def open(self, *, sealed: bool) -> None:
        """Read the key, or draw one; where the ledger is ``sealed`` already the file must be there."""
        if self.file is None:
            return
        if not self.file.exists():
            if sealed:
                raise LedgerError(
                    tr("the seal of the ledger is missing"),
                    where=str(self.file),
                    remedy=tr("Restore the file from a copy: without it, changed entries cannot be detected."),
                )
            self._create(self.file)
        found = BEGINS.fullmatch(self._lines()[0])
        if found is None:
            raise LedgerError(
                tr("is not the seal of a ledger"), where=str(self.file), remedy=tr("Restore the file from a copy.")
            )
        self.key = bytes.fromhex(found[1])

    def heads(self) -> dict[str, tuple[int, str]]:
        """The last place in the chain of each book that was noted, with its seal."""
        found: dict[str, tuple[int, str]] = {}
        for line in self._lines()[1:] if self.file is not None else ():
            with contextlib.suppress(ValueError):  # a line that a loss of power cut off
                position, seal, dataset = json.loads(line)
                found[dataset] = max((position, seal), found.get(dataset, (0, "")))
        return found

    def note(self, dataset: str, position: int, seal: str) -> None:
        """Write down the last seal of a book, which is on disk by now."""
        if self.file is None:
            return
        try:
            handle = os.open(self.file, os.O_WRONLY | os.O_APPEND)
            try:
                os.write(handle, f"{json.dumps([position, seal, dataset])}\n".encode())
                long = os.fstat(handle).st_size > LONG
            finally:
                os.close(handle)
        except OSError as problem:
            raise self._unusable(problem) from None
        if long:
            self._shorten(self.file)

    def _lines(self) -> list[str]:
        assert self.file is not None
        try:
            return self.file.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as problem:
            raise self._unusable(problem) from None

    def _create(self, file: Path) -> None:
        from cobogo.floor.files import write_private_once

        write_private_once(file, f"cobogo-ledger-seal 1 {secrets.token_hex(32)}\n")

    def _shorten(self, file: Path) -> None:
        from cobogo.floor.files import write_private

        lines = [json.dumps([position, seal, dataset]) for dataset, (position, seal) in self.heads().items()]
        write_private(file, "".join(f"{line}\n" for line in [self._lines()[0], *lines]))

    def _unusable(self, problem: Exception) -> LedgerError:
        return LedgerError(
            tr(
                "cannot be used: {cause}",
                cause=reason(problem) if isinstance(problem, OSError) else type(problem).__name__,
            ),
            where=str(self.file),
            remedy=tr("Check its permissions and the space on its disk."),
        )
