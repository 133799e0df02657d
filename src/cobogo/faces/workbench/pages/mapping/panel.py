"""The panel: whose positions are tried, by which mechanism with which knobs, against which attack."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from math import log10
from pathlib import Path
from typing import Any

from nicegui import ui

from cobogo.data.table.connect import connect
from cobogo.errors import DataError
from cobogo.faces.server.services.datasets import NUMBER
from cobogo.faces.workbench.pages.mapping.figures import promise_lines
from cobogo.faces.workbench.session import PageSession
from cobogo.locate.places.points import Points, column_names
from cobogo.studies.location_trial import LocationTrial, TrialGround

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
        raise DataError("has no columns for longitude, latitude and time", where=row["name"])
    engine = connect()
    with engine.guarded("reading"):
        table = engine.connection.read_parquet(file)
        first = table.filter(table[NUMBER] < ROWS).order_by(NUMBER)
        wanted = first.select(**{part: first[one] for part, one in columns.items()})
        found = engine.fetch(wanted)
    points = Points.from_arrow(found, where=row["name"])
    nameless = Points(points.lon, points.lat, points.time, points.user)
    return TrialGround.from_points(nameless, hours_from_utc=hours_from_utc)


CLOAKS = ("quad-tree", "casper", "hilbert", "nearest-neighbours", "clique")
ON_POSITIONS = (
    "tracking", "short-observation", "long-observation", "home-and-work", "presence-absence", "identification",
    "aggregated-presence",
)  # fmt: skip
ON_CLOAKS = ("centre-of-cloak", "intersection-of-cloaks", *ON_POSITIONS)


@dataclass(frozen=True)
class Knob:
    """One option of a mechanism: a number, on a logarithmic scale where ``tens``, or one of some words. What is set
    goes to all of ``options``."""

    name: str
    start: float | str
    low: float = 0.0
    high: float = 1.0
    step: float = 1.0
    tens: bool = False
    choices: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether it takes whole numbers."""
        return not self.tens and float(self.step).is_integer() and isinstance(self.start, int)

    def value(self, place: float) -> float | int:
        """The value at a place of the slider.

        >>> EPSILON.value(-2.0), Knob("k", 5, 2, 20).value(7.0)
        (0.01, 7)
        """
        if self.tens:
            return float(f"{10**place:.2g}")
        return int(place) if self.whole else float(place)

    def place(self, value: float) -> float:
        """The slider's place of a value."""
        return log10(value) if self.tens else value

    def set(self, value: float | str) -> dict[str, float | str]:
        """The options of the mechanism."""
        return dict.fromkeys(self.options or (self.name,), value)


EPSILON = Knob("epsilon", 0.01, 1e-4, 0.1, 0.05, tens=True)
K = Knob("k", 4, 2, 20)

