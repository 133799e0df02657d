"""Rotation and deletion: what makes old secrets useless, and tokens irreversible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection, delete, insert, select, update

from cobogo.errors import VaultError
from cobogo.floor.sealing import DoesNotOpen, SealedBatch, Secrets, lookups, unwrap, wrap
from cobogo.publish.mask.vault import rows, schema
from cobogo.publish.mask.vault.keys import VaultKey, VaultRole
from cobogo.publish.mask.vault.session import TokenDomain, VaultSession, domain_context, key_context
from cobogo.publish.mask.vault.stewardship import add_grant, new_secrets


def rotate(session: VaultSession, name: str, *, renew: bool) -> int:
    """New secrets for a domain and for every key that has a grant in it, and every value sealed anew with them.

    ``renew``: every value also gets a new token, and the old ones are irreversible. One transaction: writers wait,
    and then find that they must read their secrets again.
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
    """Erase what stands behind tokens, or the values themselves wherever they stand in the domain."""
    session.steward()
    grant = session.grant(name, VaultRole.STEWARD)
    store, domain = session.store, grant.domain
    index = lookups(grant.secret("index"), {value for value in values if value is not None})
    wanted = sorted({token for token in tokens if token is not None})
    with store.writing() as connection:
        if not session.is_current(connection, domain):
            raise VaultError("the domain was rotated just now", where=store.place, remedy="Run again.")
        found = {*rows.known_tokens(store, connection, domain, index).values()}
        found |= {row[0] for row in rows.read_sealed(store, connection, domain, wanted)}
        rows.erase(store, connection, domain, sorted(found))
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
    for page in rows.pages(connection, domain):
        try:
            known = rows.open_values(page, private, rows.ephemerals(store, connection, page))
        except DoesNotOpen:
            raise rows.damage_error(store.place) from None
        tokens, values = list(known), list(known.values())
        found = lookups(index, values)
        if renew:
            rows.erase(store, connection, domain, tokens)
            rows.add_tokens(store, connection, domain, public, dict(zip(found, values, strict=True)))
        else:
            batch = SealedBatch.new(public)
            inserted = connection.execute(insert(schema.batches).values(ephemeral=batch.ephemeral))
            number = inserted.inserted_primary_key[0] if inserted.inserted_primary_key is not None else 0
            sealed = batch.sealed(values, tokens)
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
