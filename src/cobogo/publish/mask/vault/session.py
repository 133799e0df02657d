"""A vault opened with a key: what the key may do, and the secrets for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, select

from cobogo.errors import VaultError
from cobogo.floor.language import Text, tr
from cobogo.floor.sealing import DoesNotOpen, Secrets, unwrap
from cobogo.publish.mask.vault import schema
from cobogo.publish.mask.vault.keys import VaultKey, VaultRole
from cobogo.publish.mask.vault.log import append
from cobogo.publish.mask.vault.store import VaultStore

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
