"""Privacy: how exposed people are now, what must hold, what may be lost, and the policy as text beside it."""

from __future__ import annotations

from nicegui import ui

from cobogo.faces.workbench.frame import framed_data
from cobogo.faces.workbench.pages.privacy.exposure import asked, exposure
from cobogo.faces.workbench.pages.privacy.losses import losses
from cobogo.faces.workbench.pages.privacy.models import models
from cobogo.faces.workbench.pages.privacy.sheet import Sheet, text
from cobogo.faces.workbench.session import Desk


def build(desk: Desk) -> None:
    """The page."""
    with framed_data(desk, "privacy") as at_hand:
        if at_hand is None:
            return
        session, row = at_hand
        sheet = Sheet(desk, session, row)
        risk = ui.column().classes("w-full gap-2")
        with ui.row().classes("w-full items-start no-wrap gap-4 cobogo-beside"):
            forms = ui.column().classes("gap-4").style("flex: 1 1 0; min-width: 0")
            side = ui.column().classes("gap-2").style("flex: 0 0 29rem; position: sticky; top: 5rem")
        with side:
            text(sheet)
        sheet.draw(exposure, risk, asked)
        for part in (models, losses):
            with forms:
                place = ui.column().classes("w-full gap-3")
            sheet.draw(part, place)
