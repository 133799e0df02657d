"""The releases of one data set over time, drawn: what each added, and what it exposes beside those before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nicegui import ui

from cobogo.faces.server.services.releases import OpenedRelease
from cobogo.faces.workbench import release_figures
from cobogo.faces.workbench.drawings import LINE, ORIGINAL, RELEASE, chart, table
from cobogo.faces.workbench.pages.risk_attacks import named
from cobogo.faces.workbench.session import Desk, Session
from cobogo.faces.workbench.widgets import slowly, trouble

if TYPE_CHECKING:
    from cobogo.publish.registry.history import Chapter


def timeline(desk: Desk, session: Session, looked: OpenedRelease) -> None:
    """By the registry where the release is in it, else by what the workbench itself remembers."""
    ui.label(session.say("risk.timeline.what")).classes("text-body2 text-quiet")
    body = ui.column().classes("w-full gap-3")
    if looked.registered is None or looked.policy.registry is None or not desk.service.registry.exists:
        rows = _own(desk, session, looked)
        ui.timer(
            0.01,
            lambda: slowly(
                session, body, lambda: _summaries(desk, session, rows), lambda found: _unchecked(session, looked, found)
            ),
            once=True,
        )
        return
    series, history = looked.policy.registry.dataset, desk.service.registry.history
    ui.timer(
        0.01,
        lambda: slowly(
            session,
            body,
            lambda: history(session.caller, looked.identity, series),
            lambda found: _checked(session, looked, found),
        ),
        once=True,
    )


def _own(desk: Desk, session: Session, looked: OpenedRelease) -> list[dict[str, Any]]:
    rows = desk.service.releases.list_all(session.caller, looked.dataset)
    return [row for row in reversed(rows) if row["owner"] == looked.owner]


def _summaries(
    desk: Desk, session: Session, rows: Sequence[dict[str, Any]]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    reports = [(row, release_figures.report(desk, session, row["id"])) for row in rows]
    return [(row, report) for row, report in reports if report]


def _unchecked(session: Session, looked: OpenedRelease, found: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    trouble(session.say("risk.timeline.unregistered"), icon="warning_amber")
    names = [row["id"][:6] for row, _ in found]
    kept = [report["records"] - (report.get("suppressed") or 0) for _, report in found]
    out = [report.get("suppressed") or 0 for _, report in found]
    series = {"risk.timeline.released": (kept, RELEASE), "risk.timeline.suppressed": (out, "#9a9a9a")}
    _drawn(session, names, series, _place(found, looked))
    columns = [
        ("name", session.say("risk.timeline.release"), "left"),
        ("date", session.say("risk.timeline.date"), "left"),
        ("kind", session.say("risk.timeline.kind"), "left"),
        ("records", session.say("risk.timeline.records"), "right"),
        ("classes", session.say("risk.timeline.classes"), "right"),
        ("highest", session.say("risk.timeline.highest"), "right"),
        ("models", session.say("risk.timeline.models"), "left"),
    ]
    rows = [
        {
            "name": row["id"][:6],
            "date": session.date(row["created"]),
            "kind": session.say(f"looked.{row['kind']}"),
            "records": session.number(records),
            "classes": session.number(report.get("classes", {}).get("count")),
            "highest": session.percent(report.get("risk", {}).get("after", {}).get("highest")),
            "models": ", ".join(session.figures.name("model", one["model"]) for one in report.get("models", ())),
        }
        for (row, report), records in zip(found, kept, strict=True)
    ]
    table(columns, rows)


def _place(found: list[tuple[dict[str, Any], dict[str, Any]]], looked: OpenedRelease) -> int | None:
    return next((place for place, (row, _) in enumerate(found) if row["id"] == looked.identity), None)


def _checked(session: Session, looked: OpenedRelease, found: list[Chapter]) -> None:
    names = [one.entry.id.removeprefix(f"{looked.owner} ") for one in found]
    here = next((place for place, one in enumerate(found) if one.entry.id == looked.registered), None)
    totals = [one.entry.summary["records"] - one.entry.summary["suppressed"] for one in found]
    stayed = [one.stayed or 0 for one in found]
    came = [total if one.came is None else one.came for one, total in zip(found, totals, strict=True)]
    left = [-(one.left or 0) for one in found]
    series = {
        "risk.timeline.stayed": (stayed, ORIGINAL),
        "risk.timeline.came": (came, RELEASE),
        "risk.timeline.left": (left, "#9a9a9a"),
    }
    _drawn(session, names, series, here)
    columns = [
        ("name", session.say("risk.timeline.release"), "left"),
        ("date", session.say("risk.timeline.date"), "left"),
        ("records", session.say("risk.timeline.records"), "right"),
        ("classes", session.say("risk.timeline.classes"), "right"),
        ("new", session.say("risk.timeline.new"), "left"),
        ("models", session.say("risk.timeline.models"), "left"),
        ("base", session.say("risk.timeline.base"), "left"),
        ("check", session.say("risk.timeline.check"), "left"),
    ]
    table(columns, [_row(session, name, one, total) for name, one, total in zip(names, found, totals, strict=True)])
    ui.label(session.say("risk.timeline.checked")).classes("text-caption text-quiet")


def _row(session: Session, name: str, one: Chapter, total: int) -> dict[str, str]:
    base, series = session.say(f"risk-base.{one.base or 'none'}"), session.say("risk.timeline.series")
    return {
        "name": name,
        "date": session.figures.date(one.entry.created),
        "records": session.number(total),
        "classes": session.number(one.entry.summary["classes"]),
        "new": ", ".join(one.new) or "–",
        "models": ", ".join(_model(session, model) for model in one.entry.summary["policy"]["privacy"]["models"]),
        "base": f"{base} · {series}" if one.series else base,
        "check": _check(session, one),
    }


def _model(session: Session, model: Mapping[str, Any]) -> str:
    name = session.figures.name("model", model["model"])
    shown = [
        f"{key} = {session.figures.show(value)}" for key, value in model.items() if key not in ("model", "attribute")
    ]
    where = [str(model["attribute"])] if model.get("attribute") else []
    return f"{name} ({', '.join([*where, *shown])})" if where or shown else name


def _check(session: Session, one: Chapter) -> str:
    if one.stayed is None:
        return session.say("risk.timeline.first")
    if one.breaches is None:
        return session.say("risk.timeline.unasked")
    if not one.breaches:
        return session.say("risk.timeline.fine")
    lines = []
    for breach in one.breaches:
        attack = named(session, breach.attack)[0]
        lines.append(session.say("risk.timeline.breach", attack=attack, earlier=breach.earlier, people=breach.people))
    return "; ".join(lines)


def _drawn(
    session: Session, names: Sequence[str], series: Mapping[str, tuple[Sequence[int], str]], here: int | None
) -> None:
    number = f"v => Math.abs(v).toLocaleString('{session.language}')"
    marked = [
        {"value": name, "textStyle": {"fontWeight": "bold"}} if place == here else name
        for place, name in enumerate(names)
    ]
    said = {key: session.say(key) for key in series}
    options = {
        "color": [colour for _, colour in series.values()],
        "legend": {"top": 0},
        "tooltip": {"trigger": "axis", "axisPointer": {"type": "shadow"}, ":valueFormatter": number},
        "grid": {"left": 8, "right": 16, "top": 34, "bottom": 8, "containLabel": True},
        "xAxis": {"type": "category", "data": marked, "axisLine": {"onZero": True}},
        "yAxis": {
            "type": "value",
            "axisLabel": {":formatter": number},
            "splitLine": {"lineStyle": {"color": LINE, "type": "dotted"}},
        },
        "series": [
            {"name": said[key], "type": "bar", "stack": "records", "barMaxWidth": 60, "data": list(values)}
            for key, (values, _) in series.items()
        ],
    }
    with ui.card().classes("w-full"):
        chart(options, height="240px", label=session.say("risk.timeline.what"))
