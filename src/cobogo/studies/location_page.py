"""An evaluation of location mechanisms on disk: figures, a picture, a page, and a map of a few people.

All of it is evidence: it shows true positions, and stays with the data holder.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from cobogo.floor.files import holds_only, stage_directory
from cobogo.floor.language import NOTHING, Speech, Text, speech, tr
from cobogo.locate import maps
from cobogo.locate.attacks import ATTACKS
from cobogo.locate.attacks.inference import sent_positions
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.studies.fortaleza.land import city_layers
from cobogo.studies.locations import ASKED, RAW, WANTED, Evaluation, MechanismTrial
from cobogo.studies.study import write_json
from cobogo.tell.report.canvas import BLUE, GREY, INK, MARGIN, MUTED, ORANGE, PALE, WIDTH, Sheet
from cobogo.tell.report.curves import Axis, Curve, axes, decades, legend, scatter
from cobogo.tell.report.page import Field, PageSection, lines, origin, page, paragraph, picture, strong, table

ACROSS = 3  # panels in a row
TALL = 1.75
GAP = 0.5
DOT = 0.1
SMALL = 7.5  # points of the type at the axes of a panel
COLORS = (BLUE, ORANGE, INK, GREY, PALE, MUTED)
LEAST = 1.0  # metres: what is below is drawn there

PEOPLE = 3
POINTS = 400
"""People, and points of them, that a map can still show."""

CENTRO = (-38.527, -3.731)
NEAR = 40_000.0
"""Metres from the middle of Fortaleza within which its outline is drawn."""

TITLE = tr("Where people were, what they reported, and what was guessed")

DIRECTORY = "evidence"
FILES = ("evaluation.json", "evaluation.html", "frontier.png", "map.png", "map.html", "KEEP.txt")

KEEP = tr(
    "This directory is evidence. It was made from true positions of people and shows some of them (map.png, map.html, "
    "evaluation.html). It is for the data holder only. Do not give it away."
)


def _fact(found: Evaluation, say: Speech) -> str:
    """The headline: for the mechanism of median loss, the attacker's error from one report, and about a home."""
    told = [
        run
        for run in found.runs
        if run.quality_loss >= LEAST and all(name in run.findings for name in ("short-observation", "home-and-work"))
    ]
    if not told:
        return say("What each mechanism costs, and what each attack finds")
    run = sorted(told, key=lambda run: run.quality_loss)[len(told) // 2]
    one, home = (float(run.findings[name].error.mean()) for name in ("short-observation", "home-and-work"))
    figures = {"loss": round(run.quality_loss), "one": round(one), "home": round(home)}
    return say(
        "{mechanism}: reports are {loss} m off; attackers miss a position by {one} m and a home by {home} m",
        mechanism=run.label,
        **figures,
    )


def draw(found: Evaluation, path: Path, *, say: Speech) -> str:
    """The frontier: a panel for each attack, a dot for each mechanism, a line for each family of them."""
    sheet = Sheet(
        _fact(found, say),
        say(
            "Left to right: what a user loses. Upwards: the error of an attacker (metres) or what the attacker "
            "finds (share). Dashed: as far off as the report itself"
        ),
    )
    protected = _protected_runs(found)
    families = list(dict.fromkeys(run.mechanism for run in protected))
    colors = {name: COLORS[number % len(COLORS)] for number, name in enumerate(families)}
    legend(sheet, [Curve(name, (), color) for name, color in colors.items()], MARGIN, WIDTH - 2 * MARGIN, dots=True)
    sheet.top += 0.1
    losses = decades([max(run.quality_loss, LEAST) for run in protected] or [LEAST])
    wide = (WIDTH - 2 * MARGIN - (ACROSS - 1) * GAP) / ACROSS
    attacks = [name for name in found.attacks if any(name in run.findings for run in protected)]
    for start in range(0, len(attacks), ACROSS):
        top = bottom = sheet.top
        for number, attack in enumerate(attacks[start : start + ACROSS]):
            sheet.top = top
            _panel(sheet, found, attack, colors, losses, say, left=MARGIN + number * (wide + GAP), wide=wide)
            bottom = max(bottom, sheet.top)
        sheet.top = bottom + 0.25
    return sheet.save(path, sheet.top)


def _protected_runs(found: Evaluation) -> list[MechanismTrial]:
    """All runs but that of the true positions."""
    return [run for run in found.runs if run.label != "none"]


def in_metres(found: Evaluation, attack: str) -> bool:
    """Whether an attack is shown by its error in metres: not where its guesses are only a part of it."""
    return all(len(run.findings[attack].error) > 0 for run in found.runs if attack in run.findings) and attack not in (
        "centre-of-cloak",
        "context-linking",
    )


def _panel(
    sheet: Sheet, found: Evaluation, attack: str, colors: Mapping[str, str], losses: list[float], say: Speech, *,
    left: float, wide: float,
) -> None:  # fmt: skip
    """Draw an attack's error, or its success, against the loss of each mechanism."""
    metres = in_metres(found, attack)
    runs = sorted((run for run in _protected_runs(found) if attack in run.findings), key=lambda run: run.quality_loss)
    values = [_value(run, attack, metres=metres) for run in runs]
    title = sheet.fit(say(ATTACKS.card(attack).title), wide, 10.5, bold=True)
    sheet.text(left, sheet.top, title, size=10.5, bold=True)
    sheet.text(
        left, sheet.top + 0.22, say(tr("attacker’s error (m)") if metres else tr("share found")), size=8.5, color=MUTED
    )
    sheet.top += 0.45
    across = Axis(say("quality loss (m)"), losses, logarithmic=True, texts=[_short(loss, say, True) for loss in losses])
    ticks = decades([max(value, LEAST) for value in values] or [LEAST]) if metres else [0.0, 0.5, 1.0]
    up = Axis("", ticks, logarithmic=metres, texts=[_short(tick, say, metres) for tick in ticks])
    plane = axes(sheet, across, up, left=left + 0.35, wide=wide - 0.35, tall=TALL, size=SMALL)
    low, high = max(ticks[0], losses[0]), min(ticks[-1], losses[-1])
    if metres and high > low:
        sheet.lines([(plane.position(low, low), plane.position(high, high))], GREY, dashed=True)
    points = list(zip(runs, values, strict=True))
    curves = [
        Curve(name, [(run.quality_loss, value) for run, value in points if run.mechanism == name], color)
        for name, color in colors.items()
    ]
    scatter(sheet, plane, curves, dot=DOT)


def _value(run: MechanismTrial, attack: str, *, metres: bool) -> float:
    finding = run.findings[attack]
    return float(finding.error.mean()) if metres else finding.success


def _short(value: float, say: Speech, metres: bool) -> str:
    if not metres:
        return say.percent(value)
    return f"{say.number(value / 1000)} k" if value >= 1000 else say.number(value)


def render(found: Evaluation, pictures: Mapping[str, str], *, say: Speech) -> str:
    """The page: pictures, the loss of each mechanism, what each attack finds and knows."""
    keep = say("Evidence: for the data holder only. It was made from true positions and shows some of them.")
    costs_why = say(
        "Quality loss is the mean distance from a person’s true position to the nearest position that was sent, "
        "or to the middle of a cloak. It is 0 if the true position is among dummies, but then the service must "
        "answer all of them. Precision and recall are those of answers within {asked} m of the report, for a "
        "person who wants places within {wanted} m.",
        wanted=say.number(WANTED),
        asked=say.number(ASKED),
    )
    grid = say(
        "Attackers consider {cells} places, cells of {size} m: no guess can be much better than that.",
        cells=found.grid.cells,
        size=say.number(round(found.grid.size)),
    )
    sections = [
        PageSection(
            lead=say(
                "Every mechanism was run on the same points of {people} people, and every attack on what the "
                "mechanism released. Attackers know the mechanism; what else each attacker knows is listed below.",
                people=found.truth.users,
            ),
            parts=[picture(pictures["frontier"], _fact(found, say))],
        ),
        PageSection(say("What each mechanism costs"), costs_why, [_costs(found, say)]),
        PageSection(
            say("What each attack finds"),
            say(
                "The share found, and the mean error of a guess. In brackets: what an attacker who saw no report "
                "would find."
            ),
            [_findings(found, say), *_untried_notes(found, say)],
        ),
        PageSection(say("What attackers know"), parts=[_attackers(found, say)]),
        PageSection(
            say("The map"),
            say(
                "True points, reports and guesses of a few people. Open map.html, in the same directory, to move "
                "the map."
            ),
            [picture(pictures["map"], say("The map"))],
        ),
        PageSection(say("How it was measured"), parts=[paragraph(lines(grid, *map(say, found.notes)), "")]),
    ]
    return page(
        say,
        say("Where people were, and what attackers can still find out"),
        sections,
        created=found.created,
        source=found.source,
        about=origin(say, found.source, len(found.truth)),
        warning=keep,
        note=keep,
    )


def _name(run: MechanismTrial, say: Speech) -> str:
    return say("true positions") if run.label == RAW else run.label


def _costs(found: Evaluation, say: Speech) -> Markup:
    fields = [
        Field(say("mechanism"), "row"),
        Field(say("quality loss (m)"), "num"),
        Field("95 %", "num"),
        Field(say("asks about"), "num"),
        Field(say("precision"), "num"),
        Field(say("recall"), "num"),
        Field(say("answered"), "num"),
        Field(say("what it promises"), "why"),
    ]
    rows = [
        [
            _name(run, say),
            strong(say.number(round(run.quality_loss, 1))),
            say.number(round(float(np.quantile(run.loss, 0.95)), 1)),
            _asks(run, say),
            say.percent(run.precision),
            say.percent(run.recall),
            say.percent(run.answered),
            say(run.guarantee),
        ]
        for run in found.runs
    ]
    return table(fields, rows)


def _asks(run: MechanismTrial, say: Speech) -> str:
    """What the service has to answer for one report: an area, or a number of positions."""
    if run.area is not None:
        return f"{say.number(round(run.area / 1e6, 3))} km²"
    return say("positions: {n}", n=say.number(round(run.positions or 1)))


def _findings(found: Evaluation, say: Speech) -> Markup:
    """A table of mechanisms (rows) and attacks (columns): success, error, and success without the reports."""
    fields = [Field(say(ATTACKS.card(attack).title), "num") for attack in found.attacks]
    rows = [[_name(run, say), *(_cell(run, attack, say) for attack in found.attacks)] for run in found.runs]
    return table([Field(say("mechanism"), "row"), *fields], rows)


def _cell(run: MechanismTrial, attack: str, say: Speech) -> Markup:
    finding = run.findings.get(attack)
    if finding is None:
        return strong(NOTHING)
    error = finding.error[np.isfinite(finding.error)]
    before = Markup('<span class="why">({})</span>').format(say.percent(finding.baseline))
    off = [f"{say.number(round(float(error.mean())))} m"] if len(error) else []
    return lines(strong(say.percent(finding.success)), *off, before)


def _untried_notes(found: Evaluation, say: Speech) -> list[Markup]:
    """Which attacks could not be run on what, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for run in found.runs:
        for attack, why in run.skipped.items():
            reasons.setdefault((attack, why), []).append(_name(run, say))
    told = [
        f"{say(ATTACKS.card(attack).title)}, {', '.join(runs)}: {say(why)}" for (attack, why), runs in reasons.items()
    ]
    return [paragraph(lines(say("Not tried:"), *told), "")] if told else []


def _attackers(found: Evaluation, say: Speech) -> Markup:
    """What each attacker knows, and what its success means."""
    fields = [Field(say("attack"), "row"), Field(say("What attackers know")), Field(say("share found"))]
    rows = [
        [
            say(ATTACKS.card(attack).title),
            say(ATTACKS.card(attack).facts["knows"]),
            say(ATTACKS.card(attack).facts["finds"]),
        ]
        for attack in found.attacks
    ]
    return table(fields, rows, kind="asked")


def draw_map(found: Evaluation, directory: Path, *, language: str) -> str:
    """``map.png`` and ``map.html``; the picture, for the page."""
    run = _middle_run(found)
    layers = [*_ground(found), *_layers(run)]
    what = in_both(tr("Evidence: true positions. {mechanism}, at most {n} people", mechanism=run.label, n=PEOPLE))
    drawn = maps.draw_map(layers, directory / "map.png", title=in_both(TITLE), what=what, language=language)
    hours = found.hours_from_utc
    maps.map_page(layers, directory / "map.html", title=in_both(TITLE), what=what, language=language, utc_offset=hours)
    return drawn


def in_both(text: Text) -> tuple[str, str]:
    """A text in the two languages that a map can be switched between."""
    return speech("en")(text), speech("pt-BR")(text)


def _middle_run(found: Evaluation) -> MechanismTrial:
    """The run of median loss."""
    tried = sorted((run for run in found.runs if run.label != RAW), key=lambda run: run.quality_loss)
    return tried[len(tried) // 2] if tried else found.runs[0]


def _ground(found: Evaluation) -> list[Any]:
    frame = found.truth.frame
    return city_layers(names=False) if distance(*CENTRO, frame.lon, frame.lat) < NEAR else []


def _layers(run: MechanismTrial) -> list[Any]:
    released, truth = run.released, run.truth
    rows = _rows(truth)
    layers = [maps.paths(truth.take(rows), in_both(tr("true path")), color="blue")]
    if released.box is not None:
        time = released.points.time
        when = None if time is None else time[rows]
        west, south, east, north = (side[rows] for side in released.box)
        layers.append(maps.boxes(west, south, east, north, in_both(tr("cloaks")), time=when, opacity=0.05))
    else:
        positions, report = sent_positions(released)
        reports = positions.take(np.isin(report, rows))
        layers.append(maps.points(reports, in_both(tr("reports")), color="orange", shape="cross", size=1.8))
    for attack in ("tracking", "short-observation"):
        guesses = run.findings[attack].guesses if attack in run.findings else None
        if guesses is not None:
            layers.append(
                maps.points(guesses.take(rows), in_both(tr("guesses")), color="green", shape="ring", size=1.6)
            )
            break
    homes = run.findings["home-and-work"].guesses if "home-and-work" in run.findings else None
    if homes is not None and homes.user is not None and truth.user is not None:
        mine = homes.take(np.isin(homes.user, np.unique(truth.user[rows])))
        layers.append(
            maps.points(mine, in_both(tr("guessed homes")), color="purple", shape="square", size=2.6, timed=False)
        )
    return layers


def _rows(points: Points) -> Any:
    """The first points of a few people."""
    if points.user is None:
        return np.arange(min(len(points), POINTS))
    people = np.unique(points.user)[:PEOPLE]
    each = POINTS // max(len(people), 1)
    return np.concatenate([np.flatnonzero(points.user == one)[:each] for one in people])


def write(found: Evaluation, directory: Path, *, language: str) -> None:
    """Write all files under a temporary name and put them in place at once."""
    say = speech(language)
    with stage_directory(directory, replaceable=_is_evaluation) as stage:
        evidence = stage / DIRECTORY
        evidence.mkdir(mode=0o700)
        write_json(found.to_dict(), evidence / "evaluation.json")
        (evidence / "KEEP.txt").write_text(f"{say(KEEP)}\n", encoding="utf-8", newline="\n")
        pictures = {
            "frontier": draw(found, evidence / "frontier.png", say=say),
            "map": draw_map(found, evidence, language=language),
        }
        html = render(found, pictures, say=say)
        (evidence / "evaluation.html").write_text(html, encoding="utf-8", newline="\n")


def _is_evaluation(directory: Path) -> bool:
    """Whether a directory is an earlier evaluation and nothing else."""
    names = {entry.name for entry in directory.iterdir()}
    inner = directory / DIRECTORY
    return names == {DIRECTORY} and inner.is_dir() and holds_only(FILES)(inner)
