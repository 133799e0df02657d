"""Keys, the log, and who one is."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query

from cobogo.faces.server.access import house, needs, present
from cobogo.faces.server.house import House
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import Scope
from cobogo.faces.server.routes.common import REFUSALS
from cobogo.faces.server.shapes import Identity, KeyMade, KeyShown, KeyWanted, LogLine, Who

router = APIRouter(tags=["keys"], responses=REFUSALS)
Here = Annotated[House, Depends(house)]


@router.get("/me")
def me(holder: Annotated[Holder, Depends(present)]) -> Who:
    """Whose key this is, and what it may do."""
    return Who(owner=holder.owner, role=holder.role, scopes=sorted(holder.scopes))


@router.post("/keys", status_code=201)
def make(this: Here, holder: Annotated[Holder, needs(Scope.KEYS)], wanted: KeyWanted) -> KeyMade:  # noqa: ARG001
    """Make a key. Its text is in the answer and nowhere else."""
    scopes = None if wanted.scopes is None else [scope.value for scope in wanted.scopes]
    identity, text = this.keys.create(wanted.owner, wanted.role, scopes=scopes, days=wanted.days)
    return KeyMade(id=identity, key=text)


@router.get("/keys")
def keys(this: Here, holder: Annotated[Holder, needs(Scope.KEYS)]) -> list[KeyShown]:  # noqa: ARG001
    """All keys, without their secrets."""
    return [KeyShown.model_validate(row) for row in this.keys.listed()]


@router.delete("/keys/{identity}", status_code=204)
def revoke(this: Here, holder: Annotated[Holder, needs(Scope.KEYS)], identity: Identity) -> None:  # noqa: ARG001
    """End a key now."""
    if not this.keys.revoke(identity):
        raise HTTPException(404, "There is no such key, or it has ended.")


@router.get("/log")
def log(
    this: Here,
    holder: Annotated[Holder, needs(Scope.AUDIT)],  # noqa: ARG001
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000,
) -> list[LogLine]:
    """Who did what, in order."""
    return [LogLine.model_validate(row) for row in this.state.log(after, limit)]
