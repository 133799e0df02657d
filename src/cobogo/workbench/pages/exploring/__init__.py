"""Explore: the lattice and its nodes, algorithms side by side, the frontier of privacy and utility."""

from __future__ import annotations

from nicegui import ui

from cobogo.server.confine import confined
from cobogo.server.state import DATASETS
from cobogo.workbench.frame import framed
from cobogo.workbench.pages.exploring import algorithms, frontier, lattice
from cobogo.workbench.pages.exploring.place import Place
from cobogo.workbench.session import Desk

__all__ = ["build"]


def build(desk: Desk) -> None:
    """The page."""
    with framed(desk, "exploring") as session:
        if session is None:
            return
        row = desk.house.state.get(DATASETS, session.dataset or "", session.owner)
        if row is None:
            ui.label(session.say("data.first"))
            return
        place = Place.of(desk, session, row)
        if not place.allowed(lambda: confined(session.draft.text, place.home, **place.confines)):
            return
        with ui.tabs().props("align=left no-caps dense inline-label").classes("w-full") as tabs:
            first = ui.tab("lattice", session.say("explore.lattice"), icon="hub")
            ui.tab("algorithms", session.say("explore.algorithms"), icon="balance")
            ui.tab("frontier", session.say("explore.frontier"), icon="show_chart")
        with ui.tab_panels(tabs, value=first).classes("w-full").props("keep-alive").style("background: transparent"):
            with ui.tab_panel("lattice").classes("q-pa-none"):
                lattice.build(place)
            with ui.tab_panel("algorithms").classes("q-pa-none"):
                algorithms.build(place)
            with ui.tab_panel("frontier").classes("q-pa-none"):
                frontier.build(place)
