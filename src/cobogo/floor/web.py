"""How our web servers meet the network: peers that hang up end nothing, and peers that stall are not waited for.

It needs uvicorn: import it where a server starts.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

STALLED = 20
"""Seconds that a request may stay half-sent, unless settings say otherwise: far more than any header needs."""

SLOWEST = 1 << 10
"""Bytes a second that a body must bring, on average over the seconds above: a slow telephone line brings more."""


def serve(server: uvicorn.Server) -> None:
    """Serve until told to stop.

    Commands end when whoever reads their output has gone, as ``SIGPIPE`` makes them. A server must not: to write to a
    peer that has hung up is its daily business.
    """
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    logging.getLogger("uvicorn.error").addFilter(_has_not_hung_up)
    server.run()


def _has_not_hung_up(record: logging.LogRecord) -> bool:
    """A peer that hangs up is no error of ours: a stranger would fill the log with a traceback for each request."""
    error = record.exc_info[1] if record.exc_info else None
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    closed = isinstance(error, RuntimeError) and "unable to perform operation on" in str(error)  # as uvloop says it
    return not (closed or isinstance(error, ConnectionError))


def patient(seconds: float | None = None) -> Any:
    """What speaks HTTP for uvicorn, and hangs up where a request stays half-sent for so many seconds."""
    return partial(_Patient, seconds=STALLED if seconds is None else seconds)


class _Patient(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """HTTP with a clock. It ticks twice in the time allowed; what stalls from one tick to the next but one is late."""

    def __init__(self, *given: Any, seconds: float, **options: Any) -> None:
        super().__init__(*given, **options)
        self._tick = seconds / 2
        self._clock: asyncio.TimerHandle | None = None
        self._received = 0
        self._stalled = 0
        self._before: Any = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, *given: Any) -> None:
        self._stop()
        super().handle_websocket_upgrade(*given)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)

    def _wait(self) -> None:
        self._clock = self.loop.call_later(self._tick, self._look)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()

    def _look(self) -> None:
        """Count the ticks since the peer last made progress while it was its turn to send."""
        now = (self.cycle, self._header_due, self._body_due)
        slow = self._header_due or (self._body_due and self._received < SLOWEST * self._tick)
        self._stalled = self._stalled + 1 if slow and now == self._before else 0
        self._before, self._received = now, 0
        if self._stalled >= 2:
            self.transport.abort()
        else:
            self._wait()

    @property
    def _header_due(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    @property
    def _body_due(self) -> bool:
        return not self._header_due and self.cycle.more_body and not self.flow.read_paused
