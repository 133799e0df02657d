"""The two sides of a comparison: the original table and the release, both counted by the engine."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from cobogo.data.classes import Domain, Histogram
from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.policy import Policy
from cobogo.data.table.frequency import FrequencyTable, frequency_table, number_tuples
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.language import tr


@dataclass(frozen=True, eq=False, repr=False)
class Sides:
    """Both tables, counted in records, and the hierarchies that relate released values to original ones.

    The released values of an attribute are those of its level or, without ``levels``, those of any level. The ``*`` of
    a suppressed record has the code after the last of them.
    """

    hierarchies: tuple[Hierarchy, ...]
    levels: tuple[int, ...] | None
    before: FrequencyTable
    after: FrequencyTable

    @cached_property
    def originals(self) -> tuple[Ints, ...]:
        """For each quasi-identifier, the leaf of each of the original's tuples."""
        return tuple(
            h.encode(self.before.values[h.attribute])[self.before.codes[:, column]].astype(np.int64)
            for column, h in enumerate(self.hierarchies)
        )

    @cached_property
    def names(self) -> tuple[tuple[Label, ...], ...]:
        """For each quasi-identifier, the values that it may be released as."""
        if self.levels is None:
            return tuple(tuple(dict.fromkeys(itertools.chain(*h.labels))) for h in self.hierarchies)
        return tuple(h.labels[level] for h, level in zip(self.hierarchies, self.levels, strict=True))

    @cached_property
    def under(self) -> tuple[tuple[Ints, Ints], ...]:
        """For each quasi-identifier, all pairs of a released code and a leaf under it."""
        found = []
        for column, (h, names) in enumerate(zip(self.hierarchies, self.names, strict=True)):
            levels = range(h.height + 1) if self.levels is None else (self.levels[column],)
            codes = [_codes(names, h.labels[level])[h.maps[level]] for level in levels]
            leaves = np.tile(np.arange(len(h.leaves)), len(codes))
            pairs = np.unique(np.concatenate(codes) * len(h.leaves) + leaves)
            found.append((pairs // len(h.leaves), pairs % len(h.leaves)))
        return tuple(found)

    @cached_property
    def recoded(self) -> tuple[Ints, ...]:
        """For each quasi-identifier, the released code of each of the original's tuples if none were suppressed; only
        for a recoding with levels."""
        assert self.levels is not None
        return tuple(
            h.maps[level][leaf].astype(np.int64)
            for h, level, leaf in zip(self.hierarchies, self.levels, self.originals, strict=True)
        )

    @cached_property
    def released(self) -> tuple[Ints, ...]:
        """For each quasi-identifier, the code of each of the release's tuples."""
        return tuple(
            _codes(names, self.after.values[h.attribute])[self.after.codes[:, column]]
            for column, (h, names) in enumerate(zip(self.hierarchies, self.names, strict=True))
        )

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """For each quasi-identifier, the number of released codes."""
        return tuple(len(names) + 1 for names in self.names)

    @cached_property
    def kept(self) -> Mask:
        """Which of the original's tuples are in the release under their own values, and not suppressed."""
        rows = len(self.before.counts)
        columns = [np.concatenate(pair) for pair in zip(self.recoded, self.released, strict=True)]
        ids, _ = number_tuples(columns, self.widths, rows + len(self.after.counts))
        return np.isin(ids[:rows], ids[rows:])

    def share(self, column: int, chosen: Mask) -> Floats:
        """For each released code of an attribute, the share of its leaves that are chosen."""
        codes, leaves = self.under[column]
        width = len(self.names[column])
        inside = np.bincount(codes[chosen[leaves]], minlength=width)
        return np.append(inside / np.maximum(np.bincount(codes, minlength=width), 1), chosen.mean())

    def spread(self, column: int) -> Floats:
        """The release's records by leaf of an attribute, each spread evenly over the leaves under its value."""
        codes, leaves = self.under[column]
        width, domain = self.widths[column], len(self.hierarchies[column].leaves)
        records = np.bincount(self.released[column], weights=self.after.counts, minlength=width)
        shares = records / np.maximum(np.bincount(codes, minlength=width), 1)
        found = np.bincount(leaves, weights=shares[codes], minlength=domain)
        return np.asarray(found + records[-1] / domain)


class GeneralizedRelease(Protocol):
    """A release whose values are generalized: a recoding."""

    @property
    def policy(self) -> Policy:
        """The policy of the release."""

    @property
    def table(self) -> Table:
        """The original."""

    @property
    def levels(self) -> dict[str, int]:
        """The level of each quasi-identifier; empty where each record has its own."""

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...] | None:
        """The hierarchies that all released values belong to; None where some belong to none."""

    def apply(self) -> Table:
        """The released rows."""


def sides(release: GeneralizedRelease, *, label: str | None = None) -> Sides:
    """Count the original and the release, each with one GROUP BY of the engine."""
    quasi, sensitive = release.policy.quasi_identifiers, release.policy.sensitive
    if release.hierarchies is None:
        raise PolicyError(
            tr("utility can be measured only on releases whose values come from hierarchies"),
            where=f"{release.policy.name}, recoding.algorithm",
            remedy=tr('Write algorithm = "optimal", or leave out [utility].'),
        )
    return Sides(
        hierarchies=release.hierarchies,
        levels=tuple(release.levels[name] for name in quasi) if release.levels else None,
        before=frequency_table(release.table, quasi, sensitive, label=label),
        after=frequency_table(release.apply(), quasi, sensitive, label=label),
    )


def recode_values(histogram: Histogram, domain: Domain) -> Ints:
    """The values of a histogram's entries as codes of another domain, which has them all."""
    return _codes(domain.labels, histogram.domain.labels)[histogram.values]


def _codes(known: Sequence[Label], labels: Sequence[Label]) -> Ints:
    """The code of each label among the known ones; a label that is not known has the code after the last."""
    index = {label: code for code, label in enumerate(known)}
    return np.array([index.get(label, len(known)) for label in labels], dtype=np.int64)
