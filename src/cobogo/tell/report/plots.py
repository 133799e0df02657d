"""The plots of a report: classes, values, levels and the lattice.

Each takes its data, the words and a path, and writes a PNG.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.floor.arrays import Ints
from cobogo.floor.language import Speech, tr
from cobogo.tell.report.canvas import (
    BLUE,
    GREY,
    INK,
    LINE,
    MARGIN,
    MUTED,
    ORANGE,
    PALE,
    PAPER,
    TINT,
    WHITE,
    WIDTH,
    Sheet,
)
from cobogo.tell.report.content import AttributeStory, LatticeStory, steps

TALL = 2.5  # inches of the highest column
MANY = 16  # columns that still have room for their numbers
SHOWN = 10  # values of a distribution, before the others
FEW = 3  # values that are shown where each is of next to no records

Row = tuple[Sequence[str], float, str]
"""A bar: the lines of its label, its length, the number at its end."""


def class_sizes(sizes: Ints, path: Path, *, say: Speech) -> str:
    """Draw the number of classes of each size."""
    low, high = int(sizes.min()), int(sizes.max())
    classes, records = (
        say.plural("{n} class", "{n} classes", n=len(sizes)),
        say.plural("{n} record", "{n} records", n=low),
    )
    if len(sizes) == 1:
        fact = say("All {records} are in one class", records=records)
    elif low == high:
        fact = say("Each of the {classes} has {records}", classes=classes, records=records)
    else:
        median = int(np.median(sizes))
        fact = say(
            "The smallest of {classes} has {records}; half of them have at most {median}",
            classes=classes,
            records=records,
            median=median,
        )
    sheet = Sheet(fact, say("Number of classes by number of records"))
    edges = bins(low, high)
    _columns(sheet, edges, np.histogram(sizes, edges)[0], say, axis=say("records in the class"))
    return sheet.save(path, sheet.top)


def distinct_values(
    distinct: Ints, path: Path, *, say: Speech, attribute: str, asked: int | None = None, title: str | None = None
) -> str:
    """Draw the number of classes with 1, 2, 3 … distinct values of a sensitive attribute; ``asked`` is the least l."""
    low, high = int(distinct.min()), int(distinct.max())
    name = _short_name(attribute)
    classes, values = (
        say.plural("{n} class", "{n} classes", n=len(distinct)),
        say.plural("{n} distinct value", "{n} distinct values", n=low),
    )
    if low == 1:
        fact = say.plural(
            "{n} of {classes} has a single value of “{attribute}”",
            "{n} of {classes} have a single value of “{attribute}”",
            n=int((distinct == 1).sum()),
            classes=classes,
            attribute=name,
        )
    else:
        key = (
            tr("The only class has {values} of “{attribute}”")
            if len(distinct) == 1
            else tr("Every class has at least {values} of “{attribute}”")
        )
        fact = say(key, values=values, attribute=name)
    sheet = Sheet(title or fact, say("Number of classes by number of distinct values of “{attribute}”", attribute=name))
    edges = np.arange(min(low, 1), high + 2) if high <= 40 else bins(low, high)
    counts = np.histogram(distinct, edges)[0]
    mark = (asked, say("required: at least {l}", l=asked)) if asked is not None and asked <= high <= 40 else None
    _columns(sheet, edges, counts, say, axis=say("distinct values in the class"), mark=mark)
    return sheet.save(path, sheet.top)


def bins(low: int, high: int) -> Ints:
    """The edges of a histogram of whole numbers: single values, round steps, or 1–2–5 where the range is wide.

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
    sheet: Sheet, edges: Ints, counts: Ints, say: Speech, *, axis: str, mark: tuple[int, str] | None = None
) -> None:
    """Draw a histogram with numbers on its columns; ``mark`` is a value that gets a line and a text."""
    left, right = MARGIN + 0.2, sheet.width - MARGIN - 0.2
    slot = min((right - left) / len(counts), 1.1)
    left = (left + right - slot * len(counts)) / 2
    sheet.top += 0.42 if mark else 0.12
    floor = sheet.top + TALL
    heights = TALL * counts / counts.max()
    gap = 0.08 * slot
    shown = [(left + i * slot + gap, h) for i, h in enumerate(heights) if h]
    # A count of one next to a million must still be visible.
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
    say: Speech,
    names: Sequence[str],
    classes: int,
    records: int,
    title: str | None = None,
) -> str:
    """Draw the largest classes with their values; ``classes`` and ``records`` are those of the whole release. Columns
    that say nothing of any of them are left out."""
    told = [place for place in range(len(names)) if any(values[place] != "*" for values, _ in largest)]
    told = told or [*range(len(names))]
    names = [names[place] for place in told]
    largest = [([values[place] for place in told], size) for values, size in largest]
    shown = sum(size for _, size in largest)
    if classes == 1:
        fact = say("All {records} are in one class", records=say.plural("{n} record", "{n} records", n=records))
    elif len(largest) == classes:
        fact = say(
            "The {n} classes have {records}", n=classes, records=say.plural("{n} record", "{n} records", n=records)
        )
    else:
        share = say.percent(shown / records if records else None)
        fact = say.plural(
            "The largest of {classes} has {share} of the released records",
            "The {n} largest of {classes} have {share} of the released records",
            n=len(largest),
            classes=say.plural("{n} class", "{n} classes", n=classes),
            share=share,
        )
    sheet = Sheet(
        title or fact, say("Records in each class, by its values of {names}", names=", ".join(map(_short_name, names)))
    )
    labels = [
        # A class of many attributes has many stars: they go without the words that explain one.
        sheet.wrap([value if value == "*" else say.label(value) for value in values], 3.9, 8.5, lines=2, glue=" · ")
        for values, _ in largest
    ]
    rows = [(lines, size, say.number(size)) for lines, (_, size) in zip(labels, largest, strict=True)]
    sheet.top = _rows(sheet, rows, left=MARGIN, right=WIDTH - MARGIN, color=BLUE)
    return sheet.save(path, sheet.top)


