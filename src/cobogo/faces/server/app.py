"""The application: routes, the middleware before them, and how errors become answers.

An error of ours becomes an answer with the same words; anything else becomes "500" without a word about the cause,
whose kind goes to the log of the process.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.middleware.base import BaseHTTPMiddleware

from cobogo import __version__
from cobogo.errors import AnswerIsNo, CobogoError
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.files import TooLarge
from cobogo.faces.server.middleware import API, RequestLog, RequestSizeLimit, Telemetry, plain_problem
from cobogo.faces.server.queue import Busy, Queue
from cobogo.faces.server.routes import books, collecting, datasets, jobs, keys
from cobogo.faces.server.services import Services
from cobogo.faces.server.services.operation import NotFound, ScopeMissing, Unavailable
from cobogo.faces.server.settings import MEGABYTE, ServerSettings
from cobogo.faces.server.sources import NoSource, SourceAway
from cobogo.faces.server.state import StateError
from cobogo.floor.language import Text, to_json

LOG = logging.getLogger("cobogo.faces.server")

ROUTERS = (keys.router, datasets.router, jobs.router, books.router, books.curator, collecting.router)
"""The routes under `API`; those of the anonymizer are made where the settings name it."""

PUBLISHED = {"KeyRole": "Role", "KeyScope": "Scope", "ProblemShown": "Problem", "SuggestionShown": "Suggestion"}
"""What clients know schemas by, where our classes have longer names."""


def create_app(settings: ServerSettings, *, context: ServerContext | None = None) -> FastAPI:
    """The server as an ASGI application."""
    this = context or ServerContext(settings)
    queue = Queue(this)
    service = Services(this, queue)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001
        service.datasets.forget_unfinished()
        queue.start()
        yield
        queue.stop()
        this.close()

    app = FastAPI(
        title="Cobogó",
        version=__version__,
        description="Share the use of data about people without exposing anyone.",
        lifespan=lifespan,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    telemetry = Telemetry()
    app.state.context, app.state.queue, app.state.service, app.state.telemetry = this, queue, service, telemetry
    api = APIRouter(prefix=API)
    for router in ROUTERS:
        api.include_router(router)
    if settings.location is not None:
        from cobogo.faces.server.routes import locating

        api.include_router(locating.router(settings))
    app.include_router(api)
    app.include_router(keys.watching)
    app.add_middleware(RequestSizeLimit, most=(settings.limits.upload_megabytes + 1) * MEGABYTE, context=this)
    app.add_middleware(BaseHTTPMiddleware, dispatch=RequestLog(this.state, telemetry, encrypted=settings.encrypted))
    app.openapi = lambda: _publish_names(app)  # type: ignore[method-assign]
    app.add_exception_handler(CobogoError, _render_own_error)
    app.add_exception_handler(HTTPException, _render_http_error)
    app.add_exception_handler(RequestValidationError, _render_invalid_request)
    return app


def _publish_names(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the published names of schemas."""
    if app.openapi_schema is None:
        text = json.dumps(FastAPI.openapi(app))
        for name, published in PUBLISHED.items():
            text = text.replace(f'"{name}"', f'"{published}"').replace(f'/{name}"', f'/{published}"')
        app.openapi_schema = json.loads(text)
    return app.openapi_schema


def _render_own_error(request: Request, error: Any) -> Response:
    if isinstance(error.__cause__, CobogoError):  # what whoever asks is not told
        LOG.error("%s: %s", error.where, error.__cause__)
    shown = request.app.state.context.settings.hide_in_error(error)
    parts = {"detail": shown.what, "where": shown.where, "remedy": shown.remedy}
    templates = {name: to_json(part) for name, part in parts.items() if isinstance(part, Text)}
    return JSONResponse({**parts, "code": shown.code, "templates": templates}, _status(error))


def _status(error: CobogoError) -> int:
    match error:
        case TooLarge():
            return 413
        case Busy():
            return 429
        case ScopeMissing():
            return 403
        case NotFound() | NoSource():
            return 404
        case StateError() | SourceAway() | Unavailable():
            return 503
        case AnswerIsNo():
            return 409
        case _:
            return 400


def _render_http_error(request: Request, error: Any) -> Response:  # noqa: ARG001
    return JSONResponse(plain_problem(str(error.detail)), error.status_code, error.headers)


def _render_invalid_request(request: Request, error: Any) -> Response:  # noqa: ARG001
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return JSONResponse(plain_problem(first["msg"], where), 422)
