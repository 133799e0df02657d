"""An answer: figures with noise, how far off they may be, and what they cost."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cobogo.dp.accounting import Loss
from cobogo.dp.ledger.balance import Balance
from cobogo.dp.mechanisms.base import Noise
from cobogo.dp.metadata import Dataset
from cobogo.dp.noise import Noises
from cobogo.dp.plan import Bins, Key, Measurement
from cobogo.dp.query import Aggregate

CONFIDENCE = 0.95

Cell = str | int | float | bool | None | Any
Figures = Mapping[Measurement, int]
Interval = tuple[float, float] | None


@dataclass(frozen=True)
class Answer:
    """Rows with noise. ``intervals`` hold, for each aggregate and row, where the exact figure lies (95 % each).

    The exact figure is that of the bounded data: rows beyond the declared bounds count as the bounds say.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    intervals: Mapping[str, tuple[Interval, ...]]
    noises: Noises
    spent: Loss
    left: Balance

    def to_dicts(self) -> list[dict[str, Cell]]:
        """A mapping a row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

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


def cell(
    aggregate: Aggregate, parts: tuple[Measurement, ...], dataset: Dataset, figures: Figures, noises: Noises
) -> tuple[Cell, Interval]:
    """An aggregate of a group from the noisy figures that it is made of, and where the exact one lies."""
    if aggregate.kind in ("count", "people", "count_distinct"):
        noisy, error = figures[parts[0]], _error(noises.additive[parts[0]], CONFIDENCE)
        return noisy, (noisy - error, noisy + error)
    column = dataset.columns[str(aggregate.column)]
    scale = 10**column.decimals
    if aggregate.kind == "sum":
        noisy, error = figures[parts[0]], _error(noises.additive[parts[0]], CONFIDENCE)
        return _scaled(noisy, scale), (float(Fraction(noisy - error, scale)), float(Fraction(noisy + error, scale)))
    if aggregate.kind == "quantile":
        middle = Bins.of(column).middle(figures[parts[0]])
        return _scaled(middle, scale), None
    low, high = column.steps
    present = parts[-1]
    count = max(1, figures[present])
    mean = min(Fraction(high), max(Fraction(low), parts[0].centre + Fraction(figures[parts[0]], count)))
    if aggregate.kind == "mean":
        return float(mean / scale), _interval_of_a_mean(parts[0], present, figures, noises, (low, high), scale)
    spread = Fraction(figures[parts[1]], count) - (mean - parts[0].centre) ** 2
    variance = float(min(Fraction(high - low, 2) ** 2, max(Fraction(0), spread)) / scale**2)
    return (variance if aggregate.kind == "variance" else math.sqrt(variance)), None


def _interval_of_a_mean(
    total: Measurement, present: Measurement, figures: Figures, noises: Noises, bounds: tuple[int, int], scale: int
) -> Interval:
    """The farthest quotients of a sum and a count that both lie in their intervals, each with half the doubt."""
    half = 1 - (1 - CONFIDENCE) / 2
    of_sum, of_count = _error(noises.additive[total], half), _error(noises.additive[present], half)
    counts = [max(1, figures[present] + sign * of_count) for sign in (-1, 1)]
    sums = [figures[total] + sign * of_sum for sign in (-1, 1)]
    quotients = [total.centre + one / count for one in sums for count in counts]
    low, high = bounds
    return max(low, min(quotients)) / scale, min(high, max(quotients)) / scale


@functools.lru_cache(maxsize=64)
def _error(noise: Noise, confidence: float) -> int:
    """The same for every row of an answer, so computed once."""
    return noise.error(confidence)


def _scaled(steps: int | Fraction, scale: int) -> int | float:
    exact = Fraction(steps) / scale
    return exact.numerator if exact.denominator == 1 and scale == 1 else float(exact)


def in_order(keys: Sequence[Key]) -> list[Key]:
    """Keys sorted, those without a value last."""
    return sorted(keys, key=lambda key: [(value is None, value if value is not None else 0) for value in key])
