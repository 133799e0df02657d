"""Marginal tables: what follows from several of them together, how they are read back, and counts estimated from all.

Marginals that are safe one by one may not be so together (Kifer and Gehrke 2006): how often two values occur with each
disease tells something of how often they occur with each other. Only decomposable sets are taken. Of these, any way to
match the records of one marginal with those of the next, within the values that they have in common, gives a table that
has all of the marginals. From this follow, exactly:

- the most people that can have a combination q of quasi-identifiers: Σ over the sensitive values s of the least count
  of (q, s) in any marginal with the sensitive attribute. (Marginals without it bound q by their own counts.)
- which values are possible for a person with q: those s whose least count is not 0.
- how likely each is if all such matches are: in proportion to the product of the counts of (q, s) over that of the
  counts where marginals meet.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes, Domain, Histogram
from cobogo.data.hierarchy import Label
from cobogo.data.policy import Role
from cobogo.data.table.frequency import FrequencyTable, frequency_table, number_tuples
from cobogo.data.table.read import read
from cobogo.errors import DataError, PolicyError, SearchTooLarge
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.language import tr
from cobogo.release.manifest import Manifest

COMBINATIONS_AT_MOST = 200_000
"""That several marginals with the sensitive attribute may allow together."""

WEIGHT = 2**40
"""Shares of values that no whole number of records has are written as parts of this."""

TOGETHER = "together"


@dataclass(frozen=True, eq=False, repr=False)
class Marginal:
    """How many records have each combination of values of some attributes; what nobody has is left out."""

    attributes: tuple[str, ...]
    codes: NDArray[np.int64]  # cells × attributes
    counts: Ints

    def column(self, attribute: str) -> Ints:
        """The codes of one attribute."""
        return self.codes[:, self.attributes.index(attribute)]

    def sum_over(self, attributes: Sequence[str]) -> Marginal:
        """The marginal of some of its attributes."""
        rows = self.codes[:, [self.attributes.index(name) for name in attributes]]
        ids, first = number_tuples(list(rows.T), _sizes(rows), len(rows))
        return Marginal(tuple(attributes), rows[first], np.bincount(ids, self.counts, len(first)).astype(np.int64))


@dataclass(frozen=True, eq=False, repr=False)
class Margins:
    """Marginals of one table. ``labels`` gives each attribute's values, by code; ``sensitive`` is protected."""

    marginals: tuple[Marginal, ...]
    labels: Mapping[str, tuple[Label, ...]]
    sensitive: str

    @property
    def tree(self) -> tuple[Link, ...]:
        """In what order they can be joined."""
        found = join_tree([frozenset(marginal.attributes) for marginal in self.marginals])
        if found is None:
            raise PolicyError(
                tr("the marginals form a cycle, so what they reveal together cannot be computed"),
                where="recoding.marginals",
                remedy=tr("Leave one of them out, or ask for one marginal with all the attributes of the cycle."),
            )
        return found

    @property
    def telling(self) -> tuple[Marginal, ...]:
        """Those with the sensitive attribute."""
        return tuple(marginal for marginal in self.marginals if self.sensitive in marginal.attributes)

    def table(self, records: int) -> FrequencyTable:
        """Every cell as a class, by its quasi-identifiers; then what several marginals with the sensitive attribute
        tell together, once by how many people there may be and once by how likely each value is."""
        parts = [_cells_of_marginal(marginal, self.sensitive) for marginal in self.marginals]
        where = [f"marginal-{number}" for number in range(1, len(parts) + 1)]
        if len(self.telling) > 1:
            parts += _cells_of_all(self.telling, self.sensitive)
            where += [TOGETHER, f"{TOGETHER}, likelihood"]
        names = [name for name, part in zip(where, parts, strict=True) for _ in part.sizes]
        cells = [self._words(part, number) for part in parts for number in range(len(part.sizes))]
        values = {"marginal": tuple(dict.fromkeys(names)), "cell": tuple(dict.fromkeys(cells))}
        codes = np.array([_number_names(names), _number_names(cells)], dtype=np.int32).T.reshape(len(names), 2)
        sizes = np.concatenate([part.sizes for part in parts])
        return FrequencyTable(
            ("marginal", "cell"), values, codes, sizes, {self.sensitive: self._histogram(parts)},
            withheld={self.sensitive: np.concatenate([~part.told for part in parts])}, whole=records,
        )  # fmt: skip

    def classes(self, records: int, domain: Domain) -> Classes:
        """The same as the models see it, beside the sensitive attribute's whole distribution."""
        return self.table(records).against({self.sensitive: domain}).classes()

    def _histogram(self, parts: Sequence[_Cells]) -> Histogram:
        labels = self.labels.get(self.sensitive, ())
        total = np.zeros(len(labels), dtype=np.int64)
        for known in self.telling[:1]:
            np.add.at(total, known.column(self.sensitive), known.counts)
        distinct = np.concatenate([part.distinct for part in parts])
        return Histogram(
            np.concatenate([[0], np.cumsum(distinct)]).astype(np.int64),
            np.concatenate([part.values for part in parts]).astype(np.int32),
            np.concatenate([part.weights for part in parts]),
            Domain(self.sensitive, labels, total),
        )

    def _words(self, part: _Cells, number: int) -> str:
        values = [self.labels[name][code] for name, code in zip(part.attributes, part.codes[number], strict=True)]
        return ", ".join(
            f"{name} = {'' if value is None else value}" for name, value in zip(part.attributes, values, strict=True)
        )


