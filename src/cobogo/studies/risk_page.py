"""The risk of a table as a picture and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from cobogo.floor.representation import tiles as notebook_tiles
from cobogo.tell.report.bars import Bar, bar_panel
from cobogo.tell.report.canvas import BLUE, MARGIN, ORANGE, WIDTH, Sheet
from cobogo.tell.report.page import (
    Cell,
    Field,
    PageSection,
    Row,
    bar,
    lines,
    names,
    origin,
    page,
    paragraph,
    picture,
    table,
    tiles,
)
from cobogo.tell.report.words import NOTHING, Words, words

if TYPE_CHECKING:
    from cobogo.examine.risk.combinations import Combination
    from cobogo.studies.risk import RiskReport

LEFT = 3.0  # inches of the left panel
GAP = 0.3
ROWS = 9  # combinations in the picture
SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
FEW = 3  # quasi-identifiers that are easily known
SHOWN = 30  # single quasi-identifiers in the table


def _fact(found: RiskReport, say: Words) -> str:
    """The headline: how many people are unique."""
    people = say("exposure.people", n=found.people)
    if found.uniques:
        share, count = say.percent(found.unique_share), say.number(found.uniques)
        return say("exposure.fact.alone", share=share, count=count, people=people)
    return say("exposure.fact.none", n=int(found.sizes.min()) - 1, people=people)


def draw(found: RiskReport, path: Path, *, say: Words) -> None:
    """Draw two panels: people by the size of their class, and people whom combinations single out."""
    sheet = Sheet(_fact(found, say), say("exposure.what", threshold=say.percent(found.threshold)))
    top = sheet.top
    bar_panel(sheet, say("exposure.sizes"), _sizes(found, say), left=MARGIN, wide=LEFT, names=1.0)
    bottom, sheet.top = sheet.top, top
    left = MARGIN + LEFT + GAP
    bars = _combinations(found, say)
    bar_panel(sheet, say("exposure.combinations"), bars, left=left, wide=WIDTH - MARGIN - left, names=3.1)
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
        bars.append(Bar(share, say.percent(share), ORANGE if 1 / first > found.threshold else BLUE, name))
    return bars


def _combinations(found: RiskReport, say: Words) -> list[Bar]:
    """The share of the people whom the most separating combinations single out."""
    total = int(found.sizes.sum())
    shown = _alone(found)[:ROWS]
    larger = [one for one in found.telling() if len(one.attributes) > 1]
    shown = [*shown[: max(ROWS - len(larger), 2)], *larger][:ROWS]
    shares = [one.uniques / total for one in shown]
    return [
        Bar(share, say.percent(share), name=" + ".join(one.attributes))
        for one, share in zip(shown, shares, strict=True)
    ]


def _alone(found: RiskReport) -> list[Combination]:
    """Each quasi-identifier alone, the most separating first."""
    return sorted((one for one in found.combinations if len(one.attributes) == 1), key=lambda one: -one.separation)


def render(found: RiskReport, png: bytes, *, say: Words) -> str:
    """The picture, and a table for each thing that was measured."""
    sections = [
        tiles(_keys(found, say)),
        PageSection(parts=[picture(png, _fact(found, say))]),
        PageSection(say("exposure.attackers"), say("exposure.attackers.why"), [_attackers(found, say)]),
        _population(found, say),
        _tellings(found, say),
        _special(found, say),
        _columns(found, say),
        PageSection(say("exposure.notes"), parts=[_list_notes(found.notes)]) if found.notes else None,
    ]
    return page(
        say,
        say("exposure.title"),
        sections,
        created=found.created,
        source=found.source,
        about=origin(say, found.source, found.records),
        banner=(say("exposure.banner"), say("exposure.banner.why")),
    )


def figures(found: RiskReport) -> str:
    """The key figures, as HTML for a notebook."""
    return notebook_tiles(found.source, _keys(found, words("en")), found.notes)


def _keys(found: RiskReport, say: Words) -> list[tuple[str, str, str]]:
    prosecutor = found.attackers.prosecutor
    smallest, largest = int(found.sizes.min()), int(found.sizes.max())
    few = min(FEW, found.largest)
    exposed = sum(found.special.smallest[size] for size in range(1, few + 1))
    return [
        (say("exposure.uniques"), say.number(found.people), say("records", n=found.records)),
        (
            say("exposure.classes"),
            say.number(len(found.sizes)),
            say("exposure.classes.why", smallest=smallest, largest=largest),
        ),
        (
            say("exposure.alone"),
            say.number(found.uniques),
            say("exposure.alone.why", share=say.percent(found.unique_share)),
        ),
        (
            say("exposure.over", threshold=say.percent(found.threshold)),
            say.number(prosecutor.over),
            say("exposure.over.why", share=say.percent(prosecutor.over_share)),
        ),
        (say("exposure.mean"), say.percent(prosecutor.average), say("exposure.mean.why")),
        (say("exposure.few"), say.number(exposed), say("exposure.few.why", n=few)),
    ]


def _attackers(found: RiskReport, say: Words) -> Markup:
    chances = found.attackers
    rows: list[Row] = []
    known = [(say("exposure.prosecutor"), chances.prosecutor, say("exposure.prosecutor.why"))]
    if chances.journalist is not None:
        why = say("exposure.journalist.estimated") if chances.estimated else say("exposure.journalist.why")
        known.append((say("exposure.journalist"), chances.journalist, why))
    for name, chance, why in known:
        over = f"{say.number(chance.over)} ({say.percent(chance.over_share)})"
        rows.append([name, bar(chance.highest, say), bar(chance.average, say), over, why])
    marketer = bar(chances.marketer, say)
    rows.append([say("exposure.marketer"), Cell("", ""), marketer, Cell("", ""), say("exposure.marketer.why")])
    fields = [
        Field(say("exposure.attacker"), "row"),
        Field(say("exposure.highest"), "chance"),
        Field(say("exposure.average"), "chance"),
        Field(say("exposure.over", threshold=say.percent(found.threshold)), "num"),
        Field(say("explained"), "why"),
    ]
    return table(fields, rows)


def _population(found: RiskReport, say: Words) -> PageSection | None:
    """How many people are unique in the population: counted, or by each estimator."""
    known = found.population
    if known is None:
        return None
    counted = [] if known.counted is None else [
        (say("exposure.counted"), known.counted, say("exposure.counted.why", here=known.counted_here), False)
    ]  # fmt: skip
    estimators = {
        "zayatz": (say("exposure.zayatz"), say("exposure.zayatz.why")),
        "pitman": (say("exposure.pitman"), say("exposure.pitman.why")),
        "snb": (say("exposure.snb"), say("exposure.snb.why")),
    }
    estimates: list[tuple[str, float | None, str, bool]] = [*counted]
    for key, (name, why) in estimators.items():
        uniques, chosen = known.estimates[key].uniques, known.estimates["dankar"].model == key
        more = say("exposure.none") if uniques is None else say("exposure.chosen") if chosen else ""
        estimates.append((f"{name} ●" if chosen else name, uniques, f"{why} {more}".strip(), chosen))
    rows = [
        [
            name,
            NOTHING if uniques is None else say.number(round(uniques)),
            NOTHING if uniques is None else say.percent(uniques / known.size),
            why,
        ]
        for name, uniques, why, _ in estimates
    ]
    fields = [
        Field(say("exposure.estimator"), "row"),
        Field(say("exposure.uniques"), "num"),
        Field(say("exposure.share"), "num"),
        Field(say("explained"), "why"),
    ]
    chosen_row = next((number for number, line in enumerate(estimates) if line[3]), None)
    lead = say("exposure.population.why", share=say.percent(known.fraction), size=known.size)
    return PageSection(say("exposure.population"), lead, [table(fields, rows, chosen=chosen_row)])


def _tellings(found: RiskReport, say: Words) -> PageSection:
    """Which combinations of quasi-identifiers separate people."""
    shown = [*_alone(found)[:SHOWN], *(one for one in found.telling() if len(one.attributes) > 1)]
    rows = [
        [names(one.attributes), say.percent(one.distinction), bar(one.separation, say), say.number(one.uniques)]
        for one in shown
    ]
    fields = [
        Field(say("exposure.attributes"), "row data"),
        Field(say("exposure.distinction"), "num"),
        Field(say("exposure.separation"), "chance"),
        Field(say("exposure.singled"), "num"),
    ]
    lead = say(
        "exposure.telling.why",
        count=len(found.combinations),
        largest=found.largest,
        width=len(found.quasi_identifiers),
    )
    parts = [table(fields, rows), paragraph(say("exposure.telling.note"))]
    return PageSection(say("exposure.telling"), lead, parts)


def _special(found: RiskReport, say: Words) -> PageSection | None:
    """The smallest combinations that single somebody out, and which attributes are in them."""
    special = found.special
    if not any(special.found.values()):
        return None
    sizes = [
        [str(size), say.number(number), say.number(special.smallest[size])]
        for size, number in special.found.items()
        if number
    ]
    parts = sorted(special.attributes.items(), key=lambda part: -part[1])
    dis = "" if special.dis is None else f" {say('exposure.special.dis', share=say.percent(special.dis))}"
    by_size = [
        Field(say("exposure.special.size"), "row num"),
        Field(say("exposure.special.found"), "num"),
        Field(say("exposure.special.people"), "num"),
    ]
    by_attribute = [Field(say("telling.attribute"), "row data"), Field(say("exposure.part"), "chance")]
    shares = [[names([name]), bar(share, say)] for name, share in parts]
    return PageSection(
        say("exposure.special"),
        say("exposure.special.why") + dis,
        [table(by_size, sizes, kind="narrow"), table(by_attribute, shares, kind="narrow")],
    )


def _columns(found: RiskReport, say: Words) -> PageSection:
    """The columns with values that identify people."""
    if not found.columns:
        return PageSection(say("exposure.columns"), say("exposure.columns.none"))
    rows = [
        [
            names([one.column]),
            say.name("role", one.role) if one.role else NOTHING,
            say.name("holds", one.what),
            say.percent(one.confidence),
            one.reason,
            lines(*one.rules),
        ]
        for one in found.columns
    ]
    fields = [
        Field(say("exposure.column"), "row data"),
        Field(say("attributes.role")),
        Field(say("exposure.holds")),
        Field(say("exposure.sure"), "num"),
        Field(say("exposure.because"), "why", lang="en"),
        Field(say("exposure.rule"), "why"),
    ]
    return PageSection(say("exposure.columns"), say("exposure.columns.why"), [table(fields, rows)])


def _list_notes(notes: Sequence[str]) -> Markup:
    entries = Markup("\n").join(Markup("<li>{}</li>").format(note) for note in notes)
    return Markup('<ul lang="en">\n{}\n</ul>').format(entries)
