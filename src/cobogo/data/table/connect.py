"""From an engine's URL to the engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from cobogo.data.table.engine import Engine
from cobogo.errors import PolicyError
from cobogo.floor.catalogue import Registry, card
from cobogo.floor.urls import without_password

WHERE = "--engine"


def connect(url: str | None = None, *, writable: bool = False) -> Engine:
    """An engine for a URL; without one, DuckDB in memory. ``writable``: a table will be written into its database."""
    kind = _kind(url)
    engine = ENGINES.find(kind, WHERE)(url or "duckdb://", writable)
    engine.url = without_password(url or "duckdb://")
    return engine


def _kind(url: str | None) -> str:
    """What stands before the colon of a URL; Spark's masters need not look like one."""
    if url is None:
        return "duckdb"
    kind = re.split(r"[:\[]", url, maxsplit=1)[0]
    return {"postgres": "postgresql", "local": "spark", "yarn": "spark", "k8s": "spark"}.get(kind, kind)


@card("duckdb", title="DuckDB")
def open_duckdb(url: str, writable: bool) -> Engine:
    """Embedded, the default: duckdb://, or duckdb:///file.duckdb for the tables of a file."""
    from cobogo.data.table.duck import DuckDB

    path = url.partition(":///")[2]
    return DuckDB(Path(path).expanduser() if path and path != ":memory:" else None, writable=writable)


@card("postgresql", title="PostgreSQL")
def open_postgresql(url: str, writable: bool) -> Engine:  # noqa: ARG001
    """A server's tables, where they are: postgresql://host/database."""
    _require("psycopg", "PostgreSQL", "postgres")
    from cobogo.data.table.postgres import PostgreSQL

    return PostgreSQL(url)


@card("spark", title="Spark")
def open_spark(url: str, writable: bool) -> Engine:  # noqa: ARG001
    """A cluster, or all cores of this machine: spark://host:7077, local[*]."""
    _require("pyspark", "Spark", "spark")
    from cobogo.data.table.spark import Spark

    return Spark(url)


def _require(module: str, engine: str, extra: str) -> None:
    from importlib.util import find_spec

    if find_spec(module) is None:
        raise PolicyError(
            f"the engine {engine} is not installed", where=WHERE, remedy=f"Install it: pip install 'cobogo[{extra}]'."
        )


ENGINES: Registry[Callable[[str, bool], Engine]] = Registry(
    "engine",
    {
        "duckdb": f"{__name__}:open_duckdb",
        "postgresql": f"{__name__}:open_postgresql",
        "spark": f"{__name__}:open_spark",
    },
    listed="engines",
    guide="engines",
    plugins="cobogo.engines",
)
"""What opens an engine, by what stands before the colon of its URL."""
