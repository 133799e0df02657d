"""The risk of a table as a picture and a page."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cobogo.floor.brief import tiles
from cobogo.tell.report.canvas import BLUE, MARGIN, MUTED, ORANGE, WIDTH, Sheet
from cobogo.tell.report.html import environment
from cobogo.tell.report.words import Words, words

if TYPE_CHECKING:
    from cobogo.examine.risk.subsets import Combination
    from cobogo.studies.risk import RiskReport

FILES = ("risk.json", "risk.png", "risk.html")

TALL = 0.3  # inches of a row
BAR = 0.15
LEFT = 3.0  # inches of the left panel
GAP = 0.3
ROWS = 9  # combinations in the picture
SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
FEW = 3  # quasi-identifiers that are easily known
SHOWN = 30  # single quasi-identifiers in the table

Row = dict[str, Any]
Bar = tuple[str, float, str, str]
"""A bar: its name, its length, its number, its colour."""


def write(found: RiskReport, directory: Path, *, language: str) -> None:
    """``risk.json``, ``risk.png`` and ``risk.html``."""
    say = words(language)
    content = json.dumps(found.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    (directory / "risk.json").write_text(content + "\n", encoding="utf-8", newline="\n")
    draw(found, directory / "risk.png", say=say)
    page = render(found, (directory / "risk.png").read_bytes(), say=say)
    (directory / "risk.html").write_text(page, encoding="utf-8", newline="\n")


def fact(found: RiskReport, say: Words) -> str:
    """The headline: how many stand alone."""
    people = say("exposure.people", n=found.people)
    if found.uniques:
        share, count = say.percent(found.unique_share), say.number(found.uniques)
        return say("exposure.fact.alone", share=share, count=count, people=people)
    return say("exposure.fact.none", n=int(found.sizes.min()) - 1, people=people)


def draw(found: RiskReport, path: Path, *, say: Words) -> None:
    """Two panels: people by the size of their class, and people whom combinations single out."""
    sheet = Sheet(fact(found, say), say("exposure.what", threshold=say.percent(found.threshold)))
    top = sheet.top
    _panel(sheet, say("exposure.sizes"), _sizes(found, say), left=MARGIN, wide=LEFT, names=1.0)
    bottom, sheet.top = sheet.top, top
    left = MARGIN + LEFT + GAP
    bars = _combinations(found, say)
    _panel(sheet, say("exposure.combinations"), bars, left=left, wide=WIDTH - MARGIN - left, names=3.1)
    sheet.save(path, max(bottom, sheet.top))


def _sizes(found: RiskReport, say: Words) -> list[Bar]:
    """The share of the people in classes of each size."""
    total = int(found.sizes.sum())
    bars = []
    for first, after in zip(SIZES, (*SIZES[1:], None), strict=True):
        last = None if after is None else after - 1
        there = (found.sizes >= first) & (found.sizes <= (last or found.sizes.max()))
        share = int(found.sizes[there].sum()) / total
        if last is None:
            name = say("exposure.more", first=first)
        else:
            name = say.number(first) if first == last else say("exposure.range", first=first, last=last)
        bars.append((name, share, say.percent(share), ORANGE if 1 / first > found.threshold else BLUE))
    return bars


def _combinations(found: RiskReport, say: Words) -> list[Bar]:
    """The share of the people whom the most telling combinations single out."""
    total = int(found.sizes.sum())
    shown = _alone(found)[:ROWS]
    larger = [one for one in found.telling() if len(one.attributes) > 1]
    shown = [*shown[: max(ROWS - len(larger), 2)], *larger][:ROWS]
    return [(" + ".join(one.attributes), one.uniques / total, say.percent(one.uniques / total), BLUE) for one in shown]


def _alone(found: RiskReport) -> list[Combination]:
    """Each quasi-identifier alone, the most telling first."""
    return sorted((one for one in found.combinations if len(one.attributes) == 1), key=lambda one: -one.separation)


def _panel(sheet: Sheet, title: str, bars: Sequence[Bar], *, left: float, wide: float, names: float) -> None:
    """Bars to the right of their names, from the sheet's top down."""
    sheet.text(left, sheet.top, sheet.fit(title, wide, 10.5, bold=True), size=10.5, bold=True)
    top, start = sheet.top + 0.38, left + names
    room = wide - names - max(sheet.measure(number, 8.5) for *_, number, _ in bars) - 0.08
    sheet.lines([((start, top - 0.18), (start, top + TALL * len(bars) - 0.12))], MUTED)
    most = max(share for _, share, *_ in bars) or 1.0
    for row, (name, share, number, color) in enumerate(bars):
        y, long = top + row * TALL, max(room, 0.1) * share / most
        sheet.text(start - 0.08, y, sheet.fit(name, names - 0.1, 9), size=9, align="right")
        if share:
            sheet.bars([(start, y - BAR / 2, max(long, 0.012), BAR)], color)
        sheet.text(start + long + 0.06, y, number, size=8.5)
    sheet.top = top + TALL * len(bars)


