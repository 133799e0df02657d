"""Domains too large to list: sequences of symbols of a small alphabet."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr

UNKNOWN = "\ufffd"
"""Stands for any character that is not of the alphabet."""

LARGEST = 2**60
"""The most sequences of a domain: their numbers must fit into 64 bits."""


class SequenceDomain(ABC):
    """Sequences of ``length`` symbols, numbered from 0 below ``symbols``. Whatever a client holds is one of them, so
    that every client has something to report."""

    length: int
    title: ClassVar[str]

    @property
    @abstractmethod
    def symbols(self) -> int:
        """How many symbols there are."""

    @abstractmethod
    def sequences(self, held: Sequence[Any] | NDArray[Any]) -> Ints:
        """A row of symbols for each value held."""

    @abstractmethod
    def values(self, sequences: Ints) -> list[Any]:
        """The values that rows of symbols stand for."""

    @abstractmethod
    def possible(self, sequences: Ints) -> NDArray[np.bool_]:
        """Which rows are the beginning, or a part, of the sequence of some value."""

    def to_numbers(self, sequences: Ints) -> Ints:
        """Each row as one number, in base ``symbols``."""
        found = np.zeros(len(sequences), dtype=np.int64)
        for place in range(sequences.shape[1]):
            found = found * self.symbols + sequences[:, place]
        return found

    def _check(self) -> None:
        if self.length < 1 or self.symbols**self.length > LARGEST:
            raise ValueError(
                tr(
                    "The 'length' parameter of {title} must be 1 or more, with at most 2**60 possible sequences. "
                    "Got {length!r} of {symbols} symbols instead",
                    title=self.title,
                    length=self.length,
                    symbols=self.symbols,
                )
            )


@dataclass(frozen=True)
class WordDomain(SequenceDomain):
    r"""Words of at most ``length`` letters. Longer ones are cut; a letter that is not of the alphabet becomes \ufffd.

    >>> words = WordDomain("abc", length=4)
    >>> words.values(words.sequences(["cab", "abcabc", "a-b"]))
    ['cab', 'abca', 'a\ufffdb']
    """

    letters: str = "abcdefghijklmnopqrstuvwxyz"
    length: int = 8

    title: ClassVar[str] = "Words"

    def __post_init__(self) -> None:
        if len(set(self.letters)) != len(self.letters) or not self.letters or {UNKNOWN, "\0"} & set(self.letters):
            raise ValueError(
                tr("The 'letters' parameter of Words must be different characters, without \\ufffd and \\0")
            )
        self._check()

    @property
    def symbols(self) -> int:
        """The end of a word, the letters, and the one for all others."""
        return len(self.letters) + 2

    @cached_property
    def _symbol_of(self) -> NDArray[np.uint16]:
        table = np.full(0x110000, self.symbols - 1, dtype=np.uint16)
        table[0] = 0
        for number, letter in enumerate(self.letters, 1):
            table[ord(letter)] = number
        return table

    def sequences(self, held: Sequence[Any] | NDArray[Any]) -> Ints:
        """Letters, and the end in every place after the last."""
        letters = np.array(held, dtype=f"<U{self.length}").reshape(-1)
        points = letters.view("<u4").reshape(len(letters), self.length)
        ended = np.cumsum(points[:, ::-1] != 0, axis=1)[:, ::-1] == 0
        return np.where(ended, 0, np.where(points == 0, self.symbols - 1, self._symbol_of[points])).astype(np.int64)

    def values(self, sequences: Ints) -> list[str]:
        """The words."""
        characters = np.array(["", *self.letters, UNKNOWN], dtype=object)
        return ["".join(row) for row in characters[sequences].tolist()]

    def possible(self, sequences: Ints) -> NDArray[np.bool_]:
        """Nothing follows the end of a word."""
        found: NDArray[np.bool_] = ((sequences[:, :-1] > 0) | (sequences[:, 1:] == 0)).all(axis=1)
        return found


@dataclass(frozen=True)
class NumberDomain(SequenceDomain):
    """Whole numbers of ``bits`` bits, in digits of ``digit`` bits each.

    >>> numbers = NumberDomain(48)
    >>> numbers.values(numbers.sequences([0, 2**48 - 1]))
    [0, 281474976710655]
    """

    bits: int = 48
    digit: int = 6

    title: ClassVar[str] = "Numbers"

    def __post_init__(self) -> None:
        if not 1 <= self.digit <= 8:
            raise ValueError(f"The 'digit' parameter of Numbers must be of 1 to 8 bits. Got {self.digit!r} instead")
        if not 1 <= self.bits <= 60 - 60 % self.digit:
            raise ValueError(f"The 'bits' parameter of Numbers must be of 1 to about 60. Got {self.bits!r} instead")

    @property
    def length(self) -> int:  # type: ignore[override]
        """As many digits as the bits need."""
        return -(-self.bits // self.digit)

    @property
    def symbols(self) -> int:
        """The digits."""
        return 1 << self.digit

    def sequences(self, held: Sequence[Any] | NDArray[Any]) -> Ints:
        """The digits, the highest first."""
        numbers = np.asarray(held, dtype=np.int64).reshape(-1)
        if ((numbers < 0) | (numbers >= 1 << self.bits)).any():
            raise ValueError(f"The 'held' parameter of Numbers must be whole numbers from 0 to below 2**{self.bits}")
        shifts = self.digit * np.arange(self.length - 1, -1, -1)
        found: Ints = (numbers[:, None] >> shifts) & (self.symbols - 1)
        return found

    def values(self, sequences: Ints) -> list[int]:
        """The numbers."""
        return [int(number) for number in self.to_numbers(sequences)]

    def possible(self, sequences: Ints) -> NDArray[np.bool_]:
        """All are."""
        return np.ones(len(sequences), dtype=np.bool_)
