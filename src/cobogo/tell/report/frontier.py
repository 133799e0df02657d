"""The frontier as a picture and a page: what more privacy costs, and what it buys."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from cobogo.tell.report.canvas import BLUE, GREY, INK, MARGIN, MUTED, ORANGE, PALE, PAPER, WIDTH, Sheet
from cobogo.tell.report.html import environment
from cobogo.tell.report.words import Words, words

if TYPE_CHECKING:
    from cobogo.studies.frontier import Frontier, Point

TALL = 2.7  # inches of a panel
GAP = 0.75  # between the two panels
DOT = 0.11
SERIES = 6  # lines that can still be told apart
COLORS = (BLUE, ORANGE, INK, PALE, MUTED, GREY)


@dataclass(frozen=True)
class Series:
    """One line of a panel: its name, its colour, and for each place on the axis a share of the height and a label."""

    name: str
    color: str
    heights: Sequence[float | None]
    labels: Sequence[str]


def write(found: Frontier, directory: Path, *, language: str) -> None:
    """``frontier.json``, ``frontier.png`` and ``frontier.html``."""
    say = words(language)
    content = json.dumps(found.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    (directory / "frontier.json").write_text(content + "\n", encoding="utf-8", newline="\n")
    draw(found, directory / "frontier.png", say=say)
    picture = (directory / "frontier.png").read_bytes()
    page = render(found, picture, say=say)
    (directory / "frontier.html").write_text(page, encoding="utf-8", newline="\n")


def render(found: Frontier, picture: bytes, *, say: Words) -> str:
    """The page: the picture, and a table of every point."""
    solved = [point for point in found.points if point.levels is not None]
    values = iter(say.column([point.value for point in solved]))
    rows = [
        {
            "given": [say.number(value) for value in point.given.values()],
            "levels": None if point.levels is None else [say.number(level) for level in point.levels.values()],
            "value": None if point.levels is None else next(values),
            "point": point,
        }
        for point in found.points
    ]
    return (
        environment()
        .get_template("frontier.html.j2")
        .render(
            say=say,
            found=found,
            fact=fact(found, say),
            names=[named(name, say) for name in found.varied],
            attributes=list(solved[0].levels or ()) if solved else [],
            metric=say.name("metric", found.metric),
            means=say.means("metric", found.metric),
            rows=rows,
            picture=b64encode(picture).decode(),
        )
    )


def named(name: str, say: Words) -> str:
    """What the language calls what was varied: a parameter goes without its model."""
    return say("frontier.limit") if name == "suppression-limit" else name.rpartition(".")[2]


def fact(found: Frontier, say: Words) -> str:
    """The headline: from the first point that has a solution to the last, or the range where lines are several."""
    solved = [point for point in found.points if point.value is not None]
    metric = say.name("metric", found.metric)
    if not solved:
        return say("frontier.fact.none")
    values = [point.value for point in solved if point.value is not None]
    low, high = say.column([min(values), max(values)])
    if low == high:
        return say("frontier.fact.same", metric=metric, value=low)
    if len(found.varied) > 1:
        return say("frontier.fact.range", metric=metric, low=low, high=high)
    before, after = say.column([values[0], values[-1]])
    first, last = _given(found, solved[0], say), _given(found, solved[-1], say)
    return say("frontier.fact", metric=metric, before=before, after=after, first=first, last=last)


def _given(found: Frontier, point: Point, say: Words, names: Sequence[str] | None = None) -> str:
    shown = list(found.varied) if names is None else names
    return ", ".join(f"{named(name, say)} = {say.number(point.given[name])}" for name in shown)


def draw(found: Frontier, path: Path, *, say: Words) -> None:
    """Two panels over the first parameter: the metric, and the chances that an attacker is left with."""
    better = say("metrics.higher" if found.maximize else "metrics.lower")
    sheet = Sheet(fact(found, say), say("frontier.what", metric=say.name("metric", found.metric), better=better))
    wide = (WIDTH - 2 * MARGIN - GAP) / 2
    top = sheet.top
    _panel(sheet, found, _costs(found, say), say, left=MARGIN, wide=wide, title=say.name("metric", found.metric))
    bottom, sheet.top = sheet.top, top
    title = say("frontier.chance") if _alone(found) else say(_chance(found)[0])
    _panel(sheet, found, _chances(found, say), say, left=MARGIN + wide + GAP, wide=wide, title=title)
    sheet.save(path, max(bottom, sheet.top))


def _alone(found: Frontier) -> bool:
    """Whether one parameter is varied: then both chances fit into one panel."""
    return len(_lines(found)) == 1


def _lines(found: Frontier) -> list[list[Point]]:
    """The points of each line: those that differ in the first parameter only."""
    rest = list(found.varied)[1:]
    lines: dict[tuple[float, ...], list[Point]] = {}
    for point in found.points:
        lines.setdefault(tuple(point.given[name] for name in rest), []).append(point)
    return list(lines.values())[:SERIES]


def _series(
    found: Frontier, number: Callable[[Point], float | None], most: float, shown: Mapping[float, str], say: Words
) -> list[Series]:
    rest = list(found.varied)[1:]
    series = []
    for points, color in zip(_lines(found), COLORS, strict=False):
        values = [number(point) for point in points]
        heights = [None if value is None else value / most for value in values]
        labels = ["" if value is None else shown[value] for value in values]
        series.append(Series(_given(found, points[0], say, rest), color, heights, labels))
    return series


def _costs(found: Frontier, say: Words) -> list[Series]:
    values = [point.value for point in found.points if point.value is not None]
    shown = dict(zip(values, say.column(values), strict=True))
    return _series(found, lambda point: point.value, max(values, default=1.0) or 1.0, shown, say)


def _chance(found: Frontier) -> tuple[str, Callable[[Point], float | None]]:
    """What an attacker is left with: the worst inference, or the highest risk where nothing is sensitive."""
    if any(point.worst_inference is not None for point in found.points):
        return "frontier.inference", lambda point: point.worst_inference
    return "frontier.risk", lambda point: point.risk


def _chances(found: Frontier, say: Words) -> list[Series]:
    key, number = _chance(found)
    both = [number, lambda point: point.risk] if _alone(found) and key != "frontier.risk" else [number]
    values = [value for point in found.points for chance in both if (value := chance(point)) is not None]
    shown = {value: say.percent(value) for value in values}
    series = [line for chance in both for line in _series(found, chance, max(values, default=1.0), shown, say)]
    if not _alone(found):
        return series
    named = [(say(key), ORANGE), (say("frontier.risk"), BLUE)]
    return [Series(*name, line.heights, line.labels) for name, line in zip(named, series, strict=False)]


def _panel(
    sheet: Sheet, found: Frontier, series: Sequence[Series], say: Words, *, left: float, wide: float, title: str
) -> None:
    """Lines with dots over the values of the first parameter, drawn from the sheet's top down."""
    first, values = next(iter(found.varied.items()))
    sheet.text(left, sheet.top, sheet.fit(title, wide, 10.5, bold=True), size=10.5, bold=True)
    _legend(sheet, series, left, wide)
    floor = sheet.top + TALL
    slot = wide / len(values)
    places = [left + (number + 0.5) * slot for number in range(len(values))]
    sheet.lines([((left, floor), (left + wide, floor))], MUTED)
    for line in reversed(series):
        dots = [
            (x, floor - TALL * height) for x, height in zip(places, line.heights, strict=True) if height is not None
        ]
        known = [height is not None for height in line.heights]
        sheet.lines(list(pairwise(dots)), line.color, thick=2.2, dashed=not _unbroken(known))
        sheet.pills(
            [(x - DOT / 2, y - DOT / 2, DOT, DOT) for x, y in dots], fill=line.color, edge="#ffffff", thick=1.2, over=3
        )
    _numbers(sheet, series, places, floor, slot)
    for x, value in zip(places, values, strict=True):
        if sheet.measure(say.number(value)) < slot:
            sheet.text(x, floor + 0.17, say.number(value), align="center")
    solved = [any(line.heights[number] is not None for line in series) for number in range(len(values))]
    for x, found_any in zip(places, solved, strict=True):
        if not found_any:
            none = sheet.wrapped(say("frontier.none").split(), slot, 8, lines=2)
            for place, word in enumerate(reversed(none)):
                sheet.text(x, floor - 0.14 - 0.15 * place, word, size=8, color=MUTED, align="center")
    sheet.text(left + wide / 2, floor + 0.42, named(first, say), size=9.5, color=MUTED, align="center")
    sheet.top = floor + 0.5


