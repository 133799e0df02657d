"""What every request passes: a limit on its size, a line of the log, figures for Prometheus, security headers.

No request is read beyond the limit, whatever it says its length is. Uploads go to the disk, block by block, and may be
large if the sender may upload, with a key or from a browser in which they are logged in; everything else is read into
memory. The sender is identified before the body is read.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from starlette.concurrency import run_in_threadpool

from cobogo.faces.server.keys import TooMany, recognise
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.state import ServerState

if TYPE_CHECKING:
    from cobogo.faces.server.context import ServerContext

LOG = logging.getLogger("cobogo.faces.server")

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


REQUEST = "COBOGO-REQUEST"
"""The code of a problem with a request itself, before any operation: its key, its address, its size, its shape."""


def plain_problem(detail: str, where: str | None = None) -> dict[str, Any]:
    """The body of an answer to a request that cannot be served."""
    return {"detail": detail, "where": where, "remedy": None, "code": REQUEST, "templates": {}}


class Telemetry:
    """Requests by route and outcome, and how long they took. No names, no values."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "cobogo_requests_total", "Requests", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram("cobogo_request_seconds", "Seconds a request takes", registry=self._registry)

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.observe(seconds)

    def text(self) -> str:
        """The figures in Prometheus' format."""
        return generate_latest(self._registry).decode()


class RequestLog:
    """Counts each request, writes those with a valid key in the log, and adds security headers to the answer."""

    def __init__(self, state: ServerState, telemetry: Telemetry, *, encrypted: bool) -> None:
        self.state = state
        self.telemetry = telemetry
        self.headers = HEADERS | (ENCRYPTED if encrypted else {})

    async def __call__(self, request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        began = time.perf_counter()
        try:
            response = await go_on(request)
        except Exception as error:
            LOG.exception("a request failed: %s", type(error).__name__, exc_info=False)
            response = JSONResponse(plain_problem("Something went wrong. The server's log has the details."), 500)
        page = response.headers.get("content-type", "").startswith("text/html")
        for name, value in (self.headers | ({"Content-Security-Policy": PAGES} if page else {})).items():
            response.headers.setdefault(name, value)
        path = _template(request)
        self.telemetry.note(request.method, path, response.status_code, time.perf_counter() - began)
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


ASGI = Any

FORM = b"multipart/form-data"

IN_MEMORY = 17 << 20
"""Bytes of a request that is no upload: reports come in messages of up to 16 MB."""


class RequestSizeLimit:
    """Ends a request whose body is larger than may be, before it fills a disk or the memory."""

    def __init__(self, app: ASGI, most: int, context: ServerContext) -> None:
        self.app = app
        self.most = most
        self.context = context

    async def __call__(self, scope: ASGI, receive: ASGI, send: ASGI) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        try:
            uploads = headers.get(b"content-type", b"").startswith(FORM) and await self._uploads(scope, headers)
        except TooMany:
            await _refuse(send, 429, "Too many attempts. Wait a minute.")
            return
        most = self.most if uploads else min(self.most, IN_MEMORY)
        said = headers.get(b"content-length", b"0")
        if said.isdigit() and int(said) > most:
            await _refuse(send)
            return
        size, over, begun = 0, False, False

        async def receive_within_limit() -> ASGI:
            nonlocal size, over
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
                over = True
                raise _Over
            return message

        async def send_unless_over(message: ASGI) -> None:
            nonlocal begun
            if over and not begun:
                return
            begun = True
            await send(message)

        with suppress(_Over):
            await self.app(scope, receive_within_limit, send_unless_over)
        if over and not begun:
            await _refuse(send)

    async def _uploads(self, scope: ASGI, headers: dict[bytes, bytes]) -> bool:
        """Whether the sender of a form may upload. Without a valid key nothing is written to disk."""
        scheme, _, key = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() == "bearer":
            address = (scope.get("client") or ["?"])[0]
            holder = await run_in_threadpool(recognise, self.context, address, key.strip())
        else:
            holder = await run_in_threadpool(self.context.browsers, scope.get("session", {}).get("id", ""))
        return holder is not None and KeyScope.DATA in holder.scopes


class _Over(Exception):
    """The body is larger than may be."""


async def _refuse(send: ASGI, status: int = 413, what: str = "The request is larger than this server accepts.") -> None:
    body = json.dumps(plain_problem(what)).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
