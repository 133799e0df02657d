"""What only a steward does with a vault: create it, its domains and its keys; rotate, forget and check."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from cobogo.errors import VaultError, VerificationFailed
from cobogo.floor.language import nearest, tr, trn
from cobogo.floor.sealing import DoesNotOpen, SealedBatch, Secrets, lookups, new_key, new_pair, unwrap, wrap
from cobogo.publish.mask.vault import schema
from cobogo.publish.mask.vault.session import (
    ALL_DOMAINS,
    FIRST,
    TokenDomain,
    VaultKey,
    VaultRole,
    VaultSession,
    append,
    domain_context,
    entries,
    grant_context,
    join_roles,
    key_context,
)
from cobogo.publish.mask.vault.store import VaultStore
from cobogo.publish.mask.vault.tokens import (
    FORMATS,
    Sealed,
    add_tokens,
    damage_error,
    ephemerals,
    erase,
    known_tokens,
    open_values,
    pages,
    read_sealed,
)


def create_vault(store: VaultStore, steward: VaultKey) -> VaultSession:
    """Create an empty vault with its first key."""
    if store.exists():
        raise VaultError(tr("there is already a vault here"), where=store.place, remedy=tr("Choose another place."))
    name, root, log_key = os.urandom(16).hex(), new_key(), new_key()
    with store.creating() as connection:
        connection.execute(insert(schema.vault).values(name=name, version=schema.VERSION, entries=0, digest=FIRST))
        _add_key(connection, name, root, steward, join_roles([VaultRole.STEWARD]))
        secrets = {"root": root.hex(), "log": log_key.hex()}
        add_grant(connection, name, steward, join_roles([VaultRole.STEWARD]), None, secrets)
        append(connection, log_key, steward.name, "create", None, 0)
    return VaultSession(store, steward)


def add_domain(session: VaultSession, name: str, form: str) -> None:
    """Add a domain with secrets of its own."""
    root = session.steward()
    if not re.fullmatch(r"[\w.-]{1,64}", name):
        raise VaultError(
            tr("the name of a domain must have 1 to 64 letters, digits, dots and hyphens"),
            where=session.store.place,
            remedy=tr("Choose another name."),
        )
    if form not in FORMATS:
        raise VaultError(
            tr("there is no format {form!r}", form=form), remedy=tr("Formats: {formats}.", formats=", ".join(FORMATS))
        )
    with session.store.writing() as connection:
        known = session.domains(connection)
        if name in {domain.name for domain in known.values()}:
            raise VaultError(
                tr('there is already a domain "{name}"', name=name),
                where=session.store.place,
                remedy=tr("Choose another name."),
            )
        domain = TokenDomain(max(known, default=ALL_DOMAINS) + 1, name, form, 1)
        sealed = wrap(root, new_secrets(session), domain_context(session.vault, domain))
        connection.execute(
            insert(schema.domains).values(number=domain.number, name=name, format=form, generation=1, sealed=sealed)
        )
        session.append(connection, "add domain", name, 0, form)
    session.refresh()


def issue(session: VaultSession, domains: str | Sequence[str], roles: str | Sequence[str]) -> VaultKey:
    """Issue a key."""
    root = session.steward()
    asked = _roles([roles] if isinstance(roles, str) else roles)
    names = [domains] if isinstance(domains, str) else list(dict.fromkeys(domains))
    if (VaultRole.STEWARD in asked) == bool(names):
        raise VaultError(
            tr("a steward's key is always valid for every domain") if names else tr("a key needs a domain"),
            where=session.store.place,
            remedy=tr("Leave out the domains.") if names else tr("Name the domain: `--domain NAME`."),
        )
    key, written = VaultKey.new(), join_roles(asked)
    granted = [session.grant(name, VaultRole.STEWARD) for name in names]
    with session.store.writing() as connection:
        _add_key(connection, session.vault, root, key, written)
        if VaultRole.STEWARD in asked:
            secrets = {"root": root.hex(), "log": session.log_key.hex()}
            add_grant(connection, session.vault, key, written, None, secrets)
        for grant in granted:
            if not session.is_current(connection, grant.domain):
                raise VaultError(
                    tr("the keys of the domain were changed in the meantime"),
                    where=session.store.place,
                    remedy=tr("Run the command again."),
                )
            add_grant(connection, session.vault, key, written, grant.domain, grant.secrets)
        session.append(connection, "issue", ",".join(names) or None, 1, f"{key.name} {written}")
    return key


def revoke(session: VaultSession, name: str) -> None:
    """Revoke a key and delete its grants."""
    session.steward()
    with session.store.writing() as connection:
        current = select(schema.keys.c.name).where(schema.keys.c.revoked.is_(None))
        if connection.execute(current.where(schema.keys.c.name == name)).one_or_none() is None:
            raise VaultError(
                tr("there is no key {name!r}", name=name),
                where=session.store.place,
                remedy=tr("`cobogo vault show` lists the keys."),
            )
        stewards = current.where(schema.keys.c.roles == join_roles([VaultRole.STEWARD]), schema.keys.c.name != name)
        if connection.execute(stewards.limit(1)).one_or_none() is None:
            raise VaultError(
                tr("it is the last key of a steward"),
                where=session.store.place,
                remedy=tr("Create another steward's key first."),
            )
        connection.execute(update(schema.keys).where(schema.keys.c.name == name).values(revoked=_now()))
        connection.execute(delete(schema.grants).where(schema.grants.c.key == name))
        session.append(connection, "revoke", None, 1, name)


def show(session: VaultSession) -> dict[str, Any]:
    """The domains and keys, for a steward."""
    session.steward()
    with session.store.reading() as connection:
        kept = func.count(schema.tokens.c.lookup)
        counts = {
            number: (values, total - values)
            for number, values, total in connection.execute(
                select(schema.tokens.c.domain, kept, func.count()).group_by(schema.tokens.c.domain)
            )
        }
        known = session.domains(connection)
        holders = connection.execute(select(schema.keys).order_by(schema.keys.c.created, schema.keys.c.name)).all()
        granted = connection.execute(select(schema.grants.c.key, schema.grants.c.domain)).all()
    return {
        "domains": [
            {
                "name": domain.name,
                "format": domain.format,
                "generation": domain.generation,
                "values": counts.get(domain.number, (0, 0))[0],
                "irreversible": counts.get(domain.number, (0, 0))[1],
            }
            for domain in known.values()
        ],
        "keys": [
            {
                "name": holder.name,
                "roles": holder.roles.split(","),
                "domains": [known[domain].name for key, domain in granted if key == holder.name and domain in known],
                "created": holder.created,
                "revoked": holder.revoked,
            }
            for holder in holders
        ],
    }


def check(session: VaultSession) -> int:
    """Check that every value opens and has its own lookup, and that the log's chain holds; return how many values."""
    session.steward()
    total = damaged = 0
    with session.store.reading() as connection:
        for domain in session.domains(connection).values():
            grant = session.grant(domain.name, VaultRole.STEWARD)
            for part in pages(connection, domain):
                batches = ephemerals(session.store, connection, part)
                values = _readable(part, grant.secret("private"), batches)
                index = dict(zip(values, lookups(grant.secret("index"), values.values()), strict=True))
                good = sum(index.get(token) == lookup for token, lookup, _, _ in part)
                total, damaged = total + len(part), damaged + len(part) - good
        entries(connection, session.log_key, session.store.place)
    if damaged:
        raise VerificationFailed(
            trn(
                "{n:,} value of {all:,} cannot be decrypted",
                "{n:,} values of {all:,} cannot be decrypted",
                n=damaged,
                all=total,
            ),
            where=session.store.place,
            remedy=tr("Restore the vault from a copy: it was altered or is damaged."),
        )
    return total


