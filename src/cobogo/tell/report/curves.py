"""Plots of lines and dots over two axes: errors against ε, distributions of noise, the cost of privacy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from cobogo.tell.report.canvas import BLUE, LINE, MARGIN, MUTED, ORANGE, PALE, PAPER, Sheet

TALL = 2.7
COLORS = (BLUE, ORANGE, PALE, MUTED)

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""x, y, width, height."""


@dataclass(frozen=True)
class Curve:
    """A named line through points, from left to right."""

    name: str
    points: Sequence[Point]
    color: str = BLUE
    dashed: bool = False


@dataclass(frozen=True)
class Axis:
    """An axis: its label, and its ticks with their texts.

    The axis goes from the first tick to the last, unless ``bounds`` say otherwise.
    """

    label: str
    ticks: Sequence[float]
    logarithmic: bool = False
    texts: Sequence[str] | None = None
    bounds: tuple[float, float] | None = None

    def place(self, value: float) -> float:
        """The position of a value from 0 to 1; values beyond an end are placed at it."""
        low, high = self.bounds or (self.ticks[0], self.ticks[-1])
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(max(value, low))
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def tick_labels(self) -> list[tuple[float, str]]:
        """Each tick and its text."""
        return list(zip(self.ticks, self.texts or [_number(tick) for tick in self.ticks], strict=True))


@dataclass(frozen=True)
class Plane:
    """Two axes on a sheet."""

    across: Axis
    up: Axis
    left: float
    floor: float
    wide: float
    tall: float

    def position(self, x: float, y: float) -> Point:
        """The position of a point on the sheet."""
        return self.left + self.wide * self.across.place(x), self.floor - self.tall * self.up.place(y)


def decades(values: Sequence[float]) -> list[float]:
    """The powers of ten that enclose some positive values.

    >>> decades([0.3, 47])
    [0.1, 1.0, 10.0, 100.0]
    """
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [float(f"1e{power}") for power in range(low, max(high, low + 1) + 1)]


def draw(path: Path, title: str, what: str, curves: Sequence[Curve], *, across: Axis, up: Axis) -> str:
    """Draw curves and write a PNG, with the same bytes for the same curves."""
    sheet = Sheet(title, what)
    left = MARGIN + max(sheet.measure(text, 9) for _, text in up.tick_labels()) + 0.12
    wide = sheet.width - MARGIN - 0.2 - left
    sheet.text(MARGIN, sheet.top, up.label, color=MUTED)
    sheet.top += 0.26
    legend(sheet, curves, left, wide)
    plane = axes(sheet, across, up, left=left, wide=wide)
    for curve in curves:
        segments = list(pairwise(plane.position(x, y) for x, y in curve.points))
        sheet.lines(segments[::2] if curve.dashed else segments, curve.color, thick=2)
    return sheet.save(path, sheet.top)


def axes(
    sheet: Sheet, across: Axis, up: Axis, *, left: float, wide: float, tall: float = TALL, size: float = 9.0
) -> Plane:
    """Draw two axes below the sheet's top; ticks whose texts do not fit are left out."""
    plane, step = Plane(across, up, left, sheet.top + tall, wide, tall), size / 9
    for tick, text in up.tick_labels():
        _, y = plane.position(0, tick)
        sheet.lines([((left, y), (left + wide, y))], LINE, thick=0.7)
        sheet.text(left - 0.08 * step, y, text, size=size, color=MUTED, align="right")
    floor = plane.floor
    sheet.lines([((left, floor), (left + wide, floor))], MUTED)
    for tick, text in across.tick_labels():
        if sheet.measure(text, size) < wide / len(across.ticks):
            x, _ = plane.position(tick, 0)
            sheet.lines([((x, floor), (x, floor + 0.05 * step))], MUTED)
            sheet.text(x, floor + 0.17 * step, text, size=size, align="center")
    sheet.text(left + wide / 2, floor + 0.42 * step, across.label, size=size + 0.5, color=MUTED, align="center")
    sheet.top = floor + 0.5 * step
    return plane


def scatter(sheet: Sheet, plane: Plane, curves: Iterable[Curve], *, dot: float) -> list[Box]:
    """Draw curves as dots joined by lines, each over the earlier ones; return the boxes of the dots."""
    taken: list[Box] = []
    for curve in curves:
        places = [plane.position(x, y) for x, y in curve.points]
        boxes = [(x - dot / 2, y - dot / 2, dot, dot) for x, y in places]
        sheet.lines(list(pairwise(places)), curve.color, thick=2, dashed=curve.dashed)
        sheet.pills(boxes, fill=curve.color, edge=PAPER, thick=1.2, over=3)
        taken += boxes
    return taken


def legend(sheet: Sheet, curves: Iterable[Curve], left: float, wide: float, *, dots: bool = False) -> None:
    """Draw the names of the curves, on as many lines as they need, each after a sample of its line or dot."""
    x = left
    for curve in curves:
        name = sheet.fit(curve.name, wide - 0.4, 9)
        if not name:
            continue
        if x > left and x + 0.35 + sheet.measure(name, 9) > left + wide:
            x, sheet.top = left, sheet.top + 0.22
        if dots:
            sheet.pills([(x, sheet.top - 0.055, 0.28, 0.11)], fill=curve.color, edge=curve.color)
        else:
            strokes = [(0.0, 0.11), (0.17, 0.28)] if curve.dashed else [(0.0, 0.28)]
            sheet.lines([((x + a, sheet.top), (x + b, sheet.top)) for a, b in strokes], curve.color, thick=2)
        sheet.text(x + 0.35, sheet.top, name, size=9)
        x += 0.35 + sheet.measure(name, 9) + 0.25
    sheet.top += 0.32


def _number(value: float) -> str:
    """The text of a tick: without exponents up to a million, and without rounding errors.

    >>> [_number(value) for value in (0.01, 5.0, 1000.0, 1e9)]
    ['0.01', '5', '1,000', '1e+09']
    """
    return f"{value:,.0f}" if 1 <= abs(value) <= 10**6 and value == round(value) else f"{value:g}"