@dataclass(frozen=True, eq=False, repr=False)
class _Cells:
    """Combinations of quasi-identifiers, how many people have each, and its sensitive values where they are told."""

    attributes: tuple[str, ...]
    codes: Ints
    sizes: Ints
    told: Mask
    distinct: Ints
    values: Ints
    weights: Ints


def _cells_of_marginal(marginal: Marginal, sensitive: str) -> _Cells:
    quasi = tuple(name for name in marginal.attributes if name != sensitive)
    cells = marginal.sum_over(quasi)
    told = sensitive in marginal.attributes
    if not told:
        nothing = np.zeros(0, dtype=np.int64)
        return _Cells(quasi, cells.codes, cells.counts, *_untold(len(cells.counts)), nothing, nothing)
    ordered = marginal.sum_over((*quasi, sensitive))  # in the order of the cells
    ids, _ = number_tuples(list(ordered.codes[:, :-1].T), _sizes(ordered.codes[:, :-1]), len(ordered.counts))
    distinct = np.bincount(ids, minlength=len(cells.counts))
    values = ordered.column(sensitive)
    return _Cells(quasi, cells.codes, cells.counts, np.ones(len(distinct), np.bool_), distinct, values, ordered.counts)


def _cells_of_all(telling: Sequence[Marginal], sensitive: str) -> list[_Cells]:
    """What marginals with the sensitive attribute tell together of each combination that they allow."""
    attributes, codes, least, likely = join_marginals(telling)
    quasi = [n for n, name in enumerate(attributes) if name != sensitive]
    rows = codes[:, quasi]
    ids, first = number_tuples(list(rows.T), _sizes(rows), len(rows))
    order = np.argsort(ids, kind="stable")
    shares = likely / np.bincount(ids, likely, len(first))[ids]
    weights = np.maximum(np.rint(shares * WEIGHT), 1).astype(np.int64)[order]
    names, cells = tuple(attributes[n] for n in quasi), rows[first]
    most = np.bincount(ids, least, len(first)).astype(np.int64)
    values = codes[order, attributes.index(sensitive)]
    nothing = np.zeros(0, dtype=np.int64)
    sizes = np.bincount(ids[order], weights, len(first)).astype(np.int64)
    told = np.ones(len(first), dtype=np.bool_)
    return [
        _Cells(names, cells, most, *_untold(len(first)), nothing, nothing),
        _Cells(names, cells, sizes, told, np.bincount(ids, minlength=len(first)), values, weights),
    ]


