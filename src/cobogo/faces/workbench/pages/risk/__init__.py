"""Risk and attacks: what an intruder could do before and after, and to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

from cobogo.errors import CobogoError
from cobogo.faces.server.services.releases import OpenedRelease
from cobogo.faces.workbench.charts import bars, curves, gauge, table
from cobogo.faces.workbench.frame import open_page
from cobogo.faces.workbench.labels import LOOKED
from cobogo.faces.workbench.opened_release import ANONYMIZED, SYNTHETIC, open_chosen
from cobogo.faces.workbench.pages.risk.attacks import show_attacks, show_timeline
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.widgets import Draw, slowly, tabs, trouble
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.examine.risk.attackers import Attackers
    from cobogo.examine.risk.combinations import Combination
    from cobogo.studies.risk import RiskReport

RISK_COUNT = {
    "records": tr("People"),
    "classes": tr("Classes"),
    "smallest": tr("Smallest class"),
}

RISK_TAB = {
    "chances": tr("Risk"),
    "people": tr("Unique people"),
    "attacks": tr("Attacks"),
    "timeline": tr("Releases over time"),
}

RISK_WHO = {
    "prosecutor": tr("Prosecutor"),
    "journalist": tr("Journalist"),
    "marketer": tr("Marketer"),
}

RISK_KNOWS = {
    "prosecutor": tr("knows that this person is in the table"),
    "journalist": tr("does not know who is in the table"),
    "marketer": tr("wants as many people as possible"),
}


async def build(desk: Desk) -> None:
    with open_page(desk, "risk") as session:
        if session is None or (release := await open_chosen(desk, session)) is None:
            return
        if not release.mine:
            trouble(
                session.say(
                    "You may not read the original, or it no longer exists. Its figures are those in the evidence."
                )
            )

        drawn: dict[str, tuple[str, Draw]] = {
            "chances": ("speed", show_chances),
            "people": ("person_search", show_people),
            "attacks": ("crisis_alert", partial(show_attacks, desk)),
            "timeline": ("timeline", partial(show_timeline, desk)),
        }
        tabs(session, release, {name: (session.say(RISK_TAB[name]), *tab) for name, tab in drawn.items()})


SHOWN = 60
POINTS = 300


@dataclass(frozen=True, eq=False)
class Assessed:
    """The figures of one table's risk: small, so that many are cached."""

    people: int
    classes: int
    smallest: int
    unique: float
    curve: list[tuple[float, float]]
    attackers: Attackers
    population: float | None  # share of it that is unique, estimated
    sized: bool  # whether the population's size is known
    combinations: tuple[Combination, ...]
    upto: int | None  # columns of the largest combination gone through, where there are larger ones
    fewest: Mapping[int, int]  # people by how few columns single them out

    @classmethod
    def from_report(cls, found: RiskReport) -> Assessed:
        """The figures of a report."""
        known, unique = found.population, None if found.population is None else found.population.uniques
        return cls(
            people=found.people,
            classes=len(found.sizes),
            smallest=int(found.sizes.min()),
            unique=found.unique_share,
            curve=size_curve(found.sizes),
            attackers=found.attackers,
            population=None if known is None or unique is None else unique / known.size,
            sized=known is not None,
            combinations=found.combinations,
            upto=found.largest if found.largest < len(found.quasi_identifiers) else None,
            fewest=dict(found.special.smallest),
        )


@dataclass(frozen=True, eq=False)
class ExposureSides:
    """The risk of the original and of the release, each if it may be read; ``why`` says why the release's is
    missing."""

    before: Assessed | None
    after: Assessed | None
    why: str = ""


