"""What a hierarchy makes of a column: levels in numbers, the groups of one as bars, the tree, what it cannot place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import events, ui
from numpy.typing import NDArray

from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import Policy
from cobogo.errors import CobogoError, HierarchyError, UnfitValues
from cobogo.faces.server.services.datasets import Counted
from cobogo.faces.workbench.charts import ORANGE, PLAIN, axis, plot
from cobogo.floor.language import tr

if TYPE_CHECKING:
    from cobogo.faces.workbench.pages.hierarchies import HierarchiesPage

LEVELS = {
    "level": tr("Level"),
    "groups": tr("Groups"),
    "smallest": tr("Smallest group"),
    "average": tr("Average"),
    "largest": tr("Largest group"),
}


MOST = 200_000
"""Values that a hierarchy is tried on; a run builds it on all."""

SHOWN = 60
"""Values that are drawn in a tree."""


@dataclass(frozen=True)
class Level:
    """How a column is divided at a level. ``groups`` are those that the data has."""

    level: int
    groups: int
    smallest: int
    average: float
    largest: int


@dataclass
class HierarchyPreview:
    """A hierarchy on the values of a column, or the error that prevented it."""

    hierarchy: Hierarchy | None = None
    records: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # of each leaf
    unfit: Counted = field(default_factory=list)
    error: CobogoError | None = None

    def sizes(self, level: int) -> NDArray[np.int64]:
        """The records of each label of a level."""
        assert self.hierarchy is not None
        labels = self.hierarchy.labels[level]
        return np.bincount(self.hierarchy.maps[level], weights=self.records, minlength=len(labels)).astype(np.int64)

    @cached_property
    def levels(self) -> list[Level]:
        """Every level in numbers."""
        found = []
        for level in range(self.hierarchy.height + 1 if self.hierarchy else 0):
            sizes = self.sizes(level)
            sizes = sizes[sizes > 0]
            if len(sizes):
                ends = int(sizes.min()), float(sizes.mean()), int(sizes.max())
                found.append(Level(level, len(sizes), *ends))
        return found

    def bars(self, level: int, most: int = 30) -> tuple[list[tuple[Label, int]], int]:
        """The groups of a level in their order, and how many smaller ones are left out."""
        assert self.hierarchy is not None
        sizes = self.sizes(level)
        there = np.flatnonzero(sizes)
        kept = np.sort(there[np.argsort(-sizes[there], kind="stable")][:most])
        return [(self.hierarchy.labels[level][code], int(sizes[code])) for code in kept], len(there) - len(kept)

    def leaves(self, search: str = "") -> list[int]:
        """The most frequent leaves, of those that hold a text."""
        wanted = search.casefold()
        fits = np.arange(len(self.records))
        if wanted:
            fits = np.fromiter((code for code, text in enumerate(self._folded) if wanted in text), dtype=np.int64)
        best = fits[np.argsort(-self.records[fits], kind="stable")][:SHOWN]
        return [int(code) for code in np.sort(best)]

    @cached_property
    def _folded(self) -> list[str]:
        assert self.hierarchy is not None
        return ["" if label is None else label.casefold() for label in self.hierarchy.leaves]

    def prepare(self) -> HierarchyPreview:
        """Compute the slow parts now, off the event loop."""
        assert self.levels is not None
        assert self._folded is not None
        return self


def preview(read: Callable[[], Policy], home: Path, name: str, counted: Counted) -> HierarchyPreview:
    """Build the hierarchy that a policy asks for on a column's values; values that do not fit are listed apart."""
    try:
        policy = read()
        spec = policy.attributes[name].hierarchy
        counts: dict[Label, int] = {}
        for value, records in counted:
            label = None if value in policy.data.missing else value
            counts[label] = counts.get(label, 0) + records
        unfit: Counted = []
        for _ in range(3):  # what is no number first, then what lies out of bounds
            try:
                built = build(name, spec, list(counts), policy=policy)
            except UnfitValues as error:
                unfit += [(value, counts.pop(value)) for value in error.values if value in counts]
                unfit.sort(key=lambda one: -one[1])
                if not any(value is not None for value in counts):
                    return HierarchyPreview(unfit=unfit, error=error)
            else:
                found = np.fromiter((counts.get(leaf, 0) for leaf in built.leaves), dtype=np.int64)
                return HierarchyPreview(built, found, unfit).prepare()
    except CobogoError as error:
        remedy = None if error.remedy is None else error.remedy.replace(f"{home}/", "")
        return HierarchyPreview(error=HierarchyError(error.what, where=error.where, remedy=remedy))
    return HierarchyPreview(unfit=unfit)


