"""A release: the answer to a policy, not yet written. Writing it verifies it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.classes import Classes
from cobogo.data.policy import Policy, Role
from cobogo.data.table.engine import Engine, Expression
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.lookup import unused_names
from cobogo.data.table.read import Table
from cobogo.errors import OutputError
from cobogo.examine import metrics
from cobogo.floor.brief import brief
from cobogo.floor.stopwatch import Stopwatch
from cobogo.publish.apply import apply
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import AnySolution
from cobogo.publish.recode.plan import BucketPlan, FullDomainPlan, MarginalPlan, Plan
from cobogo.publish.series import Series
from cobogo.release.reference import Original, Reference
from cobogo.release.shuffle import shuffled

if TYPE_CHECKING:
    from cobogo.publish.registry.book import RegistryBook

ROWS = "release"
"""What the file of the released rows is called."""

VALUES = "sensitive"
"""What the file of the sensitive values is called, where they are apart from the released table."""


@dataclass(eq=False, repr=False)
class Release:
    """What `cobogo.anonymize` returns. Nothing has been written; the rows are computed when they are asked for."""

    policy: Policy
    table: Table
    problem: Problem
    solution: AnySolution
    plan: Plan
    warnings: tuple[str, ...]
    populations: dict[str, Table] = field(default_factory=dict)
    series: Series | None = None  # that it goes on with, or begins
    seconds: dict[str, float] = field(default_factory=dict)
    book: RegistryBook | None = None  # of the registry that it will be checked against and entered in
    registered: str | None = None  # the id under which it is there, when it is written

    def __repr__(self) -> str:
        records = self.problem.scale.records
        return brief(
            self,
            f"{self.solution.algorithm}, {self.metric} {self.solution.value:.4g}",
            f"{self.suppressed:,} of {records:,} records suppressed",
            f"{len(self.plan.kept_records):,} classes from {int(self.plan.kept_records.min()):,}",
            *map(str, self.problem.promised),
        )

    def _repr_html_(self) -> str:
        """The report's figures, for a notebook; no value of the data."""
        from cobogo.tell.report.story import figures

        return figures(self)

    @property
    def engine(self) -> Engine:
        """What writes it."""
        return self.table.engine

    @property
    def levels(self) -> dict[str, int]:
        """The level of each quasi-identifier; none where each record has its own."""
        return dict(self.plan.levels)

    @property
    def suppressed(self) -> int:
        """How many records were suppressed."""
        return self.plan.suppressed_records

    @property
    def metrics(self) -> dict[str, float | None]:
        """What was lost, by every metric."""
        return metrics.measure(self.plan.outcome, self.problem.scale)

    @property
    def metric(self) -> str:
        """What the solution's value is of: the metric asked for, or what its algorithm goes by."""
        return self.solution.metric or self.problem.metric.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The released columns, in the order of the input: all but the identifiers."""
        gone = set(self.policy.with_role(Role.IDENTIFIER))
        return self.plan.columns([name for name in self.table.columns if name not in gone])

    def reference(self) -> Reference:
        """What verification compares the released file with, counted in the engine from the table and the plan."""
        quasi, sensitive = self.plan.key, self.policy.sensitive
        whole = self.problem.table
        domains = whole.domains
        people, withheld = None, {}
        hidden = [name for name in domains if name not in sensitive]
        if whole.people is not None or hidden:
            unit = self.policy.data.unit if whole.people is not None else None
            columns = tuple(dict.fromkeys(name for name in (*self.columns, *hidden, unit) if name is not None))
            applied = replace(self.table, expression=apply(self.table, self.plan, columns))
            counted = frequency_table(applied, quasi, (*sensitive, *hidden), unit=unit, named=True).against(domains)
            if whole.people is None:
                withheld = {name: counted.histograms[name] for name in hidden}
            else:
                people = self._people(counted)
        populations = {}
        if isinstance(self.plan, FullDomainPlan):  # the only one that tells what becomes of other tables' values
            recoded = replace(self.plan, suppressed=(), distortions=())
            populations = {
                name: frequency_table(replace(table, expression=apply(table, recoded, quasi)), quasi, [])
                for name, table in self.populations.items()
            }
        original = None
        if any(model.needs_members for model in self.problem.promised):
            original = Original(self.problem.table, self.problem.hierarchies, self.plan.levels, self.plan.star)
        return Reference(domains, people, withheld, populations, original)

    def _people(self, counted: FrequencyTable) -> Classes:
        """The released classes with their people counted; who they are is kept where the release is one of a series."""
        everybody, there = self.problem.table.people, counted.people
        assert everybody is not None
        assert there is not None
        classes = replace(counted.classes(), total=len(everybody.names), people=None)
        if self.series is None:
            return classes
        index = {name: code for code, name in enumerate(everybody.names)}
        codes = np.array([index[name] for name in there.names], dtype=np.int32)
        sets = replace(there.sets, values=codes[there.sets.values], domain=everybody.sets.domain)
        return replace(classes, people=sets, earlier=everybody.earlier)

    def rows(self) -> Expression:
        """The released rows as an Ibis expression, in random order."""
        if isinstance(self.plan, MarginalPlan):
            raise OutputError("marginals have no rows", remedy="Ask for their tables: release.tables().")
        engine, plan = self.table.engine, self.plan
        if self.policy.registry is None:
            return engine.in_random_order(apply(self.table, plan, self.columns))
        rows = self.traced.select(list(self.columns))
        if isinstance(plan, BucketPlan) and plan.slices:
            rows = shuffled(engine, rows, plan.group, plan.slices)
        return engine.in_random_order(rows)

    @property
    def mark(self) -> str:
        """The column of `traced` that tells records again."""
        return unused_names([*self.table.columns, *self.columns], 1)[0]

    @cached_property
    def traced(self) -> Expression:
        """The rows to be released, each with what tells its record again in another release: the unit, or all that was
        read of it. Computed once, so that what the registry keeps is what was written."""
        table = self.table
        identity = telling(table, self.policy.data.unit)
        marked = replace(table, expression=table.expression.mutate(**{self.mark: identity}))
        plan = replace(self.plan, slices=()) if isinstance(self.plan, BucketPlan) else self.plan
        columns = dict.fromkeys((*self.columns, *self.policy.sensitive, self.mark))
        return table.engine.kept(apply(marked, plan, list(columns)))

    def tables(self) -> dict[str, Expression]:
        """What is released, by the names of the files: one table of rows, that of buckets' values, or marginals."""
        if isinstance(self.plan, MarginalPlan):
            return self._marginals(self.plan)
        values = self._values()
        return {ROWS: self.rows()} | ({} if values is None else {VALUES: values})

    def _marginals(self, plan: MarginalPlan) -> dict[str, Expression]:
        """The marginals, each in random order."""
        import pyarrow as pa

        engine, found = self.table.engine, {}
        for number, marginal in enumerate(plan.margins.marginals, start=1):
            columns = {}
            for name in marginal.attributes:
                labels = pa.array(list(plan.margins.labels[name]), pa.string())
                columns[name] = labels.take(pa.array(marginal.column(name)))
            columns[plan.count] = pa.array([str(count) for count in marginal.counts.tolist()], pa.string())
            found[f"marginal-{number}"] = engine.in_random_order(engine.lookup(pa.table(columns)))
        return found

    def _values(self) -> Expression | None:
        """The sensitive values of buckets, counted, in random order; None where the released table holds them."""
        if not isinstance(self.plan, BucketPlan) or self.plan.slices:
            return None
        import pyarrow as pa

        buckets = self.plan.buckets
        histogram = buckets.histogram
        labels = pa.array(list(histogram.domain.labels), pa.string())
        table = pa.table(
            {
                self.plan.group: pa.array(buckets.names[histogram.owners].tolist(), pa.string()),
                buckets.attribute: labels.take(pa.array(histogram.values)),
                self.plan.count: pa.array([str(count) for count in histogram.counts.tolist()], pa.string()),
            }
        )
        engine = self.table.engine
        return engine.in_random_order(engine.lookup(table))

    def to_pandas(self) -> Any:
        """The released rows as a pandas frame."""
        return self.rows().to_pandas()

    def to_polars(self) -> Any:
        """The released rows as a polars frame (polars must be installed)."""
        return self.rows().to_polars()

    def to_arrow(self) -> Any:
        """The released rows as an Arrow table."""
        return self.rows().to_pyarrow()

    def utility(self, **asked: Any) -> dict[str, Any]:
        """What can still be done with the release: errors of counting queries, accuracy of models that learn a label,
        distances of distributions and associations.

        ``queries``, ``selectivity``, ``label`` and ``seed`` are those of the policy's table ``[utility]`` if not given.
        """
        from cobogo.examine.utility.utility import utility

        return utility(self, self.policy.asked_utility(asked))

    @cached_property
    def reported_utility(self) -> dict[str, Any] | None:
        """The same as the policy asks for it; None where it does not."""
        return None if self.policy.utility is None else self.utility()

    def write(self, directory: str | Path) -> Any:
        """Write the release and its evidence, verify it from what was written, and put it in place at once.

        Returns the `Verdict`. Raises, leaving nothing behind, if the verification fails.
        """
        from cobogo.publish.write import write

        return write(self, Path(directory))

    def timed(self, stage: str) -> Stopwatch:
        """Add what a block takes to the seconds of a stage."""
        return Stopwatch(self.seconds, stage)


def telling(table: Table, unit: str | None) -> Expression:
    """A column that tells a table's records again in another one: the unit, or all that was read of them."""
    return table.engine.line(table.expression, ",") if unit is None else table.text(unit)
