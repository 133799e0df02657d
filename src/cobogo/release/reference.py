"""What verification needs beside the released file: the whole table's distribution, the people, the population.

The job has them at hand; a later verification finds them in the evidence, or does with less and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cobogo.data.classes import Classes, Domain, Histogram, Members
from cobogo.data.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.data.table.frequency import FrequencyTable, nameless, spread
from cobogo.errors import VerificationFailed
from cobogo.floor.arrays import Ints
from cobogo.floor.language import Text, tr, trn
from cobogo.release.manifest import CounterfeitEntry

Json = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Baseline:
    """``people`` are the released classes with their people counted; ``populations`` are counted as released.

    ``withheld`` are columns that models look at and that are not released, counted in the released classes.
    """

    domains: Mapping[str, Domain] = field(default_factory=dict)
    people: Classes | None = None
    withheld: Mapping[str, Histogram] = field(default_factory=dict)
    populations: Mapping[str, FrequencyTable] = field(default_factory=dict)
    original: OriginalTable | None = None

    def classes(self, released: FrequencyTable) -> Classes:
        """The released classes as the models should see them."""
        if self.people is not None:
            if len(self.people) != len(released.counts) or (self.people.sizes > released.counts).any():
                raise VerificationFailed(tr("the people counted in the evidence do not match the released classes"))
            classes = self.people if self.people.people is None else self._with_counterfeits(released)
        else:
            classes = released.against(self.domains).classes()
            whole = [int(domain.total.sum()) for domain in self.domains.values()]
            withheld = {**classes.histograms, **self.withheld}
            classes = replace(classes, total=max([classes.total, *whole]), histograms=withheld)
        for name, population in self.populations.items():
            released = released.with_population(name, population)
        if self.populations:
            classes = _add_population_classes(classes, released)
        return replace(classes, members=self._members(released))

    def _with_counterfeits(self, released: FrequencyTable) -> Classes:
        """The classes of a series, in which a person has one record: records and values as they were released, whoever
        stands behind them, and the people who are known."""
        assert self.people is not None
        read = released.against(self.domains).classes()
        return replace(self.people, sizes=read.sizes, histograms={**self.people.histograms, **read.histograms})

    def _members(self, released: FrequencyTable) -> Members | None:
        return None if self.original is None else self.original.members(released)


@dataclass(frozen=True, eq=False, repr=False)
class OriginalTable:
    """The original table and how it was recoded: for models whose attacker knows everybody's quasi-identifiers."""

    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]
    levels: Mapping[str, int]
    star: bool = False

    def members(self, released: FrequencyTable) -> Members:
        """The original tuples behind each released class."""
        place = {released.tuple_labels(number): number for number in range(len(released.counts))}
        leaves = [h.encode(self.table.values[h.attribute]) for h in self.hierarchies]
        codes = np.array([leaf[self.table.codes[:, n]] for n, leaf in enumerate(leaves)], dtype=np.int32).T
        columns = [
            [h.labels[self.levels[h.attribute]][code] for code in h.maps[self.levels[h.attribute]][codes[:, n]]]
            for n, h in enumerate(self.hierarchies)
        ]
        lost = place.get((SUPPRESSED,) * len(columns), -1) if self.star else -1
        owners = np.array([place.get(labels, lost) for labels in zip(*columns, strict=True)], dtype=np.int64)
        return Members(owners, codes, self.table.counts, self.table.histograms, self.hierarchies)


def counterfeit_problems(
    released: FrequencyTable, stated: CounterfeitEntry | None, people: Classes | None
) -> Iterator[str]:
    """Where a release does not have the counterfeits that it states. ``people`` are those of each class, if known."""
    counts = np.zeros(len(released.counts), dtype=np.int64)
    if stated is not None:
        counts, names = counterfeit_counts(released, stated), _group_names(released, stated)
        if len(set(names)) < len(names):
            yield tr("the records of a group do not have equal quasi-identifiers")
        if not set(stated.groups) <= set(names) or (counts >= released.counts).any():
            yield tr("the manifest states counterfeits in groups that do not have as many records")
    if people is not None and people.people is not None and (people.sizes + counts != released.counts).any():
        yield tr("the people in the evidence and the counterfeits together are not the released records")


