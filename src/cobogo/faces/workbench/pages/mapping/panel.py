"""The panel: whose positions are tried, by which mechanism with which knobs, against which attack."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import log10
from pathlib import Path
from typing import Any

from nicegui import ui

from cobogo.data.engines.engine import connect, literal
from cobogo.errors import DataError
from cobogo.faces.server.services.datasets import NUMBER
from cobogo.faces.workbench.labels import MAP_ATTACK, MAP_CHOICE, MAP_KNOB, MAP_NAME
from cobogo.faces.workbench.pages.mapping.figures import promise_lines
from cobogo.faces.workbench.session import PageSession
from cobogo.floor.language import tr
from cobogo.locate.places.points import Points, column_names
from cobogo.locate.spec import mechanisms
from cobogo.studies.location_trial import LocationTrial, TrialGround

MAP_ABOUT = {
    "planar-laplace": tr("Adds noise in a random direction; large distances are exponentially rarer."),
    "remapped-laplace": tr(
        "The same noise; then each report is moved to the point that is nearest to the true position on average."
    ),
    "optimal": tr(
        "The smallest loss that ε allows on a coarse grid. It solves a linear program, which takes a minute."
    ),
    "grid-exponential": tr("Reports a cell of a grid; nearer cells are more probable."),
    "elastic": tr("Adds more noise where the map is empty, and less where it is dense."),
    "predictive": tr("Sends the last report again while it is near enough, which costs little."),
    "adaptive": tr("Adds more noise where the last reports predict the next one."),
    "several": tr(
        "Protects all places of a person with one ε. It is meant for a few places: a whole day gets far too much noise."
    ),
    "centroid": tr("Reports the centre of a person's places once, with noise."),
    "disc": tr("Reports a disc that contains the position, made larger, smaller or shifted."),
    "keyed-transform": tr("Rotates and shifts the whole map by a secret key."),
    "indirect": tr("Reports the nearest of some public places instead of the position."),
    "dummies": tr("Sends the true position among invented ones."),
    "eclipse": tr("Draws noise once for each cell; every report from the cell is one of the same k places."),
    "cached-dummies": tr("Sends the true cell among others, always the same ones, and keeps the answers."),
    "quad-tree": tr("The smallest cell with k people, of a map divided into quarters again and again."),
    "casper": tr("Like the quad-tree, but tries a cell together with its neighbour first."),
    "hilbert": tr("Orders people along a curve and takes k at a time; each group shares a rectangle."),
    "nearest-neighbours": tr("A rectangle around a person and the nearest people."),
    "clique": tr("Requests wait until k of them are near each other. Those that wait too long are refused."),
    "crowd-positions": tr("Sends the positions of k people who are near each other, in random order."),
}

MAP_KNOWS = {
    "tracking": tr("Knows the mechanism, whose report each one is, and how people move."),
    "short-observation": tr("Knows the mechanism and how often each place is visited."),
    "long-observation": tr("Knows which reports were sent from the person's most visited place."),
    "same-origin": tr("Knows the mechanism, and which trips of a person began at the same place."),
    "home-and-work": tr("Knows at which hours people sleep. The triangle marks the guessed home."),
    "presence-absence": tr("Knows the mechanism and how often places are visited. 50 % means no success."),
    "identification": tr("Knows a few true positions of a person, with their times."),
    "aggregated-presence": tr("Knows only the reports of all people. 50 % means no success."),
    "centre-of-cloak": tr("Knows where everyone is."),
    "intersection-of-cloaks": tr("Knows where everyone is, and which cloaks belong to the same pseudonym."),
}

ROWS = 200_000
"""Rows of a data set that are looked at: its first ones."""


def make_ground(number: int) -> TrialGround:
    """A Monday of ``number`` made-up people, a position every quarter of an hour."""
    from cobogo.studies.fortaleza import UTC_OFFSET, people

    return TrialGround.from_points(people(number, days=1).trajectories(900), hours_from_utc=UTC_OFFSET)


def positions_in(row: dict[str, Any]) -> dict[str, str] | None:
    """The columns of a data set that hold positions and times; None if it has no such columns."""
    try:
        return column_names(row["about"]["columns"], {}, "data", needed=("lon", "lat", "time"), options=False)
    except DataError:
        return None


def read_ground(file: Path, row: dict[str, Any], hours_from_utc: float) -> TrialGround:
    """The positions of a data set, under numbers instead of names."""
    columns = positions_in(row)
    if columns is None:
        raise DataError(
            tr("has no columns for longitude, latitude and time"),
            where=row["name"],
            remedy=tr("Name the columns lon, lat and time, and upload the table again."),
        )
    engine = connect()
    with engine.guard("reading"):
        table = engine.relation(f"SELECT * FROM read_parquet({literal(str(file))})")
        first = table.filter(table[NUMBER] < ROWS).order_by(NUMBER)
        wanted = first.select(**{part: first[one] for part, one in columns.items()})
        found = engine.fetch(wanted)
    points = Points.from_arrow(found, where=row["name"])
    nameless = Points(points.lon, points.lat, points.time, points.user)
    return TrialGround.from_points(nameless, hours_from_utc=hours_from_utc)


CLOAKS = ("quad-tree", "casper", "hilbert", "nearest-neighbours", "clique")
ON_POSITIONS = (
    "tracking", "short-observation", "long-observation", "same-origin", "home-and-work", "presence-absence",
    "identification", "aggregated-presence",
)  # fmt: skip
ON_CLOAKS = ("centre-of-cloak", "intersection-of-cloaks", *ON_POSITIONS)


@dataclass(frozen=True)
class SliderRange:
    """The values that a slider offers, on a logarithmic scale where ``tens``."""

    low: float
    high: float
    step: float
    tens: bool = False


@dataclass(frozen=True)
class Knob:
    """One option of a mechanism: a number in a range, or one of some words. Its value goes to all of ``options``."""

    name: str
    start: float | str
    range: SliderRange = SliderRange(0, 1, 1)
    choices: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether it takes whole numbers."""
        return not self.range.tens and isinstance(self.start, int)

    def value(self, place: float) -> float | int:
        """The value at a place of the slider.

        >>> Knob("epsilon", 0.01, RANGES["epsilon"]).value(-2.0), Knob("k", 5, RANGES["k"]).value(7.0)
        (0.01, 7)
        """
        if self.range.tens:
            return float(f"{10**place:.2g}")
        return int(place) if self.whole else float(place)

    def place(self, value: float) -> float:
        """The slider's place of a value."""
        return log10(value) if self.range.tens else value

    def set(self, value: float | str) -> dict[str, float | str]:
        """The options of the mechanism."""
        return dict.fromkeys(self.options, value)


