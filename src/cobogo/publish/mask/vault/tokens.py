"""Tokens: what they look like, and their rows in a vault, with the values sealed behind them.

Tokens are drawn from the operating system's entropy and say nothing of the value, except that a token of the format
``shape`` has the value's length, and letters, digits and signs where the value has them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, insert, select

from cobogo.errors import VaultError
from cobogo.floor.arrays import Bytes
from cobogo.floor.language import tr, trn
from cobogo.floor.sealing import SealedBatch
from cobogo.publish.mask.vault import schema
from cobogo.publish.mask.vault.session import TokenDomain
from cobogo.publish.mask.vault.store import VaultStore

Draw = Callable[[Sequence[str]], list[str]]

SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz"
"""Symbols of opaque tokens: digits and letters, without those that are easily confused."""

LENGTH = 24
"""Symbols in an opaque token, five bits each: of 10¹² such tokens, two are equal with a probability below 10⁻¹²."""

LOWER, UPPER, DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
_KEPT = 0
_ALPHABETS = {1: LOWER, 2: UPPER, 3: DIGITS}
_ATTEMPTS = 64


def draw_uniform(count: int, below: int) -> Bytes:
    """Independent uniform numbers below at most 256, without bias: bytes beyond the last whole round are redrawn.

    >>> sorted(set(draw_uniform(5000, 10).tolist())) == list(range(10))
    True
    """
    limit = 256 - 256 % below
    drawn = np.frombuffer(os.urandom(count), dtype=np.uint8).copy()
    while (again := np.flatnonzero(drawn >= limit)).size:
        drawn[again] = np.frombuffer(os.urandom(again.size), dtype=np.uint8)
    return drawn % np.uint16(below).astype(np.uint8) if below < 256 else drawn


def draw_opaque(values: Sequence[str]) -> list[str]:
    """Draw a token of 24 symbols for each value, independent of the value.

    >>> [len(token) for token in draw_opaque(["Ana", "52998224725"])]
    [24, 24]
    """
    if not values:
        return []
    symbols = np.frombuffer(SYMBOLS.encode(), dtype=np.uint8)
    drawn = symbols[draw_uniform(len(values) * LENGTH, len(SYMBOLS))]
    tokens: list[str] = drawn.view(f"S{LENGTH}").astype(f"U{LENGTH}").tolist()
    return tokens


def draw_shaped(values: Sequence[str]) -> list[str]:
    """Draw for each value a token of its shape: letters (in their case) and digits are replaced, other signs stay.

    A token is never the value itself.

    >>> token = draw_shaped(["529.982.247-25"])[0]
    >>> token[3], token[7], token[11], len(token), token.replace(".", "").replace("-", "").isdigit()
    ('.', '.', '-', 14, True)
    """
    tokens = _redraw(values)
    for _ in range(_ATTEMPTS):
        same = [number for number, (token, value) in enumerate(zip(tokens, values, strict=True)) if token == value]
        if not same:
            return tokens
        for number, token in zip(same, _redraw([values[number] for number in same]), strict=True):
            tokens[number] = token
    raise VaultError(
        trn(
            "{n:,} value cannot have a token of the same format: it has no letter or digit to replace",
            "{n:,} values cannot have tokens of the same format: they have no letters or digits to replace",
            n=len(same),
        ),
        remedy=tr('Use a domain with format = "opaque".'),
    )


def _redraw(values: Sequence[str]) -> list[str]:
    points = np.frombuffer("".join(values).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    found, where = np.unique(points, return_inverse=True)
    kinds = np.array([_kind(chr(point)) for point in found.tolist()], dtype=np.uint8)[where]
    redrawn = points.copy()
    for kind, alphabet in _ALPHABETS.items():
        places = np.flatnonzero(kinds == kind)
        symbols = np.frombuffer(alphabet.encode(), dtype=np.uint8)
        redrawn[places] = symbols[draw_uniform(places.size, len(alphabet))]
    text = redrawn.tobytes().decode("utf-32-le")
    ends = np.cumsum([len(value) for value in values]).tolist()
    return [text[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _kind(character: str) -> int:
    """The alphabet that replaces a character; one that a database cannot hold becomes a letter."""
    if character.isdigit():
        return 3
    if character.isupper():
        return 2
    if character.isalpha() or not (character.isprintable() or character.isspace()):
        return 1
    return _KEPT


FORMATS: dict[str, Draw] = {"opaque": draw_opaque, "shape": draw_shaped}
"""The function that draws the tokens of each format."""


PAGE = 50_000

FRUITLESS = 100
"""Rounds of draws in which every token was taken already, after which the tokens of a shape count as used up. A hundred
rounds cost milliseconds, and miss the last free one of ten tokens with probability 3·10⁻⁵."""


Sealed = tuple[str, bytes, bytes, int]
"""A token, the lookup of its value, the sealed value, and the number of its batch."""


def known_tokens(
    store: VaultStore, connection: Connection, domain: TokenDomain, index: Sequence[bytes]
) -> dict[bytes, str]:
    """The tokens of the values that have one, by lookup."""
    return dict(store.select(connection, "lookup, token", schema.tokens.name, "lookup", index, domain=domain.number))


def read_sealed(store: VaultStore, connection: Connection, domain: TokenDomain, tokens: Sequence[str]) -> list[Sealed]:
    """Read the sealed values of tokens, without tokens that are not of the domain or whose value was forgotten."""
    columns = "token, lookup, sealed, batch"
    usable = [token for token in tokens if "\0" not in token]
    found = store.select(connection, columns, schema.tokens.name, "token", usable, domain=domain.number)
    return [row for row in found if row[2] is not None]


def pages(connection: Connection, domain: TokenDomain) -> Iterator[list[Sealed]]:
    """All rows of a domain, page by page, without rows that are written meanwhile."""
    columns = schema.tokens.c
    newest = connection.execute(select(schema.batches.c.number).order_by(schema.batches.c.number.desc()).limit(1))
    last, until = "", newest.scalar() or 0
    rows = select(columns.token, columns.lookup, columns.sealed, columns.batch).where(
        columns.domain == domain.number, columns.batch <= until
    )
    while found := connection.execute(rows.where(columns.token > last).order_by(columns.token).limit(PAGE)).all():
        last = found[-1].token
        yield [tuple(row) for row in found]


def ephemerals(store: VaultStore, connection: Connection, rows: Sequence[Sealed]) -> dict[int, bytes]:
    """The public parts of the batches that rows were written in."""
    numbers = sorted({row[3] for row in rows})
    return dict(store.select(connection, "number, ephemeral", schema.batches.name, "number", numbers, domain=None))


def open_values(rows: Sequence[Sealed], private: bytes, batches: Mapping[int, bytes]) -> dict[str, str]:
    """Open the values of rows, by token. Raises `DoesNotOpen` where one was altered."""
    by_batch: dict[int, list[Sealed]] = {}
    for row in rows:
        by_batch.setdefault(row[3], []).append(row)
    values: dict[str, str] = {}
    for number, some in by_batch.items():
        batch = SealedBatch.reopen(private, batches.get(number, b""))
        tokens = [row[0] for row in some]
        values.update(zip(tokens, batch.open((row[2] for row in some), tokens), strict=True))
    return values


def damage_error(place: str) -> VaultError:
    """The error for values that do not open."""
    return VaultError(
        tr("a value cannot be decrypted: the vault was altered or is damaged"),
        where=place,
        remedy=tr("Restore the vault from a copy. `cobogo vault check` counts the damaged values."),
    )


def add_tokens(
    store: VaultStore, connection: Connection, domain: TokenDomain, public: bytes, values: Mapping[bytes, str]
) -> dict[bytes, str]:
    """Give tokens to values, by lookup; a value that another writer gave one meanwhile keeps that one."""
    batch = SealedBatch.new(public)
    inserted = connection.execute(insert(schema.batches).values(ephemeral=batch.ephemeral)).inserted_primary_key
    number = int(inserted[0]) if inserted is not None else 0
    met: dict[bytes, str] = {}
    fruitless = 0
    while missing := sorted(values.keys() - met.keys()):  # the same order for every writer: none waits in a circle
        wanted = [values[lookup] for lookup in missing]
        tokens = FORMATS[domain.format](wanted)
        rows = list(zip(tokens, missing, batch.seal(wanted, tokens), strict=True))
        if store.insert(connection, domain.number, number, rows) == len(rows):
            met.update(zip(missing, tokens, strict=True))
            continue
        before = len(met)
        met |= known_tokens(store, connection, domain, missing)
        fruitless = 0 if len(met) > before else fruitless + 1
        if fruitless >= FRUITLESS:
            raise VaultError(
                trn(
                    "there are too few tokens of the same format for {n:,} value",
                    "there are too few tokens of the same format for {n:,} values",
                    n=len(missing),
                ),
                where=tr('{place}, domain "{domain}"', place=store.place, domain=domain.name),
                remedy=tr('Use a domain with format = "opaque": short values have few tokens of the same format.'),
            )
    return met


def erase(store: VaultStore, connection: Connection, domain: TokenDomain, tokens: Sequence[str]) -> None:
    """Erase the values behind tokens. The tokens stay, so that none is given out again."""
    statement = (
        f"UPDATE {schema.tokens.name} SET lookup = NULL, sealed = NULL, batch = NULL "
        f"WHERE domain = {domain.number:d} AND token = ?"
    )
    store.update(connection, statement, [(token,) for token in tokens])
