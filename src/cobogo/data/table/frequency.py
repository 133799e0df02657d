"""The frequency table: the distinct quasi-identifier tuples of a table, coded, counted, with their sensitive values.

Everything the recoding algorithms see of the data. The engine makes it with one GROUP BY.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes, Domain, Earlier, Histogram
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.table.columns import Coder, Column
from cobogo.data.table.read import Table
from cobogo.data.table.spelling import MOST
from cobogo.errors import VerificationFailed
from cobogo.floor.arrays import Ints, Mask
from cobogo.floor.language import tr
from cobogo.floor.representation import brief


@dataclass(frozen=True, eq=False, repr=False)
class PeopleSets:
    """Who stands behind the records, where a person may have several: sets of people, which do not add up.

    ``sets`` holds the people of each tuple, as codes into ``names``. Where there are people, a table's histograms hold
    sets of (person, value) pairs; ``values`` tells the value of each pair and ``domains`` counts each value's people.
    ``earlier`` is what other releases told of them.
    """

    names: tuple[Label, ...]
    sets: Histogram
    values: Mapping[str, NDArray[np.int32]]
    domains: Mapping[str, Domain]
    earlier: Mapping[tuple[str, str], Earlier] = field(default_factory=dict)

    def classes(self, sets: Histogram, pairs: Mapping[str, Histogram]) -> Classes:
        """Classes whose sizes and histograms count people."""
        histograms = {name: self._count_people(name, found) for name, found in pairs.items()}
        return Classes(sets.distinct, histograms, len(self.names), people=sets, earlier=self.earlier)

    def _count_people(self, name: str, pairs: Histogram) -> Histogram:
        domain = self.domains[name]
        ones = np.ones(len(pairs.values), dtype=np.int64)
        return count_values(pairs.owners, self.values[name][pairs.values], ones, len(pairs.offsets) - 1, domain)


@dataclass(frozen=True, eq=False, repr=False)
class Joint:
    """Which values of several attributes occur together: combination ``c`` is ``codes[c]``, into each one's labels.

    ``histogram`` counts the records of each combination in each tuple.
    """

    histogram: Histogram
    codes: NDArray[np.int32]  # combinations × attributes
    labels: Mapping[str, tuple[Label, ...]]  # of each attribute


@dataclass(frozen=True, eq=False, repr=False)
class FrequencyTable:
    """``codes[i]`` is a distinct tuple (as codes into ``values``), ``counts[i]`` the number of its records.

    ``populations`` counts each tuple in other tables; with them there may be tuples that no record has.
    """

    quasi_identifiers: tuple[str, ...]
    values: Mapping[str, tuple[Label, ...]]  # of the quasi-identifiers, by code
    codes: NDArray[np.int32]  # tuples × quasi-identifiers
    counts: Ints
    histograms: Mapping[str, Histogram]
    populations: Mapping[str, Ints] = field(default_factory=dict)
    people: PeopleSets | None = None
    marginals: Mapping[str, Ints] = field(default_factory=dict)  # where the tuples no longer tell them,
    nats: float | None = None  # nor the entropy of the original ones
    label: Histogram | None = None  # records (not people) of each value of the column to be predicted, if there is one
    joint: Joint | None = None  # of the sensitive attributes and the label, where it was asked for
    withheld: Mapping[str, Mask] = field(default_factory=dict)  # of a release: tuples whose values are not told
    units: tuple[Label, ...] = ()  # whose the records are, where everybody has one and they are at most MOST
    whole: int | None = None  # how many records there are, where one is counted in several tuples

    def __repr__(self) -> str:
        return brief(
            self, ", ".join(self.quasi_identifiers), f"{len(self.counts):,} tuples of {self.records:,} records"
        )

    @property
    def records(self) -> int:
        """How many records the table has."""
        return int(self.counts.sum()) if self.whole is None else self.whole

    @property
    def tuple_nats(self) -> float:
        """The entropy of the original tuples."""
        if self.nats is not None:
            return self.nats
        shares = self.counts[self.counts > 0] / max(self.records, 1)
        return float(-(shares * np.log(shares)).sum())

    @property
    def domains(self) -> Mapping[str, Domain]:
        """The sensitive attributes' values."""
        if self.people is not None:
            return self.people.domains
        return {name: histogram.domain for name, histogram in self.histograms.items()}

    def classes(self) -> Classes:
        """Each distinct tuple as an equivalence class: the table as it stands."""
        if self.people is not None:
            found = self.people.classes(self.people.sets, self.histograms)
            return replace(found, populations=self.populations)
        return Classes(self.counts, self.histograms, self.records, self.populations, withheld=self.withheld)

    def tuple_labels(self, number: int) -> tuple[Label, ...]:
        """The values of one distinct tuple."""
        return tuple(
            self.values[name][code] for name, code in zip(self.quasi_identifiers, self.codes[number], strict=True)
        )

    def marginal(self, position: int) -> Ints:
        """How many records hold each value of one quasi-identifier."""
        known = self.marginals.get(self.quasi_identifiers[position])
        if known is not None:
            return known
        return _sums(self.codes[:, position], self.counts, len(self.values[self.quasi_identifiers[position]]))

    def with_trees(self, trees: Mapping[str, Hierarchy], decimal: str) -> FrequencyTable:
        """The same, knowing the sensitive attributes' hierarchies and how their numbers are written."""
        return self._with_domains(
            {name: replace(domain, hierarchy=trees.get(name), decimal=decimal) for name, domain in self.domains.items()}
        )

    def against(self, reference: Mapping[str, Domain]) -> FrequencyTable:
        """The same with its sensitive values coded as in a reference, whose totals models compare with."""
        known = {name: domain for name, domain in reference.items() if name in self.histograms}
        codes = {name: _codes_in(domain, self.domains[name].labels) for name, domain in known.items()}
        if self.people is not None:
            values = {**self.people.values, **{name: codes[name][self.people.values[name]] for name in known}}
            return replace(self, people=replace(self.people, values=values, domains={**self.people.domains, **known}))
        recoded = {
            name: replace(self.histograms[name], values=codes[name][self.histograms[name].values], domain=domain)
            for name, domain in known.items()
        }
        return replace(self, histograms={**self.histograms, **recoded})

    def with_earlier(self, earlier: Mapping[tuple[str, str], Earlier]) -> FrequencyTable:
        """The same, knowing what earlier releases told of the people. Values that only those had are values of the
        attributes, too, that nobody has."""
        assert self.people is not None
        domains = dict(self.people.domains)
        for (_, name), told in earlier.items():
            domains[name] = domains[name].with_values(label for signature in told.signatures for label in signature)
        return replace(self, people=replace(self.people, earlier=earlier, domains=domains))

    def with_population(self, name: str, population: FrequencyTable) -> FrequencyTable:
        """The same with the tuples of another table beside its own, counted."""
        values = {
            attribute: tuple(_sorted_union(self.values[attribute], population.values[attribute]))
            for attribute in self.quasi_identifiers
        }
        rows = np.vstack([recode_tuples(self, values), recode_tuples(population, values)])
        ids, representatives = number_tuples(list(rows.T), [len(values[a]) for a in self.quasi_identifiers], len(rows))
        own, theirs = ids[: len(self.counts)], ids[len(self.counts) :]
        groups = len(representatives)
        return replace(
            self,
            values=values,
            codes=np.ascontiguousarray(rows[representatives]),
            counts=_sums(own, self.counts, groups),
            histograms={key: spread(histogram, own, groups) for key, histogram in self.histograms.items()},
            populations={
                **{key: _sums(own, counts, groups) for key, counts in self.populations.items()},
                name: _sums(theirs, population.counts, groups),
            },
            people=None if self.people is None else replace(self.people, sets=spread(self.people.sets, own, groups)),
            label=None if self.label is None else spread(self.label, own, groups),
        )

    def _with_domains(self, domains: Mapping[str, Domain]) -> FrequencyTable:
        if self.people is not None:
            return replace(self, people=replace(self.people, domains=domains))
        return replace(self, histograms={k: replace(h, domain=domains[k]) for k, h in self.histograms.items()})


