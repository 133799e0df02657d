"""Plans whose classes are groups with a name of their own, in a released column: buckets, condensed groups, and groups
with counterfeits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from cobogo.data.classes import Classes
from cobogo.data.engines.engine import Engine, Expression
from cobogo.data.policy import Role
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table
from cobogo.floor.arrays import Texts
from cobogo.floor.language import join, tr, trn
from cobogo.publish.recode.contract.buckets import Buckets
from cobogo.publish.recode.partition.condensation import Condensed
from cobogo.publish.recode.partition.counterfeits import Counterfeited
from cobogo.publish.recode.plans.apply import Moves, add_rows, assign, joint_labels, label_codes
from cobogo.publish.recode.plans.base import Description, RecodingPlan, group_faults
from cobogo.release import dictionary
from cobogo.release.buckets import every_slice, shuffle_slices
from cobogo.release.contract import ROWS
from cobogo.release.manifest import BucketEntry, ColumnEntry, CounterfeitEntry, Manifest

VALUES = "sensitive"
"""The name of the file of sensitive values, where these are apart from the released table."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BucketPlan(RecodingPlan):
    """Buckets: tuples are released as they are, with the name of their bucket, and apart from them each bucket's
    sensitive values, counted. With ``slices`` there is one table, and each slice is shuffled within the buckets."""

    buckets: Buckets
    group: str  # the column that names the bucket
    count: str  # the column that counts values
    slices: tuple[tuple[str, ...], ...] = ()  # a column that is in none of them is one by itself

    hides_identity: ClassVar[bool] = False
    shows_tuples: ClassVar[bool] = False

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """The sensitive attribute is in a table of its own, unless there are slices; the bucket joins the two."""
        if self.slices:
            return (*kept, self.group)
        return (*(name for name in kept if name != self.buckets.attribute), self.group)

    def recode(self, table: Table, columns: Sequence[str]) -> Expression:
        """Each record with its bucket; slices shuffled within the buckets."""
        released = assign(table, self.moves, columns)
        return self.shuffle(table.engine, released)

    def shuffle(self, engine: Engine, rows: Expression) -> Expression:
        """Rows with their slices shuffled within the buckets, if there are slices."""
        return shuffle_slices(engine, rows, self.group, self.slices) if self.slices else rows

    def unshuffled_plan(self) -> RecodingPlan:
        """Without slices."""
        return replace(self, slices=())

    def tables(self, engine: Engine, rows: Callable[[], Expression]) -> dict[str, Expression]:
        """The rows and, unless there are slices, the sensitive values of each bucket, counted, in random order."""
        if self.slices:
            return {ROWS: rows()}
        import pyarrow as pa

        histogram = self.buckets.histogram
        labels = pa.array(list(histogram.domain.labels), pa.string())
        values = {
            self.group: pa.array(self.buckets.names[histogram.owners].tolist(), pa.string()),
            self.buckets.attribute: labels.take(pa.array(histogram.values)),
            self.count: pa.array([str(count) for count in histogram.counts.tolist()], pa.string()),
        }
        return {ROWS: rows(), VALUES: engine.shuffle(engine.lookup(pa.table(values)))}

    def group_entries(self, about: Description) -> tuple[BucketEntry, list[ColumnEntry]]:
        """The column that names the bucket, and the file of the sensitive values or the slices."""
        other = Role.NON_SENSITIVE
        if self.slices:
            slices = every_slice(about.columns, self.group, self.slices)
            text = tr("the bucket: within it, each slice of columns was shuffled separately")
            return BucketEntry(group=self.group, slices=tuple(map(tuple, slices))), [
                ColumnEntry(name=self.group, role=other, meaning=text)
            ]
        file, attribute = f"{VALUES}.{about.form}", self.buckets.attribute
        text = tr("the bucket: it joins this table with {file}, which counts the sensitive values of each", file=file)
        values = dictionary.meaning(about.policy.attributes[attribute], 0, top=False)
        many = tr("how many records of the bucket have this value")
        return BucketEntry(file=file, group=self.group, count=self.count), [
            ColumnEntry(name=self.group, role=other, meaning=text),
            ColumnEntry(name=self.group, role=other, meaning=tr("the bucket"), file=file),
            ColumnEntry(name=attribute, role=Role.SENSITIVE, meaning=values, file=file),
            ColumnEntry(name=self.count, role=other, meaning=many, file=file),
        ]

    def meaning(self, name: str, about: Description) -> tuple[str, bool]:
        """Slices were shuffled: a row is not a record."""
        if not self.slices or about.is_distorted(name):
            return super().meaning(name, about)
        entry, _ = self.group_entries(about)
        return dictionary.sliced_meaning(entry.slice_mates(name)), False

    def faults(self, released: FrequencyTable) -> Iterator[str]:
        """The buckets must have the sizes that were planned."""
        yield from super().faults(released)
        yield from group_faults(released, self.buckets.names, self.buckets.sizes)

    def to_json(self) -> dict[str, Any]:
        """Buckets belong to the rows that they hold: nothing of them can be used again."""
        return {"kind": "buckets", "star": False}

    @property
    def class_columns(self) -> tuple[str, ...]:
        """The bucket."""
        return (self.group,)

    @property
    def moves(self) -> Moves:
        """Each record gets the name of its bucket."""
        b = self.buckets
        known = {b.attribute: label_codes(b.problem.table.domains[b.attribute].labels, b.values)}
        return Moves(b.problem, b.tuples, b.owners, b.counts, b.values, known, {self.group: b.names}, star=False)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CondensedPlan(RecodingPlan):
    """Condensed groups: records are released with values drawn for each, and the name of their group."""

    assignment: Condensed
    group: str  # the column that names the group

    shows_tuples: ClassVar[bool] = False

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """With the column that names the group."""
        return (*kept, self.group)

    def recode(self, table: Table, columns: Sequence[str]) -> Expression:
        """Each record with values of its own."""
        return assign(table, self.moves, columns)

    def group_entries(self, about: Description) -> tuple[BucketEntry, list[ColumnEntry]]:  # noqa: ARG002
        """The column that names the group."""
        text = tr("the group, on which the models are measured")
        column = ColumnEntry(name=self.group, role=Role.NON_SENSITIVE, meaning=text)
        return BucketEntry(group=self.group, condensed=True), [column]

    def faults(self, released: FrequencyTable) -> Iterator[str]:
        """The groups must have the sizes that were planned."""
        yield from super().faults(released)
        yield from group_faults(released, self.assignment.group_names, self.assignment.sizes)

    def tuples(self, released: FrequencyTable, original: FrequencyTable, table: Table) -> FrequencyTable:  # noqa: ARG002
        """The quasi-identifiers as they were drawn."""
        return _released_tuples(self, table)

    def to_json(self) -> dict[str, Any]:
        """Groups are statistics of the rows that they hold: nothing of them can be used again."""
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
        values = None if a.values is None else a.values[parcels]
        known = joint_labels(a.problem.table, values)
        released = dict(zip(self.attributes, a.released_values(), strict=True)) | {self.group: a.group_names[owners]}
        turns, ones = np.arange(len(parcels)), np.ones(len(parcels), dtype=np.int64)
        return Moves(a.problem, a.tuples[parcels], turns, ones, values, known, released, star=False)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CounterfeitPlan(RecodingPlan):
    """Groups of people and counterfeits: every record is released with the values of its group, and its name."""

    assignment: Counterfeited
    group: str  # the column that names the group
    unit: str  # the column that identifies people
    tokens: Texts  # what identifies the counterfeits wherever records are counted by person; never released

    shows_tuples: ClassVar[bool] = False

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """With the column that names the group. It comes first, so that groups are counted in the order of names."""
        return (self.group, *kept)

    def recode(self, table: Table, columns: Sequence[str]) -> Expression:
        """Each person's record with the values of their group, and the counterfeits."""
        people = assign(table, self.moves, columns)
        released = (self.group, *self.attributes, self.assignment.model.attribute)
        texts = {name: table.engine.text(people[name]) for name in columns if name not in released}
        return add_rows(table.engine, people.mutate(**texts), {name: self._invented_column(name) for name in columns})

    def _invented_column(self, name: str) -> Texts:
        """What the counterfeits have in a column: in one that identifies people, something that nobody else has."""
        a = self.assignment
        if name == a.model.attribute:
            return label_codes(a.problem.table.domains[name].labels, a.invented)
        if name == self.group:
            return a.group_names[a.invented_owners]
        if name in self.attributes:
            return a.names[self.attributes.index(name)][a.invented_owners]
        return self.tokens

    def group_entries(self, about: Description) -> tuple[None, list[ColumnEntry]]:  # noqa: ARG002
        """The column that names the group."""
        text = tr("the group: a number in random order, new in every release; its records have equal quasi-identifiers")
        return None, [ColumnEntry(name=self.group, role=Role.QUASI_IDENTIFIER, meaning=text, added=True)]

    def manifest(self, about: Description) -> Manifest:
        """With the number of counterfeits in each group, as the paper publishes it."""
        counts = self.assignment.counterfeits
        names = self.assignment.group_names
        groups = {str(names[n]): int(counts[n]) for n in np.flatnonzero(counts).tolist()}
        ordered = dict(sorted(groups.items(), key=lambda one: int(one[0])))
        entry = CounterfeitEntry(group=self.group, records=int(counts.sum()), groups=ordered)
        return super().manifest(about).model_copy(update={"counterfeits": entry})

    def faults(self, released: FrequencyTable) -> Iterator[str]:
        """The groups must have the sizes that were planned, and the assignment no faults."""
        yield from super().faults(released)
        yield from self.assignment.faults()
        a = self.assignment
        yield from group_faults(released, a.group_names, a.sizes + a.counterfeits)

    def tuples(self, released: FrequencyTable, original: FrequencyTable, table: Table) -> FrequencyTable:  # noqa: ARG002
        """The quasi-identifiers without the groups."""
        return _released_tuples(self, table)

    def explanation(self) -> str:
        """How many counterfeits there are, and in which groups; nothing, where there are none."""
        if not self.counterfeits:
            return ""
        names, counts = self.assignment.group_names, self.assignment.counterfeits
        what = trn(
            "{n:,} of the records is a counterfeit: nobody stands behind it. It was added so that a person's group has "
            "the same sensitive values as in earlier releases. Nothing shows which record it is.",
            "{n:,} of the records are counterfeits: nobody stands behind them. They were added so that a person's "
            "group has the same sensitive values as in earlier releases. Nothing shows which records they are.",
            n=self.counterfeits,
        )
        lines = [tr("| counterfeits in a group | groups |"), "|---|---|"]
        for number in np.unique(counts[counts > 0]).tolist():
            groups = sorted(names[counts == number].tolist(), key=int)
            lines.append(f"| {number} | {', '.join(groups)} |")
        title = tr("## {title}", title=tr("Counterfeit records"))
        return join([title, what, join(lines, by="\n")], by="\n\n")

    def people(self, classes: Classes) -> Classes:
        """The groups without their counterfeits: an attacker knows how many there are."""
        assert classes.people is not None
        return replace(classes, sizes=classes.people.distinct)

    def level_shares(self) -> dict[str, list[float]]:
        return self.assignment.level_shares()

    def to_json(self) -> dict[str, Any]:
        """Groups belong to the people who are in them: nothing of them can be used again."""
        return {"kind": "counterfeits", "star": False}

    @property
    def class_columns(self) -> tuple[str, ...]:
        """The group, and what its records have in common."""
        return self.key

    @property
    def key(self) -> tuple[str, ...]:
        """The group, and what its records have in common."""
        return (self.group, *self.attributes)

    @property
    def counterfeits(self) -> int:
        """All of them."""
        return len(self.tokens)

    @property
    def alike(self) -> bool:
        """Each record has what its group has."""
        return False

    @property
    def moves(self) -> Moves:
        """Each person's record gets the values and the name of their group."""
        a = self.assignment
        people = a.problem.table.people
        assert people is not None
        codes = np.arange(len(a.owners), dtype=np.int32)
        known = {self.unit: label_codes(people.names, codes)}
        released = dict(zip(self.attributes, a.names, strict=True)) | {self.group: a.group_names}
        return Moves(a.problem, a.tuples, a.owners, a.counts, codes, known, released, star=False)


def _released_tuples(plan: RecodingPlan, table: Table) -> FrequencyTable:
    """The quasi-identifiers as a plan releases them, counted."""
    rows = replace(table, expression=plan.apply(table, plan.attributes))
    return frequency_table(rows, plan.attributes, [])
