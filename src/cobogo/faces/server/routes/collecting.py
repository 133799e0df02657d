"""Collections: a steward describes a question, clients hand in randomized reports, and the counts are decoded.

Only sums are kept: a report is counted and forgotten, and nothing says whose it was or when it came.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Query, Request

from cobogo.faces.server.keys import Holder
from cobogo.faces.server.routes.dependencies import REFUSALS, Here, may
from cobogo.faces.server.schemas import CollectionShown, CollectionWanted, Identity, Received
from cobogo.faces.server.services.collections import CollectionService

router = APIRouter(prefix="/collections", tags=["collections"], responses=REFUSALS)

MOST = 16 << 20
BYTES: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.post("", status_code=201)
def begin(
    this: Here, holder: Annotated[Holder, may(CollectionService.begin)], wanted: CollectionWanted
) -> CollectionShown:
    """Open a collection."""
    return _present(this.collections.get(holder, this.collections.begin(holder, wanted.toml)))


@router.get("")
def listed(this: Here, holder: Annotated[Holder, may(CollectionService.list_all)]) -> list[CollectionShown]:
    """One's own collections, the latest first."""
    return [_present(row) for row in this.collections.list_all(holder)]


@router.get("/{identity}")
def described(
    this: Here, holder: Annotated[Holder, may(CollectionService.describe)], identity: Identity
) -> dict[str, Any]:
    """What clients need to know of a collection."""
    return this.collections.describe(holder, identity)


@router.post("/{identity}/reports", status_code=202, openapi_extra=BYTES)
async def report(
    this: Here,
    holder: Annotated[Holder, may(CollectionService.take)],
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
    take = this.collections.take
    return Received(reports=await run_in_threadpool(take, holder, identity, bytes(content), idempotency_key))


@router.get("/{identity}/estimates")
def estimates(
    this: Here,
    holder: Annotated[Holder, may(CollectionService.count)],
    identity: Identity,
    level: Annotated[float, Query(gt=0, lt=1)] = 0.05,
) -> dict[str, Any]:
    """What the reports tell so far, with standard errors."""
    return dict(this.collections.count(holder, identity).findings(level=level).as_dict())


def _present(row: dict[str, Any]) -> CollectionShown:
    return CollectionShown(id=row["id"], name=row["name"], reports=row["reports"], created=row["created"])
