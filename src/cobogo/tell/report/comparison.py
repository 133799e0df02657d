"""A comparison as a picture and a page: what each algorithm loses, costs and leaves to an attacker."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cobogo.tell.report.canvas import BLUE, MARGIN, MUTED, ORANGE, PALE, WIDTH, Sheet
from cobogo.tell.report.html import environment
from cobogo.tell.report.words import Words, words

if TYPE_CHECKING:
    from cobogo.studies.comparison import Comparison, Run

TALL = 0.3  # inches of a row
BAR = 0.15
NAMES = 1.25
GAP = 0.18


@dataclass(frozen=True)
class Column:
    """One column of bars: a number for each run, None where there is none, and how it is written."""

    name: str
    numbers: Sequence[float | None]
    shown: Sequence[str]
    color: str


def write(found: Comparison, directory: Path, *, language: str) -> None:
    """``comparison.json``, ``comparison.png`` and ``comparison.html``."""
    say = words(language)
    content = json.dumps(found.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    (directory / "comparison.json").write_text(content + "\n", encoding="utf-8", newline="\n")
    draw(found, directory / "comparison.png", say=say)
    page = render(found, (directory / "comparison.png").read_bytes(), say=say)
    (directory / "comparison.html").write_text(page, encoding="utf-8", newline="\n")


def fact(found: Comparison, say: Words) -> str:
    """The headline: which algorithm is best."""
    metric, best = say.name("metric", found.metric), found.best
    if best is None:
        return say("compare.fact.none")
    shown = dict(zip(found.runs, say.column([run.value for run in found.runs]), strict=True))
    several = [run for run in found.runs if run.value is not None]
    if len(several) > 1 and len({shown[run] for run in several}) == 1:
        return say("compare.fact.same", metric=metric, value=shown[best])
    return say("compare.fact", algorithm=best.algorithm, metric=metric, value=shown[best])


def columns(found: Comparison, say: Words) -> list[Column]:
    """What the picture shows of each run."""
    runs = found.runs
    solved = [run.solved for run in runs]

    def of(numbers: Sequence[float | None]) -> list[float | None]:
        return [number if there else None for number, there in zip(numbers, solved, strict=True)]

    values = [run.value for run in runs]
    seconds = of([run.seconds for run in runs])
    suppressed, classes = of([run.suppressed for run in runs]), of([run.classes for run in runs])
    risks = of([run.risk for run in runs])
    return [
        Column(say.name("metric", found.metric), values, say.column(values), BLUE),
        Column(say("compare.time"), seconds, [say.seconds(one) for one in seconds], PALE),
        Column(say("frontier.suppressed"), suppressed, [say.number(one) for one in suppressed], PALE),
        Column(say("frontier.classes"), classes, [say.number(one) for one in classes], PALE),
        Column(say("frontier.risk"), risks, [say.percent(one) for one in risks], ORANGE),
    ]


def draw(found: Comparison, path: Path, *, say: Words) -> None:
    """A row for each algorithm, a column of bars for each figure."""
    sheet = Sheet(fact(found, say), say("compare.what"))
    shown = columns(found, say)
    wide = (WIDTH - 2 * MARGIN - NAMES - GAP * len(shown)) / len(shown)
    for number, column in enumerate(shown):
        left = MARGIN + NAMES + GAP + number * (wide + GAP)
        sheet.text(left, sheet.top, sheet.fit(column.name, wide, 9.5, bold=True), size=9.5, bold=True)
        _bars(sheet, column, left, wide)
    for row, run in enumerate(found.runs):
        y = sheet.top + 0.38 + row * TALL
        sheet.text(MARGIN, y, sheet.fit(run.algorithm, NAMES, 9.5))
        if not run.solved:
            sheet.text(MARGIN + NAMES + GAP + 0.06, y, say("frontier.none"), size=9, color=MUTED)
    sheet.save(path, sheet.top + 0.3 + TALL * len(found.runs))


def _bars(sheet: Sheet, column: Column, left: float, wide: float) -> None:
    """From a common line to the right, the number at the end of each bar."""
    known = [number for number in column.numbers if number is not None]
    most = max(known, default=0.0) or 1.0
    room = wide - max((sheet.measure(text, 8.5) for text in column.shown), default=0.0) - 0.08
    top = sheet.top + 0.38
    sheet.lines([((left, top - 0.18), (left, top + TALL * len(column.numbers) - 0.12))], MUTED)
    boxes = []
    for row, (number, text) in enumerate(zip(column.numbers, column.shown, strict=True)):
        if number is None:
            continue
        long = max(room, 0.1) * max(number, 0.0) / most
        boxes.append((left, top + row * TALL - BAR / 2, long, BAR))
        sheet.text(left + long + 0.06, top + row * TALL, text, size=8.5)
    if boxes:
        sheet.bars(boxes, column.color)


def render(found: Comparison, picture: bytes, *, say: Words) -> str:
    """The page: the picture, a table of every run, and what was noted."""
    values = dict(zip(found.runs, say.column([run.value for run in found.runs]), strict=True))
    return (
        environment()
        .get_template("comparison.html.j2")
        .render(
            say=say,
            found=found,
            fact=fact(found, say),
            metric=say.name("metric", found.metric),
            means=say.means("metric", found.metric),
            better=say("metrics.higher" if found.maximize else "metrics.lower"),
            rows=[{"run": run, "value": values[run]} for run in found.runs],
            notes=_notes(found.runs),
            picture=b64encode(picture).decode(),
        )
    )


def _notes(runs: Sequence[Run]) -> list[tuple[str, str]]:
    return [(run.algorithm, note) for run in runs for note in run.notes]
