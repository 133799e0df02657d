"""Privacy: how exposed people are now, what must hold, what may be lost, and the policy as text beside it."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

from cobogo.errors import CobogoError
from cobogo.faces.workbench.frame import metric, open_data_page, section
from cobogo.faces.workbench.pages.privacy.losses import losses
from cobogo.faces.workbench.pages.privacy.models import models
from cobogo.faces.workbench.pages.privacy.sheet import PolicySheet, run_in_thread, text
from cobogo.faces.workbench.session import Desk
from cobogo.studies.risk import RiskSummary


def build(desk: Desk) -> None:
    with open_data_page(desk, "privacy") as at_hand:
        if at_hand is None:
            return
        session, row = at_hand
        sheet = PolicySheet(desk, session, row)
        risk = ui.column().classes("w-full gap-2")
        with ui.row().classes("w-full items-start no-wrap gap-4 cobogo-beside"):
            forms = ui.column().classes("gap-4").style("flex: 1 1 0; min-width: 0")
            side = ui.column().classes("gap-2").style("flex: 0 0 29rem; position: sticky; top: 5rem")
        with side:
            text(sheet)
        sheet.draw(exposure, risk, quasi_identifier_policy)
        for part in (models, losses):
            with forms:
                place = ui.column().classes("w-full gap-3")
            sheet.draw(part, place)


HIGH, MIDDLE = 0.5, 0.2
"""Chances above which a tile is red, and amber."""


def exposure(sheet: PolicySheet) -> None:
    """The tiles, and the size of the population that one of them needs."""
    session = sheet.session
    section(
        session.say("Risk of the original data"),
        help=session.say(
            "The probability that an attacker who knows a person's quasi-identifiers finds their "
            "record in the original table."
        ),
    )
    if not sheet.columns_with_role("quasi-identifier"):
        ui.label(session.say("Give at least one column the role quasi-identifier to see the risk."))
        return
    tiles = ui.row().classes("w-full gap-3 items-stretch").props('aria-live="polite"')
    with tiles:
        ui.spinner(size="2rem")
    wanted = quasi_identifier_policy(sheet)
    assess, caller = sheet.desk.service.datasets.assess, session.caller

    async def fill() -> None:
        found = await run_in_thread(assess, caller, sheet.row["id"], wanted)
        tiles.clear()
        with tiles:
            if isinstance(found, CobogoError):
                ui.label(session.say.error(found)).classes("text-negative")
            else:
                _tiles(sheet, found)

    ui.timer(0, fill, once=True)


def quasi_identifier_policy(sheet: PolicySheet) -> str:
    """What is measured, as a policy of the quasi-identifiers alone."""
    content = sheet.session.draft.content()
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier"} for name in sheet.columns_with_role("quasi-identifier")
    }
    unit = content.get("data", {}).get("unit")
    told: dict[str, Any] = {"attributes": columns}
    if isinstance(unit, str) and unit in sheet.columns:
        columns.setdefault(unit, {"role": "identifier"})
        told["data"] = {"unit": unit}
    size = content.get("risk", {}).get("population-size")
    if isinstance(size, int):
        told["risk"] = {"population-size": size}
    return json.dumps(told, sort_keys=True)


def _tiles(sheet: PolicySheet, found: RiskSummary) -> None:
    session, chances = sheet.session, found.attackers
    first = chances.prosecutor
    metric(
        session.say("Prosecutor: knows that the person is in the table"),
        session.say.percent(first.highest),
        help=session.say(
            "for the person at the greatest risk; {average} on average", average=session.say.percent(first.average)
        ),
        colour=_colour(first.highest),
    ).classes("col")
    with metric(
        session.say("Journalist: does not know who is in the table"),
        session.say.percent(None if chances.journalist is None else chances.journalist.highest),
        help=session.say("Enter the number of people in the population.")
        if chances.journalist is None
        else session.say(
            "for the person at the greatest risk; {average} on average",
            average=session.say.percent(chances.journalist.average),
        ),
        colour="" if chances.journalist is None else _colour(chances.journalist.highest),
    ).classes("col"):
        _population(sheet, found.people)
    metric(
        session.say("Marketer: wants as many people as possible"),
        session.say.percent(chances.marketer),
        help=session.say("of the people would be re-identified"),
        colour=_colour(chances.marketer),
    ).classes("col")
    share = found.uniques / found.people
    metric(
        session.say("Unique people"),
        session.say.number(found.uniques),
        help=session.say(
            "{share} of {people} people have a unique combination",
            share=session.say.percent(share),
            people=found.people,
        ),
        colour=_colour(share),
    ).classes("col")


def _population(sheet: PolicySheet, people: int) -> None:
    told = sheet.session.draft.content().get("risk", {}).get("population-size")
    field = ui.number(sheet.session.say("People in the population"), value=told, min=people, step=1000, format="%d")
    field.props("dense outlined hide-bottom-space").classes("w-full q-mt-sm")

    def set_population() -> None:
        size = None if field.value is None else int(field.value)
        if size is None or size >= people:
            sheet.put("risk", "population-size", size, again=True)

    field.on("blur", set_population).on("keydown.enter", set_population)


def _colour(chance: float) -> str:
    return "negative" if chance > HIGH else "warning" if chance > MIDDLE else "positive"
