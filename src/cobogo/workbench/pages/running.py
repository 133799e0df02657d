"""Run: what the policy allows, how far it is, a way to stop it, and what came of it."""

from __future__ import annotations

import json
import time
from typing import Any

from nicegui import run, ui

from cobogo.errors import CobogoError
from cobogo.server import tables
from cobogo.server.queue import OVER
from cobogo.server.state import DATASETS, JOBS
from cobogo.server.worker import AUDIT, KINDS
from cobogo.workbench import outcome
from cobogo.workbench.checking import checked, jobs_of
from cobogo.workbench.frame import complain, framed, no_data, section
from cobogo.workbench.session import Desk, Session

COLOURS = {"done": "positive", "refused": "warning", "failed": "negative", "cancelled": "secondary"}
OFTEN = 0.25
"""Seconds between two looks at a job."""
SHOWN = 20
OPEN = """<q-td :props="props"><q-btn flat round dense size="sm" icon="visibility" aria-label="{label}"
  @click="() => $parent.$emit('open', props.row.id)" /></q-td>"""


def build(desk: Desk) -> None:
    """The page."""
    with framed(desk, "running") as session:
        if session is None:
            return
        row = desk.house.state.get(DATASETS, session.dataset or "", session.owner)
        if row is None:
            no_data(session)
        else:
            _start(desk, session, row)
        Watched(desk, session)


def _start(desk: Desk, session: Session, row: dict[str, Any]) -> None:
    """What would run now, and the button."""
    section(session.say("run.what"), help=session.say("run.what-why"))
    kinds = [kind for kind in jobs_of(session.draft.content()) if kind in KINDS]
    problem = _problem(desk, session, row)
    with ui.card().classes("w-full q-pa-md gap-3"):
        ui.label(session.say("run.rows", name=row["name"], rows=tables.about(row)["rows"])).classes("text-subtitle1")
        chosen = ui.radio({kind: session.say(f"kind.{kind}") for kind in kinds}, value=kinds[0] if kinds else None)
        chosen.props("inline dense").set_visibility(len(kinds) > 1)
        why = ui.label().classes("text-body2 text-quiet")
        why.bind_text_from(chosen, "value", lambda kind: session.say(f"kind.{kind}-why") if kind else "")
        if problem is not None:
            ui.label(session.trouble(problem)).classes("text-negative").style("white-space: pre-wrap").props(
                'role="alert"'
            )

        async def go() -> None:
            await _begin(desk, session, row, str(chosen.value))

        with ui.row().classes("gap-2"):
            ui.button(session.say("run.go"), icon="play_arrow", on_click=go).props("no-caps").set_enabled(
                problem is None
            )
            if problem is not None:
                ui.button(session.say("run.repair"), on_click=lambda: ui.navigate.to("/privacy")).props("flat no-caps")


def _problem(desk: Desk, session: Session, row: dict[str, Any]) -> CobogoError | None:
    try:
        checked(desk, session, row["id"])
    except CobogoError as error:
        return error
    return None


async def _begin(desk: Desk, session: Session, row: dict[str, Any], kind: str) -> None:
    text, file = session.draft.text, tables.about(row)["file"]

    def submit() -> str:
        checked(desk, session, row["id"])
        identity = desk.queue.submit(session.owner, kind, row["id"], file, text)
        desk.note(session, "run", identity, 202)
        return identity

    try:
        session.job = await run.io_bound(submit)
        session.release = None
    except CobogoError as error:
        complain(error, session.language)


