"""Explore: the lattice and its nodes, what would keep more, algorithms side by side, the frontier."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from cobogo.errors import CobogoError
from cobogo.faces.workbench.frame import open_data_page
from cobogo.faces.workbench.pages.exploring.comparison import build_algorithms, build_frontier
from cobogo.faces.workbench.pages.exploring.improving import build_improvement
from cobogo.faces.workbench.pages.exploring.lattice import build_lattice
from cobogo.faces.workbench.pages.exploring.studies import ExplorationPlace
from cobogo.faces.workbench.session import Desk
from cobogo.faces.workbench.widgets import turn_to

__all__ = ["build"]


TABS = {"lattice": "hub", "improve": "trending_up", "algorithms": "balance", "frontier": "show_chart"}


def build(desk: Desk) -> None:
    with open_data_page(desk, "exploring") as at_hand:
        if at_hand is None:
            return
        session, row = at_hand
        asked = ui.context.client.request.query_params.get("tab", "")
        at = {"tab": asked if asked in TABS else next(iter(TABS))}

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
        "improve": place.session.say("What keeps more"),
        "algorithms": place.session.say("Algorithms"),
        "frontier": place.session.say("Privacy and utility"),
    }

    def turn(event: Any) -> None:
        at.update(tab=event.value)
        turn_to(stay=True, tab=event.value)

    with ui.tabs(on_change=turn) as tabs:
        tabs.props("align=left no-caps dense inline-label").classes("w-full")
        for name, label in names.items():
            ui.tab(name, label, icon=TABS[name])
    with ui.tab_panels(tabs, value=at["tab"], animated=False).classes("w-full").style("background: transparent"):
        with ui.tab_panel("lattice").classes("q-pa-none"):
            build_lattice(place)
        with ui.tab_panel("improve").classes("q-pa-none gap-3"):
            build_improvement(place)
        with ui.tab_panel("algorithms").classes("q-pa-none"):
            build_algorithms(place)
        with ui.tab_panel("frontier").classes("q-pa-none"):
            build_frontier(place)
