"""An answer: noisy figures, their intervals, and what they cost."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cobogo.answer.noise import NoisePlan
from cobogo.answer.plan import ExactMeasurement, Key, PublicIntervals
from cobogo.answer.query import QueryAggregate
from cobogo.floor.language import trn
from cobogo.floor.representation import brief
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.curator_file import DeclaredDataset
from cobogo.promises.ledger.balance import Balance
from cobogo.promises.mechanisms.base import Noise

CONFIDENCE = 0.95

Cell = str | int | float | bool | None | Any
Figures = Mapping[ExactMeasurement, int]
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


def compute_cell(
    aggregate: QueryAggregate,
    parts: tuple[ExactMeasurement, ...],
    dataset: DeclaredDataset,
    figures: Figures,
    noises: NoisePlan,
    confidence: float = CONFIDENCE,
) -> tuple[Cell, Interval]:
    """Compute an aggregate of a group from its noisy figures, with the interval of the exact one."""
    if aggregate.kind in ("count", "people", "count_distinct"):
        noisy, error = figures[parts[0]], _error(noises.additive[parts[0]], confidence)
        return noisy, (noisy - error, noisy + error)
    column = dataset.columns[str(aggregate.column)]
    scale = 10**column.decimals
    if aggregate.kind == "sum":
        noisy, error = figures[parts[0]], _error(noises.additive[parts[0]], confidence)
        return _to_units(noisy, scale), (float(Fraction(noisy - error, scale)), float(Fraction(noisy + error, scale)))
    if aggregate.kind == "quantile":
        middle = PublicIntervals.from_column(column).middle(figures[parts[0]])
        return _to_units(middle, scale), None
    low, high = column.steps
    present = parts[-1]
    count = max(1, figures[present])
    mean = min(Fraction(high), max(Fraction(low), parts[0].centre + Fraction(figures[parts[0]], count)))
    if aggregate.kind == "mean":
        return float(mean / scale), _interval_of_a_mean(
            (parts[0], present), figures, noises, (low, high, scale), confidence
        )
    spread = Fraction(figures[parts[1]], count) - (mean - parts[0].centre) ** 2
    most = Fraction(high - low, 2) ** 2
    lowest, highest = _range_of_a_variance(parts, figures, noises, confidence)
    ends = (spread, min(lowest, spread), max(highest, spread))  # the mean in it is held within its bounds
    found = [min(most, max(Fraction(0), one)) for one in ends]
    variance, least, largest = (float(one / scale**2) for one in found)
    if aggregate.kind == "variance":
        return variance, (least, largest)
    return math.sqrt(variance), (math.sqrt(least), math.sqrt(largest))


def _interval_of_a_mean(
    parts: tuple[ExactMeasurement, ExactMeasurement],
    figures: Figures,
    noises: NoisePlan,
    bounds: tuple[int, int, int],
    confidence: float,
) -> Interval:
    """The extreme quotients of a sum and a count within their intervals; each interval may fail half as often."""
    total, present = parts
    half = 1 - (1 - confidence) / 2
    of_sum, of_count = _error(noises.additive[total], half), _error(noises.additive[present], half)
    counts = [max(1, figures[present] + sign * of_count) for sign in (-1, 1)]
    sums = [figures[total] + sign * of_sum for sign in (-1, 1)]
    quotients = [total.centre + one / count for one in sums for count in counts]
    low, high, scale = bounds
    least, largest = (min(high, max(low, quotient)) / scale for quotient in (min(quotients), max(quotients)))
    return least, largest


def _range_of_a_variance(
    parts: tuple[ExactMeasurement, ...], figures: Figures, noises: NoisePlan, confidence: float
) -> tuple[Fraction, Fraction]:
    """The least and the largest q/n − (s/n)² of a sum s, a sum of squares q and a count n within their intervals; each
    interval may fail a third as often.

    For given s and q it grows with n up to n = 2s²/q and falls from there on, so it is least at an end.
    """
    third = 1 - (1 - confidence) / len(parts)
    errors = [_error(noises.additive[part], third) for part in parts]
    (s_low, s_high), (q_low, q_high), (n_low, n_high) = (
        (figures[part] - error, figures[part] + error) for part, error in zip(parts, errors, strict=True)
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


@functools.lru_cache(maxsize=64)
def _error(noise: Noise, confidence: float) -> int:
    """The error of a mechanism, which is the same for every row of an answer."""
    return noise.error(confidence)


def _to_units(steps: int | Fraction, scale: int) -> int | float:
    exact = Fraction(steps) / scale
    return exact.numerator if exact.denominator == 1 and scale == 1 else float(exact)


def sort_keys(keys: Sequence[Key]) -> list[Key]:
    """Sort keys; those without a value come last."""
    return sorted(keys, key=lambda key: [(value is None, value if value is not None else 0) for value in key])


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
