"""Explore: the lattice and its nodes, algorithms side by side, the frontier of privacy and utility."""

from __future__ import annotations

from nicegui import ui

from cobogo.errors import CobogoError
from cobogo.faces.workbench.frame import open_data_page
from cobogo.faces.workbench.pages.exploring.comparison import build_algorithms, build_frontier
from cobogo.faces.workbench.pages.exploring.lattice import build_lattice
from cobogo.faces.workbench.pages.exploring.studies import ExplorationPlace
from cobogo.faces.workbench.session import Desk

__all__ = ["build"]


TABS = {"lattice": "hub", "algorithms": "balance", "frontier": "show_chart"}


def build(desk: Desk) -> None:
    with open_data_page(desk, "exploring") as at_hand:
        if at_hand is None:
            return
        session, row = at_hand
        at = {"tab": next(iter(TABS))}

        @ui.refreshable
        def content() -> None:
            place = ExplorationPlace.from_row(desk, session, row, content.refresh)
            try:
                place.policy()
            except CobogoError as error:
                place.show_refusal(session.say.error(error))
                return
            _tabs(place, at)

        content()


def _tabs(place: ExplorationPlace, at: dict[str, str]) -> None:
    names = {
        "lattice": place.session.say("The lattice"),
        "algorithms": place.session.say("Algorithms"),
        "frontier": place.session.say("Privacy and utility"),
    }
    with ui.tabs(on_change=lambda event: at.update(tab=event.value)) as tabs:
        tabs.props("align=left no-caps dense inline-label").classes("w-full")
        for name, label in names.items():
            ui.tab(name, label, icon=TABS[name])
    with ui.tab_panels(tabs, value=at["tab"], animated=False).classes("w-full").style("background: transparent"):
        with ui.tab_panel("lattice").classes("q-pa-none"):
            build_lattice(place)
        with ui.tab_panel("algorithms").classes("q-pa-none"):
            build_algorithms(place)
        with ui.tab_panel("frontier").classes("q-pa-none"):
            build_frontier(place)
