"""The planner: what is asked, of how many, how much a report may tell, every mechanism that could ask it; a trial."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import fields
from math import exp
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from cobogo.collect.mechanisms import MECHANISMS
from cobogo.errors import CobogoError
from cobogo.faces.server.services.collections import read_collection
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.charts import (
    BLUE,
    COMPACT,
    FAINT,
    GREY,
    ORANGE,
    PERCENT,
    PLAIN,
    axis,
    dots,
    plot,
    whiskers,
)
from cobogo.faces.workbench.frame import attempt, complain, section
from cobogo.faces.workbench.labels import COLLECT
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.widgets import editor
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.collect.pilot import Pilot
    from cobogo.collect.plan import MechanismComparison, Wish

COLLECT_KIND = {
    "listed": tr("One value of a list"),
    "strings": tr("Any text, with candidates"),
    "words": tr("Unknown words"),
    "number": tr("A number"),
}

COLLECT_WHY = {
    "listed": tr("Each client has one of the values below."),
    "strings": tr("Each client has a text. The candidates below are looked for afterwards."),
    "words": tr("Finds the most frequent words without a list of candidates. This needs very many clients."),
    "number": tr("Each client has a number between two bounds. The mean is estimated."),
}


START: dict[str, Any] = {
    "kind": "listed", "question": "device.os", "epsilon": 1.0, "low": 0.0, "high": 24.0,
    "users": 100_000, "share": 2.0, "error": 0.5,
}  # fmt: skip


def _start(session: PageSession) -> dict[str, Any]:
    """A question to begin with, in the reader's language."""
    systems = ["Android", "Windows", "iOS", "macOS", "Linux", session.say("other")]
    return {**START, "name": session.say("Operating systems"), "values": "\n".join(systems)}


