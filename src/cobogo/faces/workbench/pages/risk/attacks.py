"""Attacks on a release, and the releases of one data set over time: what each finds, adds and exposes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from cobogo.faces.server.services.jobs import OVER
from cobogo.faces.server.services.releases import OpenedRelease
from cobogo.faces.workbench import actions, opened_release
from cobogo.faces.workbench.charts import LINE, ORIGINAL, RELEASE, chart, table
from cobogo.faces.workbench.frame import attempt, empty, metric
from cobogo.faces.workbench.labels import LOOKED
from cobogo.faces.workbench.opened_release import exposed_people, severity
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.widgets import slowly, trouble
from cobogo.floor.language import Text, tr
from cobogo.tell.report.labels import model_name

if TYPE_CHECKING:
    from cobogo.publish.registry.check import Chapter

RISK_BASE = {
    "none": tr("only its models"),
    "previous": tr("the previous release"),
    "quasi-identifiers": tr("all that was released"),
    "m-invariance": tr("m-invariance"),
}

RISK_ATTACKS = {
    "nobody": tr("No attack exceeds its threshold for any person."),
    "open": tr("No verdict: some attacks that apply to this release could not be tried."),
}


def latest(desk: Desk, session: PageSession, release: OpenedRelease) -> dict[str, Any] | None:
    """The last audit of a release that this holder started."""
    if not release.runs:
        return None
    return desk.service.jobs.latest_audit(session.caller, release.identity)


def findings(release: OpenedRelease) -> dict[str, Any] | None:
    """The audit that the evidence holds, if there is one."""
    file = release.directory / "evidence" / "audit.json"
    found: dict[str, Any] | None = json.loads(file.read_bytes()) if file.is_file() else None
    return found


def show_attacks(desk: Desk, session: PageSession, release: OpenedRelease) -> None:
    """What an audit found, or a button to begin one, or how far one is."""
    ui.label(
        session.say(
            "Runs every attack of Cobogó that applies to this kind of release. The attacker is assumed to "
            "know all quasi-identifiers of the original."
        )
    ).classes("text-body2 text-quiet")
    body = ui.column().classes("w-full gap-3")

    async def begin() -> None:
        await attempt(session, actions.audit_release, desk, session, release.identity)
        show()

    async def draw(job: dict[str, Any] | None) -> None:
        found = await run.io_bound(findings, release)
        body.clear()
        with body:
            if job is not None and job["error"] is not None:
                trouble(session.say.error(job["error"]), icon="error")
            if found is None:
                _nothing(session, release, begin)
            else:
                _show_findings(session, release, found, begin)

    def show() -> None:
        job = latest(desk, session, release)
        if job is None or job["state"] in OVER:
            with body:
                ui.timer(0.01, lambda: draw(job), once=True)
            return
        body.clear()
        with body:
            _going(desk, session, job, lambda: draw(desk.service.jobs.find(session.caller, job["id"])))

    show()


def _going(desk: Desk, session: PageSession, job: dict[str, Any], after: Callable[[], Any]) -> None:
    """How far an audit is, until it is over."""
    with ui.card().classes("w-full"):
        with ui.row().classes("items-center w-full").props('role="status" aria-live="polite"'):
            ui.spinner(size="md")
            label = ui.label(session.say("The audit is waiting …"))
            ui.space()
            ui.button(
                session.say("Stop"),
                icon="stop",
                on_click=lambda: attempt(session, actions.cancel_job, desk, session, job["id"]),
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
            name = describe_attack(session, now["stage"])[0]
            label.text = session.say(
                "Trying: {attack} ({done} of {total})", attack=name, done=now["done"] + 1, total=now["total"]
            )
            bar.value = now["done"] / max(now["total"], 1)

    timer = ui.timer(0.3, follow)


def _nothing(session: PageSession, release: OpenedRelease, begin: Any) -> None:
    if release.runs:
        empty(
            session.say(
                "No attack has been run on this release yet. The attacks take from seconds to a few minutes; "
                "their results are written to the evidence."
            ),
            icon="crisis_alert",
            button=session.say("Run the attacks"),
            go=begin,
        )
    else:
        empty(session.say("No attack has been run on this release. Its steward can run them."), icon="crisis_alert")


EXPOSED = {
    "record": tr("{people} of {attacked} re-identified"),
    "value": tr("a value of {people} of {attacked} inferred"),
    "presence": tr("{people} of {attacked} found to be in the data"),
}
NEAR = tr("{people} of {attacked} inferred roughly")
GAINED = tr("{people} of {attacked} likelier")


def describe_attack(session: PageSession, attack: str) -> tuple[str, str, str]:
    """What an attack is called, what its attacker knows, and what helps, in the session's language."""
    from cobogo.examine.attacks import ATTACKS
    from cobogo.studies.audit_page import describe_attack

    return describe_attack(ATTACKS[attack], session.say) if attack in ATTACKS else (attack, "", "")


