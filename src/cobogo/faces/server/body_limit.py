"""No request is read beyond the limit, whatever it says its length is.

Uploads go to the disk, block by block, and may be large where somebody who may upload sends them, with a key or from a
browser in which they are logged in; all else is read into memory. Who it is, is found out before the body is read.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool

from cobogo.faces.server.access import TooMany, recognise
from cobogo.faces.server.roles import KeyScope

if TYPE_CHECKING:
    from cobogo.faces.server.context import ServerContext

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


async def _refuse(send: ASGI, status: int = 413, what: str = "The request is larger than this server takes.") -> None:
    body = json.dumps({"detail": what, "where": None, "remedy": None}).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