def _rows(
    sheet: Sheet, rows: Sequence[Row], *, left: float, right: float, color: str, alike: Sequence[Row] | None = None
) -> float:
    """Draw horizontal bars with labels and numbers; return where they end.

    The scale is that of ``alike``, a set of rows that includes these and is drawn elsewhere on the sheet.
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
    story: AttributeStory, path: Path, *, say: Speech, before: int | None = None, after: int | None = None
) -> str:
    """Draw the most frequent values of an attribute before and after; the numbers are all records of each side."""
    name = _short_name(story.name)
    was, now = story.distinct_before, story.distinct_after
    if was is None or now is None:
        fact = say("“{attribute}” before and after", attribute=name)
    elif story.before == story.after or (was == now and story.level == 0):
        fact = say(
            "“{attribute}” keeps its {before}",
            attribute=name,
            before=say.plural("{n} distinct value", "{n} distinct values", n=was),
        )
    else:
        fact = say(
            "“{attribute}”: {before} became {after}",
            attribute=name,
            before=say.plural("{n} distinct value", "{n} distinct values", n=was),
            after=now,
        )
    sheet = Sheet(fact, say("Share of the records with each value, most frequent first; both sides on the same scale"))
    shares = [_shares(sheet, story.before, before, say), _shares(sheet, story.after, after, say)]
    headings = [
        (tr("Before"), MUTED, GREY, MARGIN),
        (tr("After"), BLUE, BLUE, WIDTH / 2 + 0.15),
    ]
    top = bottom = sheet.top
    for (rows, total, rest), (heading, ink, color, left), values, distinct in zip(
        shares, headings, (story.before, story.after), (was, now), strict=True
    ):
        right = left + WIDTH / 2 - MARGIN - 0.15
        sheet.text(left, top, say(heading), size=10.5, bold=True, color=ink)
        sheet.text(right, top, say.plural("{n} record", "{n} records", n=total), size=9, color=MUTED, align="right")
        sheet.lines([((left, top + 0.14), (right, top + 0.14))])
        sheet.top = top + 0.24
        end = _rows(sheet, rows, left=left, right=right, color=color, alike=[*shares[0][0], *shares[1][0]])
        note = "" if rows else say("no values to show")
        if rows and rest:
            others = max(distinct or 0, len(values)) - len(rows)
            named = say.plural("{n} other value", "{n} other values", n=others) if others else say("other values")
            note = f"{named}: {say.percent(rest / total)}"
        sheet.text(left, end + 0.14, note, size=9, color=MUTED)
        bottom = max(bottom, end + (0.25 if note else 0))
    return sheet.save(path, bottom)


def _shares(
    sheet: Sheet, values: Sequence[tuple[Label, int]], records: int | None, say: Speech
) -> tuple[list[Row], int, int]:
    """The most frequent values as rows of shares, the number of records, and of those with other values."""
    total = max(records or 0, sum(count for _, count in values))
    if 10 * sum(count for _, count in values[:SHOWN]) < total:  # nearly every record has its own: a few show that
        values = values[:FEW]
    rows: list[Row] = [
        ([sheet.fit(say.label(value), 1.75, 8.5)], count / total, say.percent(count / total))
        for value, count in values[:SHOWN]
    ]
    return rows, total, total - sum(count for _, count in values[:SHOWN])


def _short_name(attribute: str) -> str:
    """An attribute's name, short enough for a sentence."""
    return attribute if len(attribute) <= 40 else attribute[:39] + "…"


