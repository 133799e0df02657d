"""The risk of a table as a picture and a page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from cobogo.floor.language import NOTHING, Speech, speech
from cobogo.floor.representation import tiles as notebook_tiles
from cobogo.tell.report.bars import Bar, bar_panel
from cobogo.tell.report.canvas import BLUE, MARGIN, ORANGE, WIDTH, Sheet
from cobogo.tell.report.labels import ROLE
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

if TYPE_CHECKING:
    from cobogo.examine.risk.combinations import Combination
    from cobogo.studies.risk import RiskReport

LEFT = 3.0  # inches of the left panel
GAP = 0.3
ROWS = 9  # combinations in the picture
SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
FEW = 3  # quasi-identifiers that are easily known
SHOWN = 30  # single quasi-identifiers in the table


def _fact(found: RiskReport, say: Speech) -> str:
    """The headline: how many people are unique."""
    people = say.plural("{n} person", "{n} people", n=found.people)
    if found.uniques:
        share, count = say.percent(found.unique_share), say.number(found.uniques)
        return say("{share} of the people are unique: {count} of {people}", share=share, count=count, people=people)
    return say.plural(
        "No person is unique: each of {people} looks like at least {n} other",
        "No person is unique: each of {people} looks like at least {n} others",
        n=int(found.sizes.min()) - 1,
        people=people,
    )


def draw(found: RiskReport, path: Path, *, say: Speech) -> str:
    """Draw two panels: people by the size of their class, and people whom combinations single out."""
    sheet = Sheet(
        _fact(found, say),
        say(
            "Left: in orange, people whose risk is above {threshold}. Right: the share of the people who are "
            "unique by a combination of quasi-identifiers, the most revealing one of each size.",
            threshold=say.percent(found.threshold),
        ),
    )
    top = sheet.top
    bar_panel(sheet, say("people by the size of their class"), _sizes(found, say), left=MARGIN, wide=LEFT, names=1.0)
    bottom, sheet.top = sheet.top, top
    left = MARGIN + LEFT + GAP
    bars = _combinations(found, say)
    bar_panel(sheet, say("people who are unique by"), bars, left=left, wide=WIDTH - MARGIN - left, names=3.1)
    return sheet.save(path, max(bottom, sheet.top))


def _sizes(found: RiskReport, say: Speech) -> list[Bar]:
    """The share of the people in classes of each size."""
    total = int(found.sizes.sum())
    bars = []
    for first, after in zip(SIZES, (*SIZES[1:], None), strict=True):
        last = None if after is None else after - 1
        there = (found.sizes >= first) & (found.sizes <= (last or found.sizes.max()))
        share = int(found.sizes[there].sum()) / total
        if last is None:
            name = say("{first} or more", first=first)
        else:
            name = say.number(first) if first == last else say("{first} to {last}", first=first, last=last)
        bars.append(Bar(share, say.percent(share), ORANGE if 1 / first > found.threshold else BLUE, name))
    return bars


def _combinations(found: RiskReport, say: Speech) -> list[Bar]:
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


def render(found: RiskReport, svg: str, *, say: Speech) -> str:
    """The picture, and a table for each thing that was measured."""
    sections = [
        tiles(_keys(found, say)),
        PageSection(parts=[picture(svg, _fact(found, say))]),
        PageSection(
            say("What an attacker can achieve"),
            say(
                "The probability that an attacker who knows a person’s quasi-identifiers finds the right record. "
                "It depends on what else the attacker knows."
            ),
            [_attackers(found, say)],
        ),
        _population(found, say),
        _tellings(found, say),
        _special(found, say),
        _columns(found, say),
        PageSection(say("Notes"), parts=[_list_notes(map(say, found.notes))]) if found.notes else None,
    ]
    return page(
        say,
        say("The risk of re-identification"),
        sections,
        created=found.created,
        source=found.source,
        about=origin(say, found.source, found.records),
        banner=(
            say("This page is about the data as they are. Keep it where the data are kept."),
            say("It shows no values of the data, but it says how to find people in them."),
        ),
    )


def figures(found: RiskReport) -> str:
    """The key figures, as HTML for a notebook."""
    return notebook_tiles(found.source, _keys(found, speech("en")), found.notes)


def _keys(found: RiskReport, say: Speech) -> list[tuple[str, str, str]]:
    prosecutor = found.attackers.prosecutor
    smallest, largest = int(found.sizes.min()), int(found.sizes.max())
    few = min(FEW, found.largest)
    exposed = sum(found.special.smallest[size] for size in range(1, few + 1))
    return [
        (say("people"), say.number(found.people), say.plural("{n} record", "{n} records", n=found.records)),
        (
            say("equivalence classes"),
            say.number(len(found.sizes)),
            say("of {smallest} to {largest} people", smallest=smallest, largest=largest),
        ),
        (
            say("unique people"),
            say.number(found.uniques),
            say("{share}: no other person has the same quasi-identifiers", share=say.percent(found.unique_share)),
        ),
        (
            say("above {threshold}", threshold=say.percent(found.threshold)),
            say.number(prosecutor.over),
            say("{share}: people with a higher risk, in small classes", share=say.percent(prosecutor.over_share)),
        ),
        (say("average risk"), say.percent(prosecutor.average), say("for an attacker who knows who is in the table")),
        (
            say("unique by few columns"),
            say.number(exposed),
            say.plural(
                "{n} quasi-identifier is enough for each of them",
                "{n} quasi-identifiers or fewer are enough for each of them",
                n=few,
            ),
        ),
    ]


def _attackers(found: RiskReport, say: Speech) -> Markup:
    chances = found.attackers
    rows: list[Row] = []
    known = [
        (
            say("prosecutor"),
            chances.prosecutor,
            say("Knows that the person is in the table: 1 divided by the people of the class."),
        )
    ]
    if chances.journalist is not None:
        why = (
            say(
                "Does not know who is in the table: an estimate of 1 divided by the people of the class in the "
                "population."
            )
            if chances.estimated
            else say(
                "Does not know who is in the table: 1 divided by the people of the class in the population, who "
                "were counted."
            )
        )
        known.append((say("journalist"), chances.journalist, why))
    for name, chance, why in known:
        over = f"{say.number(chance.over)} ({say.percent(chance.over_share)})"
        rows.append([name, bar(chance.highest, say), bar(chance.average, say), over, why])
    marketer = bar(chances.marketer, say)
    rows.append(
        [
            say("marketer"),
            Cell("", ""),
            marketer,
            Cell("", ""),
            say("Wants to find as many people as possible: the share that would be found."),
        ]
    )
    fields = [
        Field(say("attacker"), "row"),
        Field(say("highest risk"), "chance"),
        Field(say("average risk"), "chance"),
        Field(say("above {threshold}", threshold=say.percent(found.threshold)), "num"),
        Field(say("in plain words"), "why"),
    ]
    return table(fields, rows)


def _population(found: RiskReport, say: Speech) -> PageSection | None:
    """How many people are unique in the population: counted, or by each estimator."""
    known = found.population
    if known is None:
        return None
    here = say("In the table of the population; {here} of them are in the data.", here=known.counted_here)
    counted = [] if known.counted is None else [(say("counted"), known.counted, here, False)]
    estimators = {
        "zayatz": (say("Zayatz"), say("Assumes that class sizes are distributed in the population as in the table.")),
        "pitman": (
            say("Pitman"),
            say("Fits Pitman’s sampling formula; good if the table is a small part of the population."),
        ),
        "snb": (
            say("slide negative binomial"),
            say("Fits a slide negative binomial distribution; good if the table is a large part of the population."),
        ),
    }
    estimates: list[tuple[str, float | None, str, bool]] = [*counted]
    for key, (name, why) in estimators.items():
        uniques, chosen = known.estimates[key].uniques, known.estimates["dankar"].model == key
        more = (
            say("It gives no estimate for these class sizes.")
            if uniques is None
            else say("Dankar’s rule chooses it.")
            if chosen
            else ""
        )
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
        Field(say("estimator"), "row"),
        Field(say("people"), "num"),
        Field(say("share"), "num"),
        Field(say("in plain words"), "why"),
    ]
    chosen_row = next((number for number, line in enumerate(estimates) if line[3]), None)
    lead = say(
        "{share} of a population of {size} are in the table. This is how many people have a combination of "
        "quasi-identifiers that no other person in the population has.",
        share=say.percent(known.fraction),
        size=known.size,
    )
    return PageSection(say("Unique in the population"), lead, [table(fields, rows, chosen=chosen_row)])


def _tellings(found: RiskReport, say: Speech) -> PageSection:
    """Which combinations of quasi-identifiers separate people."""
    shown = [*_alone(found)[:SHOWN], *(one for one in found.telling() if len(one.attributes) > 1)]
    rows = [
        [names(one.attributes), say.percent(one.distinction), bar(one.separation, say), say.number(one.uniques)]
        for one in shown
    ]
    fields = [
        Field(say("quasi-identifiers"), "row data"),
        Field(say("distinction"), "num"),
        Field(say("separation"), "chance"),
        Field(say("unique people"), "num"),
    ]
    lead = say(
        "Each quasi-identifier alone, then the combination of each size that distinguishes most people. {count} "
        "combinations of up to {largest} of {width} quasi-identifiers were examined.",
        count=len(found.combinations),
        largest=found.largest,
        width=len(found.quasi_identifiers),
    )
    parts = [
        table(fields, rows),
        paragraph(
            say(
                "Distinction: distinct combinations per person. Separation: the share of the pairs of people "
                "that are distinguished."
            )
        ),
    ]
    return PageSection(say("Which combinations identify people"), lead, parts)


def _special(found: RiskReport, say: Speech) -> PageSection | None:
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
    dis = (
        ""
        if special.dis is None
        else " "
        + say(
            "A match with a unique person is correct with an estimated probability of {share}.",
            share=say.percent(special.dis),
        )
    )
    by_size = [
        Field(say("attributes"), "row num"),
        Field(say("minimal sample uniques"), "num"),
        Field(say("people for whom that is enough"), "num"),
    ]
    by_attribute = [
        Field(say("quasi-identifier"), "row data"),
        Field(say("share of the minimal sample uniques"), "chance"),
    ]
    shares = [[names([name]), bar(share, say)] for name, share in parts]
    return PageSection(
        say("How few columns are enough"),
        say(
            "A minimal sample unique is a combination that makes a person unique, while no part of it does. A "
            "person who is unique by few attributes is probably unique in the population, too."
        )
        + dis,
        [table(by_size, sizes, kind="narrow"), table(by_attribute, shares, kind="narrow")],
    )


def _columns(found: RiskReport, say: Speech) -> PageSection:
    """The columns with values that identify people."""
    if not found.columns:
        return PageSection(
            say("What the columns contain"),
            say("Nothing was found. No list knows every identifier, so check the columns yourself."),
        )
    rows = [
        [
            names([one.column]),
            say(ROLE.get(one.role, one.role)) if one.role else NOTHING,
            say(one.what),
            say.percent(one.confidence),
            say(one.reason),
            lines(*one.rules),
        ]
        for one in found.columns
    ]
    fields = [
        Field(say("column"), "row data"),
        Field(say("role")),
        Field(say("contains")),
        Field(say("confidence"), "num"),
        Field(say("because"), "why"),
        Field(say("rule"), "why"),
    ]
    return PageSection(
        say("What the columns contain"),
        say(
            "Columns that seem to contain what HIPAA’s safe harbour lists or the LGPD protects, with a "
            "confidence. This is advice: no list knows every identifier."
        ),
        [table(fields, rows)],
    )


def _list_notes(notes: Iterable[str]) -> Markup:
    entries = Markup("\n").join(Markup("<li>{}</li>").format(note) for note in notes)
    return Markup("<ul>\n{}\n</ul>").format(entries)
