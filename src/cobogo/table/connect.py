"""From an engine's URL to the engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from cobogo.errors import PolicyError, nearest
from cobogo.table.engine import Engine

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


def is_url(text: str) -> bool:
    """Whether a path of a policy is the URL of a database.

    >>> is_url("postgresql://localhost/health"), is_url("C:/data/a.csv"), is_url("data/*.csv")
    (True, False, False)
    """
    return re.match(r"[a-z][a-z0-9+]+://", text) is not None


def shown(url: str) -> str:
    """A URL without what must not be shown: who logs in, with what, and options.

    >>> shown("postgresql://ana:secret@db.example:5433/health?sslmode=require")
    'postgresql://db.example:5433/health'
    """
    if not is_url(url):
        return url
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def without_password(url: str) -> str:
    """A URL as the evidence may keep it: enough to find the database again, not to get in.

    >>> without_password("postgresql://ana:secret@db.example/health?sslmode=require&password=secret")
    'postgresql://ana@db.example/health?sslmode=require'
    """
    if not is_url(url):
        return url
    parts = urlsplit(url)
    login, mark, host = parts.netloc.rpartition("@")
    options = [pair for pair in parse_qsl(parts.query) if "password" not in pair[0]]
    if parts.scheme == "duckdb" and parts.path:
        return f"duckdb:///{Path(parts.path[1:]).expanduser().absolute()}"
    kept = parts._replace(netloc=login.partition(":")[0] + mark + host, query=urlencode(options, safe="/"))
    return kept.geturl()


def _kind(url: str | None) -> str:
    """What stands before the colon of a URL; Spark's masters need not look like one."""
    if url is None:
        return "duckdb"
    kind = re.split(r"[:\[]", url, maxsplit=1)[0]
    return {"postgres": "postgresql", "local": "spark", "yarn": "spark", "k8s": "spark"}.get(kind, kind)


def _duckdb(url: str, writable: bool) -> Engine:
    from cobogo.table.duck import DuckDB

    path = url.partition(":///")[2]
    return DuckDB(Path(path).expanduser() if path and path != ":memory:" else None, writable=writable)


def _postgresql(url: str, writable: bool) -> Engine:  # noqa: ARG001
    _require("psycopg", "PostgreSQL", "postgres")
    from cobogo.table.postgres import PostgreSQL

    return PostgreSQL(url)


def _spark(url: str, writable: bool) -> Engine:  # noqa: ARG001
    _require("pyspark", "Spark", "spark")
    from cobogo.table.spark import Spark

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
