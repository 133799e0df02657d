"""Condensation: groups kept as their statistics, and records drawn anew from those (Aggarwal and Yu 2004)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.data.policy import Role
from cobogo.data.table.engine import Expression
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table
from cobogo.examine.metrics import AGGREGATED, Outcome
from cobogo.floor import randomness
from cobogo.floor.arrays import Floats, Ints
from cobogo.publish.recode.aggregate import Aggregation, Labels, digits, squared_error, written
from cobogo.publish.recode.apply import assign
from cobogo.publish.recode.assignment import Assignment, leaf_tuples
from cobogo.publish.recode.describe import Description
from cobogo.publish.recode.moves import Moves, named
from cobogo.publish.recode.plan import Plan, group_faults
from cobogo.publish.recode.ranges import numbers
from cobogo.release.manifest import BucketEntry, Column


@dataclass(frozen=True, eq=False, repr=False)
class Condensed(Aggregation):
    """An assignment whose classes are groups, told by a column of their own. An attribute that is ``"drawn"`` has in
    each record a number drawn from the group's mean and covariance; the others are ancestors of all of the group."""

    drawn: dict[int, Floats] = field(default_factory=dict)  # by attribute, one number a kept record; NaN is NULL

    @cached_property
    def records(self) -> tuple[Ints, Ints]:
        """The parcel, and the group, of each kept record."""
        kept = np.flatnonzero(self.owners >= 0)
        parcels = np.repeat(kept, self.counts[kept])
        return parcels, self.owners[parcels]

    @cached_property
    def group_names(self) -> Labels:
        """What each group is called: a number that tells nothing."""
        order = np.argsort(randomness.keys(len(self)))
        return np.array([*(str(number + 1) for number in order.tolist()), None], dtype=object)[:-1]

    def released_values(self) -> list[Labels]:
        """For each quasi-identifier, what each kept record is released with."""
        found, (_, owners) = [], self.records
        for column, h in enumerate(self.problem.hierarchies):
            if column in self.drawn:
                found.append(written(self.drawn[column], digits(h, self.problem.decimal), self.problem.decimal))
            else:
                found.append(self.names[column][owners])
        return found

    def _of_classes(self, chosen: NDArray[np.intp]) -> dict[str, Any]:
        raise NotImplementedError("groups that are released alike in some values are groups of their own")

    def outcome(self) -> Outcome:
        """With the squared error of the numbers that were drawn."""
        found = super().outcome()
        weights, errors = self.problem.scale.weights, list(self.errors)
        parcels, _ = self.records
        leaves = leaf_tuples(self.problem)[self.tuples[parcels]]
        ones = np.ones(len(parcels), dtype=np.int64)
        for column, values in self.drawn.items():
            own = numbers(self.problem.hierarchies[column], self.problem.decimal)[leaves[:, column]]
            errors[column] = squared_error(own, values, ones)
        lost = float((weights * errors).sum() / weights.sum())
        kept = 1 - self.suppressed / max(self.problem.scale.records, 1)
        return replace(found, others={AGGREGATED: lost * kept + (1 - kept)})


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CondensedPlan(Plan):
    """Of groups whose records are released with values drawn for each, and the name of their group."""

    assignment: Condensed
    group: str  # the column that names the group

    shows_tuples: ClassVar[bool] = False

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """With the column that names the group."""
        return (*kept, self.group)

    def recode(self, table: Table, columns: Sequence[str]) -> Expression:
        """Each record with values of its own."""
        return assign(table, self.moves, columns)

    def beside(self, about: Description) -> tuple[BucketEntry, list[Column]]:  # noqa: ARG002
        """The column that names the group."""
        text = "the group: what the models are measured on"
        column = Column(name=self.group, role=Role.NON_SENSITIVE, meaning=text)
        return BucketEntry(group=self.group, condensed=True), [column]

    def faults(self, released: FrequencyTable) -> Iterator[str]:
        """The groups must have the sizes that were planned."""
        yield from super().faults(released)
        yield from group_faults(released, self.assignment.group_names, self.assignment.sizes)

    def tuples(self, released: FrequencyTable, original: FrequencyTable, table: Table) -> FrequencyTable:  # noqa: ARG002
        """The quasi-identifiers as they were drawn."""
        rows = replace(table, expression=self.apply(table, self.attributes))
        return frequency_table(rows, self.attributes, [])

    def to_json(self) -> dict[str, Any]:
        """Groups are statistics of the rows that they hold: of them nothing can be used again."""
        return {"kind": "condensed", "star": False}

    @property
    def key(self) -> tuple[str, ...]:
        """The group."""
        return (self.group,)

    @property
    def alike(self) -> bool:
        """Each record has what its group has."""
        return False

    @property
    def moves(self) -> Moves:
        """Each record gets values of its own, and the name of its group."""
        a = self.assignment
        parcels, owners = a.records
        joint, told = a.problem.table.joint, {}
        values = None if a.values is None else a.values[parcels]
        if values is not None and joint is not None:
            codes = joint.codes[values].T
            told = {name: named(known, code) for (name, known), code in zip(joint.labels.items(), codes, strict=True)}
        released = dict(zip(self.attributes, a.released_values(), strict=True)) | {self.group: a.group_names[owners]}
        turns, ones = np.arange(len(parcels)), np.ones(len(parcels), dtype=np.int64)
        return Moves(a.problem, a.tuples[parcels], turns, ones, values, told, released, star=False)


