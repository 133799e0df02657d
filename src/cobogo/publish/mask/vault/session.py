"""A vault opened with a key: what the key may do, the secrets for it, and the log of what it did.

Losing the file of a key is losing the key; whoever has a copy of it has its roles.

The log says who did what, when, to how many values, and never holds the values. Its entries are chained: the digest of
each is the HMAC of its content and of the digest before it, under a key that only holders of the vault's keys have. An
attacker who can write to the database but has no key can neither alter nor insert an entry; to remove the last entries
they must restore an earlier state of the whole vault. Comparing the last digest with a copy kept elsewhere reveals that
as well.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, insert, select, update

from cobogo.errors import VaultError, VerificationFailed
from cobogo.floor.files import create_private
from cobogo.floor.language import Text, tr
from cobogo.floor.language.errors import reason
from cobogo.floor.sealing import KEY_BYTES, DoesNotOpen, Secrets, new_key, unwrap
from cobogo.publish.mask.vault import schema
from cobogo.publish.mask.vault.store import VaultStore

MARK = "cobogo-vault-key-1"


class VaultRole(StrEnum):
    """What the holder of a key may do."""

    TOKENIZE = "tokenize"  # give values tokens, and find the token of a value
    DETOKENIZE = "detokenize"  # find the value of a token
    STEWARD = "steward"  # everything, in every domain: domains, keys, rotation, deletion, the log


@dataclass(frozen=True, repr=False)
class VaultKey:
    """A key: the name that the vault's log calls it, and its secret, which is never shown.

    >>> key = VaultKey.new()
    >>> VaultKey.parse(key.text(), "here") == key
    True
    >>> key.secret.hex() in repr(key)
    False
    """

    name: str
    secret: bytes = field(repr=False)

    @classmethod
    def new(cls) -> Self:
        """A new key."""
        return cls(os.urandom(4).hex(), new_key())

    def text(self) -> str:
        """What its file holds."""
        return f"{MARK}:{self.name}:{base64.urlsafe_b64encode(self.secret).decode()}\n"

    @classmethod
    def parse(cls, text: str, where: str) -> Self:
        """A key from what its file holds."""
        mark, _, rest = text.strip().partition(":")
        name, _, secret = rest.partition(":")
        try:
            found = base64.b64decode(secret.encode(), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            found = b""
        if mark != MARK or not re.fullmatch("[0-9a-f]{8}", name) or len(found) != KEY_BYTES:
            raise VaultError(
                tr("does not contain a key to a vault"),
                where=where,
                remedy=tr("Give the file of a key that `cobogo vault key` made."),
            )
        return cls(name, found)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a key's file."""
        try:
            text = Path(path).expanduser().read_bytes()[:4096].decode("ascii", "replace")
        except OSError as error:
            raise VaultError(
                tr("the key cannot be read: {reason}", reason=reason(error)),
                where=str(path),
                remedy=tr("Check the path and the permission to read the file."),
            ) from None
        return cls.parse(text, str(path))

    def save(self, path: str | Path) -> None:
        """Write a new file that only this user may read. A file that is there already is never overwritten."""
        try:
            create_private(Path(path).expanduser(), self.text())
        except FileExistsError:
            raise VaultError(
                tr("is there already"), where=str(path), remedy=tr("Choose another name: a key is never overwritten.")
            ) from None
        except OSError as error:
            raise VaultError(
                tr("the key cannot be written: {reason}", reason=reason(error)),
                where=str(path),
                remedy=tr("Check the path, the permission to write there, and the space on the disk."),
            ) from None


FIRST = bytes(32)
"""The digest before the first entry."""


@dataclass(frozen=True)
class VaultLogEntry:
    """One line of the log."""

    number: int
    at: str
    key: str
    action: str
    domain: str | None
    count: int
    detail: str

    def digest(self, key: bytes, before: bytes) -> bytes:
        """The HMAC that chains this entry to the one before."""
        return hmac.digest(key, before + json.dumps(asdict(self), sort_keys=True).encode(), "sha256")