def assess(release: OpenedRelease, size: int | None) -> ExposureSides:
    """The risk of a release and of its original, drawn from a population of some size where that is known."""
    from cobogo.studies.risk import risk

    given: dict[str, Any] = {} if size is None else {"population_size": size}
    before = None if release.data is None else Assessed.from_report(risk(release.data, release.policy, **given))
    if release.kind == SYNTHETIC:
        return ExposureSides(before, None)  # nobody stands behind a synthetic record
    try:
        return ExposureSides(before, Assessed.from_report(risk(release.directory, release.policy, **given)))
    except CobogoError as error:
        return ExposureSides(before, None, error.what)


def show_chances(session: PageSession, release: OpenedRelease) -> None:
    """The success probabilities of the three attackers, and the curve of class sizes."""
    with ui.row().classes("w-full items-center no-wrap cobogo-beside"):
        ui.label(
            session.say(
                "The probability that an attacker who knows a person's quasi-identifiers finds their record. "
                "Outer ring: original; inner ring: release."
            )
        ).classes("text-body2 text-quiet col")
        size = ui.number(
            session.say("Size of the population"),
            value=release.policy.risk.population_size,
            min=1,
            precision=0,
            step=1,
        ).props("clearable dense debounce=700")
        size.style("width: 17rem").tooltip(
            session.say(
                "If the data are a sample, the workbench needs the size of the population to estimate how "
                "many people are unique in it."
            )
        )
    if release.kind != ANONYMIZED:
        trouble(
            session.say(
                tr(
                    "A synthetic record belongs to no real person, so it cannot be re-identified. These "
                    "probabilities are those of the original. Run the attacks to see what the release may "
                    "still reveal."
                )
                if release.kind == SYNTHETIC
                else tr(
                    "The values of this release were changed, so a match may be wrong: these figures are the "
                    "worst case. The attacks show more."
                )
            )
        )
    body = ui.column().classes("w-full gap-3")

    async def again() -> None:
        people = None if not size.value else int(size.value)
        await slowly(
            session,
            body,
            lambda: release.measure(assess, people),
            lambda found: _chances(session, release, found),
        )

    size.on_value_change(again)
    ui.timer(0.01, again, once=True)


def _chances(session: PageSession, release: OpenedRelease, found: ExposureSides) -> None:
    told = release.report.get("risk", {})
    sides = [figures(one, told.get(side, {})) for one, side in ((found.before, "before"), (found.after, "after"))]
    if found.why:
        trouble(session.say("The release cannot be measured this way: {why}.", why=found.why))
    with ui.row().classes("w-full no-wrap items-stretch cobogo-beside"):
        for who in ("prosecutor", "journalist", "marketer"):
            before, after = (one.get(who) for one in sides)
            with ui.card().classes("col gap-0 items-center").style("min-width: 0"):
                ui.label(session.say(RISK_WHO[who])).classes("text-subtitle1 text-weight-medium")
                ui.label(session.say(RISK_KNOWS[who])).classes("text-caption text-quiet text-center")
                if after is None and before is None:
                    ui.space()
                    ui.label(session.say("Enter the size of the population to see this.")).classes(
                        "text-body2 text-center q-pa-md"
                    )
                    ui.space()
                    continue
                words = _words(session, who, before, after, 0)
                label = f"{session.say(RISK_WHO[who])}: {words}"
                gauge(session, before and before[0], after and after[0], label=label)
                ui.label(words).classes("text-body2")
                if who != "marketer" and after is not None:
                    ui.label(_words(session, who, before, after, 1)).classes("text-caption text-quiet")
    with ui.row().classes("w-full no-wrap items-start cobogo-beside"):
        with ui.card().classes("col gap-1").style("min-width: 0"):
            ui.label(session.say("People by the size of their class")).classes("text-subtitle1 text-weight-medium")
            lines = {
                session.say(LOOKED[name]): one.curve
                for name, one in (("original", found.before), ("after", found.after))
                if one is not None
            }
            if lines:
                curves(
                    session, lines, across=session.say("size of the class, at most"),
                    up=session.say("share of the people"),
                    label=session.say("People by the size of their class"), logarithmic=True, height="250px",
                )  # fmt: skip
        with ui.card().style("width: 26rem; flex: none"):
            ui.label(session.say("In figures")).classes("text-subtitle1 text-weight-medium")
            _rows(session, release, sides, found)


