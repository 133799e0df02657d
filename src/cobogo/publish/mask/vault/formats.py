"""What tokens look like. They are drawn from the operating system's entropy and say nothing of the value, except
that a token of the format ``shape`` has the value's length, and letters, digits and signs where the value has them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np

from cobogo.errors import VaultError
from cobogo.floor.arrays import Bytes
from cobogo.floor.language import tr, trn

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
