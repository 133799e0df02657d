"""What routes share: what they may answer beside what is asked for, and how a thing is found."""

from __future__ import annotations

from typing import Any

from fastapi import HTTPException
from sqlalchemy import Table

from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.schemas import Problem

REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": said}
    for code, said in {
        400: "The request is wrong.",
        401: "No valid key.",
        403: "The key may not do that.",
        404: "There is no such thing, or it is somebody else's.",
        409: "The answer is no, or not now.",
        413: "Too large.",
        422: "The request is not of the right shape.",
        429: "Too many requests.",
        503: "What this needs cannot be used now.",
    }.items()
}
"""What every route may answer instead."""


def found(context: ServerContext, table: Table, identity: str, holder: Holder, *, own: bool = False) -> dict[str, Any]:
    """A thing that somebody may see. What is not there and what is somebody else's are told apart by nobody."""
    row = context.state.get(table, identity, holder.owner if own else holder.sees)
    if row is None:
        raise HTTPException(404, "There is no such thing, or it is not yours.")
    return row
