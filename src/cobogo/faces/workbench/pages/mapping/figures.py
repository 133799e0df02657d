"""Figures of a trial: what people lose, what an attacker still finds, what is promised; and a table of all trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any

from nicegui import ui

from cobogo.faces.workbench.charts import BLUE, GREY, PLAIN, axis, plot
from cobogo.faces.workbench.frame import metric
from cobogo.faces.workbench.labels import MAP_ATTACK, MAP_CHOICE, MAP_KNOB, MAP_NAME
from cobogo.faces.workbench.session import PageSession
from cobogo.floor.language import tr
from cobogo.locate.places.geometry import distance
from cobogo.studies.location_trial import LocationTrial

MAP_WHY_NONE = {
    "adaptive": tr("A heuristic: ε depends on the true position, so no ε limits what a report reveals."),
    "disc": tr("An attacker who knows the map, or several discs of a person, may learn more."),
    "keyed-transform": tr("Distances are kept, so two known places reveal all others."),
    "indirect": tr("A report reveals the area around its public place, and what the place is."),
    "dummies": tr(
        "An attacker who sees one request and knows only how often places are visited cannot tell which of k "
        "positions is true. An attacker who sees a whole day can."
    ),
    "cached-dummies": tr(
        "An attacker who knows only how often places are visited cannot tell which of k cells is true, however many "
        "requests there are. An attacker who knows the person can."
    ),
    "quad-tree": tr("Every cloak has k people, but not all of them would get the same cloak."),
    "casper": tr("Every cloak has k people, but not all of them would get the same cloak."),
    "crowd-positions": tr("The service sees where k people are, and the person who asks is one of them."),
    "nearest-neighbours": tr("Every cloak has k people, but it is drawn around the person who sends the request."),
}

MAP_MEASURES = {
    "tracking": tr("of the guesses, within 100 m"),
    "short-observation": tr("of the guesses, within 100 m"),
    "long-observation": tr("of the people, within 100 m"),
    "same-origin": tr("of the origins, within 100 m"),
    "home-and-work": tr("of the homes, within 250 m"),
    "presence-absence": tr("area under the curve"),
    "identification": tr("of the people"),
    "aggregated-presence": tr("area under the curve"),
    "centre-of-cloak": tr("of the cloaks"),
    "intersection-of-cloaks": tr("of the people"),
}

MAP_PROMISE = {
    "geo-indistinguishability": tr(
        "Each report is at most e^(ε·d) times as probable from one place as from another d metres away, "
        "whatever the attacker knows. With ε = {epsilon} this is a factor of 4 at {metres} m."
    ),
    "elastic": tr(
        "Like geo-indistinguishability with ε = {epsilon} where the map is as dense as at the reference. "
        "Where it is emptier, the noise is larger."
    ),
    "k-anonymity": tr(
        "For one request, the person is one of {k}, even for an attacker who knows where everyone is. Several "
        "requests under one pseudonym may reveal more."
    ),
    "none": tr("Nothing limits what an attacker with enough knowledge learns from a report."),
}

MAP_COLUMN = {
    "mechanism": tr("Mechanism"),
    "promise": tr("Guarantee"),
    "loss": tr("Quality loss, m"),
    "attack": tr("Attacker"),
    "error": tr("Error, m"),
    "success": tr("Success"),
}

MAP_KIND = {
    "geo-indistinguishability": tr("geo-indistinguishability"),
    "elastic": tr("elastic"),
    "k-anonymity": tr("k-anonymity"),
    "none": tr("none"),
}

KEPT = 40
"""Trials that are remembered."""

AREAS = frozenset({"presence-absence", "aggregated-presence"})
"""Attacks whose success is an area under a curve: one half is nothing."""


@dataclass(frozen=True)
class Try:
    """The figures of one trial, without positions."""

    mechanism: str
    options: Mapping[str, Any]
    kind: str
    loss: float
    attack: str | None
    error: float | None
    success: float | None
    baseline: float | None = None

    @classmethod
    def from_trial(cls, found: LocationTrial, mechanism: str, options: Mapping[str, Any]) -> Try:
        """The figures of a trial."""
        finding = found.finding
        return cls(
            mechanism,
            dict(options),
            found.guarantee.kind,
            found.run.quality_loss,
            None if finding is None else finding.attack,
            found.error,
            None if finding is None else finding.success,
            None if finding is None else finding.baseline,
        )


def remember(tries: list[Try], new: Try) -> list[Try]:
    """The trials with a new one first; it replaces an earlier one of the same settings."""

    def settings(one: Try) -> object:
        return one.mechanism, one.options, one.attack

    return [new, *(one for one in tries if settings(one) != settings(new))][:KEPT]


def mechanism_label(session: PageSession, one: Try) -> str:
    """A mechanism with its options, as people say it."""
    told = []
    for key, value in one.options.items():
        said = session.say.number(value, 3) if isinstance(value, int | float) else session.say(MAP_CHOICE[value])
        told.append(f"{session.say(MAP_KNOB[key])} = {said}")
    return ", ".join([session.say(MAP_NAME[one.mechanism]), *told])


def metres(session: PageSession, value: float) -> str:
    """A distance, in kilometres where it is long."""
    return (
        f"{session.say.number(value / 1000, 3)}\u00a0km"
        if value >= 10_000
        else f"{session.say.number(round(value))}\u00a0m"
    )


def tiles(session: PageSession, found: LocationTrial) -> None:
    """What it costs and what it hides."""
    metric(
        session.say("Quality loss"),
        metres(session, found.run.quality_loss),
        help=session.say("from the true position to the report"),
    )
    if found.error is not None:
        metric(
            session.say("Attacker's error"),
            metres(session, found.error),
            help=session.say("from the true position to the guess"),
        )
    finding = found.finding
    if finding is not None:
        measured = session.say(MAP_MEASURES[finding.attack])
        measured += " · " + session.say("{share} without reports", share=session.say.percent(finding.baseline))
        word = tr("Distinguished") if finding.attack in AREAS else tr("Success")
        metric(session.say(word), session.say.percent(finding.success), help=measured)
    elif found.skipped is not None:
        metric(session.say("Success"), "–", help=session.say("not possible here: {why}", why=found.skipped))
    if found.run.area is not None:
        metric(
            session.say("Region"),
            f"{session.say.number(found.run.area / 1e6, 3)}\u00a0km²",
            help=session.say("instead of a position"),
        )
    elif found.run.positions is not None:
        metric(
            session.say("Positions"),
            session.say.number(found.run.positions),
            help=session.say("sent, and one of them is true"),
        )
    elif found.highest_spending:
        metric(
            session.say("ε per metre, in total"),
            session.say.number(found.highest_spending, 3),
            help=session.say("for {reports} reports", reports=found.reports_each),
        )


def moment(session: PageSession, found: LocationTrial, person: int, row: int) -> str:
    """How far off report and guess are at one moment."""
    truth, off = found.truth, float(found.run.loss[row])
    guess = None if found.one_guess_each else found.guess(person, row)
    if guess is None:
        return session.say("At this moment the report is {report} from the true position.", report=metres(session, off))
    wrong = float(distance(truth.lon[row], truth.lat[row], *guess))
    return session.say(
        "At this moment the report is {report} from the true position, and the guess is {guess} from it.",
        report=metres(session, off),
        guess=metres(session, wrong),
    )


def promise_lines(session: PageSession, found: LocationTrial) -> list[str]:
    """What is promised, in sentences; nothing is claimed that does not hold."""
    guarantee = found.guarantee
    lines = [
        session.say(
            MAP_PROMISE[guarantee.kind],
            epsilon=session.say.number(guarantee.epsilon or 0, 3),
            metres=round(log(4) / guarantee.epsilon) if guarantee.epsilon else 0,
            k=guarantee.k or 0,
        )
    ]
    if (
        guarantee.kind in ("geo-indistinguishability", "elastic")
        and found.highest_spending > (guarantee.epsilon or 0) * 1.001
    ):
        lines.append(
            session.say(
                "All {reports} reports of a person together: ε = {epsilon}. This is what an attacker who "
                "tracks the person learns.",
                reports=found.reports_each,
                epsilon=session.say.number(found.highest_spending, 3),
            )
        )
    if guarantee.kind == "none":
        why = MAP_WHY_NONE.get(found.run.name.partition(":")[0])  # the name ends with the options, if any
        lines = lines if why is None else [session.say(why)]
    if found.own_context and guarantee.kind != "none":
        lines.append(
            session.say(
                "This mechanism needs prior knowledge (a grid, or how often places are visited). Here it was "
                "taken from these same people, which is fine for a trial; for real use it must be public."
            )
        )
    if found.run.answered < 1:
        lines.append(
            session.say(
                "{share} of the reports were refused: too few people were nearby.",
                share=session.say.percent(1 - found.run.answered),
            )
        )
    return lines


def table(session: PageSession, tries: list[Try]) -> None:
    """All trials: a table, and a chart of quality loss against the attack's success."""
    columns = [
        {"name": key, "label": session.say(MAP_COLUMN[key]), "field": key, "align": align}
        for key, align in (
            ("mechanism", "left"), ("promise", "left"), ("loss", "right"), ("attack", "left"), ("error", "right"),
            ("success", "right"),
        )
    ]  # fmt: skip
    rows = [
        {
            "id": number,
            "mechanism": mechanism_label(session, one),
            "promise": session.say(MAP_KIND[one.kind]),
            "loss": metres(session, one.loss),
            "attack": "–" if one.attack is None else session.say(MAP_ATTACK[one.attack]),
            "error": "–" if one.error is None else metres(session, one.error),
            "success": _success_text(session, one),
        }
        for number, one in enumerate(tries)
    ]
    with ui.row().classes("w-full no-wrap items-start gap-4 cobogo-beside"):
        with ui.column().classes("col"):
            made = ui.table(rows=rows, columns=columns, row_key="id", pagination=8).classes("w-full")
            made.props("dense flat bordered wrap-cells")
        known = [one for one in tries if one.error is not None]
        if len(known) > 1:
            with ui.column().style("width: 21rem; flex: none"):
                _plane(session, known)


