"""The trusted anonymizer over HTTP: devices hand in positions with collectors' keys, stewards look after mix zones.

Positions come in bodies only and are kept in memory only; a device's requests are not in the log.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends

from cobogo.errors import InputError
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.routes.dependencies import REFUSALS, may, present
from cobogo.faces.server.schemas import ProblemShown
from cobogo.faces.server.settings import ServerSettings
from cobogo.locate.anonymizer.app import Access
from cobogo.locate.anonymizer.app import router as routes
from cobogo.locate.anonymizer.example_service import PlacesService
from cobogo.locate.anonymizer.start import ServerDirectory, assemble_server

BEHIND: dict[int | str, dict[str, Any]] = {
    502: {"model": ProblemShown, "description": "The location-based service did not answer."}
}


def _person(holder: Annotated[Holder, may(KeyScope.REPORT)]) -> str:
    return holder.owner


def _operator(holder: Annotated[Holder, may(KeyScope.COLLECT)]) -> str:
    return holder.owner


def _anybody(holder: Annotated[Holder, Depends(present)]) -> str:
    return holder.owner


def router(settings: ServerSettings) -> APIRouter:
    """The anonymizer that the settings describe. Its budgets and its secret lie in the state's directory."""
    assert settings.location is not None
    options = settings.location.model_dump()
    behind = options.pop("service")
    try:
        server = assemble_server(ServerDirectory.create(Path(settings.state) / "location"), **options)
    except InputError as error:
        where = f"location.{(error.where or '').removeprefix('--')}"
        raise InputError(error.what, where=where, remedy=error.remedy, code=error.code) from None
    found = APIRouter(prefix="/location", tags=["location"], responses={**REFUSALS, **BEHIND})
    door = Access(person=_person, operator=_operator, anybody=_anybody)
    found.include_router(routes(server, door, service=None if behind is None else PlacesService(behind)))
    return found
