"""What our web servers do with peers that stall."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from cobogo.floor import web

pytestmark = pytest.mark.slow

POST = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n"


async def _slow(scope: Any, receive: Any, send: Any) -> None:
    """Reads the body, and takes its time to answer."""
    while (await receive()).get("more_body"):
        pass
    await asyncio.sleep(1)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = uvicorn.Server(uvicorn.Config(_slow, port=0, http=web.patient(0.2), lifespan="off", log_config=None))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()


def _answer(port: int, *pieces: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        for piece in pieces:
            line.sendall(piece)
        try:
            return line.recv(4096)
        except ConnectionResetError:
            return b""


@pytest.mark.parametrize(
    "pieces",
    [(), (b"GET /",), (POST[:-2],), (POST,), (POST, b"12345")],
    ids=["nothing", "line", "header", "body", "half"],
)
def test_a_request_that_stays_half_sent_is_given_up(port, pieces) -> None:
    assert _answer(port, *pieces) == b""


def test_whoever_sent_everything_is_not_hurried(port) -> None:
    assert _answer(port, POST, b"1234567890").startswith(b"HTTP/1.1 200")
