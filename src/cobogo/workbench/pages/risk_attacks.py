"""The attack table: what each attacker knows, what the attack finds, and how surely."""

from __future__ import annotations

from typing import Any

from nicegui import run, ui

from cobogo.workbench import auditing
from cobogo.workbench.drawings import table
from cobogo.workbench.frame import empty, metric
from cobogo.workbench.looked import Looked, trouble
from cobogo.workbench.session import Desk, Session


def attacks(desk: Desk, session: Session, looked: Looked) -> None:
    """What an audit found, or a button to begin one, or how far one is."""
    ui.label(session.say("risk.attacks.what")).classes("text-body2 text-quiet")
    body = ui.column().classes("w-full gap-3")

    def begin() -> None:
        desk.note(session, "audit", looked.identity)
        auditing.start(looked, session.language)
        show()

    def stop() -> None:
        state = auditing.going(looked)
        if state is not None:
            state.stop = True

    async def draw() -> None:
        found = await run.io_bound(auditing.results, looked)
        body.clear()
        with body:
            state = auditing.going(looked)
            if state is not None and state.trouble:
                trouble(state.trouble, icon="error")
            if found is None:
                _nothing(session, looked, begin)
            else:
                _found(session, looked, found, begin)

    def show() -> None:
        state = auditing.going(looked)
        if state is None or state.over:
            ui.timer(0.01, draw, once=True)
            return
        body.clear()
        with body, ui.card().classes("w-full"):
            with ui.row().classes("items-center w-full").props('role="status" aria-live="polite"'):
                ui.spinner(size="md")
                label = ui.label()
                ui.space()
                ui.button(session.say("risk.attacks.stop"), icon="stop", on_click=stop).props("flat no-caps")
            bar = ui.linear_progress(0, show_value=False).classes("w-full")

        def follow() -> None:
            if state.over:
                timer.deactivate()
                with body:
                    ui.timer(0.01, draw, once=True)
                return
            label.text = session.say(
                "risk.attacks.trying", attack=named(session, state.attack)[0], done=state.done, total=state.total
            )
            bar.value = state.done / max(state.total, 1)

        with body:
            timer = ui.timer(0.3, follow)

    with body:
        show()


def _nothing(session: Session, looked: Looked, begin: Any) -> None:
    if looked.runs:
        empty(session.say("risk.attacks.none"), icon="crisis_alert", button=session.say("risk.attacks.go"), go=begin)
    else:
        empty(session.say("risk.attacks.none-here"), icon="crisis_alert")


def named(session: Session, attack: str) -> tuple[str, str, str]:
    """What an attack is called, what its attacker knows, and what helps, in the session's language."""
    from cobogo.attacks import ATTACKS
    from cobogo.report.audit import told

    return told(ATTACKS[attack], session.figures) if attack in ATTACKS else (attack, "", "")


def _found(session: Session, looked: Looked, found: dict[str, Any], begin: Any) -> None:
    tried = [one for one in found["attacks"] if one["tried"]]
    worst = sorted(tried, key=lambda one: (-one["exposed"] / max(one["attacked"], 1), -one["highest"]))
    succeeded = [one for one in tried if one["succeeded"]]
    with ui.row().classes("w-full items-center"):
        metric(session.say("risk.attacks.tried"), session.number(len(tried)))
        metric(
            session.say("risk.attacks.succeeded"),
            session.number(len(succeeded)),
            colour="negative" if succeeded else "positive",
        )
        with ui.column().classes("gap-0 col"):
            text = session.say("risk.attacks.someone" if succeeded else "risk.attacks.nobody")
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
    with ui.card().classes("w-full gap-1 q-py-sm"), ui.row().classes("w-full items-center no-wrap"):
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
    from cobogo.report.audit import reason

    return reason(one["why"], one.get("lacks", ()), session.figures)
