"""What the server notes of every request: figures for Prometheus, a line of the log, headers that harden the answer."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable

from fastapi import Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from starlette.concurrency import run_in_threadpool

from cobogo.faces.server.state import ServerState

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


class Telemetry:
    """Requests by route and outcome, and how long they took. No names, no values."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "cobogo_requests_total", "Requests", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram("cobogo_request_seconds", "Seconds a request takes", registry=self._registry)

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request more."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.observe(seconds)

    def text(self) -> str:
        """In Prometheus' format."""
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
            response = JSONResponse({"detail": "Something went wrong here. It is in the server's log."}, 500)
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
