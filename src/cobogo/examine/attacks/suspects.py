"""Suspects: for each person, the released records that may be theirs, and the sensitive values among them.

Without knowledge, the people are those of the release and the attacker knows the class of each: the suspects are the
records of the class. With a table of people that the attacker knows, the suspects of each person are the records that
are compatible with that person's row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cobogo.data.classes import Domain, Histogram
from cobogo.data.policy import Policy
from cobogo.data.table.read import read
from cobogo.errors import DataError, PolicyError
from cobogo.examine.attacks.case import Case, PublishedTable
from cobogo.examine.attacks.compatibility import linkable_columns, stated_operators
from cobogo.examine.attacks.linking import link
from cobogo.examine.attacks.rows import RowGroups
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.language import tr
from cobogo.promises.operators import LARGEST, estimate_by_likelihood, read_operator
from cobogo.release.buckets import bucket_table
from cobogo.release.manifest import Manifest


@dataclass(frozen=True, eq=False, repr=False)
class Suspects:
    """Groups of people with the same suspects, and the distribution of one sensitive attribute among the suspects.

    Sparse: group ``i`` has ``values[offsets[i]:offsets[i + 1]]``, each ``weights[…]`` times among ``sizes[i]`` records.
    """

    rows_of: str  # whose rows: "release" or "knowledge"
    ids: Ints  # the group of each row
    sizes: Floats
    offsets: Ints
    values: Ints
    weights: Floats
    domain: Domain  # of the whole release
    policy: Policy | None  # that the release was made with, where it is known
    notes: tuple[str, ...] = ()
    untried: str = ""  # why most records are compatible with nobody
    surest: Floats | None = None  # of values drawn at random: the largest posterior of any single record of a group

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def owners(self) -> Ints:
        """The group of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @cached_property
    def shares(self) -> Floats:
        """Each entry's share of its group: the attacker's belief after the release."""
        return self.weights / np.maximum(self.sizes, 1e-300)[self.owners]

    @cached_property
    def priors(self) -> Floats:
        """Each entry's share of the whole release: the belief before."""
        return self.domain.distribution[self.values]

    def without_missing(self) -> Suspects:
        """The same without missing values: the attacker assumes that every person has a value."""
        missing = self.domain.missing
        if missing is None:
            return self
        present = self.values != missing
        lost = np.bincount(self.owners[~present], self.weights[~present], len(self))
        lengths = np.bincount(self.owners[present], minlength=len(self))
        values = self.values[present]
        return replace(
            self,
            sizes=np.maximum(self.sizes - lost, 0.0),
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            values=values - (values > missing),
            weights=self.weights[present],
            domain=self.domain.known,
        )

    def best(self, scores: Floats) -> Ints:
        """The entry of each group with the highest score, the first of several; −1 for an empty group."""
        found = np.full(len(self), -1, dtype=np.int64)
        filled = np.flatnonzero(np.diff(self.offsets))
        if len(filled):
            highest = np.zeros(len(self))
            highest[filled] = np.maximum.reduceat(scores, self.offsets[filled])
            first = np.flatnonzero(scores == highest[self.owners])
            found[filled] = first[np.searchsorted(first, self.offsets[filled])]
        return found

    def among_best(self, scores: Floats, count: int) -> Mask:
        """Which entries are among the ``count`` of their group with the highest scores."""
        left, chosen = scores.copy(), np.zeros(len(scores), dtype=np.bool_)
        for _ in range(min(count, int(np.diff(self.offsets).max(initial=0)))):
            best = self.best(left)
            chosen[best[best >= 0]] = True
            left[chosen] = -np.inf
        return chosen

    def sums(self, entries: Floats) -> Floats:
        """For each group, the sum over its entries."""
        return np.bincount(self.owners, entries, len(self)).astype(np.float64)