def nodes(seen: HierarchyPreview, leaves: Sequence[int], describe: Any) -> list[dict[str, Any]]:
    """The tree above some leaves, from the top down; what is left out of a group is counted in it.

    ``describe(level, code, values, records)`` says what a group, or a value, is called.
    """
    hierarchy = seen.hierarchy
    assert hierarchy is not None
    sizes = [seen.sizes(level) for level in range(hierarchy.height + 1)]
    below: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for leaf in leaves:
        for level in range(hierarchy.height):
            child = (level, int(hierarchy.maps[level][leaf]))
            siblings = below.setdefault((level + 1, int(hierarchy.maps[level + 1][leaf])), [])
            if child not in siblings:
                siblings.append(child)

    def make_node(level: int, code: int) -> dict[str, Any]:
        values = int(hierarchy.leaf_counts[level][code])
        node: dict[str, Any] = {"id": f"{level}:{code}"}
        node["label"] = describe(level, hierarchy.labels[level][code], values, int(sizes[level][code]))
        children = below.get((level, code), [])
        if children:
            node["children"] = [make_node(*child) for child in children]
            hidden = int(np.count_nonzero(hierarchy.parents[level - 1] == code)) - len(children)
            if hidden:
                more = {"id": f"more:{level}:{code}", "label": describe(-1, None, hidden, 0), "selectable": False}
                node["children"].append(more)
        return node

    tops = dict.fromkeys(int(hierarchy.maps[hierarchy.height][leaf]) for leaf in leaves)
    return [make_node(hierarchy.height, code) for code in tops]


CSS = "@layer overrides { .q-tree { color: #5c5c5c } .body--dark .q-tree { color: #b8b8b8 } }"
"""Lines and arrows of a tree that can be seen."""


class PreviewPanel:
    """The right side of the page."""

    def __init__(self, page: HierarchiesPage) -> None:
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
                    ui.label(self.page.session.say.error(seen.error)).style("white-space: pre-line")
            if seen.hierarchy is None:
                return
            self.level = min(self.level, seen.hierarchy.height)
            self._levels()
            if self.page.sensitive and not self.asked:
                ui.button(
                    self.say("Show the values of this sensitive column"), icon="visibility", on_click=self._ask
                ).props("outline no-caps")
                return
            with ui.row().classes("w-full items-start no-wrap cobogo-beside"):
                with ui.column().classes("gap-1").style("flex: 1; min-width: 0"):
                    self._draw_search()
                self.chart = ui.column().classes("gap-0").style("flex: 1; min-width: 0")
            self._draw_chart()

    def _ask(self) -> None:
        self.asked = True
        self.draw()
        self.page.groups.draw()

    def _levels(self) -> None:
        number = self.page.session.say.number
        columns = [
            {"name": key, "field": key, "label": self.say(LEVELS[key]), "align": "right"}
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
        table = ui.table(columns=columns, rows=rows, row_key="id", selection="single", on_select=self._choose_level)
        table.props("dense flat bordered hide-selected-banner").classes("w-full")
        table.props["data-name"] = self.say("Level")
        table.selected = [row for row in rows if row["id"] == self.level]

    def _choose_level(self, event: events.TableSelectionEventArguments) -> None:
        if event.selection:
            self.level = int(event.selection[0]["id"])
            if not self.page.sensitive or self.asked:
                self._draw_chart()

    def _draw_chart(self) -> None:
        bars, left = self.page.seen.bars(self.level)
        number = self.page.session.say.number
        self.chart.clear()
        with self.chart:
            ui.label(self.say("Records of each group at level {level}", level=self.level)).classes(
                "text-caption text-weight-medium"
            )
            told = self.say("Records of each group at level {level}", level=self.level)
            named = [(self._label_text(label), size) for label, size in bars]
            plot(_options(named), told, height=f"{max(9, 1.35 * len(bars) + 3)}rem")
            if left:
                ui.label(self.say("and {count} smaller groups", count=number(left))).classes("text-caption")

    def _draw_search(self) -> None:
        def find(event: Any) -> None:
            self.search = event.value or ""
            draw_tree()

        def draw_tree() -> None:
            seen = self.page.seen
            if seen.hierarchy is None:
                return
            leaves = seen.leaves(self.search)
            grown = nodes(seen, leaves, self._describe)
            place.clear()
            with place:
                self.tree = ui.tree(grown, label_key="label", on_select=lambda event: self._pick(event.value))
                self.tree.props("dense no-transition selected-color=primary").classes("w-full")
                self.tree.expand([one["id"] for node in grown for one in _descendants(node)])

        total = len(self.page.seen.hierarchy.leaves) if self.page.seen.hierarchy else 0
        ui.label(self.say("From the highest level down to the values, with their records")).classes(
            "text-caption text-weight-medium"
        )
        if total > SHOWN:
            number = self.page.session.say.number
            ui.input(self.say("Find a value"), value=self.search, on_change=find).props(
                "dense outlined clearable debounce=400"
            ).classes("w-full")
            ui.label(self.say("The {shown} most frequent of {total} values", shown=SHOWN, total=number(total))).classes(
                "text-caption"
            )
        place = ui.scroll_area().style("height: 25rem").classes("w-full")
        draw_tree()

    def _pick(self, node: str | None) -> None:
        level, _, code = (node or "").partition(":")
        hierarchy = self.page.seen.hierarchy
        if hierarchy is None or not level.isdigit() or not code.isdigit():
            self.page.groups.pick(None)
            return
        self.page.groups.pick((int(level), hierarchy.labels[int(level)][int(code)]))

    def _describe(self, level: int, label: Label, values: int, records: int) -> str:
        number = self.page.session.say.number
        if level < 0:
            return self.say("… {count} more", count=number(values))
        if level == 0 or values == 1:
            return f"{self._label_text(label)} · {number(records)}"
        return self.say(
            "{name} · {values} values · {records}",
            name=self._label_text(label),
            values=number(values),
            records=number(records),
        )

    def _label_text(self, label: Label) -> str:
        return self.page.session.say.label(label)


def _descendants(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(below for child in node.get("children", []) for below in _descendants(child))]


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
