"""An answer: noisy figures, their intervals, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cobogo.answer.noise import NoisePlan
from cobogo.answer.plan import ExactMeasurement, Key, PublicIntervals, required_measurements
from cobogo.answer.query import QueryAggregate
from cobogo.floor.language import trn
from cobogo.floor.representation import brief, table
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.curator_file import DeclaredDataset
from cobogo.promises.ledger.balance import Balance

CONFIDENCE = 0.95

Cell = str | int | float | bool | None | Any
Interval = tuple[float, float] | None


@dataclass(frozen=True)
class Answer:
    """Rows with noise. ``intervals`` hold, for each aggregate and row, where the exact figure lies (95 % each).

    The exact figure is that of the bounded data: rows beyond the declared bounds count as the bounds say.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    intervals: Mapping[str, tuple[Interval, ...]]
    noises: NoisePlan
    spent: PrivacyLoss
    left: Balance

    def __repr__(self) -> str:
        spent = f"{self.spent.measure} {float(self.spent.amount):g} spent"
        return brief(self, ", ".join(self.columns), trn("{n:,} row", "{n:,} rows", n=len(self.rows)), spent)

    def _repr_html_(self) -> str:
        """The noisy rows with their intervals, for a notebook."""
        rows = [
            [_with_interval(value, self.intervals.get(name, ())[at : at + 1]) for name, value in named.items()]
            for at, named in enumerate(self.to_dicts())
        ]
        return table(repr(self), self.columns, rows)

    def to_dicts(self) -> list[dict[str, Cell]]:
        """A mapping a row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def as_dict(self) -> dict[str, Any]:
        """For ``--json`` and for answers over HTTP."""
        return {
            "columns": list(self.columns),
            "rows": [[_plain(value) for value in row] for row in self.rows],
            "intervals": {
                name: [interval and list(interval) for interval in column] for name, column in self.intervals.items()
            },
            "spent": {self.spent.measure: float(self.spent.amount), "delta": float(self.spent.delta)},
            "left": self.left.as_dict()["left"],
        }

    def to_arrow(self) -> Any:
        """An Arrow table."""
        import pyarrow as pa

        return pa.table({name: [row[at] for row in self.rows] for at, name in enumerate(self.columns)})

    def to_pandas(self) -> Any:
        """A pandas frame."""
        return self.to_arrow().to_pandas()

    @property
    def value(self) -> Cell:
        """The only figure of an answer of one row and one column."""
        if len(self.rows) != 1 or len(self.columns) != 1:
            raise ValueError(
                f"the answer has {len(self.rows)} rows and {len(self.columns)} columns, and not one of each"
            )
        return self.rows[0][0]


def _with_interval(value: Cell, interval: Sequence[Interval]) -> str:
    """A figure, and where the exact one lies."""
    text = f"{value:,.6g}" if isinstance(value, float) else str(_plain(value))
    ends = interval[0] if interval else None
    return text if ends is None else f"{text} ({ends[0]:,.6g} … {ends[1]:,.6g})"


def compute_column(
    aggregate: QueryAggregate,
    dataset: DeclaredDataset,
    figures: Mapping[ExactMeasurement, Sequence[int]],
    noises: NoisePlan,
    confidence: float = CONFIDENCE,
) -> tuple[list[Cell], list[Interval]]:
    """Compute an aggregate of each group from its noisy figures, with the intervals of the exact ones."""
    parts = required_measurements(aggregate, dataset)
    if aggregate.kind in ("count", "people", "count_distinct", "sum"):
        noisy, error = figures[parts[0]], noises.additive[parts[0]].error(confidence)
        if aggregate.kind != "sum":
            return list(noisy), [(figure - error, figure + error) for figure in noisy]
        scale = 10 ** dataset.columns[str(aggregate.column)].decimals
        cells: list[Cell] = list(noisy) if scale == 1 else [figure / scale for figure in noisy]
        return cells, [((figure - error) / scale, (figure + error) / scale) for figure in noisy]
    compute = _cell_of(aggregate, parts, dataset, noises, confidence)
    found = [compute(*noisy) for noisy in zip(*(figures[part] for part in parts), strict=True)]
    return [cell for cell, _ in found], [interval for _, interval in found]


def _cell_of(
    aggregate: QueryAggregate,
    parts: tuple[ExactMeasurement, ...],
    dataset: DeclaredDataset,
    noises: NoisePlan,
    confidence: float,
) -> Callable[..., tuple[Cell, Interval]]:
    """A function that computes an aggregate of one group from its noisy figures, with the interval of the exact one.
    What is the same for all groups is computed before."""
    column = dataset.columns[str(aggregate.column)]
    scale = 10**column.decimals
    if aggregate.kind == "quantile":
        intervals = PublicIntervals.from_column(column)
        return lambda chosen: (_to_units(intervals.middle(chosen), scale), None)
    if aggregate.kind == "mean":
        return _mean_of(parts, column.steps, scale, noises, confidence)
    variance = _variance_of(parts, column.steps, scale, noises, confidence)
    shown = float if aggregate.kind == "variance" else math.sqrt

    def spread(*noisy: int) -> tuple[Cell, Interval]:
        found, least, largest = map(shown, variance(*noisy))
        return found, (least, largest)

    return spread


def _mean_of(
    parts: tuple[ExactMeasurement, ...], bounds: tuple[int, int], scale: int, noises: NoisePlan, confidence: float
) -> Callable[[int, int], tuple[Cell, Interval]]:
    """A mean lies between the extreme quotients of a sum and a count within their intervals; each interval may fail
    half as often."""
    (low, high), centre, half = bounds, parts[0].centre, 1 - (1 - confidence) / 2
    of_sum, of_count = (noises.additive[part].error(half) for part in parts)

    def mean(total: int, present: int) -> tuple[Cell, Interval]:
        exact = _mean(total, present, centre, bounds)
        counts = [max(1, present + sign * of_count) for sign in (-1, 1)]
        quotients = [centre + (total + sign * of_sum) / count for sign in (-1, 1) for count in counts]
        least, largest = (min(high, max(low, quotient)) / scale for quotient in (min(quotients), max(quotients)))
        return float(exact / scale), (least, largest)

    return mean


def _mean(total: int, present: int, centre: int, bounds: tuple[int, int]) -> Fraction:
    low, high = map(Fraction, bounds)
    return min(high, max(low, centre + Fraction(total, max(1, present))))


def _variance_of(
    parts: tuple[ExactMeasurement, ...], bounds: tuple[int, int], scale: int, noises: NoisePlan, confidence: float
) -> Callable[[int, int, int], tuple[float, float, float]]:
    """A variance with its range, each within what the bounds allow; each interval may fail a third as often."""
    centre, third = parts[0].centre, 1 - (1 - confidence) / len(parts)
    errors = [noises.additive[part].error(third) for part in parts]
    most = Fraction(bounds[1] - bounds[0], 2) ** 2

    def variance(total: int, squares: int, present: int) -> tuple[float, float, float]:
        spread = Fraction(squares, max(1, present)) - (_mean(total, present, centre, bounds) - centre) ** 2
        lowest, highest = _range_of_a_variance((total, squares, present), errors)
        ends = (spread, min(lowest, spread), max(highest, spread))  # the mean in it is held within its bounds
        found, least, largest = (float(min(most, max(Fraction(0), one)) / scale**2) for one in ends)
        return found, least, largest

    return variance


def _range_of_a_variance(noisy: tuple[int, int, int], errors: Sequence[int]) -> tuple[Fraction, Fraction]:
    """The least and the largest q/n − (s/n)² of a sum s, a sum of squares q and a count n within their intervals.

    For given s and q it grows with n up to n = 2s²/q and falls from there on, so it is least at an end.
    """
    (s_low, s_high), (q_low, q_high), (n_low, n_high) = (
        (figure - error, figure + error) for figure, error in zip(noisy, errors, strict=True)
    )
    counts = [Fraction(max(1, n_low)), Fraction(max(1, n_high))]
    far, near = max(abs(s_low), abs(s_high)), max(0, s_low, -s_high)

    def variance(q: int, s: int, n: Fraction) -> Fraction:
        return q / n - (s / n) ** 2

    least = min(variance(max(0, q_low), far, n) for n in counts)
    q_high = max(0, q_high)
    turn = Fraction(2 * near**2, q_high) if q_high else Fraction(0)
    largest = max(variance(q_high, near, n) for n in [*counts, min(max(turn, counts[0]), counts[1])])
    return least, largest


def _to_units(steps: int | Fraction, scale: int) -> int | float:
    """Steps of the last decimal as a number: whole where it is and nothing was scaled."""
    if scale == 1 and steps.denominator == 1:
        return steps.numerator
    return float(steps / Fraction(scale)) if isinstance(steps, Fraction) else steps / scale


def sort_keys(keys: Sequence[Key]) -> list[Key]:
    """Sort keys; those without a value come last."""
    return sorted(keys, key=lambda key: [(value is None, value if value is not None else 0) for value in key])


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
