"""Releases: what was made, its report, and the two parts to download: one to give away, one to keep."""

from __future__ import annotations

import io
import json
from typing import Any, Literal

from nicegui import run, ui

from cobogo.release.verify import verify
from cobogo.server.files import zipped
from cobogo.server.state import RELEASES
from cobogo.workbench.frame import framed
from cobogo.workbench.session import Desk, Session


def build(desk: Desk) -> None:
    """The last step."""
    with framed(desk, "releases") as session:
        if session is None:
            return
        assert session.holder is not None
        rows = desk.house.state.rows(RELEASES, session.holder.sees)
        if not rows:
            ui.label(session.say("release.none"))
        for row in rows:
            _release(desk, session, row)


def _release(desk: Desk, session: Session, row: dict[str, Any]) -> None:
    summary = json.loads(row["summary"])
    identity = row["id"]

    async def give(part: Literal["public", "evidence"]) -> None:
        sink = io.BytesIO()
        await run.io_bound(zipped, desk.house.files.release(identity) / part, sink)
        ui.download(sink.getvalue(), f"{identity}-{part}.zip")

    async def check() -> None:
        verdict = await run.io_bound(verify, desk.house.files.release(identity))
        ui.notify(
            session.say("release.holds" if verdict else "release.fails"), type="positive" if verdict else "negative"
        )

    def report() -> None:
        page = (desk.house.files.release(identity) / "evidence" / "report.html").read_text(encoding="utf-8")
        with ui.dialog().props("maximized") as dialog, ui.card().classes("w-full h-full no-wrap"):
            ui.button(icon="close", on_click=dialog.close).props('flat round aria-label="close"').classes("self-end")
            ui.element("iframe").props["srcdoc"] = page
            for frame in dialog.descendants():
                if frame.tag == "iframe":
                    frame.props("sandbox").classes("w-full col").style("border: 0")
        dialog.open()

    with ui.card().classes("w-full"), ui.row().classes("items-center w-full"):
        ui.icon("verified_user").props("size=md color=positive")
        with ui.column().classes("gap-0"):
            ui.label(f"{row['kind']} {identity[:6]}").classes("text-subtitle1 text-weight-medium")
            ui.label(session.say("release.records", **{key: f"{value:,}" for key, value in summary.items()})).classes(
                "text-caption"
            )
        ui.space()
        ui.button(session.say("release.report"), on_click=report).props("no-caps")
        ui.button(session.say("release.verify"), on_click=check).props("flat no-caps")
        ui.button(session.say("release.public"), on_click=lambda: give("public")).props("outline no-caps")
        ui.button(session.say("release.evidence"), on_click=lambda: give("evidence")).props("flat no-caps")
