"""No request is read beyond the limit, whatever it says its length is."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

ASGI = Any


class SizeLimit:
    """Ends a request whose body is larger than may be, before it fills a disk."""

    def __init__(self, app: ASGI, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: ASGI, receive: ASGI, send: ASGI) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if said.isdigit() and int(said) > self.most:
            await _refuse(send)
            return
        size, over, begun = 0, False, False

        async def counted() -> ASGI:
            nonlocal size, over
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.most:
                over = True
                raise _Over
            return message

        async def sent(message: ASGI) -> None:
            nonlocal begun
            if over and not begun:
                return
            begun = True
            await send(message)

        with suppress(_Over):
            await self.app(scope, counted, sent)
        if over and not begun:
            await _refuse(send)


class _Over(Exception):
    """The body is larger than may be."""


async def _refuse(send: ASGI) -> None:
    body = b'{"detail":"The request is larger than this server takes.","where":null,"remedy":null}'
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
