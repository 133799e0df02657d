"""The release that a page looks at: chosen by its reader, opened by the service."""

from __future__ import annotations

from typing import Any

from nicegui import run, ui

from cobogo.faces.server.services.releases import OpenedRelease
from cobogo.faces.workbench.frame import no_release
from cobogo.faces.workbench.session import Desk, Session
from cobogo.faces.workbench.widgets import turn_to

ANONYMIZED, SYNTHETIC = "anonymize", "synthesize"


def choose_release(desk: Desk, session: Session) -> dict[str, Any] | None:
    """Show which release is looked at, with a way to look at another; None, and a word, where there is none."""
    row = desk.release(session)
    if row is None:
        no_release(session)
        return None
    rows = desk.service.releases.list_all(session.caller)
    several = len({one["owner"] for one in rows}) > 1
    names = desk.service.datasets.names(session.caller)

    def shown(one: dict[str, Any]) -> str:
        whose = [one["owner"]] if several else []
        parts = [session.say(f"looked.{one['kind']}"), names.get(one["dataset"], ""), session.date(one["created"])]
        return " · ".join(part for part in (*whose, *parts, one["id"][:6]) if part)

    def choose(identity: str) -> None:
        dataset = next(one["dataset"] for one in rows if one["id"] == identity)
        turn_to(release=identity, data=dataset)

    options = {one["id"]: shown(one) for one in rows}
    with ui.row().classes("w-full items-center no-wrap cobogo-beside"):
        choice = ui.select(options, value=row["id"], label=session.say("looked.release")).classes("col")
        choice.on_value_change(lambda event: choose(event.value))
        with ui.row().classes("items-center no-wrap text-quiet gap-1").style("max-width: 24rem"):
            ui.icon("house").props("size=sm")
            ui.label(session.say("looked.stays")).classes("text-caption")
    return row


async def open_chosen(desk: Desk, session: Session) -> OpenedRelease | None:
    """The release that was chosen, opened; None, and a word, where there is none."""
    row = choose_release(desk, session)
    return None if row is None else await run.io_bound(desk.service.releases.open, session.caller, row["id"])
