"""From a paid plan to an answer: the engine adds bounded figures up, noise is added, rows are sorted."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from cobogo.answer.afterwards import Ends, evaluate, find_ends, holds, shown
from cobogo.answer.noise import NoisePlan, rank_scores
from cobogo.answer.plan import Exact, ExactMeasurement, Key, PublicIntervals, QueryPlan
from cobogo.answer.query import ColumnValue, Expression, QueryAggregate, aggregates_of
from cobogo.answer.result import CONFIDENCE, Answer, Cell, Interval, compute_column, sort_keys
from cobogo.answer.sql.combined import SqlSource
from cobogo.answer.sql.dialects import dialect_of
from cobogo.answer.sql.emit import Emitter
from cobogo.data.engines.engine import Engine
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.ledger.balance import Balance

Statement = tuple[tuple[ExactMeasurement, ...], str]
"""An SQL statement, and the measurements that it computes."""


def statements(plan: QueryPlan, source: SqlSource, engine: Engine, salt: int | None = None) -> list[Statement]:
    """Write the SQL statements of a plan, all of them before anything is paid for.

    The salt is fresh for each question, so that no two leave out the same groups; tests repeat one.
    """
    emitter = Emitter(plan, source, dialect_of(engine.language), secrets.randbits(62) if salt is None else salt)
    added = tuple(m for m in plan.measurements if m.kind not in ("distinct", "ranks"))
    found: list[Statement] = [(added, emitter.totals(list(added)))] if added else []
    found += [((m,), emitter.distinct(m)) for m in plan.measurements if m.kind == "distinct"]
    return found + [((m,), emitter.bins(m)) for m in plan.measurements if m.kind == "ranks"]


def measure(plan: QueryPlan, written: list[Statement], engine: Engine) -> Exact:
    """Compute the exact figures of the bounded data. Nothing but noisy copies of them leaves this process."""
    width = len(plan.query.keys)
    exact: Exact = {}
    for measurements, statement in written:
        rows = engine.rows(statement)
        groups = [row[:width] for row in rows]
        if measurements[0].kind == "ranks":
            exact[measurements[0]] = _place(plan, measurements[0], groups, [row[width:] for row in rows])
            continue
        for at, measurement in enumerate(measurements, width):
            exact[measurement] = dict(zip(groups, (int(row[at]) for row in rows), strict=True))
    return exact


def _place(
    plan: QueryPlan, ranks: ExactMeasurement, groups: list[Key], found: list[tuple[int, int]]
) -> dict[Key, list[int]]:
    """For each group the counts of all intervals, from those of the intervals that have rows."""
    bins = PublicIntervals.from_column(plan.dataset.columns[str(ranks.column)])
    places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    counts = np.zeros((len(places), bins.number), dtype=np.int64)
    numbers = np.array(found, dtype=np.int64).reshape(-1, 2)
    counts[[places[group] for group in groups], numbers[:, 0]] = numbers[:, 1]
    return dict(zip(places, counts.tolist(), strict=True))


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
        empty = [0] * bins.number
        counts = np.array([exact[measurement].get(group, empty) for group in groups], dtype=np.int64)
        assert measurement.share is not None
        figures[measurement] = choice.choose_each(rank_scores(counts.reshape(-1, bins.number), measurement.share))
    return NoisyMeasurement(groups, figures)


def build_answer(noisy: NoisyMeasurement, noises: NoisePlan, spent: PrivacyLoss, left: Balance) -> Answer:
    """Build the rows of the answer, in the order asked for, or that of their keys."""
    query = noises.plan.query
    table = AnswerTable(noisy, noises)
    places = list(range(len(noisy.groups)))
    if query.having is not None:
        places = [at for at in places if holds(query.having, table.row(at))]
    for order in reversed(query.order):
        places.sort(key=lambda at: _sortable(evaluate(order.figure, table.row(at))), reverse=order.descending)
    places = places[query.offset :]
    places = places[: query.limit] if query.limit is not None else places
    figures = {name: one for name, one in query.outputs if aggregates_of(one)}
    columns = [table.cells(one, places) for _, one in query.outputs]
    return Answer(
        columns=tuple(name for name, _ in query.outputs),
        rows=tuple(zip(*columns, strict=True)),
        intervals={name: tuple(table.intervals(one, places)) for name, one in figures.items()},
        noises=noises,
        spent=spent,
        left=left,
    )


class AnswerTable:
    """The groups of an answer by column: their keys and noisy figures, from which what is shown is computed."""

    def __init__(self, noisy: NoisyMeasurement, noises: NoisePlan) -> None:
        query = noises.plan.query
        self._noisy, self._noises = noisy, noises
        self._columns: dict[ColumnValue | QueryAggregate, Sequence[Cell]] = {
            ColumnValue(name): [group[at] for group in noisy.groups] for at, name in enumerate(query.keys)
        }
        self._intervals: dict[tuple[QueryAggregate, float], list[Interval]] = {}
        for one in query.aggregates:
            self._columns[one] = self._compute(one, CONFIDENCE)

    def row(self, at: int) -> dict[ColumnValue | QueryAggregate, Cell]:
        """The keys and figures of one group."""
        return {name: column[at] for name, column in self._columns.items()}

    def cells(self, expression: Expression, places: Sequence[int]) -> list[Cell]:
        """What a column of the answer shows of some groups."""
        if isinstance(expression, ColumnValue | QueryAggregate):
            column = self._columns[expression]
            return [column[at] for at in places]
        return [shown(evaluate(expression, self.row(at))) for at in places]

    def intervals(self, expression: Expression, places: Sequence[int]) -> list[Interval]:
        """Where the exact figures lie. Of several figures each interval may fail a fraction as often."""
        aggregates = aggregates_of(expression)
        confidence = 1 - (1 - CONFIDENCE) / len(aggregates)
        known = {one: self._intervals_of(one, confidence) for one in aggregates}
        if isinstance(expression, QueryAggregate):
            return [known[expression][at] for at in places]
        return [
            _combine_ends(expression, {one: column[at] for one, column in known.items()}, self.row(at)) for at in places
        ]

    def _intervals_of(self, aggregate: QueryAggregate, confidence: float) -> list[Interval]:
        if (aggregate, confidence) not in self._intervals:
            self._compute(aggregate, confidence)
        return self._intervals[aggregate, confidence]

    def _compute(self, aggregate: QueryAggregate, confidence: float) -> list[Cell]:
        dataset, figures = self._noises.plan.dataset, self._noisy.figures
        cells, self._intervals[aggregate, confidence] = compute_column(
            aggregate, dataset, figures, self._noises, confidence
        )
        return cells


def _combine_ends(
    expression: Expression, known: dict[QueryAggregate, Interval], row: dict[ColumnValue | QueryAggregate, Cell]
) -> Interval:
    """Where the value of an expression lies, given the intervals of its figures."""
    ends: dict[ColumnValue | QueryAggregate, Ends] = {
        one: interval and (Fraction(interval[0]), Fraction(interval[1])) for one, interval in known.items()
    }
    found = find_ends(expression, ends, row)
    low, high = (None, None) if found is None else map(shown, found)
    return None if low is None or high is None else (low, high)


def _sortable(value: Cell) -> tuple[bool, Cell]:
    return (value is None, 0 if value is None else value)
