"""Algorithms side by side: what each makes of the same table under the same policy."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from cobogo.faces.workbench.draft import Draft
from cobogo.faces.workbench.pages.exploring.picture import FONT, INK
from cobogo.faces.workbench.pages.exploring.place import Place
from cobogo.faces.workbench.pages.exploring.studies import StudyBench
from cobogo.faces.workbench.style import BRICK
from cobogo.publish.recode.algorithms import ALGORITHMS

QUICK = ("optimal", "datafly", "samarati", "genetic", "top-down", "mondrian", "mondrian-relaxed", "mdav")
"""Those that are asked for unless somebody asks for others: a few kinds that do not take long."""


def build(place: Place) -> None:
    """The tab."""
    Tab(place).build()


class Tab:
    """Which algorithms to run, and what they made."""

    def __init__(self, place: Place) -> None:
        self.place, self.session, self.say = place, place.session, place.session.figures
        draft = Draft(place.text)
        self.metric = self.say.name("metric", draft.recoding.get("metric", "loss"))
        draft.set("recoding", "algorithm", None)  # whatever is chosen afterwards, the comparison is the same
        self.text = draft.text
        self.wanted = list(QUICK)

    def build(self) -> None:
        """Draw it."""
        say = self.session.say
        ui.label(say("explore.algorithms_what")).classes("q-mt-sm")
        ui.select(
            list(ALGORITHMS), value=self.wanted, multiple=True, label=say("explore.which"), on_change=self._want
        ).props("dense options-dense").classes("w-full")
        bench = StudyBench(self.place, "compare", self.text, lambda: {"algorithms": list(self.wanted)}, self._found)
        bench.build(say("explore.compare"))

    def _want(self, event: Any) -> None:
        self.wanted = [name for name in ALGORITHMS if name in event.value] or list(QUICK)

    def _found(self, runs: list[dict[str, Any]]) -> None:
        if not runs:
            ui.label(self.session.say("explore.nothing_compared")).classes("text-body2")
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
                "grid": {"left": 70, "right": 70, "top": 56, "bottom": 40},
                "legend": {"top": 0, "itemGap": 24, "textStyle": {"color": INK}},
                "tooltip": {"trigger": "axis", ":valueFormatter": local},
                "xAxis": {
                    "type": "category",
                    "data": [run["algorithm"] for run in runs],
                    "axisLabel": {"color": INK, "interval": 0, "rotate": 25 if len(runs) > 9 else 0},
                },
                "yAxis": [
                    _axis(self.metric, self.session.language),
                    {**_axis(say("explore.suppressed"), self.session.language), "splitLine": {"show": False}},
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
                        "name": say("explore.suppressed"),
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
            "algorithm": say("explore.algorithm"),
            "value": self.metric,
            "suppressed": say("explore.suppressed"),
            "classes": say("explore.classes"),
            "smallest": say("explore.smallest"),
            "risk": say("explore.highest_risk"),
            "guess": say("explore.guess_any"),
            "seconds": say("explore.seconds"),
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
        for run, value in zip(runs, values, strict=True):
            made = run["solution"]
            if made is None:
                rows.append({"algorithm": run["algorithm"], "note": run["why"], "usable": False})
                continue
            rows.append(
                {
                    "algorithm": run["algorithm"],
                    "value": value,
                    "suppressed": number(made["suppressed"]),
                    "classes": number(made["classes"]),
                    "smallest": number(made["smallest_class"]),
                    "risk": percent(made["highest_risk"]),
                    "guess": percent(made["worst_inference"]),
                    "seconds": number(made["seconds"], 2),
                    "note": "; ".join([say("explore.proven")] * made["optimal"] + made["notes"]),
                    "usable": True,
                }
            )
        table = ui.table(rows=rows, columns=columns, row_key="algorithm", pagination=0)
        table.classes("w-full").props("dense flat bordered hide-pagination wrap-cells")
        table.add_slot(
            "body-cell-use",
            '<q-td :props="props"><q-btn v-if="props.row.usable" flat dense no-caps color="primary" '
            f"""label="{say("explore.use")}" :aria-label="'{say("explore.use")} ' + props.row.algorithm" """
            """@click="() => $parent.$emit('use', props.row.algorithm)" /></q-td>""",
        )
        table.on("use", lambda event: self._use(str(event.args)))

    def _use(self, name: str) -> None:
        if name in ALGORITHMS:
            self.session.draft.set("recoding", "algorithm", name)
            ui.notify(self.session.say("explore.in_policy", what=f'algorithm = "{name}"'), type="positive")
            self.place.changed()


def _axis(name: str, language: str) -> dict[str, Any]:
    return {
        "type": "value",
        "name": name,
        "nameTextStyle": {"color": INK},
        "axisLabel": {"color": INK, ":formatter": f"v => v.toLocaleString('{language}')"},
        "splitLine": {"lineStyle": {"color": INK, "opacity": 0.12}},
    }
