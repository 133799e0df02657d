"""Logging in with a key."""

from __future__ import annotations

from nicegui import run, ui

from cobogo.server.access import TooMany, recognised
from cobogo.workbench.frame import prepared
from cobogo.workbench.header import buttons
from cobogo.workbench.session import Desk
from cobogo.workbench.steps import open_to


def build(desk: Desk) -> None:
    """A field for a key. Guesses are paced as the server's are."""
    session = desk.session()
    dark = prepared(session, "title")

    async def enter() -> None:
        text, key.value = str(key.value).strip(), ""
        try:
            holder = await run.io_bound(recognised, desk.house, f"workbench {ui.context.client.ip}", text)
        except TooMany:
            ui.notify(session.say("login.wait"), type="negative")
            return
        if holder is None:
            ui.notify(session.say("login.wrong"), type="negative")
        elif not open_to(holder):
            ui.notify(session.say("login.role"), type="warning")
        else:
            ui.navigate.to(desk.tickets.address(holder))

    with ui.row().classes("absolute-top-right q-pa-md"):
        buttons(session, dark, "primary")
    with ui.element("main"), ui.card().classes("absolute-center q-pa-lg gap-4").style("width: 26rem"):
        with ui.row().classes("items-center no-wrap"):
            ui.icon("grid_view").props("size=md color=primary")
            ui.label(session.say("title")).classes("text-h5").props('role="heading" aria-level="1"')
        ui.label(session.say("login.about")).classes("text-body2")
        key = ui.input(session.say("login.key"), password=True).classes("w-full").on("keydown.enter", enter)
        key.props("autofocus autocomplete=off outlined")
        ui.button(session.say("login.go"), on_click=enter).classes("w-full").props("no-caps")
        ui.label(session.say("login.what")).classes("text-caption text-quiet")
