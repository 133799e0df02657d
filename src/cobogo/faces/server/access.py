"""Who asks, whether they may, and how often: what stands before every route."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, HTTPException, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from cobogo.faces.server.keys import SHAPE, Holder
from cobogo.faces.server.roles import Scope

if TYPE_CHECKING:
    from cobogo.faces.server.context import ServerContext

BEARER = HTTPBearer(auto_error=False, description="A key: cobogo_…")

AT_MOST = 100_000
"""Addresses and keys whose pace is remembered."""

UNKNOWN = "Give a key that is valid: Authorization: Bearer cobogo_…"


class Pace:
    """A bucket of requests for each key, which fills as time goes by."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def wait(self, who: str) -> float:
        """How many seconds somebody has to wait; 0 where they may go on, which is counted."""
        now = time.monotonic()
        with self._lock:
            self._make_room(now)
            left, since = self._left.get(who, (float(self.per_minute), now))
            left = min(left + (now - since) * self.per_minute / 60, float(self.per_minute))
            if left >= 1:
                self._left[who] = (left - 1, now)
                return 0.0
            self._left[who] = (left, now)
            return (1 - left) * 60 / self.per_minute

    def give_back(self, who: str) -> None:
        """Count one request less."""
        with self._lock:
            left, since = self._left.get(who, (float(self.per_minute), 0.0))
            self._left[who] = (left + 1, since)

    def _make_room(self, now: float) -> None:
        """Forget whoever has waited long enough to have a full bucket again: nothing is known of them any more."""
        if len(self._left) >= AT_MOST:
            self._left = {who: (left, since) for who, (left, since) in self._left.items() if now - since < 60}


class TooMany(Exception):
    """Somebody has made too many attempts; they are told to wait."""


def recognised(context: ServerContext, address: str, text: str) -> Holder | None:
    """Whose key somebody gives. Guesses are paced by address *before* they are hashed, and each wrong one is a line of
    the log; whoever gives a key that is valid is not counted."""
    holder = context.keys.remembered(text)
    if holder is not None:
        return holder
    if context.strangers.wait(address):
        raise TooMany
    holder = context.keys.holder(text)
    if holder is None:
        key = SHAPE.fullmatch(text)
        context.state.note(owner="", role="", key=key[1] if key else "", action="wrong key", what=address, status=401)
    else:
        context.strangers.give_back(address)
    return holder


def context(request: Request) -> ServerContext:
    """All that the server has: see `cobogo.faces.server.context`."""
    found: ServerContext = request.app.state.context
    return found


def present(
    request: Request,
    given: Annotated[HTTPAuthorizationCredentials | None, Security(BEARER)] = None,
) -> Holder:
    """Whose key a request carries."""
    this = context(request)
    address = request.client.host if request.client else "?"
    try:
        holder = None if given is None else recognised(this, address, given.credentials)
    except TooMany:
        raise HTTPException(429, "Too many attempts. Wait a minute.", headers={"Retry-After": "60"}) from None
    if holder is None:
        raise HTTPException(401, UNKNOWN, headers={"WWW-Authenticate": "Bearer"})
    request.state.holder = holder
    seconds = this.pace.wait(holder.key)
    if seconds:
        raise HTTPException(
            429, "More requests than this key may make.", headers={"Retry-After": str(int(seconds) + 1)}
        )
    return holder


def needs(scope: Scope) -> Any:
    """A dependency that lets only keys with a scope pass, and says whose they are. The OpenAPI document tells of it.

    What collectors hand in is not written in the log: who reported when would tell where somebody was.
    """

    def allowed(request: Request, holder: Annotated[Holder, Depends(present)]) -> Holder:
        if scope not in holder.scopes:
            raise HTTPException(403, f"This key may not do that: it lacks the scope {scope.value!r}.")
        request.state.unlogged = scope is Scope.REPORT
        return holder

    return Security(allowed, scopes=[scope.value])
