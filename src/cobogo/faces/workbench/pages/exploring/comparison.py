"""Algorithms side by side, and the frontier of privacy and utility: two studies of a table under its policy."""

from __future__ import annotations

from typing import Any

from nicegui import events, ui

from cobogo.faces.workbench.draft import PolicyDraft
from cobogo.faces.workbench.labels import algorithm_name
from cobogo.faces.workbench.pages.exploring.picture import FONT, INK
from cobogo.faces.workbench.pages.exploring.studies import ExplorationPlace, StudyBench
from cobogo.faces.workbench.style import BRICK
from cobogo.publish.recode.algorithms import ALGORITHMS
from cobogo.tell.report.labels import metric_name

QUICK = ("optimal", "datafly", "samarati", "genetic", "top-down", "mondrian", "mondrian-relaxed", "mdav")
"""Those that are asked for unless somebody asks for others: a few kinds that do not take long."""


def build_algorithms(place: ExplorationPlace) -> None:
    AlgorithmsTab(place).build()


class AlgorithmsTab:
    """Which algorithms to run, and what they made."""

    def __init__(self, place: ExplorationPlace) -> None:
        self.place, self.session, self.say = place, place.session, place.session.say
        draft = PolicyDraft(place.text)
        self.metric = metric_name(draft.recoding.get("metric", "loss"), self.say)
        draft.set("recoding", "algorithm", None)  # whatever is chosen afterwards, the comparison is the same
        self.text = draft.text
        self.wanted = list(QUICK)

    def build(self) -> None:
        say = self.session.say
        ui.label(
            say(
                "Runs several algorithms on the same table and policy. Some treat each record separately and "
                "lose less detail; some separate the sensitive values from the rest. Some take minutes."
            )
        ).classes("q-mt-sm")
        ui.select(
            {name: algorithm_name(name, say) for name in ALGORITHMS},
            value=self.wanted,
            multiple=True,
            label=say("Algorithms to compare"),
            on_change=self._want,
        ).props("dense options-dense").classes("w-full")
        bench = StudyBench(self.place, "compare", self.text, lambda: {"algorithms": list(self.wanted)}, self._show_runs)
        bench.build(say("Compare"))

    def _want(self, event: Any) -> None:
        self.wanted = [name for name in ALGORITHMS if name in event.value] or list(QUICK)

    def _show_runs(self, runs: list[dict[str, Any]]) -> None:
        if not runs:
            ui.label(self.session.say("Nothing was compared yet.")).classes("text-body2")
            return
        solved = [run for run in runs if run["solution"] is not None]
        if solved:
            self._chart(solved)
        self._table(runs)

    def _chart(self, runs: list[dict[str, Any]]) -> None:
        say = self.session.say
        local = f"v => v == null ? '–' : v.toLocaleString('{self.session.language}', {{maximumSignificantDigits: 4}})"
        ui.echart(
            {
                "animation": False,
                "textStyle": {"color": INK, "fontFamily": FONT},
                "grid": {"left": 70, "right": 70, "top": 56, "bottom": 70},
                "legend": {"top": 0, "itemGap": 24, "textStyle": {"color": INK}},
                "tooltip": {"trigger": "axis", ":valueFormatter": local},
                "xAxis": {
                    "type": "category",
                    "data": [algorithm_name(run["algorithm"], say) for run in runs],
                    "axisLabel": {"color": INK, "interval": 0, "rotate": 30 if len(runs) > 4 else 0},
                },
                "yAxis": [
                    _axis(self.metric, self.session.language),
                    {**_axis(say("suppressed"), self.session.language), "splitLine": {"show": False}},
                ],
                "series": [
                    {
                        "type": "bar",
                        "name": self.metric,
                        "data": [run["solution"]["value"] for run in runs],
                        "itemStyle": {"color": BRICK},
                    },
                    {
                        "type": "scatter",
                        "name": say("suppressed"),
                        "yAxisIndex": 1,
                        "symbol": "diamond",
                        "symbolSize": 13,
                        "data": [run["solution"]["suppressed"] for run in runs],
                        "itemStyle": {"color": "#2a788e", "borderColor": INK},
                    },
                ],
            },
            renderer="svg",
        ).classes("w-full").style("height: 290px")

    def _table(self, runs: list[dict[str, Any]]) -> None:
        say, number, percent = self.session.say, self.say.number, self.say.percent
        names = {
            "algorithm": say("algorithm"),
            "value": self.metric,
            "suppressed": say("suppressed"),
            "classes": say("classes"),
            "smallest": say("smallest class"),
            "risk": say("highest risk"),
            "guess": say("worst inference"),
            "seconds": say("seconds"),
            "note": "",
            "use": "",
        }
        left = ("algorithm", "note", "use")
        columns = [
            {"name": name, "label": label, "field": name, "align": "left" if name in left else "right"}
            for name, label in names.items()
        ]
        values = self.say.column([None if run["solution"] is None else run["solution"]["value"] for run in runs])
        rows = []

        def names_of(run: dict[str, Any]) -> dict[str, Any]:
            return {"id": run["algorithm"], "algorithm": algorithm_name(run["algorithm"], say)}

        for run, value in zip(runs, values, strict=True):
            made = run["solution"]
            if made is None:
                why = run["why"]
                rows.append({**names_of(run), "note": say(why), "usable": False})
                continue
            rows.append(
                {
                    **names_of(run),
                    "value": value,
                    "suppressed": number(made["suppressed"]),
                    "classes": number(made["classes"]),
                    "smallest": number(made["smallest_class"]),
                    "risk": percent(made["highest_risk"]),
                    "guess": percent(made["worst_inference"]),
                    "seconds": number(made["seconds"], 2),
                    "note": "; ".join([say("proven")] * made["optimal"] + [say(note) for note in made["notes"]]),
                    "usable": True,
                }
            )
        table = ui.table(rows=rows, columns=columns, row_key="id", pagination=0)
        table.classes("w-full").props("dense flat bordered hide-pagination wrap-cells")
        use = say("Use")
        table.add_slot(
            "body-cell-use",
            '<q-td :props="props"><q-btn v-if="props.row.usable" flat dense no-caps color="primary" '
            f"""label="{use}" :aria-label="'{use} ' + props.row.algorithm" """
            """@click="() => $parent.$emit('use', props.row.id)" /></q-td>""",
        )
        table.on("use", lambda event: self._use(str(event.args)))

    def _use(self, name: str) -> None:
        if name in ALGORITHMS:
            self.session.draft.set("recoding", "algorithm", name)
            ui.notify(self.session.say("Now in the policy: {what}", what=f'algorithm = "{name}"'), type="positive")
            self.place.changed()


