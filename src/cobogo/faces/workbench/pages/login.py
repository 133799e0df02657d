"""Logging in with a key."""

from __future__ import annotations

import re

from nicegui import run, ui

from cobogo.faces.server.services.keys import TooMany
from cobogo.faces.workbench.frame import prepare_page
from cobogo.faces.workbench.header import buttons
from cobogo.faces.workbench.session import Desk
from cobogo.faces.workbench.steps import STEPS, visible_steps
from cobogo.floor.language import tr


def build(desk: Desk) -> None:
    """A field for a key; a valid one leads to the page asked for. Attempts are limited as the server limits them."""
    session, goal = desk.session(), safe_goal(ui.context.client.request.query_params.get("next", "/"))
    dark = prepare_page(session, tr("Cobogó workbench"))

    async def enter() -> None:
        text, key.value = str(key.value).strip(), ""
        try:
            holder = await run.io_bound(desk.service.keys.recognise, f"workbench {ui.context.client.ip}", text)
        except TooMany:
            ui.notify(session.say("Too many attempts. Wait a minute."), type="negative")
            return
        if holder is None:
            ui.notify(session.say("This key is not valid."), type="negative")
        elif not visible_steps(holder):
            ui.notify(session.say("This key has another purpose: the workbench has no page for it."), type="warning")
        else:
            ui.navigate.to(desk.tickets.address(holder, goal))

    with ui.row().classes("absolute-top-right q-pa-md"):
        buttons(session, dark, "primary")
    with ui.card().classes("absolute-center q-pa-lg gap-4").style("width: min(26rem, 94vw)"):
        with ui.row().classes("items-center no-wrap"):
            ui.icon("grid_view").props("size=md color=primary")
            ui.label(session.say("Cobogó workbench")).classes("text-h5").props('role="heading" aria-level="1"')
        ui.label(session.say("Share the use of data about people without exposing anyone.")).classes("text-body2")
        if goal != "/":
            ui.label(
                session.say(
                    "Log in to open the page. If you had it open before, your session has ended: you logged "
                    "out, your key expired, or the server was restarted. Your data and policies are kept."
                )
            ).classes("text-body2").props('role="status"')
        key = ui.input(session.say("Your key"), password=True).classes("w-full").on("keydown.enter", enter)
        key.props("autofocus autocomplete=off outlined")
        ui.button(session.say("Log in"), on_click=enter).classes("w-full").props("no-caps")
        how = session.say(
            tr("Open the address that cobogo workbench printed when it started: with it you need no key.")
            if desk.local
            else tr("Create a key with: cobogo serve --add-key NAME --role steward")
        )
        ui.label(how).classes("text-caption text-quiet")


def safe_goal(address: str) -> str:
    """The address asked for, if it is a page of ours; else the start page.

    >>> [safe_goal(text) for text in ("/columns?data=0123456789abcdef", "//evil.example/", "/columns\\\\@evil.example")]
    ['/columns?data=0123456789abcdef', '/', '/']
    """
    path, _, query = address.partition("?")
    ours = path in {step.path for step in STEPS} and re.fullmatch(r"[\w=&%+.-]*", query, re.ASCII)
    return address if ours else "/"
