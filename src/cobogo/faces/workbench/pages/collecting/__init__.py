"""Collect: a question for many people is planned, tried with made-up ones, opened, and its reports are decoded."""

from __future__ import annotations

from nicegui import ui

from cobogo.faces.workbench.frame import framed
from cobogo.faces.workbench.pages.collecting.opened import Opened
from cobogo.faces.workbench.pages.collecting.planner import Planner
from cobogo.faces.workbench.session import Desk


async def build(desk: Desk) -> None:
    """The page."""
    with framed(desk, "collecting") as session:
        if session is None:
            return
        ui.label(session.say("collect.what")).classes("text-body1")
        collections = Opened(desk, session)
        await Planner(desk, session, collections.refresh).build()
        await collections.build()