def _success_text(session: PageSession, one: Try) -> str:
    """The attack's success, with the success without any report in parentheses."""
    if one.success is None:
        return "–"
    return session.say.percent(one.success) + (
        "" if one.baseline is None else f" ({session.say.percent(one.baseline)})"
    )


def _plane(session: PageSession, tries: list[Try]) -> None:
    """Loss to the right, the attacker's error upwards: better mechanisms lie higher and farther to the left."""
    data: list[dict[str, Any]] = [
        {"value": [max(one.loss, 1.0), max(one.error or 0.0, 1.0)], "name": mechanism_label(session, one)}
        for one in tries
    ]
    data[0] = {**data[0], "symbolSize": 16, "itemStyle": {"opacity": 1}}
    plot(
        {
            "tooltip": {"trigger": "item", "formatter": "{b}"},
            "grid": {"left": 8, "right": 16, "top": 30, "bottom": 26, "containLabel": True},
            "xAxis": axis("log", name=session.say("Quality loss, m"), nameLocation="middle", nameGap=24,
                          axisLabel={":formatter": PLAIN}),
            "yAxis": axis("log", name=session.say("Error, m"), nameTextStyle={"align": "left", "color": GREY},
                          axisLabel={":formatter": PLAIN}),
            "series": [{"type": "scatter", "data": data, "symbolSize": 9,
                        "itemStyle": {"color": BLUE, "opacity": 0.6}}],
        },
        session.say("Quality loss (horizontal) and the attacker's error (vertical)"),
        height="16rem",
    )  # fmt: skip
