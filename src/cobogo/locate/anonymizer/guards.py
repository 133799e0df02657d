"""What stands before the routes: bodies of a bounded size and a strict form, and errors that never repeat them."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from cobogo.errors import AnswerIsNo, BudgetSpent, CobogoError, NoSolution

LOG = logging.getLogger("cobogo.locate")

LARGEST = 256 * 1024
"""Bytes that a body may have: some 1,000 positions."""


class BodyLimit:
    """Reads a body before the application does, and refuses one that is too large, whatever its header says. Of an
    unexpected error it logs the type and the line only: the message may quote somebody's position."""

    def __init__(self, app: Any, largest: int = LARGEST) -> None:
        self._app, self._largest = app, largest

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        parts, read, more = [], 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return
            parts.append(message.get("body", b""))
            read, more = read + len(parts[-1]), message.get("more_body", False)
            if read > self._largest:
                await JSONResponse({"error": "the request is too large"}, 413)(scope, receive, send)
                return
        whole = iter([{"type": "http.request", "body": b"".join(parts), "more_body": False}])

        async def receive_body() -> Any:
            return next(whole, None) or await receive()

        begun = False

        async def send_on(message: Any) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive_body, send_on)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            LOG.error("an error: %s in %s, line %d", type(error).__name__, Path(place.filename).name, place.lineno)
            if not begun:
                await JSONResponse({"error": "an error of the server"}, 500)(scope, receive, send)


def guard(app: FastAPI) -> None:
    """Limit bodies, and answer every error as JSON that repeats nothing of the request."""
    app.add_middleware(BodyLimit)

    @app.exception_handler(RequestValidationError)
    async def answer_invalid(request: Request, error: RequestValidationError) -> JSONResponse:  # noqa: ARG001
        fields = [{"where": ".".join(map(str, one["loc"][1:])), "what": one["msg"]} for one in error.errors()]
        return JSONResponse(
            {"error": "the request does not have the form that this address takes", "fields": fields}, 422
        )

    @app.exception_handler(HTTPException)
    async def answer_refusal(request: Request, error: HTTPException) -> JSONResponse:  # noqa: ARG001
        return JSONResponse({"error": error.detail}, error.status_code, error.headers)

    @app.exception_handler(CobogoError)
    async def answer_error(request: Request, error: CobogoError) -> JSONResponse:  # noqa: ARG001
        status = 422
        if isinstance(error, AnswerIsNo):
            status = 429 if isinstance(error, BudgetSpent) else 409 if isinstance(error, NoSolution) else 500
        return JSONResponse({"error": error.what, "where": error.where, "remedy": error.remedy}, status)


MOST = 1000
"""Positions in one request."""


class Strict(BaseModel):
    """No field that is not known, no text for a number, nothing infinite."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, hide_input_in_errors=True)


class Where(Strict):
    """A position; without a time it is now."""

    lon: float = Field(ge=-180, le=180)
    lat: float = Field(ge=-90, le=90)
    time: float | None = Field(default=None, ge=0)


class Locations(Strict):
    """Positions of one device, and whether the service may know them now or only after the trip."""

    positions: list[Where] = Field(min_length=1, max_length=MOST)
    release: Literal["current", "accumulated"] = "current"
    trip: str | None = Field(default=None, min_length=1, max_length=100)


class Wanted(Strict):
    """What a cloak must satisfy."""

    k: int | None = Field(default=None, ge=2, le=100_000)
    min_area: float | None = Field(default=None, ge=0)
    max_area: float | None = Field(default=None, gt=0)
    max_wait: float = Field(default=0.0, ge=0)


class NearestQuestion(Wanted):
    """The nearest places, asked under a cloak."""

    count: int = Field(default=1, ge=1, le=50)
    kind: str | None = Field(default=None, max_length=50)


class Zone(Strict):
    """A mix zone."""

    name: str = Field(min_length=1, max_length=100)
    lon: float = Field(ge=-180, le=180)
    lat: float = Field(ge=-90, le=90)
    radius: float = Field(gt=0, lt=100_000)
    least: int = Field(default=3, ge=2)
    otherwise: Literal["keep", "silent"] = "keep"
    bits: float = Field(default=0.9, gt=0, le=10)


class SearchArea(Strict):
    """An area that the example service is asked about."""

    lon: float = Field(ge=-180, le=180)
    lat: float = Field(ge=-90, le=90)
    radius: float = Field(default=0.0, ge=0, le=2.1e7)


class HeardReport(Strict):
    """What the example service learns about somebody: a rectangle, a span of time, perhaps a name."""

    box: list[float] = Field(min_length=4, max_length=4)
    since: float
    until: float
    identity: str | None = Field(default=None, max_length=200)


class Hearsay(Strict):
    """Several reports for the example service."""

    reports: list[HeardReport] = Field(max_length=20_000)


class Search(Strict):
    """A question to the example service."""

    areas: list[SearchArea] = Field(min_length=1, max_length=200)
    count: int = Field(default=1, ge=1, le=50)
    kind: str | None = Field(default=None, max_length=50)
    identity: str | None = Field(default=None, max_length=200)
