"""The models that must hold: each with its words and its parameters, and a catalogue of all of them."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from cobogo.faces.workbench.frame import section
from cobogo.faces.workbench.pages.privacy.fields import fields
from cobogo.faces.workbench.pages.privacy.sheet import Sheet
from cobogo.promises.guarantees import GUARANTEES
from cobogo.promises.models import MODELS
from cobogo.promises.models.differential_privacy import MEASURES
from cobogo.promises.models.promise import Promise

KNOWN: dict[str, type[Promise]] = {**MODELS, **GUARANTEES, **MEASURES}

GROUPS: dict[str, dict[str, dict[str, Any]]] = {
    "identity": {
        "k-anonymity": {"k": 5},
        "highest-risk": {"max": 0.2},
        "average-risk": {"max": 0.05},
        "k-map": {"k": 5, "population-size": 1_000_000},
        "delta-presence": {"population": "population.csv", "min": 0.0, "max": 0.5},
        "k-m-anonymity": {"k": 5, "m": 2, "separator": ","},
    },
    "attribute": {
        "l-diversity": {"kind": "distinct", "l": 2},
        "t-closeness": {"distance": "equal", "t": 0.3},
        "alpha-k-anonymity": {"alpha": 0.5, "k": 5},
        "p-sensitive-k-anonymity": {"p": 2, "k": 5},
        "beta-likeness": {"beta": 2.0, "kind": "basic"},
        "delta-disclosure": {"delta": 1.0},
        "k-e-anonymity": {"k": 3, "e": 100.0},
        "epsilon-m-anonymity": {"epsilon": 10.0, "m": 2, "kind": "absolute"},
    },
    "knowledge": {
        "t-corruption": {"t": 1, "l": 2.0},
        "c-k-safety": {"c": 0.9, "k": 1},
        "personalized": {"guard": "", "p": 0.5},
        "b-t-privacy": {"b": 0.5, "t": 0.3},
        "injector": {"l": 2, "min-support": 10},
        "m-confidentiality": {"m": 2},
    },
    "series": {"m-invariance": {"m": 2}},
    "noise": {
        "local-differential-privacy": {"epsilon": 1.0},
        "gamma-amplification": {"gamma": 5.0},
        "rho1-rho2-privacy": {"rho1": 0.1, "rho2": 0.5},
        "upward-rho1-rho2-privacy": {"rho1": 0.1, "rho2": 0.5},
        "delta-growth": {"delta": 0.3},
        "d-gamma-privacy": {"d": 0.1, "gamma": 0.5},
        "differential-privacy": {"epsilon": 1.0, "delta": 1e-6},
        "zero-concentrated-differential-privacy": {"rho": 0.5},
    },
}
"""Every model by what it is for, with values to begin with."""

START: dict[str, dict[str, Any]] = {name: start for group in GROUPS.values() for name, start in group.items()}


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
        if name in KNOWN:
            ui.label(session.say(f"model.{name}")).classes("text-body2 text-quiet")
            fields(sheet, number, model, KNOWN[name], START[name])
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
            for group, members in GROUPS.items():
                section(session.say(f"group.{group}"), help=session.say(f"group.{group}-why"))
                with ui.grid(columns=2).classes("w-full q-my-md gap-3 cobogo-grid"):
                    for name in members:
                        _offer(sheet, name, add)
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
        ui.label(session.say(f"model.{name}")).classes("text-body2 text-quiet")


def _begun(sheet: Sheet, name: str) -> dict[str, Any]:
    """Values to begin with, fitted to the data set's columns."""
    start = dict(START[name])
    if "population" in start:
        known = sheet.files
        start["population"] = known[0] if known else ""
    if name == "personalized":
        hidden = sheet.of_role("identifier")
        start["guard"] = hidden[0] if hidden else ""
    return start
