"""The plan: what to do to each value or record and what to suppress, in a form that an engine applies by join.

A plan releases itself: it applies itself to a table, names the tables that are released, describes them in the
manifest, finds what of the written file is not as planned, and says what reports and the registry ask of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import Classes
from cobogo.data.engines.engine import Engine, Expression
from cobogo.data.hierarchy import SUPPRESSED, Label
from cobogo.data.policy import MaskHierarchy, Policy, Role
from cobogo.data.table.columns import replace_values
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table
from cobogo.examine.metrics import Outcome
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr
from cobogo.publish.recode.cells.recovery import count_recoverable
from cobogo.publish.recode.contract.assignment import Assignment
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.cuts.cut import CutAssignment
from cobogo.publish.recode.plans.apply import Moves, assign, distort, drop_tuples, joint_labels, star_tuples
from cobogo.publish.recode.plans.distort import Distortion, Tuple
from cobogo.release import dictionary
from cobogo.release.contract import ROWS
from cobogo.release.manifest import BucketEntry, ColumnEntry, DataEntry, Manifest, MarginalEntry
from cobogo.release.reference import rows_of


@dataclass(frozen=True, eq=False, repr=False)
class Description:
    """What a manifest is made of: the policy, the problem that was solved, the released columns, and what was written.

    A plan fills it in: `Plan.manifest`.
    """

    policy: Policy
    problem: Problem
    columns: tuple[str, ...]
    rows: Path | Table

    @property
    def form(self) -> str:
        """How the names of files end."""
        return self.policy.output.format

    def is_distorted(self, name: str) -> bool:
        """Whether a promise may have changed values of a column."""
        return any(model.distorts and name in model.attributes for model in self.problem.promised)

    def meaning(self, name: str, level: int) -> str:
        """What a column's values mean at a level of its hierarchy."""
        return dictionary.meaning(self.policy.attributes[name], level, top=self._is_top(name, level))

    def manifest(self, columns: Sequence[ColumnEntry], records: int, buckets: BucketEntry | None = None) -> Manifest:
        """Of a released table: its columns in their order, then those of a file beside it."""
        place = {name: number for number, name in enumerate(self.columns)}
        own = sorted((column for column in columns if column.file is None), key=lambda column: place[column.name])
        people = self.policy.data.unit is not None
        return Manifest(
            format="cobogo-release/1",
            data=DataEntry.describe(self.rows, self.policy.data, self.policy.output, records, people=people),
            columns=(*own, *(column for column in columns if column.file is not None)),
            models=(),
            files={},
            buckets=buckets,
        )

    def marginal_manifest(self, columns: Sequence[ColumnEntry], records: int, count: str) -> Manifest:
        """Of tables of counts, each of which is a file: there is no released table."""
        files = dict.fromkeys(column.file for column in columns if column.file is not None)
        data, output = self.policy.data, self.policy.output
        return Manifest(
            format="cobogo-release/1",
            data=DataEntry(
                format=output.format,
                separator=data.separator,
                records=records,
                decimal=data.decimal,
                formulas=output.formulas,
                labels="values" if data.labels == "values" else "codes",
            ),
            columns=tuple(columns),
            models=(),
            files={},
            marginals=tuple(MarginalEntry(file=file, count=count) for file in files),
        )

    def _is_top(self, name: str, level: int) -> bool:
        """Whether a column's level is a single ``*``, by its hierarchy and whatever values the data have."""
        spec = self.policy.attributes[name].hierarchy
        if isinstance(spec, MaskHierarchy) and not spec.top:
            return False
        for hierarchy in self.problem.hierarchies:
            if hierarchy.attribute == name:
                return {*hierarchy.labels[level], None} == {SUPPRESSED, None}
        return False


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RecodingPlan(ABC):
    """What every plan says of the release to come.

    ``star``: suppressed records are released with ``*`` in every quasi-identifier; otherwise they are dropped.
    """

    attributes: tuple[str, ...]  # the quasi-identifiers
    suppressed_records: int
    kept: Classes  # with the histograms of all sensitive attributes
    kept_records: Ints  # of each kept class: more than its people where those have several
    records: int  # that the release will have
    classes: int  # that the release will have: those kept, and that of starred records if it is one of its own
    star: bool
    blank: tuple[str, ...] = ()  # columns in which starred records have * beside their quasi-identifiers
    outcome: Outcome  # with all that metrics look at
    levels: Mapping[str, int] = field(default_factory=dict)  # none where each record has its own
    distortions: tuple[Distortion, ...] = ()
    aggregated: Mapping[str, str] = field(default_factory=dict)  # quasi-identifiers that are no longer true, and how
    ranged: tuple[str, ...] = ()  # quasi-identifiers that are released as ranges of numbers
    withheld: Mapping[str, tuple[Tuple, ...]] = field(
        default_factory=dict
    )  # by sensitive attribute, the released tuples whose values are withheld
    warnings: tuple[str, ...] = ()

    hides_identity: ClassVar[bool] = True  # whether a person's tuple leads an attacker to a class, not to the person
    shows_tuples: ClassVar[bool] = True  # whether a class is what has equal released quasi-identifiers
    has_rows: ClassVar[bool] = True  # whether records are released, and not only counts of them

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """The columns of the released table, of those that are not left out."""
        return tuple(kept)

    @abstractmethod
    def recode(self, table: Table, columns: Sequence[str]) -> Expression:
        """The released rows before any value is distorted, in no particular order."""

    def apply(self, table: Table, columns: Sequence[str]) -> Expression:
        """The released rows, in no particular order: columns recoded, suppressed records dropped or starred, values
        distorted where the plan says so."""
        released = self.recode(table, columns)
        for distortion in self.distortions:
            if distortion.attribute in columns:
                released = distort(table.engine, released, self.attributes, distortion)
        return self.blank_rows(table.engine, released)

    def blank_rows(self, engine: Engine, rows: Expression) -> Expression:
        """Released rows, those of suppressed records with ``*`` in the columns of ``blank``."""
        hidden = [name for name in self.blank if name in rows.columns]
        if not hidden or not self.star:
            return rows
        stars = [(SUPPRESSED,) * len(self.attributes)]
        return star_tuples(engine, rows, list(self.attributes), stars, hidden)

    def tables(self, engine: Engine, rows: Callable[[], Expression]) -> dict[str, Expression]:  # noqa: ARG002
        """The released tables, by the names of their files; ``rows`` gives the released rows."""
        return {ROWS: rows()}

    def group_entries(self, about: Description) -> tuple[BucketEntry | None, list[ColumnEntry]]:  # noqa: ARG002
        """The manifest's entry for buckets or groups, and the columns that exist because of them."""
        return None, []

    def manifest(self, about: Description) -> Manifest:
        """What is said of the release, before anything was measured."""
        buckets, added = self.group_entries(about)
        own = {column.name for column in added if column.file is None}
        columns = [self._column(name, about) for name in about.columns if name not in own]
        return about.manifest([*added, *columns], self.records, buckets)

    def _column(self, name: str, about: Description) -> ColumnEntry:
        text, truthful = self.meaning(name, about)
        role = about.policy.attributes[name].role
        if role is Role.IDENTIFIER:  # a column of stars
            return ColumnEntry(name=name, role=role, meaning=text, withheld=True)
        withheld = name in self.withheld or (name in self.blank and role is Role.SENSITIVE)
        return ColumnEntry(
            name=name,
            role=role,
            meaning=dictionary.withheld_meaning(text) if withheld else text,
            level=self.levels.get(name),
            truthful=truthful,
            withheld=withheld,
        )

    def meaning(self, name: str, about: Description) -> tuple[str, bool]:
        """What a column's values mean, and whether each is the collected value or covers it."""
        if about.is_distorted(name):
            return tr("distorted where a value was too frequent: not always what was collected"), False
        if name in self.aggregated:
            return dictionary.aggregated_meaning(self.aggregated[name]), False
        if name in self.ranged:
            return dictionary.RANGES, True
        if self.hides_identity and name in self.attributes and name not in self.levels:
            if about.policy.recoding.kind == "value":
                return dictionary.VALUES, True
            return dictionary.local_meaning(about.policy.attributes[name], alike=self.alike), True
        return about.meaning(name, self.levels.get(name, 0)), True

    def explanation(self) -> str:
        """What recipients must know beside the meaning of each column, as Markdown."""
        return ""

    def faults(self, released: FrequencyTable) -> Iterator[str]:
        """Differences between the file that was read back and the plan: no row may be lost or merged on the way."""
        found, planned = (released.records, len(released.counts)), (self.records, self.classes)
        if found != planned:
            yield tr(
                "the file has {records:,} records in {classes:,} classes; planned were {planned:,} records in "
                "{groups:,} classes",
                records=found[0],
                classes=found[1],
                planned=planned[0],
                groups=planned[1],
            )

    def population_plan(self) -> RecodingPlan | None:
        """The plan that recodes a population's table as this one does; None where the plan covers its own records
        only."""
        return None

    def unshuffled_plan(self) -> RecodingPlan:
        """The plan without the shuffling of slices."""
        return self

    def shuffle(self, engine: Engine, rows: Expression) -> Expression:  # noqa: ARG002
        """Shuffle the slices of rows that `unshuffled_plan` released."""
        return rows

    def level_shares(self) -> dict[str, list[float]]:
        """For each quasi-identifier, the share of the kept records that have it at each level of its hierarchy."""
        return {}

    def people(self, classes: Classes) -> Classes:
        """The classes that are people, of those that were read back."""
        return classes

    def tuples(self, released: FrequencyTable, original: FrequencyTable, table: Table) -> FrequencyTable:  # noqa: ARG002
        """The frequency table of the released quasi-identifiers: the original one, where classes are not tuples."""
        return released if self.shows_tuples else original

    def to_json(self) -> dict[str, Any]:
        """The plan as the registry stores it, to be applied to other rows; only its kind, where it cannot be."""
        return {"kind": "full-domain", "levels": dict(self.levels), "star": self.star}

    @property
    def counterfeits(self) -> int:
        """How many released records nobody stands behind."""
        return 0

    @property
    def class_columns(self) -> tuple[str, ...]:
        """The columns by which the registry distinguishes classes."""
        return self.attributes

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that records of a class have in common."""
        return self.attributes

    @property
    def alike(self) -> bool:
        """Whether equal values are treated alike, unless their record is suppressed."""
        return True


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FullDomainPlan(RecodingPlan):
    """A full-domain recoding: a level per quasi-identifier, and the released tuples to be suppressed."""

    recodings: Mapping[str, Mapping[Label, Label]]  # original → released, for the attributes above level 0
    suppressed: tuple[tuple[Label, ...], ...]  # released tuples

    def recode(self, table: Table, columns: Sequence[str]) -> Expression:
        """The columns are recoded value by value; suppressed records are dropped or starred."""
        engine, names, released = table.engine, list(self.levels), table.expression.select(list(columns))
        for attribute, recoding in self.recodings.items():
            released = replace_values(engine, released, attribute, recoding)
        for attribute, tuples in self.withheld.items():
            if attribute in columns:
                released = star_tuples(engine, released, names, tuples, [attribute])
        if not self.suppressed:
            return released
        if self.star:
            released = star_tuples(engine, released, names, self.suppressed, names)
        else:
            released = drop_tuples(engine, released, names, self.suppressed)
        return released.select(list(columns))

    def population_plan(self) -> RecodingPlan:
        """This plan without suppression: the only one that determines what becomes of other tables' values."""
        return replace(self, suppressed=(), distortions=())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LocalPlan(RecodingPlan):
    """A local recoding: which records of which tuple are released as what."""

    assignment: Assignment

    def recode(self, table: Table, columns: Sequence[str]) -> Expression:
        """Each record by its class."""
        return assign(table, self.moves, columns)

    def faults(self, released: FrequencyTable) -> Iterator[str]:
        """The file must have exactly the classes of the assignment, and every record's values must generalize its own.

        Rows do not show whose they are. But the assignment gives every original record a class whose values generalize
        its own, and the file has exactly those classes, of those sizes.
        """
        yield from super().faults(released)
        yield from self.assignment.faults()
        if self.assignment.hides and count_recoverable(self.assignment):
            yield tr("a suppressed cell can be deduced from the rest of the release")
        sizes = enumerate(self.assignment.sizes.tolist())
        expected = Counter({self.assignment.released_tuple(number): size for number, size in sizes})
        if self.star:
            expected[(SUPPRESSED,) * len(self.attributes)] += self.suppressed_records
        if tuple_counts(released) != expected:
            yield tr("the classes of the file are not those that were planned")

    def level_shares(self) -> dict[str, list[float]]:
        return self.assignment.level_shares()

    def to_json(self) -> dict[str, Any]:
        """Each class's levels, and its values there."""
        assignment = self.assignment
        values = [
            [tree.labels[level][tree.maps[level][leaf]] for level, leaf in zip(levels, leaves, strict=True)]
            for tree, levels, leaves in zip(
                assignment.problem.hierarchies, assignment.levels.T.tolist(), assignment.leaves.T.tolist(), strict=True
            )
        ]
        return {
            "kind": "aggregated" if self.aggregated else "local",
            "attributes": list(self.attributes),
            "levels": assignment.levels.tolist(),
            "values": values,
            "star": self.star,
        }

    @property
    def alike(self) -> bool:
        """True of an assignment that is a cut through the hierarchies."""
        return isinstance(self.assignment, CutAssignment)

    @property
    def moves(self) -> Moves:
        """Each record's quasi-identifiers are replaced by those of its class."""
        a = self.assignment
        released = dict(zip(self.attributes, a.names, strict=True))
        known = joint_labels(a.problem.table, a.values)
        return Moves(a.problem, a.tuples, a.owners, a.counts, a.values, known, released, star=self.star)