RANGES: Mapping[str, SliderRange] = {
    "epsilon": SliderRange(1e-4, 0.1, 0.05, tens=True),
    "k": SliderRange(2, 20, 1),
    "window": SliderRange(2, 20, 1),
    "test_share": SliderRange(0.05, 0.5, 0.05),
    "radius": SliderRange(50, 5000, 0.05, tens=True),
    "relevance": SliderRange(0.05, 1, 0.05),
    "tolerance": SliderRange(200, 10_000, 0.05, tens=True),
    "dt": SliderRange(300, 3600, 300),
}
"""The part of each parameter's values that shows something on the map of a city; its card allows for more."""

NARROWER: Mapping[tuple[str, str], SliderRange] = {
    ("optimal", "epsilon"): SliderRange(1e-4, 0.01, 0.05, tens=True),
    ("clique", "k"): SliderRange(2, 10, 1),
}
"""Where a mechanism takes too long, or satisfies too few, in the rest of the range."""

JOINED: Mapping[str, str] = {"dx": "tolerance", "dy": "tolerance"}
"""Parameters that one knob sets together."""


@cache
def knobs(mechanism: str) -> tuple[Knob, ...]:
    """A knob for each parameter that the mechanism's card has a value to begin with.

    >>> [(knob.name, knob.start, knob.choices) for knob in knobs("dummies")]
    [('k', 5, ()), ('how', 'dls', ('uniform', 'dls', 'enhanced-dls'))]
    """
    card = mechanisms()[mechanism].card
    bounds = {one.name: one.bounds for one in card.parameters()}
    made: dict[str, Knob] = {}
    for parameter, start in card.start.items():
        option = parameter.replace("-", "_")
        name = JOINED.get(option, option)
        if name in made:
            made[name] = replace(made[name], options=(*made[name].options, option))
        elif isinstance(start, bool):
            made[name] = Knob(name, str(start).lower(), choices=("false", "true"), options=(option,))
        elif isinstance(start, str):
            made[name] = Knob(name, start, choices=bounds[parameter].words, options=(option,))
        else:
            made[name] = Knob(name, start, NARROWER.get((mechanism, name), RANGES[name]), options=(option,))
    return tuple(made.values())


