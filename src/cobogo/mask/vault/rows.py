"""The rows of a vault: tokens with the values sealed behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from cobogo.errors import VaultError, number_of
from cobogo.mask.vault import schema
from cobogo.mask.vault.formats import FORMATS
from cobogo.mask.vault.sealing import Batch, DoesNotOpen
from cobogo.mask.vault.session import Domain
from cobogo.mask.vault.store import Store

PAGE = 50_000

FRUITLESS = 100
"""How often tokens are drawn for values whose tokens were all taken, before their shape is said to be used up."""


class Opener:
    """A batch that was written earlier, opened when the first of its values is asked for."""

    def __init__(self, ephemeral: bytes, place: str) -> None:
        self._ephemeral = ephemeral
        self._place = place
        self._batch: Batch | None = None

    def value(self, private: bytes, sealed: bytes, token: str) -> str:
        """A value of the batch."""
        try:
            if self._batch is None:
                self._batch = Batch.opened(private, self._ephemeral)
            return self._batch.value(sealed, token)
        except DoesNotOpen:
            raise VaultError(
                "a value does not open: the vault was altered or is damaged",
                where=self._place,
                remedy="Restore it from a copy; `cobogo vault check` counts the damage.",
            ) from None


@dataclass(frozen=True, slots=True)
class Kept:
    """A token and what is kept behind it."""

    token: str
    lookup: bytes
    sealed: bytes
    batch: Opener

    def value(self, private: bytes, token: str) -> str:
        """The value, for who has the domain's private key."""
        return self.batch.value(private, self.sealed, token)


def known(store: Store, connection: Connection, domain: Domain, index: Sequence[bytes]) -> dict[bytes, str]:
    """The tokens of the values that have one, by lookup."""
    found = store.select(connection, "lookup, token", schema.tokens.name, "lookup", index, domain=domain.number)
    return {bytes(lookup): token for lookup, token in found}


def sealed(store: Store, connection: Connection, domain: Domain, tokens: Sequence[str]) -> dict[str, Kept]:
    """What is kept behind tokens; nothing for those that are not of the domain, or whose value was forgotten."""
    columns = "token, lookup, sealed, batch"
    usable = [token for token in tokens if "\0" not in token]
    found = list(store.select(connection, columns, schema.tokens.name, "token", usable, domain=domain.number))
    return {kept.token: kept for kept in _kept(store, connection, [row for row in found if row[2] is not None])}


def pages(store: Store, connection: Connection, domain: Domain) -> Iterator[list[Kept]]:
    """Everything that a domain keeps, page by page. Rows that are written meanwhile are not among them."""
    columns = schema.tokens.c
    newest = connection.execute(select(schema.batches.c.number).order_by(schema.batches.c.number.desc()).limit(1))
    last, until = "", newest.scalar() or 0
    rows = select(columns.token, columns.lookup, columns.sealed, columns.batch).where(
        columns.domain == domain.number, columns.batch <= until
    )
    while found := connection.execute(rows.where(columns.token > last).order_by(columns.token).limit(PAGE)).all():
        last = found[-1].token
        yield _kept(store, connection, found)


def added(
    store: Store, connection: Connection, domain: Domain, public: bytes, values: Mapping[bytes, str]
) -> dict[bytes, str]:
    """Give tokens to values, by lookup; a value that got one from another writer meanwhile has that one."""
    batch = Batch.new(public)
    inserted = connection.execute(insert(schema.batches).values(ephemeral=batch.ephemeral)).inserted_primary_key
    number = int(inserted[0]) if inserted is not None else 0
    met: dict[bytes, str] = {}
    fruitless = 0
    while missing := sorted(values.keys() - met.keys()):  # the same order for every writer: none waits in a circle
        wanted = [values[lookup] for lookup in missing]
        tokens = FORMATS[domain.format](wanted)
        rows = list(zip(tokens, missing, batch.sealed(wanted, tokens), strict=True))
        if store.insert(connection, domain.number, number, rows) == len(rows):
            met.update(zip(missing, tokens, strict=True))
            continue
        before = len(met)
        met |= known(store, connection, domain, missing)
        fruitless = 0 if len(met) > before else fruitless + 1
        if fruitless >= FRUITLESS:
            raise VaultError(
                f"there are too few tokens of their shape for {number_of(len(missing), 'value')}",
                where=f'{store.place}, domain "{domain.name}"',
                remedy='Short values have few shapes: use a domain with format = "opaque".',
            )
    return met


def erase(store: Store, connection: Connection, domain: Domain, tokens: Sequence[str]) -> None:
    """Take away what stands behind tokens; the tokens stay, so that none is ever given out again."""
    statement = (
        f"UPDATE {schema.tokens.name} SET lookup = NULL, sealed = NULL, batch = NULL "
        f"WHERE domain = {domain.number:d} AND token = ?"
    )
    store.update(connection, statement, [(token,) for token in tokens])


def _kept(store: Store, connection: Connection, rows: Sequence[Sequence[object]]) -> list[Kept]:
    numbers = sorted({row[3] for row in rows if isinstance(row[3], int)})
    found = store.select(connection, "number, ephemeral", schema.batches.name, "number", numbers, domain=None)
    openers = {number: Opener(bytes(ephemeral), store.place) for number, ephemeral in found}
    lost = Opener(b"", store.place)
    return [
        Kept(str(token), bytes(lookup), bytes(content), openers.get(batch, lost))  # type: ignore[call-overload]
        for token, lookup, content, batch in rows
    ]
