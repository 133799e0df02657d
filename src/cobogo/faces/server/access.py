"""Whose key somebody gives, and how often they may ask."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from cobogo.faces.server.keys import SHAPE, Holder

if TYPE_CHECKING:
    from cobogo.faces.server.context import ServerContext

AT_MOST = 100_000
"""Addresses and keys whose pace is remembered."""


class RequestPace:
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


def recognise(context: ServerContext, address: str, text: str) -> Holder | None:
    """Whose key somebody gives. Guesses are paced by address *before* they are hashed, and each wrong one is a line of
    the log; whoever gives a key that is valid is not counted."""
    holder = context.keys.recall(text)
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
