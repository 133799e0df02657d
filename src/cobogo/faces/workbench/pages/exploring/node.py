"""A node beside the best: what each would release, class sizes before and after, and a way to release this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import run, ui

from cobogo.faces.server.roles import KeyScope
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.draft import PolicyDraft
from cobogo.faces.workbench.frame import attempt
from cobogo.faces.workbench.pages.exploring.picture import FONT, INK, list_levels
from cobogo.faces.workbench.pages.exploring.studies import ExplorationPlace
from cobogo.faces.workbench.style import BRICK
from cobogo.faces.workbench.widgets import folded
from cobogo.floor.language import tr
from cobogo.publish.recode.contract.problem import Levels
from cobogo.studies.exploration import Exploration, NodeView, ReleasedTuple, SizeGroup
from cobogo.tell.report.labels import metric_name


class NodePanel:
    """The part of the page that is about one node."""

    def __init__(self, place: ExplorationPlace, found: Exploration) -> None:
        self.place, self.found = place, found
        self.session, self.say = place.session, place.session.say
        self.views: dict[Levels, NodeView] = {}
        self.room = ui.column().classes("w-full gap-3 node")

    async def show(self, levels: Levels) -> None:
        """Compare a node with the best one."""
        best = self.found.optimum
        await run.io_bound(lambda: self.found.original)
        for node in (levels, best):
            if node is not None and node not in self.views:
                view = await run.io_bound(self.found.view, node)
                if view is None:  # the server is going down
                    return
                self.views[node] = view
        if self.room.is_deleted:
            return
        self.room.clear()
        with self.room:
            self._show_node(levels, self.views[levels], None if best in (None, levels) else self.views[best])

    def _show_node(self, levels: Levels, view: NodeView, best: NodeView | None) -> None:
        say = self.session.say
        with ui.card().classes("w-full gap-2"):
            with ui.row().classes("items-center w-full"):
                title = say(tr("The best node") if levels == self.found.optimum else tr("The chosen node"))
                ui.label(f"{title} {list_levels(levels)}").classes("text-subtitle1 text-weight-medium")
                ui.space()
                button = ui.button(say("Release this node"), icon="play_arrow", on_click=lambda: self._release(view))
                button.props("no-caps").set_enabled(bool(view.satisfied) and self._may_run)
            if not view.satisfied:
                ui.label(
                    say(
                        "This node cannot be released: a model fails, or more records would have to be "
                        "suppressed than the policy allows. The figures shown are those after suppressing "
                        "every class that fails."
                    )
                ).classes("bg-amber-2 text-black q-pa-sm rounded-borders")
            with ui.row().classes("w-full no-wrap items-start gap-4 cobogo-beside"):
                with ui.column().classes("col-7").style("min-width: 0"):
                    self._show_comparison(view, best)
                with ui.column().classes("col").style("min-width: 0"):
                    ui.label(say("Records in classes of each size")).classes("text-body2 text-weight-medium")
                    self._sizes(view, best)
            folded(say("Released records"), "list", lambda: self._combinations(view.combinations))

    @property
    def _may_run(self) -> bool:
        return self.session.holder is not None and KeyScope.RUN in self.session.holder.scopes

    def _show_comparison(self, view: NodeView, best: NodeView | None) -> None:
        say, number, percent = self.session.say, self.say.number, self.say.percent
        records = self.found.problem.scale.records
        sides = [view, *([] if best is None else [best]), self.found.original]

        def row(name: str, figure: Callable[[NodeView], str]) -> dict[str, Any]:
            texts = {f"s{place}": figure(side) for place, side in enumerate(sides)}
            return {"name": name, **texts, "differs": best is not None and texts["s0"] != texts["s1"]}

        rows = [
            row(say("Policy"), self._standing),
            *(row(name, self._level(name)) for name in self.found.attributes),
            *(row(metric_name(name, self.say), self._metric(name)) for name in self._metrics()),
            row(say("suppressed"), lambda v: f"{number(v.suppressed)} ({percent(v.suppressed / records)})"),
            row(say("classes"), lambda v: number(v.classes)),
            row(
                say("class sizes: smallest / average / largest"),
                lambda v: f"{number(v.smallest)} / {number(v.average)} / {number(v.largest)}",
            ),
            row(say("highest risk"), lambda v: percent(v.highest_risk)),
            row(say("average risk"), lambda v: percent(v.average_risk)),
            *(
                row(say("worst inference of {name}", name=name), self._guess(name))
                for name in self.found.prepared.policy.sensitive
            ),
        ]
        columns = [{"name": "name", "label": "", "field": "name", "align": "left"}]
        labels = [self._name(best), *([say("best")] * (best is not None)), say("original")]
        columns += [
            {"name": f"s{place}", "label": label, "field": f"s{place}", "align": "left"}
            for place, label in enumerate(labels)
        ]
        table = ui.table(rows=rows, columns=columns, row_key="name", pagination=0)
        table.props("dense flat bordered hide-pagination wrap-cells").classes("w-full")
        table.add_slot(
            "body-cell-s0",
            "<q-td :props=\"props\" :class=\"props.row.differs ? 'text-weight-bold' : ''\">{{ props.value }}"
            '<q-icon v-if="props.row.differs" name="compare_arrows" class="q-ml-xs" color="primary" /></q-td>',
        )

    def _standing(self, view: NodeView) -> str:
        if view.satisfied is None:
            return self.say.number(None)
        return self.session.say(tr("satisfies the policy") if view.satisfied else tr("does not satisfy the policy"))

    def _name(self, best: NodeView | None) -> str:
        """The title of the node on show: "best" if it is the best, which is compared with no other; else "chosen"."""
        alone = best is None and self.found.optimum is not None
        return self.session.say(tr("best") if alone else tr("chosen"))

    def _metrics(self) -> list[str]:
        mine = self.found.problem.metric.name
        return [mine, *(name for name in ("loss", "precision", "discernibility", "aecs") if name != mine)]

    def _level(self, name: str) -> Callable[[NodeView], str]:
        hierarchy = self.found.problem.hierarchies[self.found.attributes.index(name)]

        def text(view: NodeView) -> str:
            level = view.levels[name]
            example = self.say.label(next(iter(hierarchy.labels[level]), None))
            return self.session.say(
                "{level} of {height}, e.g. {example}", level=level, height=hierarchy.height, example=example[:40]
            )

        return text

    def _metric(self, name: str) -> Callable[[NodeView], str]:
        return lambda view: self.say.number(view.metrics[name])

    def _guess(self, name: str) -> Callable[[NodeView], str]:
        return lambda view: self.say.percent(view.inference.get(name))

    def _sizes(self, view: NodeView, best: NodeView | None) -> None:
        say = self.session.say
        mine = self._name(best)
        sides = [(say("original"), self.found.original.sizes, "#8d99ae"), (mine, view.sizes, BRICK)]
        if best is not None:
            sides.append((say("best"), best.sizes, "#2a788e"))
        most = max((len(groups) for _, groups, _ in sides), default=0)
        axis = next((groups for _, groups, _ in sides if len(groups) == most), ())
        chart = ui.echart(
            {
                "animation": False,
                "textStyle": {"color": INK, "fontFamily": FONT},
                "grid": {"left": 64, "right": 10, "top": 34, "bottom": 58},
                "legend": {"top": 0, "itemGap": 24, "textStyle": {"color": INK}},
                "tooltip": {"trigger": "axis", "axisPointer": {"type": "shadow"}},
                "xAxis": {
                    "type": "category",
                    "data": [self._range(group) for group in axis],
                    "name": say("records in the class"),
                    "nameLocation": "middle",
                    "nameGap": 40,
                    "axisLabel": {"color": INK, "interval": 0, "rotate": 30, "fontSize": 10},
                    "nameTextStyle": {"color": INK},
                },
                "yAxis": {
                    "type": "value",
                    "axisLabel": {
                        "color": INK,
                        ":formatter": f"v => v.toLocaleString('{self.session.language}')",
                    },
                    "splitLine": {"lineStyle": {"color": INK, "opacity": 0.12}},
                },
                "series": [
                    {
                        "type": "bar",
                        "name": name,
                        "data": [group.records for group in groups],
                        "itemStyle": {"color": colour, "decal": {"symbol": "none"}},
                    }
                    for name, groups, colour in sides
                ],
            },
            renderer="svg",
        )
        chart.classes("w-full").style("height: 320px")

    def _range(self, group: SizeGroup) -> str:
        number = self.say.number
        if group.last is None:
            return f"≥ {number(group.first)}"
        return number(group.first) if group.first == group.last else f"{number(group.first)}–{number(group.last)}"

    def _combinations(self, shown: tuple[ReleasedTuple, ...]) -> None:
        names = self.found.attributes
        columns = [
            {"name": f"c{place}", "label": name, "field": f"c{place}", "align": "left"}
            for place, name in enumerate(names)
        ]
        columns.append({"name": "n", "label": self.session.say("records"), "field": "n", "align": "right"})
        columns.append({"name": "gone", "label": "", "field": "gone", "align": "left"})
        rows = [
            {
                "id": place,
                **{f"c{column}": self.say.label(value) for column, value in enumerate(one.values)},
                "n": self.say.number(one.records),
                "gone": self.session.say("suppressed") if one.suppressed else "",
            }
            for place, one in enumerate(shown)
        ]
        ui.label(
            self.session.say("The largest classes, the smallest classes, and the largest suppressed classes.")
        ).classes("text-caption")
        ui.table(rows=rows, columns=columns, row_key="id", pagination=0).props(
            "dense flat bordered hide-pagination"
        ).classes("w-full")

    async def _release(self, view: NodeView) -> None:
        """A job whose policy fixes the levels; the draft stays as it is."""
        place, session = self.place, self.session
        job = await attempt(
            session, actions.run_node, place.desk, session, "", place.dataset, lambda text: fix_levels(text, view)
        )
        if job is not None:
            ui.navigate.to(session.address("running", job=job, release=None))


def fix_levels(text: str, view: NodeView) -> str:
    """The policy whose only node is this one."""
    draft = PolicyDraft(text)
    draft.set_attributes({name: {"min-level": level, "max-level": level} for name, level in view.levels.items()})
    for key in ("kind", "marginals", "time-limit"):
        draft.set("recoding", key, None)
    draft.set("recoding", "algorithm", "optimal")
    return draft.text