def _words(session: PageSession, who: str, before: Any, after: Any, place: int) -> str:
    """An attacker's highest success probability, or the average one (``place`` 1), after and before."""
    was = session.say.percent(before and before[place])
    if after is None:
        return session.say("original: {before}", before=was)
    now = session.say.percent(after[place])
    if who == "marketer":
        return session.say("finds {after} of the people (original: {before})", before=was, after=now)
    return session.say(
        tr("on average {after} (original: {before})") if place else tr("highest {after} (original: {before})"),
        before=was,
        after=now,
    )


def figures(measured: Assessed | None, told: dict[str, float]) -> dict[str, Any]:
    """A side's figures: measured now, or as the report has them."""
    if measured is None:
        if not told:
            return {}
        chances: dict[str, Any] = {
            "prosecutor": (told["highest"], told["average"]),
            "marketer": (told.get("marketer", told["average"]),),
        }
        if "journalist" in told:
            chances["journalist"] = (told["journalist"], None)
        return {**chances, **{key: told.get(key) for key in ("over", "unique", "population")}}
    who = measured.attackers
    return {
        "prosecutor": (who.prosecutor.highest, who.prosecutor.average),
        "journalist": None if who.journalist is None else (who.journalist.highest, who.journalist.average),
        "marketer": (who.marketer,),
        "over": who.prosecutor.over_share,
        "unique": measured.unique,
        "population": measured.population,
        "smallest": measured.smallest,
        "classes": measured.classes,
        "records": measured.people,
    }


def _rows(session: PageSession, release: OpenedRelease, sides: list[dict[str, Any]], found: ExposureSides) -> None:
    threshold = release.policy.risk.threshold
    shares = {
        "over": session.say("People at a risk above {share}", share=session.say.percent(threshold)),
        "unique": session.say("Unique people (alone in their class)"),
        "population": session.say("Unique in the population (estimate)"),
    }
    counts = {name: session.say(RISK_COUNT[name]) for name in ("records", "classes", "smallest")}
    rows = [{"what": text} | _both(sides, key, session.say.percent) for key, text in shares.items()]
    rows += [{"what": text} | _both(sides, key, session.say.number) for key, text in counts.items()]
    columns = [
        ("what", "", "left"),
        ("before", session.say("Original"), "right"),
        ("after", session.say("Released data"), "right"),
    ]
    table(columns, rows)
    if any(one is not None and not one.sized for one in (found.before, found.after)):
        ui.label(session.say("Uniqueness in the population can be estimated once its size is known.")).classes(
            "text-caption text-quiet"
        )


def _both(sides: list[dict[str, Any]], key: str, write: Any) -> dict[str, str]:
    return {name: write(one.get(key)) for name, one in zip(("before", "after"), sides, strict=True)}


def size_curve(sizes: Sequence[int] | Any) -> list[tuple[float, float]]:
    """The share of the people who are in a class of at most so many, at the sizes where it rises.

    >>> size_curve([1, 1, 2, 4])
    [(1.0, 0.25), (2.0, 0.5), (4.0, 1.0)]
    """
    found, counts = np.unique(np.asarray(sizes, dtype=np.int64), return_counts=True)
    shares = np.cumsum(found * counts) / (found * counts).sum()
    places = np.arange(len(found))
    if len(found) > POINTS:
        even = np.geomspace(1, len(found), POINTS).astype(np.int64) - 1
        places = np.unique([*even.tolist(), len(found) - 1])
    return [(float(found[place]), float(shares[place])) for place in places.tolist()]