def _show_findings(session: PageSession, release: OpenedRelease, found: dict[str, Any], begin: Any) -> None:
    tried = [one for one in found["attacks"] if one["tried"]]
    worst = sorted(tried, key=lambda one: (-one["exposed"] / max(one["attacked"], 1), -one["highest"]))
    succeeded = [one for one in tried if one["succeeded"]]
    with ui.row().classes("w-full items-center"):
        metric(session.say("Attacks tried"), session.say.number(len(tried)))
        metric(
            session.say("Attacks that succeed"),
            session.say.number(len(succeeded)),
            colour=severity(tried) if succeeded or found["nobody_exposed"] else "warning",
        )
        with ui.column().classes("gap-0 col").style("min-width: 15rem"):
            unsure = "nobody" if found["nobody_exposed"] else "open"
            text = f"{exposed_people(session, tried)}." if succeeded else session.say(RISK_ATTACKS[unsure])
            ui.label(text).classes("text-subtitle1 text-weight-medium")
            knows = found["knowledge"] or session.say("only the release")
            if release.data is not None and knows == release.data.name:
                knows = session.say("the original table")
            date = session.say.date(found["created"])
            ui.label(
                session.say("Knowledge of the attacker: {knowledge}. {date}.", knowledge=knows, date=date)
            ).classes("text-caption text-quiet")
        if release.runs:
            ui.button(session.say("Run the attacks again"), icon="refresh", on_click=begin).props("outline no-caps")
    for one in worst:
        _attack(session, one)
    untried = [one for one in found["attacks"] if not one["tried"]]
    with ui.expansion(session.say("{n} attacks were not tried", n=len(untried)), icon="block").classes("w-full"):
        columns = [
            ("name", session.say("Attack"), "left"),
            ("why", session.say("Reason"), "left"),
        ]
        table(
            columns,
            [{"name": describe_attack(session, one["attack"])[0], "why": _why(session, one)} for one in untried],
        )


