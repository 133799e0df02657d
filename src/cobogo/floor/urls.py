"""URLs of databases, what may be shown of them, and places that are neither a database nor a path of this machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from cobogo.errors import DataError, InputError
from cobogo.floor.language import tr

FILES = ("duckdb", "sqlite")
"""The schemes of databases that are files."""

ELSEWHERE = re.compile(r"(s3|gs|abfss?|https?|iceberg):/+", re.IGNORECASE)
"""How a place in object storage, on a web server or in a catalogue begins. A `Path` keeps one slash of the two."""


def is_elsewhere(place: str | Path) -> bool:
    """Whether a place is neither a path of this machine nor the URL of a database.

    >>> is_elsewhere("s3://bucket/a.csv"), is_elsewhere(Path("iceberg://house/health.people")), is_elsewhere("a.csv")
    (True, True, False)
    """
    return ELSEWHERE.match(str(place)) is not None


REMOTE = re.compile(r"(s3|gs|abfss?|https?):/+(.*)", re.IGNORECASE | re.DOTALL)
"""The URL of a file elsewhere."""


def remote_url(place: str | Path) -> str | None:
    """The URL of a place that is not on this machine; None of one that is.

    >>> remote_url(Path("s3://bucket/people/*.csv")), remote_url("data/people.csv")
    ('s3://bucket/people/*.csv', None)
    """
    found = REMOTE.fullmatch(str(place))
    if found is None:
        return None
    url = f"{found[1].lower()}://{found[2].rstrip('/')}"
    _refuse_credentials(url)
    if url.startswith("http:"):
        raise InputError(
            tr("is not encrypted: others on the way can read and change it"),
            where=url,
            remedy=tr("Use https://, or download the file yourself."),
        )
    return url


def _refuse_credentials(url: str) -> None:
    """Refuse a URL with a user, a password or a query: a query may be a signature, or hold a token.

    ``abfs://container@account…`` is how Azure writes a container, and no user.
    """
    scheme, _, rest = url.partition("://")
    host, mark, tail = rest.partition("/")
    user = host.rpartition("@")[0]
    query = re.search(r"[?#]", rest) if scheme.startswith("http") else re.search(r"\?[^/?*]*=", rest)
    if not (query or ":" in user or (user and not scheme.startswith("abfs"))):
        return
    raise InputError(
        tr("has a user, a password or a query in its address, which would be written down with it"),
        where=re.split("[?#]", f"{scheme}://{host.rpartition('@')[2]}{mark}{tail}")[0],
        remedy=tr("Give the address without them, and credentials in the environment or a profile."),
    )


def is_url(text: str) -> bool:
    """Whether a path of a policy is the URL of a database.

    >>> is_url("postgresql://localhost/health"), is_url("s3://bucket/a.csv"), is_url("data/*.csv")
    (True, False, False)
    """
    return re.match(r"[a-z][a-z0-9+]+://", text) is not None and not is_elsewhere(text)


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


def refuse_address(place: str) -> None:
    """Refuse the address of a database where a file is needed, and show it without who logs in. A path that was made of
    an address has one slash.

    >>> refuse_address("postgresql:/ana:secret@db.example/health")
    Traceback (most recent call last):
    cobogo.errors.DataError: postgresql://db.example/health: is the address of a database, and a file is needed here.
    Name it in a policy: path and table under [data].
    """
    url = re.sub(r"^([a-z][a-z0-9+]+):/(?=[^/])", r"\1://", place)
    if is_url(url):
        raise DataError(
            tr("is the address of a database, and a file is needed here"),
            where=public_url(url),
            remedy=tr("Name it in a policy: path and table under [data]."),
            code="COBOGO-DATA-FILE",
        )


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
