"""The two sides of a comparison: the original table and the release, both counted by the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cobogo.errors import PolicyError
from cobogo.hierarchy import Hierarchy, Label
from cobogo.models.base import Domain, Floats, Histogram, Ints, Mask
from cobogo.release.apply import apply
from cobogo.table.frequency import FrequencyTable, frequency_table, number_tuples

if TYPE_CHECKING:
    from cobogo.release.release import Release


@dataclass(frozen=True, eq=False)
class Sides:
    """Both tables, in records, and what ties a released value to the original ones.

    At the released level of an attribute, ``*`` of a suppressed record is one more code after the level's own.
    """

    hierarchies: tuple[Hierarchy, ...]
    levels: tuple[int, ...]
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
    def recoded(self) -> tuple[Ints, ...]:
        """For each quasi-identifier, the released code of each of the original's tuples, were none suppressed."""
        return tuple(
            h.maps[level][leaf].astype(np.int64)
            for h, level, leaf in zip(self.hierarchies, self.levels, self.originals, strict=True)
        )

    @cached_property
    def released(self) -> tuple[Ints, ...]:
        """For each quasi-identifier, the code of each of the release's tuples."""
        return tuple(
            _codes(h.labels[level], self.after.values[h.attribute])[self.after.codes[:, column]]
            for column, (h, level) in enumerate(zip(self.hierarchies, self.levels, strict=True))
        )

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """For each quasi-identifier, how many released codes there are."""
        return tuple(len(h.labels[level]) + 1 for h, level in zip(self.hierarchies, self.levels, strict=True))

    @cached_property
    def kept(self) -> Mask:
        """Which of the original's tuples are in the release under their own values, and not suppressed."""
        rows = len(self.before.counts)
        columns = [np.concatenate(pair) for pair in zip(self.recoded, self.released, strict=True)]
        ids, _ = number_tuples(columns, self.widths, rows + len(self.after.counts))
        return np.isin(ids[:rows], ids[rows:])

    def share(self, column: int, chosen: Mask) -> Floats:
        """For each released code of an attribute, the share of the leaves it stands for that are chosen."""
        h, level = self.hierarchies[column], self.levels[column]
        under = np.bincount(h.maps[level][chosen], minlength=len(h.labels[level]))
        return np.append(under / h.leaf_counts[level], chosen.mean())


def sides(release: Release, *, label: str | None = None) -> Sides:
    """Count the original and the release, each with one GROUP BY of the engine."""
    quasi, sensitive = release.policy.quasi_identifiers, release.policy.sensitive
    if not release.plan.levels:
        raise PolicyError(
            "utility is measured on releases in which every value of an attribute is at one level",
            where=f"{release.policy.name}, recoding.algorithm",
            remedy='Say algorithm = "optimal", or leave out [utility].',
        )
    released = replace(release.table, expression=apply(release.table, release.plan, release.columns))
    return Sides(
        hierarchies=release.problem.hierarchies,
        levels=tuple(release.plan.levels[name] for name in quasi),
        before=frequency_table(release.table, quasi, sensitive, label=label),
        after=frequency_table(released, quasi, sensitive, label=label),
    )


def in_codes_of(histogram: Histogram, domain: Domain) -> Ints:
    """The values of a histogram's entries in the codes of another domain that has them all."""
    return _codes(domain.labels, histogram.domain.labels)[histogram.values]


def _codes(known: Sequence[Label], labels: Sequence[Label]) -> Ints:
    """The code of each label among those known; one more than the last for what is not."""
    index = {label: code for code, label in enumerate(known)}
    return np.array([index.get(label, len(known)) for label in labels], dtype=np.int64)
