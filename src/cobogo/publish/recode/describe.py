"""What the manifest says of a recoding and of each of its columns, before anything was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cobogo.data.hierarchy import SUPPRESSED, Label
from cobogo.data.policy import MaskHierarchy, Policy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table
from cobogo.publish.recode.contract.problem import Problem
from cobogo.release import dictionary
from cobogo.release.manifest import BucketEntry, Column, DataEntry, Manifest, MarginalEntry
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

    def manifest(self, columns: Sequence[Column], records: int, buckets: BucketEntry | None = None) -> Manifest:
        """Of a released table: its columns in their order, then those of a file beside it."""
        place = {name: number for number, name in enumerate(self.columns)}
        own = sorted((column for column in columns if column.file is None), key=lambda column: place[column.name])
        people = self.policy.data.unit is not None
        return Manifest(
            format="cobogo-release/1",
            data=DataEntry.of(self.rows, self.policy.data, self.policy.output, records, people=people),
            columns=(*own, *(column for column in columns if column.file is not None)),
            models=(),
            files={},
            buckets=buckets,
        )

    def marginal_manifest(self, columns: Sequence[Column], records: int, count: str) -> Manifest:
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
    """Levels without those that are like the one below: the longest value, which may be suppressed, makes them."""
    return [level for number, level in enumerate(levels) if not number or level != levels[number - 1]]
