"""Utility: the original against the release, in queries, predictions and loss, and column by column."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

from cobogo.faces.server.services.releases import OpenedRelease
from cobogo.faces.workbench.charts import ORIGINAL, RELEASE, chart, curves, hundredths, percent, table
from cobogo.faces.workbench.frame import metric, open_page
from cobogo.faces.workbench.opened_release import open_chosen
from cobogo.faces.workbench.pages.utility.columns import show_contingencies, show_distributions, show_numbers
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.widgets import slowly, tabs, trouble
from cobogo.floor.language import tr
from cobogo.tell.report.labels import KIND, metric_meaning, metric_name

if TYPE_CHECKING:
    from cobogo.examine.utility.pairs.pair import TablePair

UTILITY_UNFIT = {
    "original": tr("This needs the original, which you may not read."),
    "buckets": tr(
        "The records are in buckets, separate from their sensitive values: questions about single rows do not "
        "apply. The tabs for columns show what can be compared."
    ),
    "marginals": tr(
        "The release consists of tables of counts and has no rows. The tabs for columns show what can be compared."
    ),
    "columns": tr("No column exists in both the original and the release, so there is nothing to compare."),
    "labels": tr("No unchanged column has 2 to 100 values, so there is nothing to predict."),
}

UTILITY_TAB = {
    "columns": tr("Columns"),
    "pairs": tr("Two columns"),
    "numbers": tr("Numbers"),
    "queries": tr("Counting"),
    "prediction": tr("Prediction"),
    "loss": tr("Loss"),
}


async def build(desk: Desk) -> None:
    with open_page(desk, "utility") as session:
        if session is None or (release := await open_chosen(desk, session)) is None:
            return
        if not release.mine:
            trouble(
                session.say(
                    "You may not read the original, or it no longer exists. You see the release and the "
                    "figures of its evidence."
                )
            )
        drawn = {
            "columns": ("bar_chart", show_distributions),
            "pairs": ("grid_on", show_contingencies),
            "numbers": ("functions", show_numbers),
            "queries": ("manage_search", show_queries),
            "prediction": ("model_training", show_prediction),
            "loss": ("compress", show_losses),
        }
        tabs(session, release, {name: (session.say(UTILITY_TAB[name]), *tab) for name, tab in drawn.items()})


SELECTIVITIES = (0.01, 0.05, 0.2)
WITHIN = 0.1
QUERIES = 1000
LARGE = 500_000
"""Records of a table that is asked a tenth of the questions."""

POINTS = 200


def _fit(pair: TablePair) -> tuple[str | None, tuple[str, ...], tuple[str, ...]]:
    """Why queries cannot be run, or None; the columns to query; the columns to predict."""
    from cobogo.examine.utility.pairs.use import predictable_columns, query_columns, unfit_reason

    why = unfit_reason(pair)
    return why, () if why else query_columns(pair), () if why else predictable_columns(pair)


def _workload(pair: TablePair, selectivity: float) -> Any:
    from cobogo.examine.utility.pairs.use import workload

    assert pair.before is not None
    rows = max((one.present + one.missing for one in pair.before.facts.values()), default=0)
    return workload(pair, selectivity=selectivity, queries=QUERIES if rows <= LARGE else QUERIES // 10)


def _learnt(pair: TablePair, label: str) -> dict[str, Any]:
    from cobogo.examine.utility.pairs.use import learn_label

    return learn_label(pair, label)


def show_queries(session: PageSession, release: OpenedRelease) -> None:
    """Random counting queries, answered from the release."""
    ui.label(
        session.say(
            "Random questions such as “how many people are between 30 and 40, live in this region and have "
            "that occupation?”, answered from the release and compared with the original."
        )
    ).classes("text-body2 text-quiet")
    body = ui.column().classes("w-full")

    def draw(fit: tuple[str | None, tuple[str, ...], tuple[str, ...]]) -> None:
        if fit[0] is not None:
            trouble(session.say(UTILITY_UNFIT[fit[0]]))
            return
        options = {share: session.say.percent(share) for share in SELECTIVITIES}
        with ui.row().classes("items-end w-full"):
            width = ui.select(options, value=0.05, label=session.say("Share of the records per question, about")).style(
                "width: 20rem"
            )
            figures = ui.row()
        result = ui.column().classes("w-full")

        async def again() -> None:
            share = float(width.value)
            await slowly(
                session,
                result,
                lambda: release.measure_pair(_workload, share),
                lambda errors: _errors(session, errors, fit[1], figures),
                what=session.say("Computing the answers …"),
            )

        width.on_value_change(again)
        ui.timer(0.01, again, once=True)

    ui.timer(0.01, lambda: slowly(session, body, lambda: release.measure_pair(_fit), draw), once=True)


def _errors(session: PageSession, errors: Any, about: tuple[str, ...], figures: ui.row) -> None:
    lower, median, upper, most = np.quantile(errors, [0.25, 0.5, 0.75, 0.95]).tolist()
    figures.clear()
    with figures:
        metric(
            session.say("Median error"),
            session.say.percent(median),
            help=session.say("half of the answers have a smaller error"),
        )
        metric(session.say("Middle half of the errors"), f"{session.say.percent(lower)} – {session.say.percent(upper)}")
        metric(session.say("Answers within 10% of the truth"), session.say.percent(float((errors <= WITHIN).mean())))
    ordered = np.sort(errors)
    places = np.unique(np.linspace(0, len(ordered) - 1, POINTS).astype(int))
    end = max(min(float(most) * 1.1, 2.0), 0.01)
    points = [(float(ordered[place]), (place + 1) / len(ordered)) for place in places.tolist()]
    points = [(0.0, float((ordered <= 0).mean())), *[point for point in points if 0 < point[0] <= end]]
    with ui.card().classes("w-full"):
        curves(
            session,
            {session.say("Released data"): points},
            across=session.say("error, at most"),
            up=session.say("share of the answers"),
            label=session.say(
                "Random questions such as “how many people are between 30 and 40, live in this region and "
                "have that occupation?”, answered from the release and compared with the original."
            ),
            shares=True,
        )
    ui.label(
        session.say(
            "{n} questions about: {columns}. A generalized value is spread evenly over all values that it may mean.",
            n=len(errors),
            columns=", ".join(about),
        )
    ).classes("text-caption text-quiet")


def show_prediction(session: PageSession, release: OpenedRelease) -> None:
    """Models that learnt from the release, asked about originals."""
    ui.label(
        session.say(
            "Three models are trained to predict a column from the quasi-identifiers, once on the original "
            "and once on the release. Both are tested on original records that were not used for training."
        )
    ).classes("text-body2 text-quiet")
    if find_spec("sklearn") is None:
        trouble(
            session.say("This needs scikit-learn, which is not installed here: pip install 'cobogo[utility]'."),
            icon="extension_off",
        )
        return
    body = ui.column().classes("w-full")

    def draw(fit: tuple[str | None, tuple[str, ...], tuple[str, ...]]) -> None:
        why, _, labels = fit
        if why is not None or not labels:
            unfit = UTILITY_UNFIT["labels" if why is None else why]
            trouble(session.say(unfit))
            return
        with ui.row().classes("items-end w-full"):
            label = ui.select(list(labels), value=labels[0], label=session.say("Column to predict"))
            label.style("width: 20rem")
            go = ui.button(session.say("Train the models"), icon="model_training").props("no-caps")
            figures = ui.row()
        result = ui.column().classes("w-full")

        async def learn() -> None:
            wanted = str(label.value)
            go.disable()
            try:
                await slowly(
                    session,
                    result,
                    lambda: release.measure_pair(_learnt, wanted),
                    lambda found: _accuracies(session, found, figures),
                    what=session.say("The models are being trained …"),
                )
            finally:
                go.enable()

        go.on_click(learn)

    ui.timer(0.01, lambda: slowly(session, body, lambda: release.measure_pair(_fit), draw), once=True)


def _accuracies(session: PageSession, found: dict[str, Any], figures: ui.row) -> None:
    figures.clear()
    if not found["models"]:
        trouble(session.say("There are too few records to train a model."))
        return
    names = [session.say(KIND.get(name, name)) for name in found["models"]]
    sides = {
        session.say("Original"): [one["original"] for one in found["models"].values()],
        session.say("Released data"): [one["release"] for one in found["models"].values()],
    }
    best = {side: max(values) for side, values in sides.items()}
    with figures:
        metric(
            session.say("Best model, original → release"),
            " → ".join(session.say.percent(value) for value in best.values()),
        )
        metric(
            session.say("Without a model"),
            session.say.percent(found["baseline"]),
            help=session.say("always the most frequent value (the line in the chart)"),
        )
    line = {"yAxis": round(100 * found["baseline"], 3), "name": session.say("Without a model")}
    share = {":formatter": f"p => ({percent(session)})(p.value)", "show": True, "position": "top"}
    options = {
        "color": [ORIGINAL, RELEASE],
        "legend": {"top": 0},
        "tooltip": {":valueFormatter": percent(session)},
        "grid": {"left": 8, "right": 16, "top": 40, "bottom": 8, "containLabel": True},
        "xAxis": {"type": "category", "data": names},
        "yAxis": {"type": "value", "min": 0, "max": 100, "axisLabel": {":formatter": percent(session)}},
        "series": [
            {
                "name": name,
                "type": "bar",
                "barMaxWidth": 70,
                "data": hundredths(values),
                "label": share,
                "markLine": {
                    "symbol": "none",
                    "data": [line],
                    "label": {"show": False},
                    "lineStyle": {"color": "#888"},
                },
            }
            for name, values in sides.items()
        ],
    }
    with ui.card().classes("w-full"):
        chart(
            options,
            height="300px",
            label=session.say(
                "Three models are trained to predict a column from the quasi-identifiers, once on the "
                "original and once on the release. Both are tested on original records that were not used for "
                "training."
            ),
        )
    text = session.say(
        "Share of {records} held-out original records whose “{label}” is predicted correctly.",
        records=found["held_out"],
        label=found["label"],
    )
    ui.label(text).classes("text-caption text-quiet")


def show_losses(session: PageSession, release: OpenedRelease) -> None:
    """The metrics of the release's own report."""
    from cobogo.tell.report.html import utility_rows

    say, report = session.say, release.report
    ui.label(session.say("The information loss by each metric, from the report of the release.")).classes(
        "text-body2 text-quiet"
    )
    known = {name: value for name, value in report.get("metrics", {}).items() if value is not None}
    if known:
        columns = [
            ("name", session.say("Metric"), "left"),
            ("value", session.say("Value"), "right"),
            ("better", session.say("Better is"), "left"),
            ("why", session.say("What it means"), "left"),
        ]
        table(columns, [_loss(session, name, value) for name, value in known.items()])
        absent = [metric_name(name, say) for name, value in report["metrics"].items() if value is None]
        if absent:
            text = session.say("These metrics do not apply to this release: {names}.", names=", ".join(absent))
            ui.label(text).classes("text-caption text-quiet")
    else:
        trouble(
            session.say(
                "These metrics are about classes and levels, which this kind of release does not have. The other "
                "tabs apply."
            )
        )
        if report.get("headline") and release.policy.report.language == session.language:
            ui.label(report["headline"]).classes("text-subtitle1")
    if report.get("utility"):
        columns = [
            ("name", session.say("Metric"), "left"),
            ("before", session.say("Original"), "right"),
            ("after", session.say("Released data"), "right"),
            ("why", session.say("What it means"), "left"),
        ]
        ui.label(session.say("Measured when the release was made")).classes("text-subtitle1")
        table(columns, utility_rows(report["utility"], say))


def _loss(session: PageSession, name: str, value: float) -> dict[str, str]:
    from cobogo.examine.metrics import METRICS

    say = session.say
    known = METRICS.get(name)
    better = "" if known is None else session.say(tr("higher") if known.maximize else tr("lower"))
    return {
        "name": metric_name(name, say),
        "value": session.say.number(value),
        "better": better,
        "why": metric_meaning(name, say),
    }