Box = tuple[float, float, float, float]


def levels(attributes: Sequence[AttributeStory], path: Path, *, say: Speech) -> str:
    """Draw the levels of each attribute, filled up to the released one."""
    rows = [story for story in attributes if story.level is not None]
    kept = sum(story.level == 0 for story in rows)
    if kept in (0, len(rows)):
        fact = say(
            tr("Every quasi-identifier was generalized")
            if rows and not kept
            else tr("Every quasi-identifier keeps its original values")
        )
    else:
        fact = say.plural(
            "{n} of {total} quasi-identifiers keeps its original values",
            "{n} of {total} quasi-identifiers keep their original values",
            n=kept,
            total=len(rows),
        )
    sheet = Sheet(
        fact, say("From the original value (left) to the most general (right), filled up to the released level")
    )
    names = [sheet.fit(story.name, 2.2, 9.5) for story in rows]
    left = MARGIN + max((sheet.measure(name) for name in names), default=0) + 0.2
    right = WIDTH - MARGIN - 0.7
    columns = max((len(steps(story, say)) for story in rows), default=1)
    wide = min((right - left) / columns, 2.4)
    right = left + columns * wide
    boxes: dict[str, list[Box]] = {TINT: [], BLUE: [], PAPER: []}
    for column in range(columns if rows else 0):
        heading = say("level {level}", level=column)
        heading = heading if sheet.measure(heading, 9) < wide else say.number(column)
        sheet.text(left + (column + 0.5) * wide, sheet.top, heading, size=9, color=MUTED, align="center")
    y = sheet.top + 0.16
    for story, name in zip(rows, names, strict=True):
        level = story.level or 0
        sheet.text(left - 0.2, y + 0.17, name, align="right")
        for step, text in enumerate(steps(story, say)):
            label = text
            fill = BLUE if step == level else TINT if step < level else PAPER
            boxes[fill].append((left + step * wide + 0.03, y, wide - 0.06, 0.34))
            color = WHITE if step == level else INK if step < level else MUTED
            if sheet.measure(label, 8.5) > wide - 0.16 and label in (say.label("*"), say.label(None)):
                label = label.partition(" ")[0]  # * and NULL without their meaning
            shown = sheet.fit(label, wide - 0.16, 8.5)
            if len(shown) > 3 or shown == label:  # two letters and dots are not legible
                sheet.text(left + (step + 0.5) * wide, y + 0.17, shown, size=8.5, color=color, align="center")
        reached = say("{level} of {height}", level=level, height=len(steps(story, say)) - 1)
        sheet.text(right + 0.12, y + 0.17, reached, size=9, color=INK if level else MUTED)
        y += 0.42
    for fill, some in boxes.items():
        sheet.pills(some, fill=fill, edge=LINE if fill == PAPER else fill, thick=0.8, over=1)
    return sheet.save(path, y - 0.08)