def join_marginals(marginals: Sequence[Marginal]) -> tuple[tuple[str, ...], Ints, Ints, Floats]:
    """The combinations that a decomposable set allows: attributes, codes, the least count of any of the marginals, and
    the product of all over that of their common parts."""
    links = join_tree([frozenset(marginal.attributes) for marginal in marginals])
    assert links is not None
    first = marginals[links[0].number]
    attributes, codes, least, likely = first.attributes, first.codes, first.counts, first.counts.astype(float)
    for link in links[1:]:
        other = marginals[link.number]
        common = [name for name in other.attributes if name in link.separator]
        own = [name for name in other.attributes if name not in link.separator]
        left = codes[:, [attributes.index(name) for name in common]]
        right = np.array([other.column(name) for name in common], dtype=np.int64).reshape(len(common), -1).T
        both = np.vstack([left, right])
        keys, groups = number_tuples(list(both.T), _sizes(both), len(both))
        mine, theirs = keys[: len(left)], keys[len(left) :]
        order = np.argsort(theirs, kind="stable")
        many = np.bincount(theirs, minlength=len(groups))
        if int(many[mine].sum()) > COMBINATIONS_AT_MOST:
            raise SearchTooLarge(
                tr(
                    "the marginals with the sensitive attribute allow more than {most:,} combinations "
                    "together, too many to check",
                    most=COMBINATIONS_AT_MOST,
                ),
                where="recoding.marginals",
                remedy=tr("Ask for fewer marginals, or for coarser levels."),
            )
        begin = np.cumsum(many) - many
        rows = np.repeat(np.arange(len(mine)), many[mine])
        turn = np.arange(len(rows)) - np.repeat(np.cumsum(many[mine]) - many[mine], many[mine])
        found = order[begin[mine[rows]] + turn]
        meeting = np.bincount(theirs, other.counts, len(groups))
        more = np.array([other.column(name) for name in own], dtype=np.int64).reshape(len(own), -1).T
        attributes = (*attributes, *own)
        codes = np.hstack([codes[rows], more[found]])
        least = np.minimum(least[rows], other.counts[found])
        likely = likely[rows] * other.counts[found] / meeting[mine[rows]]
    return attributes, codes, least, likely


def _untold(cells: int) -> tuple[Mask, Ints]:
    return np.zeros(cells, dtype=np.bool_), np.zeros(cells, dtype=np.int64)


def _sizes(rows: Ints) -> list[int]:
    return [int(column.max(initial=0)) + 1 for column in rows.T]


def _number_names(names: Sequence[str]) -> list[int]:
    index = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return [index[name] for name in names]


Attributes = frozenset[str]


@dataclass(frozen=True)
class Link:
    """A set of attributes joins those before it at its ``parent``, by what the two have in common."""

    number: int
    parent: int | None  # none of the first
    separator: Attributes


def join_tree(sets: Sequence[Attributes]) -> tuple[Link, ...] | None:
    """The order in which sets can be joined so that each meets all those before it in one of them; None where there is
    no such order: the sets are not decomposable.

    The heaviest spanning tree of the intersections is such an order if there is any, and then its weight is the sum of
    the sizes less the number of attributes (Bernstein and Goodman 1981).

    >>> [link.parent for link in join_tree([frozenset("ab"), frozenset("bc"), frozenset("cd")])]
    [None, 0, 1]
    >>> join_tree([frozenset("ab"), frozenset("bc"), frozenset("ca")]) is None
    True
    """
    if not sets:
        return ()
    links = [Link(0, None, frozenset())]
    left = list(range(1, len(sets)))
    while left:
        pairs = [(len(sets[new] & sets[old.number]), -new, -old.number) for new in left for old in links]
        _, new, old = max(pairs)
        links.append(Link(-new, -old, sets[-new] & sets[-old]))
        left.remove(-new)
    weight = sum(len(link.separator) for link in links)
    return tuple(links) if weight == sum(map(len, sets)) - len(frozenset().union(*sets)) else None


def maximal_sets(sets: Sequence[Attributes]) -> list[Attributes]:
    """The sets that are not part of another: the others follow from them."""
    distinct = list(dict.fromkeys(sets))
    return [one for one in distinct if not any(one < other for other in distinct)]


LONGEST = 15
"""Digits of a count."""

NO_RECORDS = tr("marginals are counts, not records; the models are measured on their cells, one by one and together")
"""What a verification of marginals adds."""


def marginal_table(directory: Path, manifest: Manifest) -> FrequencyTable:
    """The cells of all marginals as classes, with what they tell together. They must be of one table: where two meet,
    they count the same; and they must not form a cycle."""
    margins = read_margins(directory, manifest)
    refuse_unless_agreeing(margins, manifest.data.records)
    return margins.table(manifest.data.records)


