"""The main job: a policy in, a verified release out. Reads as the list of its stages."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.build import build_for_table, sensitive_trees
from cobogo.data.policy import Policy, Role
from cobogo.data.policy.tables import allowed_records
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table
from cobogo.data.table.rollup import LevelBox, RollUp
from cobogo.data.table.spelling import normalize
from cobogo.errors import (
    NoSolution,
    PolicyError,
    TableTooLarge,
)
from cobogo.examine import metrics
from cobogo.examine.metrics import Metric
from cobogo.examine.utility import learning
from cobogo.floor.language import tr
from cobogo.floor.progress import Progress, show_in_notebook, silent
from cobogo.promises import models
from cobogo.promises.models import Model
from cobogo.promises.population import add_population, open_populations
from cobogo.publish.admission import admit_records, admit_table, check_recoding, open_data, split_arguments
from cobogo.publish.recode import warm
from cobogo.publish.recode.algorithms import ALGORITHMS, Algorithm, invents_records, recodings, releases_one_table
from cobogo.publish.recode.contract.problem import Problem, level_range, required_k
from cobogo.publish.recode.contract.solution import AnySolution
from cobogo.publish.recode.parts import LatticeParts
from cobogo.publish.recode.plans.base import RecodingPlan
from cobogo.publish.recode.plans.planning import plan
from cobogo.publish.recoding import AnonymizedRelease, Recoded
from cobogo.release.contract import Origin
from cobogo.release.series import ReleaseSeries, add_earlier_releases, open_series

if TYPE_CHECKING:
    from cobogo.publish.registry.book import RegistryBook


@dataclass(frozen=True, eq=False, repr=False)
class Prepared:
    """A policy with its data read and counted: all but the search. Several problems can be made of one."""

    policy: Policy
    table: Table
    problem: Problem
    warnings: tuple[str, ...]
    populations: dict[str, Table] = field(default_factory=dict)
    series: ReleaseSeries | None = None
    book: RegistryBook | None = None
    seconds: float = 0.0
    parts: LatticeParts | None = None  # of the lattice that the problem does not cover, where its table would not fit

    @property
    def whole(self) -> bool:
        """Whether the problem covers every level that the policy allows."""
        return self.parts is None


def anonymize(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    engine: str | None = None,
    progress: Progress = show_in_notebook,
) -> AnonymizedRelease:
    """Find the best release that satisfies a policy. Writes nothing.

    ``anonymize(policy)`` reads the policy's own data; ``anonymize(data, policy)`` protects the data given: a path, or
    a frame of pandas, polars, Arrow or Ibis.
    """
    return solve(prepare(data, policy, engine=engine, progress=progress), progress=progress)


def prepare(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    engine: str | None = None,
    progress: Progress = silent,
) -> Prepared:
    """Read and count the data of a policy, build its hierarchies and check what can be checked before the search."""
    data, rules = split_arguments(data, policy)
    book = _open_book(rules)
    if book is not None:
        rules = book.bind_policy(rules)
    wanted, metric = check(rules)
    if rules.utility is not None and rules.utility.label is not None:
        learning.require_learning(f"{rules.name}, utility.label")
    start = time.perf_counter()
    warm.start_for(rules, data)
    progress("read", 0, 0)
    table = data if isinstance(data, Table) else normalize(open_data(data, rules, engine), rules)
    with table.engine.guard("reading and counting"):
        return _prepare_table(rules, table, wanted, metric, book, start)


def check(rules: Policy) -> tuple[tuple[Model, ...], Metric]:
    """The models and the metric of a policy; what can be told wrong without a look at the data is refused here."""
    check_recoding(rules)
    wanted = models.build(rules.models, rules.sensitive, where=rules.name)
    metric = metrics.find_metric(
        rules.recoding.metric, where=rules.name, k=required_k(wanted), label=rules.recoding.label
    )
    _algorithm(rules)
    return wanted, metric


def _algorithm(policy: Policy) -> Algorithm:
    name = policy.recoding.algorithm
    algorithm = ALGORITHMS.find(name, f"{policy.name}, recoding.algorithm")
    kind, known = policy.recoding.kind, recodings(name)
    if kind is not None and kind not in known:
        able = [f'"{other}"' for other in ALGORITHMS if kind in recodings(other)]
        raise PolicyError(
            tr(
                "{name} makes recodings of the kind {known}, and the policy asks for the kind {kind}",
                name=name,
                known=", ".join(known),
                kind=kind,
            ),
            where=f"{policy.name}, recoding.kind",
            remedy=tr("Leave out kind, or choose an algorithm that can: {able}.", able=", ".join(able)),
        )
    if policy.recoding.suppress == "sensitive" and "full-domain" not in known:
        able = [f'"{other}"' for other in ALGORITHMS if "full-domain" in recodings(other)]
        raise PolicyError(
            tr("{name} cannot withhold the sensitive values of a class and keep its records", name=name),
            where=f"{policy.name}, recoding.suppress",
            remedy=tr("Leave out suppress, or choose an algorithm that can: {able}.", able=", ".join(able)),
        )
    return algorithm


def _open_book(policy: Policy) -> RegistryBook | None:
    """The registry's book of a policy that names one, opened before any work is done."""
    if policy.registry is None:
        return None
    from cobogo.publish.registry.book import open_book

    return open_book(policy)