def _unbroken(known: Sequence[bool]) -> bool:
    """Whether no point is missing between two that are there."""
    there = [number for number, known_one in enumerate(known) if known_one]
    return not there or there[-1] - there[0] + 1 == len(there)


def _legend(sheet: Sheet, series: Sequence[Series], left: float, wide: float) -> None:
    """The lines' names, where there are any, below the title."""
    sheet.top += 0.34
    x = left
    for line in series:
        name = sheet.fit(line.name, wide - 0.3, 9)
        if x > left and x + 0.27 + sheet.measure(name, 9) > left + wide:
            x, sheet.top = left, sheet.top + 0.22
        if name:
            sheet.pills([(x, sheet.top - 0.055, 0.2, 0.11)], fill=line.color, edge=line.color)
            sheet.text(x + 0.27, sheet.top, name, size=9)
            x += 0.27 + sheet.measure(name, 9) + 0.25
    sheet.top += 0.42


def _numbers(sheet: Sheet, series: Sequence[Series], places: Sequence[float], floor: float, slot: float) -> None:
    """Each dot's number above it, unless it would stand on another one."""
    for number, x in enumerate(places):
        taken: list[float] = []
        for line in sorted(series, key=lambda line: -(line.heights[number] or 0)):
            height = line.heights[number]
            if height is None:
                continue
            y, long = floor - TALL * height - 0.15, sheet.measure(line.labels[number], 9)
            if all(abs(y - other) > 0.16 for other in taken) and long < slot:
                sheet.pills([(x - long / 2, y - 0.07, long, 0.12)], fill=PAPER, edge=PAPER)  # lines stay behind it
                sheet.text(x, y, line.labels[number], size=9, color=INK, align="center")
                taken.append(y)
