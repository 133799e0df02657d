"""Vaults for tests, seen from outside."""

from typing import Any

from sqlalchemy import text

from cobogo.publish.mask.vault import schema
from cobogo.publish.mask.vault.store import VaultStore


def emptied(url: str) -> str:
    """A database without a vault."""
    with VaultStore(url).engine.begin() as connection:
        schema.metadata.drop_all(connection)
        connection.execute(text("DROP FUNCTION IF EXISTS cobogo_vault_append_only"))
    return url


def raw(place: str, statement: str) -> list[Any]:
    """Whatever the database holds, without a key."""
    with VaultStore(place).writing() as connection:
        found = connection.exec_driver_sql(statement)
        return list(found) if found.returns_rows else []
