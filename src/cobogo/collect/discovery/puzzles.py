"""From fragments of values to the values: what belongs together carries the same mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.collect.discovery.base import Discovery
from cobogo.collect.families import cells
from cobogo.floor.arrays import Ints

MARKS = 256
"""How many marks there are: a wrong combination of fragments gets by with one chance in as many."""

AT_MOST = 2**18
"""Combinations that are followed up: the most frequent ones, where there are more."""


@dataclass(frozen=True)
class Puzzles(Discovery):
    r"""Apple's sequence fragment puzzle: a group for each place reports the symbols there with a mark of 8 bits, a hash
    of the whole value; frequent fragments with the same mark are put together.

    What has that mark itself is a candidate. ``fragment`` is how many symbols are reported together. A value is found
    when its fragments are among the frequent ones of every place, and it itself is significant among the few candidates
    that are left.

    Formula: $(x_{[i, i + t)},\, h(x))$ is reported by group $i$; candidates are $\{x : h(x) = m,\; (x_{[i, i + t)}, m)
        \in \mathrm{top}_k \text{ for every } i\}$
    Example:
        >>> method = Puzzles(epsilon=4.0)
        >>> list(method.places), method.groups
        ([0, 2, 4, 6], 5)

    Guarantee: ε-local differential privacy: every user is in one group and reports once. A value that nobody holds is
        found significant with a probability of at most alpha, all candidates together.
    Limits: Users are split among the groups. Where many frequent values share a mark, combinations multiply, and only
        the most frequent are followed up.
    Cost: $O(1)$ for a client; the server reads a sketch for every fragment with every one of 256 marks.
    Paper: Differential Privacy Team, Apple, Learning with privacy at scale, 2017.
    """

    fragment: int = 2

    name: ClassVar[str] = "sfp"
    stray: ClassVar[int] = 256

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.fragment <= self.domain.length or self.domain.symbols**self.fragment > 2**14:
            raise ValueError(
                f"The 'fragment' parameter of {self.name} must be of 1 to the length, and such that there are at most "
                f"2**14 fragments. Got {self.fragment!r} instead"
            )

    @property
    def places(self) -> range:
        """Where fragments begin; the last may be shorter."""
        return range(0, self.domain.length, self.fragment)

    @property
    def groups(self) -> int:
        """One for each place, and one for whole values."""
        return len(self.places) + 1

    @property
    def values(self) -> int:
        """A few: what was put together wrongly carries the wrong mark."""
        return 2 * self.stray

    def marks(self, sequences: Ints) -> Ints:
        """A public hash of each whole value."""
        zeros = np.zeros(len(sequences), dtype=np.int64)
        return cells(zeros, self.domain.numbered(sequences), 1, MARKS, self.seed ^ 0x5F0)

    def piece(self, group: int, sequences: Ints) -> Ints:
        """A fragment with its mark; of the last group, the whole value."""
        if group == len(self.places):
            return self.domain.numbered(sequences)
        place = self.places[group]
        return self.domain.numbered(sequences[:, place : place + self.fragment]) * MARKS + self.marks(sequences)

    def candidates(self, tallies: Ints) -> Ints:
        """Fragments of every place that carry the same mark, put together where the whole has it."""
        found = np.zeros((MARKS, 0), dtype=np.int64)
        marks, worth = np.arange(MARKS), np.full(MARKS, np.inf)
        for group, place in enumerate(self.places):
            fragments = self._fragments(min(self.fragment, self.domain.length - place))
            every = (self.domain.numbered(fragments)[:, None] * MARKS + np.arange(MARKS)).reshape(-1)
            chosen, counts = self.most(tallies[group], every)
            left, right = _same(marks, chosen % MARKS)
            least = np.minimum(worth[left], counts[right])
            joined = np.column_stack([found[left], fragments[chosen[right] // MARKS]])
            fits = self.domain.possible(joined)
            best = np.flatnonzero(fits)[np.argsort(-least[fits], kind="stable")[:AT_MOST]]
            found, marks, worth = joined[best], marks[left][best], least[best]
        right_ones: Ints = found[self.marks(found) == marks]
        return right_ones

    def _fragments(self, length: int) -> Ints:
        numbers = np.arange(self.domain.symbols**length)
        places = self.domain.symbols ** np.arange(length - 1, -1, -1)
        every: Ints = numbers[:, None] // places % self.domain.symbols
        fit: Ints = every[self.domain.possible(every)]
        return fit


def _same(one: Ints, other: Ints) -> tuple[Ints, Ints]:
    """Every pair of places at which two lists have the same number.

    >>> [places.tolist() for places in _same(np.array([5, 7]), np.array([7, 9, 7, 5]))]
    [[0, 1, 1], [3, 0, 2]]
    """
    order = np.argsort(other, kind="stable")
    start, end = (np.searchsorted(other[order], one, side=side) for side in ("left", "right"))
    left = np.repeat(np.arange(len(one)), end - start)
    within = np.arange(len(left)) - np.repeat(np.cumsum(end - start) - (end - start), end - start)
    return left, order[np.repeat(start, end - start) + within]