def lattice(story: LatticeStory, path: Path, *, say: Speech, optimal: bool = True) -> str:
    """Draw the Hasse diagram of a small lattice: the original table at the bottom, the most general at the top."""
    nodes = story.levels
    varied = [i for i in range(nodes.shape[1]) if np.ptp(nodes[:, i])] or list(range(nodes.shape[1]))[:1]
    glue = "," if len(varied) <= 4 or nodes.max() > 9 else ""
    labels = [glue.join(str(int(level)) for level in node[varied]) for node in nodes]
    fact = say(
        tr("{satisfied} of {nodes} combinations satisfy the models; the best is {levels}")
        if optimal
        else tr("{satisfied} of {nodes} combinations satisfy the models; {levels} was chosen"),
        satisfied=int(story.satisfied.sum()),
        nodes=len(nodes),
        levels=_tuple(labels[story.chosen], glue),
    )
    what = say(
        "Levels of {names}; each line goes up one level of one attribute",
        names=", ".join(story.attributes[i] for i in varied),
    )

    heights = nodes.sum(axis=1) - nodes.sum(axis=1).min()
    tiers = [np.flatnonzero(heights == height) for height in range(int(heights.max()) + 1)]
    most = max(map(len, tiers))
    size = 10.5 if most <= 8 else 8.5 if most <= 16 else 7
    sheet = Sheet(fact, what)
    _legend(sheet, say, optimal)

    wide, high = max(sheet.measure(label, size) for label in labels) + 0.14, size * 0.025
    pitch = max(min(0.82 if most <= 8 else 0.95, 10 / len(tiers)), high + 0.12)
    places = np.zeros((len(nodes), 2))
    y = sheet.top + high / 2
    for members in reversed(tiers):
        # Descending order puts what the first attribute alone reaches on the left, as the cube is usually drawn.
        ordered = members[np.lexsort(-nodes[members].T[::-1])]
        slot = min((WIDTH - 2 * MARGIN - wide) / max(len(ordered) - 1, 1), 1.5)
        ranks = np.arange(len(ordered))
        rows = min(len(ordered), int(np.ceil((wide + 0.06) / slot)))  # a crowded tier stands in staggered rows
        places[ordered, 0] = WIDTH / 2 + (ranks - (len(ordered) - 1) / 2) * slot
        places[ordered, 1] = y + ranks % rows * (high + 0.06)
        y += (rows - 1) * (high + 0.06) + pitch
    bottom = places[:, 1].max()
    pairs = _steps_up(nodes)
    both = story.satisfied[pairs].all(axis=1) if len(pairs) else np.zeros(0, bool)
    for chosen, color in ((~both, LINE), (both, PALE)):
        sheet.lines([(tuple(places[a]), tuple(places[b])) for a, b in pairs[chosen]], color, thick=0.8)

    def boxes(which: Ints, grow: float = 0) -> list[Box]:
        return [
            (x - wide / 2 - grow, y - high / 2 - grow, wide + 2 * grow, high + 2 * grow)
            for x, y in places[which].tolist()
        ]

    best = np.array([story.chosen])
    rest = np.arange(len(nodes)) != story.chosen
    sheet.pills(boxes(np.flatnonzero(rest & ~story.satisfied)), fill=PAPER, edge=GREY)
    sheet.pills(boxes(np.flatnonzero(rest & story.satisfied)), fill=BLUE, edge=BLUE)
    sheet.pills(boxes(best, 0.1), fill=PAPER, edge=ORANGE, thick=1.4, over=3)
    sheet.pills(boxes(best, 0.045), fill=ORANGE, edge=ORANGE, over=4)
    for node, label in enumerate(labels):
        x, y = places[node].tolist()
        color = WHITE if node == story.chosen or story.satisfied[node] else MUTED
        sheet.text(x, y, label, size=size, color=color, bold=node == story.chosen, align="center")
    return sheet.save(path, bottom + high)


def _tuple(label: str, glue: str) -> str:
    """Levels within a sentence: in brackets, because "1,2" is a decimal number in Portuguese."""
    return f"({label.replace(glue, ', ')})" if glue else label


def _steps_up(nodes: Ints) -> Ints:
    """Pairs of nodes, the second one level above the first in one attribute."""
    index = {tuple(node): i for i, node in enumerate(nodes.tolist())}
    pairs = [
        (i, index[above])
        for node, i in index.items()
        for attribute in range(len(node))
        if (above := (*node[:attribute], node[attribute] + 1, *node[attribute + 1 :])) in index
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _legend(sheet: Sheet, say: Speech, optimal: bool) -> None:
    """Draw the legend of the three kinds of nodes."""
    x, y = MARGIN, sheet.top
    kinds = [
        (tr("the best") if optimal else tr("chosen"), ORANGE, ORANGE),
        (tr("satisfies the models"), BLUE, BLUE),
        (tr("does not satisfy them"), PAPER, GREY),
    ]
    for key, fill, edge in kinds:
        sheet.pills([(x, y - 0.08, 0.26, 0.16)], fill=fill, edge=edge)
        sheet.text(x + 0.34, y, say(key), size=9)
        x += 0.34 + sheet.measure(say(key), 9) + 0.3
    sheet.top += 0.42
