"""The tables of a vault."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
)

VERSION = 1

_Number = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts up only what it calls INTEGER

metadata = MetaData()

vault = Table(
    "cobogo_vault",
    metadata,
    Column("name", Text, primary_key=True),  # random: every secret is bound to it
    Column("version", Integer, nullable=False),
    Column("entries", _Number, nullable=False),  # of the log
    Column("digest", LargeBinary, nullable=False),  # of its last entry
)

domains = Table(
    "cobogo_vault_domains",
    metadata,
    Column("number", _Number, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("format", Text, nullable=False),
    Column("generation", Integer, nullable=False),  # counts up when the domain's keys are rotated
    Column("sealed", LargeBinary, nullable=False),  # its secrets, for stewards
)

keys = Table(
    "cobogo_vault_keys",
    metadata,
    Column("name", Text, primary_key=True),
    Column("roles", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("revoked", Text),
    Column("sealed", LargeBinary, nullable=False),  # its secret, for stewards: rotation must reach every key
)

grants = Table(
    "cobogo_vault_grants",
    metadata,
    Column("key", Text, primary_key=True),
    Column("domain", _Number, primary_key=True),  # 0 for a steward: all of them
    Column("sealed", LargeBinary, nullable=False),  # the secrets that the key's roles need, under the key
)

batches = Table(
    "cobogo_vault_batches",
    metadata,
    Column("number", _Number, primary_key=True),
    Column("ephemeral", LargeBinary, nullable=False),
)

tokens = Table(
    "cobogo_vault_tokens",
    metadata,
    Column("domain", _Number, nullable=False),
    Column("token", Text, nullable=False),
    Column("lookup", LargeBinary),  # NULL once forgotten: the token is never given out again
    Column("batch", _Number),
    Column("sealed", LargeBinary),
    UniqueConstraint("domain", "token", name="cobogo_vault_one_value"),
    UniqueConstraint("domain", "lookup", name="cobogo_vault_one_token"),
)

log = Table(
    "cobogo_vault_log",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=False),
    Column("at", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("domain", Text),
    Column("count", _Number, nullable=False),
    Column("detail", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
)

_APPEND_ONLY = {
    "sqlite": [
        f"CREATE TRIGGER cobogo_vault_log_{change.lower()} BEFORE {change} ON cobogo_vault_log "
        "BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"
        for change in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        "CREATE FUNCTION cobogo_vault_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the log is append-only'; END $$",
        "CREATE TRIGGER cobogo_vault_log_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON cobogo_vault_log "
        "FOR EACH STATEMENT EXECUTE FUNCTION cobogo_vault_append_only()",
    ],
}


@event.listens_for(log, "after_create")
def _make_append_only(table: Table, connection: Connection, **options: Any) -> None:  # noqa: ARG001
    """The log takes new entries and nothing else."""
    for statement in _APPEND_ONLY[connection.dialect.name]:
        connection.exec_driver_sql(statement)
