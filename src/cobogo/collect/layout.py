"""The layout of reports in bytes: whole numbers below their bounds, then a row of bits.

All reports of a mechanism have the same length. The first bit is the highest bit of the first byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Bytes, Ints
from cobogo.floor.kernels import kernel
from cobogo.floor.randomness import Source, packed_coins

Rows = NDArray[np.uint8]
"""Packed reports, one in each row."""


@dataclass(frozen=True)
class Layout:
    """``numbers``, each with its name and bound, in as few bytes as hold them, little end first; then ``bits``, eight
    in a byte, the first in the highest, with zeros after the last.

    >>> layout = Layout((("cohort", 300),), bits=10)
    >>> layout.width, layout.pack([np.array([258])], np.array([[0b10000001, 0b01000000]], dtype=np.uint8)).tolist()
    (4, [[2, 1, 129, 64]])
    """

    numbers: tuple[tuple[str, int], ...] = ()
    bits: int = 0

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Bytes of each number."""
        return tuple(max(1, -(-(bound - 1).bit_length() // 8)) for _, bound in self.numbers)

    @property
    def width(self) -> int:
        """Bytes of a report."""
        return sum(self.widths) + -(-self.bits // 8)

    def pack(self, numbers: Sequence[NDArray[np.integer]], bits: Rows | None = None) -> Rows:
        """Reports from their numbers and their bits."""
        parts = [
            np.ascontiguousarray(number, dtype="<u8").view(np.uint8).reshape(-1, 8)[:, :width]
            for number, width in zip(numbers, self.widths, strict=True)
        ]
        return np.ascontiguousarray(np.concatenate([*parts, *([] if bits is None else [bits])], axis=1))

    def unpack(self, rows: Rows) -> tuple[list[Ints], Rows]:
        """The numbers and the bits of reports."""
        numbers: list[Ints] = []
        at = 0
        for width in self.widths:
            wide = np.zeros((len(rows), 8), dtype=np.uint8)
            wide[:, :width] = rows[:, at : at + width]
            numbers.append(wide.view("<u8").reshape(-1).astype(np.int64))
            at += width
        return numbers, rows[:, at:]

    def faults(self, rows: Rows) -> Ints:
        """The rows that no client can have sent: a number at or above its bound, or a bit set after the last."""
        numbers, bits = self.unpack(rows)
        wrong = np.zeros(len(rows), dtype=np.bool_)
        for number, (_, bound) in zip(numbers, self.numbers, strict=True):
            wrong |= (number < 0) | (number >= bound)
        if self.bits % 8:
            wrong |= (bits[:, -1] & (0xFF >> self.bits % 8)) != 0
        return np.flatnonzero(wrong)


def pack_reports(reports: NDArray[Any], layout: Layout) -> Rows:
    """An oracle's reports as bytes.

    >>> pack_reports(np.array([3, 1]), Layout((("value", 5),))).tolist()
    [[3], [1]]
    """
    if not layout.numbers:
        return np.ascontiguousarray(reports)
    if reports.dtype.names is None:
        return layout.pack([reports])
    return layout.pack([reports[name] for name, _ in layout.numbers], reports["bits"] if layout.bits else None)


def unpack_reports(rows: Rows, layout: Layout, record: np.dtype[Any] | None = None) -> NDArray[Any]:
    """The same reports as the oracle gave them; where they are records, of the type given or of as many bits as do."""
    numbers, bits = layout.unpack(rows)
    if not numbers:
        return bits
    if len(numbers) == 1 and not layout.bits:
        return numbers[0]
    fields: list[Any] = [(name, np.uint32 if bound <= 2**32 else np.uint64) for name, bound in layout.numbers]
    fields += [("bits", np.uint8, (bits.shape[1],))] if layout.bits else []
    reports = np.empty(len(rows), dtype=fields if record is None else record)
    for number, (name, _) in zip(numbers, layout.numbers, strict=True):
        reports[name] = number
    if layout.bits:
        reports["bits"] = bits
    return reports


def random_bits(probability: Fraction, shape: tuple[int, ...], source: Source) -> Bytes:
    """Rows of bytes, each bit of which is set with exactly the probability given."""
    size = prod(shape)
    return packed_coins(probability, -(-size // 8), source).view(np.uint8)[:size].reshape(shape)


def select_bits(where: Bytes, one: Bytes, other: Bytes) -> Bytes:
    """Bit by bit, that of ``one`` where a bit is set, else that of ``other``."""
    found: Bytes = other ^ (where & (one ^ other))
    return found


def count_bits(bits: Bytes, kinds: Ints | None = None, *, of: int = 1) -> Ints:
    """How many rows have each bit set: [kind, bit], for the rows of each of ``of`` kinds.

    >>> count_bits(np.array([[128], [129], [1]], dtype=np.uint8), np.array([0, 1, 1]), of=2).tolist()
    [[1, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 2]]
    """
    found = np.zeros((of, 8 * bits.shape[1]), dtype=np.int64)
    which = np.zeros(len(bits), dtype=np.int64) if kinds is None else np.ascontiguousarray(kinds, dtype=np.int64)
    _count_bits(found, which, np.ascontiguousarray(bits))
    return found


@kernel()
def _count_bits(found, kinds, bits):  # type: ignore[no-untyped-def]
    for number in range(len(kinds)):
        counts = found[kinds[number]]
        for place in range(bits.shape[1]):
            byte = np.int64(bits[number, place])
            for bit in range(8):
                counts[8 * place + bit] += (byte >> (7 - bit)) & 1
