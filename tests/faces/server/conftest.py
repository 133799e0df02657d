"""What tests of the server share: a place for its state, in SQLite and in PostgreSQL."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cobogo.faces.server.settings import ServerSettings


@dataclass
class Place:
    """Where a server keeps its state: a directory, and a database if it is not in there."""

    directory: Path
    database: str | None

    @property
    def settings(self) -> ServerSettings:
        return ServerSettings(state=str(self.directory), database=self.database)

    @property
    def state(self) -> str | Path:
        return self.database or self.directory / "state.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "server").mkdir()
    if request.param == "sqlite":
        yield Place(tmp_path / "server", None)
        return
    import psycopg

    url, name = str(request.getfixturevalue("postgresql")), f"state_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield Place(tmp_path / "server", url.replace("/postgres?", f"/{name}?"))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
