"""What a hierarchy makes of a column: its levels in numbers, the groups of one as bars, and the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import events, ui

from cobogo.data.hierarchy import Label
from cobogo.faces.workbench.hierarchy.preview import SHOWN, nodes
from cobogo.faces.workbench.plots import ORANGE, PLAIN, axis, plotted
from cobogo.floor.language.sentences import translated

if TYPE_CHECKING:
    from cobogo.faces.workbench.pages.hierarchies import _Page

CSS = "@layer overrides { .q-tree { color: #5c5c5c } .body--dark .q-tree { color: #b8b8b8 } }"
"""Lines and arrows of a tree that can be seen."""


class Shown:
    """The right side of the page."""

    def __init__(self, page: _Page) -> None:
        self.page, self.say = page, page.session.say
        self.level, self.search, self.asked = 0, "", False
        self.tree: ui.tree | None = None
        ui.add_css(CSS)
        self.spinner = ui.linear_progress(show_value=False).props("indeterminate")
        self.alarm = ui.column().classes("w-full")
        self.place = ui.column().classes("w-full gap-3")

    def wait(self) -> None:
        """Show that another column comes."""
        self.alarm.clear()
        self.place.clear()
        self.busy(True)

    def busy(self, on: bool) -> None:
        """Whether something is being built."""
        self.spinner.set_visibility(on)

    def turn_to(self) -> None:
        """Another column: nothing was asked for yet."""
        self.level, self.search, self.asked = 1, "", False

    def draw(self) -> None:
        """All of it, from what was seen last."""
        seen = self.page.seen
        self.busy(False)
        self.place.clear()
        with self.place:
            if seen.error is not None and not seen.unfit:
                with ui.row().classes("bg-red-1 text-black q-pa-sm rounded-borders w-full no-wrap").props("role=alert"):
                    ui.icon("error", color="negative").props("size=sm")
                    ui.label(translated(seen.error, self.page.session.language)).style("white-space: pre-line")
            if seen.hierarchy is None:
                return
            self.level = min(self.level, seen.hierarchy.height)
            self._levels()
            if self.page.sensitive and not self.asked:
                ui.button(self.say("hierarchies.show"), icon="visibility", on_click=self._ask).props("outline no-caps")
                return
            with ui.row().classes("w-full items-start no-wrap cobogo-beside"):
                with ui.column().classes("gap-1").style("flex: 1; min-width: 0"):
                    self._searched()
                self.chart = ui.column().classes("gap-0").style("flex: 1; min-width: 0")
            self._charted()

    def _ask(self) -> None:
        self.asked = True
        self.draw()
        self.page.groups.draw()

    def _levels(self) -> None:
        number = self.page.session.number
        columns = [
            {"name": key, "field": key, "label": self.say(f"levels.{key}"), "align": "right"}
            for key in ("level", "groups", "smallest", "average", "largest")
        ]
        rows = [
            {
                "id": one.level,
                "level": one.level,
                "groups": number(one.groups),
                "smallest": number(one.smallest),
                "average": number(round(one.average, 1)),
                "largest": number(one.largest),
            }
            for one in self.page.seen.levels
        ]
        table = ui.table(columns=columns, rows=rows, row_key="id", selection="single", on_select=self._turned)
        table.props("dense flat bordered hide-selected-banner").classes("w-full")
        table.props["data-name"] = self.say("levels.level")
        table.selected = [row for row in rows if row["id"] == self.level]

    def _turned(self, event: events.TableSelectionEventArguments) -> None:
        if event.selection:
            self.level = int(event.selection[0]["id"])
            if not self.page.sensitive or self.asked:
                self._charted()

    def _charted(self) -> None:
        bars, left = self.page.seen.bars(self.level)
        number = self.page.session.number
        self.chart.clear()
        with self.chart:
            ui.label(self.say("hierarchies.bars", level=self.level)).classes("text-caption text-weight-medium")
            told = self.say("hierarchies.bars", level=self.level)
            named = [(self._named(label), size) for label, size in bars]
            plotted(_options(named), told, height=f"{max(9, 1.35 * len(bars) + 3)}rem")
            if left:
                ui.label(self.say("hierarchies.left", count=number(left))).classes("text-caption")

    def _searched(self) -> None:
        def find(event: Any) -> None:
            self.search = event.value or ""
            planted()

        def planted() -> None:
            seen = self.page.seen
            if seen.hierarchy is None:
                return
            leaves = seen.leaves(self.search)
            grown = nodes(seen, leaves, self._described)
            place.clear()
            with place:
                self.tree = ui.tree(grown, label_key="label", on_select=lambda event: self._picked(event.value))
                self.tree.props("dense no-transition selected-color=primary").classes("w-full")
                self.tree.expand([one["id"] for node in grown for one in _walked(node)])

        total = len(self.page.seen.hierarchy.leaves) if self.page.seen.hierarchy else 0
        ui.label(self.say("hierarchies.tree")).classes("text-caption text-weight-medium")
        if total > SHOWN:
            number = self.page.session.number
            ui.input(self.say("hierarchies.search"), value=self.search, on_change=find).props(
                "dense outlined clearable debounce=400"
            ).classes("w-full")
            ui.label(self.say("hierarchies.some", shown=SHOWN, total=number(total))).classes("text-caption")
        place = ui.scroll_area().style("height: 25rem").classes("w-full")
        planted()

    def _picked(self, node: str | None) -> None:
        level, _, code = (node or "").partition(":")
        hierarchy = self.page.seen.hierarchy
        if hierarchy is None or not level.isdigit() or not code.isdigit():
            self.page.groups.pick(None)
            return
        self.page.groups.pick((int(level), hierarchy.labels[int(level)][int(code)]))

    def _described(self, level: int, label: Label, values: int, records: int) -> str:
        number = self.page.session.number
        if level < 0:
            return self.say("hierarchies.hidden", count=number(values))
        if level == 0 or values == 1:
            return f"{self._named(label)} · {number(records)}"
        return self.say("hierarchies.group", name=self._named(label), values=number(values), records=number(records))

    def _named(self, label: Label) -> str:
        return self.page.session.figures.label(label)


def _walked(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(below for child in node.get("children", []) for below in _walked(child))]


def _options(bars: list[tuple[str, int]]) -> dict[str, Any]:
    names = {"data": [name for name, _ in bars], "axisLabel": {"width": 130, "overflow": "truncate"}}
    return {
        "grid": {"left": 4, "right": 24, "top": 4, "bottom": 4, "containLabel": True},
        "xAxis": axis("value", splitNumber=3),
        "yAxis": axis("category", inverse=True, **names),
        "tooltip": {"trigger": "axis", ":valueFormatter": PLAIN},
        "series": [
            {"type": "bar", "data": [size for _, size in bars], "itemStyle": {"color": ORANGE}, "barMaxWidth": 16}
        ],
    }
