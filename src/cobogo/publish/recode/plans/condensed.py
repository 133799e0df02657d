"""The plan of condensed groups: records with values drawn for each, and the name of their group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from cobogo.data.policy import Role
from cobogo.data.table.engine import Expression
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table
from cobogo.publish.recode.partition.condensation import Condensed
from cobogo.publish.recode.plans.apply import Moves, assign, named
from cobogo.publish.recode.plans.base import Description, RecodingPlan, group_faults
from cobogo.release.manifest import BucketEntry, ColumnEntry


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CondensedPlan(RecodingPlan):
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

    def beside(self, about: Description) -> tuple[BucketEntry, list[ColumnEntry]]:  # noqa: ARG002
        """The column that names the group."""
        text = "the group: what the models are measured on"
        column = ColumnEntry(name=self.group, role=Role.NON_SENSITIVE, meaning=text)
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
