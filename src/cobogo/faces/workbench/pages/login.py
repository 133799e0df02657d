"""Logging in with a key."""

from __future__ import annotations

import re

from nicegui import run, ui

from cobogo.faces.server.services.keys import TooMany
from cobogo.faces.workbench.frame import prepare_page
from cobogo.faces.workbench.header import buttons
from cobogo.faces.workbench.session import Desk
from cobogo.faces.workbench.steps import STEPS, visible_steps


def build(desk: Desk) -> None:
    """A field for a key; a valid one leads to the page asked for. Attempts are limited as the server limits them."""
    session, goal = desk.session(), safe_goal(ui.context.client.request.query_params.get("next", "/"))
    dark = prepare_page(session, "title")

    async def enter() -> None:
        text, key.value = str(key.value).strip(), ""
        try:
            holder = await run.io_bound(desk.service.keys.recognise, f"workbench {ui.context.client.ip}", text)
        except TooMany:
            ui.notify(session.say("login.wait"), type="negative")
            return
        if holder is None:
            ui.notify(session.say("login.wrong"), type="negative")
        elif not visible_steps(holder):
            ui.notify(session.say("login.role"), type="warning")
        else:
            ui.navigate.to(desk.tickets.address(holder, goal))

    with ui.row().classes("absolute-top-right q-pa-md"):
        buttons(session, dark, "primary")
    with ui.card().classes("absolute-center q-pa-lg gap-4").style("width: min(26rem, 94vw)"):
        with ui.row().classes("items-center no-wrap"):
            ui.icon("grid_view").props("size=md color=primary")
            ui.label(session.say("title")).classes("text-h5").props('role="heading" aria-level="1"')
        ui.label(session.say("login.about")).classes("text-body2")
        if goal != "/":
            ui.label(session.say("login.again")).classes("text-body2").props('role="status"')
        key = ui.input(session.say("login.key"), password=True).classes("w-full").on("keydown.enter", enter)
        key.props("autofocus autocomplete=off outlined")
        ui.button(session.say("login.go"), on_click=enter).classes("w-full").props("no-caps")
        how = session.say("login.local" if desk.local else "login.what")
        ui.label(how).classes("text-caption text-quiet")


def safe_goal(address: str) -> str:
    """The address asked for, if it is a page of ours; else the start page.

    >>> [safe_goal(text) for text in ("/columns?data=0123456789abcdef", "//evil.example/", "/columns\\\\@evil.example")]
    ['/columns?data=0123456789abcdef', '/', '/']
    """
    path, _, query = address.partition("?")
    ours = path in {step.path for step in STEPS} and re.fullmatch(r"[\w=&%+.-]*", query, re.ASCII)
    return address if ours else "/"
