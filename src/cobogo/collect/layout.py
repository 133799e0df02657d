"""How reports lie in bytes: whole numbers below their bounds, then a row of bits. Every report of a kind is as long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Ints

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
        """Which rows no client could have sent: a number at or above its bound, or a bit set after the last."""
        numbers, bits = self.unpack(rows)
        wrong = np.zeros(len(rows), dtype=np.bool_)
        for number, (_, bound) in zip(numbers, self.numbers, strict=True):
            wrong |= (number < 0) | (number >= bound)
        if self.bits % 8:
            wrong |= (bits[:, -1] & (0xFF >> self.bits % 8)) != 0
        return np.flatnonzero(wrong)