def read_margins(directory: Path, manifest: Manifest) -> Margins:
    """The marginals of a release, read from their files."""
    secret = next(iter(manifest.with_role(Role.SENSITIVE)), "")
    tables = []
    for entry in manifest.marginals:
        table = read(directory / entry.file, manifest.data.reading, once=True)
        if table.columns != manifest.columns_in(entry.file) or table.columns[-1] != entry.count:
            raise DataError(tr("does not have the columns that the manifest names"), where=entry.file)
        if len(table.columns) < 2:
            raise DataError(tr("has no column besides the counts"), where=entry.file)
        found = frequency_table(table, table.columns, [])
        if (found.counts != 1).any():
            raise DataError(tr("contains a row twice"), where=entry.file)
        numbers = [whole_count(label, entry.file) for label in found.values[entry.count]]
        counts = np.array(numbers, dtype=np.int64)[found.codes[:, -1]]
        tables.append((found, counts, entry.file))
    names = dict.fromkeys(name for found, _, _ in tables for name in found.quasi_identifiers[:-1])
    labels = {name: _union(name, [found for found, _, _ in tables]) for name in names}
    marginals = []
    for found, counts, file in tables:
        own = found.quasi_identifiers[:-1]
        codes = [_codes(found.values[name], labels[name])[found.codes[:, n]] for n, name in enumerate(own)]
        cells = Marginal(own, np.array(codes, dtype=np.int64).reshape(len(own), -1).T, counts)
        if len(cells.sum_over(own).counts) != len(counts):
            raise DataError(tr("counts one combination twice"), where=file)
        marginals.append(cells)
    return Margins(tuple(marginals), labels, secret)


def refuse_unless_agreeing(margins: Margins, records: int) -> None:
    """Marginals of one table count the same records, and the same of what they have in common."""
    try:
        links = margins.tree
    except PolicyError as error:
        raise DataError(error.what) from None
    for number, marginal in enumerate(margins.marginals, start=1):
        if int(marginal.counts.sum()) != records:
            raise DataError(tr("marginal {number} does not count as many records as the manifest says", number=number))
    for link in links:
        if link.parent is None:
            continue
        common = sorted(link.separator)
        one, other = (margins.marginals[n].sum_over(common) for n in (link.number, link.parent))
        if not (np.array_equal(one.codes, other.codes) and np.array_equal(one.counts, other.counts)):
            raise DataError(
                tr(
                    "marginals {number} and {parent} do not belong to the same table",
                    number=link.number + 1,
                    parent=link.parent + 1,
                )
            )


def count_from_marginals(margins: Margins, where: Mapping[str, Collection[Label]], records: int) -> float:
    """About how many records have one of some values of each attribute, if nothing goes together but what the
    marginals say: each marginal counts what matches in it, over what it has in common with those before it."""
    matching: list[Floats] = []
    for marginal in margins.marginals:
        chosen = np.ones(len(marginal.counts), dtype=np.bool_)
        for name in marginal.attributes:
            if name in where:
                chosen &= np.isin(marginal.column(name), _codes_of(margins.labels[name], where[name]))
        matching.append(np.where(chosen, marginal.counts, 0).astype(float))
    for link in reversed(margins.tree):
        if link.parent is None:
            return float(matching[link.number].sum())
        own, parent = margins.marginals[link.number], margins.marginals[link.parent]
        common = sorted(link.separator)
        keys, groups = _keys(own, parent, common)
        mine, theirs = keys[: len(own.counts)], keys[len(own.counts) :]
        meeting = np.bincount(mine, own.counts, groups) if common else np.array([float(records)])
        share = np.bincount(mine, matching[link.number], groups) / np.maximum(meeting, 1)
        matching[link.parent] = matching[link.parent] * share[theirs]
    return 0.0


def whole_count(label: Label, where: str) -> int:
    """A count as a released file writes it."""
    if label is None or not label.isascii() or not label.isdigit() or len(label) > LONGEST or not int(label):
        raise DataError(tr("a count is not a whole number above 0"), where=where)
    return int(label)


def _keys(own: Marginal, parent: Marginal, common: list[str]) -> tuple[Ints, int]:
    """The cells of two marginals, numbered by what they have in common."""
    columns = [np.concatenate([own.column(name), parent.column(name)]) for name in common]
    rows = len(own.counts) + len(parent.counts)
    ids, first = number_tuples(columns, [int(column.max(initial=0)) + 1 for column in columns], rows)
    return ids, len(first)


def _codes_of(labels: tuple[Label, ...], asked: Collection[Label]) -> list[int]:
    return [code for code, label in enumerate(labels) if label in asked]


def _union(name: str, tables: list[FrequencyTable]) -> tuple[Label, ...]:
    known = {label for table in tables for label in table.values.get(name, ())}
    return tuple(sorted(known, key=lambda label: (label is None, label or "")))


def _codes(labels: tuple[Label, ...], known: tuple[Label, ...]) -> Ints:
    index = {label: code for code, label in enumerate(known)}
    return np.array([index[label] for label in labels], dtype=np.int64)
