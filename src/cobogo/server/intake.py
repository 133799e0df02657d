"""No request is read beyond the limit, whatever it says its length is.

Uploads go to the disk, block by block, and may be large where a key comes with them; all else is read into memory.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from starlette.concurrency import run_in_threadpool

from cobogo.server.keys import Keys

ASGI = Any

IN_MEMORY = 17 << 20
"""Bytes of a request that is no upload: reports come in messages of up to 16 MB."""


class SizeLimit:
    """Ends a request whose body is larger than may be, before it fills a disk or the memory."""

    def __init__(self, app: ASGI, most: int, keys: Keys) -> None:
        self.app = app
        self.most = most
        self.keys = keys

    async def __call__(self, scope: ASGI, receive: ASGI, send: ASGI) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        most = self.most if await self._uploads(headers) else min(self.most, IN_MEMORY)
        said = headers.get(b"content-length", b"0")
        if said.isdigit() and int(said) > most:
            await _refuse(send)
            return
        size, over, begun = 0, False, False

        async def counted() -> ASGI:
            nonlocal size, over
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
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

    async def _uploads(self, headers: dict[bytes, bytes]) -> bool:
        """Whether somebody with a key uploads a file. Strangers fill no disk, even before they are sent away."""
        scheme, _, key = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if not headers.get(b"content-type", b"").startswith(b"multipart/form-data") or scheme.lower() != "bearer":
            return False
        return await run_in_threadpool(self.keys.holder, key.strip()) is not None


class _Over(Exception):
    """The body is larger than may be."""


async def _refuse(send: ASGI) -> None:
    body = b'{"detail":"The request is larger than this server takes.","where":null,"remedy":null}'
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
