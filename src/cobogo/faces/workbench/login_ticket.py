"""Logging in: the browser gets a new session name, so that an attacker who knew the old one gains nothing.

A page cannot change a browser's cookie; an answer to a request can. So whoever gives a valid key is sent, with a ticket
that is good once and for a minute, to an address that changes the cookie.
"""

from __future__ import annotations

import html
import secrets
import time
from typing import TYPE_CHECKING

from fastapi import Request
from fastapi.responses import HTMLResponse
from nicegui import app

from cobogo.faces.server.keys import Holder

if TYPE_CHECKING:
    from cobogo.faces.workbench.session import Desk

PATH = "/entered"
SECONDS = 60
ONWARDS = '<!doctype html><title>Cobogó</title><meta http-equiv="refresh" content="0; url={goal}">'


class Tickets:
    """Holders who gave a valid key and whose browsers have not been renamed yet."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Holder, str, float]] = {}

    def address(self, holder: Holder, goal: str = "/") -> str:
        """The address that logs a holder in with a new ticket, and then leads on to ``goal``, a page of ours."""
        self._waiting = {key: found for key, found in self._waiting.items() if found[2] > time.monotonic()}
        ticket = secrets.token_urlsafe(24)
        self._waiting[ticket] = (holder, goal, time.monotonic() + SECONDS)
        return f"{PATH}/{ticket}"

    def redeem(self, ticket: str) -> tuple[Holder | None, str]:
        """Whose ticket it is, and where they go; good once."""
        holder, goal, until = self._waiting.pop(ticket, (None, "/", 0.0))
        return (holder, goal) if until > time.monotonic() else (None, "/")


def serve(desk: Desk) -> None:
    """Add the address."""

    @app.get(f"{PATH}/{{ticket}}", include_in_schema=False)
    def enter(request: Request, ticket: str) -> HTMLResponse:
        holder, goal = desk.tickets.redeem(ticket)
        if holder is not None:
            request.session["id"] = desk.enter(str(request.session.get("id", "")), holder)
        # no redirect: a browser that came from elsewhere would leave the cookie out
        return HTMLResponse(ONWARDS.format(goal=html.escape(goal)))
