"""From a paid plan to an answer: the engine adds bounded figures up, noise is added, rows are sorted."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from cobogo.answer.noise import NoisePlan, rank_scores
from cobogo.answer.plan import Exact, ExactMeasurement, Key, PublicIntervals, QueryPlan, required_measurements
from cobogo.answer.query import QueryAggregate
from cobogo.answer.result import Answer, Cell, Interval, compute_cell, sort_keys
from cobogo.answer.sql.dialects import DIALECTS
from cobogo.answer.sql.emit import Emitter, SqlSource
from cobogo.data.table.engine import Engine
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.ledger.balance import Balance

Statement = tuple[tuple[ExactMeasurement, ...], str]
"""An SQL statement, and the measurements that it computes."""


def statements(plan: QueryPlan, source: SqlSource, engine: Engine, salt: int | None = None) -> list[Statement]:
    """Write the SQL statements of a plan, all of them before anything is paid for.

    The salt is fresh for each question, so that no two leave out the same groups; tests repeat one.
    """
    emitter = Emitter(plan, source, DIALECTS[engine.name], secrets.randbits(62) if salt is None else salt)
    added = tuple(m for m in plan.measurements if m.kind not in ("distinct", "ranks"))
    found: list[Statement] = [(added, emitter.totals(list(added)))] if added else []
    found += [((m,), emitter.distinct(m)) for m in plan.measurements if m.kind == "distinct"]
    return found + [((m,), emitter.bins(m)) for m in plan.measurements if m.kind == "ranks"]


def measure(plan: QueryPlan, written: list[Statement], engine: Engine) -> Exact:
    """Compute the exact figures of the bounded data. Nothing but noisy copies of them leaves this process."""
    width = len(plan.query.keys)
    exact: Exact = {m: {} for m in plan.measurements}
    for measurements, statement in written:
        for row in engine.rows(statement):
            if measurements[0].kind == "ranks":
                _place(plan, measurements[0], exact[measurements[0]], row[:width], row[width:])
                continue
            for measurement, figure in zip(measurements, row[width:], strict=True):
                exact[measurement][row[:width]] = int(figure)
    return exact


def _place(plan: QueryPlan, ranks: ExactMeasurement, exact: dict[Key, Any], group: Key, found: tuple[Any, ...]) -> None:
    """Put the count of one interval of one group in its place."""
    bins = PublicIntervals.from_column(plan.dataset.columns[str(ranks.column)])
    exact.setdefault(group, [0] * bins.number)[int(found[0])] = int(found[1])


@dataclass(frozen=True)
class NoisyMeasurement:
    """Noisy figures, which may be released, by group."""

    groups: list[Key]
    figures: dict[ExactMeasurement, list[int]]


def add_noise(exact: Exact, noises: NoisePlan) -> NoisyMeasurement:
    """Add noise to every figure of every group; where keys are not public, keep only groups with enough people."""
    plan = noises.plan
    groups = list(plan.public) if plan.public is not None else sort_keys(list(exact[ExactMeasurement("people")]))
    figures: dict[ExactMeasurement, list[int]] = {}
    for measurement, noise in noises.additive.items():
        figures[measurement] = noise.release([exact[measurement].get(group, 0) for group in groups])
    if noises.threshold is not None:
        people = figures[ExactMeasurement("people")]
        released = [at for at, number in enumerate(people) if number >= noises.threshold]
        groups = [groups[at] for at in released]
        figures = {measurement: [found[at] for at in released] for measurement, found in figures.items()}
    for measurement, choice in noises.choosing.items():
        bins = PublicIntervals.from_column(plan.dataset.columns[str(measurement.column)])
        share = measurement.share
        assert share is not None
        empty = [0] * bins.number
        figures[measurement] = [
            choice.choose(rank_scores(exact[measurement].get(group, empty), share))[0] for group in groups
        ]
    return NoisyMeasurement(groups, figures)


def build_answer(noisy: NoisyMeasurement, noises: NoisePlan, spent: PrivacyLoss, left: Balance) -> Answer:
    """Build the rows of the answer, in the order asked for, or that of their keys."""
    query, dataset = noises.plan.query, noises.plan.dataset
    made_of = {aggregate: required_measurements(aggregate, dataset) for aggregate in query.aggregates}
    table: list[dict[str | QueryAggregate, tuple[Cell, Interval]]] = []
    for at, group in enumerate(noisy.groups):
        figures = {measurement: found[at] for measurement, found in noisy.figures.items()}
        row: dict[str | QueryAggregate, tuple[Cell, Interval]] = {
            name: (value, None) for name, value in zip(query.keys, group, strict=True)
        }
        for aggregate, parts in made_of.items():
            row[aggregate] = compute_cell(aggregate, parts, dataset, figures, noises)
        table.append(row)
    shown, inner = query.outputs, dict(query.outputs)
    for order in reversed(query.order):
        table.sort(key=lambda row: _sortable(row[inner[order.name]][0]), reverse=order.descending)
    table = table[: query.limit] if query.limit is not None else table
    return Answer(
        columns=tuple(name for name, _ in shown),
        rows=tuple(tuple(row[source][0] for _, source in shown) for row in table),
        intervals={name: tuple(row[one][1] for row in table) for name, one in shown if isinstance(one, QueryAggregate)},
        noises=noises,
        spent=spent,
        left=left,
    )


def _sortable(value: Cell) -> tuple[bool, Cell]:
    return (value is None, 0 if value is None else value)