def frequency_table(
    table: Table,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    *,
    unit: str | None = None,
    label: str | None = None,
    named: bool = False,
    joint: bool = False,
) -> FrequencyTable:
    """Count a table in its engine. Deterministic: values and tuples come sorted, whatever the engine's order.

    ``unit`` is the column that tells people apart, where they are to be counted and not their records. If everybody
    has one record that is the same, and the people are not kept unless they are to be ``named``. ``label`` is a column
    that is to be predicted. ``joint``: whether to count which sensitive values occur together.
    """
    names = list(dict.fromkeys(n for n in (*quasi_identifiers, *sensitive, unit, label) if n is not None))
    coders, parts = [Coder() for _ in names], []
    for batch in table.engine.counts(table.combinations(names)):
        for number, coder in enumerate(coders):
            coder.add(batch.column(f"c{number}"))
        parts.append(batch.column("records").to_numpy(zero_copy_only=False).astype(np.int64))
    columns = [coder.column(narrow=True) for coder in coders]
    counts = np.concatenate([*parts, np.zeros(0, dtype=np.int64)])
    del parts, coders
    width = len(quasi_identifiers)
    quasi = [codes for codes, _ in columns[:width]]
    ids, representatives = number_tuples(quasi, [len(labels) for _, labels in columns[:width]], len(counts))
    groups = len(representatives)
    codes = np.array([column[representatives] for column in quasi], dtype=np.int32).reshape(width, groups)
    found = {name: columns[names.index(name)] for name in sensitive}
    people, histograms = None, {}
    units: tuple[Label, ...] = ()
    counted_label = None
    if label is not None:
        values, labels = columns[names.index(label)]
        domain = Domain(label, labels, _sums(values, counts, len(labels)))
        counted_label = count_values(ids, values, counts, groups, domain)
    if unit is None or (len(columns[names.index(unit)][1]) == counts.sum() and not named):
        if unit is not None and counts.sum() <= MOST:
            units = columns[names.index(unit)][1]
        for name, (values, labels) in found.items():
            domain = Domain(name, labels, _sums(values, counts, len(labels)))
            histograms[name] = count_values(ids, values, counts, groups, domain)
    else:
        people, histograms = _count_pairs(ids, groups, columns[names.index(unit)], found)
    told = [name for name in dict.fromkeys((*sensitive, label)) if name is not None] if joint and people is None else []
    return FrequencyTable(
        quasi_identifiers=tuple(quasi_identifiers),
        values=dict(zip(quasi_identifiers, (labels for _, labels in columns[:width]), strict=True)),
        codes=np.ascontiguousarray(codes.T),
        counts=_sums(ids, counts, groups),
        histograms=histograms,
        people=people,
        label=counted_label,
        units=units,
        joint=_joint(ids, counts, groups, {name: columns[names.index(name)] for name in told}) if told else None,
    )