def _axis(name: str, language: str) -> dict[str, Any]:
    return {
        "type": "value",
        "name": name,
        "nameTextStyle": {"color": INK},
        "axisLabel": {"color": INK, ":formatter": f"v => v.toLocaleString('{language}')"},
        "splitLine": {"lineStyle": {"color": INK, "opacity": 0.12}},
    }


KS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50)
MODEL = "k-anonymity"


def build_frontier(place: ExplorationPlace) -> None:
    FrontierTab(place).build()


def replace_k(models: list[dict[str, Any]], k: int) -> list[dict[str, Any]]:
    """Models with this k; k-anonymity is added where it was not asked for.

    >>> replace_k([{"model": "t-closeness", "t": 0.2}], 3)
    [{'model': 'k-anonymity', 'k': 3}, {'model': 't-closeness', 't': 0.2}]
    """
    if not any(model.get("model") == MODEL for model in models):
        return [{"model": MODEL, "k": k}, *models]
    return [{**model, "k": k} if model.get("model") == MODEL else model for model in models]


class FrontierTab:
    """The points found, and the k that the policy has now."""

    def __init__(self, place: ExplorationPlace) -> None:
        self.place, self.session, self.say = place, place.session, place.session.say
        draft = PolicyDraft(place.text)
        self.metric = metric_name(draft.recoding.get("metric", "loss"), self.say)
        draft.set_models(replace_k(draft.models, KS[0]))  # whatever k is chosen, the frontier is the same
        self.text = draft.text

    def build(self) -> None:
        say = self.session.say
        ui.label(
            say(
                "The larger k is, the more people share each released combination, and the more detail is "
                "lost. One search for each k; everything else is as in the policy."
            )
        ).classes("q-mt-sm")
        options = {"vary": {f"{MODEL}.k": list(KS)}}
        StudyBench(self.place, "frontier", self.text, lambda: options, self._show_points).build(
            say("Draw the frontier")
        )

    def _show_points(self, points: list[dict[str, Any]]) -> None:
        if not points:
            return
        current = next((m.get("k") for m in self.session.draft.models if m.get("model") == MODEL), None)
        self._chart(points, current)
        self._table(points, current)

    def _chart(self, points: list[dict[str, Any]], current: int | None) -> None:
        say = self.session.say
        ks = [int(point["given"][f"{MODEL}.k"]) for point in points]
        solved = [point["solution"] for point in points]
        local = f"v => v == null ? '–' : v.toLocaleString('{self.session.language}', {{maximumSignificantDigits: 4}})"
        ui.echart(
            {
                "animation": False,
                "textStyle": {"color": INK, "fontFamily": FONT},
                "grid": {"left": 76, "right": 76, "top": 56, "bottom": 50},
                "legend": {"top": 0, "itemGap": 24, "textStyle": {"color": INK}},
                "tooltip": {"trigger": "axis", ":valueFormatter": local},
                "xAxis": {
                    "type": "category",
                    "data": [f"k = {k}" for k in ks],
                    "name": say("more privacy →"),
                    "nameLocation": "middle",
                    "nameGap": 30,
                    "nameTextStyle": {"color": INK},
                    "axisLabel": {"color": INK},
                },
                "yAxis": [
                    {
                        "type": "value",
                        "scale": True,
                        "name": self.metric,
                        "nameTextStyle": {"color": INK},
                        "axisLabel": {"color": INK, ":formatter": local},
                        "splitLine": {"lineStyle": {"color": INK, "opacity": 0.12}},
                    },
                    {
                        "type": "value",
                        "name": say("highest risk"),
                        "nameTextStyle": {"color": INK},
                        "axisLabel": {
                            "color": INK,
                            ":formatter": "v => v.toLocaleString(undefined, {style: 'percent'})",
                        },
                        "splitLine": {"show": False},
                    },
                ],
                "series": [
                    {
                        "type": "line",
                        "name": self.metric,
                        "symbol": "circle",
                        "symbolSize": 13,
                        "itemStyle": {"color": BRICK},
                        "lineStyle": {"width": 3},
                        "data": [
                            {
                                "value": None if one is None else one["value"],
                                "symbol": "diamond" if k == current else "circle",
                                "symbolSize": 20 if k == current else 13,
                            }
                            for k, one in zip(ks, solved, strict=True)
                        ],
                        "cursor": "pointer",
                    },
                    {
                        "type": "line",
                        "name": say("highest risk"),
                        "yAxisIndex": 1,
                        "symbol": "rect",
                        "symbolSize": 8,
                        "itemStyle": {"color": "#2a788e"},
                        "lineStyle": {"type": "dashed"},
                        "data": [None if one is None else one["highest_risk"] for one in solved],
                        "cursor": "pointer",
                    },
                ],
            },
            on_point_click=lambda event: self._use_clicked(event, ks),
            renderer="svg",
        ).classes("w-full").style("height: 340px")
        ui.label(
            say("Click a point, or choose below, to put its k into the policy. The diamond marks the k of the policy.")
        ).classes("text-caption")

    def _table(self, points: list[dict[str, Any]], current: int | None) -> None:
        say, number, percent = self.session.say, self.say.number, self.say.percent
        names = {
            "k": "k",
            "value": self.metric,
            "suppressed": say("suppressed"),
            "classes": say("classes"),
            "risk": say("highest risk"),
            "guess": say("worst inference"),
            "levels": say("Levels"),
            "use": "",
        }
        columns = [
            {"name": name, "label": label, "field": name, "align": "left" if name in ("levels", "use") else "right"}
            for name, label in names.items()
        ]
        values = self.say.column(
            [None if point["solution"] is None else point["solution"]["value"] for point in points]
        )
        rows = []
        for point, value in zip(points, values, strict=True):
            k, made = int(point["given"][f"{MODEL}.k"]), point["solution"]
            row: dict[str, Any] = {"k": k, "current": k == current}
            if made is None:
                why = point["why"]
                rows.append(row | {"levels": say(why)})
                continue
            rows.append(
                row
                | {
                    "value": value,
                    "suppressed": number(made["suppressed"]),
                    "classes": number(made["classes"]),
                    "risk": percent(made["highest_risk"]),
                    "guess": percent(made["worst_inference"]),
                    "levels": " · ".join(map(str, made["levels"].values())),
                }
            )
        table = ui.table(rows=rows, columns=columns, row_key="k", pagination=0)
        table.classes("w-full").props("dense flat bordered hide-pagination wrap-cells")
        use, now = say("Use"), say("in the policy")
        table.add_slot(
            "body-cell-use",
            '<q-td :props="props"><q-btn v-if="!props.row.current" flat dense no-caps color="primary" '
            f""":label="'{use} k = ' + props.row.k" """
            """@click="() => $parent.$emit('use', props.row.k)" />"""
            f"""<span v-else>{now}</span></q-td>""",
        )
        table.on("use", lambda event: self._use(int(event.args)))

    def _use_clicked(self, event: events.EChartPointClickEventArguments, ks: list[int]) -> None:
        if event.data_index < len(ks):
            self._use(ks[event.data_index])

    def _use(self, k: int) -> None:
        """Take a k into the policy."""
        self.session.draft.set_models(replace_k(self.session.draft.models, k))
        ui.notify(self.session.say("Now in the policy: {what}", what=f"k = {k}"), type="positive")
        self.place.changed()
