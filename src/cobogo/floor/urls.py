"""URLs of databases, and what may be shown of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

FILES = ("duckdb", "sqlite")
"""The schemes of databases that are files."""


def is_url(text: str) -> bool:
    """Whether a path of a policy is the URL of a database.

    >>> is_url("postgresql://localhost/health"), is_url("C:/data/a.csv"), is_url("data/*.csv")
    (True, False, False)
    """
    return re.match(r"[a-z][a-z0-9+]+://", text) is not None


def resolve_file(url: str, resolve: Callable[[str], Path]) -> str:
    """The URL of a database, with the path of its file, if it is one, as a function resolves it.

    >>> resolve_file("sqlite:///people.db", lambda path: Path("/data") / path)
    'sqlite:////data/people.db'
    >>> resolve_file("postgresql:///health", lambda path: Path("/data") / path)
    'postgresql:///health'
    """
    kind, mark, path = url.partition(":///")
    return f"{kind}{mark}{resolve(path)}" if kind in FILES and path else url


def public_url(url: str) -> str:
    """A URL without what must not be shown: who logs in, with what, and options.

    >>> public_url("postgresql://ana:secret@db.example:5433/health?sslmode=require")
    'postgresql://db.example:5433/health'
    """
    if not is_url(url):
        return url
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def strip_password(url: str) -> str:
    """A URL as the evidence may keep it: enough to find the database again, not to get in.

    >>> strip_password("postgresql://ana:secret@db.example/health?sslmode=require&password=secret")
    'postgresql://ana@db.example/health?sslmode=require'
    """
    if not is_url(url):
        return url
    parts = urlsplit(url)
    login, mark, host = parts.netloc.rpartition("@")
    options = [pair for pair in parse_qsl(parts.query) if "password" not in pair[0]]
    if parts.scheme in FILES and not parts.netloc:
        return resolve_file(url.partition("?")[0], lambda path: Path(path).expanduser().absolute())
    kept = parts._replace(netloc=login.partition(":")[0] + mark + host, query=urlencode(options, safe="/"))
    return kept.geturl()
