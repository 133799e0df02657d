"""Kinds of release as a picture and a page: what each loses, and what attackers find in it."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from cobogo.tell.report.canvas import BLUE, GREY, INK, LINE, MARGIN, MUTED, ORANGE, PALE, PAPER, TINT, WIDTH, Sheet
from cobogo.tell.report.html import environment
from cobogo.tell.report.words import Words, words

if TYPE_CHECKING:
    from cobogo.studies.families.job import Kinds, Measured

TALL = 4.2
DOT = 0.14
COLORS = {
    "original": MUTED, "recoding": BLUE, "randomization": ORANGE, "sampling": PALE, "synthesis": INK, "local": GREY,
}  # fmt: skip
TICKS = (0, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1)
"""Of the axis upwards, which is one of square roots: what matters is near the ground."""

SYMBOLS = {"k": "k", "retention": "p", "epsilon": "ε"}
Box = tuple[float, float, float, float]


def write(found: Kinds, directory: Path, *, language: str) -> None:
    """``kinds.json``, ``kinds.png`` and ``kinds.html``."""
    say = words(language)
    content = json.dumps(found.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    (directory / "kinds.json").write_text(content + "\n", encoding="utf-8", newline="\n")
    draw(found, directory / "kinds.png", say=say)
    page = render(found, (directory / "kinds.png").read_bytes(), say=say)
    (directory / "kinds.html").write_text(page, encoding="utf-8", newline="\n")


def render(found: Kinds, picture: bytes, *, say: Words) -> str:
    """The page: the picture, a table of every release, and why the axes are not the promises."""
    kinds = list(dict.fromkeys(one.kind for one in found.measured))
    rows = [
        {"name": say(f"kinds.{one.kind}"), "given": given(one, say).replace(" ", "\u00a0"), "one": one}
        for one in found.measured
    ]
    return (
        environment()
        .get_template("kinds.html.j2")
        .render(
            say=say,
            found=found,
            fact=fact(found, say),
            rows=rows,
            promises=[(say(f"kinds.{kind}"), say(f"kinds.{kind}.promise")) for kind in kinds],
            skipped=[say("kinds.skipped", kind=say(f"kinds.{kind}"), why=why) for kind, why in found.skipped.items()],
            picture=b64encode(picture).decode(),
        )
    )


def given(one: Measured, say: Words) -> str:
    """The parameter of a release, as people write it."""
    return ", ".join(f"{SYMBOLS[name]} = {say.number(value)}" for name, value in one.given.items())


def fact(found: Kinds, say: Words) -> str:
    """The headline: the release that loses least of those in which attackers find no more than chance explains."""
    safe = [one for one in found.measured if one.records and one.given and one.exposed <= found.chance]
    if not safe:
        return say("kinds.fact.none")
    best = min(safe, key=lambda one: one.lost)
    return say("kinds.fact", kind=say(f"kinds.{best.kind}"), given=given(best, say), lost=say.percent(best.lost))


def draw(found: Kinds, path: Path, *, say: Words) -> None:
    """One chart: what was lost to the right, what attackers find upwards; a line for each kind."""
    there = [one for one in found.measured if one.records]
    sheet = Sheet(fact(found, say), say("kinds.what"))
    left, wide = MARGIN + 0.62, WIDTH - 2 * MARGIN - 0.8
    _legend(sheet, there, say, left, wide)
    most_lost = _ceiling(max(one.lost for one in there))
    most_found = _ceiling(max(*(one.exposed for one in there), found.chance))
    sheet.text(MARGIN, sheet.top, say("kinds.up"), size=9.5, color=MUTED)
    sheet.top += 0.24
    floor = sheet.top + TALL

    def at(lost: float, exposed: float) -> tuple[float, float]:
        return left + wide * lost / most_lost, floor - TALL * math.sqrt(exposed / most_found)

    _, line = at(0, found.chance)
    sheet.bars([(left, line, wide, floor - line)], TINT)
    sheet.text(left + wide - 0.06, floor - 0.13, say("kinds.chance"), size=8.5, color=MUTED, align="right")
    for tick in TICKS:
        if tick <= most_found:
            _, y = at(0, tick)
            sheet.lines([((left, y), (left + wide, y))], LINE, thick=0.7)
            sheet.text(left - 0.08, y, say.percent(tick), size=9, color=MUTED, align="right")
    for step in range(6):
        lost = round(most_lost * step / 5, 4)
        x, _ = at(lost, 0)
        sheet.lines([((x, floor), (x, floor + 0.05))], MUTED)
        sheet.text(x, floor + 0.17, say.percent(lost), size=9, align="center")
    sheet.lines([((left, floor), (left + wide, floor))], MUTED)
    sheet.text(left + wide / 2, floor + 0.42, say("kinds.across"), size=9.5, color=MUTED, align="center")
    long = sheet.measure(say("kinds.chance"), 8.5)
    taken: list[Box] = [(left + wide - 0.06 - long, floor - 0.2, long, 0.14)]
    for kind in dict.fromkeys(one.kind for one in there):
        own = [one for one in there if one.kind == kind]
        dots = [at(one.lost, one.exposed) for one in own]
        sheet.lines(list(pairwise(dots)), COLORS[kind], thick=1.8)
        boxes = [(x - DOT / 2, y - DOT / 2, DOT, DOT) for x, y in dots]
        sheet.pills(boxes, fill=COLORS[kind], edge=PAPER, thick=1.2, over=3)
        taken += boxes
    for one in there:
        label = given(one, say) or say("kinds.original")
        _label(sheet, label, at(one.lost, one.exposed), taken, (left, floor, wide))
    sheet.save(path, floor + 0.5)


def _label(
    sheet: Sheet, text: str, dot: tuple[float, float], taken: list[Box], room: tuple[float, float, float]
) -> None:
    """A dot's label at the first side of it that is free, or nowhere."""
    long, (x, y), (left, floor, wide) = sheet.measure(text, 8.5), dot, room
    right, beside = x + DOT, x - DOT - long
    for a, b in ((right, y), (x - long / 2, y - 0.19), (beside, y), (x - long / 2, y + 0.19)):
        box = (a, b - 0.07, long, 0.14)
        inside = left <= a and a + long <= left + wide + 0.25 and b < floor - 0.05
        if inside and not any(_overlap(box, other) for other in taken):
            sheet.text(a, b, text, size=8.5)
            taken.append(box)
            return


def _overlap(one: Box, other: Box) -> bool:
    return (
        one[0] < other[0] + other[2] and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3] and other[1] < one[1] + one[3]
    )  # fmt: skip


def _legend(sheet: Sheet, there: list[Measured], say: Words, left: float, wide: float) -> None:
    x = left
    for kind in dict.fromkeys(one.kind for one in there):
        name = say(f"kinds.{kind}")
        if x > left and x + 0.27 + sheet.measure(name, 9) > left + wide:
            x, sheet.top = left, sheet.top + 0.22
        sheet.pills([(x, sheet.top - 0.055, 0.2, 0.11)], fill=COLORS[kind], edge=COLORS[kind])
        sheet.text(x + 0.27, sheet.top, name, size=9)
        x += 0.27 + sheet.measure(name, 9) + 0.25
    sheet.top += 0.36


def _ceiling(value: float) -> float:
    """The next multiple of a twentieth: an axis of five steps that reads well.

    >>> _ceiling(0.27), _ceiling(0.31)
    (0.3, 0.35)
    """
    return round(max(0.05, math.ceil(value * 20 - 1e-9) / 20), 2)
