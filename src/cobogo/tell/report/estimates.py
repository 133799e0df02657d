"""A plot of estimates with their intervals; beside the truth, where that is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cobogo.tell.report.canvas import BLUE, GREY, LINE, MARGIN, MUTED, ORANGE, PALE, WIDTH, Sheet

SHOWN = 30
HIGH = 0.2


@dataclass(frozen=True)
class Estimated:
    """One line of the plot, in the unit of the axis; ``there`` where it is significantly above nothing."""

    label: str
    value: float
    error: float
    there: bool = True
    true: float | None = None


def draw(path: Path, title: str, what: str, lines: Sequence[Estimated], *, unit: str, percent: bool = True) -> None:
    """Write a PNG: a bar for each estimate, a line over its interval of 95 %, a mark where the truth is."""
    sheet = Sheet(title, what)
    shown = list(lines[:SHOWN])
    _legend(sheet, any(line.true is not None for line in shown), all(line.there for line in shown))
    labels = [sheet.fit(line.label, 2.4, 9) for line in shown]
    left = MARGIN + max((sheet.measure(label, 9) for label in labels), default=0) + 0.15
    room = WIDTH - MARGIN - left - 0.2
    low = min([0.0, *(line.value - 1.96 * line.error for line in shown)])
    high = max([1e-12, *(line.value + 1.96 * line.error for line in shown), *(line.true or 0 for line in shown)])

    def place(value: float) -> float:
        return left + room * (value - low) / (high - low)

    top = sheet.top
    for number, (label, line) in enumerate(zip(labels, shown, strict=True)):
        middle = top + HIGH * number + HIGH / 2
        sheet.text(left - 0.12, middle, label, size=9, align="right")
        begin, end = sorted((place(0), place(line.value)))
        sheet.bars([(begin, middle - 0.055, max(end - begin, 0.01), 0.11)], PALE if line.there else GREY)
        ends = place(line.value - 1.96 * line.error), place(line.value + 1.96 * line.error)
        sheet.lines([((ends[0], middle), (ends[1], middle))], BLUE if line.there else MUTED, thick=1.5)
        sheet.lines([((x, middle - 0.04), (x, middle + 0.04)) for x in ends], BLUE if line.there else MUTED, thick=1.5)
        if line.true is not None:
            sheet.lines([((place(line.true), middle - 0.08), (place(line.true), middle + 0.08))], ORANGE, thick=2.5)
    floor = top + HIGH * len(shown) + 0.04
    sheet.lines([((place(0), top), (place(0), floor))], MUTED, thick=0.8)
    for tick in _ticks(low, high):
        sheet.lines([((place(tick), floor), (place(tick), floor + 0.05))], LINE)
        written = f"{100 * tick:g} %" if percent else f"{tick:g}"
        sheet.text(place(tick), floor + 0.17, written, size=9, align="center")
    sheet.text(left + room / 2, floor + 0.42, unit, color=MUTED, align="center")
    if len(lines) > SHOWN:
        sheet.text(MARGIN, floor + 0.42, f"… +{len(lines) - SHOWN}", size=9, color=MUTED)
    sheet.save(path, floor + 0.5)


def _legend(sheet: Sheet, with_truth: bool, all_there: bool) -> None:
    entries = [("estimate, with its interval of 95 %", PALE)]
    entries += [] if all_there else [("not to be told from nothing", GREY)]
    entries += [("truth", ORANGE)] if with_truth else []
    x = MARGIN
    for name, color in entries:
        sheet.bars([(x, sheet.top - 0.06, 0.2, 0.12)], color)
        sheet.text(x + 0.28, sheet.top, name, size=9)
        x += 0.5 + sheet.measure(name, 9)
    sheet.top += 0.25


def _ticks(low: float, high: float) -> list[float]:
    """Round figures, about five, between two.

    >>> _ticks(-0.01, 0.23)
    [0.0, 0.05, 0.1, 0.15, 0.2]
    """
    from math import ceil, floor, log10

    rough = (high - low) / 5
    power = 10 ** floor(log10(rough))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(number * step, 12) + 0.0 for number in range(first, last + 1)]