def attacked_attributes(case: Case, asked: str | None) -> tuple[str, ...]:
    """The sensitive attributes to attack: the one asked for, or all of the release."""
    release = case.release
    names = _released_columns(release)
    if asked is not None and asked not in names:
        raise PolicyError(
            tr('the release has no column "{asked}"', asked=asked),
            where="--attribute",
            remedy=tr("Its columns: {names}.", names=", ".join(names)),
        )
    found = (asked,) if asked is not None else release.sensitive
    if not found:
        raise PolicyError(
            tr("has no sensitive attribute"),
            where=release.name,
            remedy=tr("Name one with --attribute, or give a policy that names one: --policy."),
        )
    return found


def suspects(case: Case, attribute: str, columns: Sequence[str] | None = None) -> Suspects:
    """The suspects of all people and their values of an attribute; of values drawn at random, the posterior."""
    key = ("suspects", case.knowledge, attribute, None if columns is None else tuple(columns))
    return case.release.derive(key, lambda: _posterior_suspects(case, attribute, columns))


def _posterior_suspects(case: Case, attribute: str, columns: Sequence[str] | None) -> Suspects:
    stated = stated_operator(case.release.manifest, attribute)
    found = _suspects(case, attribute, columns)
    return found.without_missing() if stated is None else apply_operator(found, stated)


def _suspects(case: Case, attribute: str, columns: Sequence[str] | None) -> Suspects:
    """The same by the released values."""
    release = case.release
    notes: tuple[str, ...] = ()
    if release.manifest is not None and release.manifest.data.people:
        notes = (
            tr("records were counted, not people: the release does not show which records belong to the same person"),
        )
    if case.knowledge is None and stated_operators(release):
        raise DataError(
            tr("is masked, and attackers do not know the masked values"),
            where=release.name,
            remedy=tr("Give a table of what is known about people: --knowledge."),
        )
    if case.knowledge is None:
        groups, histogram = _classes(release, attribute, columns)
        weights = histogram.counts.astype(np.float64)
        sizes = groups.sizes.astype(np.float64)
        values = histogram.values.astype(np.int64)
        found = (histogram.offsets, values, weights, histogram.domain)
        return Suspects("release", groups.ids, sizes, *found, release.policy, notes)
    if release.manifest is not None and release.manifest.buckets is not None and release.manifest.buckets.slices:
        raise DataError(
            tr("is in slices: its rows are not records, so people cannot be linked to them"),
            where=release.name,
            remedy=tr("Attack it without --knowledge."),
        )
    names = columns or [name for name in linkable_columns(release) if name != attribute] or None
    if names is not None and columns is None:
        names = [name for name in names if name in case.knowledge.columns] or list(names)
    links = link(case.knowledge, release, columns=names)
    offsets, values, amounts, domain = _weights(release, attribute, links.released)
    ones = np.ones(len(links.targets))
    gathered = _gather((links.offsets, links.targets, ones, offsets, values, amounts, len(domain)))
    sizes = links.records.astype(np.float64)
    return Suspects(
        "knowledge", links.known.ids, sizes, *gathered, domain, release.policy, (*notes, *links.notes), links.untried
    )


def _released_columns(release: PublishedTable) -> tuple[str, ...]:
    if release.manifest is None:
        return release.rows.names
    return tuple(column.name for column in release.manifest.columns)


def _classes(release: PublishedTable, attribute: str, columns: Sequence[str] | None) -> tuple[RowGroups, Histogram]:
    """The classes of a release, or its buckets, and an attribute's values in each."""
    buckets = None if release.manifest is None else release.manifest.buckets
    if buckets is None:
        quasi = tuple(columns or (*release.quasi_identifiers, *release.groups))
        unknown = [name for name in quasi if name not in release.rows.columns]
        if unknown or not quasi:
            raise PolicyError(
                tr("has no column {names}", names=", ".join(unknown)) if unknown else tr("has no quasi-identifiers"),
                where=release.name,
                remedy=tr("Name the quasi-identifiers with --columns, or give a policy that names them: --policy."),
            )
        groups = release.rows.group([name for name in quasi if name != attribute])
        return groups, release.rows.histogram(attribute, groups)
    if buckets.file is None:
        groups = release.rows.group([buckets.group, *buckets.slice_mates(attribute)])
        return groups, release.rows.histogram(attribute, groups)
    assert release.manifest is not None
    assert release.public is not None
    assert release.manifest.data.file is not None
    table = read(release.public / release.manifest.data.file, release.manifest.data.reading)
    counted = bucket_table(table, release.public, release.manifest, [attribute])
    return release.rows.group([buckets.group]), counted.histograms[attribute]


