"""The plots of a report: classes and values. Each takes its data, the words and a path, and writes a PNG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.floor.arrays import Ints
from cobogo.tell.report.canvas import BLUE, GREY, INK, MARGIN, MUTED, ORANGE, WIDTH, Sheet
from cobogo.tell.report.content import AttributeStory
from cobogo.tell.report.diagrams import lattice, levels
from cobogo.tell.report.words import Words

__all__ = ["class_sizes", "distinct_values", "distribution", "largest_classes", "lattice", "levels"]

TALL = 2.5  # the height of a column that stands for the most
MANY = 16  # columns that still have room for their numbers
SHOWN = 10  # values of a distribution, before the others

Row = tuple[Sequence[str], float, str]
"""A bar: the lines of its label, its length, the number at its end."""


def class_sizes(sizes: Ints, path: Path, *, say: Words, title: str | None = None) -> None:
    """How many classes there are of each size."""
    low, high = int(sizes.min()), int(sizes.max())
    classes, records = say("classes", n=len(sizes)), say("records", n=low)
    if len(sizes) == 1:
        fact = say("plot.class_sizes.one", records=records)
    elif low == high:
        fact = say("plot.class_sizes.equal", classes=classes, records=records)
    else:
        median = int(np.median(sizes))
        fact = say("plot.class_sizes", classes=classes, records=records, median=median)
    sheet = Sheet(title or fact, say("plot.class_sizes.what"))
    edges = bins(low, high)
    _columns(sheet, edges, np.histogram(sizes, edges)[0], say, axis=say("plot.class_sizes.axis"))
    sheet.save(path, sheet.top)


def distinct_values(
    distinct: Ints, path: Path, *, say: Words, attribute: str, asked: int | None = None, title: str | None = None
) -> None:
    """How many classes hold 1, 2, 3 … distinct values of a sensitive attribute; ``asked`` is the l of the policy."""
    low, high = int(distinct.min()), int(distinct.max())
    name = _named(attribute)
    classes, values = say("classes", n=len(distinct)), say("values", n=low)
    if low == 1:
        fact = say("plot.distinct.single", n=int((distinct == 1).sum()), classes=classes, attribute=name)
    else:
        key = "plot.distinct.one" if len(distinct) == 1 else "plot.distinct"
        fact = say(key, values=values, attribute=name)
    sheet = Sheet(title or fact, say("plot.distinct.what", attribute=name))
    edges = np.arange(1, high + 2) if high <= 40 else bins(low, high)
    counts = np.histogram(distinct, edges)[0]
    mark = (asked, say("plot.distinct.asked", l=asked)) if asked is not None and asked <= high <= 40 else None
    _columns(sheet, edges, counts, say, axis=say("plot.distinct.axis"), mark=mark)
    sheet.save(path, sheet.top)


def bins(low: int, high: int) -> Ints:
    """Edges of a histogram of whole numbers: one by one, in round steps, or 1–2–5 when the range is wide.

    >>> bins(3, 6).tolist(), bins(5, 1685).tolist()
    ([3, 4, 5, 6, 7], [5, 10, 20, 50, 100, 200, 500, 1000, 2000])
    >>> bins(95, 210).tolist()
    [95, 100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 200, 210, 220]
    """
    if high - low < MANY:
        return np.arange(low, high + 2)
    if high < 20 * low:
        step = next(step for step in _round_numbers(10**18) if step * 13 > high - low)
        inner = np.arange(low - low % step, high + step + 1, step)
    else:
        inner = np.array(_round_numbers(10 * high))
        if np.count_nonzero((inner > low) & (inner <= high)) > MANY:
            inner = np.array([10**power for power in range(19) if 10**power <= 10 * high])
    last = inner[inner > high].min()
    return np.concatenate([[low], inner[(inner > low) & (inner <= last)]])


def _round_numbers(most: int) -> list[int]:
    """1, 2, 5, 10, 20, 50 … up to a number."""
    return [step * 10**power for power in range(18) for step in (1, 2, 5) if step * 10**power <= most]


def _columns(
    sheet: Sheet, edges: Ints, counts: Ints, say: Words, *, axis: str, mark: tuple[int, str] | None = None
) -> None:
    """A histogram with its numbers on the columns; ``mark`` draws a line before one value and says why."""
    left, right = MARGIN + 0.2, sheet.width - MARGIN - 0.2
    slot = min((right - left) / len(counts), 1.1)
    left = (left + right - slot * len(counts)) / 2
    sheet.top += 0.42 if mark else 0.12
    floor = sheet.top + TALL
    heights = TALL * counts / counts.max()
    gap = 0.08 * slot
    shown = [(left + i * slot + gap, h) for i, h in enumerate(heights) if h]
    # A count of one beside a million must still be seen.
    sheet.bars([(x, floor - max(h, 0.015), slot - 2 * gap, max(h, 0.015)) for x, h in shown], BLUE)
    sheet.lines([((left, floor), (left + slot * len(counts), floor))], MUTED)
    size = 9.5 if len(counts) <= MANY else 6.5
    for i, (count, height) in enumerate(zip(counts, heights, strict=True)):
        label = say.number(int(count))
        if count and sheet.measure(label, size) < max(slot, 0.3):
            sheet.text(left + (i + 0.5) * slot, floor - height - 0.11, label, size=size, align="center")
    single = bool((np.diff(edges) == 1).all())
    ticks = [(i + (0.5 if single else 0), int(edge)) for i, edge in enumerate(edges[:-1] if single else edges)]
    widest = max(sheet.measure(say.number(value), 9) for _, value in ticks) + 0.1
    every = max(1, int(np.ceil(widest / slot)))
    for position, value in ticks[::every]:
        sheet.text(left + position * slot, floor + 0.16, say.number(value), size=9, align="center")
    sheet.text(left + slot * len(counts) / 2, floor + 0.4, axis, size=9.5, color=MUTED, align="center")
    if mark:
        x = left + (mark[0] - int(edges[0])) * slot
        sheet.lines([((x, floor), (x, floor - TALL - 0.42))], ORANGE, thick=1.4, dashed=True)
        beside = x + 0.08 + sheet.measure(mark[1], 9) < sheet.width
        sheet.text(x + (0.08 if beside else -0.08), floor - TALL - 0.36, mark[1], size=9, color=ORANGE,
                   align="left" if beside else "right")  # fmt: skip
    sheet.top = floor + 0.45


def largest_classes(
    largest: Sequence[tuple[Sequence[Label], int]],
    path: Path,
    *,
    say: Words,
    names: Sequence[str],
    classes: int,
    records: int,
    title: str | None = None,
) -> None:
    """The largest classes, each with its values; ``classes`` and ``records`` are those of the whole release."""
    held = sum(size for _, size in largest)
    if classes == 1:
        fact = say("plot.largest.one", records=say("records", n=records))
    elif len(largest) == classes:
        fact = say("plot.largest.all", n=classes, records=say("records", n=records))
    else:
        share = say.percent(held / records if records else None)
        fact = say("plot.largest", n=len(largest), classes=say("classes", n=classes), share=share)
    sheet = Sheet(title or fact, say("plot.largest.what", names=", ".join(map(_named, names))))
    labels = [
        # A class of many attributes has many stars: they go without the words that explain one.
        sheet.wrapped([value if value == "*" else say.label(value) for value in values], 3.9, 8.5, lines=2, glue=" · ")
        for values, _ in largest
    ]
    rows = [(lines, size, say.number(size)) for lines, (_, size) in zip(labels, largest, strict=True)]
    sheet.top = _rows(sheet, rows, left=MARGIN, right=WIDTH - MARGIN, color=BLUE)
    sheet.save(path, sheet.top)


def _rows(
    sheet: Sheet, rows: Sequence[Row], *, left: float, right: float, color: str, alike: Sequence[Row] | None = None
) -> float:
    """Horizontal bars: the lines of a label, the bar, its number. Returns where they end.

    Bars can be compared with those of ``alike``, another set of rows that includes these, drawn elsewhere.
    """
    alike = alike or rows
    if not rows:
        return sheet.top
    y = sheet.top
    start = left + max(sheet.measure(line, 8.5) for lines, _, _ in alike for line in lines or [""]) + 0.12
    room = right - start - max(sheet.measure(number, 9) for _, _, number in alike) - 0.1
    most = max(value for _, value, _ in alike) or 1
    boxes = []
    for lines, value, number in rows:
        high = 0.27 if len(lines) < 2 else 0.36
        for i, line in enumerate(lines):
            middle = y + high / 2 + (i - (len(lines) - 1) / 2) * 0.15
            sheet.text(start - 0.12, middle, line, size=8.5, align="right")
        long = max(room * value / most, 0.015)
        boxes.append((start, y + 0.035, long, high - 0.07))
        sheet.text(start + long + 0.08, y + high / 2, number, size=9, color=INK)
        y += high + 0.04
    sheet.bars(boxes, color)
    return y


def distribution(
    story: AttributeStory, path: Path, *, say: Words, before: int | None = None, after: int | None = None
) -> None:
    """The most frequent values of one attribute before and after; the two numbers are all records on each side."""
    name = _named(story.name)
    was, now = story.distinct_before, story.distinct_after
    if was is None or now is None:
        fact = say("plot.distribution.unknown", attribute=name)
    elif story.before == story.after or (was == now and story.level == 0):
        fact = say("plot.distribution.same", attribute=name, before=say("values", n=was))
    else:
        fact = say("plot.distribution", attribute=name, before=say("values", n=was), after=now)
    sheet = Sheet(fact, say("plot.distribution.what"))
    shares = [_shares(sheet, story.before, before, say), _shares(sheet, story.after, after, say)]
    headings = [
        ("plot.distribution.before", MUTED, GREY, MARGIN),
        ("plot.distribution.after", BLUE, BLUE, WIDTH / 2 + 0.15),
    ]
    top = bottom = sheet.top
    for (rows, total, rest), (heading, ink, color, left), values, distinct in zip(
        shares, headings, (story.before, story.after), (was, now), strict=True
    ):
        right = left + WIDTH / 2 - MARGIN - 0.15
        sheet.text(left, top, say(heading), size=10.5, bold=True, color=ink)
        sheet.text(right, top, say("records", n=total), size=9, color=MUTED, align="right")
        sheet.lines([((left, top + 0.14), (right, top + 0.14))])
        sheet.top = top + 0.24
        end = _rows(sheet, rows, left=left, right=right, color=color, alike=[*shares[0][0], *shares[1][0]])
        note = "" if rows else say("plot.none")
        if rows and rest:
            others = max(distinct or 0, len(values)) - len(rows)
            named = say("plot.distribution.others", n=others) if others else say("plot.distribution.rest")
            note = f"{named}: {say.percent(rest / total)}"
        sheet.text(left, end + 0.14, note, size=9, color=MUTED)
        bottom = max(bottom, end + (0.25 if note else 0))
    sheet.save(path, bottom)


def _shares(
    sheet: Sheet, values: Sequence[tuple[Label, int]], records: int | None, say: Words
) -> tuple[list[Row], int, int]:
    """The most frequent values as rows of shares, all records, and those with other values."""
    total = max(records or 0, sum(count for _, count in values))
    rows: list[Row] = [
        ([sheet.fit(say.label(value), 1.75, 8.5)], count / total, say.percent(count / total))
        for value, count in values[:SHOWN]
    ]
    return rows, total, total - sum(count for _, count in values[:SHOWN])


def _named(attribute: str) -> str:
    """An attribute's name, short enough for a sentence."""
    return attribute if len(attribute) <= 40 else attribute[:39] + "…"
