"""The ledger's tables, and the triggers that keep them append-only."""

from __future__ import annotations

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
    text,
)

from cobogo.floor.store import take_turn

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
