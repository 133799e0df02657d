"""The contract of a discovery: clients hold values of a domain too large to list; which do many of them hold?

Clients are dealt by chance into groups. Each reports once, with the whole of ``epsilon``: the members of a group report
the same *piece* of their values, through a sketch (`collect.sketch`). The last group reports whole values. The other
groups' sketches lead to candidates; the last group's tells which of them are there.

The guarantee: a report's law changes by a factor of at most e^ε whatever the client holds. And since the candidates do
not depend on the last group's reports, each can be tested on them at alpha / candidates: a value that nobody holds is
found significant with a probability of at most alpha, all candidates together (see `cobogo.collect.judging`).
To add one: one class that extends `Discovery`, and one line in `cobogo.collect.discovery.DISCOVERIES`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import exp
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.collect.base import Oracle, Reports
from cobogo.collect.discovery.domains import Domain, Words
from cobogo.collect.judging import judged
from cobogo.collect.sketch import FastHashing, HadamardSketch, Sketch
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Source, below


@dataclass(frozen=True, eq=False)
class Found:
    """Candidates, the most frequent first, with estimates of how many of all users hold them. ``significant`` are those
    that chance does not explain: with all candidates that were tested, at the level ``alpha``; ``chances`` are how
    likely the last group would show as much of each if nobody held it."""

    values: list[Any]
    counts: Floats
    errors: Floats
    chances: Floats
    significant: NDArray[np.bool_]
    users: int
    tested: int
    alpha: float

    @property
    def shares(self) -> Floats:
        """The same as shares of the users."""
        return self.counts / max(self.users, 1)

    @property
    def there(self) -> list[Any]:
        """The values that are significantly there."""
        return [value for value, sure in zip(self.values, self.significant, strict=True) if sure]


@dataclass(frozen=True)
class Discovery(ABC):
    """A way to find frequent values of a ``domain``, at a privacy loss of at most ``epsilon`` for each user. At most
    ``keep`` pieces of a group are followed up: more cost the server time, not privacy. ``seed`` names the public hash
    functions of the sketches, of ``rows`` rows of ``width`` cells: 0 stands for as many as suit ε."""

    epsilon: float
    domain: Domain = field(default_factory=Words)
    keep: int = 512
    rows: int = 0
    width: int = 0
    seed: int = 0

    name: ClassVar[str]
    stray: ClassVar[int]
    """How many of a group's pieces that nobody has may be followed up by chance."""

    def __post_init__(self) -> None:
        if not 1 <= self.keep <= 65_536:
            raise ValueError(f"The 'keep' parameter of {self.name} must be of 1 to 65,536. Got {self.keep!r} instead")
        _ = self.sketch

    @cached_property
    def sketch(self) -> Sketch:
        """How pieces are reported: by one bit up to an ε of 3, above by a cell, of four times as many as would do if
        cells were never shared."""
        if self.epsilon <= 3:
            return HadamardSketch(1, self.epsilon, self.rows or 256, self.width or 1024, self.seed)
        width = self.width or min(4 * (round(exp(self.epsilon)) + 1), 4096)
        return FastHashing(1, self.epsilon, self.rows or (1024 if width < 512 else 256), width, self.seed)

    @property
    def report(self) -> np.dtype[Any]:
        """The fields of a report: the group, and those of the sketch."""
        parts = self.sketch.report
        return np.dtype([("group", np.uint16), *((name, parts[name]) for name in parts.names or ())])

    @property
    @abstractmethod
    def groups(self) -> int:
        """Into how many groups clients are dealt."""

    @abstractmethod
    def piece(self, group: int, sequences: Ints) -> Ints:
        """What members of a group report: a number for the piece of each sequence."""

    @abstractmethod
    def candidates(self, tallies: Ints) -> Ints:
        """Sequences that may be frequent, from the tallies of all groups but the last."""

    @property
    @abstractmethod
    def values(self) -> int:
        """How many candidates may come to be tested, for planning."""

    def encode(self, held: Sequence[Any] | NDArray[Any], source: Source) -> Reports:
        """One report for each client: its group, and a bit of a sketch."""
        sequences = self.domain.sequences(held)
        groups = below(self.groups, len(sequences), source)
        pieces = np.empty(len(sequences), dtype=np.int64)
        for group in range(self.groups):
            members = np.flatnonzero(groups == group)
            pieces[members] = self.piece(group, sequences[members])
        said = self.sketch.encode(pieces, source)
        reports = np.empty(len(sequences), dtype=self.report)
        reports["group"] = groups
        for name in said.dtype.names or ():
            reports[name] = said[name]
        return reports

    def tally(self, reports: Reports) -> Ints:
        """The sketch of each group: whole numbers that add up over parts of the reports. [group, row, 1 + cell]"""
        return np.stack([self.sketch.sketch(reports[reports["group"] == group]) for group in range(self.groups)])

    def law(self, held: Any) -> Mapping[tuple[Any, ...], Fraction]:
        """The exact probability of every report of a client who holds a value, to check by."""
        sequence = self.domain.sequences([held])
        return {
            (group, *report): chance / self.groups
            for group in range(self.groups)
            for report, chance in self.sketch.law(int(self.piece(group, sequence)[0])).items()
        }

    def find(self, tally: Ints, *, alpha: float = 0.05) -> Found:
        """The frequent values."""
        if not 0 < alpha < 1:
            raise ValueError(f"The 'alpha' parameter of {self.name} must be above 0 and below 1. Got {alpha!r} instead")
        users, asked = int(tally[:, :, 0].sum()), int(tally[-1, :, 0].sum())
        sequences = self.candidates(tally[:-1]) if asked else np.zeros((0, self.domain.length), dtype=np.int64)
        if not len(sequences):
            nothing = np.zeros(0)
            return Found([], nothing, nothing, nothing, nothing.astype(np.bool_), users, len(sequences), alpha)
        last = judged(self.sketch, tally[-1], self.piece(self.groups - 1, sequences))
        counts, errors = last.counts, last.errors
        significant = last.chances < alpha / len(sequences)
        share = np.clip(counts / asked, 0, 1)
        sampled = asked * share * (1 - share) * (1 - asked / users)
        scale = users / asked
        order = np.lexsort((np.arange(len(counts)), -counts))[: self.keep]
        return Found(
            self.domain.values(sequences[order]),
            counts[order] * scale,
            np.sqrt(errors[order] ** 2 + sampled[order]) * scale,
            last.chances[order],
            significant[order],
            users,
            len(sequences),
            alpha,
        )

    def most(self, tally: Ints, pieces: Ints) -> tuple[Ints, Floats]:
        """Which of the pieces are the most frequent in a group, and how many have them: at most ``keep``, and only
        those above what chance would show of a few (``stray``) that nobody has."""
        support, users = self.sketch.read(tally, pieces), int(tally[:, 0].sum())
        noise = np.sqrt(Oracle.variance(self.sketch, np.zeros(1), users))
        seen = np.flatnonzero(self.sketch.estimate(support, users).counts > noise)
        found = judged(self.sketch, tally, pieces[seen], support[seen])
        likely = np.flatnonzero(found.chances < min(self.stray / max(len(pieces), 1), 0.5))
        chosen = likely[np.argsort(-found.counts[likely], kind="stable")[: self.keep]]
        return seen[chosen], found.counts[chosen]

    def variance(self, held: Floats, users: int) -> Floats:
        """The variance of the estimate of each value among all users, where so many hold each: that of the last
        group's reports, and of who happens to be in it. What frequent values do by sharing cells is taken out."""
        asked = max(users // self.groups, 1)
        scale = users / asked
        share = np.asarray(held, dtype=np.float64) / users
        noise = Oracle.variance(self.sketch, share * asked, asked)
        return (noise + asked * share * (1 - share) * (1 - asked / users)) * scale**2