def append(
    connection: Connection, key: bytes, holder: str, action: str, domain: str | None, count: int, detail: str = ""
) -> None:
    """Append an entry in the transaction that it reports. Other writers wait here until that transaction ends."""
    head = schema.vault.c
    connection.execute(update(schema.vault).values(entries=head.entries + 1))
    number, before = connection.execute(select(head.entries, head.digest)).one()
    entry = VaultLogEntry(
        number, datetime.now(UTC).isoformat(timespec="seconds"), holder, action, domain, count, detail
    )
    digest = entry.digest(key, before)
    connection.execute(insert(schema.log).values(**asdict(entry), digest=digest))
    connection.execute(update(schema.vault).values(digest=digest))


def entries(connection: Connection, key: bytes, place: str) -> tuple[tuple[VaultLogEntry, ...], str]:
    """Read every entry and the last digest; a broken chain raises `VerificationFailed`."""
    rows = connection.execute(select(schema.log).order_by(schema.log.c.number)).all()
    total, last = connection.execute(select(schema.vault.c.entries, schema.vault.c.digest)).one()
    before, found = FIRST, []
    for number, row in enumerate(rows, 1):
        entry = VaultLogEntry(*row[:-1])
        before = entry.digest(key, before)
        if entry.number != number or not hmac.compare_digest(before, row[-1]):
            raise VerificationFailed(
                tr("the log was altered: entry {number:,} is not the one that was written", number=number),
                where=place,
                remedy=tr("Compare the vault with a copy of it."),
            )
        found.append(entry)
    if len(found) != total or before != last:
        raise VerificationFailed(
            tr(
                "the log was cut: {total:,} entries were written, and {number:,} are left",
                total=total,
                number=len(found),
            ),
            where=place,
            remedy=tr("Compare the vault with a copy of it."),
        )
    return tuple(found), before.hex()


ALL_DOMAINS = 0
"""What a steward's grant names instead of a domain."""


@dataclass(frozen=True)
class TokenDomain:
    """A purpose for which values have tokens of their own."""

    number: int
    name: str
    format: str
    generation: int


@dataclass(frozen=True)
class Grant:
    """What a key may do in a domain, and with which secrets."""

    domain: TokenDomain
    secrets: Secrets = field(repr=False)

    def secret(self, name: str) -> bytes:
        """One of the secrets, by its name."""
        return bytes.fromhex(self.secrets[name])


def key_context(vault: str, key: str, roles: str) -> str:
    """What a key's own secret is bound to."""
    return f"{vault}|key {key}|{roles}"


def grant_context(vault: str, key: str, roles: str, domain: TokenDomain | None) -> str:
    """What the secrets of a grant are bound to."""
    return f"{key_context(vault, key, roles)}|{'all' if domain is None else domain_context(vault, domain)}"


def domain_context(vault: str, domain: TokenDomain) -> str:
    """What the secrets of a domain are bound to."""
    return f"{vault}|domain {domain.number} {domain.format} {domain.generation}|{domain.name}"


