"""Health and figures, for those who keep the server running."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

from cobogo import __version__
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.routes.dependencies import REFUSALS, Here, may
from cobogo.faces.server.schemas import Health
from cobogo.faces.server.services.jobs import JobService

TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}
router = APIRouter(tags=["server"], responses=REFUSALS)


@router.get("/health")
def health(this: Here) -> Health:
    """Whether the server answers and its state can be read. Needs no key."""
    this.keys.check_health()
    return Health(status="ok", version=__version__)


@router.get("/metrics", response_class=Response, responses=TEXT)
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
