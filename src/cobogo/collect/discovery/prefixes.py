"""From the beginnings of values to the values: prefixes are extended, a few symbols at a time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from cobogo.collect.discovery.base import Discovery
from cobogo.floor.arrays import Ints

TRIED = 2**12
"""A prefix is extended by as many symbols as give at most so many extensions of each."""


@dataclass(frozen=True)
class Prefixes(Discovery):
    r"""The prefix extending method: each group reports a longer prefix than the group before; the most frequent
    prefixes of one group, extended by every symbol, are the candidates of the next.

    A value is found when its prefixes are among the frequent ones of every group, and it itself is significant in the
    last. Values that share a beginning help each other up to where they part.

    Formula: $C_{i+1} = \{x s : x \in \mathrm{top}_k(C_i),\; s \in \Sigma^{t}\}$, each group with the whole of ε
    Example: Words are found without a list of them; how many groups that takes.
        >>> method = Prefixes(epsilon=4.0)
        >>> method.groups, method.lengths
        (4, [2, 4, 6, 8])

    Guarantee: ε-local differential privacy: every user is in one group and reports once. A value that nobody holds is
        found significant with a probability of at most alpha, all candidates together.
    Limits: Users are split among the groups, so a value must be frequent to be found. Alphabet and length are public.
    Cost: $O(1)$ for a client; the server reads a sketch for the extensions of at most ``keep`` prefixes a group.
    Paper: T. Wang, N. Li and S. Jha, Locally differentially private heavy hitter identification, IEEE Transactions on
        Dependable and Secure Computing, 2021; R. Bassily, K. Nissim, U. Stemmer and A. Thakurta, Practical locally
        private heavy hitters, NIPS 2017.
    """

    name: ClassVar[str] = "pem"

    stray: ClassVar[int] = 16

    @property
    def step(self) -> int:
        """How many symbols longer each prefix is than the one before."""
        step = 1
        while step < self.domain.length and self.domain.symbols ** (step + 1) <= TRIED:
            step += 1
        return step

    @property
    def lengths(self) -> list[int]:
        """The length of the prefix that each group reports."""
        return [*range(self.step, self.domain.length, self.step), self.domain.length]

    @property
    def groups(self) -> int:
        """One for each length."""
        return len(self.lengths)

    @property
    def values(self) -> int:
        """Extensions of a few frequent prefixes, and of as many that chance put among them."""
        last = self.domain.length - self.lengths[-2] if self.groups > 1 else self.domain.length
        return int(self.domain.symbols**last) * (2 * self.stray if self.groups > 1 else 1)

    def piece(self, group: int, sequences: Ints) -> Ints:
        """The prefix."""
        return self.domain.numbered(sequences[:, : self.lengths[group]])

    def candidates(self, tallies: Ints) -> Ints:
        """Extensions of the prefixes that are the most frequent, as often as there are groups."""
        found = self._extended(np.zeros((1, 0), dtype=np.int64), self.lengths[0])
        for group, (length, longer) in enumerate(pairwise(self.lengths)):
            chosen, _ = self.most(tallies[group], self.piece(group, found))
            found = self._extended(found[chosen], longer - length)
        return found

    def _extended(self, sequences: Ints, by: int) -> Ints:
        for _ in range(by):
            ends = np.tile(np.arange(self.domain.symbols), len(sequences))
            sequences = np.column_stack([np.repeat(sequences, self.domain.symbols, axis=0), ends])
            sequences = sequences[self.domain.possible(sequences)]
        return sequences
