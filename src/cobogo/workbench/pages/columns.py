"""Columns: what each is, and how it may become coarser, with a preview of its levels."""

from __future__ import annotations

import ast
from typing import Any

from nicegui import run, ui

from cobogo.errors import CobogoError
from cobogo.hierarchy.build import build as built
from cobogo.server import rows, tables
from cobogo.server.confine import confined
from cobogo.server.state import DATASETS
from cobogo.workbench.frame import framed
from cobogo.workbench.session import Desk, Session

ROLES = ("identifier", "quasi-identifier", "sensitive", "non-sensitive")
KINDS = {
    "none": None,
    "intervals": [10, 20],
    "mask": "right",
    "dates": "%Y-%m-%d",
    "path": "/",
    "csv": "file.csv",
}
SHOWN = 12


async def build(desk: Desk) -> None:
    """The second step."""
    with framed(desk, "columns") as session:
        if session is None:
            return
        row = desk.house.state.get(DATASETS, session.dataset or "", session.owner)
        if row is None:
            ui.label(session.say("data.first"))
            return
        ui.label(session.say("columns.what"))
        found = await run.io_bound(tables.suggestion, desk.house, row)
        assert found is not None
        profiles, _ = found
        named = [
            one["column"] for one in profiles if session.draft.attributes[one["column"]].get("role") == "identifier"
        ]
        if named:
            text = session.say("columns.identifier", count=len(named), names=", ".join(named))
            ui.label(text).classes("bg-amber-2 text-black q-pa-sm rounded-borders w-full")
        for profile in profiles:
            _column(desk, session, row, profile)


def _column(desk: Desk, session: Session, row: dict[str, Any], profile: dict[str, Any]) -> None:
    name = profile["column"]
    told = session.draft.attributes.get(name, {})
    with ui.card().classes("w-full"), ui.row().classes("items-start w-full no-wrap"):
        with ui.column().classes("gap-0").style("width: 14rem"):
            ui.label(name).classes("text-subtitle1 text-weight-medium")
            ui.label(profile["type"]).classes("text-caption")
            counts = f"{session.say('columns.distinct')}: {profile['distinct']:,}"
            ui.label(f"{counts} · {session.say('columns.missing')}: {profile['missing']:,}").classes("text-caption")
        with ui.column().classes("gap-1").style("width: 26rem"):
            options = {role: session.say(f"role.{role}") for role in ROLES}
            known = told.get("role") if told.get("role") in ROLES else None
            role = ui.select(options, value=known, label=session.say("columns.role")).classes("w-full")
            ui.label(f"{session.say('columns.reason')} {profile['reason']}").classes("text-caption")
            accept = ui.button(
                session.say("columns.accept", role=profile["role"]),
                on_click=lambda: role.set_value(profile["role"]),
            ).props("outline dense no-caps")
            accept.set_visibility(known is None)
        place = ui.column().classes("col gap-1")

    def changed() -> None:
        accept.set_visibility(False)
        session.draft.set_attribute(name, role=role.value)
        _hierarchy(desk, session, row, profile, place)

    role.on_value_change(changed)
    _hierarchy(desk, session, row, profile, place)


def _hierarchy(desk: Desk, session: Session, row: dict[str, Any], profile: dict[str, Any], place: ui.column) -> None:
    """The builder of a quasi-identifier's hierarchy, and what it makes of the most frequent values."""
    name = profile["column"]
    place.clear()
    told = session.draft.attributes.get(name, {})
    if told.get("role") != "quasi-identifier":
        return
    spec = dict(told.get("hierarchy") or {})
    kind = next((one for one in KINDS if one in spec), "none")
    with place:
        with ui.row().classes("items-end w-full no-wrap"):
            kinds = {one: session.say(f"columns.{one}") for one in KINDS}
            chosen = ui.select(kinds, value=kind, label=session.say("columns.hierarchy")).style("width: 11rem")
            text = ui.input(session.say("columns.options"), value=_written(spec)).classes("col")
            apply = ui.button(session.say("columns.apply")).props("no-caps flat")
        preview = ui.column().classes("w-full gap-0")

    def take_kind() -> None:
        start = KINDS[chosen.value]
        text.value = "" if start is None else _written({chosen.value: start})

    def take() -> None:
        wanted = _read(text.value)
        if wanted is None and text.value.strip():
            ui.notify(text.value, type="negative")
            return
        session.draft.set_attribute(name, hierarchy=wanted)
        _preview(desk, session, row, name, preview)

    chosen.on_value_change(take_kind)
    apply.on_click(take)
    _preview(desk, session, row, name, preview)


def _preview(desk: Desk, session: Session, row: dict[str, Any], name: str, place: ui.column) -> None:
    place.clear()
    try:
        home = desk.house.files.dataset(row["id"]) / "files"
        assert session.holder is not None
        policy = confined(
            session.draft.only(name), home, owner=session.holder.owner, registry=desk.house.settings.registry
        )
        values = [value for value, _ in rows.counts(desk.house.files.dataset(row["id"]), name, SHOWN)[0]]
        tree = built(name, policy.attributes[name].hierarchy, values, policy=policy)
    except CobogoError as error:
        with place:
            ui.label(str(error)).classes("text-negative text-caption")
        return
    with place, ui.row().classes("gap-6"):
        for level in range(tree.height + 1):
            labels = list(dict.fromkeys(str(tree.generalize(value, level)) for value in values))
            with ui.column().classes("gap-0"):
                ui.label(str(level)).classes("text-caption text-weight-bold")
                for label in labels[:5]:
                    ui.label(label).classes("text-caption")
                if len(labels) > 5:
                    ui.label("…").classes("text-caption")


def _written(spec: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {value!r}" for key, value in spec.items())


def _read(text: str) -> dict[str, Any] | None:
    """The options of a hierarchy as they are written in a policy: ``intervals = [10, 20], top = True``."""
    if not text.strip():
        return None
    try:
        call = ast.parse(f"f({text.replace(': ', '=')})", mode="eval").body
        assert isinstance(call, ast.Call)
        return {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, AssertionError):
        return None
