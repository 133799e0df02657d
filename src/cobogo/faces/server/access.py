"""Recognising keys, and how many requests a key or an address may make."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from cobogo.faces.server.keys import SHAPE, Holder

if TYPE_CHECKING:
    from cobogo.faces.server.context import ServerContext

AT_MOST = 100_000
"""Addresses and keys whose pace is remembered."""


class RequestAllowance:
    """A bucket of requests for each key, which fills as time goes by."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def wait(self, who: str) -> float:
        """Seconds to wait before the next request; 0 where it may be made now, and then it is counted."""
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
        """Forget the buckets that are full again: they are like new ones."""
        if len(self._left) >= AT_MOST:
            self._left = {who: (left, since) for who, (left, since) in self._left.items() if now - since < 60}


class TooMany(Exception):
    """An address has made too many attempts, and has to wait."""


def recognise(context: ServerContext, address: str, text: str) -> Holder | None:
    """The holder of a key. Attempts are limited by address *before* the key is hashed, and each wrong one is written in
    the log; valid keys do not count as attempts."""
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