def _joint(ids: Ints, counts: Ints, groups: int, columns: Mapping[str, Column]) -> Joint:
    sizes = [len(labels) for _, labels in columns.values()]
    combinations, first = number_tuples([codes for codes, _ in columns.values()], sizes, len(ids))
    domain = Domain(" and ".join(columns), (), _sums(combinations, counts, len(first)))
    return Joint(
        count_values(ids, combinations.astype(np.int32), counts, groups, domain),
        np.array([codes[first] for codes, _ in columns.values()], dtype=np.int32).T,
        {name: labels for name, (_, labels) in columns.items()},
    )


def number_tuples(columns: Sequence[NDArray[Any]], sizes: Sequence[int], rows: int) -> tuple[Ints, NDArray[np.intp]]:
    """Number the distinct tuples of coded columns in lexicographic order: each row's number, and a row for each number.

    Columns are folded into one 64-bit key; where that would overflow, the key so far is numbered first.
    """
    key = np.zeros(rows, dtype=np.int64)
    span = 1
    for column, size in zip(columns, sizes, strict=True):
        if span * max(size, 1) >= 2**62:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            span = int(key.max(initial=0)) + 1
        key *= max(size, 1)
        key += column
        span *= max(size, 1)
    order, first = _sort(key)
    key[order] = np.cumsum(first) - 1
    return key, order[first]


