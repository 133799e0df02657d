"""Collections: a steward describes a question, clients hand in randomized reports, and the counts are decoded.

Only sums are kept: reports wait in a file until some are counted together, and are forgotten; nothing says whose they
were or when they came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cobogo.data.policy.toml_file import parse_toml
from cobogo.errors import PolicyError
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.state import COLLECTIONS

if TYPE_CHECKING:
    from cobogo.collect.aggregate import Aggregate
    from cobogo.collect.collection import Collection
    from cobogo.faces.server.journal import Journal


def asked_by(text: str) -> Collection:
    """The collection that a text describes, which may name no file."""
    from cobogo.collect.collection import Collection

    content = parse_toml(text, "collection")
    table = content.get("collection")
    for key in ("values", "candidates"):
        if isinstance(table, dict) and isinstance(table.get(key), dict):
            raise PolicyError("may name no file on a server", where=f"collection.{key}", remedy="Give the list itself.")
    return Collection.of(content, name="collection")


def begin(context: ServerContext, owner: str, text: str) -> str:
    """Open a collection; its identity."""
    from cobogo.collect.aggregate import Aggregate
    from cobogo.faces.server.journal import COUNTS

    asked = asked_by(text)
    identity = context.state.add(COLLECTIONS, owner=owner, name=asked.name, toml=text)
    place = context.files.collection(identity)
    place.mkdir(mode=0o700)
    Aggregate.empty(asked).save(place / COUNTS)
    return identity


def counted(context: ServerContext, row: dict[str, Any]) -> Aggregate:
    """What has come in of a collection."""
    return _journal(context, row).count()


def take(context: ServerContext, row: dict[str, Any], content: bytes, key: str | None = None) -> int:
    """Take in messages of the wire format, all of them or, where one is none, nothing; how many reports there were.

    They are on disk when this returns. What comes again under the same key is counted once.
    """
    return _journal(context, row).add(content, key)


def _journal(context: ServerContext, row: dict[str, Any]) -> Journal:
    from cobogo.faces.server.journal import Journal

    with context.opening:
        if row["id"] not in context.journals:
            context.journals[row["id"]] = Journal(asked_by(row["toml"]), context.files.collection(row["id"]))
        return context.journals[row["id"]]
