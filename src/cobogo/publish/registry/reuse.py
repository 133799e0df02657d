"""``cobogo apply``: the plan of a registered release (`Plan.to_json`), applied to new rows of the same shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.engines.engine import connect
from cobogo.data.hierarchy import Label
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import Policy, Role
from cobogo.data.table.columns import unused_names
from cobogo.data.table.frequency import frequency_table, number_tuples
from cobogo.data.table.read import Table, read
from cobogo.errors import NoSolution, RegistryError, UnfitValues
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr, trn
from cobogo.floor.urls import is_url
from cobogo.promises.models.check import failing_classes
from cobogo.publish import anonymize as job
from cobogo.publish.recode.contract.assignment import Assignment, leaf_tuples
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import AnySolution, Assigned, Solution
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recoding import AnonymizedRelease, identity_column
from cobogo.publish.registry.store import ReleaseRegistry

NAME = "reused"
"""The name of this algorithm in reports."""


@dataclass(frozen=True)
class Reuse:
    """A recorded plan as an algorithm: it recodes records as before, and suppresses classes that fail a model."""

    plan: Mapping[str, Any]
    identity: str

    def __post_init__(self) -> None:
        if self.plan["kind"] not in ("full-domain", "local"):
            raise RegistryError(
                tr(
                    "the recoding of {identity} ({plan}) depends on its own rows, and cannot be applied to others",
                    identity=self.identity,
                    plan=self.plan["kind"],
                ),
                remedy=tr("Anonymize the new rows with a policy."),
            )

    def __call__(
        self, problem: Problem, *, time_limit: float | None = None, progress: Callable[[int, int], None] | None = None
    ) -> AnySolution:
        """Solve a problem as any algorithm does, without a search."""
        del time_limit, progress
        names = [tree.attribute for tree in problem.hierarchies]
        known = self.plan["levels"] if self.plan["kind"] == "full-domain" else self.plan["attributes"]
        if set(names) != set(known):
            raise RegistryError(
                tr(
                    "the quasi-identifiers of {identity} are different: {known}",
                    identity=self.identity,
                    known=", ".join(known),
                ),
                remedy=tr("Anonymize the new rows with a policy."),
            )
        if self.plan["kind"] == "full-domain":
            return self._node(problem, tuple(self.plan["levels"][name] for name in names))
        return self._classes(problem, [self.plan["attributes"].index(name) for name in names])

    def _node(self, problem: Problem, levels: Levels) -> Solution:
        for tree, level in zip(problem.hierarchies, levels, strict=True):
            if level > tree.height:
                raise RegistryError(
                    tr(
                        'the hierarchy of "{attribute}" no longer has a level {level}',
                        attribute=tree.attribute,
                        level=level,
                    ),
                    remedy=tr("Restore the hierarchy with which the release was made."),
                )
        checked = Evaluator(replace(problem, limit=problem.scale.records)).check(levels)
        if not checked.satisfied:
            raise _no_fit(self.identity)
        return Solution(NAME, checked, False, 1, 1, ())

    def _classes(self, problem: Problem, order: Sequence[int]) -> Assigned:
        levels = np.array(self.plan["levels"], dtype=np.int32)[:, order]
        values = [self.plan["values"][place] for place in order]
        owners, leaves = _place_tuples(problem, levels, values)
        there = problem.table.counts > 0
        assignment = Assignment(
            problem, levels, leaves, np.flatnonzero(there), owners[there], problem.table.counts[there]
        ).canonical()
        failed = failing_classes(problem.models, assignment.classes(problem.histograms_needed))
        kept = np.where(failed[assignment.owners], -1, assignment.owners)
        assignment = replace(assignment, owners=kept).canonical()
        if not len(assignment):
            raise _no_fit(self.identity)
        value = float(problem.metric.value(assignment.outcome(), problem.scale))
        return Assigned(NAME, assignment, value, 1, 1)


def _place_tuples(
    problem: Problem, levels: NDArray[np.int32], values: Sequence[Sequence[Label]]
) -> tuple[Ints, NDArray[np.int32]]:
    """Place each tuple in the most specific class that it fits into (−1 where there is none).

    Return also, for each class, one leaf under each of its values, from a tuple in it.
    """
    tuples = leaf_tuples(problem)
    owners = np.full(len(tuples), -1, dtype=np.int64)
    least: Floats = np.full(len(tuples), np.inf)
    steps, which = np.unique(levels, axis=0, return_inverse=True)
    for number, step in enumerate(steps.tolist()):
        classes = np.flatnonzero(which == number)
        nodes, wanted, under = [], [], np.ones(len(tuples))
        for column, (tree, level) in enumerate(zip(problem.hierarchies, step, strict=True)):
            index = {label: code for code, label in enumerate(tree.labels[level])}
            node = tree.maps[level][tuples[:, column]]
            nodes.append(node)
            wanted.append(
                np.array([index.get(values[column][c], len(index)) for c in classes.tolist()], dtype=np.int32)
            )
            under *= tree.leaf_counts[level][node] / len(tree.leaves)
        sizes = [len(tree.labels[level]) + 1 for tree, level in zip(problem.hierarchies, step, strict=True)]
        together = [np.concatenate(pair) for pair in zip(nodes, wanted, strict=True)]
        ids, first = number_tuples(together, sizes, len(tuples) + len(classes))
        owner = np.full(len(first), -1, dtype=np.int64)
        owner[ids[len(tuples) :]] = classes
        found = owner[ids[: len(tuples)]]
        better = (found >= 0) & (under < least)
        owners[better], least[better] = found[better], under[better]
    leaves = np.zeros(levels.shape, dtype=np.int32)
    placed = owners >= 0
    leaves[owners[placed]] = tuples[placed]
    return owners, leaves


def _no_fit(identity: str) -> NoSolution:
    return NoSolution(
        tr("no new row fits the recoding of {identity}", identity=identity),
        remedy=tr("Anonymize the new rows with a policy of their own: they are few, or records of another kind."),
    )


ROUNDS = 20
"""Attempts at holding records back. Removing the records that expose somebody may expose others; a plan that cannot be
saved so would otherwise be tried until no record is left."""


def apply(
    registry: ReleaseRegistry, location: str, key: Path | None, identity: str, data: Any, *, engine: str | None = None
) -> AnonymizedRelease:
    """Apply a registered plan to new rows; the release is not written yet.

    Left out are records with values that the hierarchies do not have, classes that fail a model, and records that would
    expose somebody together with an earlier release.
    """
    with registry.transaction() as book:
        entry = book.entry(identity)
    policy = _policy(entry.summary, location, key, identity, data)
    reuse = Reuse(entry.summary["plan"], identity)
    table = read(data, policy.data, connect(engine))
    with table.engine.guard("reading and counting"):
        table, unfit = _drop_unfit_records(table, policy)
    warnings: list[str] = []
    if unfit:
        warnings.append(
            trn(
                "{n:,} record has values that are not in the hierarchies, and was left out",
                "{n:,} records have values that are not in the hierarchies, and were left out",
                n=unfit,
            )
        )
    held = 0
    for _ in range(ROUNDS):
        release = job.solve(job.prepare(table, policy), algorithm=reuse)
        assert release.book is not None
        exposing = release.book.exposing_records(release)
        if not exposing:
            if held:
                warnings.append(
                    trn(
                        "{n:,} record was held back, because with earlier releases it would expose people",
                        "{n:,} records were held back, because with earlier releases they would expose people",
                        n=held,
                    )
                )
            release.warnings = (*release.warnings, *warnings)
            return release
        before = table.rows()
        table = _drop_records(table, identity_column(table, policy.data.unit), exposing)
        held += before - table.rows()
    raise NoSolution(
        tr(
            "the recoding of {identity} exposes people together with earlier releases, whatever is held back",
            identity=identity,
        ),
        remedy=tr("Anonymize the new rows with a policy of their own."),
    )


def _policy(summary: dict[str, Any], location: str, key: Path | None, identity: str, data: Any) -> Policy:
    """The recorded policy, with the registry's present location and the new data."""
    content = {name: part for name, part in summary["policy"].items() if name != "output"}
    content["registry"] = {
        **content["registry"],
        "path": location if is_url(location) else str(Path(location).absolute()),
    }
    if key is not None:
        content["registry"]["key"] = str(key.absolute())
    content["data"] = {k: v for k, v in content.get("data", {}).items() if k not in ("path", "table", "engine")}
    if isinstance(data, str | Path):
        content["data"]["path"] = str(Path(data).absolute())
    output = {k: v for k, v in summary["policy"].get("output", {}).items() if k in ("format", "suppressed")}
    content["output"] = output if output.get("format") != "table" else {**output, "format": "csv"}
    return Policy.of(content, home=summary["home"], name=f"the policy of {identity}")


