"""The models that must hold: each with its words and its parameters, and a catalogue of all of them."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from cobogo.faces.workbench.frame import section
from cobogo.faces.workbench.pages.privacy.fields import fields
from cobogo.faces.workbench.pages.privacy.sheet import Sheet
from cobogo.promises.guarantees import GUARANTEES
from cobogo.promises.registry import PROMISES


def models(sheet: Sheet) -> None:
    """The cards of the models that are asked for."""
    session = sheet.session
    section(session.say("privacy.models"), help=session.say("privacy.models-why"))
    asked = session.draft.models
    if not asked:
        ui.label(session.say("privacy.no-models"))
    for number, model in enumerate(asked):
        _card(sheet, number, model)
    sheet.place("privacy")
    with ui.row().classes("w-full items-center gap-2"):
        ui.button(session.say("privacy.add"), icon="add", on_click=lambda: _catalogue(sheet)).props("outline no-caps")
        ui.space()
        other = ui.button(session.say("privacy.other"), icon="alt_route").props("flat no-caps")
        other.tooltip(session.say("privacy.other-why"))
        with other, ui.menu():
            for kind in ("perturb", "mask", "synthesize"):
                ui.menu_item(session.say(f"kind.{kind}"), on_click=lambda kind=kind: _begin(sheet, kind))


def _begin(sheet: Sheet, kind: str) -> None:
    """Put the beginning of another kind of job into the policy."""
    draft, quasi = sheet.session.draft, sheet.of_role("quasi-identifier")
    if kind == "perturb":
        draft.set("perturbation", "steps", [{"method": "swap", "attributes": quasi}])
    elif kind == "mask":
        draft.set("masking", "columns", {name: {"shuffle": True} for name in quasi})
    else:
        for key, value in {"method": "mst", "epsilon": 1.0, "delta": 1e-9}.items():
            draft.set("synthesis", key, value)
    sheet.changed(again=True)


def _card(sheet: Sheet, number: int, model: dict[str, Any]) -> None:
    session, name = sheet.session, str(model.get("model"))

    def remove() -> None:
        now = session.draft.models
        session.draft.set_models(now[:number] + now[number + 1 :])
        sheet.changed(again=True)

    with ui.card().classes("w-full gap-2 q-pa-md"):
        with ui.row().classes("items-center w-full no-wrap"):
            ui.label(session.figures.name("model", name)).classes("text-subtitle1 text-weight-medium")
            ui.space()
            label = f"{session.say('privacy.remove')}: {name}"
            ui.button(icon="close", on_click=remove).props(f'flat round dense aria-label="{label}"').tooltip(label)
        if name in PROMISES:
            ui.label(_words(sheet, name)).classes("text-body2 text-quiet")
            fields(sheet, number, model, PROMISES.card(name))
        sheet.place(f"privacy.models[{number}]")


def _catalogue(sheet: Sheet) -> None:
    """All models in a dialog, by what they are for."""
    session = sheet.session

    def add(name: str) -> None:
        draft = session.draft
        begun = {key: value for key, value in _begun(sheet, name).items() if value != ""}
        draft.set_models([*draft.models, {"model": name, **begun}])
        if name in GUARANTEES and "randomization" not in draft.content():
            draft.set("randomization", "method", "uniform")
        dialog.close()
        sheet.changed(again=True)

    with ui.dialog() as dialog, ui.card().classes("q-pa-none").style("width: 60rem; max-width: 92vw; height: 85vh"):
        with ui.row().classes("items-center w-full q-px-md q-pt-md"):
            ui.label(session.say("privacy.add")).classes("text-h6")
            ui.space()
            close = session.say("frame.close")
            ui.button(icon="close", on_click=dialog.close).props(f'flat round aria-label="{close}"')
        with ui.scroll_area().classes("w-full col q-px-sm"):
            for group, cards in PROMISES.groups().items():
                title = f"group.{group if session.knows(f'group.{group}') else 'other'}"
                section(session.say(title), help=session.say(f"{title}-why"))
                with ui.grid(columns=2).classes("w-full q-my-md gap-3 cobogo-grid"):
                    for card in cards:
                        _offer(sheet, card.name, add)
    dialog.open()


def _offer(sheet: Sheet, name: str, add: Any) -> None:
    session = sheet.session
    shown = session.figures.name("model", name)
    with ui.card().classes("q-pa-md gap-1"):
        with ui.row().classes("items-center w-full no-wrap"):
            ui.label(shown).classes("text-subtitle2 text-weight-medium")
            ui.space()
            label = f"{session.say('privacy.chosen')}: {shown}"
            ui.button(session.say("privacy.chosen"), on_click=lambda: add(name)).props(
                f'flat dense no-caps aria-label="{label}"'
            )
        ui.label(_words(sheet, name)).classes("text-body2 text-quiet")


def _words(sheet: Sheet, name: str) -> str:
    """What a model is for, in plain words; of one that another package adds, what its card says."""
    session = sheet.session
    return session.say(f"model.{name}") if session.knows(f"model.{name}") else PROMISES.card(name).summary


def _begun(sheet: Sheet, name: str) -> dict[str, Any]:
    """Values to begin with, fitted to the data set's columns."""
    start = dict(PROMISES.card(name).start)
    if "population" in start:
        known = sheet.files
        start["population"] = known[0] if known else ""
    if name == "personalized":
        hidden = sheet.of_role("identifier")
        start["guard"] = hidden[0] if hidden else ""
    return start
