"""A recoding as a release: the problem, the solution that was found, and the plan that releases it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cobogo.data.classes import Classes
from cobogo.data.engines.engine import Engine, Expression
from cobogo.data.hierarchy import SUPPRESSED, Hierarchy
from cobogo.data.hierarchy.intervals import interval_bounds
from cobogo.data.policy import HierarchySpec, IntervalsHierarchy, Policy, Role
from cobogo.data.table.columns import unused_names
from cobogo.data.table.frames import Categories
from cobogo.data.table.frequency import FrequencyTable, count_values, frequency_table
from cobogo.data.table.read import Table
from cobogo.errors import RegistryError
from cobogo.examine import metrics
from cobogo.floor.progress import Progress
from cobogo.promises.models.check import check, models_given_away, withheld_refusal
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import AnySolution
from cobogo.publish.recode.plans.base import Description, RecodingPlan, released_trees
from cobogo.publish.recode.plans.groups import CounterfeitPlan
from cobogo.release import manifest as manifests
from cobogo.release import public_models
from cobogo.release.contract import Json, ReadBack, Release, Transformation, Verdict
from cobogo.release.evidence import digest
from cobogo.release.manifest import RECODING, Manifest
from cobogo.release.readback import count_released_rows
from cobogo.release.reference import (
    Baseline,
    OriginalTable,
    counterfeit_problems,
    domain_to_json,
    histogram_to_json,
    people_to_json,
)
from cobogo.release.series import ReleaseSeries

if TYPE_CHECKING:
    from cobogo.publish.registry.book import RegistryBook
    from cobogo.tell.report.content import RecodingCost, Way


@dataclass(frozen=True, eq=False, repr=False)
class RecodedReadBack(ReadBack):
    """With the released rows counted, the classes as the models see them, and what they are compared with."""

    released: FrequencyTable
    classes: Classes
    reference: Baseline


@dataclass(eq=False, repr=False)
class Recoded(Transformation):
    """Quasi-identifiers recoded, and records suppressed, until the models of a policy hold."""

    policy: Policy
    table: Table
    problem: Problem
    solution: AnySolution
    plan: RecodingPlan
    populations: Mapping[str, Table] = field(default_factory=dict)
    series: ReleaseSeries | None = None  # that it goes on with, or begins
    book: RegistryBook | None = None  # of the registry that it will be checked against and entered in
    registered: str | None = None  # the id under which it is there, when it is written

    kind: ClassVar[str] = RECODING
    reporter: ClassVar[str] = "cobogo.publish.recode.story:write_report"

    def summary(self, release: Release) -> tuple[str, ...]:  # noqa: ARG002
        """What was done, what was lost, and the classes that are left."""
        kept = self.plan.kept_records
        return (
            f"{self.solution.algorithm}, {self.metric} {self.solution.value:.4g}",
            f"{self.suppressed:,} of {self.problem.scale.records:,} records suppressed",
            f"{len(kept):,} classes from {int(kept.min()):,}",
            *map(str, self.problem.promised),
        )

    def figures(self, release: Release) -> str:
        """Those of the report."""
        from cobogo.publish.recode.story import figures

        assert isinstance(release, AnonymizedRelease)
        return figures(release)

    @property
    def levels(self) -> dict[str, int]:
        """The level of each quasi-identifier; none where each record has its own."""
        return dict(self.plan.levels)

    @property
    def suppressed(self) -> int:
        """The number of records that were suppressed."""
        return self.plan.suppressed_records

    @property
    def metrics(self) -> dict[str, float | None]:
        """What was lost, by every metric."""
        return metrics.measure(self.plan.outcome, self.problem.scale)

    @cached_property
    def cost(self) -> RecodingCost | None:
        """What it cost, column by column, and whom suppression hit; None where no quasi-identifier is generalized."""
        from cobogo.publish.recode.cost import measure

        return measure(self.problem, self.plan)

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """Changes of the policy that would keep more detail, and how much."""
        from cobogo.publish.recode.cost import propose

        return propose(self.problem, self.solution)

    @property
    def metric(self) -> str:
        """What the solution's value is of: the metric asked for, or what its algorithm goes by."""
        return self.solution.metric or self.problem.metric.name

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...] | None:
        """The hierarchies that all released values are of; None where some are numbers of groups, or ranges."""
        plain = self.plan.hides_identity and not self.plan.aggregated and not self.plan.ranged
        return self.problem.hierarchies if plain else None

    @property
    def stars(self) -> bool:
        """As the policy asks."""
        return self.policy.output.suppressed != "drop"

    @property
    def group_columns(self) -> tuple[str, ...]:
        """That of groups with counterfeits."""
        return (self.plan.group,) if isinstance(self.plan, CounterfeitPlan) else ()

    def categories(self) -> dict[str, Categories]:
        """The labels of the recoded quasi-identifiers, from the finest level to the coarsest."""
        return {
            name: _categories(tree, self.policy, self.policy.attributes[name].hierarchy)
            for name, tree in zip(self.policy.quasi_identifiers, self.problem.hierarchies, strict=True)
            if self.levels.get(name) != 0
        }

    def explanation(self) -> str:
        """What the plan says of itself."""
        return self.plan.explanation()

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:
        """Those of the plan."""
        return self.plan.columns(kept)

    @property
    def recoded_columns(self) -> tuple[str, ...]:
        """The columns that show anything, in the order of the input: all but the identifiers."""
        gone = set(self.policy.with_role(Role.IDENTIFIER))
        return self.plan.columns([name for name in self.table.columns if name not in gone])

    @property
    def released_columns(self) -> tuple[str, ...]:
        """The released columns: with ``suppressed = "star-all"`` the identifiers, too, which are * in every row."""
        shown = self.recoded_columns
        if not self.starred_identifiers:
            return shown
        own = [name for name in self.table.columns if name in shown or name in self.starred_identifiers]
        return (*own, *(name for name in shown if name not in own))

    @property
    def starred_identifiers(self) -> tuple[str, ...]:
        """The identifiers that are released as columns of stars."""
        if self.policy.output.suppressed != "star-all" or not self.plan.has_rows:
            return ()
        return tuple(self.policy.with_role(Role.IDENTIFIER))

    def _with_identifiers(self, rows: Expression) -> Expression:
        """Released rows with the starred identifiers among them; no original value is ever selected."""
        stars = {name: self.table.engine.constant(SUPPRESSED) for name in self.starred_identifiers}
        return rows.mutate(**stars).select(list(self.released_columns)) if stars else rows

    def engine(self, release: Release) -> Engine:  # noqa: ARG002
        """The engine of the original: what it holds need not leave it."""
        return self.table.engine

    def record_count(self, release: Release) -> int:  # noqa: ARG002
        """As planned."""
        return self.plan.records

    def apply(self) -> Table:
        """The released rows, in no particular order, computed by the engine whenever they are looked at."""
        rows = self.plan.apply(self.table, self.recoded_columns)
        return replace(self.table, expression=self._with_identifiers(rows))

    def draw(self, release: Release) -> Table:  # noqa: ARG002
        """The plan applied; with a registry, to rows that are computed once."""
        if self.policy.registry is None or not self.plan.has_rows:
            return self.apply()
        rows = self.traced.select(list(self.recoded_columns))
        rows = self.plan.blank_rows(self.table.engine, self.plan.shuffle(self.table.engine, rows))
        return replace(self.table, expression=self._with_identifiers(rows))

    def tables(self, release: Release) -> dict[str, Expression]:
        """Those of the plan: one table of rows, that of buckets' values, or marginals."""
        return self.plan.tables(self.table.engine, release.rows)

    @property
    def mark(self) -> str:
        """The column of `traced` that tells records again."""
        return unused_names([*self.table.columns, *self.released_columns], 1)[0]

    @cached_property
    def traced(self) -> Expression:
        """The rows to be released, each with what tells its record again in another release: the unit, or all that was
        read of it. Computed once, so that what the registry keeps is what was written."""
        identity = identity_column(self.table, self.policy.data.unit)
        marked = replace(self.table, expression=self.table.expression.mutate(**{self.mark: identity}))
        columns = dict.fromkeys((*self.recoded_columns, *self.policy.sensitive, self.mark))
        shown = replace(self.plan.unshuffled_plan(), blank=())  # the registry takes blanked values for known ones
        return self.table.engine.materialize(shown.apply(marked, list(columns)))

    def manifest(self, release: Release, rows: Path | Table) -> Manifest:  # noqa: ARG002
        """What the plan says of itself."""
        return self.plan.manifest(Description(self.policy, self.problem, self.released_columns, rows))

    def read_back(self, release: Release, rows: Path | Table, public: Path) -> RecodedReadBack:  # noqa: ARG002
        """The released classes must satisfy every model, and be those that were planned."""
        unsigned = self.manifest(release, rows)
        released = count_released_rows(rows, unsigned, self.plan.key, self.policy.sensitive)
        reference = self.reference()
        classes = reference.classes(released)
        verdicts = check(self.problem.promised, classes)
        problems = (
            [withheld_refusal(model) for model in models_given_away(self.problem.models, classes)]
            if self.plan.withheld
            else []
        )
        problems += [
            *counterfeit_problems(released, unsigned.counterfeits, reference.people),
            *self.plan.faults(released),
        ]
        described = unsigned.model_copy(update={"trees": released_trees(self.policy, self.problem, released)})
        models = public_models.public_entries(verdicts, released, described, reference)
        verdict = Verdict(verdicts, tuple(problems), released.records, len(released.counts))
        return RecodedReadBack(described, verdict, models, released, classes, reference)

    def reference(self) -> Baseline:
        """What verification compares the released file with, counted in the engine from the table and the plan."""
        quasi, sensitive = self.plan.key, self.policy.sensitive
        whole = self.problem.table
        domains = whole.domains
        people, withheld = None, {}
        hidden = [name for name in domains if name not in sensitive]
        if whole.people is not None or hidden:
            unit = self.policy.data.unit if whole.people is not None else None
            names = (*self.recoded_columns, *hidden, unit)
            columns = tuple(dict.fromkeys(name for name in names if name is not None))
            applied = replace(self.table, expression=self.plan.apply(self.table, columns))
            counted = frequency_table(applied, quasi, (*sensitive, *hidden), unit=unit, named=True).against(domains)
            if whole.people is None:
                withheld = {name: counted.histograms[name] for name in hidden}
            else:
                people = self._people(counted)
        original = None
        if any(model.needs_members for model in self.problem.promised):
            original = OriginalTable(self.problem.table, self.problem.hierarchies, self.plan.levels, self.plan.star)
        return Baseline(domains, people, withheld, self._recode_populations(quasi), original)

    def _recode_populations(self, quasi: tuple[str, ...]) -> dict[str, FrequencyTable]:
        plan = self.plan.population_plan()
        if plan is None:
            return {}
        return {
            name: frequency_table(replace(table, expression=plan.apply(table, quasi)), quasi, [])
            for name, table in self.populations.items()
        }

    def _people(self, counted: FrequencyTable) -> Classes:
        """The released classes with their people counted; who they are is kept where the release is one of a series."""
        everybody, there = self.problem.table.people, counted.people
        assert everybody is not None
        assert there is not None
        classes = replace(counted.classes(), total=len(everybody.names), people=None)
        if self.series is None:
            return classes
        index = {name: code for code, name in enumerate(everybody.names)}
        codes = np.array([index.get(name, -1) for name in there.names], dtype=np.int32)[there.sets.values]
        real = codes >= 0  # nobody stands behind a counterfeit
        ones = np.ones(int(real.sum()), dtype=np.int64)
        sets = count_values(there.sets.owners[real], codes[real], ones, len(classes), everybody.sets.domain)
        return replace(classes, sizes=sets.distinct, people=sets, earlier=everybody.earlier)

    def evidence(self, release: Release, read: ReadBack) -> Json:  # noqa: ARG002
        """What later verifications compare with: distributions, people, what is withheld, the series."""
        assert isinstance(read, RecodedReadBack)
        key, table, reference = secrets.token_bytes(32), self.problem.table, read.reference
        series, pseudonyms = self._series_after(reference)
        return {
            "input": {"key": key.hex(), "digest": digest(key, table), "records": table.records},
            "levels": self.levels,
            "star": self.plan.star,
            "reference": {name: domain_to_json(domain) for name, domain in reference.domains.items()},
            "withheld": {name: histogram_to_json(histogram) for name, histogram in reference.withheld.items()},
            "people": None if reference.people is None else people_to_json(reference.people, pseudonyms),
            "series": None if series is None else series.to_json(),
            "registered": self.registered,
        }

    def _series_after(self, reference: Baseline) -> tuple[ReleaseSeries | None, list[str | None] | None]:
        """The series as it is with this release, if it is one of a series, and who its people are there."""
        people, series = self.problem.table.people, self.series
        if series is None or reference.people is None or people is None:
            return series, None
        pseudonyms = [series.pseudonym(name) for name in people.names]
        kept = [model for model in self.problem.promised if model.needs_people]
        return series.add_release(kept, reference.people, pseudonyms), pseudonyms

    @contextmanager
    def record(
        self, release: Release, read: ReadBack, public: Path, directory: Path, progress: Progress
    ) -> Iterator[None]:
        """Check the release against earlier ones and enter it in the registry, if the policy names one."""
        if self.book is None:
            yield
            return
        assert isinstance(read, RecodedReadBack)
        assert isinstance(release, AnonymizedRelease)
        progress("check", 0, 0)
        signed = manifests.sha256(public / manifests.NAME)
        self.registered = self.book.enter(release, self._series_after(read.reference)[0], signed, directory)
        try:
            yield
        except BaseException:
            with suppress(RegistryError):  # what went wrong first is what matters
                self.book.withdraw(self.registered)
            raise
        self.book.finish(self.registered)

    def utility(self, **asked: Any) -> dict[str, Any]:
        """What can still be done with the release: errors of counting queries, accuracy of models that learn a label,
        distances of distributions and associations.

        ``queries``, ``selectivity``, ``label`` and ``seed`` are those of the policy's table ``[utility]`` if not given.
        """
        from cobogo.examine.utility import measure_utility

        return measure_utility(self, self.policy.utility_with(asked))

    @cached_property
    def reported_utility(self) -> dict[str, Any] | None:
        """The same as the policy asks for it; None where it does not."""
        return None if self.policy.utility is None else self.utility()


