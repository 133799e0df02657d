"""Ask: the curator's console, for analysts; and everybody's budgets, for those who watch over them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import run, ui

from cobogo.errors import CobogoError
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.workbench.frame import empty, open_page
from cobogo.faces.workbench.pages.asking.answers import everybody
from cobogo.faces.workbench.pages.asking.console import Console
from cobogo.faces.workbench.session import LOCAL_KEY, Desk, PageSession
from cobogo.faces.workbench.widgets import snippet

EXAMPLE = """ledger = "ledger.db"

[datasets.patients]
path = "patients.csv"
unit = "patient_id"    # the column that says which rows belong to one person
budget = { epsilon = 10, delta = 1e-5 }
analysts = { WHO = { epsilon = 3, delta = 1e-6 } }

[datasets.patients.columns]
payer = { type = "text", keys = ["SUS", "company plan"] }
salary = { type = "number", bounds = [0, 10000], decimals = 2 }
"""


async def build(desk: Desk) -> None:
    with open_page(desk, "asking") as session:
        if session is None or session.holder is None:
            return
        try:
            there = await run.io_bound(desk.service.curator.check)
        except CobogoError as error:
            why = (
                session.say.error(error)
                if _local(session)
                else session.say("The server's administrator can see the reason: cobogo answer check.")
            )
            empty(why, icon="error_outline", title=session.say("The curator's file cannot be used"))
            return
        if not there:
            _teach(session)
            return
        scopes = session.holder.scopes
        asking, watching = ui.column().classes("w-full"), ui.column().classes("w-full")

        async def watch() -> None:
            if KeyScope.BUDGETS in scopes:
                watching.clear()
                with watching:
                    await everybody(desk, session)

        if KeyScope.ASK in scopes:
            with asking:
                await _console(desk, session, watch)
        await watch()


async def _console(desk: Desk, session: PageSession, spent: Callable[[], Awaitable[None]]) -> None:
    mine = desk.service.curator.datasets(session.caller)
    if mine:
        await Console(desk, session, mine, spent).build()
        return
    first = desk.service.curator.first_dataset(session.caller)
    with ui.card().classes("w-full"):
        if not _local(session):
            ui.label(session.say("There is no data set that {who} may ask about", who=session.owner)).classes("text-h6")
            ui.label(
                session.say(
                    "The data holder lists the analysts in the curator's file. Ask to be listed there as {who}.",
                    who=session.owner,
                )
            )
            return
        ui.label(session.say("You are not among the curator's analysts yet")).classes("text-h6")
        ui.label(
            session.say(
                "Add yourself, under the name me, to the analysts of a data set in {file}:",
                file=str(desk.service.curator.place),
            )
        )
        snippet(session, f"[datasets.{first}]\nanalysts = {{ {session.owner} = {{ epsilon = 1 }} }}", "toml")
        ui.label(session.say("Then start the workbench again. What was spent before stays spent.")).classes(
            "text-quiet"
        )


def _teach(session: PageSession) -> None:
    """What a curator is, and how to have one."""
    with ui.card().classes("w-full q-pa-lg"), ui.row().classes("w-full no-wrap items-start gap-8 cobogo-beside"):
        with ui.column().classes("col-5 gap-3"):
            ui.icon("forum").props("size=56px color=primary")
            ui.label(session.say("There is no curator yet")).classes("text-h6")
            ui.label(
                session.say(
                    "A curator keeps a table and answers questions about it. Each answer has noise, so that "
                    "it would be almost equally probable without any one person. No analyst sees a row, and "
                    "each answer costs part of a budget."
                )
            )
            if _local(session):
                ui.label(session.say("Write a file like the one shown here, and start the workbench with it:"))
                snippet(session, "cobogo workbench --curator curator.toml", "bash")
            else:
                ui.label(session.say("Name the curator's file in the server's file. Analysts ask with their own keys:"))
                snippet(session, 'curator = "curator.toml"', "toml")
            ui.label(session.say("Choose bounds and keys from public knowledge, never from the table.")).classes(
                "text-quiet"
            )
        with ui.column().classes("col gap-1"):
            ui.label("curator.toml").classes("text-caption text-quiet")
            snippet(session, EXAMPLE.replace("WHO", "me" if _local(session) else "ana"), "toml")


def _local(session: PageSession) -> bool:
    return session.holder is not None and session.holder.key == LOCAL_KEY
