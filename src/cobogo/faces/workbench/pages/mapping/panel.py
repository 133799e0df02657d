"""What is chosen: whose positions, which mechanism with which options, which attack, and whom to follow."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from cobogo.faces.workbench.pages.mapping import grounds
from cobogo.faces.workbench.pages.mapping.figures import promised
from cobogo.faces.workbench.pages.mapping.knobs import KNOBS, Knob, attacks
from cobogo.faces.workbench.session import Session
from cobogo.studies.location_trial import LocationTrial, TrialGround

Go = Callable[[], Awaitable[None]]
CROWDS = ("12", "24", "60")


class Panel:
    """The knobs. They write into the session's memory and call back."""

    def __init__(
        self, session: Session, memory: dict[str, Any], row: dict[str, Any] | None, settle: Go, again: Go, follow: Go
    ) -> None:
        self.session, self.say, self.memory, self.row = session, session.say, memory, row
        self.settle, self.again, self.follow = settle, again, follow

    def build(self) -> None:
        """All of it."""
        with ui.card().classes("w-full gap-2"):
            self._whose()
            names = {one: self.say(f"map.name.{one}") for one in KNOBS}
            self._select("map.mechanism", names, "mechanism", self._turned)
            self.about = ui.label().classes("text-caption text-quiet")
            self.knobs = ui.column().classes("w-full gap-1")
            self.attack = ui.column().classes("w-full gap-2")
            with ui.row().classes("w-full items-center no-wrap"):
                self.button = ui.button(self.say("map.again"), icon="casino", on_click=self.again).props(
                    "outline no-caps"
                )
                self.button.tooltip(self.say("map.again-what"))
        self.promise = ui.card().classes("w-full gap-1")
        self._offered()

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
        mine = self.row is not None and grounds.positions_in(self.row) is not None
        if mine and self.row is not None:
            options["dataset"] = self.say("map.dataset", name=self.row["name"])
        self._select("map.whose", options, "source", self._changed)
        self.offset = ui.number(self.say("map.offset"), value=self.memory["offset"], min=-12, max=14, step=1)
        self.offset.props("dense outlined debounce=400").classes("w-full").on_value_change(self._clock)
        self.offset.set_visibility(self.memory["source"] == "dataset")
        if not mine:
            ui.label(self.say("map.own")).classes("text-caption text-quiet")
        self.followed = ui.column().classes("w-full")

    async def _clock(self, event: Any) -> None:
        self.memory["offset"] = event.value or 0
        await self.settle()

    async def _changed(self) -> None:
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

    async def _turned(self) -> None:
        self._offered()
        await self.again()

    def _offered(self) -> None:
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
            self._select("map.attack", options, "attack", self._attacked)
            self.knows = ui.label().classes("text-caption text-quiet")
        self._known()

    async def _attacked(self) -> None:
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

            async def chosen(event: Any) -> None:
                self.memory["set"][name, knob.name] = event.value
                await self.again()

            made.classes("w-full").props("dense outlined options-dense").on_value_change(chosen)
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
        """Where its knobs stand."""
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
            for line in promised(self.session, found):
                ui.label(line).classes("text-body2")