class AnonymizedRelease(Release):
    """A release that is a recoding: what was asked, what was found, how it is carried out and what it costs."""

    transformation: Recoded

    @property
    def problem(self) -> Problem:
        """What was searched: the counted table, the hierarchies, the models and the metric."""
        return self.transformation.problem

    @property
    def solution(self) -> AnySolution:
        """What the search found."""
        return self.transformation.solution

    @property
    def plan(self) -> RecodingPlan:
        """What happens to each value or tuple."""
        return self.transformation.plan

    @property
    def levels(self) -> dict[str, int]:
        """The level of each quasi-identifier; empty where each record has its own."""
        return self.transformation.levels

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...] | None:
        """The hierarchies that all released values belong to; None where some belong to none."""
        return self.transformation.hierarchies

    @property
    def suppressed(self) -> int:
        """The number of suppressed records."""
        return self.transformation.suppressed

    @property
    def metric(self) -> str:
        """The metric of the solution's value."""
        return self.transformation.metric

    @property
    def metrics(self) -> dict[str, float | None]:
        """What was lost, by every metric."""
        return self.transformation.metrics

    @property
    def book(self) -> RegistryBook | None:
        """The registry's book that the release is checked against and entered in."""
        return self.transformation.book

    @property
    def registered(self) -> str | None:
        """The id of the release in the registry, once it is written."""
        return self.transformation.registered

    def apply(self) -> Table:
        """The released rows."""
        return self.transformation.apply()

    def utility(self, **asked: Any) -> dict[str, Any]:
        """What can still be done with the release: see `Recoded.utility`."""
        return self.transformation.utility(**asked)


def _categories(tree: Hierarchy, policy: Policy, spec: HierarchySpec | None) -> Categories:
    order = [label for labels in tree.labels for label in labels]
    if not isinstance(spec, IntervalsHierarchy):
        return Categories(order)
    decimal = spec.decimal or policy.data.decimal
    coarse = [label for labels in tree.labels[1:] for label in labels if label is not None]  # a leaf is a number
    known = {label: interval_bounds(label, decimal) for label in coarse}
    return Categories(order, {label: bounds for label, bounds in known.items() if bounds is not None})


def identity_column(table: Table, unit: str | None) -> Expression:
    """A column that tells a table's records again in another one: the unit, or all that was read of them."""
    return table.engine.line(table.expression, ",") if unit is None else table.text(unit)


def check_against_earlier(release: AnonymizedRelease) -> None:
    """Refuse a recoding that would expose people together with earlier ones; writing it does so, too."""
    made = release.transformation
    if made.book is not None:
        from cobogo.publish.registry.check import refuse

        refuse(made.book.breaches(release), made.policy.name)
