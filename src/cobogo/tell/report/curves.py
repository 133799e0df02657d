"""A plot of curves over an axis of numbers, linear or logarithmic: errors against ε, laws of noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from cobogo.tell.report.canvas import BLUE, LINE, MARGIN, MUTED, ORANGE, PALE, Sheet

TALL = 2.7
COLORS = (BLUE, ORANGE, PALE, MUTED)

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """A named line through points, from left to right."""

    name: str
    points: Sequence[Point]
    color: str = BLUE
    dashed: bool = False


@dataclass(frozen=True)
class Axis:
    """From the first tick to the last, and what is counted."""

    label: str
    ticks: Sequence[float]
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Where a value lies, from 0 to 1; what lies beyond is held at the end."""
        low, high = self.ticks[0], self.ticks[-1]
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(max(value, low))
        return min(1.0, max(0.0, (value - low) / (high - low)))


def decades(values: Sequence[float]) -> list[float]:
    """The powers of ten that enclose some positive values.

    >>> decades([0.3, 47])
    [0.1, 1.0, 10.0, 100.0]
    """
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [float(f"1e{power}") for power in range(low, max(high, low + 1) + 1)]


def draw(path: Path, title: str, what: str, curves: Sequence[Curve], *, across: Axis, up: Axis) -> None:
    """Write a PNG: the same bytes for the same curves."""
    sheet = Sheet(title, what)
    labels = [_number(tick) for tick in up.ticks]
    left = MARGIN + max(sheet.measure(label, 9) for label in labels) + 0.12
    wide = sheet.width - MARGIN - 0.2 - left
    sheet.text(MARGIN, sheet.top, up.label, color=MUTED)
    _legend(sheet, curves, left, wide)
    floor = sheet.top + TALL
    for tick, label in zip(up.ticks, labels, strict=True):
        y = floor - TALL * up.place(tick)
        sheet.lines([((left, y), (left + wide, y))], LINE, thick=0.7)
        sheet.text(left - 0.1, y, label, size=9, color=MUTED, align="right")
    sheet.lines([((left, floor), (left + wide, floor))], MUTED)
    for tick in across.ticks:
        x = left + wide * across.place(tick)
        sheet.lines([((x, floor), (x, floor + 0.05))], MUTED)
        sheet.text(x, floor + 0.17, _number(tick), size=9, align="center")
    sheet.text(left + wide / 2, floor + 0.42, across.label, color=MUTED, align="center")
    for curve in curves:
        dots = [(left + wide * across.place(x), floor - TALL * up.place(y)) for x, y in curve.points]
        segments = list(pairwise(dots))
        sheet.lines(segments[::2] if curve.dashed else segments, curve.color, thick=2)
    sheet.save(path, floor + 0.5)


def _legend(sheet: Sheet, curves: Sequence[Curve], left: float, wide: float) -> None:
    """The names of the curves, below what is counted."""
    sheet.top += 0.26
    x = left
    for curve in curves:
        name = sheet.fit(curve.name, wide - 0.4, 9)
        if x > left and x + 0.35 + sheet.measure(name, 9) > left + wide:
            x, sheet.top = left, sheet.top + 0.22
        strokes = [(0.0, 0.11), (0.17, 0.28)] if curve.dashed else [(0.0, 0.28)]
        sheet.lines([((x + a, sheet.top), (x + b, sheet.top)) for a, b in strokes], curve.color, thick=2)
        sheet.text(x + 0.35, sheet.top, name, size=9)
        x += 0.35 + sheet.measure(name, 9) + 0.25
    sheet.top += 0.32


def _number(value: float) -> str:
    """A tick for people: no exponents up to a million, and none of a float's dust.

    >>> [_number(value) for value in (0.01, 5.0, 1000.0, 1e9)]
    ['0.01', '5', '1,000', '1e+09']
    """
    return f"{value:,.0f}" if 1 <= abs(value) <= 10**6 and value == round(value) else f"{value:g}"
