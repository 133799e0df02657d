"""A trial: made-up people report, and what comes of it is held against what they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nicegui import run, ui

from cobogo.errors import CobogoError
from cobogo.faces.server.services.collections import read_collection
from cobogo.faces.workbench.frame import complain, section
from cobogo.faces.workbench.plots import BLUE, GREY, ORANGE, PERCENT, PLAIN, axis, dots, plotted, whiskers
from cobogo.faces.workbench.session import Session

if TYPE_CHECKING:
    from cobogo.collect.pilot import Pilot

SHOWN = 30
"""Values that a chart shows at most."""


class Trial:
    """A button and a chart."""

    def __init__(self, session: Session, text: Callable[[], str]) -> None:
        self.session, self.say, self.text = session, session.say, text

    def build(self) -> None:
        """How many people, and go."""
        section(self.say("collect.try"), help=self.say("collect.try-what"))
        with ui.row().classes("items-center"):
            self.people = ui.number(self.say("collect.people"), value=20_000, min=1, max=200_000, step=1000)
            self.people.props("dense outlined").style("width: 9rem")
            self.button = ui.button(self.say("collect.simulate"), icon="groups", on_click=self._go)
            self.button.props("no-caps outline")
        self.place = ui.column().classes("w-full gap-1").props('aria-live="polite"')

    async def _go(self) -> None:
        from cobogo.collect.pilot import pilot

        self.button.props("loading")
        try:
            asked = read_collection(self.text())
            found = await run.io_bound(pilot, asked, int(self.people.value or 0))
        except CobogoError as error:
            complain(error)
            return
        finally:
            self.button.props(remove="loading")
        assert found is not None
        self.place.clear()
        with self.place:
            self._shown(found)

    def _shown(self, found: Pilot) -> None:
        rows = found.rows()[:SHOWN]
        labels = [self.say("collect.mean") if not found.found.counted else row["label"] for row in rows]
        intervals = [
            None
            if row["estimate"] is None
            else (row["estimate"] - 1.96 * row["error"], row["estimate"] + 1.96 * row["error"])
            for row in rows
        ]
        form = {":formatter": PERCENT} if found.found.counted else {":formatter": PLAIN}
        plotted(
            {
                "legend": {"top": 0},
                "tooltip": {"trigger": "item"},
                "xAxis": axis("category", data=labels, axisLabel={"hideOverlap": True}),
                "yAxis": axis(axisLabel=form, scale=not found.found.counted),
                "series": [
                    {
                        "type": "bar", "name": self.say("collect.truth"), "data": [row["truth"] for row in rows],
                        "itemStyle": {"color": GREY, "opacity": 0.55}, "barMaxWidth": 46,
                    },
                    whiskers(self.say("collect.interval"), intervals, ORANGE),
                    dots(self.say("collect.estimate"), [row["estimate"] for row in rows], BLUE),
                ],
            },
            self.say("collect.try"),
            height="14rem",
        ).props('data-trial="1"')  # fmt: skip
        ui.label(self.say("collect.tried", people=found.users, bytes=found.bytes)).classes("text-body2")