class Watched:
    """The job that the session looks at, and those before it: looked at now and then, drawn when they change."""

    def __init__(self, desk: Desk, session: Session) -> None:
        self.desk, self.session = desk, session
        self.known: Any = None
        self.card = ui.column().classes("w-full gap-3").props('aria-live="polite"')
        self.past = ui.column().classes("w-full gap-2")
        self.elapsed: ui.label | None = None
        self.began = 0.0
        ui.timer(OFTEN, self.look)

    async def look(self) -> None:
        """Draw again what has changed."""
        session = self.session
        if session.holder is None:
            return
        job = None
        if session.job is not None:
            job = await run.io_bound(self.desk.house.state.get, JOBS, session.job, session.owner)
        state = None if job is None else (job["id"], job["state"], job["stage"], job["done"], job["total"])
        if self.known is None or state != self.known[0]:
            over = self.known is None or state is None or state[:2] != (self.known[0] or ("", ""))[:2]
            self.known = (state,)
            self.card.clear()
            with self.card:
                self._job(job)
            if over:
                rows = await run.io_bound(self.desk.house.state.rows, JOBS, session.owner)
                self.past.clear()
                with self.past:
                    self._history(rows or [])
        if self.elapsed is not None:
            self.elapsed.text = session.say("run.elapsed", seconds=session.seconds(time.time() - self.began))

    def _job(self, job: dict[str, Any] | None) -> None:
        self.elapsed = None
        if job is None:
            return
        session = self.session
        section(session.say("run.result"))
        with ui.card().classes("w-full q-pa-md gap-3"):
            with ui.row().classes("items-center w-full gap-3"):
                ui.badge(session.say(f"run.{job['state']}")).props(
                    f"color={COLOURS.get(job['state'], 'primary')}"
                ).classes("text-body1 q-pa-sm")
                ui.label(session.say(f"kind.{job['kind']}")).classes("text-subtitle1")
                ui.space()
                if job["state"] not in OVER:
                    self.began = job["created"]
                    self.elapsed = ui.label().classes("text-body2")
            if job["state"] in OVER:
                self._over(job)
            else:
                self._going(job)

    def _going(self, job: dict[str, Any]) -> None:
        session, stage = self.session, job["stage"] or "queued"
        known = session.say(f"stage.{stage}") if session.knows(f"stage.{stage}") else stage
        share = min(job["done"] / job["total"], 1.0) if job["total"] else None
        with ui.row().classes("items-center gap-2"):
            ui.label(known).classes("text-body1")
            if job["total"]:
                ui.label(session.say("run.progress", done=job["done"], total=job["total"])).classes("text-quiet")
        bar = ui.linear_progress(value=share or 0, show_value=False).classes("w-full")
        bar.props(f'rounded size=10px aria-label="{known}"' + ("" if share is not None else " indeterminate"))
        if job["state"] != "cancelling":
            ui.button(session.say("run.cancel"), icon="stop", on_click=self._cancel).props("outline no-caps")

    async def _cancel(self) -> None:
        session = self.session
        identity = str(session.job)
        if self.desk.house.state.get(JOBS, identity, session.owner) is not None:
            await run.io_bound(self.desk.queue.cancel, identity)
            self.desk.note(session, "cancel", identity)

    def _over(self, job: dict[str, Any]) -> None:
        session = self.session
        if job["state"] != "done":
            ui.label(session.say(f"run.{job['state']}-why"))
            if job["message"]:
                ui.label(session.trouble(job["message"])).classes("text-body2").style("white-space: pre-wrap")
            ui.button(session.say("run.repair"), on_click=lambda: ui.navigate.to("/privacy")).props("no-caps")
            return
        if job["kind"] == AUDIT:
            self._audited(json.loads(job["asked"]).get("release"))
            return
        found = outcome.report(self.desk, job["id"])
        seconds = None if job["finished"] is None else job["finished"] - job["created"]
        outcome.tiles(session, found, seconds)
        outcome.levels(session, found, outcome.manifest(self.desk, job["id"]).get("columns", []))
        with ui.row().classes("gap-2"):
            ui.button(session.say("run.see"), on_click=lambda: ui.navigate.to("/releases")).props("no-caps")
            ui.button(session.say("run.explore"), on_click=lambda: ui.navigate.to("/exploring")).props(
                "outline no-caps"
            )
            ui.button(session.say("run.again"), on_click=lambda: ui.navigate.to("/privacy")).props("flat no-caps")

    def _audited(self, release: str | None) -> None:
        def see() -> None:
            self.session.release = release
            ui.navigate.to("/risk")

        ui.button(self.session.say("run.attacks"), on_click=see).props("no-caps")

    def _history(self, rows: list[dict[str, Any]]) -> None:
        session = self.session
        section(session.say("run.history"))
        if not rows:
            ui.label(session.say("run.none"))
            return
        names = {row["id"]: row["name"] for row in self.desk.house.state.rows(DATASETS, session.owner)}
        keys = ("kind", "dataset", "date", "state", "took")
        columns = [{"name": key, "label": session.say(f"run.{key}"), "field": key, "align": "left"} for key in keys]
        columns.append({"name": "open", "label": "", "field": "id", "align": "right"})
        shown = [
            {
                "id": row["id"],
                "kind": session.say(f"kind.{row['kind']}"),
                "dataset": names.get(json.loads(row["asked"]).get("dataset"), session.say("run.gone")),
                "date": session.date(row["created"]),
                "state": session.say(f"run.{row['state']}"),
                "took": session.seconds(None if row["finished"] is None else row["finished"] - row["created"]),
            }
            for row in rows
        ]
        table = ui.table(rows=shown, columns=columns, row_key="id", pagination=SHOWN).classes("w-full")
        table.props("dense flat bordered" + (" hide-bottom" if len(shown) <= SHOWN else ""))
        table.add_slot("body-cell-open", OPEN.format(label=session.say("run.show")))
        table.on("open", lambda event: self._choose(str(event.args)))

    def _choose(self, identity: str) -> None:
        if self.desk.house.state.get(JOBS, identity, self.session.owner) is not None:
            self.session.job, self.session.release = identity, None
