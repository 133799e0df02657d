"""Run: a job's progress, and a way to stop it."""

from __future__ import annotations

from nicegui import ui

from cobogo.server import tables
from cobogo.server.confine import confined
from cobogo.server.queue import OVER
from cobogo.server.state import DATASETS, JOBS
from cobogo.workbench.frame import framed, told
from cobogo.workbench.session import Desk, Session

COLOURS = {"done": "positive", "refused": "warning", "failed": "negative", "cancelled": "grey"}


def build(desk: Desk) -> None:
    """The fourth step."""
    with framed(desk, "running") as session:
        if session is None:
            return
        if session.dataset is None:
            ui.label(session.say("data.first"))
            return
        with ui.row():
            ui.button(session.say("run.go"), icon="play_arrow", on_click=lambda: _begin(desk, session)).props("no-caps")
            ui.button(session.say("run.cancel"), icon="stop", on_click=lambda: _cancel(desk, session)).props(
                "flat no-caps"
            )
        card = ui.card().classes("w-full")
        _shown(desk, session, card)
        ui.timer(0.3, lambda: _shown(desk, session, card))


def _begin(desk: Desk, session: Session) -> None:
    holder = session.holder
    assert holder is not None
    row = desk.house.state.get(DATASETS, str(session.dataset), holder.owner)
    if row is None:
        return
    home = desk.house.files.dataset(row["id"]) / "files"
    text = session.draft.text

    def submit() -> None:
        confined(text, home, owner=holder.owner, registry=desk.house.settings.registry)
        file = tables.about(row)["file"]
        session.job = desk.queue.submit(holder.owner, "anonymize", row["id"], file, text)

    told(submit)


def _cancel(desk: Desk, session: Session) -> None:
    if session.job is not None:
        desk.queue.cancel(session.job)


def _shown(desk: Desk, session: Session, card: ui.card) -> None:
    job = None if session.job is None else desk.house.state.get(JOBS, session.job)
    state = None if job is None else (job["state"], job["stage"], job["done"], job["total"])
    if getattr(card, "shown", "nothing yet") == state:
        return
    card.shown = state  # type: ignore[attr-defined]
    card.clear()
    with card:
        if job is None:
            ui.label(session.say("run.nothing"))
            return
        with ui.row().classes("items-center"):
            ui.badge(session.say(f"run.{job['state']}"), color=COLOURS.get(job["state"], "primary")).classes(
                "text-body1"
            )
            ui.label(job["stage"])
        if job["state"] not in OVER:
            share = job["done"] / job["total"] if job["total"] else None
            bar = ui.linear_progress(value=share or 0, show_value=False).classes("w-full")
            if share is None:
                bar.props("indeterminate")
        if job["message"]:
            ui.label(job["message"]).style("white-space: pre-wrap")
        if job["state"] == "done":
            ui.button(session.say("run.see"), on_click=lambda: ui.navigate.to("/releases")).props("no-caps")