def show_people(session: PageSession, release: OpenedRelease) -> None:
    """Which quasi-identifiers, and which combinations of them, single people out."""
    ui.label(
        session.say(
            "One column alone seldom identifies a person; several together often do. These combinations make "
            "people unique."
        )
    ).classes("text-body2 text-quiet")
    body = ui.column().classes("w-full gap-3")
    size = release.policy.risk.population_size
    ui.timer(
        0.01,
        lambda: slowly(session, body, lambda: release.measure(assess, size), lambda found: _people(session, found)),
        once=True,
    )


def _people(session: PageSession, found: ExposureSides) -> None:
    sides = {
        session.say(LOOKED[name]): one
        for name, one in (("original", found.before), ("after", found.after))
        if one is not None
    }
    if not sides:
        trouble(session.say("The release cannot be measured this way: {why}.", why=found.why))
        return
    first = next(iter(sides.values()))
    alone = sorted((one for one in first.combinations if len(one.attributes) == 1), key=lambda one: -one.separation)
    names = [one.attributes[0] for one in alone]
    by_name = {side: {one.attributes: one for one in report.combinations} for side, report in sides.items()}
    with ui.row().classes("w-full no-wrap items-start cobogo-beside"):
        with ui.card().classes("col gap-1").style("min-width: 0"):
            ui.label(session.say("Each quasi-identifier alone")).classes("text-subtitle1 text-weight-medium")
            ui.label(session.say("the share of all pairs of people that it distinguishes")).classes(
                "text-caption text-quiet"
            )
            series = {
                side: [known[(name,)].separation if (name,) in known else 0.0 for name in names]
                for side, known in by_name.items()
            }
            bars(session, names, series, label=session.say("Each quasi-identifier alone"))
        with ui.card().classes("col gap-1").style("min-width: 0"):
            ui.label(session.say("Fewest columns that make a person unique")).classes(
                "text-subtitle1 text-weight-medium"
            )
            ui.label(session.say("the share of the people by the fewest columns that make them unique")).classes(
                "text-caption text-quiet"
            )
            _fewest(session, sides)
    ui.label(session.say("Combinations that make the most people unique")).classes("text-subtitle1 text-weight-medium")
    _combinations(session, by_name, sides)
    if first.upto is not None:
        ui.label(
            session.say(
                "Combinations of more than {largest} columns were not examined: there are too many.",
                largest=first.upto,
            )
        ).classes("text-caption text-quiet")


def _fewest(session: PageSession, sides: dict[str, Assessed]) -> None:
    sizes = sorted({size for report in sides.values() for size, number in report.fewest.items() if number})
    if not sizes:
        ui.label(session.say("No combination makes a person unique.")).classes("text-body1 text-positive")
        return
    series = {
        side: [report.fewest.get(size, 0) / max(report.people, 1) for size in sizes] for side, report in sides.items()
    }
    labels = [session.say(tr("{n} columns") if size > 1 else tr("{n} column"), n=size) for size in sizes]
    bars(session, labels, series, label=session.say("Fewest columns that make a person unique"), upright=True)


def _combinations(session: PageSession, by_name: dict[str, dict[Any, Any]], sides: dict[str, Assessed]) -> None:
    first = next(iter(by_name.values()))
    worst = sorted(first.values(), key=lambda one: (-one.uniques, len(one.attributes)))[:SHOWN]
    columns = [("which", session.say("Combination of columns"), "left")]
    rows: list[dict[str, str]] = [{"which": " + ".join(one.attributes)} for one in worst]
    for place, (side, known) in enumerate(by_name.items()):
        columns += [
            (f"unique{place}", session.say("Unique people, {side}", side=side), "right"),
            (f"apart{place}", session.say("Pairs distinguished, {side}", side=side), "right"),
        ]
        for row, one in zip(rows, worst, strict=True):
            found = known.get(one.attributes)
            people = sides[side].people
            row[f"unique{place}"] = (
                "–"
                if found is None
                else f"{session.say.number(found.uniques)} ({session.say.percent(found.uniques / people)})"
            )
            row[f"apart{place}"] = "–" if found is None else session.say.percent(found.separation)
    table(columns, rows, page=10)