def _sort(key: Ints) -> tuple[NDArray[np.intp], Mask]:
    """The order of keys, and whether each of them, in that order, is the first of its kind. The largest tables decide
    how many arrays of their length may be there at once."""
    order = np.argsort(key)
    ordered = key[order]
    first = np.ones(len(key), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return order, first


def _sums(ids: NDArray[Any], counts: Ints, groups: int) -> Ints:
    """Sum of the counts of each group, in whole numbers."""
    total = np.zeros(groups, dtype=np.int64)
    np.add.at(total, ids, counts)
    return total


def count_values(ids: Ints, values: NDArray[np.int32], counts: Ints, groups: int, domain: Domain) -> Histogram:
    """Sparse counts of the values of each group."""
    width = max(len(domain), 1)
    key = ids * width
    key += values
    order, first = _sort(key)
    starts = np.flatnonzero(first)
    pairs = key[order[starts]]
    del key
    return Histogram(
        offsets=np.searchsorted(pairs // width, np.arange(groups + 1)).astype(np.int64),
        values=(pairs % width).astype(np.int32),
        counts=np.add.reduceat(counts[order], starts) if len(starts) else np.zeros(0, dtype=np.int64),
        domain=domain,
    )


def _count_pairs(
    ids: Ints, groups: int, unit: Column, sensitive: Mapping[str, Column]
) -> tuple[PeopleSets, dict[str, Histogram]]:
    """The people of each group, and for each sensitive attribute its pairs of person and value. NULL is one person."""
    persons, names = unit
    ones = np.ones(len(persons), dtype=np.int64)
    pairs, values, domains = {}, {}, {}
    for name, (codes, labels) in sensitive.items():
        numbers, first = number_tuples([persons, codes], [len(names), len(labels)], len(persons))
        values[name] = codes[first].astype(np.int32)
        total = _sums(values[name], np.ones(len(first), dtype=np.int64), len(labels))
        knowing = len(np.unique(persons[codes != labels.index(None)])) if None in labels else len(names)
        domains[name] = Domain(name, labels, total, people=len(names), knowing=knowing)
        pairs[name] = count_values(ids, numbers.astype(np.int32), ones, groups, nameless(name, len(first)))
    sets = count_values(ids, persons, ones, groups, nameless("people", len(names)))
    return PeopleSets(names, sets, values, domains), pairs


def _codes_in(domain: Domain, labels: Sequence[Label]) -> NDArray[np.int32]:
    """The codes of labels in a domain that has them all."""
    index = {label: code for code, label in enumerate(domain.labels)}
    unknown = [label for label in labels if label not in index]
    if unknown:
        raise VerificationFailed(
            tr("has values that the original table does not have"),
            where=tr('attribute "{attribute}"', attribute=domain.attribute),
            remedy=tr("Check that the release and the original table belong together."),
        )
    return np.array([index[label] for label in labels], dtype=np.int32)


def nameless(attribute: str, size: int) -> Domain:
    """A domain of codes that have no labels of their own."""
    return Domain(attribute, (), np.zeros(size, dtype=np.int64))


def _sorted_union(one: Sequence[Label], other: Sequence[Label]) -> list[Label]:
    together = set(one) | set(other)
    known = sorted(label for label in together if label is not None)
    return [*known, None] if None in together else [*known]


def recode_tuples(table: FrequencyTable, values: Mapping[str, tuple[Label, ...]]) -> NDArray[np.int32]:
    """A table's tuples in the codes of other lists of values."""
    columns = []
    for position, name in enumerate(table.quasi_identifiers):
        index = {label: code for code, label in enumerate(values[name])}
        codes = np.array([index[label] for label in table.values[name]], dtype=np.int32)
        columns.append(codes[table.codes[:, position]])
    return np.array(columns, dtype=np.int32).reshape(len(columns), len(table.counts)).T


def spread(histogram: Histogram, ids: Ints, groups: int) -> Histogram:
    """A histogram over more groups: row ``i`` becomes group ``ids[i]``, the others are empty. Rows are distinct."""
    sizes = np.zeros(groups, dtype=np.int64)
    sizes[ids] = histogram.distinct
    order = np.argsort(ids[histogram.owners], kind="stable")
    return replace(
        histogram,
        offsets=np.concatenate([[0], np.cumsum(sizes)]),
        values=histogram.values[order],
        counts=histogram.counts[order],
    )
