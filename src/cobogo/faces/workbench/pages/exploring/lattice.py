"""The lattice: every combination of levels drawn, filtered and listed, and the one that is looked at."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from nicegui import events, run, ui

from cobogo.errors import CobogoError
from cobogo.faces.workbench.pages.exploring.node import NodePanel
from cobogo.faces.workbench.pages.exploring.picture import (
    LONG,
    count_nodes,
    list_levels,
    node_name,
    picture,
    standing_words,
)
from cobogo.faces.workbench.pages.exploring.studies import ExplorationPlace
from cobogo.faces.workbench.session import PageSession
from cobogo.faces.workbench.widgets import WRONG
from cobogo.floor.arrays import Ints, Mask
from cobogo.floor.language import tr
from cobogo.publish.recode.contract.problem import Levels
from cobogo.publish.recode.lattice.survey import Standing, Survey
from cobogo.studies.exploration import Exploration
from cobogo.tell.report.labels import metric_meaning, metric_name

Relation = Literal["all", "below", "above", "related"]
AMOUNTS = (60, 150, 400)


@dataclass
class Filter:
    """What a node must be to be shown, and how many are drawn at most."""

    lowest: list[int]
    highest: list[int]
    satisfied: bool = False
    relation: Relation = "all"
    amount: int = AMOUNTS[0]

    @classmethod
    def open(cls, survey: Survey) -> Self:
        """One that lets every node through."""
        return cls(list(survey.problem.lowest), list(survey.problem.highest))

    def passing(self, survey: Survey, chosen: Levels) -> Mask:
        """The nodes that are let through."""
        inside = (survey.nodes >= np.array(self.lowest)) & (survey.nodes <= np.array(self.highest))
        found: Mask = np.asarray(inside.all(axis=1))
        if self.satisfied:
            found &= survey.standing == Standing.SATISFIES
        if self.relation != "all":
            below, above = survey.below(chosen), survey.above(chosen)
            found &= {"below": below, "above": above, "related": below | above}[self.relation]
        return found

    def nearest_nodes(self, survey: Survey, passing: Mask, focus: Levels) -> Ints:
        """The passing nodes nearest to ``focus``; among equally near ones, those that satisfy the policy first."""
        numbers = np.flatnonzero(passing)
        order = np.lexsort((-survey.standing[numbers], survey.distance(focus)[numbers]))
        return np.sort(numbers[order[: self.amount]])


def controls(session: PageSession, attributes: tuple[str, ...], chosen: Filter, changed: Callable[[], Any]) -> None:
    """The controls of a filter; ``changed`` is called after each change."""
    start = list(zip(chosen.lowest, chosen.highest, strict=True))
    ranges: dict[int, ui.range] = {}

    def put(name: str, value: Any) -> None:
        setattr(chosen, name, value)
        changed()

    def limit(column: int, value: dict[str, int]) -> None:
        chosen.lowest[column], chosen.highest[column] = int(value["min"]), int(value["max"])
        changed()

    def reset() -> None:
        only.value, relation.value = False, "all"
        chosen.lowest, chosen.highest = [low for low, _ in start], [high for _, high in start]
        for column, control in ranges.items():
            control.value = dict(zip(("min", "max"), start[column], strict=True))
        changed()

    with ui.row().classes("items-center w-full no-wrap"):
        ui.label(session.say("Show")).classes("text-subtitle1 text-weight-medium")
        ui.space()
        ui.button(session.say("Reset"), on_click=reset).props("flat dense no-caps")
    only = ui.switch(
        session.say("only nodes that satisfy the policy"), value=False, on_change=lambda e: put("satisfied", e.value)
    )
    only.props("dense")
    relation = ui.select(
        {
            "all": session.say("all nodes"),
            "below": session.say("finer nodes"),
            "above": session.say("more general nodes"),
            "related": session.say("finer or more general nodes"),
        },
        value="all",
        label=session.say("Relative to the chosen node"),
        on_change=lambda e: put("relation", e.value),
    )
    relation.props("dense options-dense").classes("w-full")
    ui.label(session.say("Levels")).classes("text-caption q-mt-sm")
    search = ui.input(session.say("Find a column")).props("dense clearable").classes("w-full")
    search.set_visibility(len(attributes) > LONG)
    place = ui.column().classes("w-full gap-1 q-pr-sm").style("max-height: 270px; overflow-y: auto")

    def draw_ranges() -> None:
        """The levels of the columns that are looked for, as many as a browser draws at once."""
        place.clear()
        ranges.clear()
        wanted = (search.value or "").casefold()
        with place:
            fitting = [column for column, name in enumerate(attributes) if wanted in name.casefold()]
            for column in fitting[:LONG]:
                draw_range(column, attributes[column], *start[column])
            if len(fitting) > LONG:
                ui.label(session.say("… {count} more", count=session.say.number(len(fitting) - LONG))).classes(
                    "text-caption"
                )

    def draw_range(column: int, name: str, low: int, high: int) -> None:
        with ui.row().classes("w-full items-center no-wrap gap-3"):
            ui.label(name).classes("text-body2 ellipsis").style("width: 8.5rem").tooltip(name)
            control = ui.range(
                min=low,
                max=max(high, low + 1),
                value={"min": chosen.lowest[column], "max": chosen.highest[column]},
                on_change=lambda e, at=column: limit(at, e.value),
            )
            control.props("dense snap markers label").classes("col")
            control.props["aria-label"] = session.say("Levels: {names}", names=name)
            control.set_enabled(high > low)
            ranges[column] = control

    draw_ranges()
    search.on_value_change(draw_ranges)
    ui.select(
        list(AMOUNTS),
        value=chosen.amount,
        label=session.say("Nodes drawn at most"),
        on_change=lambda e: put("amount", e.value),
    ).props("dense options-dense").classes("w-full")


SLICE = 0.4
"""Seconds of looking at nodes between two notes of how far it is."""

OFTEN = 4.0
"""Seconds at least between two better nodes that take the place of the best, where it is not proven."""

LISTED = 100


def build_lattice(place: ExplorationPlace) -> None:
    """The tab: at first something that turns, for data have to be counted and the best node to be found."""
    room = ui.column().classes("w-full gap-4")
    with room, ui.row().classes("items-center q-pa-md"):
        ui.spinner(size="lg")
        ui.label(place.session.say("Counting the data and looking for the best combination of levels …"))

    async def fill() -> None:
        refusal, found = "", None
        try:
            found = await run.io_bound(place.explore)
        except CobogoError as error:
            refusal = place.session.say.error(error)
        except Exception:
            room.clear()
            with room:
                place.show_refusal(place.session.say(WRONG))
            raise
        if room.is_deleted:
            return
        room.clear()
        with room:
            if found is None:
                place.show_refusal(refusal)
            elif not found.attributes:
                place.show_refusal(
                    place.session.say("The policy has no quasi-identifier, so there is nothing to generalize.")
                )
            else:
                LatticeTab(place, found).build()

    ui.timer(0.01, fill, once=True)


class LatticeTab:
    """One visit to a lattice: the node chosen, the filter, and the parts of the page that follow them."""

    def __init__(self, place: ExplorationPlace, found: Exploration) -> None:
        self.place, self.found = place, found
        self.session, self.say = place.session, place.session.say
        self.survey = found.survey
        self.chosen: Levels = found.survey.around
        self.filter = Filter.open(found.survey)
        self._improve_at = time.monotonic() + OFTEN

    def build(self) -> None:
        """Draw the lattice, and go on examining nodes while the page is open."""
        self.nothing = ui.column().classes("w-full")
        if self.found.optimum is None:
            why = "" if self.found.why is None else self.session.say.error(self.found.why)
            text = self.session.say("There is no solution. {why} The picture shows the most general nodes.", why=why)
            with self.nothing:
                ui.label(text).style("white-space: pre-wrap").classes(
                    "bg-amber-2 text-black q-pa-sm rounded-borders w-full"
                )
        with ui.row().classes("w-full no-wrap items-start gap-4 cobogo-beside"):
            with ui.column().classes("col gap-1").style("min-width: 0"):
                self.counts = ui.label().classes("text-body2")
                if not self.survey.whole:
                    ui.label(
                        self.session.say(
                            "The lattice is too large to show whole: these are the {count} nodes nearest to "
                            "the best one.",
                            count=len(self.survey),
                        )
                    ).classes("text-caption")
                self.progress = ui.linear_progress(0, show_value=False).props("rounded")
                self.chart = ui.echart({"series": []}, on_point_click=self._choose_clicked, renderer="svg")
                self.chart.classes("w-full lattice").style("height: 470px")
                self.chart.props["role"], self.chart.props["aria-label"] = (
                    "img",
                    self.session.say(
                        "Each node is a combination of levels, one for each quasi-identifier. A line leads to "
                        "a node that is one level higher. Point at a node to see its figures; click it to "
                        "choose it. Zoom with Ctrl and the mouse wheel."
                    ),
                )
                self._legend()
            with ui.card().classes("gap-2").style("width: 300px; flex: none"):
                controls(self.session, self.found.attributes, self.filter, self._draw)
        self.panel = NodePanel(self.place, self.found)
        self._list()
        self._draw()
        self.timer = ui.timer(0.05, self._look_on)
        ui.timer(0.01, lambda: self.panel.show(self.chosen), once=True)

    async def _look_on(self) -> None:
        """A little more of the survey; the page stays quick, because the work is done elsewhere and in slices."""
        if self.survey.finished:
            self.timer.deactivate()
            self._draw()
            return
        until = time.monotonic() + SLICE
        await run.io_bound(self.survey.explore, lambda: time.monotonic() > until)
        before = self.found.optimum
        if (until > self._improve_at or self.survey.finished) and self.found.improve():
            if self.chosen == before or before is None:
                self.chosen = self.found.optimum or self.chosen
            self._improve_at = until + OFTEN
            self.nothing.clear()
            self.sure.text = self._sure()
            self._draw()
            await self.panel.show(self.chosen)
        elif self._shown_unknown:
            self._draw()
        else:
            self._count(self._passing())

    def _passing(self) -> Mask:
        return self.filter.passing(self.survey, self.chosen)

    def _draw(self) -> None:
        passing = self._passing()
        focus = self.chosen if self.filter.relation != "all" else self.found.optimum or self.survey.around
        shown = self.filter.nearest_nodes(self.survey, passing, focus)
        if len(shown) and (mine := self.survey.number(self.chosen)) is not None and passing[mine] and mine not in shown:
            shown = np.sort(np.append(shown[:-1], mine))
        self.survey.want(shown)
        self._shown_unknown = bool((self.survey.standing[shown] == Standing.UNKNOWN).any())
        self._named = {node_name(levels): levels for levels in map(self.survey.levels, shown.tolist())}
        self.chart.options.clear()
        self.chart.options.update(picture(self.found, shown, self.chosen, self.session, self.say))
        self.chart.update()
        self._drawn = len(shown)
        self._count(passing)
        self._rows(passing)

    def _count(self, passing: Mask) -> None:
        survey, number = self.survey, self.say.number
        states = [int((survey.standing == one).sum()) for one in (Standing.SATISFIES, Standing.FAILS)]
        self.counts.text = self.session.say(
            "{drawn} nodes are drawn, of {passing} that pass the filters. The lattice has {total} nodes: "
            "{satisfied} satisfy the policy, {failing} do not, {unknown} are not examined yet.",
            drawn=number(self._drawn),
            passing=number(int(passing.sum())),
            total=count_nodes(survey.total, self.say),
            satisfied=number(states[0]),
            failing=number(states[1]),
            unknown=count_nodes(survey.total - sum(states), self.say),
        )
        self.progress.value = survey.evaluated / max(len(survey), 1)
        self.progress.set_visibility(not survey.finished)

    def _legend(self) -> None:
        say = self.session.say
        signs = {"●": tr("satisfies the policy"), "▪": tr("does not satisfy the policy"), "▲": tr("not examined")}
        with ui.row().classes("text-caption gap-4"):
            self.sure = ui.label(self._sure())
            for sign, text in signs.items():
                ui.label(f"{sign} {say(text)}")
        ui.label(
            say(
                "Each node is a combination of levels, one for each quasi-identifier. A line leads to a node "
                "that is one level higher. Point at a node to see its figures; click it to choose it. Zoom "
                "with Ctrl and the mouse wheel."
            )
        ).classes("text-caption")
        metric = self.survey.problem.metric.name
        if means := metric_meaning(metric, self.say):
            ui.label(f"{metric_name(metric, self.say)}: {means}").classes("text-caption")

    def _sure(self) -> str:
        say = self.session.say
        if self.found.optimum is None:
            return ""
        sure = say(tr("proven") if self.found.proven else tr("not proven"))
        return "◆ " + say("the best ({sure})", sure=sure)

    def _list(self) -> None:
        say = self.session.say
        ui.label(say("The best nodes that pass the filters")).classes("text-subtitle1 text-weight-medium")
        etc = ", …" if len(self.found.attributes) > LONG else ""
        names = {
            "rank": "#",
            "levels": say("Levels: {names}", names=", ".join(self.found.attributes[:LONG]) + etc),
            "standing": say("Policy"),
            "value": metric_name(self.survey.problem.metric.name, self.say),
            "suppressed": say("suppressed"),
            "classes": say("classes"),
            "smallest": say("smallest class"),
            "look": "",
        }
        left = ("levels", "standing", "look")
        columns = [
            {"name": name, "label": label, "field": name, "align": "left" if name in left else "right"}
            for name, label in names.items()
        ]
        self.table = ui.table(rows=[], columns=columns, row_key="rank", pagination=8)
        self.table.classes("w-full").props("dense flat bordered wrap-cells color=primary")
        look = say("Show")
        self.table.add_slot(
            "body-cell-look",
            '<q-td :props="props"><q-btn flat dense no-caps color="primary" icon="visibility" '
            f""":aria-label="'{look} ' + props.row.levels" """
            """@click="() => $parent.$emit('look', props.row.node)" /></q-td>""",
        )
        self.table.on("look", lambda event: self._choose_from_list(int(event.args)))

    def _rows(self, passing: Mask) -> None:
        survey, number = self.survey, self.say.number
        ordered = self._rank_nodes(passing)[:LISTED]
        values = self.say.column(survey.values[ordered].tolist())
        self.table.rows = [
            {
                "rank": place + 1,
                "node": node,
                "levels": list_levels(survey.levels(node)),
                "standing": standing_words(self.session, Standing(int(survey.standing[node]))),
                "value": values[place],
                "suppressed": number(int(survey.suppressed[node])),
                "classes": number(int(survey.classes[node])),
                "smallest": number(int(survey.smallest[node])),
            }
            for place, node in enumerate(ordered.tolist())
        ]

    def _rank_nodes(self, passing: Mask) -> Ints:
        """The solutions, best first; then the others, those that would have to suppress least first."""
        best = self.survey.ranking()
        failing = np.flatnonzero(passing & (self.survey.standing == Standing.FAILS))
        failing = failing[np.argsort(self.survey.suppressed[failing], kind="stable")]
        return np.concatenate([best[passing[best]], failing])

    async def _choose_clicked(self, event: events.EChartPointClickEventArguments) -> None:
        if event.data_type == "node" and (levels := self._named.get(event.name)) is not None:
            await self._choose(levels)

    async def _choose_from_list(self, number: int) -> None:
        if 0 <= number < len(self.survey):
            await self._choose(self.survey.levels(number))
            ui.run_javascript(f"getHtmlElement({self.panel.room.id}).scrollIntoView({{block: 'start'}})")

    async def _choose(self, levels: Levels) -> None:
        self.chosen = levels
        self._draw()
        await self.panel.show(levels)
