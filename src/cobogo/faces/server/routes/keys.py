"""Keys, the log, who one is; health and figures, for those who keep the server running."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import PlainTextResponse, Response

from cobogo import __version__
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.routes.dependencies import REFUSALS, Here, may, present
from cobogo.faces.server.schemas import Health, Identity, KeyMade, KeyShown, KeyWanted, LogLine, Who
from cobogo.faces.server.services.jobs import JobService
from cobogo.faces.server.services.keys import KeyService

router = APIRouter(tags=["keys"], responses=REFUSALS)


@router.get("/me")
def me(holder: Annotated[Holder, Depends(present)]) -> Who:
    """Whose key this is, and what it may do."""
    return Who(owner=holder.owner, role=holder.role, scopes=sorted(holder.scopes))


@router.post("/keys", status_code=201)
def make(this: Here, holder: Annotated[Holder, may(KeyService.create)], wanted: KeyWanted) -> KeyMade:
    """Make a key. Its text is in the answer and nowhere else."""
    scopes = None if wanted.scopes is None else [scope.value for scope in wanted.scopes]
    identity, text = this.keys.create(holder, wanted.owner, wanted.role, scopes=scopes, days=wanted.days)
    return KeyMade(id=identity, key=text)


@router.get("/keys")
def keys(this: Here, holder: Annotated[Holder, may(KeyService.list_all)]) -> list[KeyShown]:
    """All keys, without their secrets."""
    return [KeyShown.model_validate(row) for row in this.keys.list_all(holder)]


@router.delete("/keys/{identity}", status_code=204)
def revoke(this: Here, holder: Annotated[Holder, may(KeyService.revoke)], identity: Identity) -> None:
    """End a key now."""
    this.keys.revoke(holder, identity)


@router.get("/log")
def log(
    this: Here,
    holder: Annotated[Holder, may(KeyService.read_log)],
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000,
) -> list[LogLine]:
    """Who did what, in order."""
    return [LogLine.model_validate(row) for row in this.keys.read_log(holder, after, limit)]


TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}
watching = APIRouter(tags=["server"], responses=REFUSALS)


@watching.get("/health")
def health(this: Here) -> Health:
    """Whether the server answers and its state can be read. Needs no key."""
    this.keys.check_health()
    return Health(status="ok", version=__version__)


@watching.get("/metrics", response_class=Response, responses=TEXT)
def metrics(
    request: Request,
    this: Here,
    holder: Annotated[Holder, may(JobService.count_states)],
) -> Response:
    """Figures in Prometheus' format."""
    jobs = this.jobs.count_states(holder)
    lines = ["# HELP cobogo_jobs Jobs by state", "# TYPE cobogo_jobs gauge"]
    lines += [f'cobogo_jobs{{state="{state}"}} {count}' for state, count in sorted(jobs.items())]
    found: str = request.app.state.telemetry.text()
    return PlainTextResponse(found + "\n".join(lines) + "\n")