def attacks(mechanism: str) -> tuple[str, ...]:
    """The attacks that can be run on what a mechanism releases."""
    return ON_CLOAKS if mechanism in CLOAKS else ON_POSITIONS


Go = Callable[[], Awaitable[None]]
CROWDS = ("12", "24", "60")


class MechanismPanel:
    """The knobs. They write into the session's memory and call back."""

    def __init__(
        self,
        session: PageSession,
        memory: dict[str, Any],
        row: dict[str, Any] | None,
        settle: Go,
        again: Go,
        follow: Go,
    ) -> None:
        self.session, self.say, self.memory, self.row = session, session.say, memory, row
        self.settle, self.again, self.follow = settle, again, follow

    def build(self) -> None:
        with ui.card().classes("w-full gap-2"):
            self._whose()
            names = {one: self.say(MAP_NAME[one]) for one in mechanisms() if one in MAP_NAME}
            self._select(tr("Mechanism"), names, "mechanism", self._switch_mechanism)
            self.about = ui.label().classes("text-caption text-quiet")
            self.knobs = ui.column().classes("w-full gap-1")
            self.attack = ui.column().classes("w-full gap-2")
            with ui.row().classes("w-full items-center no-wrap"):
                self.button = ui.button(self.say("Draw again"), icon="casino", on_click=self.again).props(
                    "outline no-caps"
                )
                self.button.tooltip(self.say("Runs the same trial again with other noise."))
        self.promise = ui.card().classes("w-full gap-1")
        self._draw_options()

    def _select(self, word: str, options: dict[Any, str], key: str, changed: Any) -> ui.select:
        made = ui.select(options, value=self.memory[key], label=self.say(word)).classes("w-full")
        made.props("dense outlined options-dense")

        async def put(event: Any) -> None:
            self.memory[key] = event.value
            await changed()

        made.on_value_change(put)
        return made

    def _whose(self) -> None:
        options: dict[Any, str] = {
            one: self.say("{people} invented people of Fortaleza", people=int(one)) for one in CROWDS
        }
        mine = self.row is not None and positions_in(self.row) is not None
        if mine and self.row is not None:
            options["dataset"] = self.say("Your data set {name}", name=self.row["name"])
        self._select(tr("Whose positions"), options, "source", self._switch_source)
        self.offset = ui.number(
            self.say("Time zone (hours from UTC)"), value=self.memory["offset"], min=-12, max=14, step=1
        )
        self.offset.props("dense outlined debounce=400").classes("w-full").on_value_change(self._clock)
        self.offset.set_visibility(self.memory["source"] == "dataset")
        if not mine:
            ui.label(
                self.say(
                    "To use your own positions, choose on the page Data a data set with the columns lon, lat "
                    "and time (and user)."
                )
            ).classes("text-caption text-quiet")
        self.followed = ui.column().classes("w-full")

    async def _clock(self, event: Any) -> None:
        self.memory["offset"] = event.value or 0
        await self.settle()

    async def _switch_source(self) -> None:
        self.offset.set_visibility(self.memory["source"] == "dataset")
        await self.settle()

    def whom(self, ground: TrialGround) -> None:
        """Offer the people of a ground to be followed. They have numbers here, whatever they are called."""
        self.followed.clear()
        people = [int(one) for one in ground.people]
        with self.followed.classes("gap-1"):
            options: dict[Any, str] = {one: self.say("Person {number}", number=one + 1) for one in people[:500]}
            self._select(tr("Follow"), options, "person", self.follow)
            text = self.say("{points} positions of {people} people.", points=len(ground.truth), people=len(people))
            part = " " + self.say("This is a random part of the data.") if ground.notes else ""
            ui.label(text + part).classes("text-caption text-quiet")

    async def _switch_mechanism(self) -> None:
        self._draw_options()
        await self.again()

    def _draw_options(self) -> None:
        """What depends on the mechanism: its words, its knobs, the attacks on it."""
        name = str(self.memory["mechanism"])
        self.about.text = self.say(MAP_ABOUT[name])
        self.knobs.clear()
        with self.knobs:
            for knob in knobs(name):
                self._knob(name, knob)
        if self.memory["attack"] not in attacks(name):
            self.memory["attack"] = attacks(name)[0]
        self.attack.clear()
        with self.attack:
            options = {one: self.say(MAP_ATTACK[one]) for one in attacks(name)}
            self._select(tr("Attacker"), options, "attack", self._switch_attack)
            self.knows = ui.label().classes("text-caption text-quiet")
        self._known()

    async def _switch_attack(self) -> None:
        self._known()
        await self.again()

    def _known(self) -> None:
        knows = MAP_KNOWS[self.memory["attack"]]
        self.knows.text = self.say(knows)

    def _value(self, name: str, knob: Knob) -> Any:
        return self.memory["set"].get((name, knob.name), knob.start)

    def _knob(self, name: str, knob: Knob) -> None:
        if knob.choices:
            options = {one: self.say(MAP_CHOICE[one]) for one in knob.choices}
            made = ui.select(options, value=self._value(name, knob), label=self.say(MAP_KNOB[knob.name]))

            async def choose(event: Any) -> None:
                self.memory["set"][name, knob.name] = event.value
                await self.again()

            made.classes("w-full").props("dense outlined options-dense").on_value_change(choose)
            return
        label = ui.label().classes("text-body2")
        low, high = knob.place(knob.range.low), knob.place(knob.range.high)
        slider = ui.slider(min=low, max=high, step=knob.range.step, value=knob.place(float(self._value(name, knob))))
        slider.props(f'aria-label="{self.say(MAP_KNOB[knob.name])}"')

        def turn() -> None:
            value = knob.value(float(slider.value))
            self.memory["set"][name, knob.name] = value
            label.text = f"{self.say(MAP_KNOB[knob.name])}: {self.session.say.number(value, 3)}"

        turn()
        slider.on_value_change(turn)
        slider.on("change", self.again)

    def options(self) -> dict[str, Any]:
        """What the mechanism at hand is asked with."""
        name = str(self.memory["mechanism"])
        made: dict[str, Any] = {}
        for knob in knobs(name):
            made |= knob.set(self._value(name, knob))
        return made

    def places(self) -> dict[str, Any]:
        """The values of the knobs by name."""
        name = str(self.memory["mechanism"])
        return {knob.name: self._value(name, knob) for knob in knobs(name)}

    def busy(self, working: bool) -> None:
        """Show that something is being worked out."""
        self.button.props("loading" if working else "", remove="" if working else "loading")

    def guarantee(self, found: LocationTrial) -> None:
        """What holds, whatever an attacker knows; or that nothing does."""
        self.promise.clear()
        holds = found.guarantee.kind != "none"
        with self.promise.props('data-promise="1"'):
            with ui.row().classes("items-center no-wrap"):
                ui.icon("verified_user" if holds else "gpp_maybe").props(
                    f"size=sm color={'positive' if holds else 'warning'}"
                )
                ui.label(self.say(tr("Guarantee") if holds else tr("No guarantee"))).classes("text-weight-medium")
            for line in promise_lines(self.session, found):
                ui.label(line).classes("text-body2")
