"""What may be lost for it: records left out, weights of columns, how a solution is looked for, what comes out."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from cobogo.examine.metrics import METRICS
from cobogo.faces.workbench.frame import section
from cobogo.faces.workbench.pages.privacy.sheet import PolicySheet
from cobogo.publish.recode.algorithms import ALGORITHMS, recodings


def losses(sheet: PolicySheet) -> None:
    """The forms below the models."""
    session = sheet.session
    section(session.say("privacy.loss"))
    with ui.card().classes("w-full gap-2 q-pa-md"):
        _limit(sheet)
        _metric(sheet)
        sheet.place("recoding")
    with ui.card().classes("w-full q-pa-none"), ui.column().classes("w-full gap-0"):
        with _expansion(sheet, "weights", "balance"):
            _weights(sheet)
        with _expansion(sheet, "search", "travel_explore"):
            _search(sheet)
        with _expansion(sheet, "output", "output"):
            _output(sheet)
        with _expansion(sheet, "registry", "history"):
            _registry(sheet)


def _expansion(sheet: PolicySheet, name: str, icon: str) -> ui.column:
    def remember_fold(event: Any) -> None:
        (sheet.unfolded.add if event.value else sheet.unfolded.discard)(name)

    title, unfolded = sheet.session.say(f"privacy.{name}"), name in sheet.unfolded
    with ui.expansion(title, icon=icon, value=unfolded, on_value_change=remember_fold).classes("w-full"):
        return ui.column().classes("w-full gap-2 q-px-md q-pb-md")


def _limit(sheet: PolicySheet) -> None:
    session = sheet.session
    now = float(session.draft.recoding.get("suppression-limit", 0) or 0)
    said = ui.label(session.say("privacy.limit", share=session.percent(now)))

    def set_limit(event: Any) -> None:
        share = round(float(event.value), 4)
        said.text = session.say("privacy.limit", share=session.percent(share))
        sheet.put("recoding", "suppression-limit", share)

    ui.slider(min=0, max=max(0.5, now), step=0.01, value=now, on_change=set_limit).props(
        f'aria-label="{said.text}"'
    ).classes("q-px-sm")


def _metric(sheet: PolicySheet) -> None:
    session = sheet.session
    texts = session.figures
    options = {
        name: f"{texts.name('metric', name)} – {texts.texts.get(f'metric.{name}.means', '')}" for name in METRICS
    }
    ui.select(
        options,
        value=_known(session.draft.recoding.get("metric", "loss"), options),
        label=session.say("privacy.metric"),
        on_change=lambda event: sheet.put("recoding", "metric", event.value),
    ).classes("w-full").props("dense")


def _weights(sheet: PolicySheet) -> None:
    session = sheet.session
    ui.label(session.say("privacy.weights-why")).classes("text-body2 text-quiet")
    for name in sheet.columns_with_role("quasi-identifier"):
        now = float(session.draft.attributes[name].get("weight", 1.0))
        with ui.row().classes("w-full items-center no-wrap gap-4"):
            ui.label(name).classes("ellipsis").style("width: 12rem")
            shown = ui.label(session.number(now)).style("width: 2.5rem")

            def set_weight(event: Any, name: str = name, shown: ui.label = shown) -> None:
                weight = float(event.value)
                shown.text = session.number(weight)
                session.draft.set_attribute(name, weight=None if weight == 1 else weight)
                sheet.refresh()

            slider = ui.slider(min=0.5, max=max(5.0, now), step=0.5, value=now, on_change=set_weight)
            slider.props(f'aria-label="{name}"').classes("col")


def _search(sheet: PolicySheet) -> None:
    session, recoding = sheet.session, sheet.session.draft.recoding
    name = str(recoding.get("algorithm", "optimal"))
    ui.select(
        list(ALGORITHMS),
        value=_known(name, ALGORITHMS),
        label=session.say("privacy.algorithm"),
        on_change=lambda event: sheet.put("recoding", "algorithm", event.value, again=True),
    ).classes("w-full").props("dense")
    if name in ALGORITHMS:
        words = f"algorithm.{name}"
        ui.label(session.say(words) if session.knows(words) else ALGORITHMS.card(name).summary).classes(
            "text-body2 text-quiet"
        )
    with ui.row().classes("w-full gap-4 items-end"):
        able = recodings(name)
        if len(able) > 1:
            options = {"": session.say("privacy.kind-own"), **{one: one for one in able}}
            _select(sheet, "recoding", "kind", options, str(recoding.get("kind", "")), "privacy.kind")
        labels = sheet.columns_with_role("sensitive", "non-sensitive")
        if name == "top-down" or recoding.get("metric") == "classification" or "label" in recoding:
            options = {"": session.say("parameter.none"), **{one: one for one in labels}}
            _select(sheet, "recoding", "label", options, str(recoding.get("label", "")), "privacy.label")
        options = {one: session.say(f"privacy.suppress-{one}") for one in ("records", "sensitive")}
        _select(sheet, "recoding", "suppress", options, str(recoding.get("suppress", "records")), "privacy.suppress")
        ui.number(
            session.say("privacy.time"),
            value=recoding.get("time-limit"),
            min=1,
            step=10,
            on_change=lambda event: sheet.put("recoding", "time-limit", event.value and float(event.value)),
        ).props("dense clearable").style("width: 11rem")


def _output(sheet: PolicySheet) -> None:
    session, content = sheet.session, sheet.session.draft.content()
    output, report = content.get("output", {}), content.get("report", {})
    with ui.row().classes("w-full gap-4 items-end"):
        formats = {"csv": "CSV", "parquet": "Parquet"}
        _select(sheet, "output", "format", formats, str(output.get("format", "csv")), "privacy.format")
        options = {one: session.say(f"privacy.suppressed-{one}") for one in ("drop", "star")}
        _select(sheet, "output", "suppressed", options, str(output.get("suppressed", "drop")), "privacy.suppressed")
        languages = {"en": "English", "pt-BR": "Português"}
        _select(sheet, "report", "language", languages, str(report.get("language", "en")), "privacy.language")
    ui.switch(
        session.say("privacy.formulas"),
        value=output.get("formulas") == "neutralised",
        on_change=lambda event: sheet.put("output", "formulas", "neutralised" if event.value else None),
    )
    sheet.place("output")


def _registry(sheet: PolicySheet) -> None:
    session = sheet.session
    ui.label(session.say("privacy.registry-why")).classes("text-body2 text-quiet")
    if not sheet.desk.service.registry.exists:
        ui.label(session.say("privacy.registry-none"))
        return
    series = session.draft.content().get("registry", {}).get("dataset")
    start = sheet.row["name"].rpartition(".")[0] or sheet.row["name"]
    ui.switch(
        session.say("privacy.registry"),
        value=series is not None,
        on_change=lambda event: sheet.put("registry", "dataset", start if event.value else None, again=True),
    )
    if series is not None:
        ui.input(
            session.say("privacy.registry-name"),
            value=series,
            on_change=lambda event: sheet.put("registry", "dataset", event.value or start),
        ).props("dense debounce=300").classes("w-full")
    sheet.place("registry")


def _select(sheet: PolicySheet, table: str, key: str, options: dict[str, str], value: str, label: str) -> None:
    ui.select(
        options,
        value=_known(value, options),
        label=sheet.session.say(label),
        on_change=lambda event: sheet.put(table, key, event.value or None),
    ).props("dense").style("min-width: 13rem")


def _known(value: Any, options: Any) -> Any:
    return value if value in options else None
