"""Map: a mechanism hides where people are, an attacker guesses, and both can be watched as time goes by."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from nicegui import run, ui

from cobogo.errors import CobogoError
from cobogo.faces.workbench.charts import plot
from cobogo.faces.workbench.frame import open_page, section
from cobogo.faces.workbench.pages.mapping import figures
from cobogo.faces.workbench.pages.mapping.panel import MechanismPanel, attacks, make_ground, positions_in, read_ground
from cobogo.faces.workbench.pages.mapping.picture import WIDE, MapPicture
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.floor.language import tr
from cobogo.studies.location_trial import LocationTrial, TrialGround, try_mechanism


async def build(desk: Desk) -> None:
    with open_page(desk, "mapping") as session:
        if session is not None:
            await Player(desk, session).build()


TICK = 0.25
SPEEDS = (1, 2, 4, 8)
START: dict[str, Any] = {
    "source": "24", "offset": 0, "mechanism": "planar-laplace", "attack": "tracking", "set": {}, "person": 0,
    "tries": [], "close": False,
}  # fmt: skip


class Player:
    """Everything on the page. What was chosen is in the session."""

    def __init__(self, desk: Desk, session: PageSession) -> None:
        self.desk, self.session, self.say = desk, session, session.say
        self.memory: dict[str, Any] = session.memory.setdefault("mapping", {**START, "set": {}, "tries": []})
        self.row = desk.service.datasets.find(session.caller, session.dataset)
        if self.memory["source"] == "dataset" and (self.row is None or positions_in(self.row) is None):
            self.memory["source"] = START["source"]
        self.ground: TrialGround | None = None
        self.tried: LocationTrial | None = None
        self.picture: MapPicture | None = None
        self.chart: ui.echart | None = None
        self.number = 0

    async def build(self) -> None:
        with ui.row().classes("w-full no-wrap items-start gap-4 cobogo-beside"):
            with ui.column().classes("gap-3").style("width: 20.5rem; flex: none"):
                self.panel = MechanismPanel(self.session, self.memory, self.row, self._settle, self._try, self._follow)
                self.panel.build()
            with ui.column().classes("col gap-2").style("min-width: 0"):
                self.figures = ui.row().classes("w-full gap-2 no-wrap cobogo-wrap").props('aria-live="polite"')
                with ui.card().classes("w-full q-pa-sm gap-1"):
                    self.progress = ui.linear_progress(show_value=False).props('indeterminate size=4px role="status"')
                    self.place = ui.element("div").classes("w-full").style(f"aspect-ratio: {WIDE}; position: relative")
                    self._clock()
        section(
            self.say("Your trials"),
            help=self.say(
                "A good mechanism loses little quality, and the attacker's guesses are far from the truth. "
                "Nothing is stored."
            ),
        )
        self.tries = ui.column().classes("w-full")
        self.timer = ui.timer(TICK, self._tick, active=False)
        await self._settle()

    def _clock(self) -> None:
        with ui.row().classes("w-full items-center no-wrap gap-2 cobogo-wrap"):
            self.play = ui.button(icon="play_arrow", on_click=self._toggle).props("round dense")
            self._set_label(self.play, tr("Play"))
            for icon, word, by in (
                ("skip_previous", tr("One step back"), -1),
                ("skip_next", tr("One step forward"), 1),
            ):
                step = ui.button(icon=icon, on_click=lambda by=by: self._step(by)).props("flat round dense")
                self._set_label(step, word)
            self.slider = ui.slider(min=0, max=1, value=0, on_change=self._move).classes("col")
            time = self.say("Time")
            self.slider.props(f'aria-label="{time}"')
            self.now = ui.label().classes("text-body2 text-weight-medium").style("width: 6.5rem; text-align: right")
            ui.checkbox(self.say("Zoom to the person"), value=bool(self.memory["close"]), on_change=self._closer)
            self.speed = ui.select({one: f"{one}×" for one in SPEEDS}, value=1).props("dense borderless")
            self._set_label(self.speed, tr("Speed"))
        self.distance = ui.label().classes("text-body2 text-quiet").props('data-distance="1"')

    def _set_label(self, element: Any, word: str) -> None:
        element.props(f'aria-label="{self.say(word)}"').tooltip(self.say(word))

    async def _settle(self) -> None:
        """Other people: read or make them up, then try."""
        self._stop()
        source = str(self.memory["source"])
        try:
            if source == "dataset":
                assert self.row is not None
                offset = float(self.memory["offset"] or 0)
                file = self.desk.service.datasets.rows_file(self.session.caller, self.row["id"])
                self.ground = await run.io_bound(read_ground, file, self.row, offset)
            else:
                self.ground = await run.io_bound(make_ground, int(source))
        except CobogoError as error:
            self._complain(error)
            return
        assert self.ground is not None
        self.picture, self.chart = MapPicture(self.ground, self.say), None
        people = [int(one) for one in self.ground.people]
        self.memory["person"] = self.memory["person"] if self.memory["person"] in people else people[0]
        self.panel.whom(self.ground)
        self.slider.props(f"max={len(self.ground.moments) - 1}")
        self.slider.value = len(self.ground.moments) // 2
        await self._try()

    async def _try(self) -> None:
        """Run the mechanism and the attack; if the settings change meanwhile, show only the last run."""
        if self.ground is None:
            return
        self.number += 1
        mine, name = self.number, str(self.memory["mechanism"])
        attack = self.memory["attack"] if self.memory["attack"] in attacks(name) else None
        options, places = self.panel.options(), self.panel.places()
        self._busy(True)
        try:
            found = await run.io_bound(try_mechanism, self.ground, name, options, attack)
        except CobogoError as error:
            if mine == self.number:
                self._complain(error)
            return
        finally:
            if mine == self.number:
                self._busy(False)
        if mine != self.number or found is None:
            return
        self.tried = found
        self.memory["tries"] = figures.remember(self.memory["tries"], figures.Try.from_trial(found, name, places))
        self._draw()

    def _busy(self, working: bool) -> None:
        self.progress.style(f"visibility: {'visible' if working else 'hidden'}")
        self.panel.busy(working)

    async def _follow(self) -> None:
        """Look at somebody else in the same trial."""
        if self.tried is not None:
            self._draw()

    def _complain(self, error: CobogoError) -> None:
        self.tried, self.chart = None, None
        self._stop()
        self.figures.clear()
        self.place.clear()
        with self.place, ui.row().classes("items-center q-pa-lg no-wrap").props('role="alert"'):
            ui.icon("error_outline").props("size=md color=negative")
            ui.label(self.session.say.error(error))

    def _draw(self) -> None:
        assert self.tried is not None
        assert self.picture is not None
        close = bool(self.memory["close"])
        options = self.picture.options(self.tried, self.memory["person"], self._moment(), close=close)
        if self.chart is None:
            self.place.clear()
            with self.place:
                self.chart = plot(options, self.say("A map with true positions, reports and guesses"), height="100%")
                self.chart.props('data-map="1"')
        else:
            self.chart.options.update(options)
            self.chart.update()
        self.panel.guarantee(self.tried)
        self.figures.clear()
        with self.figures:
            figures.tiles(self.session, self.tried)
        self.tries.clear()
        with self.tries:
            figures.table(self.session, self.memory["tries"])
        self._show_moment()

    def _moment(self) -> float:
        assert self.ground is not None
        at = min(max(int(self.slider.value or 0), 0), len(self.ground.moments) - 1)
        return float(self.ground.moments[at])

    def _move(self) -> None:
        if self.tried is None or self.chart is None or self.picture is None:
            return
        person, moment = self.memory["person"], self._moment()
        series = self.picture.moving(self.tried, person, moment)
        plain = [{"id": one["id"], "data": one["data"]} for one in series]
        seen = self.picture.window(self.tried, person, moment, close=bool(self.memory["close"]))
        self.chart.run_chart_method("setOption", {**seen, "series": plain})
        self._show_moment()

    def _closer(self, event: Any) -> None:
        self.memory["close"] = event.value
        self._move()

    def _show_moment(self) -> None:
        """The clock, and how far off report and guess are at this moment."""
        assert self.ground is not None
        assert self.tried is not None
        clock = datetime.fromtimestamp(self._moment() + 3600 * self.ground.hours_from_utc, UTC)
        self.now.text = clock.strftime("%d/%m %H:%M" if self.session.language == "pt-BR" else "%d %b %H:%M")
        person = self.memory["person"]
        row = self.tried.row(person, self._moment())
        self.distance.text = (
            self.say("No report yet at this moment.")
            if row is None
            else figures.moment(self.session, self.tried, person, row)
        )

    def _toggle(self) -> None:
        if self.timer.active:
            self._stop()
        elif self.tried is not None:
            if self._last():
                self.slider.value = 0
            self.timer.activate()
            label = self.say("Pause")
            self.play.props(f'icon=pause aria-label="{label}"')

    def _stop(self) -> None:
        if hasattr(self, "timer"):
            self.timer.deactivate()
            label = self.say("Play")
            self.play.props(f'icon=play_arrow aria-label="{label}"')

    def _last(self) -> bool:
        return self.ground is None or int(self.slider.value) >= len(self.ground.moments) - 1

    def _tick(self) -> None:
        if self._last():
            self._stop()
        else:
            self._step(int(self.speed.value or 1))

    def _step(self, by: int) -> None:
        if self.ground is not None:
            self.slider.value = min(max(int(self.slider.value) + by, 0), len(self.ground.moments) - 1)