class VaultSession:
    """The store, the key, and the secrets that the key opens. They are read again after a domain was rotated."""

    def __init__(self, store: VaultStore, key: VaultKey) -> None:
        self.store = store
        self.key = key
        self.refresh()

    def refresh(self) -> None:
        """Read what the key may do."""
        with self.store.reading() as connection:
            head = connection.execute(select(schema.vault.c.name, schema.vault.c.version)).one_or_none()
            if head is None or head.version != schema.VERSION:
                raise VaultError(
                    tr("is not a vault that this version of Cobogó can open"),
                    where=self.store.place,
                    remedy=tr("Check the path, or install the latest version."),
                )
            self.vault: str = head.name
            holder = connection.execute(select(schema.keys).where(schema.keys.c.name == self.key.name)).one_or_none()
            if holder is None or holder.revoked is not None:
                raise VaultError(
                    tr("the key does not belong to this vault") if holder is None else tr("the key was revoked"),
                    where=self.store.place,
                    remedy=tr("Ask the vault's steward for a key."),
                )
            self.roles = frozenset(VaultRole(role) for role in holder.roles.split(","))
            try:
                self._open(connection, holder.roles)
            except DoesNotOpen:
                raise VaultError(
                    tr("the key does not open this vault: it belongs to another vault, or the vault was altered"),
                    where=self.store.place,
                    remedy=tr("Check that the key and the vault belong together."),
                ) from None

    def _open(self, connection: Connection, roles: str) -> None:
        known = self.domains(connection)
        rows = connection.execute(select(schema.grants).where(schema.grants.c.key == self.key.name)).all()
        self._grants: dict[str, Grant] = {}
        self.root: bytes | None = None
        secrets: Secrets = {}
        for row in rows:
            domain = known.get(row.domain)
            if domain is not None or row.domain == ALL_DOMAINS:
                secrets = unwrap(self.key.secret, row.sealed, grant_context(self.vault, self.key.name, roles, domain))
            if domain is not None:
                self._grants[domain.name] = Grant(domain, secrets)
            else:
                self.root = bytes.fromhex(secrets["root"])
        if not secrets:
            raise DoesNotOpen
        self.log_key = bytes.fromhex(secrets["log"])
        if self.root is not None:
            for domain in known.values():
                self._grants[domain.name] = Grant(domain, self.domain_secrets(connection, domain))

    def domains(self, connection: Connection) -> dict[int, TokenDomain]:
        """Every domain, by its number."""
        columns = schema.domains.c
        rows = connection.execute(select(columns.number, columns.name, columns.format, columns.generation))
        return {row.number: TokenDomain(*row) for row in rows}

    def domain_secrets(self, connection: Connection, domain: TokenDomain) -> Secrets:
        """A domain's secrets, for a steward."""
        sealed = connection.execute(
            select(schema.domains.c.sealed).where(schema.domains.c.number == domain.number)
        ).scalar_one()
        return unwrap(self.steward(), sealed, domain_context(self.vault, domain))

    def steward(self) -> bytes:
        """The root secret, which only stewards have."""
        if self.root is None:
            raise self.refusal(VaultRole.STEWARD, None)
        return self.root

    def grant(self, domain: str, role: VaultRole) -> Grant:
        """What the key may do in a domain, if it has the role there."""
        if domain not in self._grants or not self.roles & {role, VaultRole.STEWARD}:
            raise self.refusal(role, domain)
        return self._grants[domain]

    def refusal(self, role: VaultRole, domain: str | None) -> VaultError:
        """The error for a key without a role; the log records the attempt."""
        place = (
            self.store.place
            if domain is None
            else tr('{place}, domain "{domain}"', place=self.store.place, domain=domain)
        )
        unknown = domain is not None and self.root is not None
        if not unknown:
            self.note("refused", None, 0, str(role))
        return VaultError(
            tr("the vault does not have this domain") if unknown else _denied(self.key.name, role),
            where=place,
            remedy=tr("`cobogo vault show` lists the domains.")
            if unknown
            else tr("Use a key with the role {role}; `cobogo vault key` makes one.", role=role),
        )

    def is_current(self, connection: Connection, domain: TokenDomain) -> bool:
        """Whether the domain's secrets are still those of the session, and the key still one of the vault's.

        Rotation and revocation then wait for the transaction to end.
        """
        generation = select(schema.domains.c.generation).where(schema.domains.c.number == domain.number)
        revoked = select(schema.keys.c.revoked).where(schema.keys.c.name == self.key.name)
        return (
            connection.execute(generation.with_for_update(read=True)).scalar_one() == domain.generation
            and connection.execute(revoked.with_for_update(read=True)).scalar_one() is None
        )

    def note(self, action: str, domain: str | None, count: int, detail: str = "") -> None:
        """Add to the log, in a transaction of its own."""
        with self.store.writing() as connection:
            self.append(connection, action, domain, count, detail)

    def append(self, connection: Connection, action: str, domain: str | None, count: int, detail: str = "") -> None:
        """Add to the log, in the transaction that the entry reports."""
        append(connection, self.log_key, self.key.name, action, domain, count, detail)


def open_session(place: str | Path, key: VaultKey | str | Path) -> VaultSession:
    """Open a vault with a key or the path of its file."""
    store = VaultStore(place)
    if not store.exists():
        raise VaultError(
            tr("there is no vault here"),
            where=store.place,
            remedy=tr("Check the path, or create one with `cobogo vault create`."),
        )
    return VaultSession(store, key if isinstance(key, VaultKey) else VaultKey.load(key))


def join_roles(roles: Sequence[VaultRole]) -> str:
    """Roles as the vault stores them."""
    return ",".join(sorted(set(roles)))


def _denied(key: str, role: VaultRole) -> Text:
    if role is VaultRole.STEWARD:
        return tr("the key {name} does not have the steward's rights", name=key)
    return tr("the key {name} does not have the role {role} there", name=key, role=str(role))