def render(found: RiskReport, picture: bytes, *, say: Words) -> str:
    """The page: the picture, and a table for each thing that was measured."""
    special = found.special
    return (
        environment()
        .get_template("risk.html.j2")
        .render(
            say=say,
            found=found,
            fact=fact(found, say),
            threshold=say.percent(found.threshold),
            keys=_keys(found, say),
            attackers=_attackers(found, say),
            estimates=_estimates(found, say),
            tellings=[*_alone(found)[:SHOWN], *(one for one in found.telling() if len(one.attributes) > 1)],
            minimal=[
                {"size": size, "found": number, "people": special.smallest[size]}
                for size, number in special.found.items()
                if number
            ],
            parts=sorted(special.attributes.items(), key=lambda part: -part[1]) if any(special.found.values()) else [],
            picture=b64encode(picture).decode(),
        )
    )


def figures(found: RiskReport) -> str:
    """The key figures, as HTML for a notebook."""
    shown = [(str(row["name"]), str(row["value"]), str(row["why"])) for row in _keys(found, words("en"))]
    return tiles(found.source, shown, found.notes)


def _keys(found: RiskReport, say: Words) -> list[Row]:
    prosecutor = found.attackers.prosecutor
    smallest, largest = int(found.sizes.min()), int(found.sizes.max())
    few = min(FEW, found.largest)
    return [
        {"name": say("exposure.uniques"), "value": say.number(found.people), "why": say("records", n=found.records)},
        {
            "name": say("exposure.classes"),
            "value": say.number(len(found.sizes)),
            "why": say("exposure.classes.why", smallest=smallest, largest=largest),
        },
        {
            "name": say("exposure.alone"),
            "value": say.number(found.uniques),
            "why": say("exposure.alone.why", share=say.percent(found.unique_share)),
        },
        {
            "name": say("exposure.over", threshold=say.percent(found.threshold)),
            "value": say.number(prosecutor.over),
            "why": say("exposure.over.why", share=say.percent(prosecutor.over_share)),
        },
        {
            "name": say("exposure.mean"),
            "value": say.percent(prosecutor.average),
            "why": say("exposure.mean.why"),
        },
        {
            "name": say("exposure.few"),
            "value": say.number(sum(found.special.smallest[size] for size in range(1, few + 1))),
            "why": say("exposure.few.why", n=few),
        },
    ]


def _attackers(found: RiskReport, say: Words) -> list[Row]:
    chances = found.attackers
    rows: list[Row] = [
        {"name": say("exposure.prosecutor"), "attack": chances.prosecutor, "why": say("exposure.prosecutor.why")}
    ]
    if chances.journalist is not None:
        why = say("exposure.journalist.estimated") if chances.estimated else say("exposure.journalist.why")
        rows.append({"name": say("exposure.journalist"), "attack": chances.journalist, "why": why})
    return rows


def _estimates(found: RiskReport, say: Words) -> list[Row]:
    known = found.population
    if known is None:
        return []
    rows = []
    if known.counted is not None:
        why = say("exposure.counted.why", here=known.counted_here)
        rows.append({"name": say("exposure.counted"), "uniques": known.counted, "why": why, "chosen": False})
    names = {
        "zayatz": (say("exposure.zayatz"), say("exposure.zayatz.why")),
        "pitman": (say("exposure.pitman"), say("exposure.pitman.why")),
        "snb": (say("exposure.snb"), say("exposure.snb.why")),
    }
    for key, (name, why) in names.items():
        uniques, chosen = known.estimates[key].uniques, known.estimates["dankar"].model == key
        more = say("exposure.none") if uniques is None else say("exposure.chosen") if chosen else ""
        rows.append({"name": name, "uniques": uniques, "why": f"{why} {more}".strip(), "chosen": chosen})
    return rows
