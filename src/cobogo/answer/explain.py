"""The error of a question's answer for a price, from declarations alone: free, and without reading data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from cobogo.answer.noise import choose_noise
from cobogo.answer.plan import ExactMeasurement, PublicIntervals, QueryPlan, required_measurements
from cobogo.answer.query import QueryAggregate, aggregates_of
from cobogo.errors import OutputError, QueryRefused
from cobogo.floor.files import stage_file
from cobogo.floor.language import speech, tr
from cobogo.floor.untrusted import shorten
from cobogo.promises.accounting import NANO, Amount, Measure, PrivacyLoss, exact_amount
from cobogo.promises.ledger.balance import SYMBOLS, Units, amount_text
from cobogo.promises.mechanisms import NoisyMax

MOST_ROWS = 10**15
"""Rows that a group may have: floats hold such numbers exactly."""

WORDS = {
    "people": tr("people"), "rows": tr("rows"), "present": tr("rows with a value"), "sum": tr("sum"),
    "squares": tr("sum of squares"), "distinct": tr("distinct values"), "ranks": tr("choice by rank"),
}  # fmt: skip


@dataclass(frozen=True)
class ExplanationStep:
    """A measurement: the most that a person changes it, and the noise that hides that."""

    what: str
    column: str | None
    sensitivity: float  # of one group, in the column's own units
    mechanism: str
    scale: float  # in the column's own units; of scores, for a choice
    error: float  # within which the noise stays, with the probability asked for; in rows, for a choice by rank


@dataclass(frozen=True)
class Explanation:
    """A question's plan with its price."""

    plan: QueryPlan
    loss: PrivacyLoss
    confidence: float
    steps: tuple[ExplanationStep, ...]
    errors: dict[str, float | None]  # of each aggregate, in its own units; None where it depends on the data
    threshold: int | None

    def as_dict(self) -> dict[str, Any]:
        """The content for JSON."""
        public = self.plan.public
        return {
            "dataset": self.plan.query.dataset,
            "groups": None if public is None else len(public),
            "groups_of_a_person": self.plan.groups_of_a_person,
            "rows_of_a_person": self.plan.rows_of_a_person,
            "cost": {self.loss.measure: float(self.loss.amount), "delta": float(self.loss.delta)},
            "threshold": self.threshold,
            "confidence": self.confidence,
            "measurements": [vars(step) for step in self.steps],
            "errors": self.errors,
        }

    def cost(self) -> str:
        """The price in words."""
        return amount_text(Units.from_cost(self.loss), self.loss.measure)


def explain(plan: QueryPlan, loss: PrivacyLoss, *, confidence: float = 0.95, rows: int | None = None) -> Explanation:
    """The plan of a question with its errors. ``rows`` is the number of rows that a group may have, which the error of
    a mean depends on."""
    if not 0 < confidence < 1:
        raise QueryRefused(
            tr("must be between 0 and 1. Got {value} instead", value=shorten(confidence)),
            where="confidence",
            remedy=tr("Write 0.95 for 95 % confidence."),
        )
    if rows is not None and not 1 <= rows <= MOST_ROWS:
        raise QueryRefused(
            tr("must be from 1 to {most:,}. Got {value} instead", most=MOST_ROWS, value=shorten(rows)),
            where="rows",
            remedy=tr("Give the number of rows that a group is expected to have."),
        )
    chosen = choose_noise(plan, loss)
    steps = []
    for measurement in plan.measurements:
        scale = _unit(plan, measurement)
        change = float(plan.sensitivity(measurement) / scale)
        if measurement in chosen.additive:
            noise = chosen.additive[measurement]
            error = float(noise.error(confidence) / scale)
            steps.append(_step(measurement, change, noise.name, float(noise.scale / scale), error))
        else:
            choice = chosen.choosing[measurement]
            steps.append(
                _step(measurement, change, choice.name, choice.scale, _ranks_off(plan, measurement, choice, confidence))
            )
    of = dict(zip(plan.measurements, steps, strict=True))
    shown = [(name, one) for name, one in plan.query.outputs if aggregates_of(one)]
    errors = {name: _error(one, plan, of, rows) if isinstance(one, QueryAggregate) else None for name, one in shown}
    return Explanation(plan, loss, confidence, tuple(steps), errors, chosen.threshold)