def released_trees(policy: Policy, problem: Problem, released: FrequencyTable) -> dict[str, list[list[Label]]]:
    """The hierarchies of sensitive attributes that a model looks at, for the released values alone."""
    trees = {}
    for name, domain in released.domains.items():
        tree = problem.table.domains[name].hierarchy
        if tree is not None and name in problem.histograms_needed:
            rows = rows_of(tree, domain.labels)
            masked = isinstance(policy.attributes[name].hierarchy, MaskHierarchy)
            trees[name] = _differing(rows) if masked else rows
    return trees


def _differing(levels: list[list[Label]]) -> list[list[Label]]:
    """Levels without those that equal the one below: masks are as long as the longest value, which may be
    suppressed."""
    return [level for number, level in enumerate(levels) if not number or level != levels[number - 1]]


def tuple_counts(table: FrequencyTable) -> Counter[Tuple]:
    """How many records have each released tuple."""
    return Counter({table.tuple_labels(number): count for number, count in enumerate(table.counts.tolist())})


def group_faults(released: FrequencyTable, names: NDArray[np.object_], sizes: Ints) -> Iterator[str]:
    """Differences between the groups that were read back, with their sizes, and the planned ones."""
    planned = dict(zip(names.tolist(), sizes.tolist(), strict=True))
    if {released.tuple_labels(n)[0]: count for n, count in enumerate(released.counts.tolist())} != planned:
        yield tr("the buckets of the file are not those that were planned")


def free_name(wanted: str, taken: Sequence[str]) -> str:
    """A name for an added column that no other column has."""
    names = {name.casefold() for name in taken}
    while wanted in names:
        wanted += "_"
    return wanted
