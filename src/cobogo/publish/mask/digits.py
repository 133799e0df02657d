"""Numbers as fakes: CPF, CNPJ, phone, CEP and card, drawn in bulk with valid check digits, and their validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Words

Digits = NDArray[np.uint8]
"""A row a number, a column a digit."""


_AREAS = np.array(
    [11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 24, 27, 28, 31, 32, 33, 34, 35, 37, 38, 41, 42, 43, 44, 45, 46, 47, 48,
     49, 51, 53, 54, 55, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 73, 74, 75, 77, 79, 81, 82, 83, 84, 85, 86, 87, 88, 89,
     91, 92, 93, 94, 95, 96, 97, 98, 99]
)  # fmt: skip
_CPF = (np.arange(10, 1, -1), np.arange(11, 1, -1))
_CNPJ = (np.array([5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]), np.array([6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]))


@dataclass(frozen=True)
class NumberFormat:
    """A kind of number.

    ``pattern`` recognizes its values; ``layout`` is used for values that are written otherwise; ``draw`` draws a number
    of digits; ``valid`` checks given ones.
    """

    pattern: str
    layout: str
    draw: Callable[[Words, int], Digits]
    valid: Callable[[Digits], NDArray[np.bool_]]


def _spread(words: Words, count: int) -> Digits:
    """Decimal digits from random words: 16 from each, which leaves a bias below 10⁻³ on the highest."""
    drawn = []
    for place in range(count):
        word = words[:, place // 16] // np.uint64(10 ** (place % 16))
        drawn.append((word % np.uint64(10)).astype(np.uint8))
    return np.column_stack(drawn)


def _modulo_11(digits: Digits, weights: NDArray[np.int64]) -> Digits:
    rest = digits[:, : len(weights)].astype(np.int64) @ weights % 11
    return np.where(rest < 2, 0, 11 - rest).astype(np.uint8)


def _append_check_digits(digits: Digits, weights: Sequence[NDArray[np.int64]]) -> Digits:
    for each in weights:
        digits = np.column_stack([digits, _modulo_11(digits, each)])
    return digits


def _alike(digits: Digits) -> NDArray[np.bool_]:
    return np.asarray((digits == digits[:, :1]).all(axis=1))


def _cpf(words: Words, count: int) -> Digits:  # noqa: ARG001
    digits = _spread(words, 9)
    digits[:, 8] = np.where(_alike(digits), (digits[:, 8] + 1) % 10, digits[:, 8])  # 111.111.111-11 is none
    return _append_check_digits(digits, _CPF)


def _cnpj(words: Words, count: int) -> Digits:  # noqa: ARG001
    digits = _spread(words, 12)
    digits[:, 8:12] = np.array([0, 0, 0, 1], dtype=np.uint8)  # the head office
    digits[:, 0] = np.where(_alike(digits[:, :8]), (digits[:, 0] + 1) % 10, digits[:, 0])
    return _append_check_digits(digits, _CNPJ)


def _validator(weights: Sequence[NDArray[np.int64]]) -> Callable[[Digits], NDArray[np.bool_]]:
    length = len(weights[0])

    def valid(digits: Digits) -> NDArray[np.bool_]:
        if digits.shape[1] != length + len(weights):
            return np.zeros(len(digits), dtype=np.bool_)
        return np.asarray((_append_check_digits(digits[:, :length], weights) == digits).all(axis=1) & ~_alike(digits))

    return valid


def _phone(words: Words, count: int) -> Digits:
    """A phone number with an existing area code, with or without the country's 55, of a mobile or a landline."""
    short = count if count <= 11 else count - 2
    digits = _spread(words, short)
    area = _AREAS[(words[:, 3] % np.uint64(len(_AREAS))).astype(np.int64)]
    digits[:, 0], digits[:, 1] = area // 10, area % 10
    digits[:, 2] = 9 if short == 11 else 2 + digits[:, 2] % 4
    if short == count:
        return digits
    return np.column_stack([np.full((len(digits), 2), 5, dtype=np.uint8), digits])


def _cep(words: Words, count: int) -> Digits:
    digits = _spread(words, count)
    digits[:, 1] = np.where((digits[:, 0] == 0) & (digits[:, 1] == 0), 1, digits[:, 1])  # the lowest is 01000-000
    return digits


def _luhn(digits: Digits) -> NDArray[np.int64]:
    """The sum of Luhn's check over all digits: a multiple of ten for a valid number."""
    places = np.arange(digits.shape[1])[::-1] % 2
    doubled = digits.astype(np.int64) * (1 + places)
    return np.asarray(np.where(doubled > 9, doubled - 9, doubled).sum(axis=1))


def _card(words: Words, count: int) -> Digits:
    digits = _spread(words, count)
    digits[:, 0] = 4 + words[:, 3] % np.uint64(2)
    digits[:, 1] = np.where(digits[:, 0] == 5, 1 + digits[:, 1] % 5, digits[:, 1])
    digits[:, -1] = 0
    digits[:, -1] = -_luhn(digits) % 10
    return digits


