"""The attack table: what each attacker knows, what the attack finds, and how surely."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import run, ui

from cobogo.faces.server.services.jobs import OVER
from cobogo.faces.server.services.releases import OpenedRelease
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.drawings import table
from cobogo.faces.workbench.frame import done, empty, metric
from cobogo.faces.workbench.session import Desk, Session
from cobogo.faces.workbench.widgets import trouble


def latest(desk: Desk, session: Session, looked: OpenedRelease) -> dict[str, Any] | None:
    """The last audit of a release that whoever is at the workbench asked for."""
    if not looked.runs:
        return None
    return desk.service.jobs.latest_audit(session.caller, looked.identity)


def findings(looked: OpenedRelease) -> dict[str, Any] | None:
    """The audit that the evidence holds, if there is one."""
    file = looked.directory / "evidence" / "audit.json"
    found: dict[str, Any] | None = json.loads(file.read_bytes()) if file.is_file() else None
    return found


def attacks(desk: Desk, session: Session, looked: OpenedRelease) -> None:
    """What an audit found, or a button to begin one, or how far one is."""
    ui.label(session.say("risk.attacks.what")).classes("text-body2 text-quiet")
    body = ui.column().classes("w-full gap-3")

    async def begin() -> None:
        await done(session, actions.audit_release, desk, session, looked.identity)
        show()

    async def draw(job: dict[str, Any] | None) -> None:
        found = await run.io_bound(findings, looked)
        body.clear()
        with body:
            if job is not None and job["message"]:
                trouble(job["message"], icon="error")
            if found is None:
                _nothing(session, looked, begin)
            else:
                _found(session, looked, found, begin)

    def show() -> None:
        job = latest(desk, session, looked)
        if job is None or job["state"] in OVER:
            with body:
                ui.timer(0.01, lambda: draw(job), once=True)
            return
        body.clear()
        with body:
            _going(desk, session, job, lambda: draw(desk.service.jobs.find(session.caller, job["id"])))

    show()


def _going(desk: Desk, session: Session, job: dict[str, Any], after: Callable[[], Any]) -> None:
    """How far an audit is, until it is over."""
    with ui.card().classes("w-full"):
        with ui.row().classes("items-center w-full").props('role="status" aria-live="polite"'):
            ui.spinner(size="md")
            label = ui.label(session.say("risk.attacks.waiting"))
            ui.space()
            ui.button(
                session.say("risk.attacks.stop"),
                icon="stop",
                on_click=lambda: done(session, actions.cancel_job, desk, session, job["id"]),
            ).props("flat no-caps")
        bar = ui.linear_progress(0, show_value=False).classes("w-full")

    async def follow() -> None:
        if not session.here:
            return
        now = desk.service.jobs.find(session.caller, job["id"])
        if now is None or now["state"] in OVER:
            timer.deactivate()
            await after()
        elif now["total"]:
            name = named(session, now["stage"])[0]
            label.text = session.say("risk.attacks.trying", attack=name, done=now["done"] + 1, total=now["total"])
            bar.value = now["done"] / max(now["total"], 1)

    timer = ui.timer(0.3, follow)


def _nothing(session: Session, looked: OpenedRelease, begin: Any) -> None:
    if looked.runs:
        empty(session.say("risk.attacks.none"), icon="crisis_alert", button=session.say("risk.attacks.go"), go=begin)
    else:
        empty(session.say("risk.attacks.none-here"), icon="crisis_alert")


def named(session: Session, attack: str) -> tuple[str, str, str]:
    """What an attack is called, what its attacker knows, and what helps, in the session's language."""
    from cobogo.examine.attacks import ATTACKS
    from cobogo.tell.report.audit import told as told_of

    return told_of(ATTACKS[attack], session.figures) if attack in ATTACKS else (attack, "", "")