def _attack(session: PageSession, one: dict[str, Any]) -> None:
    name, knows, defence = describe_attack(session, one["attack"])
    share = one["exposed"] / max(one["attacked"], 1)
    colour = severity([one])
    before = one.get("baseline")
    with ui.card().classes("w-full gap-1 q-py-sm"), ui.row().classes("w-full items-center no-wrap cobogo-beside"):
        ui.icon("dangerous" if one["succeeded"] else "verified_user").props(f"size=md color={colour}")
        with ui.column().classes("gap-0 col").style("min-width: 0"):
            ui.label(name[:1].upper() + name[1:]).classes("text-subtitle1 text-weight-medium")
            ui.label(session.say("The attacker knows {what}.", what=knows)).classes("text-caption text-quiet")
            if one["succeeded"]:
                ui.label(session.say("What helps: {what}", what=defence)).classes("text-caption")
        with ui.column().classes("gap-0 items-end").style("width: 21rem; flex: none"):
            words = GAINED if one["by"] == "gain" else NEAR if one.get("near") else EXPOSED[one["finds"]]
            text = session.say(words, people=one["exposed"], attacked=one["attacked"])
            ui.label(text).classes(f"text-body2 text-weight-medium text-{colour}")
            bar = ui.linear_progress(share, show_value=False, size="8px").props(f"color={colour}").classes("w-full")
            bar.props(f'aria-label="{session.say.percent(share)}"')
            sure = session.say(
                tr("largest gain {highest}; threshold {threshold}")
                if one["by"] == "gain"
                else tr("highest confidence {highest}; threshold {threshold}"),
                highest=session.say.percent(one.get("surest", one["highest"])),
                threshold=session.say.percent(one["threshold"]),
            )
            ui.label(sure).classes("text-caption text-quiet")
            average = session.say.percent(one["average"])
            if before is not None:
                line = session.say(
                    "average confidence {average}; {before} without the attack",
                    average=average,
                    before=session.say.percent(before),
                )
            else:
                line = session.say("average confidence {average}", average=average)
            ui.label(line).classes("text-caption text-quiet")


def _why(session: PageSession, one: dict[str, Any]) -> str:
    from cobogo.studies.audit_page import reason

    return reason(one["why"], one.get("lacks", ()), session.say, fits=one.get("open", False))


def show_timeline(desk: Desk, session: PageSession, release: OpenedRelease) -> None:
    """The history by the registry if it has the release, else by the workbench's own list of releases."""
    ui.label(
        session.say("A release that is safe alone may not be safe together with another release of the same people.")
    ).classes("text-body2 text-quiet")
    body = ui.column().classes("w-full gap-3")
    if release.registered is None or release.policy.registry is None or not desk.service.registry.exists:
        rows = _own(desk, session, release)
        ui.timer(
            0.01,
            lambda: slowly(
                session,
                body,
                lambda: _summaries(desk, session, rows),
                lambda found: _draw_unregistered(session, release, found),
            ),
            once=True,
        )
        return
    series, history = release.policy.registry.dataset, desk.service.registry.history
    ui.timer(
        0.01,
        lambda: slowly(
            session,
            body,
            lambda: history(session.caller, release.identity, series),
            lambda found: _draw_registered(session, release, found),
        ),
        once=True,
    )


def _own(desk: Desk, session: PageSession, release: OpenedRelease) -> list[dict[str, Any]]:
    rows = desk.service.releases.list_all(session.caller, release.dataset)
    return [row for row in reversed(rows) if row["owner"] == release.owner]