def new_secrets(session: VaultSession) -> Secrets:
    """Draw the secrets of a domain: the key of its lookups, and the pair of keys that seals and opens values."""
    private, public = new_pair()
    return {"index": new_key().hex(), "private": private.hex(), "public": public.hex(), "log": session.log_key.hex()}


def add_grant(
    connection: Connection, vault: str, key: VaultKey, roles: str, domain: TokenDomain | None, secrets: Secrets
) -> None:
    """Give a key the secrets that its roles need."""
    needed = {"log", "root"} if domain is None else set().union(*(_NEEDS[VaultRole(role)] for role in roles.split(",")))
    shared = {name: secret for name, secret in secrets.items() if name in needed}
    connection.execute(
        insert(schema.grants).values(
            key=key.name,
            domain=ALL_DOMAINS if domain is None else domain.number,
            sealed=wrap(key.secret, shared, grant_context(vault, key.name, roles, domain)),
        )
    )


_NEEDS = {VaultRole.TOKENIZE: {"log", "index", "public"}, VaultRole.DETOKENIZE: {"log", "private"}}
"""The secrets of a domain that each role needs."""


def _add_key(connection: Connection, vault: str, root: bytes, key: VaultKey, roles: str) -> None:
    sealed = wrap(root, {"secret": key.secret.hex()}, key_context(vault, key.name, roles))
    connection.execute(insert(schema.keys).values(name=key.name, roles=roles, created=_now(), sealed=sealed))


def _roles(names: Sequence[str]) -> list[VaultRole]:
    known = [str(role) for role in VaultRole]
    for name in names:
        if name not in known:
            raise VaultError(
                tr("there is no role {name!r}", name=name), remedy=nearest(name, known, "cobogo vault key --help")
            )
    if not names:
        raise VaultError(tr("a key needs a role"), remedy=tr("Roles: {known}.", known=", ".join(known)))
    return [VaultRole(name) for name in names]