def _weights(release: PublishedTable, attribute: str, groups: RowGroups) -> tuple[Ints, Ints, Floats, Domain]:
    """The values of each group of released rows: their own, or a share of those of their buckets."""
    if release.manifest is None or release.manifest.buckets is None:
        histogram = release.rows.histogram(attribute, groups)
        return (
            histogram.offsets,
            histogram.values.astype(np.int64),
            histogram.counts.astype(np.float64),
            histogram.domain,
        )
    buckets, histogram = _classes(release, attribute, None)
    pairs, rows = np.unique(groups.ids * len(buckets) + buckets.ids, return_counts=True)
    offsets = np.searchsorted(pairs // len(buckets), np.arange(len(groups) + 1)).astype(np.int64)
    inside = pairs % len(buckets)
    counts = histogram.counts.astype(np.float64)
    given = (
        offsets,
        inside,
        rows / buckets.sizes[inside],
        histogram.offsets,
        histogram.values.astype(np.int64),
        counts,
    )
    return (*_gather((*given, len(histogram.domain))), histogram.domain)


def _gather(given: tuple[Any, ...]) -> tuple[Ints, Ints, Floats]:
    from cobogo.examine.attacks import kernels

    numbers = np.zeros(len(given[0]) - 1, dtype=np.int64)
    total = kernels.gather_values(*given, numbers, np.zeros(0, dtype=np.int64), np.zeros(0))
    values, amounts = np.empty(total, dtype=np.int64), np.empty(total)
    kernels.gather_values(*given, numbers, values, amounts)
    return np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64), values, amounts


DRAWN = tr(
    "values were drawn at random: what an attacker believes about a person follows from the operator; other people's "
    "values reveal nothing"
)


def stated_operator(manifest: Manifest | None, attribute: str) -> Mapping[str, Any] | None:
    """The operator that drew an attribute value by value, as the manifest states it; None where none did."""
    if manifest is None or manifest.kind != "randomization":
        return None
    parts = (manifest.transformation or {}).get("drawn", ())
    return next((part for part in parts if part["attributes"] == [attribute] and part["size"] <= LARGEST), None)


def apply_operator(found: Suspects, stated: Mapping[str, Any]) -> Suspects:
    """Replace the released values of each group by the posterior of the original ones, given the operator."""
    operator, labels = read_operator(stated), tuple(stated["domains"][0])
    place = {label: code for code, label in enumerate(labels)}
    codes = np.array([place[label] for label in found.domain.labels], dtype=np.int64)
    released = np.zeros(operator.size, dtype=np.int64)
    released[codes] = found.domain.total
    prior = estimate_by_likelihood(operator, released, rounds=500)
    posterior = operator.posterior(prior)  # original × released
    seen = codes[found.values]
    groups, size = len(found), operator.size
    weights = np.zeros((groups, size))
    np.add.at(weights, found.owners, found.weights[:, None] * posterior.T[seen])
    surest: Floats = np.zeros(groups)
    np.maximum.at(surest, found.owners, posterior.max(axis=0)[seen])
    return replace(
        found,
        offsets=np.arange(groups + 1, dtype=np.int64) * size,
        values=np.tile(np.arange(size), groups),
        weights=weights.ravel(),
        domain=Domain(found.domain.attribute, labels, np.rint(prior * released.sum()).astype(np.int64)),
        notes=(*found.notes, DRAWN),
        surest=surest,
    )
