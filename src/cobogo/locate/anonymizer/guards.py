"""What stands before the routes: bodies of a bounded size, and errors that never repeat what was sent."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
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
