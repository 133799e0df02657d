"""From a paid plan to an answer: the engine adds bounded figures up, noise is added, rows are sorted."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cobogo.answer.afterwards import Ends, evaluate, find_ends, holds, shown
from cobogo.answer.noise import NoisePlan, rank_scores
from cobogo.answer.plan import Exact, ExactMeasurement, Key, PublicIntervals, QueryPlan, required_measurements
from cobogo.answer.query import ColumnValue, Expression, QueryAggregate, aggregates_of
from cobogo.answer.result import CONFIDENCE, Answer, Cell, Interval, compute_cell, sort_keys
from cobogo.answer.sql.combined import SqlSource
from cobogo.answer.sql.dialects import DIALECTS
from cobogo.answer.sql.emit import Emitter
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
    query = noises.plan.query
    table = [_row(noisy, at, group, noises) for at, group in enumerate(noisy.groups)]
    if query.having is not None:
        table = [row for row in table if holds(query.having, row.values)]
    for order in reversed(query.order):
        table.sort(key=lambda row: _sortable(evaluate(order.figure, row.values)), reverse=order.descending)
    table = table[query.offset :]
    table = table[: query.limit] if query.limit is not None else table
    figures = {name: one for name, one in query.outputs if aggregates_of(one)}
    return Answer(
        columns=tuple(name for name, _ in query.outputs),
        rows=tuple(tuple(row.cell(one) for _, one in query.outputs) for row in table),
        intervals={name: tuple(row.interval(one) for row in table) for name, one in figures.items()},
        noises=noises,
        spent=spent,
        left=left,
    )


@dataclass(frozen=True)
class AnswerRow:
    """A group of an answer: its keys and its noisy figures, from which what is shown is computed."""

    values: dict[ColumnValue | QueryAggregate, Cell]
    figures: dict[ExactMeasurement, int]
    noises: NoisePlan

    def cell(self, expression: Expression) -> Cell:
        """What a column of the answer shows."""
        if isinstance(expression, ColumnValue | QueryAggregate):
            return self.values[expression]
        return shown(evaluate(expression, self.values))

    def interval(self, expression: Expression) -> Interval:
        """Where the exact figure lies. Of several figures each interval may fail a fraction as often."""
        aggregates = aggregates_of(expression)
        confidence = 1 - (1 - CONFIDENCE) / len(aggregates)
        known = {one: self._cell(one, confidence)[1] for one in aggregates}
        if isinstance(expression, QueryAggregate):
            return known[expression]
        ends: dict[ColumnValue | QueryAggregate, Ends] = {
            one: interval and (Fraction(interval[0]), Fraction(interval[1])) for one, interval in known.items()
        }
        found = find_ends(expression, ends, self.values)
        low, high = (None, None) if found is None else map(shown, found)
        return None if low is None or high is None else (low, high)

    def _cell(self, aggregate: QueryAggregate, confidence: float) -> tuple[Cell, Interval]:
        dataset = self.noises.plan.dataset
        parts = required_measurements(aggregate, dataset)
        return compute_cell(aggregate, parts, dataset, self.figures, self.noises, confidence)


def _row(noisy: NoisyMeasurement, at: int, group: Key, noises: NoisePlan) -> AnswerRow:
    query, dataset = noises.plan.query, noises.plan.dataset
    figures = {measurement: found[at] for measurement, found in noisy.figures.items()}
    values: dict[ColumnValue | QueryAggregate, Cell] = {
        ColumnValue(name): value for name, value in zip(query.keys, group, strict=True)
    }
    for one in query.aggregates:
        values[one] = compute_cell(one, required_measurements(one, dataset), dataset, figures, noises)[0]
    return AnswerRow(values, figures, noises)


def _sortable(value: Cell) -> tuple[bool, Cell]:
    return (value is None, 0 if value is None else value)