class Planner:
    """The form and what follows from it. Whatever is written here is in the session, so that leaving loses nothing."""

    def __init__(self, desk: Desk, session: PageSession, opened: Callable[[str], Awaitable[None]]) -> None:
        self.desk, self.session, self.say, self.opened = desk, session, session.say, opened
        self.form: dict[str, Any] = session.memory.setdefault("collecting", _start(session))
        self.found: list[MechanismComparison] = []
        self.chosen: str | None = None

    async def build(self) -> None:
        """Form and findings beside each other; the file and a trial below."""
        with ui.row().classes("w-full no-wrap items-stretch gap-4 cobogo-beside"):
            with ui.card().classes("col-4 gap-2"):
                section(self.say("Plan a question"))
                self._kind()
                self.details = ui.column().classes("w-full gap-2")
                self._numbers()
            self.compared = ui.card().classes("col gap-2")
        with ui.row().classes("w-full no-wrap items-stretch gap-4 cobogo-beside"):
            with ui.card().classes("col-5 gap-2"):
                self._file()
            with ui.card().classes("col gap-2"):
                self.trial = CollectionTrial(self.session, lambda: str(self.code.value))
                self.trial.build()
        self._draw_details()
        await self._compare()

    def _kind(self) -> None:
        from cobogo.collect.plan import WANTED

        options = {kind: self.say(COLLECT_KIND[kind]) for kind in WANTED}
        made = ui.select(options, value=self.form["kind"], label=self.say("Kind of question")).classes("w-full")
        made.props("dense outlined").on_value_change(self._switch_kind)

    async def _switch_kind(self, event: Any) -> None:
        self.form["kind"], self.chosen = event.value, None
        self._draw_details()
        await self._compare()

    def _draw_details(self) -> None:
        """What only one kind of question needs."""
        self.details.clear()
        kind = self.form["kind"]
        with self.details:
            ui.label(self.say(COLLECT_WHY[kind])).classes("text-caption text-quiet")
            if kind in ("listed", "strings"):
                label = self.say(tr("Values, one a line") if kind == "listed" else tr("Candidates, one a line"))
                self._field(ui.textarea(label).props("dense outlined rows=5").classes("w-full"), "values")
            if kind == "number":
                with ui.row().classes("w-full no-wrap"):
                    for key in ("low", "high"):
                        self._field(ui.number(self.say(COLLECT[key])).props("dense outlined").classes("col"), key)
            goal = "error" if kind == "number" else "share"
            self._field(ui.number(self.say(COLLECT[goal]), min=0).props("dense outlined").classes("w-full"), goal)

    def _numbers(self) -> None:
        self._field(
            ui.number(self.say("Clients expected"), min=1, step=1000).props("dense outlined").classes("w-full"), "users"
        )
        self._field(
            ui.number(self.say("ε: what a report may reveal"), min=0.1, max=20, step=0.1)
            .props("dense outlined")
            .classes("w-full"),
            "epsilon",
        )
        self.factor = ui.label().classes("text-caption text-quiet")
        with ui.row().classes("w-full no-wrap"):
            for key in ("name", "question"):
                self._field(ui.input(self.say(COLLECT[key])).props("dense outlined").classes("col"), key)

    def _field(self, element: Any, key: str) -> None:
        element.value = self.form[key]

        async def put(event: Any) -> None:
            self.form[key] = event.value
            await self._compare()

        element.props("debounce=400").on_value_change(put)

    def _wish(self) -> Wish:
        from cobogo.collect.plan import Wish

        known = {one.name for one in fields(Wish)}
        told = {key: value for key, value in self.form.items() if key in known and value is not None}
        lines = [line.strip() for line in str(self.form["values"] or "").splitlines()]
        return Wish(**{**told, "values": tuple(line for line in lines if line)})

    async def _compare(self) -> None:
        """Work everything out anew; what is wrong is said where the findings would be."""
        from cobogo.collect import plan

        users = int(self.form["users"] or 0)
        goal = float(self.form["error"] or 0) if self.form["kind"] == "number" else float(self.form["share"] or 0) / 100
        try:
            wish = self._wish()
            found = await run.io_bound(plan.compare, wish, users, goal)
            curves = await run.io_bound(plan.curves, wish)
            assert found is not None
            self.found = found
            if self.chosen not in {one.mechanism for one in found}:
                self.chosen = plan.best(found)
            self.code.value = plan.collection_file(wish.description(self.chosen))
        except CobogoError as error:
            self.compared.clear()
            with self.compared, ui.row().classes("items-center no-wrap").props('role="alert"'):
                ui.icon("error_outline").props("size=sm color=negative")
                ui.label(self.session.say.error(error))
            return
        self.factor.text = self.say(
            "Any report is at most {factor} times as probable from one answer as from another.",
            factor=self.session.say.number(exp(wish.epsilon), 3),
        )
        self.compared.clear()
        with self.compared:
            self._show_comparison(users, curves or {})

    def _show_comparison(self, users: int, curves: Any) -> None:
        section(
            self.say("Mechanisms with {users} clients", users=users),
            help=self.say("The best mechanism is selected. Click on another one to select it."),
        )
        self._verdict(users)
        counts = self.form["kind"] != "number"
        columns = [
            {"name": key, "label": self.say(COLLECT[key]), "field": key, "align": align}
            for key, align in (
                ("mechanism", "left"), ("needed", "right"), ("off", "right"),
                *((("smallest", "right"),) if counts else ()), ("bytes", "right"),
            )
        ]  # fmt: skip
        rows = [
            {
                "mechanism": one.mechanism,
                "needed": self.say("no number is enough")
                if one.needed is None
                else self.session.say.number(one.needed),
                "off": self._figure(one.error, counts),
                "smallest": self._figure(one.smallest, counts),
                "bytes": self.session.say.number(one.width),
            }
            for one in self.found
        ]
        table = ui.table(
            rows=rows, columns=columns, row_key="mechanism", selection="single", on_select=self._select_mechanism
        ).classes("w-full").props("dense flat bordered hide-bottom")  # fmt: skip
        table.props["data-name"] = self.say("Mechanism")
        table.selected = [row for row in rows if row["mechanism"] == self.chosen]
        if self.chosen is not None:
            summary = MECHANISMS.card(self.chosen).summary + "."
            ui.label(f"{self.chosen}: {self.say(summary)}").classes("text-body2 text-quiet")
        self._chart(users, curves) if counts else self._bars()

    def _figure(self, value: float | None, share: bool) -> str:
        return "–" if value is None else self.session.say.percent(value) if share else self.session.say.number(value)

    def _verdict(self, users: int) -> None:
        one = next(one for one in self.found if one.mechanism == self.chosen)
        if one.needed is None:
            text, colour = self.say("No number of clients is enough for this. Choose a larger share."), "negative"
        else:
            enough = one.needed <= users
            key = (
                tr("{users} clients are enough: {mechanism} needs {needed}.")
                if enough
                else tr(
                    "{users} clients are too few: {mechanism} needs {needed}. Choose a larger share, a larger "
                    "error or a larger ε."
                )
            )
            text = self.say(key, users=users, mechanism=one.mechanism, needed=one.needed)
            colour = "positive" if enough else "warning"
        ui.label(text).classes(f"text-body2 text-weight-medium text-{colour}")

    async def _select_mechanism(self, event: Any) -> None:
        if event.selection:
            self.chosen = event.selection[0]["mechanism"]
            await self._compare()

    def _chart(self, users: int, curves: Any) -> None:
        """Clients against shares on logarithmic axes; the mechanism chosen and the clients expected stand out."""
        series: list[dict[str, Any]] = [
            {
                "type": "line", "name": name, "showSymbol": False, "smooth": False, "data": [list(p) for p in points],
                "lineStyle": {"width": 3.5 if name == self.chosen else 1.5}, "z": 3 if name == self.chosen else 2,
            }
            for name, points in curves.items()
        ]  # fmt: skip
        if series:
            series[0]["markLine"] = {
                "symbol": "none", "silent": True, "lineStyle": {"color": FAINT, "type": "dashed", "width": 2},
                "data": [{"yAxis": users}], "label": {"formatter": self.session.say.number(users)},
            }  # fmt: skip
        plot(
            {
                "legend": {"top": 0, "type": "scroll", "textStyle": {"color": "inherit"}},
                "tooltip": {"trigger": "item"},
                "grid": {"left": 12, "right": 56, "top": 52, "bottom": 28, "containLabel": True},
                "xAxis": axis("log", name=self.say("share that has the value"), nameLocation="middle", nameGap=26,
                              min=0.0003, max=1, axisLabel={":formatter": PERCENT}),
                "yAxis": axis("log", name=self.say("clients"), min=100, max=1e9,
                              axisLabel={":formatter": COMPACT}),
                "series": series,
            },
            self.say("Clients needed, by the share of them that have a value"),
            height="15.5rem",
        )  # fmt: skip

    def _bars(self) -> None:
        names = [one.mechanism for one in self.found]
        data = [
            {"value": one.error, "itemStyle": {"color": BLUE, "opacity": 1 if one.mechanism == self.chosen else 0.45}}
            for one in self.found
        ]
        plot(
            {
                "xAxis": axis("category", data=names),
                "yAxis": axis(name=self.say("Standard error of the mean")),
                "series": [{"type": "bar", "data": data, "barMaxWidth": 60}],
            },
            self.say("Standard error of the mean"),
            height="15.5rem",
        )

    def _file(self) -> None:
        section(
            self.say("The collection"),
            help=self.say("The description that clients and server share. It contains no secret. You may edit it."),
        )
        self.code = editor("", "TOML", self.say("The collection"), height="15rem")
        with ui.row():
            ui.button(self.say("Open this collection"), icon="campaign", on_click=self._open).props("no-caps")
            ui.button(
                self.say("Download"),
                icon="download",
                on_click=lambda: ui.download(str(self.code.value).encode(), "collection.toml", "application/toml"),
            ).props("flat no-caps")

    async def _open(self) -> None:
        text = str(self.code.value)
        identity = await attempt(self.session, actions.open_collection, self.desk, self.session, "", text)
        if identity is not None:
            ui.notify(self.say("The collection is open."), type="positive")
            await self.opened(identity)


