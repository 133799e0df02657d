"""Utility: the original against the release."""

from __future__ import annotations

from cobogo.faces.workbench.frame import framed
from cobogo.faces.workbench.opened_release import open_chosen
from cobogo.faces.workbench.pages import utility_columns, utility_uses
from cobogo.faces.workbench.session import Desk
from cobogo.faces.workbench.widgets import tabs, trouble

TABS = {
    "columns": ("bar_chart", utility_columns.distributions),
    "pairs": ("grid_on", utility_columns.contingencies),
    "numbers": ("functions", utility_columns.numbers),
    "queries": ("manage_search", utility_uses.queries),
    "prediction": ("model_training", utility_uses.prediction),
    "loss": ("compress", utility_uses.losses),
}


async def build(desk: Desk) -> None:
    """The page."""
    with framed(desk, "utility") as session:
        if session is None or (looked := await open_chosen(desk, session)) is None:
            return
        if not looked.mine:
            trouble(session.say("utility.no-original"))
        tabs(session, looked, {name: (session.say(f"utility-tab.{name}"), *tab) for name, tab in TABS.items()})