def _found(session: Session, looked: OpenedRelease, found: dict[str, Any], begin: Any) -> None:
    tried = [one for one in found["attacks"] if one["tried"]]
    worst = sorted(tried, key=lambda one: (-one["exposed"] / max(one["attacked"], 1), -one["highest"]))
    succeeded = [one for one in tried if one["succeeded"]]
    with ui.row().classes("w-full items-center"):
        metric(session.say("risk.attacks.tried"), session.number(len(tried)))
        metric(
            session.say("risk.attacks.succeeded"),
            session.number(len(succeeded)),
            colour="negative" if succeeded else "positive" if found["nobody_exposed"] else "warning",
        )
        with ui.column().classes("gap-0 col"):
            unsure = "nobody" if found["nobody_exposed"] else "open"
            text = session.say("risk.attacks.someone" if succeeded else f"risk.attacks.{unsure}")
            ui.label(text).classes("text-subtitle1 text-weight-medium")
            knows = found["knowledge"] or session.say("risk.attacks.nothing")
            if looked.data is not None and knows == looked.data.name:
                knows = session.say("risk.attacks.original")
            date = session.figures.date(found["created"])
            ui.label(session.say("risk.attacks.given", knowledge=knows, date=date)).classes("text-caption text-quiet")
        if looked.runs:
            ui.button(session.say("risk.attacks.again"), icon="refresh", on_click=begin).props("outline no-caps")
    for one in worst:
        _attack(session, one)
    untried = [one for one in found["attacks"] if not one["tried"]]
    with ui.expansion(session.say("risk.attacks.untried", n=len(untried)), icon="block").classes("w-full"):
        columns = [
            ("name", session.say("risk.attacks.attack"), "left"),
            ("why", session.say("risk.attacks.why"), "left"),
        ]
        table(columns, [{"name": named(session, one["attack"])[0], "why": _why(session, one)} for one in untried])


def _attack(session: Session, one: dict[str, Any]) -> None:
    name, knows, defence = named(session, one["attack"])
    share = one["exposed"] / max(one["attacked"], 1)
    colour = "negative" if one["succeeded"] else "positive"
    before = one.get("baseline")
    with ui.card().classes("w-full gap-1 q-py-sm"), ui.row().classes("w-full items-center no-wrap cobogo-beside"):
        ui.icon("dangerous" if one["succeeded"] else "verified_user").props(f"size=md color={colour}")
        with ui.column().classes("gap-0 col").style("min-width: 0"):
            ui.label(name[:1].upper() + name[1:]).classes("text-subtitle1 text-weight-medium")
            ui.label(session.say("risk.attacks.knows", what=knows)).classes("text-caption text-quiet")
            if one["succeeded"]:
                ui.label(session.say("risk.attacks.helps", what=defence)).classes("text-caption")
        with ui.column().classes("gap-0 items-end").style("width: 21rem; flex: none"):
            text = session.say("risk.attacks.exposed", people=one["exposed"], attacked=one["attacked"])
            ui.label(text).classes(f"text-body2 text-weight-medium text-{colour}")
            bar = ui.linear_progress(share, show_value=False, size="8px").props(f"color={colour}").classes("w-full")
            bar.props(f'aria-label="{session.percent(share)}"')
            sure = session.say(
                "risk.attacks.gain" if one["by"] == "gain" else "risk.attacks.sure",
                highest=session.percent(one.get("surest", one["highest"])),
                threshold=session.percent(one["threshold"]),
            )
            ui.label(sure).classes("text-caption text-quiet")
            average = session.percent(one["average"])
            if before is not None:
                line = session.say("risk.attacks.baseline", average=average, before=session.percent(before))
            else:
                line = session.say("risk.attacks.average", average=average)
            ui.label(line).classes("text-caption text-quiet")


def _why(session: Session, one: dict[str, Any]) -> str:
    from cobogo.tell.report.audit import reason

    return reason(one["why"], one.get("lacks", ()), session.figures, fits=one.get("open", False))
