"""Logging in with a key."""

from __future__ import annotations

from nicegui import ui

from cobogo.workbench.frame import prepared
from cobogo.workbench.header import buttons
from cobogo.workbench.session import Desk
from cobogo.workbench.steps import open_to


def build(desk: Desk) -> None:
    """A field for a key. Guesses are paced as the server's are."""
    session = desk.session()
    dark = prepared(session, "title")
    with ui.row().classes("absolute-top-right q-pa-md"):
        buttons(session, dark, "primary")

    def enter() -> None:
        wait = desk.house.strangers.wait(f"workbench {ui.context.client.ip}")
        holder = None if wait else desk.house.keys.holder(str(key.value).strip())
        key.value = ""
        if holder is None:
            ui.notify(session.say("login.wrong"), type="negative")
        elif not open_to(holder):
            ui.notify(session.say("login.role"), type="warning")
        else:
            session.holder = holder
            ui.navigate.to("/")

    with ui.card().classes("absolute-center q-pa-lg").style("min-width: 24rem"):
        ui.label(session.say("title")).classes("text-h5")
        key = ui.input(session.say("login.key"), password=True).classes("w-full").on("keydown.enter", enter)
        key.props("autofocus autocomplete=off")
        ui.button(session.say("login.go"), on_click=enter).classes("w-full")
        ui.label(session.say("login.what")).classes("text-caption")