def condensed(assignment: Assignment, hows: tuple[str, ...], errors: tuple[float, ...]) -> Condensed:
    """Groups as their statistics, and for each record of a group numbers drawn from them.

    Along each eigenvector of the group's covariance a number is drawn, uniform around the mean and with the variance
    that the group has there: mean and covariance of what is drawn are the group's own, on average. NULL counts as the
    mean of the known, and is released where most of the group are.
    """
    a = assignment
    columns = [column for column, how in enumerate(hows) if how == "drawn"]
    nothing = np.empty(len(a), dtype=object)
    empty = Condensed(
        a.problem, a.levels, a.leaves, a.tuples, a.owners, a.counts, a.values, (nothing,) * len(hows), hows, errors
    )
    if not columns or not len(a):
        return empty
    parcels, owners = empty.records
    leaves = leaf_tuples(a.problem)[a.tuples[parcels]]
    known = np.stack([numbers(a.problem.hierarchies[n], a.problem.decimal)[leaves[:, n]] for n in columns], axis=1)
    means, covariances, missing = _statistics(known, owners, len(a))
    drawn = _drawn(means, covariances, owners)
    drawn[missing[owners]] = np.nan
    return Condensed(
        a.problem, a.levels, a.leaves, a.tuples, a.owners, a.counts, a.values, (nothing,) * len(hows), hows, errors,
        drawn={column: drawn[:, place] for place, column in enumerate(columns)},
    )  # fmt: skip


def _statistics(values: Floats, owners: Ints, groups: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Means and covariances of each group, and where most of a group's values are NULL."""
    there = ~np.isnan(values)
    sizes = np.maximum(np.bincount(owners, minlength=groups), 1)
    many = np.stack([np.bincount(owners, column, groups) for column in there.T], axis=1)
    filled = np.where(there, values, 0.0)
    means = np.stack([np.bincount(owners, column, groups) for column in filled.T], axis=1) / np.maximum(many, 1)
    apart = np.where(there, values - means[owners], 0.0)
    width = values.shape[1]
    covariances = np.empty((groups, width, width))
    for one in range(width):
        for other in range(width):
            covariances[:, one, other] = np.bincount(owners, apart[:, one] * apart[:, other], groups) / sizes
    return means, covariances, 2 * many < sizes[:, None]


def _drawn(means: Floats, covariances: Floats, owners: Ints) -> Floats:
    """A point for each record. Uniform numbers of −1 … 1 have the variance 1/3."""
    spreads, axes = np.linalg.eigh(covariances)
    words = randomness.Entropy().words(len(owners) * means.shape[1]).reshape(len(owners), means.shape[1])
    uniform = (words >> np.uint64(11)).astype(np.float64) / 2**52 - 1.0
    along = uniform * np.sqrt(3 * np.maximum(spreads, 0.0))[owners]
    return np.asarray(means[owners] + np.einsum("nij,nj->ni", axes[owners], along))
