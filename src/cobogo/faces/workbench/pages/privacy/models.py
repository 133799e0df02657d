"""The models that must hold: each with its words and the fields of its parameters, and a catalogue of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import events, ui

from cobogo.faces.workbench import actions
from cobogo.faces.workbench.frame import attempt, section
from cobogo.faces.workbench.labels import CHOICE, KIND
from cobogo.faces.workbench.pages.privacy.sheet import PolicySheet
from cobogo.floor.catalogue import Card
from cobogo.floor.language import tr
from cobogo.floor.options import Parameter
from cobogo.promises.guarantees import GUARANTEES, PROMISES
from cobogo.tell.report.labels import model_meaning, model_name

PARAMETER = {
    "attribute": tr("Sensitive attribute"),
    "k": tr("k: fewest people in a class"),
    "l": tr("l: fewest different values"),
    "t": tr("t: largest distance"),
    "p": tr("p"),
    "c": tr("c: how much more frequent the first value may be"),
    "kind": tr("Kind"),
    "distance": tr("How far apart two values are"),
    "distort": tr("Exchange values where the model fails"),
    "missing": tr("How missing values count"),
    "min": tr("At least"),
    "max": tr("At most"),
    "population": tr("File of the population"),
    "population-size": tr("People in the population"),
    "significance": tr("Significance (probability of an error)"),
    "estimator": tr("Estimator"),
    "alpha": tr("α: largest share of a value"),
    "value": tr("Only this value"),
    "e": tr("e: smallest range"),
    "beta": tr("β: largest gain"),
    "delta": tr("δ"),
    "epsilon": tr("ε"),
    "m": tr("m"),
    "guard": tr("Column with each person's wish"),
    "separator": tr("Separator between items"),
    "previous": tr("Previous release"),
    "b": tr("B: bandwidth of the attacker's knowledge; smaller means more knowledge"),
    "smoothing": tr("Smooth over close values"),
    "stubbornness": tr("σ: how many records the belief is worth"),
    "min-support": tr("Fewest records behind a rule"),
    "rho1": tr("ρ1: largest probability before"),
    "rho2": tr("ρ2: largest probability after"),
    "prior": tr("Prior distribution"),
    "largest-prior": tr("Largest prior probability"),
    "d": tr("d: largest prior probability"),
    "gamma": tr("γ"),
    "rho": tr("ρ"),
}

GROUP = {
    "identity": tr("Against re-identification"),
    "attribute": tr("Against inference of sensitive values"),
    "knowledge": tr("Against background knowledge"),
    "series": tr("For repeated releases"),
    "other": tr("Others"),
    "noise": tr("Guarantees of random mechanisms"),
}

GROUP_WHY = {
    "identity": tr("Against an attacker who knows a person's quasi-identifiers and looks for their record."),
    "attribute": tr("Against an attacker who finds a person's class and looks at its sensitive values."),
    "knowledge": tr(
        "Against an attacker who knows something about other people in the table, or how the table was made."
    ),
    "series": tr("Against an attacker who compares several releases of the same people."),
    "other": tr("Models that other packages add."),
    "noise": tr("For releases whose values are random. Run them as a perturbation or as synthetic data."),
}

MOST = 64 << 20
"""Bytes of a file of a population."""

Take = Callable[[Any], None]

ONLY = {"c": ("kind", "recursive"), "value": ("", ""), "previous": ("", "")}
"""Parameters that are of use with a value of another only, or in the text alone."""


def fields(sheet: PolicySheet, number: int, model: Mapping[str, Any], card: Card) -> None:
    """One field a parameter."""
    words = {key: value for key, value in model.items() if isinstance(value, str | bool)}
    with ui.row().classes("w-full gap-x-4 gap-y-1 items-end"):
        for parameter in card.parameters({**card.start, **words}):
            with_, what = ONLY.get(parameter.name, ("model", model.get("model")))
            if parameter.name in model or parameter.required or model.get(with_) == what:
                _field(sheet, parameter, model, _taker(sheet, number, parameter))


def _taker(sheet: PolicySheet, number: int, parameter: Parameter) -> Take:
    def take(value: Any) -> None:
        models = sheet.session.draft.models
        told = {key: old for key, old in models[number].items() if key != parameter.name}
        models[number] = told if value in (None, "") else told | {parameter.name: value}
        sheet.session.draft.set_models(models)
        sheet.refresh(again=parameter.bounds.kind == "choice")

    return take


def _field(sheet: PolicySheet, parameter: Parameter, model: Mapping[str, Any], take: Take) -> None:
    session, name, bounds = sheet.session, parameter.name, parameter.bounds
    label = session.say(PARAMETER.get(name, name))
    value = model.get(name, parameter.default)
    if name == "attribute":
        _attribute(sheet, label, model.get(name), take)
    elif name in ("population", "guard"):
        offered = sheet.files if name == "population" else sheet.columns
        _choice(label, {one: one for one in dict.fromkeys([*offered, *([value] if value else [])])}, value, take)
        if name == "population":
            _attach(sheet, take)
    elif bounds.kind == "choice":
        options = {word: session.say(CHOICE[word]) for word in bounds.words if word in CHOICE}
        _choice(label, {word: options.get(word, word) for word in bounds.words}, value, take)
    elif bounds.kind == "flag":
        ui.switch(label, value=bool(value), on_change=lambda event: take(True if event.value else None))
    elif bounds.kind in ("whole", "number") and not isinstance(value, Mapping):
        _number(label, parameter, value, take)
    elif bounds.kind == "text":
        ui.input(label, value=value, on_change=lambda event: take(event.value)).props("dense").style("width: 12rem")


def _attach(sheet: PolicySheet, take: Take) -> None:
    """A file of the population from elsewhere: it stays with the data set, and the model names it."""
    session = sheet.session

    async def take_file(event: events.UploadEventArguments) -> None:
        name, content = event.file.name[-90:], await event.file.read()
        kept = await attempt(session, actions.attach_file, sheet.desk, session, sheet.row["id"], name, content)
        if kept is not None:
            take(kept)
            sheet.redraw()

    upload = ui.upload(on_upload=take_file, auto_upload=True, max_file_size=MOST).classes("hidden")
    label = session.say("Attach a file")
    upload.props(f'accept=.csv,.txt,.parquet data-name="{label}"')
    ui.button(label, icon="upload_file", on_click=lambda: upload.run_method("pickFiles")).props("outline dense no-caps")


def _attribute(sheet: PolicySheet, label: str, value: Any, take: Take) -> None:
    """Which sensitive attribute; of one alone there is nothing to choose."""
    sensitive = sheet.columns_with_role("sensitive")
    if len(sensitive) < 2 and value is None:
        return
    every = sheet.session.say("every sensitive attribute")
    _choice(label, {"": every, **{one: one for one in [*sensitive, *([value] if value else [])]}}, value or "", take)


def _choice(label: str, options: Mapping[str, str], value: Any, take: Take) -> None:
    known = value if value in options else None
    ui.select(dict(options), value=known, label=label, on_change=lambda event: take(event.value)).props(
        "dense options-dense"
    ).style("min-width: 17rem")


def _number(label: str, parameter: Parameter, value: Any, take: Take) -> None:
    bounds, whole = parameter.bounds, parameter.bounds.kind == "whole"
    most = bounds.most
    step = 1 if whole else 0.05 if most == 1 else 0.1

    def take_number(event: Any) -> None:
        if event.value is None:
            take(None)
        else:
            take(int(event.value) if whole else float(event.value))

    field = ui.number(label, value=value, min=bounds.least, max=most, step=step, on_change=take_number)
    field.props(f"dense debounce=300 inputmode={'numeric' if whole else 'decimal'}").style("min-width: 13rem")
    if most == 1 and isinstance(value, int | float):
        least = bounds.least if bounds.least is not None else step
        slider = ui.slider(min=least, max=1, step=step).bind_value(field, "value").style("width: 8rem")
        slider.props(f'aria-label="{label}"')


def models(sheet: PolicySheet) -> None:
    """The cards of the models that are asked for."""
    session = sheet.session
    section(
        session.say("Privacy models"),
        help=session.say(
            "Every class of the release satisfies all of these models. Records that do not are "
            "generalized or suppressed."
        ),
    )
    asked = session.draft.models
    if not asked:
        ui.label(session.say("There is no privacy model yet. A usual first model is k-anonymity."))
    for number, model in enumerate(asked):
        _card(sheet, number, model)
    sheet.place("privacy")
    with ui.row().classes("w-full items-center gap-2"):
        ui.button(session.say("Add a model"), icon="add", on_click=lambda: _catalogue(sheet)).props("outline no-caps")
        ui.space()
        other = ui.button(session.say("Other kinds of job"), icon="alt_route").props("flat no-caps")
        other.tooltip(session.say("Adds a first version to the policy. Complete it in the text."))
        with other, ui.menu():
            for kind in ("perturb", "mask", "synthesize"):
                ui.menu_item(session.say(KIND[kind]), on_click=lambda kind=kind: _begin(sheet, kind))


def _begin(sheet: PolicySheet, kind: str) -> None:
    """Put the beginning of another kind of job into the policy."""
    draft, quasi = sheet.session.draft, sheet.columns_with_role("quasi-identifier")
    if kind == "perturb":
        draft.set("perturbation", "steps", [{"method": "swap", "attributes": quasi}])
    elif kind == "mask":
        draft.set("masking", "columns", {name: {"shuffle": True} for name in quasi})
    else:
        for key, value in {"method": "mst", "epsilon": 1.0, "delta": 1e-9}.items():
            draft.set("synthesis", key, value)
    sheet.refresh(again=True)


def _card(sheet: PolicySheet, number: int, model: dict[str, Any]) -> None:
    session, name = sheet.session, str(model.get("model"))

    def remove() -> None:
        now = session.draft.models
        session.draft.set_models(now[:number] + now[number + 1 :])
        sheet.refresh(again=True)

    with ui.card().classes("w-full gap-2 q-pa-md"):
        with ui.row().classes("items-center w-full no-wrap"):
            ui.label(model_name(name, session.say)).classes("text-subtitle1 text-weight-medium")
            ui.space()
            label = session.say("Remove {name}", name=model_name(name, session.say))
            ui.button(icon="close", on_click=remove).props(f'flat round dense aria-label="{label}"').tooltip(label)
        if name in PROMISES:
            ui.label(_words(sheet, name)).classes("text-body2 text-quiet")
            fields(sheet, number, model, PROMISES.card(name))
        sheet.place(f"privacy.models[{number}]")


def _catalogue(sheet: PolicySheet) -> None:
    """All models in a dialog, by what they are for."""
    session = sheet.session

    def add(name: str) -> None:
        draft = session.draft
        begun = {key: value for key, value in _begun(sheet, name).items() if value != ""}
        draft.set_models([*draft.models, {"model": name, **begun}])
        if name in GUARANTEES and "randomization" not in draft.content():
            draft.set("randomization", "method", "uniform")
        dialog.close()
        sheet.refresh(again=True)

    with ui.dialog() as dialog, ui.card().classes("q-pa-none").style("width: 60rem; max-width: 92vw; height: 85vh"):
        with ui.row().classes("items-center w-full q-px-md q-pt-md"):
            ui.label(session.say("Add a model")).classes("text-h6")
            ui.space()
            close = session.say("Close")
            ui.button(icon="close", on_click=dialog.close).props(f'flat round aria-label="{close}"')
        with ui.scroll_area().classes("w-full col q-px-sm"):
            for group, cards in PROMISES.groups().items():
                named = group if group in GROUP else "other"
                section(session.say(GROUP[named]), help=session.say(GROUP_WHY[named]))
                with ui.grid(columns=2).classes("w-full q-my-md gap-3 cobogo-grid"):
                    for card in cards:
                        _offer(sheet, card.name, add)
    dialog.open()


def _offer(sheet: PolicySheet, name: str, add: Any) -> None:
    session = sheet.session
    shown = model_name(name, session.say)
    with ui.card().classes("q-pa-md gap-1"):
        with ui.row().classes("items-center w-full no-wrap"):
            ui.label(shown).classes("text-subtitle2 text-weight-medium")
            ui.space()
            label = session.say("Add {name}", name=shown)
            ui.button(session.say("Add"), on_click=lambda: add(name)).props(f'flat dense no-caps aria-label="{label}"')
        ui.label(_words(sheet, name)).classes("text-body2 text-quiet")


def _words(sheet: PolicySheet, name: str) -> str:
    """What a model is for, in plain words; of one that another package adds, what its card says."""
    session = sheet.session
    return model_meaning(name, session.say)


def _begun(sheet: PolicySheet, name: str) -> dict[str, Any]:
    """Values to begin with, fitted to the data set's columns."""
    start = dict(PROMISES.card(name).start)
    if "population" in start:
        known = sheet.files
        start["population"] = known[0] if known else ""
    if name == "personalized":
        hidden = sheet.columns_with_role("identifier")
        start["guard"] = hidden[0] if hidden else ""
    return start
