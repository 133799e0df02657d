"""Collect: a question for many people is planned, tried with made-up ones, opened, and its reports are decoded."""

from __future__ import annotations

from typing import Any

from nicegui import run, ui

from cobogo.errors import CobogoError
from cobogo.faces.workbench.charts import PERCENT, axis, dots, plot, whiskers
from cobogo.faces.workbench.frame import open_page, section
from cobogo.faces.workbench.labels import COLLECT
from cobogo.faces.workbench.pages.collecting.planner import Planner
from cobogo.faces.workbench.session import LOCAL_KEY, Desk, PageSession
from cobogo.faces.workbench.widgets import snippet
from cobogo.floor.language import tr


async def build(desk: Desk) -> None:
    with open_page(desk, "collecting") as session:
        if session is None:
            return
        ui.label(
            session.say(
                "Ask many people a question without learning any person's answer: each device sends a "
                "randomized report, and only the shares can be estimated."
            )
        ).classes("text-body1")
        collections = OpenCollections(desk, session)
        await Planner(desk, session, collections.refresh).build()
        await collections.build()


SHOWN = 30
"""Values that a chart shows at most; the table has pages."""

CODE = """import cobogo as cb, httpx

place = "{address}/api/v1/collections/{identity}"
server = httpx.Client(headers={{"Authorization": "Bearer " + KEY}})
client = cb.collect.Client(server.get(place).json(), "memo.db")
server.post(place + "/reports", content=client.report(VALUE))
"""


