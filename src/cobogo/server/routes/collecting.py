"""Collections: a steward describes a question, clients hand in randomized reports, and the counts are decoded.

Only sums are kept: a report is counted and forgotten, and nothing says whose it was or when it came.
"""

from __future__ import annotations

import threading
import tomllib
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request

from cobogo.errors import PolicyError
from cobogo.server.access import house, needs
from cobogo.server.house import House
from cobogo.server.keys import Holder
from cobogo.server.roles import Scope
from cobogo.server.routes.common import REFUSALS, found
from cobogo.server.shapes import CollectionShown, CollectionWanted, Identity, Received
from cobogo.server.state import COLLECTIONS

router = APIRouter(prefix="/collections", tags=["collections"], responses=REFUSALS)
Here = Annotated[House, Depends(house)]
Steward = Annotated[Holder, needs(Scope.COLLECT)]
Collector = Annotated[Holder, needs(Scope.REPORT)]

COUNTS = "counts"
MOST = 16 << 20
BYTES: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}

_adding = threading.Lock()


@router.post("", status_code=201)
def begin(this: Here, holder: Steward, wanted: CollectionWanted) -> CollectionShown:
    """Open a collection."""
    asked = _collection(wanted.toml)
    from cobogo.ldp.aggregate import Aggregate

    identity = this.state.add(COLLECTIONS, owner=holder.owner, name=asked.name, toml=wanted.toml)
    place = this.files.collection(identity)
    place.mkdir(mode=0o700)
    Aggregate.empty(asked).save(place / COUNTS)
    return _shown(this, found(this, COLLECTIONS, identity, holder, own=True))


@router.get("")
def listed(this: Here, holder: Steward) -> list[CollectionShown]:
    """One's own collections, the latest first."""
    return [_shown(this, row) for row in this.state.rows(COLLECTIONS, holder.owner)]


@router.get("/{identity}")
def described(this: Here, holder: Collector, identity: Identity) -> dict[str, Any]:  # noqa: ARG001
    """What clients need to know of a collection."""
    return dict(_collection(_row(this, identity)["toml"]).as_dict())


@router.post("/{identity}/reports", status_code=202, openapi_extra=BYTES)
async def report(this: Here, holder: Collector, identity: Identity, request: Request) -> Received:  # noqa: ARG001
    """Hand in reports: one message of the wire format, or several after one another."""
    from starlette.concurrency import run_in_threadpool

    content = b""
    async for block in request.stream():
        content += block
        if len(content) > MOST:
            raise HTTPException(413, "More than 16 MB of reports at once.")
    return Received(reports=await run_in_threadpool(_counted, this, identity, content))


@router.get("/{identity}/estimates")
def estimates(
    this: Here, holder: Steward, identity: Identity, level: Annotated[float, Query(gt=0, lt=1)] = 0.05
) -> dict[str, Any]:
    """What the reports tell so far, with standard errors."""
    from cobogo.ldp.aggregate import Aggregate

    asked = _collection(found(this, COLLECTIONS, identity, holder, own=True)["toml"])
    counts = Aggregate.load(asked, this.files.collection(identity) / COUNTS)
    return dict(counts.findings(level=level).as_dict())


def _counted(this: House, identity: str, content: bytes) -> int:
    from cobogo.ldp.aggregate import Aggregate
    from cobogo.ldp.wire import parse

    asked = _collection(_row(this, identity)["toml"])
    new = Aggregate.of(asked, *parse(asked, content))
    place = this.files.collection(identity) / COUNTS
    with _adding:
        (Aggregate.load(asked, place) + new).save(place)
    return new.users


def _row(this: House, identity: str) -> dict[str, Any]:
    row = this.state.get(COLLECTIONS, identity)
    if row is None:
        raise HTTPException(404, "There is no such collection.")
    return row


def _collection(text: str) -> Any:
    """The description of a text, which may name no file."""
    from cobogo.ldp.collection import Collection

    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"is not TOML: {error}", where="collection") from None
    table = content.get("collection")
    for key in ("values", "candidates"):
        if isinstance(table, dict) and isinstance(table.get(key), dict):
            raise PolicyError("may name no file on a server", where=f"collection.{key}", remedy="Give the list itself.")
    return Collection.of(content, name="collection")


def _shown(this: House, row: dict[str, Any]) -> CollectionShown:
    from cobogo.ldp.aggregate import Aggregate

    counts = Aggregate.load(_collection(row["toml"]), this.files.collection(row["id"]) / COUNTS)
    return CollectionShown(id=row["id"], name=row["name"], reports=counts.users, created=row["created"])
