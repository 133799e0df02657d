"""Plots of bars: shares of several series, estimates with their intervals, and panels of bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cobogo.floor.language import Speech, speech
from cobogo.release.drawn import Bars
from cobogo.tell.report.canvas import BLUE, GREY, INK, LINE, MARGIN, MUTED, ORANGE, PALE, WIDTH, Sheet
from cobogo.tell.report.curves import Curve, legend

COLORS = (GREY, ORANGE, BLUE, PALE)
SHOWN = 20  # labels of a plot of shares
LINES = 30  # lines of a plot of estimates
SMALLEST = 0.75  # of the size of a heading that does not fit: smaller ones are hard to read, and are shortened
THICK = 0.15  # inches of a bar
TALL = 0.3  # inches of a row of a panel
HIGH = 0.2  # inches of a line of estimates


@dataclass(frozen=True)
class Bar:
    """A bar of a panel: its length (None draws none) and the number at its end; ``mark`` is a bound."""

    length: float | None
    number: str
    color: str = BLUE
    name: str = ""
    mark: float | None = None


def bar_panel(
    sheet: Sheet, title: str, bars: Sequence[Bar], *, left: float, wide: float, names: float = 0.0,
    most: float | None = None, size: float = 10.5,
) -> list[float]:  # fmt: skip
    """Draw bars to the right of their names, below the sheet's top; return the middle of each row.

    A bar of the length ``most`` fills the width; without ``most``, the longest bar does.
    """
    heading = size * max(min(wide / max(sheet.measure(title, size, bold=True), 1e-9), 1.0), SMALLEST)
    sheet.text(left, sheet.top, sheet.fit(title, wide, heading, bold=True), size=heading, bold=True)
    top, start = sheet.top + 0.38, left + names
    room = max(wide - names - max((sheet.measure(bar.number, 8.5) for bar in bars), default=0.0) - 0.1, 0.1)
    sheet.lines([((start, top - 0.18), (start, top + TALL * len(bars) - 0.12))], MUTED)
    most = most or max((bar.length for bar in bars if bar.length is not None), default=0.0) or 1.0
    middles = [top + row * TALL for row in range(len(bars))]
    for y, bar in zip(middles, bars, strict=True):
        sheet.text(start - 0.08, y, sheet.fit(bar.name, max(names - 0.1, 0.0), 9), size=9, align="right")
        if bar.length is None:
            continue
        long = room * min(max(bar.length, 0.0) / most, 1.0)
        if long:
            sheet.bars([(start, y - THICK / 2, max(long, 0.012), THICK)], bar.color)
        end = start + long
        if bar.mark is not None:
            line = start + room * bar.mark / most
            sheet.lines([((line, y - 0.13), (line, y + 0.13))], INK, thick=1.6)
            end = max(end, line)
        sheet.text(end + 0.06, y, bar.number, size=8.5)
    sheet.top = top + TALL * len(bars)
    return middles


def draw_shares(plot: Bars, path: Path, *, say: Speech) -> str:
    """Draw for each label a bar of each series; of many labels, the first `SHOWN`."""
    sheet = Sheet(plot.title, plot.what)
    names = list(plot.series)
    series = [Curve(name, (), color) for name, color in zip(names, COLORS, strict=False)]
    legend(sheet, series, MARGIN, WIDTH - 2 * MARGIN, dots=True)
    labels = [sheet.fit(label, 2.4, 9) for label in plot.labels[:SHOWN]]
    left = MARGIN + max((sheet.measure(label, 9) for label in labels), default=0) + 0.15
    room = WIDTH - MARGIN - left - 0.7
    most = max((value for values in plot.series.values() for value in values[:SHOWN]), default=0) or 1
    for number, label in enumerate(labels):
        middle = sheet.top + THICK * len(names) / 2
        sheet.text(left - 0.12, middle, label, size=9, align="right")
        for name, color in zip(names, COLORS, strict=False):
            value = plot.series[name][number]
            long = max(room * max(value, 0) / most, 0.015)
            sheet.bars([(left, sheet.top + 0.01, long, THICK - 0.03)], color)
            sheet.text(left + long + 0.07, sheet.top + THICK / 2, say.percent(max(value, 0)), size=7, color=INK)
            sheet.top += THICK
        sheet.top += 0.1
    if len(plot.labels) > SHOWN:
        sheet.text(MARGIN, sheet.top + 0.1, f"… +{len(plot.labels) - SHOWN}", size=9, color=MUTED)
        sheet.top += 0.2
    return sheet.save(path, sheet.top)


@dataclass(frozen=True)
class EstimateBar:
    """One line of a plot of estimates, in the unit of the axis; ``there`` says that it is significantly above 0."""

    label: str
    value: float
    error: float
    there: bool = True
    true: float | None = None


def draw_estimates(
    path: Path,
    title: str,
    what: str,
    lines: Sequence[EstimateBar],
    *,
    unit: str,
    percent: bool = True,
    say: Speech = speech("en"),  # noqa: B008
) -> str:
    """Draw a bar for each estimate, a line over its 95 % interval, and a mark at the truth where it is known."""
    sheet = Sheet(title, what)
    shown = list(lines[:LINES])
    entries = [Curve(say("estimate, with its 95% interval"), (), PALE)]
    entries += [] if all(line.there for line in shown) else [Curve(say("not significantly above 0"), (), GREY)]
    entries += [Curve(say("true value"), (), ORANGE)] if any(line.true is not None for line in shown) else []
    legend(sheet, entries, MARGIN, WIDTH - 2 * MARGIN, dots=True)
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
    for tick in ticks_between(low, high):
        sheet.lines([((place(tick), floor), (place(tick), floor + 0.05))], LINE)
        written = (
            say.percent(tick)
            if percent and tick >= 0
            else say.fixed(100 * tick, "g") + "%"
            if percent
            else say.number(tick)
        )
        sheet.text(place(tick), floor + 0.17, written, size=9, align="center")
    sheet.text(left + room / 2, floor + 0.42, unit, color=MUTED, align="center")
    if len(lines) > LINES:
        sheet.text(MARGIN, floor + 0.42, f"… +{len(lines) - LINES}", size=9, color=MUTED)
    return sheet.save(path, floor + 0.5)


def ticks_between(low: float, high: float) -> list[float]:
    """About five round numbers between two numbers.

    >>> ticks_between(-0.01, 0.23)
    [0.0, 0.05, 0.1, 0.15, 0.2]
    """
    from math import ceil, floor, log10

    rough = (high - low) / 5
    power = 10 ** floor(log10(rough))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(number * step, 12) + 0.0 for number in range(first, last + 1)]
