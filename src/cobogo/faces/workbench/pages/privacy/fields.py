"""The parameters of a model as fields: what each may be is read off the model itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import events, ui

from cobogo.faces.workbench import actions
from cobogo.faces.workbench.frame import done
from cobogo.faces.workbench.pages.privacy.sheet import Sheet
from cobogo.floor.catalogue import Card, Parameter

MOST = 64 << 20
"""Bytes of a file of a population."""

Take = Callable[[Any], None]

ONLY = {"c": ("kind", "recursive"), "value": ("", ""), "previous": ("", "")}
"""Parameters that are of use with a value of another only, or in the text alone."""


def fields(sheet: Sheet, number: int, model: Mapping[str, Any], card: Card) -> None:
    """One field a parameter."""
    words = {key: value for key, value in model.items() if isinstance(value, str | bool)}
    with ui.row().classes("w-full gap-x-4 gap-y-1 items-end"):
        for parameter in card.parameters({**card.start, **words}):
            with_, what = ONLY.get(parameter.name, ("model", model.get("model")))
            if parameter.name in model or parameter.required or model.get(with_) == what:
                _field(sheet, parameter, model, _taker(sheet, number, parameter))


def _taker(sheet: Sheet, number: int, parameter: Parameter) -> Take:
    def take(value: Any) -> None:
        models = sheet.session.draft.models
        told = {key: old for key, old in models[number].items() if key != parameter.name}
        models[number] = told if value in (None, "") else told | {parameter.name: value}
        sheet.session.draft.set_models(models)
        sheet.changed(again=parameter.bounds.kind == "choice")

    return take


def _field(sheet: Sheet, parameter: Parameter, model: Mapping[str, Any], take: Take) -> None:
    session, name, bounds = sheet.session, parameter.name, parameter.bounds
    label = session.say(f"parameter.{name}") if session.knows(f"parameter.{name}") else name
    value = model.get(name, parameter.default)
    if name == "attribute":
        _attribute(sheet, label, model.get(name), take)
    elif name in ("population", "guard"):
        offered = sheet.files if name == "population" else sheet.columns
        _chosen(label, {one: one for one in dict.fromkeys([*offered, *([value] if value else [])])}, value, take)
        if name == "population":
            _attach(sheet, take)
    elif bounds.kind == "choice":
        options = {word: session.say(f"choice.{word}") for word in bounds.words if session.knows(f"choice.{word}")}
        _chosen(label, {word: options.get(word, word) for word in bounds.words}, value, take)
    elif bounds.kind == "flag":
        ui.switch(label, value=bool(value), on_change=lambda event: take(True if event.value else None))
    elif bounds.kind in ("whole", "number") and not isinstance(value, Mapping):
        _number(label, parameter, value, take)
    elif bounds.kind == "text":
        ui.input(label, value=value, on_change=lambda event: take(event.value)).props("dense").style("width: 12rem")


def _attach(sheet: Sheet, take: Take) -> None:
    """A file of the population from elsewhere: it stays with the data set, and the model names it."""
    session = sheet.session

    async def taken(event: events.UploadEventArguments) -> None:
        name, content = event.file.name[-90:], await event.file.read()
        kept = await done(session, actions.attach_file, sheet.desk, session, sheet.row["id"], name, content)
        if kept is not None:
            take(kept)
            sheet.redraw()

    upload = ui.upload(on_upload=taken, auto_upload=True, max_file_size=MOST).classes("hidden")
    upload.props(f'accept=.csv,.txt,.parquet data-name="{session.say("privacy.attach")}"')
    ui.button(session.say("privacy.attach"), icon="upload_file", on_click=lambda: upload.run_method("pickFiles")).props(
        "outline dense no-caps"
    )


def _attribute(sheet: Sheet, label: str, value: Any, take: Take) -> None:
    """Which sensitive attribute; of one alone there is nothing to choose."""
    sensitive = sheet.of_role("sensitive")
    if len(sensitive) < 2 and value is None:
        return
    every = sheet.session.say("parameter.every")
    _chosen(label, {"": every, **{one: one for one in [*sensitive, *([value] if value else [])]}}, value or "", take)


def _chosen(label: str, options: Mapping[str, str], value: Any, take: Take) -> None:
    known = value if value in options else None
    ui.select(dict(options), value=known, label=label, on_change=lambda event: take(event.value)).props(
        "dense options-dense"
    ).style("min-width: 13rem")


def _number(label: str, parameter: Parameter, value: Any, take: Take) -> None:
    bounds, whole = parameter.bounds, parameter.bounds.kind == "whole"
    most = bounds.most
    step = 1 if whole else 0.05 if most == 1 else 0.1

    def taken(event: Any) -> None:
        if event.value is None:
            take(None)
        else:
            take(int(event.value) if whole else float(event.value))

    field = ui.number(label, value=value, min=bounds.least, max=most, step=step, on_change=taken)
    field.props(f"dense debounce=300 inputmode={'numeric' if whole else 'decimal'}").style("min-width: 13rem")
    if most == 1 and isinstance(value, int | float):
        least = bounds.least if bounds.least is not None else step
        slider = ui.slider(min=least, max=1, step=step).bind_value(field, "value").style("width: 8rem")
        slider.props(f'aria-label="{label}"')