KNOBS: Mapping[str, tuple[Knob, ...]] = {
    "planar-laplace": (EPSILON,),
    "remapped-laplace": (EPSILON,),
    "optimal": (Knob("epsilon", 0.002, 1e-4, 0.01, 0.05, tens=True),),
    "grid-exponential": (EPSILON,),
    "elastic": (EPSILON,),
    "predictive": (EPSILON, Knob("test_share", 0.2, 0.05, 0.5, 0.05)),
    "adaptive": (EPSILON, Knob("window", 5, 2, 20), Knob("judge", "truth", choices=("truth", "reports"))),
    "several": (EPSILON,),
    "centroid": (EPSILON,),
    "disc": (
        Knob("radius", 500.0, 50, 5000, 0.05, tens=True),
        Knob("relevance", 0.25, 0.05, 1, 0.05),
        Knob("how", "enlarge", choices=("enlarge", "reduce", "shift")),
    ),
    "keyed-transform": (),
    "indirect": (),
    "dummies": (Knob("k", 5, 2, 20), Knob("how", "dls", choices=("uniform", "dls", "enhanced-dls"))),
    "quad-tree": (K, Knob("reciprocal", "false", choices=("false", "true"))),
    "casper": (K,),
    "hilbert": (K,),
    "nearest-neighbours": (K,),
    "clique": (
        Knob("k", 2, 2, 10),
        Knob("tolerance", 3000.0, 200, 10_000, 0.05, tens=True, options=("dx", "dy")),
        Knob("dt", 900, 300, 3600, 300),
    ),
}
"""Every mechanism that can be tried, in the order in which they are offered."""


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
        """All of it."""
        with ui.card().classes("w-full gap-2"):
            self._whose()
            names = {one: self.say(f"map.name.{one}") for one in KNOBS}
            self._select("map.mechanism", names, "mechanism", self._switch_mechanism)
            self.about = ui.label().classes("text-caption text-quiet")
            self.knobs = ui.column().classes("w-full gap-1")
            self.attack = ui.column().classes("w-full gap-2")
            with ui.row().classes("w-full items-center no-wrap"):
                self.button = ui.button(self.say("map.again"), icon="casino", on_click=self.again).props(
                    "outline no-caps"
                )
                self.button.tooltip(self.say("map.again-what"))
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
        options: dict[Any, str] = {one: self.say("map.made-up", people=int(one)) for one in CROWDS}
        mine = self.row is not None and positions_in(self.row) is not None
        if mine and self.row is not None:
            options["dataset"] = self.say("map.dataset", name=self.row["name"])
        self._select("map.whose", options, "source", self._switch_source)
        self.offset = ui.number(self.say("map.offset"), value=self.memory["offset"], min=-12, max=14, step=1)
        self.offset.props("dense outlined debounce=400").classes("w-full").on_value_change(self._clock)
        self.offset.set_visibility(self.memory["source"] == "dataset")
        if not mine:
            ui.label(self.say("map.own")).classes("text-caption text-quiet")
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
            options: dict[Any, str] = {one: self.say("map.person", number=one + 1) for one in people[:500]}
            self._select("map.follow", options, "person", self.follow)
            text = self.say("map.many", points=len(ground.truth), people=len(people))
            part = " " + self.say("map.part") if ground.notes else ""
            ui.label(text + part).classes("text-caption text-quiet")

    async def _switch_mechanism(self) -> None:
        self._draw_options()
        await self.again()

    def _draw_options(self) -> None:
        """What depends on the mechanism: its words, its knobs, the attacks on it."""
        name = str(self.memory["mechanism"])
        self.about.text = self.say(f"map.about.{name}")
        self.knobs.clear()
        with self.knobs:
            for knob in KNOBS[name]:
                self._knob(name, knob)
        if self.memory["attack"] not in attacks(name):
            self.memory["attack"] = attacks(name)[0]
        self.attack.clear()
        with self.attack:
            options = {one: self.say(f"map.attack.{one}") for one in attacks(name)}
            self._select("map.attack", options, "attack", self._switch_attack)
            self.knows = ui.label().classes("text-caption text-quiet")
        self._known()

    async def _switch_attack(self) -> None:
        self._known()
        await self.again()

    def _known(self) -> None:
        self.knows.text = self.say(f"map.knows.{self.memory['attack']}")

    def _value(self, name: str, knob: Knob) -> Any:
        return self.memory["set"].get((name, knob.name), knob.start)

    def _knob(self, name: str, knob: Knob) -> None:
        if knob.choices:
            options = {one: self.say(f"map.choice.{one}") for one in knob.choices}
            made = ui.select(options, value=self._value(name, knob), label=self.say(f"map.knob.{knob.name}"))

            async def choose(event: Any) -> None:
                self.memory["set"][name, knob.name] = event.value
                await self.again()

            made.classes("w-full").props("dense outlined options-dense").on_value_change(choose)
            return
        label = ui.label().classes("text-body2")
        low, high = knob.place(knob.low), knob.place(knob.high)
        slider = ui.slider(min=low, max=high, step=knob.step, value=knob.place(float(self._value(name, knob))))
        slider.props(f'aria-label="{self.say(f"map.knob.{knob.name}")}"')

        def turn() -> None:
            value = knob.value(float(slider.value))
            self.memory["set"][name, knob.name] = value
            label.text = f"{self.say(f'map.knob.{knob.name}')}: {self.session.number(value, 3)}"

        turn()
        slider.on_value_change(turn)
        slider.on("change", self.again)

    def options(self) -> dict[str, Any]:
        """What the mechanism at hand is asked with."""
        name = str(self.memory["mechanism"])
        made: dict[str, Any] = {}
        for knob in KNOBS[name]:
            made |= knob.set(self._value(name, knob))
        return made

    def places(self) -> dict[str, Any]:
        """The values of the knobs by name."""
        name = str(self.memory["mechanism"])
        return {knob.name: self._value(name, knob) for knob in KNOBS[name]}

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
                ui.label(self.say("map.guarantee" if holds else "map.no-guarantee")).classes("text-weight-medium")
            for line in promise_lines(self.session, found):
                ui.label(line).classes("text-body2")