def _summaries(
    desk: Desk, session: PageSession, rows: Sequence[dict[str, Any]]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    reports = [(row, opened_release.report(desk, session, row["id"])) for row in rows]
    return [(row, report) for row, report in reports if report]


def _draw_unregistered(
    session: PageSession, release: OpenedRelease, found: list[tuple[dict[str, Any], dict[str, Any]]]
) -> None:
    trouble(
        session.say(
            "This release is not in a registry, so the releases of this data set were not checked against "
            "each other. To check later releases, name the data set under [registry] in the policy."
        ),
        icon="warning_amber",
    )
    names = [row["id"][:6] for row, _ in found]
    kept = [report["records"] - (report.get("suppressed") or 0) for _, report in found]
    out = [report.get("suppressed") or 0 for _, report in found]
    series = {tr("records released"): (kept, RELEASE), tr("suppressed"): (out, "#9a9a9a")}
    _draw_timeline(session, names, series, _place(found, release))
    columns = [
        ("name", session.say("Code"), "left"),
        ("date", session.say("Date"), "left"),
        ("kind", session.say("Kind"), "left"),
        ("records", session.say("Records"), "right"),
        ("classes", session.say("Classes"), "right"),
        ("highest", session.say("Highest risk"), "right"),
        ("models", session.say("Models"), "left"),
    ]
    kinds = {kind: session.say(made) for kind, made in LOOKED.items()}
    rows = [
        {
            "name": row["id"][:6],
            "date": session.date(row["created"]),
            "kind": kinds[row["kind"]],
            "records": session.say.number(records),
            "classes": session.say.number(report.get("classes", {}).get("count")),
            "highest": session.say.percent(report.get("risk", {}).get("after", {}).get("highest")),
            "models": ", ".join(model_name(one["model"], session.say) for one in report.get("models", ())),
        }
        for (row, report), records in zip(found, kept, strict=True)
    ]
    table(columns, rows)


def _place(found: list[tuple[dict[str, Any], dict[str, Any]]], release: OpenedRelease) -> int | None:
    return next((place for place, (row, _) in enumerate(found) if row["id"] == release.identity), None)


def _draw_registered(session: PageSession, release: OpenedRelease, found: list[Chapter]) -> None:
    names = [one.entry.id.removeprefix(f"{release.owner} ") for one in found]
    here = next((place for place, one in enumerate(found) if one.entry.id == release.registered), None)
    totals = [one.entry.summary["records"] - one.entry.summary["suppressed"] for one in found]
    stayed = [one.stayed or 0 for one in found]
    came = [total if one.came is None else one.came for one, total in zip(found, totals, strict=True)]
    left = [-(one.left or 0) for one in found]
    series = {
        tr("also in the previous release"): (stayed, ORIGINAL),
        tr("new"): (came, RELEASE),
        tr("no longer there"): (left, "#9a9a9a"),
    }
    _draw_timeline(session, names, series, here)
    columns = [
        ("name", session.say("Code"), "left"),
        ("date", session.say("Date"), "left"),
        ("records", session.say("Records"), "right"),
        ("classes", session.say("Classes"), "right"),
        ("new", session.say("New columns"), "left"),
        ("models", session.say("Models"), "left"),
        ("base", session.say("Checked with"), "left"),
        ("check", session.say("With earlier releases"), "left"),
    ]
    table(columns, [_row(session, name, one, total) for name, one, total in zip(names, found, totals, strict=True)])
    ui.label(session.say("Each release was checked now against all earlier ones in the registry.")).classes(
        "text-caption text-quiet"
    )


def _row(session: PageSession, name: str, one: Chapter, total: int) -> dict[str, str]:
    base, series = session.say(RISK_BASE[one.base or "none"]), session.say("m-invariant series")
    return {
        "name": name,
        "date": session.say.date(one.entry.created),
        "records": session.say.number(total),
        "classes": session.say.number(one.entry.summary["classes"]),
        "new": ", ".join(one.new) or "–",
        "models": ", ".join(_model(session, model) for model in one.entry.summary["policy"]["privacy"]["models"]),
        "base": f"{base} · {series}" if one.series else base,
        "check": _check(session, one),
    }


def _model(session: PageSession, model: Mapping[str, Any]) -> str:
    name = model_name(model["model"], session.say)
    shown = [f"{key} = {session.say.show(value)}" for key, value in model.items() if key not in ("model", "attribute")]
    where = [str(model["attribute"])] if model.get("attribute") else []
    return f"{name} ({', '.join([*where, *shown])})" if where or shown else name


def _check(session: PageSession, one: Chapter) -> str:
    if one.stayed is None:
        return session.say("the first")
    if one.breaches is None:
        return session.say("cannot be checked again")
    if not one.breaches:
        return session.say("✓ exposes no one")
    lines = []
    for breach in one.breaches:
        attack = describe_attack(session, breach.attack)[0]
        lines.append(
            session.say(
                "✗ {attack} with {earlier}: {people} exposed",
                attack=attack,
                earlier=breach.earlier,
                people=breach.people,
            )
        )
    return "; ".join(lines)


def _draw_timeline(
    session: PageSession, names: Sequence[str], series: Mapping[Text, tuple[Sequence[int], str]], here: int | None
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
        chart(
            options,
            height="240px",
            label=session.say(
                "A release that is safe alone may not be safe together with another release of the same people."
            ),
        )
