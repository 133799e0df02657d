"""What models and metrics see of a table: its equivalence classes, and the values of sensitive attributes in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.table.kernels import largest_counts
from cobogo.errors import PolicyError
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.language import tr

CELLS_AT_ONCE = 4_000_000

_WRITTEN_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*", re.ASCII)
"""What people write for a number; Python also reads "inf" and "1_000" as one."""


@dataclass(frozen=True, eq=False, repr=False)
class Domain:
    """The values of a sensitive attribute in the whole table, before suppression: what is known without the release."""

    attribute: str
    labels: tuple[Label, ...]  # by code
    total: Ints  # records (or people) of each
    hierarchy: Hierarchy | None = None
    decimal: str = "."
    people: int | None = None  # how many there are, where people are counted: one may have several values
    knowing: int | None = None  # how many of them have a value that is not NULL

    def __len__(self) -> int:
        return len(self.total)

    @cached_property
    def shares(self) -> Floats:
        """The whole table's distribution."""
        return self.total / max(int(self.total.sum()) if self.people is None else self.people, 1)

    @cached_property
    def missing(self) -> int | None:
        """The code of NULL, where some have no value."""
        return self.labels.index(None) if None in self.labels else None

    @cached_property
    def known(self) -> Domain:
        """The same of those who have a value: NULL is none."""
        if self.missing is None:
            return self
        labels = tuple(label for label in self.labels if label is not None)
        total = np.delete(self.total, self.missing)
        return replace(self, labels=labels, total=total, people=self.knowing, knowing=self.knowing)

    def with_values(self, labels: Iterable[Label]) -> Domain:
        """The same with further values, which nobody has, after its own."""
        more = sorted(set(labels) - set(self.labels), key=lambda label: (label is None, label or ""))
        return replace(self, labels=(*self.labels, *more), total=np.append(self.total, np.zeros(len(more), np.int64)))

    @cached_property
    def numbers(self) -> Floats:
        """The values as numbers; NaN for NULL and for what is no number."""
        return np.array([parse_number(label, self.decimal) for label in self.labels], dtype=float)

    @property
    def is_numeric(self) -> bool:
        """Whether every value but NULL is a number."""
        known = np.array([label is not None for label in self.labels], dtype=np.bool_)
        return bool(len(known)) and not np.isnan(self.numbers[known]).any()

    @cached_property
    def distribution(self) -> Floats:
        """The same made to sum to 1, where somebody may have several values."""
        return self.total / max(int(self.total.sum()), 1)

    @cached_property
    def ranks(self) -> Ints:
        """Each value's place in the order: numeric, else that of the hierarchy's rows; NULL comes last.

        One number written in two ways has one place.
        """
        if not self.labels:  # nobody has a value
            return np.zeros(0, dtype=np.int64)
        if self.is_numeric:
            places = np.where(np.isnan(self.numbers), np.inf, self.numbers)
        elif self.hierarchy is not None:
            places = self.leaf_codes
        else:
            raise PolicyError(
                tr(
                    'the values of "{attribute}" have no order: they are not numbers, and there is no hierarchy',
                    attribute=self.attribute,
                ),
                where="privacy.models",
                remedy=tr('Give it a hierarchy whose lines are in order, or write distance = "equal".'),
                code="COBOGO-POLICY-MODEL",
            )
        return np.asarray(np.unique(places, return_inverse=True)[1], dtype=np.int64)

    @cached_property
    def up_to(self) -> Floats:
        """For each place in the order, the share of the whole table up to it."""
        return np.asarray(np.cumsum(np.bincount(self.ranks, weights=self.distribution)))

    @cached_property
    def leaf_codes(self) -> NDArray[np.int32]:
        """Each value's leaf in the hierarchy."""
        return self.tree.encode(self.labels)

    @property
    def tree(self) -> Hierarchy:
        """The hierarchy, which must be there."""
        if self.hierarchy is None:
            raise PolicyError(
                tr('this model needs a hierarchy of "{attribute}"', attribute=self.attribute),
                where=f"attributes.{self.attribute}",
                remedy=tr("Give it one: hierarchy = { … }."),
                code="COBOGO-POLICY-MODEL",
            )
        return self.hierarchy


