"""Collections: a steward describes a question, clients hand in randomized reports, and the counts are decoded.

Only sums are kept: a report is counted and forgotten, and nothing says whose it was or when it came.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from cobogo.errors import PolicyError
from cobogo.policy.toml_file import parse_toml
from cobogo.server.house import House
from cobogo.server.state import COLLECTIONS

if TYPE_CHECKING:
    from cobogo.ldp.aggregate import Aggregate
    from cobogo.ldp.collection import Collection

COUNTS = "counts"

_adding = threading.Lock()


def asked_by(text: str) -> Collection:
    """The collection that a text describes, which may name no file."""
    from cobogo.ldp.collection import Collection

    content = parse_toml(text, "collection")
    table = content.get("collection")
    for key in ("values", "candidates"):
        if isinstance(table, dict) and isinstance(table.get(key), dict):
            raise PolicyError("may name no file on a server", where=f"collection.{key}", remedy="Give the list itself.")
    return Collection.of(content, name="collection")


def begin(house: House, owner: str, text: str) -> str:
    """Open a collection; its identity."""
    from cobogo.ldp.aggregate import Aggregate

    asked = asked_by(text)
    identity = house.state.add(COLLECTIONS, owner=owner, name=asked.name, toml=text)
    place = house.files.collection(identity)
    place.mkdir(mode=0o700)
    Aggregate.empty(asked).save(place / COUNTS)
    return identity


def counted(house: House, row: dict[str, Any]) -> Aggregate:
    """What has come in of a collection."""
    from cobogo.ldp.aggregate import Aggregate

    return Aggregate.load(asked_by(row["toml"]), house.files.collection(row["id"]) / COUNTS)


def take(house: House, row: dict[str, Any], content: bytes) -> int:
    """Count messages of the wire format, all of them or, where one is none, nothing; how many reports there were."""
    from cobogo.ldp.aggregate import Aggregate
    from cobogo.ldp.wire import parse

    asked = asked_by(row["toml"])
    new = Aggregate.of(asked, *parse(asked, content))
    place = house.files.collection(row["id"]) / COUNTS
    with _adding:
        (Aggregate.load(asked, place) + new).save(place)
    return new.users
