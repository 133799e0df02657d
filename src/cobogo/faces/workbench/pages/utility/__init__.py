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

if TYPE_CHECKING:
    from cobogo.examine.utility.pairs.pair import TablePair


async def build(desk: Desk) -> None:
    with open_page(desk, "utility") as session:
        if session is None or (release := await open_chosen(desk, session)) is None:
            return
        if not release.mine:
            trouble(session.say("utility.no-original"))
        drawn = {
            "columns": ("bar_chart", show_distributions),
            "pairs": ("grid_on", show_contingencies),
            "numbers": ("functions", show_numbers),
            "queries": ("manage_search", show_queries),
            "prediction": ("model_training", show_prediction),
            "loss": ("compress", show_losses),
        }
        tabs(session, release, {name: (session.say(f"utility-tab.{name}"), *tab) for name, tab in drawn.items()})


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
    ui.label(session.say("utility.queries.what")).classes("text-body2 text-quiet")
    body = ui.column().classes("w-full")

    def draw(fit: tuple[str | None, tuple[str, ...], tuple[str, ...]]) -> None:
        if fit[0] is not None:
            trouble(session.say(f"utility-unfit.{fit[0]}"))
            return
        options = {share: session.percent(share) for share in SELECTIVITIES}
        with ui.row().classes("items-end w-full"):
            width = ui.select(options, value=0.05, label=session.say("utility.queries.width")).style("width: 20rem")
            figures = ui.row()
        result = ui.column().classes("w-full")

        async def again() -> None:
            share = float(width.value)
            await slowly(
                session,
                result,
                lambda: release.measure_pair(_workload, share),
                lambda errors: _errors(session, errors, fit[1], figures),
                what=session.say("utility.queries.asking"),
            )

        width.on_value_change(again)
        ui.timer(0.01, again, once=True)

    ui.timer(0.01, lambda: slowly(session, body, lambda: release.measure_pair(_fit), draw), once=True)


def _errors(session: PageSession, errors: Any, about: tuple[str, ...], figures: ui.row) -> None:
    lower, median, upper, most = np.quantile(errors, [0.25, 0.5, 0.75, 0.95]).tolist()
    figures.clear()
    with figures:
        metric(session.say("utility.queries.median"), session.percent(median), help=session.say("utility.queries.half"))
        metric(session.say("utility.queries.quartiles"), f"{session.percent(lower)} – {session.percent(upper)}")
        metric(session.say("utility.queries.near"), session.percent(float((errors <= WITHIN).mean())))
    ordered = np.sort(errors)
    places = np.unique(np.linspace(0, len(ordered) - 1, POINTS).astype(int))
    end = max(min(float(most) * 1.1, 2.0), 0.01)
    points = [(float(ordered[place]), (place + 1) / len(ordered)) for place in places.tolist()]
    points = [(0.0, float((ordered <= 0).mean())), *[point for point in points if 0 < point[0] <= end]]
    with ui.card().classes("w-full"):
        curves(
            session,
            {session.say("looked.after"): points},
            across=session.say("utility.queries.error"),
            up=session.say("utility.queries.share"),
            label=session.say("utility.queries.what"),
            shares=True,
        )
    ui.label(session.say("utility.queries.about", n=len(errors), columns=", ".join(about))).classes(
        "text-caption text-quiet"
    )


def show_prediction(session: PageSession, release: OpenedRelease) -> None:
    """Models that learnt from the release, asked about originals."""
    ui.label(session.say("utility.prediction.what")).classes("text-body2 text-quiet")
    if find_spec("sklearn") is None:
        trouble(session.say("utility.prediction.missing"), icon="extension_off")
        return
    body = ui.column().classes("w-full")

    def draw(fit: tuple[str | None, tuple[str, ...], tuple[str, ...]]) -> None:
        why, _, labels = fit
        if why is not None or not labels:
            trouble(session.say(f"utility-unfit.{why or 'labels'}"))
            return
        with ui.row().classes("items-end w-full"):
            label = ui.select(list(labels), value=labels[0], label=session.say("utility.prediction.label"))
            label.style("width: 20rem")
            go = ui.button(session.say("utility.prediction.go"), icon="model_training").props("no-caps")
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
                    what=session.say("utility.prediction.learning"),
                )
            finally:
                go.enable()

        go.on_click(learn)

    ui.timer(0.01, lambda: slowly(session, body, lambda: release.measure_pair(_fit), draw), once=True)


def _accuracies(session: PageSession, found: dict[str, Any], figures: ui.row) -> None:
    figures.clear()
    if not found["models"]:
        trouble(session.say("utility.prediction.few"))
        return
    names = [session.figures.name("kind", name) for name in found["models"]]
    sides = {
        session.say("looked.original"): [one["original"] for one in found["models"].values()],
        session.say("looked.after"): [one["release"] for one in found["models"].values()],
    }
    best = {side: max(values) for side, values in sides.items()}
    with figures:
        metric(session.say("utility.prediction.best"), " → ".join(session.percent(value) for value in best.values()))
        metric(
            session.say("utility.prediction.baseline"),
            session.percent(found["baseline"]),
            help=session.say("utility.prediction.baseline-why"),
        )
    line = {"yAxis": round(100 * found["baseline"], 3), "name": session.say("utility.prediction.baseline")}
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
        chart(options, height="300px", label=session.say("utility.prediction.what"))
    text = session.say("utility.prediction.asked", records=found["held_out"], label=found["label"])
    ui.label(text).classes("text-caption text-quiet")


def show_losses(session: PageSession, release: OpenedRelease) -> None:
    """The metrics of the release's own report."""
    from cobogo.tell.report.html import utility_rows

    say, report = session.figures, release.report
    ui.label(session.say("utility.loss.what")).classes("text-body2 text-quiet")
    known = {name: value for name, value in report.get("metrics", {}).items() if value is not None}
    if known:
        columns = [
            ("name", session.say("utility.loss.metric"), "left"),
            ("value", session.say("utility.loss.value"), "right"),
            ("better", session.say("utility.loss.better"), "left"),
            ("why", session.say("utility.loss.meaning"), "left"),
        ]
        table(columns, [_loss(session, name, value) for name, value in known.items()])
        absent = [say.name("metric", name) for name, value in report["metrics"].items() if value is None]
        if absent:
            text = session.say("utility.loss.absent", names=", ".join(absent))
            ui.label(text).classes("text-caption text-quiet")
    else:
        trouble(session.say("utility.loss.none"))
        if report.get("headline") and release.policy.report.language == session.language:
            ui.label(report["headline"]).classes("text-subtitle1")
    if report.get("utility"):
        columns = [
            ("name", session.say("utility.loss.metric"), "left"),
            ("before", session.say("looked.original"), "right"),
            ("after", session.say("looked.after"), "right"),
            ("why", session.say("utility.loss.meaning"), "left"),
        ]
        ui.label(session.say("utility.loss.reported")).classes("text-subtitle1")
        table(columns, utility_rows(report["utility"], say))


def _loss(session: PageSession, name: str, value: float) -> dict[str, str]:
    from cobogo.examine.metrics import METRICS

    say = session.figures
    known = METRICS.get(name)
    better = "" if known is None else session.say("utility.loss.high" if known.maximize else "utility.loss.low")
    return {
        "name": say.name("metric", name),
        "value": session.number(value),
        "better": better,
        "why": say.means("metric", name),
    }
