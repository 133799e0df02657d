"""API keys: shown once, kept as an Argon2 hash, limited to scopes, with an end; and how often a key may be used.

A key reads ``cobogo_<id>_<secret>``. The id finds the row; the secret is what is hashed. Because a secret is 256 bits
of entropy, what was verified once is remembered in memory, under a keyed digest, until the key is revoked or ends:
Argon2 is slow by design, and no request should wait for it twice.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import insert

from cobogo.errors import InputError
from cobogo.faces.server.roles import KeyRole, KeyScope, choose_scopes
from cobogo.faces.server.state import KEYS, ServerState
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.faces.server.context import ServerContext

SHAPE = re.compile(r"cobogo_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
OWNER = re.compile(r"[\w.-]{1,100}")
HASHES_AT_ONCE = 2
"""Each takes 64 MB while it lasts: whoever guesses at keys waits, and fills no memory."""


@dataclass(frozen=True)
class Holder:
    """The person who makes a request, as their key says."""

    owner: str
    role: KeyRole
    scopes: frozenset[KeyScope]
    key: str  # the id of the key

    @property
    def sees(self) -> str | None:
        """The owner whose things the holder sees; None: everybody's."""
        return None if self.role is KeyRole.AUDITOR else self.owner


class Keys:
    """The keys of a server."""

    def __init__(self, state: ServerState) -> None:
        from argon2 import PasswordHasher

        self._state = state
        self._hasher = PasswordHasher()
        self._pepper = secrets.token_bytes(32)
        self._known: dict[str, bytes] = {}
        self._lock = threading.Lock()
        self._hashing = threading.BoundedSemaphore(HASHES_AT_ONCE)

    def create(
        self, owner: str, role: KeyRole, *, scopes: Iterable[str] | None = None, days: float | None = None
    ) -> tuple[str, str]:
        """A new key's id and its text, which is shown now and never again."""
        if not OWNER.fullmatch(owner):
            raise InputError(
                tr("is not a name that a key can have"),
                where="owner",
                remedy=tr("Use up to 100 letters, digits and . - _"),
            )
        if days is not None and not 0 < days <= 3660:
            raise InputError(
                tr("must be above 0 and at most 3660"), where="days", remedy=tr("Give the days until the key ends.")
            )
        allowed = choose_scopes(role, scopes)
        identity, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
        now = time.time()
        with self._state.transaction() as connection:
            connection.execute(
                insert(KEYS).values(
                    id=identity,
                    owner=owner,
                    role=role.value,
                    scopes=json.dumps(sorted(allowed)),
                    hash=self._hasher.hash(secret),
                    created=now,
                    expires=None if days is None else now + days * 86400,
                )
            )
        return identity, f"cobogo_{identity}_{secret}"

    def holder(self, text: str) -> Holder | None:
        """The holder of a key; None if it is not valid. Takes as long as an Argon2 hash."""
        return self._find(text, self._verified)

    def recall(self, text: str) -> Holder | None:
        """The holder of a key that was verified before; None for any other text. Computes no Argon2 hash."""
        return self._find(text, self._known_already)

    def _find(self, text: str, genuine: Callable[[str, str, str], bool]) -> Holder | None:
        shape = SHAPE.fullmatch(text)
        row = None if shape is None else self._state.get(KEYS, shape[1])
        if shape is None or row is None or row["revoked"] is not None:
            return None
        if row["expires"] is not None and row["expires"] <= time.time():
            return None
        if not genuine(shape[1], shape[2], row["hash"]):
            return None
        role = KeyRole(row["role"])
        return Holder(row["owner"], role, choose_scopes(role, json.loads(row["scopes"])), shape[1])

    def _known_already(self, identity: str, secret: str, stored: str) -> bool:
        with self._lock:
            return hmac.compare_digest(self._known.get(identity, b""), self._digest(secret, stored))

    def _verified(self, identity: str, secret: str, stored: str) -> bool:
        from argon2.exceptions import Argon2Error, InvalidHashError

        if self._known_already(identity, secret, stored):
            return True
        try:
            with self._hashing:
                self._hasher.verify(stored, secret)
        except (Argon2Error, InvalidHashError):
            return False
        with self._lock:
            self._known[identity] = self._digest(secret, stored)
        return True

    def _digest(self, secret: str, stored: str) -> bytes:
        return hmac.digest(self._pepper, f"{secret}{stored}".encode(), "sha256")

    def revoke(self, identity: str) -> bool:
        """End a key now; whether there was one."""
        return self._state.change(KEYS, identity, only_if={"revoked": None}, revoked=time.time())

    def any(self) -> bool:
        """Whether there is a key at all."""
        return bool(self._state.rows(KEYS))

    def list_all(self) -> list[dict[str, object]]:
        """All keys, without their hashes."""
        rows = self._state.rows(KEYS)
        return [{k: v for k, v in row.items() if k != "hash"} | {"scopes": json.loads(row["scopes"])} for row in rows]


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
        """Return a request that was counted."""
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