TRIAL_VALUES = 30
"""Values that a chart shows at most."""


class CollectionTrial:
    """A button and a chart."""

    def __init__(self, session: PageSession, text: Callable[[], str]) -> None:
        self.session, self.say, self.text = session, session.say, text

    def build(self) -> None:
        """How many people, and go."""
        section(
            self.say("Try it with invented people"),
            help=self.say(
                "The answers are invented. Reports, counting and decoding are the real ones. Nothing is stored."
            ),
        )
        with ui.row().classes("items-center"):
            self.people = ui.number(self.say("People"), value=20_000, min=1, max=200_000, step=1000)
            self.people.props("dense outlined").style("width: 9rem")
            self.button = ui.button(self.say("Simulate"), icon="groups", on_click=self._go)
            self.button.props("no-caps outline")
        self.place = ui.column().classes("w-full gap-1").props('aria-live="polite"')

    async def _go(self) -> None:
        from cobogo.collect.pilot import pilot

        self.button.props("loading")
        try:
            asked = read_collection(self.text())
            found = await run.io_bound(pilot, asked, int(self.people.value or 0))
        except CobogoError as error:
            complain(error, self.session.language)
            return
        finally:
            self.button.props(remove="loading")
        assert found is not None
        self.place.clear()
        with self.place:
            self._show_pilot(found)

    def _show_pilot(self, found: Pilot) -> None:
        rows = found.rows()[:TRIAL_VALUES]
        labels = [self.say("Mean") if not found.found.counted else row["label"] for row in rows]
        intervals = [
            None
            if row["estimate"] is None
            else (row["estimate"] - 1.96 * row["error"], row["estimate"] + 1.96 * row["error"])
            for row in rows
        ]
        form = {":formatter": PERCENT} if found.found.counted else {":formatter": PLAIN}
        plot(
            {
                "legend": {"top": 0},
                "tooltip": {"trigger": "item"},
                "xAxis": axis("category", data=labels, axisLabel={"hideOverlap": True}),
                "yAxis": axis(axisLabel=form, scale=not found.found.counted),
                "series": [
                    {
                        "type": "bar", "name": self.say("invented"), "data": [row["truth"] for row in rows],
                        "itemStyle": {"color": GREY, "opacity": 0.55}, "barMaxWidth": 46,
                    },
                    whiskers(self.say("95 %"), intervals, ORANGE),
                    dots(self.say("estimated"), [row["estimate"] for row in rows], BLUE),
                ],
            },
            self.say("Try it with invented people"),
            height="14rem",
        ).props('data-trial="1"')  # fmt: skip
        ui.label(
            self.say(
                "{people} invented people sent {bytes} bytes. Bars show their true values; points show the "
                "estimates with intervals of 95 %.",
                people=found.users,
                bytes=found.bytes,
            )
        ).classes("text-body2")
