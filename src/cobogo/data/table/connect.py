"""From an engine's URL to the engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from cobogo.data.table.engine import Engine
from cobogo.errors import PolicyError, nearest
from cobogo.floor.urls import without_password

WHERE = "--engine"


def connect(url: str | None = None, *, writable: bool = False) -> Engine:
    """An engine for a URL; without one, DuckDB in memory. ``writable``: a table will be written into its database."""
    kind = _kind(url)
    if kind not in ENGINES:
        raise PolicyError(
            "there is no engine for this URL",
            where=WHERE,
            remedy=nearest(kind, ENGINES, "cobogo list engines"),
        )
    engine = ENGINES[kind](url or "duckdb://", writable)
    engine.url = without_password(url or "duckdb://")
    return engine


def _kind(url: str | None) -> str:
    """What stands before the colon of a URL; Spark's masters need not look like one."""
    if url is None:
        return "duckdb"
    kind = re.split(r"[:\[]", url, maxsplit=1)[0]
    return {"postgres": "postgresql", "local": "spark", "yarn": "spark", "k8s": "spark"}.get(kind, kind)


def _duckdb(url: str, writable: bool) -> Engine:
    from cobogo.data.table.duck import DuckDB

    path = url.partition(":///")[2]
    return DuckDB(Path(path).expanduser() if path and path != ":memory:" else None, writable=writable)


def _postgresql(url: str, writable: bool) -> Engine:  # noqa: ARG001
    _require("psycopg", "PostgreSQL", "postgres")
    from cobogo.data.table.postgres import PostgreSQL

    return PostgreSQL(url)


def _spark(url: str, writable: bool) -> Engine:  # noqa: ARG001
    _require("pyspark", "Spark", "spark")
    from cobogo.data.table.spark import Spark

    return Spark(url)


def _require(module: str, engine: str, extra: str) -> None:
    from importlib.util import find_spec

    if find_spec(module) is None:
        raise PolicyError(
            f"the engine {engine} is not installed", where=WHERE, remedy=f"Install it: pip install 'cobogo[{extra}]'."
        )


ENGINES: dict[str, Callable[[str, bool], Engine]] = {
    "duckdb": _duckdb,
    "postgresql": _postgresql,
    "spark": _spark,
}
"""What each kind of URL connects to."""

ABOUT = {
    "duckdb": "embedded, the default: duckdb://, or duckdb:///file.duckdb for the tables of a file",
    "postgresql": "a server's tables, where they are: postgresql://host/database",
    "spark": "a cluster, or all cores of this machine: spark://host:7077, local[*]",
}
"""What each engine is, in a line."""