def _accept_all(digits: Digits) -> NDArray[np.bool_]:
    return np.ones(len(digits), dtype=np.bool_)


DOCUMENTS: dict[str, NumberFormat] = {
    "cpf": NumberFormat(r"^\d{3}\.?\d{3}\.?\d{3}-?\d{2}$", "000.000.000-00", _cpf, _validator(_CPF)),
    "cnpj": NumberFormat(r"^\d{2}\.?\d{3}\.?\d{3}/?\d{4}-?\d{2}$", "00.000.000/0000-00", _cnpj, _validator(_CNPJ)),
    "phone": NumberFormat(
        r"^(\+?55[ .-]?)?(\(\d{2}\)|\d{2})[ .-]?9?\d{4}[ .-]?\d{4}$", "(00) 00000-0000", _phone, _accept_all
    ),
    "cep": NumberFormat(r"^\d{2}\.?\d{3}-?\d{3}$", "00000-000", _cep, _accept_all),
    "card": NumberFormat(
        r"^(\d{13,19}|\d{4}([ -])\d{4}[ -]\d{4}[ -]\d{4})$", "0000 0000 0000 0000", _card,
        lambda digits: np.asarray(_luhn(digits) % 10 == 0),
    ),
}  # fmt: skip
"""How each kind of number is recognized, written, drawn and checked."""


def canonical(values: Sequence[str | None] | NDArray[np.object_], pattern: str | None = None) -> NDArray[np.object_]:
    """Each value in one form, however it is written: only the digits of what matches one of these numbers (or
    ``pattern``), otherwise the value itself.

    >>> canonical(["529.982.247-25", "52998224725", "A-7"]).tolist()
    ['52998224725', '52998224725', 'A-7']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pa.array(values, pa.string())
    bare = pc.replace_substring_regex(texts, "[^0-9]", "")
    known = pc.match_substring_regex(texts, pattern or "|".join(kind.pattern for kind in DOCUMENTS.values()))
    return np.asarray(pc.if_else(known, bare, texts).to_numpy(zero_copy_only=False))


def layouts(values: Sequence[str] | NDArray[np.object_], kind: NumberFormat) -> NDArray[np.object_]:
    """The layout of each value, with 0 for every digit; the kind's own layout for values that do not match it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pa.array(values, pa.string())
    own = pc.replace_substring_regex(texts, r"[0-9]", "0")
    return np.asarray(
        pc.if_else(pc.match_substring_regex(texts, kind.pattern), own, kind.layout).to_numpy(zero_copy_only=False)
    )


def draw_numbers(words: Words, lengths: NDArray[np.int64], kind: NumberFormat) -> NDArray[np.object_]:
    """Draw a number for each row of words: only digits, as many as ``lengths`` says."""
    found = np.empty(len(words), dtype=object)
    for length in np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == length)
        text = np.ascontiguousarray(kind.draw(words[rows], length) + ord("0"))
        found[rows] = text.view(f"S{length}").ravel().astype(str).astype(object)
    return found


def lay_out(bare: NDArray[np.object_], written: NDArray[np.object_]) -> NDArray[np.object_]:
    """Write digits in the layouts given, which have a 0 in the place of each digit."""
    found = np.empty(len(bare), dtype=object)
    forms, where = np.unique(written.astype(str), return_inverse=True)
    for number, form in enumerate(forms.tolist()):
        rows = np.flatnonzero(where == number)
        template = np.frombuffer(form.encode(), dtype=np.uint8)
        places = np.flatnonzero(template == ord("0"))
        digits = np.ascontiguousarray(bare[rows].astype(f"S{len(places)}")).view(np.uint8).reshape(len(rows), -1)
        text = np.tile(template, (len(rows), 1))
        text[:, places] = digits
        found[rows] = text.view(f"S{len(template)}").ravel().astype(str).astype(object)
    return found


def count_invalid(values: Sequence[str], kind: NumberFormat) -> int:
    """How many values do not match the pattern, or have wrong check digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pa.array(values, pa.string())
    of_form = pc.match_substring_regex(texts, kind.pattern).to_numpy(zero_copy_only=False).astype(bool)
    bare = pc.replace_substring_regex(texts, r"[^0-9]", "").to_numpy(zero_copy_only=False)[of_form].astype(str)
    wrong = int((~of_form).sum())
    lengths = np.char.str_len(bare) if bare.size else np.zeros(0, dtype=np.int64)
    for length in np.unique(lengths).tolist():
        some = np.ascontiguousarray(bare[lengths == length].astype(f"S{length}"))
        digits = some.view(np.uint8).reshape(len(some), length) - ord("0")
        wrong += int((~kind.valid(digits)).sum())
    return wrong