def _prepare_table(
    rules: Policy, table: Table, wanted: tuple[Model, ...], metric: Metric, book: RegistryBook | None, start: float
) -> Prepared:
    """Check a table against its policy, count it, build the hierarchies, and put the problem together."""
    name = rules.recoding.algorithm
    looked_at = admit_table(
        rules, table, wanted, bucketized=not releases_one_table(name), invents=invents_records(name)
    )
    series = open_series(rules, wanted)
    counted, rolled, boxes = _count(rules, wanted, table, looked_at, named=series is not None)
    warnings = admit_records(rules, table, counted)
    counted, populations = _count_populations(rules, wanted, counted)
    hierarchies = tuple(build_for_table(name, rules, table, counted) for name in rules.quasi_identifiers)
    lowest, highest = _levels(rules, hierarchies)
    if book is not None:
        lowest = book.lowest_levels(hierarchies, lowest, highest, rules.name)

    def complete(counted: FrequencyTable) -> FrequencyTable:
        return _add_trees(rules, wanted, add_earlier_releases(counted, wanted, series))

    first, *aside = [box.above(lowest) for box in boxes] or [LevelBox(lowest, highest)]
    parts = None
    if rolled is not None and aside:
        warnings = (*warnings, _parts_warning(table.engine.room_for_counts))
        parts = LatticeParts(rolled, tuple(aside), complete)
    problem = _problem(rules, complete(counted), hierarchies, metric, first).replace_models(wanted)
    table.engine.free_memory()  # the search needs some
    seconds = time.perf_counter() - start
    return Prepared(rules, table, problem, warnings, populations, series, book, seconds, parts)


def _count_populations(
    rules: Policy, wanted: Sequence[Model], counted: FrequencyTable
) -> tuple[FrequencyTable, dict[str, Table]]:
    """The table counted beside the populations that models name, and those."""
    populations = open_populations(rules, wanted)
    for name, population in populations.items():
        counted = add_population(counted, name, population)
    return counted, populations


def _add_trees(rules: Policy, wanted: Sequence[Model], counted: FrequencyTable) -> FrequencyTable:
    """The table counted, with the hierarchies of sensitive values; every model must fit what they are."""
    counted = counted.with_trees(sensitive_trees(rules, counted), rules.data.decimal)
    for model in wanted:
        model.check_domains(counted.domains)
    return counted


def _problem(
    rules: Policy,
    counted: FrequencyTable,
    hierarchies: tuple[Hierarchy, ...],
    metric: Metric,
    box: LevelBox,
) -> Problem:
    attributes = [rules.attributes[name] for name in rules.quasi_identifiers]
    return Problem(
        table=counted,
        hierarchies=hierarchies,
        models=(),
        metric=metric,
        limit=allowed_records(rules.recoding.suppression_limit, counted.records),
        lowest=box.lowest,
        highest=box.highest,
        weights=tuple(a.weight for a in attributes),
        kind=rules.recoding.kind,
        aggregates=tuple(a.aggregate for a in attributes),
        decimal=rules.data.decimal,
        marginals=rules.recoding.marginals,
        withholds=rules.recoding.suppress == "sensitive",
    )


