"""Privacy: the models that must hold, what may be lost, and the policy as text beside it."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from cobogo.errors import CobogoError
from cobogo.server.confine import confined
from cobogo.workbench.frame import framed, told
from cobogo.workbench.session import Desk, Session

MODELS: dict[str, dict[str, Any]] = {
    "k-anonymity": {"k": 5},
    "l-diversity": {"kind": "distinct", "l": 2},
    "t-closeness": {"distance": "equal", "t": 0.3},
}
METRICS = ("loss", "precision", "discernibility", "aecs", "height")


def build(desk: Desk) -> None:
    """The third step."""
    with framed(desk, "privacy") as session:
        if session is None:
            return
        if session.dataset is None:
            ui.label(session.say("data.first"))
            return
        ui.label(session.say("privacy.what"))
        with ui.row().classes("w-full items-start no-wrap"):
            left = ui.column().classes("col-5 gap-3")
            with ui.column().classes("col-7"):
                code = _policy(desk, session, left)
        _forms(session, left, code)


def _policy(desk: Desk, session: Session, forms: ui.column) -> ui.codemirror:
    """The text, which can be edited as well as the forms can."""
    ui.label(session.say("privacy.policy")).classes("text-h6")
    code = ui.codemirror(session.draft.text, language="TOML").classes("w-full").style("height: 28rem")

    def edited() -> None:
        session.draft.text = code.value
        try:
            session.draft.content()
        except CobogoError:
            return
        _forms(session, forms, code)

    code.on("blur", edited)

    def check() -> None:
        edited()
        assert session.holder is not None
        home = desk.house.files.dataset(str(session.dataset)) / "files"
        owner, registry = session.holder.owner, desk.house.settings.registry
        if told(lambda: confined(session.draft.text, home, owner=owner, registry=registry)):
            ui.notify(session.say("privacy.fine"), type="positive")

    with ui.row():
        ui.button(session.say("privacy.check"), on_click=check).props("no-caps")
        ui.button(
            session.say("privacy.download"),
            on_click=lambda: ui.download(session.draft.text.encode(), "policy.toml", "application/toml"),
        ).props("flat no-caps")
    return code


def _forms(session: Session, place: ui.column, code: ui.codemirror) -> None:
    place.clear()

    def change(models: list[dict[str, Any]], *, again: bool = False) -> None:
        session.draft.set_models(models)
        code.value = session.draft.text
        if again:
            _forms(session, place, code)

    with place:
        models = session.draft.models
        for number, model in enumerate(models):
            with ui.card().classes("w-full"):
                with ui.row().classes("items-center w-full"):
                    ui.label(model["model"]).classes("text-subtitle1 text-weight-medium")
                    ui.space()
                    ui.button(
                        session.say("privacy.remove"),
                        on_click=lambda at=number: change(models[:at] + models[at + 1 :], again=True),
                    ).props("flat dense no-caps")
                if f"model.{model['model']}" in _known(session):
                    ui.label(session.say(f"model.{model['model']}")).classes("text-caption")
                with ui.row():
                    for key, value in model.items():
                        if isinstance(value, int | float) and not isinstance(value, bool):
                            _number(models, number, key, value, change)
        with ui.row():
            for name, start in MODELS.items():
                ui.button(
                    f"+ {name}",
                    on_click=lambda one=name, first=start: change([*models, {"model": one, **first}], again=True),
                ).props("outline no-caps dense")
        _recoding(session, code)


def _known(session: Session) -> Any:
    from cobogo.workbench.words import TEXTS

    return TEXTS[session.language]


def _number(models: list[dict[str, Any]], at: int, key: str, value: float, change: Any) -> None:
    whole = isinstance(value, int)

    def take(event: Any) -> None:
        if event.value is None:
            return
        models[at] = {**models[at], key: int(event.value) if whole else float(event.value)}
        change(models)

    ui.number(key, value=value, min=0, step=1 if whole else 0.05, on_change=take).style("width: 7rem")


def _recoding(session: Session, code: ui.codemirror) -> None:
    recoding = session.draft.recoding

    def put(key: str, value: Any) -> None:
        session.draft.set("recoding", key, value)
        code.value = session.draft.text

    limit = float(recoding.get("suppression-limit", 0))
    ui.label(session.say("privacy.limit")).classes("q-mt-md")
    ui.slider(
        min=0, max=0.5, step=0.01, value=limit, on_change=lambda event: put("suppression-limit", round(event.value, 4))
    ).props("label-always").classes("q-px-sm q-mt-md")
    ui.select(
        list(METRICS),
        value=recoding.get("metric", "loss"),
        label=session.say("privacy.metric"),
        on_change=lambda event: put("metric", event.value),
    ).classes("w-full")
