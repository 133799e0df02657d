"""Health and figures, for those who keep the server running."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, Response

from cobogo import __version__
from cobogo.faces.server.access import house, needs
from cobogo.faces.server.house import House
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import Scope
from cobogo.faces.server.routes.common import REFUSALS
from cobogo.faces.server.shapes import Health
from cobogo.faces.server.state import JOBS

TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}
router = APIRouter(tags=["server"], responses=REFUSALS)


@router.get("/health")
def health(this: Annotated[House, Depends(house)]) -> Health:
    """Whether the server answers and its state can be read. Needs no key."""
    this.state.log(limit=1)
    return Health(status="ok", version=__version__)


@router.get("/metrics", response_class=Response, responses=TEXT)
def metrics(
    request: Request,
    this: Annotated[House, Depends(house)],
    holder: Annotated[Holder, needs(Scope.METRICS)],  # noqa: ARG001
) -> Response:
    """Figures in Prometheus' format."""
    jobs = Counter(row["state"] for row in this.state.rows(JOBS))
    lines = ["# HELP cobogo_jobs Jobs by state", "# TYPE cobogo_jobs gauge"]
    lines += [f'cobogo_jobs{{state="{state}"}} {count}' for state, count in sorted(jobs.items())]
    found: str = request.app.state.figures.text()
    return PlainTextResponse(found + "\n".join(lines) + "\n")