def _count(
    policy: Policy, wanted: Sequence[Model], table: Table, looked_at: Sequence[str], *, named: bool
) -> tuple[FrequencyTable, RollUp | None, list[LevelBox]]:
    """The table counted. Where it has more combinations than fit: counted at the lowest levels of a part of the
    lattice, with what counts it elsewhere, and all parts, that one first."""
    names, unit, label = policy.quasi_identifiers, policy.data.unit, policy.recoding.label
    try:
        joint = "cell" in recodings(policy.recoding.algorithm)
        return frequency_table(table, names, looked_at, unit=unit, label=label, named=named, joint=joint), None, []
    except TableTooLarge as error:
        per_tuple = any(model.populations or model.needs_members for model in wanted)
        if per_tuple or recodings(policy.recoding.algorithm) != ("full-domain",):
            raise TableTooLarge(error.what, where=table.name, remedy=error.remedy) from None
    marginals = {name: frequency_table(table, [name], []) for name in names}
    hierarchies = tuple(build_for_table(name, policy, table, marginals[name]) for name in names)
    rolled = RollUp(table, marginals, hierarchies, looked_at, unit, label, named)
    counted, first, aside = rolled.fit(LevelBox(*_levels(policy, hierarchies)))
    return counted, rolled, [first, *aside]


def _levels(policy: Policy, hierarchies: tuple[Hierarchy, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The lowest and the highest levels that a policy allows."""
    attributes = [policy.attributes[name] for name in policy.quasi_identifiers]
    return level_range(hierarchies, [a.min_level for a in attributes], [a.max_level for a in attributes])


def _parts_warning(most: int) -> str:
    return tr("the data have more than {most:,} distinct combinations: the lattice is searched in parts", most=most)


def solve(prepared: Prepared, *, algorithm: Algorithm | None = None, progress: Progress = silent) -> AnonymizedRelease:
    """Search, by the policy's algorithm or another, and plan the release. Writes nothing."""
    warm.finish(lambda: progress("compile", 0, 0))
    start = time.perf_counter()
    prepared, solution, planned = _search(prepared, algorithm or _algorithm(prepared.policy), progress)
    seconds = {"read": prepared.seconds, "search": time.perf_counter() - start}
    return _release(prepared, solution, planned, seconds)


def _search(prepared: Prepared, algorithm: Algorithm, progress: Progress) -> tuple[Prepared, AnySolution, RecodingPlan]:
    """The best solution that the algorithm finds, what it is of, and the plan that carries it out."""
    rules, parts, limit = prepared.policy, prepared.parts, prepared.policy.recoding.time_limit

    def steps(done: int, total: int) -> None:
        progress("search", done, total)

    solution: AnySolution
    try:
        if parts is None:
            solution = algorithm(prepared.problem, time_limit=limit, progress=steps)
        else:
            with prepared.table.engine.guard("counting"):
                problem, solution = parts.search(prepared.problem, algorithm, time_limit=limit, progress=steps)
            prepared = replace(prepared, problem=problem)
        planned = plan(
            prepared.problem,
            solution,
            star=rules.output.suppressed != "drop",
            blank=_blank_columns(rules),
            taken=prepared.table.columns,
            unit=rules.data.unit,
        )
    except NoSolution as error:
        raise NoSolution(error.what, where=rules.name, remedy=error.remedy) from None
    return prepared, solution, planned


def _blank_columns(rules: Policy) -> tuple[str, ...]:
    """The columns in which suppressed records have * beside their quasi-identifiers, where the policy asks for it."""
    if rules.output.suppressed != "star-all":
        return ()
    shown = (Role.SENSITIVE, Role.NON_SENSITIVE)
    return tuple(name for name, attribute in rules.attributes.items() if attribute.role in shown)


def _release(
    prepared: Prepared, solution: AnySolution, planned: RecodingPlan, seconds: dict[str, float]
) -> AnonymizedRelease:
    """The release that a plan makes of the table; nothing of it is computed yet."""
    rules, table = prepared.policy, prepared.table
    recoded = Recoded(
        rules, table, prepared.problem, solution, planned, prepared.populations, prepared.series, prepared.book
    )
    warnings = (*prepared.warnings, *planned.warnings)
    return AnonymizedRelease(Origin.from_policy(rules, table.name), table, recoded, warnings, seconds)
