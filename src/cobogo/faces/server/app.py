"""The application: routes, what stands before them, and how errors are said.

An error of ours becomes an answer with the same words; anything else becomes "500" without a word about the cause,
whose kind goes to the log of the process.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.middleware.base import BaseHTTPMiddleware

from cobogo import __version__
from cobogo.errors import AnswerIsNo, CobogoError
from cobogo.faces.server.figures import Figures
from cobogo.faces.server.files import TooLarge
from cobogo.faces.server.house import House
from cobogo.faces.server.intake import SizeLimit
from cobogo.faces.server.queue import Busy, Queue
from cobogo.faces.server.routes import asking, books, collecting, datasets, jobs, keys, watching
from cobogo.faces.server.settings import MEGABYTE, Settings
from cobogo.faces.server.sources import NoSource, SourceAway
from cobogo.faces.server.state import State, StateError
from cobogo.faces.server.tables import forget_unfinished

LOG = logging.getLogger("cobogo.faces.server")

SUBJECTS = (keys, datasets, jobs, books, asking, collecting)
"""The modules whose routes lie under `API`; those of the anonymizer are made where the settings name it."""

API = "/api/v1"

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}

PAGES = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)
"""What a page of the workbench may load: what comes from this server. Its templates are compiled in the browser."""

ENCRYPTED = {"Strict-Transport-Security": "max-age=31536000"}


def create_app(settings: Settings, *, house: House | None = None) -> FastAPI:
    """The server as an ASGI application."""
    this = house or House(settings)
    queue = Queue(this)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001
        forget_unfinished(this)
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
    app.state.house, app.state.queue, app.state.figures = this, queue, Figures()
    api = APIRouter(prefix=API)
    for module in SUBJECTS:
        api.include_router(module.router)
    if settings.location is not None:
        from cobogo.faces.server.routes import locating

        api.include_router(locating.router(settings))
    app.include_router(api)
    app.include_router(watching.router)
    app.add_middleware(SizeLimit, most=(settings.limits.upload_megabytes + 1) * MEGABYTE, house=this)
    app.add_middleware(BaseHTTPMiddleware, dispatch=Noted(this.state, app.state.figures, encrypted=settings.encrypted))
    app.add_exception_handler(CobogoError, _ours)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _misshapen)
    return app


class Noted:
    """Counts a request, writes it in the log where somebody made it with a key, and hardens its answer."""

    def __init__(self, state: State, figures: Figures, *, encrypted: bool) -> None:
        self.state = state
        self.figures = figures
        self.headers = HEADERS | (ENCRYPTED if encrypted else {})

    async def __call__(self, request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        began = time.perf_counter()
        try:
            response = await go_on(request)
        except Exception as error:
            LOG.exception("a request failed: %s", type(error).__name__, exc_info=False)
            response = JSONResponse({"detail": "Something went wrong here. It is in the server's log."}, 500)
        page = response.headers.get("content-type", "").startswith("text/html")
        for name, value in (self.headers | ({"Content-Security-Policy": PAGES} if page else {})).items():
            response.headers.setdefault(name, value)
        path = _template(request)
        self.figures.note(request.method, path, response.status_code, time.perf_counter() - began)
        holder = getattr(request.state, "holder", None)
        if holder is not None and not (getattr(request.state, "unlogged", False) and response.status_code < 400):
            await run_in_threadpool(
                self.state.note,
                owner=holder.owner,
                role=holder.role.value,
                key=holder.key,
                action=f"{request.method} {path}",
                what=str(getattr(request.state, "what", request.path_params.get("identity", ""))),
                status=response.status_code,
            )
        return response


def _template(request: Request) -> str:
    """The address of a request without what it is about. A route knows only the part of it after its router's."""
    route, path = request.scope.get("route"), str(request.scope["path"])
    if route is None or not path.startswith(API):
        return str(getattr(route, "path", "unknown"))
    names = {str(value): name for name, value in request.path_params.items()}
    parts = path.removeprefix(API).split("/")
    return "/".join(f"{{{names[part]}}}" if part in names else part for part in parts)


def _ours(request: Request, error: Any) -> Response:
    if isinstance(error.__cause__, CobogoError):  # what whoever asks is not told
        LOG.error("%s: %s", error.where, error.__cause__)
    unplaced = request.app.state.house.settings.unplaced
    parts = {"detail": error.what, "where": error.where, "remedy": error.remedy}
    content = {name: unplaced(text) for name, text in parts.items()}
    return JSONResponse(content, _status(error))


def _status(error: CobogoError) -> int:
    match error:
        case TooLarge():
            return 413
        case Busy():
            return 429
        case NoSource():
            return 404
        case StateError() | SourceAway():
            return 503
        case AnswerIsNo():
            return 409
        case _:
            return 400


def _refused(request: Request, error: Any) -> Response:  # noqa: ARG001
    return JSONResponse({"detail": str(error.detail), "where": None, "remedy": None}, error.status_code, error.headers)


def _misshapen(request: Request, error: Any) -> Response:  # noqa: ARG001
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return JSONResponse({"detail": first["msg"], "where": where, "remedy": None}, 422)
