"""A plot that sets shares side by side: for each label one bar of each series."""

from __future__ import annotations

from pathlib import Path

from cobogo.release.contract import Bars
from cobogo.tell.report.canvas import BLUE, GREY, INK, MARGIN, MUTED, ORANGE, PALE, WIDTH, Sheet
from cobogo.tell.report.words import Words

COLORS = (GREY, ORANGE, BLUE, PALE)
SHOWN = 20
THICK = 0.15


def compared(plot: Bars, path: Path, *, say: Words) -> None:
    """Draw it; of many labels the first."""
    sheet = Sheet(plot.title, plot.what)
    names = list(plot.series)
    x = MARGIN
    for name, color in zip(names, COLORS, strict=False):
        sheet.bars([(x, sheet.top - 0.06, 0.2, 0.12)], color)
        sheet.text(x + 0.28, sheet.top, name, size=9)
        x += 0.5 + sheet.measure(name, 9)
    sheet.top += 0.25
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
    sheet.save(path, sheet.top)
