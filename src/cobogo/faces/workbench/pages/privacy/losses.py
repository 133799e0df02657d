"""What may be lost for it: records left out, weights of columns, how a solution is looked for, what comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from cobogo.examine.metrics import METRICS
from cobogo.faces.workbench.frame import section
from cobogo.faces.workbench.header import LANGUAGE_NAMES
from cobogo.faces.workbench.labels import RECODING, algorithm_name
from cobogo.faces.workbench.pages.privacy.sheet import PolicySheet
from cobogo.floor.language import tr
from cobogo.publish.recode.algorithms import ALGORITHMS, recodings
from cobogo.tell.report.labels import metric_meaning, metric_name

ALGORITHM = {
    "optimal": tr("Examines all ways to generalize whole columns, finds the best one, and proves it."),
    "datafly": tr("Generalizes the column with the most values, again and again. Fast, but often loses too much."),
    "samarati": tr("Finds the smallest sum of levels that satisfies the models, by bisection."),
    "incognito": tr("Tries larger and larger sets of columns, and drops what fails on a smaller set."),
    "ola": tr("Starts in the middle of the lattice and searches outwards."),
    "genetic": tr("Combines and mutates solutions: for very many columns."),
    "top-down": tr("Starts with everything generalized, and refines what helps to predict a label."),
    "bottom-up": tr("Starts with the original values, and generalizes where necessary."),
    "mu-argus": tr("Generalizes columns, then suppresses single cells that are too rare."),
    "local": tr(
        "Gives each record its own levels: little detail is lost, but the values of a column have different levels."
    ),
    "mondrian": tr("Divides the records into smaller and smaller boxes, like a map into rectangles."),
    "mondrian-relaxed": tr("Like mondrian, but equal records may fall into different boxes."),
    "k-member": tr("Builds groups of similar records one by one. Slow on large tables."),
    "k-similar": tr("Links similar records into a tree and cuts it into groups."),
    "oka": tr("Assigns each record to the nearest group in one pass. Fast."),
    "hilbert": tr("Orders records along a curve that keeps neighbours together, and cuts it into groups."),
    "r-tree": tr("Packs records into rectangles, as map databases do."),
    "mdav": tr(
        "Replaces values by the averages of small groups of similar records: statistics stay close, "
        "single values are no longer true."
    ),
    "counterfeits": tr("Follows people from release to release for m-invariance, and adds records that nobody has."),
    "condensation": tr("Draws new records from the statistics of small groups."),
    "anatomy": tr("Releases the quasi-identifiers unchanged, and the sensitive values separately, by bucket."),
    "bucketization": tr("Like anatomy, with buckets as small and equal as the models allow."),
    "slicing": tr("Keeps related columns together in slices, and shuffles the slices within buckets."),
    "marginals": tr("Releases several small tables of counts instead of records."),
}

PRIVACY = {
    "weights": tr("Weights of the columns"),
    "search": tr("Search"),
    "output": tr("Output"),
    "registry": tr("Check against earlier releases"),
    "responsibility": tr("Who is responsible"),
}

RESPONSIBLE = {
    "controller": tr("Controller"),
    "officer": tr("Data protection officer"),
    "purpose": tr("Purpose"),
    "legal-basis": tr("Legal basis"),
    "recipients": tr("Recipients, separated by ;"),
    "retention": tr("Kept until"),
    "signatories": tr("Who signs, separated by ;"),
}
SEVERAL = ("recipients", "signatories")

PRIVACY_SUPPRESS = {
    "records": tr("whole records"),
    "sensitive": tr("sensitive values only"),
}

PRIVACY_SUPPRESSED = {
    "drop": tr("are removed"),
    "star": tr("stay, with * in the quasi-identifiers"),
    "star-all": tr("stay as rows of *, and identifiers as columns of *"),
}


def losses(sheet: PolicySheet) -> None:
    """The forms below the models."""
    session = sheet.session
    section(session.say("Information loss"))
    with ui.card().classes("w-full gap-2 q-pa-md"):
        _limit(sheet)
        _metric(sheet)
        sheet.place("recoding")
    with ui.card().classes("w-full q-pa-none"), ui.column().classes("w-full gap-0"):
        _expansion(sheet, "weights", "balance", _weights)
        _expansion(sheet, "search", "travel_explore", _search)
        _expansion(sheet, "output", "output", _output)
        _expansion(sheet, "registry", "history", _registry)
        _expansion(sheet, "responsibility", "draw", _responsibility)


def _expansion(sheet: PolicySheet, name: str, icon: str, draw: Callable[[PolicySheet], None]) -> None:
    """A part that is folded until it is wanted; what is in it is drawn then."""

    def fill() -> None:
        with place:
            draw(sheet)

    def remember_fold(event: Any) -> None:
        (sheet.unfolded.add if event.value else sheet.unfolded.discard)(name)
        if event.value and not place.default_slot.children:
            fill()
            sheet.check()

    title, unfolded = sheet.session.say(PRIVACY[name]), name in sheet.unfolded
    with ui.expansion(title, icon=icon, value=unfolded, on_value_change=remember_fold).classes("w-full"):
        place = ui.column().classes("w-full gap-2 q-px-md q-pb-md")
    if unfolded:
        fill()


def _limit(sheet: PolicySheet) -> None:
    session = sheet.session
    now = float(session.draft.recoding.get("suppression-limit", 0) or 0)
    said = ui.label(session.say("Suppression limit: {share} of the records", share=session.say.percent(now)))

    def set_limit(event: Any) -> None:
        share = round(float(event.value), 4)
        said.text = session.say("Suppression limit: {share} of the records", share=session.say.percent(share))
        sheet.put("recoding", "suppression-limit", share)

    ui.slider(min=0, max=max(0.5, now), step=0.01, value=now, on_change=set_limit).props(
        f'aria-label="{said.text}"'
    ).classes("q-px-sm")


def _metric(sheet: PolicySheet) -> None:
    session = sheet.session
    say = session.say
    options = {name: metric_name(name, say) for name in METRICS}
    now = _known(session.draft.recoding.get("metric", "loss"), options)

    def choose(event: Any) -> None:
        meaning.text = metric_meaning(event.value, say)
        sheet.put("recoding", "metric", event.value)

    ui.select(options, value=now, label=say("Metric to optimize"), on_change=choose).classes("w-full").props("dense")
    meaning = ui.label("" if now is None else metric_meaning(now, say)).classes("text-body2 text-quiet")


def _weights(sheet: PolicySheet) -> None:
    session = sheet.session
    ui.label(session.say("A column with a larger weight keeps more detail.")).classes("text-body2 text-quiet")
    told = session.draft.attributes
    for name in sheet.columns_with_role("quasi-identifier"):
        now = float(told[name].get("weight", 1.0))
        with ui.row().classes("w-full items-center no-wrap gap-4"):
            ui.label(name).classes("ellipsis").style("width: 12rem")
            shown = ui.label(session.say.number(now)).style("width: 2.5rem")

            def set_weight(event: Any, name: str = name, shown: ui.label = shown) -> None:
                weight = float(event.value)
                shown.text = session.say.number(weight)
                session.draft.set_attribute(name, weight=None if weight == 1 else weight)
                sheet.refresh()

            slider = ui.slider(min=0.5, max=max(5.0, now), step=0.5, value=now, on_change=set_weight)
            slider.props(f'aria-label="{name}"').classes("col")


def _search(sheet: PolicySheet) -> None:
    session, recoding = sheet.session, sheet.session.draft.recoding
    name = str(recoding.get("algorithm", "optimal"))
    ui.select(
        {one: algorithm_name(one, session.say) for one in ALGORITHMS},
        value=_known(name, ALGORITHMS),
        label=session.say("Algorithm"),
        on_change=lambda event: sheet.put("recoding", "algorithm", event.value, again=True),
    ).classes("w-full").props("dense")
    if name in ALGORITHMS:
        words = ALGORITHM.get(name) or ALGORITHMS.card(name).summary
        ui.label(session.say(words)).classes("text-body2 text-quiet")
    with ui.row().classes("w-full gap-4 items-end"):
        able = recodings(name)
        if len(able) > 1:
            options = {
                "": session.say("the default of the algorithm"),
                **{one: f"{session.say(RECODING[one])} ({one})" for one in able},
            }
            _select(sheet, "recoding", "kind", options, str(recoding.get("kind", "")), tr("Kind of recoding"))
        labels = sheet.columns_with_role("sensitive", "non-sensitive")
        if name == "top-down" or recoding.get("metric") == "classification" or "label" in recoding:
            options = {"": session.say("not given"), **{one: one for one in labels}}
            _select(sheet, "recoding", "label", options, str(recoding.get("label", "")), tr("Column to predict"))
        options = {one: session.say(PRIVACY_SUPPRESS[one]) for one in ("records", "sensitive")}
        _select(
            sheet, "recoding", "suppress", options, str(recoding.get("suppress", "records")), tr("What is suppressed")
        )
        ui.number(
            session.say("Seconds, at most"),
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
        _select(sheet, "output", "format", formats, str(output.get("format", "csv")), tr("Format"))
        options = {one: session.say(PRIVACY_SUPPRESSED[one]) for one in PRIVACY_SUPPRESSED}
        _select(sheet, "output", "suppressed", options, str(output.get("suppressed", "drop")), tr("Suppressed records"))
        _select(
            sheet, "report", "language", LANGUAGE_NAMES, str(report.get("language", "en")), tr("Language of the report")
        )
    ui.switch(
        session.say("Neutralise cells that spreadsheets would take for formulas"),
        value=output.get("formulas") == "neutralised",
        on_change=lambda event: sheet.put("output", "formulas", "neutralised" if event.value else None),
    )
    sheet.place("output")


def _registry(sheet: PolicySheet) -> None:
    session = sheet.session
    ui.label(
        session.say(
            "The registry records earlier releases of the same people, and refuses a release that would "
            "expose a person together with them."
        )
    ).classes("text-body2 text-quiet")
    if not sheet.desk.service.registry.exists:
        ui.label(session.say("This server has no registry."))
        return
    series = session.draft.content().get("registry", {}).get("dataset")
    start = sheet.row["name"].rpartition(".")[0] or sheet.row["name"]
    ui.switch(
        session.say("Check against earlier releases"),
        value=series is not None,
        on_change=lambda event: sheet.put("registry", "dataset", start if event.value else None, again=True),
    )
    if series is not None:
        ui.input(
            session.say("Name of the series"),
            value=series,
            on_change=lambda event: sheet.put("registry", "dataset", event.value or start),
        ).props("dense debounce=300").classes("w-full")
    sheet.place("registry")


def _responsibility(sheet: PolicySheet) -> None:
    """What the page to sign says of who answers for a release, and why it is made."""
    session, told = sheet.session, sheet.session.draft.content().get("responsibility", {})
    ui.label(
        session.say(
            "For the page that is signed, and for the impact report. It stays in the evidence: nobody who receives the "
            "release sees it."
        )
    ).classes("text-body2 text-quiet")
    for key, label in RESPONSIBLE.items():

        def put(event: Any, key: str = key) -> None:
            text = str(event.value or "").strip()
            parts = [part.strip() for part in text.split(";") if part.strip()]
            sheet.put("responsibility", key, (parts if key in SEVERAL else text) or None)

        value = told.get(key, "")
        shown = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
        ui.input(session.say(label), value=shown, on_change=put).props("dense debounce=500").classes("w-full")
    sheet.place("responsibility")


def _select(sheet: PolicySheet, table: str, key: str, options: dict[str, str], value: str, label: str) -> None:
    ui.select(
        options,
        value=_known(value, options),
        label=sheet.session.say(label),
        on_change=lambda event: sheet.put(table, key, event.value or None),
    ).props("dense").style("min-width: 13rem")


def _known(value: Any, options: Any) -> Any:
    return value if value in options else None
