"""URLs of databases, and what may be shown of them."""

from __future__ import annotations

import re
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
    if parts.scheme in FILES and parts.path:
        return f"{parts.scheme}:///{Path(parts.path[1:]).expanduser().absolute()}"
    kept = parts._replace(netloc=login.partition(":")[0] + mark + host, query=urlencode(options, safe="/"))
    return kept.geturl()