class OpenCollections:
    """One's own collections, one of them looked at."""

    def __init__(self, desk: Desk, session: PageSession) -> None:
        self.desk, self.session, self.say = desk, session, session.say
        self.chosen: str | None = session.memory.get("collection")
        self.address = str(ui.context.client.request.base_url).rstrip("/")

    async def build(self) -> None:
        """The list, and the one at hand."""
        self.place = ui.column().classes("w-full gap-3")
        await self.refresh()

    async def refresh(self, identity: str | None = None) -> None:
        """Draw all of it anew, with the one named at hand."""
        rows = await run.io_bound(self._rows) or []
        known = [row["id"] for row in rows]
        self.chosen = next((one for one in (identity, self.chosen) if one in known), known[0] if known else None)
        self.session.memory["collection"] = self.chosen
        findings = None
        if self.chosen is not None:
            row = next(row for row in rows if row["id"] == self.chosen)
            findings = await run.io_bound(self._findings, row)
        self.place.clear()
        with self.place:
            section(self.say("Your collections"))
            if not rows:
                ui.label(self.say("No collection is open yet.")).classes("text-quiet")
                return
            with ui.row().classes("w-full no-wrap items-start gap-4 cobogo-beside"):
                with ui.column().classes("col-3 gap-1"):
                    self._list(rows)
                with ui.card().classes("col gap-2"):
                    self._detail(findings)
            with ui.expansion(self.say("How clients send reports"), icon="devices").classes("w-full").props("dense"):
                self._how()

    async def _look(self) -> None:
        await self.refresh()

    def _rows(self) -> list[dict[str, Any]]:
        return self.desk.service.collections.list_all(self.session.caller)

    def _findings(self, row: dict[str, Any]) -> dict[str, Any] | str:
        try:
            return dict(self.desk.service.collections.count(self.session.caller, row["id"]).findings().as_dict())
        except CobogoError as error:
            return self.session.say.error(error)

    def _list(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            button = ui.button(on_click=lambda one=row["id"]: self.refresh(one)).classes("w-full")
            button.props(f"no-caps align=left {'outline' if row['id'] == self.chosen else 'flat'}")
            with button, ui.column().classes("gap-0 items-start text-left"):
                ui.label(row["name"]).classes("text-weight-medium")
                reports = self.say("{reports} reports", reports=row["reports"])
                since = self.say("since {date}", date=self.session.date(row["created"]))
                ui.label(f"{reports} · {since}").classes("text-caption text-quiet")

    def _detail(self, findings: dict[str, Any] | str | None) -> None:
        with ui.row().classes("w-full items-center"):
            ui.label(self.say("Estimates so far")).classes("text-subtitle1 text-weight-medium")
            ui.space()
            ui.button(self.say("Refresh"), icon="refresh", on_click=self._look).props("flat no-caps")
        if not isinstance(findings, dict):
            ui.label(str(findings)).classes("text-negative")
        elif not findings["reports"]:
            ui.label(self.say("No reports yet.")).classes("text-quiet")
        elif findings["found"] and "share" not in findings["found"][0]:
            one = findings["found"][0]
            ui.label(
                f"{self.session.say.number(one['estimate'])} ± {self.session.say.number(1.96 * one['error'], 2)}"
            ).classes("text-h5")
            ui.label(self.say("{reports} reports", reports=findings["reports"])).classes("text-quiet")
        else:
            if findings["too_few"]:
                ui.label(
                    self.say("There are too few reports: even a value that all clients have could not be detected.")
                ).classes("text-negative").props("role=status")
            self._shares(findings)

    def _shares(self, findings: dict[str, Any]) -> None:
        found = sorted(findings["found"], key=lambda one: -one["share"])
        first = found[:SHOWN]
        ends = [(one["share"] - 1.96 * one["share_error"], one["share"] + 1.96 * one["share_error"]) for one in first]
        percent = {":formatter": PERCENT}
        plot(
            {
                "tooltip": {"trigger": "item"},
                "grid": {"left": 12, "right": 16, "top": 12, "bottom": 8, "containLabel": True},
                "xAxis": axis("category", data=[one["value"] for one in first], axisLabel={"hideOverlap": True}),
                "yAxis": axis(axisLabel=percent),
                "series": [whiskers("95 %", ends), dots(self.say("Share"), [one["share"] for one in first])],
            },
            self.say("Estimated shares with intervals of 95 %"),
            height="13rem",
        ).props('data-estimates="1"')
        columns = [
            {"name": key, "label": self.say(COLLECT[key]), "field": key, "align": align}
            for key, align in (("value", "left"), ("clients-estimated", "right"), ("part", "right"),
                               ("interval", "right"), ("there", "left"))
        ]  # fmt: skip
        rows = [
            {
                "value": one["value"],
                "clients-estimated": self.session.say.number(round(one["estimate"])),
                "part": self._percent(one["share"]),
                "interval": f"± {self._percent(1.96 * one['share_error'])}",
                "there": self.say(tr("yes") if one["significant"] else tr("no")),
            }
            for one in found
        ]
        table = ui.table(rows=rows, columns=columns, row_key="value", pagination=8).classes("w-full")
        table.props("dense flat bordered" + (" hide-bottom" if len(rows) <= 8 else ""))
        ui.label(
            self.say(
                "Intervals of 95 %. A value is detected if noise alone would almost never make its estimate as large."
            )
        ).classes("text-caption text-quiet")
        if any(one["share"] < 0 for one in found):
            ui.label(self.say("Estimates can be below zero. They are not changed, so that sums stay correct.")).classes(
                "text-caption text-quiet"
            )

    def _percent(self, share: float) -> str:
        return ("−" if share < 0 else "") + self.session.say.percent(abs(share))

    def _how(self) -> None:
        local = self.session.holder is not None and self.session.holder.key == LOCAL_KEY
        state = f" --state {self.desk.service.collections.state}" if local else ""
        with ui.row().classes("w-full no-wrap items-start gap-6 cobogo-beside"):
            with ui.column().classes("col-5 gap-2"):
                ui.label(self.say("Create a key for a collector, who may only hand in reports:")).classes("text-body2")
                snippet(self.session, f"cobogo serve{state} \\\n  --add-key gate --role collector", "bash")
                ui.label(
                    self.say(
                        "The server keeps only sums. It counts each report and then deletes it, and never "
                        "knows whose it was."
                    )
                ).classes("text-body2 text-quiet")
            with ui.column().classes("col gap-2"):
                ui.label(
                    self.say(
                        "On a device, with the description from the server and a memo that stores its "
                        "permanent answers:"
                    )
                ).classes("text-body2")
                snippet(self.session, CODE.format(address=self.address, identity=self.chosen), "python")
