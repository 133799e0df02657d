"""Collections: a steward describes a question, clients hand in randomized reports, and the counts are decoded.

Only sums are kept: a report is counted and forgotten, and nothing says whose it was or when it came.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, HTTPException, Query, Request

from cobogo.faces.server import collecting
from cobogo.faces.server.access import house, needs
from cobogo.faces.server.house import House
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import Scope
from cobogo.faces.server.routes.common import REFUSALS, found
from cobogo.faces.server.shapes import CollectionShown, CollectionWanted, Identity, Received
from cobogo.faces.server.state import COLLECTIONS

router = APIRouter(prefix="/collections", tags=["collections"], responses=REFUSALS)
Here = Annotated[House, Depends(house)]
Steward = Annotated[Holder, needs(Scope.COLLECT)]
Collector = Annotated[Holder, needs(Scope.REPORT)]

MOST = 16 << 20
BYTES: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.post("", status_code=201)
def begin(this: Here, holder: Steward, wanted: CollectionWanted) -> CollectionShown:
    """Open a collection."""
    identity = collecting.begin(this, holder.owner, wanted.toml)
    return _shown(this, found(this, COLLECTIONS, identity, holder, own=True))


@router.get("")
def listed(this: Here, holder: Steward) -> list[CollectionShown]:
    """One's own collections, the latest first."""
    return [_shown(this, row) for row in this.state.rows(COLLECTIONS, holder.owner)]


@router.get("/{identity}")
def described(this: Here, holder: Collector, identity: Identity) -> dict[str, Any]:  # noqa: ARG001
    """What clients need to know of a collection."""
    return dict(collecting.asked_by(_row(this, identity)["toml"]).as_dict())


@router.post("/{identity}/reports", status_code=202, openapi_extra=BYTES)
async def report(
    this: Here,
    holder: Collector,  # noqa: ARG001
    identity: Identity,
    request: Request,
    idempotency_key: Annotated[str | None, Header(min_length=8, max_length=200, pattern=r"^[!-~]+$")] = None,
) -> Received:
    """Hand in reports: one message of the wire format, or several after one another, the more the better.

    What is answered was written down. Whoever got no answer sends the same again with the same Idempotency-Key, a
    random text: then it is counted once.
    """
    from starlette.concurrency import run_in_threadpool

    content = bytearray()
    async for block in request.stream():
        content += block
        if len(content) > MOST:
            raise HTTPException(413, "More than 16 MB of reports at once.")
    return Received(reports=await run_in_threadpool(_taken, this, identity, bytes(content), idempotency_key))


@router.get("/{identity}/estimates")
def estimates(
    this: Here, holder: Steward, identity: Identity, level: Annotated[float, Query(gt=0, lt=1)] = 0.05
) -> dict[str, Any]:
    """What the reports tell so far, with standard errors."""
    counts = collecting.counted(this, found(this, COLLECTIONS, identity, holder, own=True))
    return dict(counts.findings(level=level).as_dict())


def _taken(this: House, identity: str, content: bytes, key: str | None) -> int:
    return collecting.take(this, _row(this, identity), content, key)


def _row(this: House, identity: str) -> dict[str, Any]:
    row = this.state.get(COLLECTIONS, identity)
    if row is None:
        raise HTTPException(404, "There is no such collection.")
    return row


def _shown(this: House, row: dict[str, Any]) -> CollectionShown:
    reports = collecting.counted(this, row).users
    return CollectionShown(id=row["id"], name=row["name"], reports=reports, created=row["created"])
