"""The plan: what to do to each value or record and what to suppress, in a form that an engine applies by join."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from cobogo.data.classes import Classes
from cobogo.data.hierarchy import Label
from cobogo.examine.metrics import Outcome
from cobogo.floor.arrays import Ints
from cobogo.publish.recode.buckets.bucketed import Buckets
from cobogo.publish.recode.contract.assignment import Assignment
from cobogo.publish.recode.cuts.cut import CutAssignment
from cobogo.publish.recode.distort import Distortion, Tuple
from cobogo.publish.recode.marginals.margins import Margins
from cobogo.publish.recode.moves import Moves, named
from cobogo.publish.recode.partition.condensation import Condensed


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Plan:
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
    outcome: Outcome  # with all that metrics look at
    levels: Mapping[str, int] = field(default_factory=dict)  # none where each record has its own
    distortions: tuple[Distortion, ...] = ()
    aggregated: Mapping[str, str] = field(default_factory=dict)  # quasi-identifiers that are no longer true, and how
    ranged: tuple[str, ...] = ()  # quasi-identifiers that are released as ranges of numbers
    withheld: Mapping[str, tuple[Tuple, ...]] = field(
        default_factory=dict
    )  # by sensitive attribute, the released tuples whose values are not told
    warnings: tuple[str, ...] = ()

    hides_identity: ClassVar[bool] = True  # whether whoever knows a person's tuple finds a class, and not the person
    shows_tuples: ClassVar[bool] = True  # whether a class is what has equal released quasi-identifiers

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """The columns of the released table, of those that are not left out."""
        return tuple(kept)

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that records of a class have in common."""
        return self.attributes

    @property
    def alike(self) -> bool:
        """Whether equal values are treated alike, unless their record is suppressed."""
        return True


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FullDomainPlan(Plan):
    """Of a full-domain recoding: a level per quasi-identifier, and the released tuples to be suppressed."""

    recodings: Mapping[str, Mapping[Label, Label]]  # original → released, for the attributes above level 0
    suppressed: tuple[tuple[Label, ...], ...]  # released tuples


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LocalPlan(Plan):
    """Of a local recoding: which records of which tuple are released as what."""

    assignment: Assignment

    @property
    def alike(self) -> bool:
        """Of an assignment that is a cut through the hierarchies."""
        return isinstance(self.assignment, CutAssignment)

    @property
    def moves(self) -> Moves:
        """Each record's quasi-identifiers are replaced by those of its class."""
        a = self.assignment
        released = dict(zip(self.attributes, a.names, strict=True))
        joint = a.problem.table.joint
        told = {}
        if a.values is not None and joint is not None:
            codes = joint.codes[a.values].T
            told = {name: named(known, code) for (name, known), code in zip(joint.labels.items(), codes, strict=True)}
        return Moves(a.problem, a.tuples, a.owners, a.counts, a.values, told, released, star=self.star)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BucketPlan(Plan):
    """Of buckets: tuples are released as they are, with the name of their bucket, and apart from them each bucket's
    sensitive values, counted. With ``slices`` all is in one table, and each slice is shuffled within the buckets."""

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

    @property
    def moves(self) -> Moves:
        """Each record gets the name of its bucket."""
        b = self.buckets
        told = {}
        if b.values is not None:
            told = {b.attribute: named(b.problem.table.domains[b.attribute].labels, b.values)}
        return Moves(b.problem, b.tuples, b.owners, b.counts, b.values, told, {self.group: b.names}, star=False)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MarginalPlan(Plan):
    """Of marginals: tables of counts, and no records."""

    margins: Margins
    count: str  # the column that counts records

    shows_tuples: ClassVar[bool] = False

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """There is no table of records."""
        return ()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CondensedPlan(Plan):
    """Of groups whose records are released with values drawn for each, and the name of their group."""

    assignment: Condensed
    group: str  # the column that names the group

    shows_tuples: ClassVar[bool] = False

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """With the column that names the group."""
        return (*kept, self.group)

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


def free_name(wanted: str, taken: Sequence[str]) -> str:
    """A name for a column of our own that no other has."""
    names = {name.casefold() for name in taken}
    while wanted in names:
        wanted += "_"
    return wanted