def _readable(part: Sequence[Sealed], private: bytes, batches: Mapping[int, bytes]) -> dict[str, str]:
    """The values that open; damaged ones are isolated by bisection."""
    try:
        return open_values(part, private, batches)
    except DoesNotOpen:
        middle = len(part) // 2
        if not middle:
            return {}
        return _readable(part[:middle], private, batches) | _readable(part[middle:], private, batches)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def rotate(session: VaultSession, name: str, *, renew: bool) -> int:
    """Give a domain, and every key with a grant in it, new secrets; seal every value again; return how many.

    ``renew``: every value also gets a new token, and the old ones become irreversible. One transaction: writers wait,
    and then read their secrets again.
    """
    root = session.steward()
    session.grant(name, VaultRole.STEWARD)
    with session.store.writing() as connection:
        connection.execute(select(schema.domains.c.number).where(schema.domains.c.name == name).with_for_update())
        session.refresh()
        grant = session.grant(name, VaultRole.STEWARD)
        domain = replace(grant.domain, generation=grant.domain.generation + 1)
        secrets = new_secrets(session)
        changed = _reseal(session, connection, domain, grant.secrets, secrets, renew=renew)
        sealed = wrap(root, secrets, domain_context(session.vault, domain))
        connection.execute(
            update(schema.domains)
            .where(schema.domains.c.number == domain.number)
            .values(generation=domain.generation, sealed=sealed)
        )
        _renew_grants(session, connection, root, domain, secrets)
        session.append(connection, "rotate", name, changed, "keys and tokens" if renew else "keys")
    session.refresh()
    return changed


def forget(session: VaultSession, name: str, tokens: Sequence[str | None], values: Sequence[str | None]) -> int:
    """Erase the values behind tokens, and given values, from a domain; return how many."""
    session.steward()
    grant = session.grant(name, VaultRole.STEWARD)
    store, domain = session.store, grant.domain
    index = lookups(grant.secret("index"), {value for value in values if value is not None})
    wanted = sorted({token for token in tokens if token is not None})
    with store.writing() as connection:
        if not session.is_current(connection, domain):
            raise VaultError(
                tr("the keys of the domain were changed in the meantime"),
                where=store.place,
                remedy=tr("Run the command again."),
            )
        found = {*known_tokens(store, connection, domain, index).values()}
        found |= {row[0] for row in read_sealed(store, connection, domain, wanted)}
        erase(store, connection, domain, sorted(found))
        session.append(connection, "forget", name, len(found))
    return len(found)


def _reseal(
    session: VaultSession, connection: Connection, domain: TokenDomain, old: Secrets, new: Secrets, *, renew: bool
) -> int:
    """Open every value with the old secrets and seal it with the new ones."""
    store, changed = session.store, 0
    private, index, public = (bytes.fromhex(secret) for secret in (old["private"], new["index"], new["public"]))
    statement = (
        f"UPDATE {schema.tokens.name} SET lookup = ?, batch = ?, sealed = ? "
        f"WHERE domain = {domain.number:d} AND token = ?"
    )
    for page in pages(connection, domain):
        try:
            known = open_values(page, private, ephemerals(store, connection, page))
        except DoesNotOpen:
            raise damage_error(store.place) from None
        tokens, values = list(known), list(known.values())
        found = lookups(index, values)
        if renew:
            erase(store, connection, domain, tokens)
            add_tokens(store, connection, domain, public, dict(zip(found, values, strict=True)))
        else:
            batch = SealedBatch.new(public)
            inserted = connection.execute(insert(schema.batches).values(ephemeral=batch.ephemeral))
            number = inserted.inserted_primary_key[0] if inserted.inserted_primary_key is not None else 0
            sealed = batch.seal(values, tokens)
            store.update(
                connection,
                statement,
                [
                    (lookup, number, content, token)
                    for lookup, content, token in zip(found, sealed, tokens, strict=True)
                ],
            )
        changed += len(page)
    return changed


def _renew_grants(
    session: VaultSession, connection: Connection, root: bytes, domain: TokenDomain, secrets: Secrets
) -> None:
    """Give the new secrets to every key that had the old ones."""
    ours = schema.grants.c.domain == domain.number
    holders = connection.execute(
        select(schema.keys).join(schema.grants, schema.grants.c.key == schema.keys.c.name).where(ours)
    ).all()
    connection.execute(delete(schema.grants).where(ours))
    for holder in holders:
        secret = unwrap(root, holder.sealed, key_context(session.vault, holder.name, holder.roles))["secret"]
        key = VaultKey(holder.name, bytes.fromhex(secret))
        add_grant(connection, session.vault, key, holder.roles, domain, secrets)