def find_price(
    plan: QueryPlan, error: Amount, *, measure: str, delta: Fraction, confidence: float, rows: int | None
) -> PrivacyLoss:
    """The smallest price at which no aggregate has a larger error, with the confidence given."""
    goal = exact_amount(error, "error")
    kind = "epsilon" if measure == "epsilon" else "rho"

    def enough(nanos: int) -> bool:
        loss = PrivacyLoss("epsilon" if kind == "epsilon" else "rho", Fraction(nanos, NANO), delta)
        errors = explain(plan, loss, confidence=confidence, rows=rows).errors
        unknown = [name for name, found in errors.items() if found is None]
        if unknown:
            raise QueryRefused(
                tr("the error of {unknown} depends on the data", unknown=", ".join(unknown)),
                where="error",
                remedy=tr("Ask for counts and sums, or for a mean with the number of rows of a group (rows)."),
            )
        return max(Fraction(found) for found in errors.values() if found is not None) <= goal

    low, high = 0, 1000
    while not enough(high):
        low, high = high, high * 8
        if high > 10**6 * NANO:
            raise QueryRefused(
                tr("no budget gives an answer with such a small error"),
                where="error",
                remedy=tr("Allow a larger error."),
            )
    while high - low > max(1, high // 10**6):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return PrivacyLoss("epsilon" if kind == "epsilon" else "rho", Fraction(high, NANO), delta)


def _step(measurement: ExactMeasurement, change: float, mechanism: str, scale: float, error: float) -> ExplanationStep:
    return ExplanationStep(WORDS[measurement.kind], measurement.column, change, mechanism, scale, error)


def _ranks_off(plan: QueryPlan, measurement: ExactMeasurement, choice: NoisyMax, confidence: float) -> float:
    """By how many rows a quantile may miss its share by more than the best candidate does."""
    candidates = PublicIntervals.from_column(plan.dataset.columns[str(measurement.column)]).number
    share = measurement.share or Fraction(1, 2)
    return choice.shortfall(candidates, confidence) / share.denominator


def _unit(plan: QueryPlan, measurement: ExactMeasurement) -> int:
    """How many of a measurement's whole units are one of its column's."""
    if measurement.kind not in ("sum", "squares"):
        return 1
    steps: int = 10 ** plan.dataset.columns[str(measurement.column)].decimals
    return steps if measurement.kind == "sum" else steps**2


def _error(
    aggregate: QueryAggregate, plan: QueryPlan, of: dict[ExactMeasurement, ExplanationStep], rows: int | None
) -> float | None:
    parts = required_measurements(aggregate, plan.dataset)
    if aggregate.kind in ("count", "people", "count_distinct", "sum"):
        return of[parts[0]].error
    if aggregate.kind == "mean" and rows:
        low, high = plan.dataset.columns[str(aggregate.column)].bounds or (0, 0)
        of_sum, of_count = of[parts[0]].error, of[parts[1]].error
        return (of_sum + of_count * (high - low) / 2) / rows
    return None


Curves = Mapping[str, Sequence[tuple[float, float]]]
"""For each figure, pairs of a price and an error."""

STEPS = 20
"""Prices in each power of ten."""

DECADES: Mapping[Measure, tuple[int, int]] = {"epsilon": (-2, 1), "rho": (-4, 1)}


def prices(measure: Measure) -> list[Fraction]:
    """The prices of a curve, evenly on a logarithmic axis: from the strongest useful protection to the weakest."""
    low, high = DECADES[measure]
    return [Fraction(f"{10 ** (step / STEPS):.4g}") for step in range(low * STEPS, high * STEPS + 1)]


def compute_curves(
    plan: QueryPlan,
    measure: Measure,
    *,
    delta: Fraction = Fraction(0),
    rows: int | None = None,
    confidence: float = 0.95,
) -> Curves:
    """The expected error of each figure by the price of the question; figures whose error depends on the data are left
    out."""
    found: dict[str, list[tuple[float, float]]] = {}
    for price in prices(measure):
        explained = explain(plan, PrivacyLoss(measure, price, delta), rows=rows, confidence=confidence)
        for name, error in explained.errors.items():
            if error is not None:
                found.setdefault(name, []).append((float(price), error))
    if not found:
        raise QueryRefused(
            tr("the error of every figure depends on the data"),
            where="--curve",
            remedy=tr("Ask for counts and sums, or for a mean with the number of rows of a group (rows)."),
        )
    return found


def draw_curves(found: Curves, measure: Measure, path: Path, question: str, *, language: str = "en") -> None:
    """Draw curves as a PNG in a new file, with words in a language."""
    from cobogo.tell.report import curves as plot

    if path.exists():
        raise OutputError(tr("already exists"), where=str(path), remedy=tr("Choose another name for --curve."))
    say = speech(language)
    seen = {name: [(x, y) for x, y in points if y > 0] for name, points in found.items()}  # 0 is beyond the axis
    lines = [
        plot.Curve(name, points, plot.COLORS[at % 4], dashed=at >= 4) for at, (name, points) in enumerate(seen.items())
    ]
    errors = [error for points in seen.values() for _, error in points]
    low, high = DECADES[measure]
    across = plot.Axis(SYMBOLS[measure], plot.decades([float(f"1e{low}"), float(f"1e{high}")]), logarithmic=True)
    up = plot.Axis(say("95 % of answers within ±"), plot.decades(errors), logarithmic=True)
    with stage_file(path) as stage:
        plot.draw(stage, say("A larger budget gives a smaller error"), question, lines, across=across, up=up)