def counterfeit_counts(released: FrequencyTable, stated: CounterfeitEntry) -> Ints:
    """The number of counterfeits that is stated of each class."""
    return np.array([stated.groups.get(str(name), 0) for name in _group_names(released, stated)], dtype=np.int64)


def _group_names(released: FrequencyTable, stated: CounterfeitEntry) -> list[Label]:
    codes = released.codes[:, released.quasi_identifiers.index(stated.group)]
    return [released.values[stated.group][code] for code in codes.tolist()]


def counterfeit_note(stated: CounterfeitEntry) -> Text:
    """How many records of a release nobody stands behind."""
    return trn(
        "{n:,} record of the release is a counterfeit: nobody stands behind it",
        "{n:,} records of the release are counterfeits: nobody stands behind them",
        n=stated.records,
    )


def _add_population_classes(classes: Classes, table: FrequencyTable) -> Classes:
    """Classes beside those that only a population has. The table's own tuples come in the order of the classes."""
    places, groups = np.flatnonzero(table.counts > 0), len(table.counts)
    sizes = np.zeros(groups, dtype=np.int64)
    sizes[places] = classes.sizes
    return replace(
        classes,
        sizes=sizes,
        histograms={name: spread(histogram, places, groups) for name, histogram in classes.histograms.items()},
        populations=table.populations,
        people=None if classes.people is None else spread(classes.people, places, groups),
        withheld={name: np.isin(np.arange(groups), places[hidden]) for name, hidden in classes.withheld.items()},
    )


def domain_to_json(domain: Domain) -> Json:
    """A domain as the evidence keeps it."""
    return {
        "labels": list(domain.labels),
        "total": domain.total.tolist(),
        "decimal": domain.decimal,
        "people": domain.people,
        "knowing": domain.knowing,
        "tree": None if domain.hierarchy is None else rows_of(domain.hierarchy, domain.labels),
    }


def domain_from_json(attribute: str, content: Json) -> Domain:
    """The inverse."""
    tree = content["tree"]
    hierarchy = None if tree is None else Hierarchy.from_columns(attribute, tree)
    total = np.array(content["total"], dtype=np.int64)
    labels, people, knowing = tuple(content["labels"]), content["people"], content["knowing"]
    return Domain(attribute, labels, total, hierarchy, content["decimal"], people, knowing)


def rows_of(hierarchy: Hierarchy, leaves: Sequence[Label]) -> list[list[Label]]:
    """A hierarchy's columns for some of its leaves, in its own order."""
    ordered = sorted(leaves, key=lambda leaf: hierarchy.index[leaf])
    return [[hierarchy.generalize(leaf, level) for leaf in ordered] for level in range(hierarchy.height + 1)]


def people_to_json(classes: Classes, pseudonyms: Sequence[str | None] | None) -> Json:
    """Classes of people as the evidence keeps them, in the order of the released tuples.

    With pseudonyms, who is in each is kept too: a later release of the series must know.
    """
    who = None
    if pseudonyms is not None and classes.people is not None:
        who = {"pseudonyms": list(pseudonyms), "sets": histogram_to_json(classes.people)}
    return {
        "total": classes.total,
        "sizes": classes.sizes.tolist(),
        "histograms": {name: histogram_to_json(h) for name, h in classes.histograms.items()},
        "who": who,
    }


def people_from_json(content: Json, domains: Mapping[str, Domain]) -> Classes:
    """The inverse."""
    histograms = {name: histogram_from_json(h, domains[name]) for name, h in content["histograms"].items()}
    who = content["who"]
    people = None
    if who is not None:
        people = histogram_from_json(who["sets"], nameless("people", len(who["pseudonyms"])))
    return Classes(np.array(content["sizes"], dtype=np.int64), histograms, int(content["total"]), people=people)


def histogram_to_json(histogram: Histogram) -> Json:
    """A histogram as the evidence keeps it; its domain stands elsewhere."""
    return {key: getattr(histogram, key).tolist() for key in ("offsets", "values", "counts")}


def histogram_from_json(content: Json, domain: Domain) -> Histogram:
    """The inverse."""
    return Histogram(
        np.array(content["offsets"], dtype=np.int64),
        np.array(content["values"], dtype=np.int32),
        np.array(content["counts"], dtype=np.int64),
        domain,
    )
