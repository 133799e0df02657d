"""Discovery: find the frequent values of a domain that is too large to list, and its protocol.

Clients are divided into random groups. Each reports once, with the whole of ``epsilon``: the members of a group report
the same *piece* of their values, through a sketch (`cobogo.collect.sketch`). The last group reports whole values. The
sketches of the other groups lead to candidates; the sketch of the last group shows which of them are frequent.

The guarantee: the probability of a report changes by a factor of at most e^ε with the client's value. The candidates do
not depend on the reports of the last group, so each can be tested on them at alpha / candidates: with a probability of
at most alpha any value that no client holds is found significant (see `cobogo.collect.sketch_protocol`). To add one:
one class that extends `Discovery`, and its name in `DiscoveryCollection.randomizers`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import exp
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cobogo.collect.collection import Collection
from cobogo.collect.hashing import cells
from cobogo.collect.layout import Layout, Rows, unpack_reports
from cobogo.collect.oracle import Oracle, Reports
from cobogo.collect.power import Detectable
from cobogo.collect.protocol import (
    BONFERRONI,
    LEVEL,
    CollectionFindings,
    PermanentReports,
    Protocol,
    distinct_texts,
    text_array,
)
from cobogo.collect.sequences import SequenceDomain, WordDomain
from cobogo.collect.sketch import FastHashing, HadamardSketch, SketchOracle
from cobogo.collect.sketch_protocol import judge, sketch_layout
from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source, below


@dataclass(frozen=True, eq=False)
class FrequentValues:
    """Candidates, the most frequent first, with estimates of how many of all users hold them. ``significant`` are those
    that noise does not explain, at the level ``alpha`` for all candidates together; ``chances`` are the probabilities
    that the last group would show as much of each if no client held it."""

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
        """The counts as shares of the users."""
        return self.counts / max(self.users, 1)

    @property
    def there(self) -> list[Any]:
        """The significant values."""
        return [value for value, sure in zip(self.values, self.significant, strict=True) if sure]


@dataclass(frozen=True)
class Discovery(ABC):
    """A way to find frequent values of a ``domain``, at a privacy loss of at most ``epsilon`` for each user. At most
    ``keep`` pieces of a group are followed up: more cost the server time, not privacy. ``seed`` determines the public
    hash functions of the sketches, of ``rows`` rows of ``width`` cells; 0 chooses their number by ε."""

    epsilon: float
    domain: SequenceDomain = field(default_factory=WordDomain)
    keep: int = 512
    rows: int = 0
    width: int = 0
    seed: int = 0

    name: ClassVar[str]
    stray: ClassVar[int]
    """How many pieces of a group that no client holds are followed up, on average."""

    def __post_init__(self) -> None:
        if not 1 <= self.keep <= 65_536:
            raise ValueError(refusal(self.name, "keep", tr("from 1 to 65,536"), self.keep))
        _ = self.sketch

    @cached_property
    def sketch(self) -> SketchOracle:
        """The sketch of pieces: one bit up to an ε of 3; above, a cell of a row that has four times the cells that
        would be best without collisions."""
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
        """The number of groups of clients."""

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
        """One report for each client: its group, and a report of the group's sketch."""
        sequences = self.domain.sequences(held)
        groups = below(self.groups, len(sequences), source)
        pieces = np.empty(len(sequences), dtype=np.int64)
        for group in range(self.groups):
            members = np.flatnonzero(groups == group)
            pieces[members] = self.piece(group, sequences[members])
        inner = self.sketch.encode(pieces, source)
        reports = np.empty(len(sequences), dtype=self.report)
        reports["group"] = groups
        for name in inner.dtype.names or ():
            reports[name] = inner[name]
        return reports

    def tally(self, reports: Reports) -> Ints:
        """The sketch of each group: whole numbers that add up over parts of the reports. [group, row, 1 + cell]"""
        return np.stack([self.sketch.sketch(reports[reports["group"] == group]) for group in range(self.groups)])

    def law(self, held: Any) -> Mapping[tuple[Any, ...], Fraction]:
        """The exact probability of every report of a client who holds a value, for tests."""
        sequence = self.domain.sequences([held])
        return {
            (group, *report): chance / self.groups
            for group in range(self.groups)
            for report, chance in self.sketch.law(int(self.piece(group, sequence)[0])).items()
        }

    def find(self, tally: Ints, *, alpha: float = 0.05) -> FrequentValues:
        """The frequent values."""
        if not 0 < alpha < 1:
            raise ValueError(f"The 'alpha' parameter of {self.name} must be above 0 and below 1. Got {alpha!r} instead")
        users, asked = int(tally[:, :, 0].sum()), int(tally[-1, :, 0].sum())
        sequences = self.candidates(tally[:-1]) if asked else np.zeros((0, self.domain.length), dtype=np.int64)
        if not len(sequences):
            nothing = np.zeros(0)
            return FrequentValues([], nothing, nothing, nothing, nothing.astype(np.bool_), users, len(sequences), alpha)
        last = judge(self.sketch, tally[-1], self.piece(self.groups - 1, sequences))
        counts, errors = last.counts, last.errors
        significant = last.chances < alpha / len(sequences)
        share = np.clip(counts / asked, 0, 1)
        sampled = asked * share * (1 - share) * (1 - asked / users)
        scale = users / asked
        order = np.lexsort((np.arange(len(counts)), -counts))[: self.keep]
        return FrequentValues(
            self.domain.values(sequences[order]),
            counts[order] * scale,
            np.sqrt(errors[order] ** 2 + sampled[order]) * scale,
            last.chances[order],
            significant[order],
            users,
            len(sequences),
            alpha,
        )

    def most_frequent(self, tally: Ints, pieces: Ints) -> tuple[Ints, Floats]:
        """The most frequent pieces of a group, and how many clients hold each: at most ``keep``, and only pieces whose
        estimate noise alone would exceed for at most ``stray`` pieces on average."""
        support, users = self.sketch.read(tally, pieces), int(tally[:, 0].sum())
        noise = np.sqrt(Oracle.variance(self.sketch, np.zeros(1), users))
        seen = np.flatnonzero(self.sketch.estimate(support, users).counts > noise)
        found = judge(self.sketch, tally, pieces[seen], support[seen])
        likely = np.flatnonzero(found.chances < min(self.stray / max(len(pieces), 1), 0.5))
        chosen = likely[np.argsort(-found.counts[likely], kind="stable")[: self.keep]]
        return seen[chosen], found.counts[chosen]

    def variance(self, held: Floats, users: int) -> Floats:
        """The variance of the estimate of each value among all users, where so many hold each: from the reports of the
        last group, and from the random choice of that group. Collisions of frequent values are corrected for."""
        asked = max(users // self.groups, 1)
        scale = users / asked
        share = np.asarray(held, dtype=np.float64) / users
        noise = Oracle.variance(self.sketch, share * asked, asked)
        return (noise + asked * share * (1 - share) * (1 - asked / users)) * scale**2


TRIED = 2**12
"""A prefix is extended by several symbols at once, with at most so many extensions. More symbols at once need fewer
groups, so that each has more users; the server reads the sketch once for each extension."""


@card("pem", title="prefix extending method", group="words")
@dataclass(frozen=True)
class Prefixes(Discovery):
    r"""The prefix extending method: each group reports a longer prefix than the group before; the most frequent
    prefixes of one group, extended by every symbol, are the candidates of the next.

    A value is found if its prefixes are among the frequent ones of every group, and the value itself is significant in
    the last group. Values with the same beginning help each other as far as they are equal.

    Formula: $C_{i+1} = \{x s : x \in \mathrm{top}_k(C_i),\; s \in \Sigma^{t}\}$, each group with the whole of ε
    Example: Words are found without a list of them; this shows how many groups that takes.
        >>> method = Prefixes(epsilon=4.0)
        >>> method.groups, method.lengths
        (4, [2, 4, 6, 8])

    Guarantee: ε-local differential privacy: every user is in one group and reports once. The probability that any value
        which no user has is found significant is at most alpha, over all candidates together.
    Limits: Users are split among the groups, so only frequent values are found. The alphabet and the length are public.
    Cost: $O(1)$ for a client; in each group the server reads a sketch for the extensions of at most ``keep`` prefixes.
    Paper: T. Wang, N. Li and S. Jha, Locally differentially private heavy hitter identification, IEEE Transactions on
        Dependable and Secure Computing, 2021; R. Bassily, K. Nissim, U. Stemmer and A. Thakurta, Practical locally
        private heavy hitters, NIPS 2017.
    """

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
        """Extensions of a few frequent prefixes, and of as many that noise put among them."""
        last = self.domain.length - self.lengths[-2] if self.groups > 1 else self.domain.length
        return int(self.domain.symbols**last) * (2 * self.stray if self.groups > 1 else 1)

    def piece(self, group: int, sequences: Ints) -> Ints:
        """The prefix."""
        return self.domain.to_numbers(sequences[:, : self.lengths[group]])

    def candidates(self, tallies: Ints) -> Ints:
        """Extend the most frequent prefixes, group by group."""
        found = self._extend(np.zeros((1, 0), dtype=np.int64), self.lengths[0])
        for group, (length, longer) in enumerate(pairwise(self.lengths)):
            chosen, _ = self.most_frequent(tallies[group], self.piece(group, found))
            found = self._extend(found[chosen], longer - length)
        return found

    def _extend(self, sequences: Ints, by: int) -> Ints:
        for _ in range(by):
            ends = np.tile(np.arange(self.domain.symbols), len(sequences))
            sequences = np.column_stack([np.repeat(sequences, self.domain.symbols, axis=0), ends])
            sequences = sequences[self.domain.possible(sequences)]
        return sequences


MARKS = 256
"""The number of marks: a wrong combination of fragments has the right mark with a probability of one in so many."""

AT_MOST = 2**18
"""Combinations that are followed up, the most frequent ones first: bounds the memory of the server."""


@card("sfp", title="sequence fragment puzzle", group="words")
@dataclass(frozen=True)
class Puzzles(Discovery):
    r"""Apple's sequence fragment puzzle: a group for each place in the word reports the symbols there with a mark of 8
    bits, a hash of the whole value; frequent fragments with the same mark are put together.

    A word that is put together is a candidate if its own hash is that mark. ``fragment`` is the number of symbols that
    are reported together. A value is found if its fragments are among the frequent ones of every place, and the value
    itself is significant among the few candidates that are left.

    Formula: $(x_{[i, i + t)},\, h(x))$ is reported by group $i$; candidates are $\{x : h(x) = m,\; (x_{[i, i + t)}, m)
        \in \mathrm{top}_k \text{ for every } i\}$
    Example:
        >>> method = Puzzles(epsilon=4.0)
        >>> list(method.places), method.groups
        ([0, 2, 4, 6], 5)

    Guarantee: ε-local differential privacy: every user is in one group and reports once. The probability that any value
        which no user has is found significant is at most alpha, over all candidates together.
    Limits: Users are split among the groups. If many frequent values share a mark, there are many combinations, and
        only the most frequent ones are followed up.
    Cost: $O(1)$ for a client; the server reads a sketch for every fragment with each of the 256 marks.
    Paper: Differential Privacy Team, Apple, Learning with privacy at scale, 2017.
    """

    fragment: int = 2

    stray: ClassVar[int] = 256

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.fragment <= self.domain.length or self.domain.symbols**self.fragment > 2**14:
            raise ValueError(
                refusal(
                    self.name,
                    "fragment",
                    tr("from 1 to the length, with at most 2**14 possible fragments"),
                    self.fragment,
                )
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
        """A few: wrong combinations have the wrong mark."""
        return 2 * self.stray

    def marks(self, sequences: Ints) -> Ints:
        """A public hash of each whole value."""
        zeros = np.zeros(len(sequences), dtype=np.int64)
        return cells(zeros, self.domain.to_numbers(sequences), 1, MARKS, self.seed ^ 0x5F0)

    def piece(self, group: int, sequences: Ints) -> Ints:
        """A fragment with its mark; of the last group, the whole value."""
        if group == len(self.places):
            return self.domain.to_numbers(sequences)
        place = self.places[group]
        return self.domain.to_numbers(sequences[:, place : place + self.fragment]) * MARKS + self.marks(sequences)

    def candidates(self, tallies: Ints) -> Ints:
        """Combine fragments of all places that have the same mark, where the whole has that mark."""
        found = np.zeros((MARKS, 0), dtype=np.int64)
        marks, worth = np.arange(MARKS), np.full(MARKS, np.inf)
        for group, place in enumerate(self.places):
            fragments = self._fragments(min(self.fragment, self.domain.length - place))
            every = (self.domain.to_numbers(fragments)[:, None] * MARKS + np.arange(MARKS)).reshape(-1)
            chosen, counts = self.most_frequent(tallies[group], every)
            left, right = _match(marks, chosen % MARKS)
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


def _match(one: Ints, other: Ints) -> tuple[Ints, Ints]:
    """Every pair of places at which two lists have the same number.

    >>> [places.tolist() for places in _match(np.array([5, 7]), np.array([7, 9, 7, 5]))]
    [[0, 1, 1], [3, 0, 2]]
    """
    order = np.argsort(other, kind="stable")
    start, end = (np.searchsorted(other[order], one, side=side) for side in ("left", "right"))
    left = np.repeat(np.arange(len(one)), end - start)
    within = np.arange(len(left)) - np.repeat(np.cumsum(end - start) - (end - start), end - start)
    return left, order[np.repeat(start, end - start) + within]


class DiscoveryProtocol(PermanentReports):
    """Reports of pieces of words, by groups of clients."""

    rules: ClassVar[tuple[str, ...]] = (BONFERRONI,)

    def __init__(self, discovery: Discovery) -> None:
        super().__init__(discovery)
        self.discovery = discovery

    @property
    def layout(self) -> Layout:
        """The group, and what the sketch of its pieces says."""
        inner = sketch_layout(self.discovery.sketch)
        return Layout((("group", self.discovery.groups), *inner.numbers), inner.bits)

    @property
    def shape(self) -> tuple[int, ...]:
        """A sketch for each group."""
        sketch = self.discovery.sketch
        return (self.discovery.groups, sketch.rows, 1 + sketch.width)

    @property
    def detectable(self) -> Detectable:
        """The discovery: its last group decides what is significant."""
        return self.discovery

    def read(self, values: Sequence[str | None]) -> list[str]:
        """Any word; what is too long is cut."""
        words, numbers = distinct_texts(text_array(values))
        return [words[number] for number in numbers.tolist()]

    def canonical_value(self, value: str) -> str:
        """The word that would be found: cut to its length, with unknown letters replaced."""
        domain = self.discovery.domain
        return str(domain.values(domain.sequences(self.read([value])))[0])

    def tally(self, rows: Rows) -> Ints:
        """The sketches of the groups."""
        return np.asarray(
            self.discovery.tally(unpack_reports(rows, self.layout, self.discovery.report)), dtype=np.int64
        )

    def findings(self, counts: Ints, users: int, *, level: float = LEVEL, rule: str = BONFERRONI) -> CollectionFindings:
        """The significant words, with the probability that the last group would show as much of one that no client
        holds."""
        found = self.discovery.find(counts, alpha=level)
        sure = np.flatnonzero(found.significant)
        words = tuple(str(found.values[number]) for number in sure)
        chances = found.chances[sure]
        return CollectionFindings(
            words, found.counts[sure], found.errors[sure], chances, users, found.tested, level, rule=rule
        )


class DiscoveryCollection(Collection):
    """A question whose answer is a word; the frequent words are wanted, and no candidates are known."""

    mechanism: Literal["pem", "sfp"]
    epsilon: Annotated[float, Field(gt=0, le=20)]
    letters: Annotated[str, Field(min_length=1, max_length=1000)] = "abcdefghijklmnopqrstuvwxyz"
    length: Annotated[int, Field(ge=1, le=60)] = 8
    keep: Annotated[int, Field(ge=1, le=65_536)] = 512
    rows: int | None = None
    width: int | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0

    randomizers: ClassVar[Mapping[str, type[Discovery]]] = {method.name: method for method in (Prefixes, Puzzles)}

    def build(self) -> Protocol:
        """The discovery over words."""
        try:
            method: Any = self.randomizers[self.mechanism]
            sizes = {"keep": self.keep, "rows": self.rows or 0, "width": self.width or 0, "seed": self.seed}
            return DiscoveryProtocol(method(self.epsilon, WordDomain(self.letters, self.length), **sizes))
        except ValueError as error:
            keys = ("letters", "length", "keep", "rows", "width", "seed")
            raise self.refuse_parameter(error, keys) from None
