"""The release that a page looks at: chosen by its reader, opened by the service; its verdict, figures and promises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import run, ui

from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.services.releases import OpenedRelease
from cobogo.faces.workbench.frame import metric, no_release
from cobogo.faces.workbench.labels import LOOKED
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.widgets import turn_to
from cobogo.floor.language import tr
from cobogo.tell.report.exposure import inferred
from cobogo.tell.report.labels import model_name

ANONYMIZED, SYNTHETIC = "anonymize", "synthesize"


def choose_release(desk: Desk, session: PageSession) -> dict[str, Any] | None:
    """Show which release the page is about, and offer others; None, and a placeholder, if there is no release."""
    row = desk.release(session)
    if row is None:
        no_release(session)
        return None
    rows = desk.service.releases.list_all(session.caller)
    several = len({one["owner"] for one in rows}) > 1
    names = desk.service.datasets.names(session.caller)

    def describe(one: dict[str, Any]) -> str:
        whose = [one["owner"]] if several else []
        made = LOOKED[one["kind"]]
        parts = [session.say(made), names.get(one["dataset"], ""), session.date(one["created"])]
        return " · ".join(part for part in (*whose, *parts, one["id"][:6]) if part)

    def choose(identity: str) -> None:
        dataset = next(one["dataset"] for one in rows if one["id"] == identity)
        turn_to(release=identity, data=dataset)

    options = {one["id"]: describe(one) for one in rows}
    with ui.row().classes("w-full items-center no-wrap cobogo-beside"):
        choice = ui.select(options, value=row["id"], label=session.say("Release shown")).classes("col")
        choice.on_value_change(lambda event: choose(event.value))
        with ui.row().classes("items-center no-wrap text-quiet gap-1").style("max-width: 24rem"):
            ui.icon("house").props("size=sm")
            ui.label(session.say("This page reveals original data. Do not share it or pictures of it.")).classes(
                "text-caption"
            )
    return row


async def open_chosen(desk: Desk, session: PageSession) -> OpenedRelease | None:
    """Open the chosen release; None, and a placeholder, if there is no release."""
    row = choose_release(desk, session)
    return None if row is None else await run.io_bound(desk.service.releases.open, session.caller, row["id"])


def report(desk: Desk, session: PageSession, release: str) -> dict[str, Any]:
    """The report of a release as data; empty if it has none, or the reader may not see the evidence."""
    inside = (
        KeyScope.EVIDENCE in session.caller.scopes and desk.service.releases.find(session.caller, release) is not None
    )
    return desk.service.releases.evidence(session.caller, release, "report.json") if inside else {}


def manifest(desk: Desk, session: PageSession, release: str) -> dict[str, Any]:
    """The manifest of a release; empty if it has none, or the reader may not see it."""
    known = desk.service.releases.find(session.caller, release) is not None
    return desk.service.releases.manifest(session.caller, release) if known else {}


def audit_verdict(desk: Desk, session: PageSession, row: dict[str, Any]) -> tuple[str, str, str] | None:
    """The outcome of the attacks on a release: an icon, a colour and a line. Only a release that withstood attacks
    is green.

    None for whoever may not see the evidence, where it stands.
    """
    if session.holder is None or KeyScope.EVIDENCE not in session.holder.scopes:
        return None
    found = desk.service.releases.evidence(session.holder, row["id"], "audit.json")
    if not found:
        return "gpp_maybe", "warning", session.say("Not audited: no attack has been tried yet.")
    tried = [one for one in found["attacks"] if one["tried"]]
    succeeded = [one for one in tried if one["succeeded"]]
    if succeeded:
        colour = severity(tried)
        icon = "gpp_maybe" if colour == "warning" else "gpp_bad"
        return icon, colour, session.say("Audited. {people}.", people=exposed_people(session, tried))
    if not tried:
        return "gpp_maybe", "warning", session.say("Audited: no attack applies to this release, so none was tried.")
    if not found["nobody_exposed"]:
        return "gpp_maybe", "warning", session.say("Audited: no one was found, but some attacks could not be tried.")
    return (
        "verified_user",
        "positive",
        session.say("Audited: none of {tried} attacks exposed a person.", tried=len(tried)),
    )


FOUND = {
    "record": tr("Re-identified: {n}"),
    "value": tr("a value inferred: {n}"),
    "presence": tr("presence revealed: {n}"),
}
"""What attacks do to people, by what they find."""


def exposed_people(session: PageSession, attacks: list[dict[str, Any]]) -> str:
    """How many people the attack that finds most re-identifies, infers a value of, and reveals as present."""
    most = {kind: max((one["exposed"] for one in attacks if one["finds"] == kind), default=0) for kind in FOUND}
    return "; ".join(session.say(FOUND[kind], n=session.say.number(people)) for kind, people in most.items())


def severity(attacks: list[dict[str, Any]]) -> str:
    """The colour of attacks: one for people who are found, another for values that are only inferred."""
    from cobogo.examine.attacks.base import severity as severity_of

    found = severity_of(one["finds"] for one in attacks if one["succeeded"])
    return {"nobody": "positive", "inferred": "warning", "exposed": "negative"}[found]


def promise(session: PageSession, models: list[dict[str, Any]]) -> list[str]:
    """What is promised, as people write it: ``k-anonymity, k = 5``."""
    lines = []
    for model in models:
        told = [
            f"{key} = {session.say.show(value)}"
            for key, value in model.items()
            if key not in ("model", "attribute", "satisfied", "measured", "kind", "distance") and value is not None
        ]
        about = [str(model["attribute"])] if model.get("attribute") else []
        lines.append(", ".join([model_name(str(model.get("model")), session.say), *told, *about]))
    return lines


def tiles(session: PageSession, found: dict[str, Any]) -> None:
    """The figures that tell how it went."""
    records, left = found.get("records"), found.get("suppressed")
    with ui.row().classes("w-full gap-3 items-stretch"):
        if records is not None:
            kept = records - (left or 0)
            metric(
                session.say("Records released"), session.say.number(kept), help=_share(session, kept, records)
            ).classes("col")
        if left is not None:
            metric(session.say("Suppressed"), session.say.number(left), help=_share(session, left, records)).classes(
                "col"
            )
        loss = found.get("metrics", {}).get("loss")
        if loss is not None:
            metric(
                session.say("Detail lost"),
                session.say.percent(loss),
                help=session.say("0% is the original, 100% is no detail at all"),
            ).classes("col")
        _risk(session, found.get("risk") or {})
        if found.get("seconds"):
            took = session.say.seconds(sum(found["seconds"].values()))
            metric(session.say("Took"), took, help=_optimal(session, found)).classes("col")
    lines = inference_lines(session, found)
    if lines:
        with ui.row().classes("items-center gap-2 no-wrap bg-amber-2 text-black q-pa-sm rounded-borders w-full"):
            ui.icon("warning").props("size=sm")
            ui.label("\n".join([*lines, session.say("The models that were asked for allow this.")])).classes(
                "cobogo-lines"
            )
    for line in cost_lines(session, found):
        ui.label(line).classes("text-body2")


def inference_lines(session: PageSession, found: dict[str, Any]) -> list[str]:
    """The sensitive values that can be guessed although every model holds."""
    return [
        session.say(
            "A value of {name} can be guessed with {share} in one class, where anybody guesses it with {baseline}.",
            name=name,
            share=session.say.percent(one["after"]),
            baseline=session.say.percent(one["baseline"]),
        )
        for name, one in (found.get("inference") or {}).items()
        if inferred(after=one["after"], baseline=one["baseline"])
    ]


def cost_lines(session: PageSession, found: dict[str, Any]) -> list[str]:
    """What a release lost that its reader would miss, and what would keep more, from its report."""
    say, lines = session.say, []
    gone, hit = found.get("withheld_columns"), found.get("suppressed_groups")
    if gone:
        lines.append(say("Withheld: the same value in every record: {names}.", names=", ".join(gone)))
    if hit:
        names = ", ".join(hit)
        lines.append(
            say("Suppression hit some values of {names} more than chance explains: see the report.", names=names)
        )
    for way in found.get("alternatives", ()):
        if way["detail"] is None:
            lines.append(say("{change} in the policy usually keeps more detail.", change=way["change"]))
        elif "column" in way:
            own, kept = say.percent(way["column_detail"]), say.percent(way["detail"])
            lines.append(
                say(
                    "{change} in the policy would keep about {own} of {column}, and {kept} of all detail.",
                    change=way["change"],
                    own=own,
                    column=way["column"],
                    kept=kept,
                )
            )
        else:
            kept = say.percent(way["detail"])
            lines.append(
                say("{change} in the policy would keep {kept} of the detail.", change=way["change"], kept=kept)
            )
    return lines


def _share(session: PageSession, part: int, whole: int | None) -> str:
    return "" if not whole else session.say.percent(part / whole)


def _risk(session: PageSession, risk: dict[str, Any]) -> None:
    before, after = risk.get("before") or {}, risk.get("after") or {}
    if "highest" in after:
        was = session.say("original: {share}", share=session.say.percent(before.get("highest")))
        metric(session.say("Highest risk"), session.say.percent(after["highest"]), help=was).classes("col")


def _optimal(session: PageSession, found: dict[str, Any]) -> str:
    optimal = found.get("search", {}).get("optimal")
    if optimal is None:
        return ""
    proven = tr("best full-domain recoding, proven") if "levels" in found else tr("proven optimal")
    return session.say(proven if optimal else tr("best found"))


def meanings(desk: Desk, session: PageSession, release: str, steps: Mapping[str, int]) -> dict[str, str]:
    """What the values of each column mean at its level, to be said in any language.

    The manifest has English sentences. The policy says again which of them it is, where the reader may see it.
    """
    from cobogo.release.dictionary import recall_meaning

    written = {column["name"]: column["meaning"] for column in manifest(desk, session, release).get("columns", [])}
    if KeyScope.EVIDENCE not in session.caller.scopes:
        return written
    columns = desk.service.releases.open(session.caller, release).policy.attributes
    for name, level in steps.items():
        if name in columns and name in written:
            written[name] = recall_meaning(written[name], columns[name], level)
    return written


def levels(desk: Desk, session: PageSession, release: str, found: dict[str, Any]) -> None:
    """The level of each column, and what was promised and measured."""
    steps = found.get("levels") or {}
    told = meanings(desk, session, release, steps)
    with ui.row().classes("w-full gap-6 items-start"):
        if steps:
            with ui.column().classes("gap-1").style("flex: 1 1 18rem"):
                ui.label(session.say("Level of each column")).classes("text-subtitle2")
                for name, level in steps.items():
                    with ui.row().classes("items-center gap-2 no-wrap"):
                        ui.badge(session.say.number(level)).props("color=secondary")
                        ui.label(name).classes("text-weight-medium")
                        ui.label(session.say(told.get(name, ""))).classes("text-quiet text-body2")
        models = found.get("models") or []
        if models:
            with ui.column().classes("gap-1").style("flex: 1 1 18rem"):
                ui.label(session.say("What was promised and measured")).classes("text-subtitle2")
                for model, line in zip(models, promise(session, models), strict=True):
                    _model(session, model, line)


def _model(session: PageSession, model: dict[str, Any], line: str) -> None:
    holds = bool(model.get("satisfied", True))
    with ui.row().classes("items-center gap-2 no-wrap"):
        label = session.say(
            tr("The release keeps its promises.") if holds else tr("The release does not keep its promises.")
        )
        colour, icon = ("positive", "check_circle") if holds else ("negative", "cancel")
        ui.icon(icon).props(f'color={colour} size=xs role=img aria-label="{label}"')
        ui.label(line)
        measured = model.get("measured")
        if isinstance(measured, int | float):
            ui.label(session.say("measured: {value}", value=measured)).classes("text-quiet text-body2")