@dataclass(frozen=True, eq=False, repr=False)
class Histogram:
    """How often each value of one sensitive attribute occurs in each class: sparse, class after class.

    Class ``i`` holds ``values[offsets[i]:offsets[i+1]]``, each ``counts[…]`` times; no value stands twice in a class.
    """

    offsets: Ints
    values: NDArray[np.int32]
    counts: Ints
    domain: Domain

    @cached_property
    def owners(self) -> Ints:
        """The class of each entry."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def distinct(self) -> Ints:
        """How many distinct values each class holds; NULL is one of them."""
        return np.diff(self.offsets)

    @cached_property
    def unknown(self) -> Ints:
        """How many of each class have no value: NULL."""
        missing = self.domain.missing
        if missing is None:
            return np.zeros(len(self.offsets) - 1, dtype=np.int64)
        chosen = self.values == missing
        return np.bincount(self.owners[chosen], self.counts[chosen], len(self.offsets) - 1).astype(np.int64)

    @cached_property
    def known(self) -> Histogram:
        """The same of those who have a value: NULL is none."""
        missing = self.domain.missing
        if missing is None:
            return self
        kept = self.values != missing
        lengths = np.bincount(self.owners[kept], minlength=len(self.offsets) - 1)
        values = self.values[kept]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Histogram(offsets, (values - (values > missing)).astype(np.int32), self.counts[kept], self.domain.known)

    def most(self, entries: Floats) -> Floats:
        """The largest of its entries' numbers for each class, 0 where there is none above."""
        found = np.zeros(len(self.offsets) - 1)
        np.maximum.at(found, self.owners, entries)
        return found

    def sums(self, entries: Floats) -> Floats:
        """The sum of its entries' numbers for each class."""
        return np.bincount(self.owners, weights=entries, minlength=len(self.offsets) - 1).astype(np.float64)

    def shares(self, sizes: Ints) -> Floats:
        """Each entry's count as a share of its class."""
        return self.counts / np.maximum(sizes, 1)[self.owners]

    @cached_property
    def entries(self) -> Ints:
        """The sum of each class's counts: more than its people where somebody has several values."""
        return np.bincount(self.owners, weights=self.counts, minlength=len(self.offsets) - 1).astype(np.int64)

    @cached_property
    def majorities(self) -> Ints:
        """How many of each class have its most frequent value."""
        most = np.zeros(len(self.offsets) - 1, dtype=np.int64)
        largest_counts(self.offsets, self.counts, most)
        return most

    def dense(self) -> Iterator[tuple[slice, Ints]]:
        """The histogram as matrices, classes × values, as many classes at a time as fit."""
        step = max(1, CELLS_AT_ONCE // max(len(self.domain), 1))
        for begin in range(0, len(self.offsets) - 1, step):
            end = min(begin + step, len(self.offsets) - 1)
            entries = slice(int(self.offsets[begin]), int(self.offsets[end]))
            matrix = np.zeros((end - begin, len(self.domain)), dtype=np.int64)
            matrix[self.owners[entries] - begin, self.values[entries]] = self.counts[entries]
            yield slice(begin, end), matrix

    def where(self, chosen: Mask) -> Histogram:
        """The histogram of some of the classes."""
        entries = np.repeat(chosen, self.distinct)
        offsets = np.concatenate([[0], np.cumsum(self.distinct[chosen])])
        return Histogram(offsets, self.values[entries], self.counts[entries], self.domain)

    def without_values(self, chosen: Mask) -> Histogram:
        """The same classes, some of which hold no values any more."""
        entries = np.repeat(~chosen, self.distinct)
        offsets = np.concatenate([[0], np.cumsum(np.where(chosen, 0, self.distinct))])
        return Histogram(offsets, self.values[entries], self.counts[entries], self.domain)


@dataclass(frozen=True, eq=False, repr=False)
class Members:
    """The original quasi-identifier tuples behind the classes: what an attacker knows who knows everybody's.

    ``owners`` tells the class of each tuple (−1 where it was suppressed), ``codes`` its values as leaves of the
    hierarchies.
    """

    owners: Ints
    codes: NDArray[np.int32]  # tuples × quasi-identifiers
    counts: Ints
    histograms: Mapping[str, Histogram]  # of each tuple
    hierarchies: tuple[Hierarchy, ...]

    def where(self, chosen: Mask) -> Members:
        """The members of some of the classes, numbered anew; the others are of no class now."""
        numbers = np.append(np.where(chosen, np.cumsum(chosen) - 1, -1), -1)
        return Members(numbers[self.owners], self.codes, self.counts, self.histograms, self.hierarchies)


@dataclass(frozen=True, eq=False, repr=False)
class Earlier:
    """What earlier releases of a series told of people: the set of sensitive values that each one's class had.

    ``signatures`` are such sets; ``of`` tells each person's, by code: −1 of who was in none of them.
    """

    signatures: tuple[frozenset[Label], ...]
    of: Ints


@dataclass(frozen=True, eq=False, repr=False)
class Classes:
    """The equivalence classes of a table: how many people each holds, their sensitive values, who else matches.

    ``total`` is how many there are in the whole table before suppression; ``populations`` gives, for each population
    table a model names, how many of it match each class. With a population there may be classes of size 0.
    ``people`` are those of each class, where people are told apart, and ``earlier`` what was told of them, for each
    earlier release and attribute that a model names. ``withheld`` are, by attribute, the classes whose values are not
    released: their histograms are empty.
    """

    sizes: Ints
    histograms: Mapping[str, Histogram]
    total: int
    populations: Mapping[str, Ints] = field(default_factory=dict)
    members: Members | None = None  # where some model needs them
    people: Histogram | None = None
    earlier: Mapping[tuple[str, str], Earlier] = field(default_factory=dict)
    withheld: Mapping[str, Mask] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.sizes)

    def where(self, chosen: Mask) -> Classes:
        """Some of the classes."""
        if chosen.all():
            return self
        return Classes(
            self.sizes[chosen],
            {name: histogram.where(chosen) for name, histogram in self.histograms.items()},
            self.total,
            {name: matching[chosen] for name, matching in self.populations.items()},
            None if self.members is None else self.members.where(chosen),
            None if self.people is None else self.people.where(chosen),
            self.earlier,
            {name: hidden[chosen] for name, hidden in self.withheld.items()},
        )

    def withhold(self, withheld: Mapping[str, Mask]) -> Classes:
        """The classes as a release shows them that withholds the values of some attributes in some classes."""
        histograms = {
            name: histogram.without_values(withheld[name]) if name in withheld else histogram
            for name, histogram in self.histograms.items()
        }
        return replace(self, histograms=histograms, withheld=withheld)

    def hidden_values(self, name: str) -> Classes:
        """The values of an attribute that no class shows, as one class: what follows from the whole table's totals."""
        histogram = self.histograms[name]
        seen = np.bincount(histogram.values, histogram.counts, len(histogram.domain)).astype(np.int64)
        return self.with_counts(name, np.maximum(histogram.domain.total - seen, 0)[None, :])

    def with_counts(self, name: str, counts: Ints) -> Classes:
        """Other classes of one attribute alone; ``counts`` has a row for each class and a column for each value."""
        owners, values = np.nonzero(counts)
        offsets = np.searchsorted(owners, np.arange(len(counts) + 1)).astype(np.int64)
        domain = self.histograms[name].domain
        histogram = Histogram(offsets, values.astype(np.int32), counts[owners, values], domain)
        return Classes(counts.sum(axis=1), {name: histogram}, self.total)


def parse_number(label: Label, decimal: str) -> float:
    """A value as a number; NaN for NULL and for what is none."""
    if label is None:
        return np.nan
    text = label.replace(".", "").replace(",", ".") if decimal == "," else label
    return float(text) if _WRITTEN_NUMBER.fullmatch(text) else np.nan