def _drop_unfit_records(table: Table, policy: Policy) -> tuple[Table, int]:
    """Drop the records with values that the hierarchies do not have; return the others and how many were dropped."""
    before = table.rows()
    for name, attribute in policy.attributes.items():
        if name not in table.columns or attribute.hierarchy is None:
            continue
        if attribute.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            values = list(frequency_table(table, [name], []).values[name])
            unfit = _unfit_values(name, values, policy)
            if unfit:
                table = _drop_records(table, table.text(name), unfit)
    return table, before - table.rows()


def _unfit_values(name: str, values: list[Label], policy: Policy) -> list[Label]:
    unfit: list[Label] = []
    while values:
        try:
            build(name, policy.attributes[name].hierarchy, values, policy=policy)
            break
        except UnfitValues as error:
            unfit += error.values
            values = [value for value in values if value not in set(error.values)]
    return unfit


def _drop_records(table: Table, text: Any, values: list[Label]) -> Table:
    import pyarrow as pa

    mark, key = unused_names(table.columns, 2)
    rows = table.expression.mutate(**{key: text})
    doomed = table.engine.lookup(pa.table({mark: pa.array(values, pa.string())}))
    kept = rows.anti_join(doomed, [table.engine.same(rows[key], doomed[mark])]).select(list(table.columns))
    return replace(table, expression=table.engine.materialize(kept))
