"""Rows of a data set, a page at a time, in any order. Values that seem to identify people are sent when asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nicegui import events, run, ui

from cobogo.faces.server.services.datasets import RowOrder
from cobogo.faces.workbench.frame import section
from cobogo.faces.workbench.session import Desk, Session

PAGE = 25
HIDDEN = "••••••"
HEADER = """
<q-tr :props="props">
  <q-th v-for="col in props.cols" :key="col.name" :props="props" :aria-sort="col.sorted || 'none'">
    <span v-if="col.name === 'n'">#</span>
    <q-btn v-else flat dense no-caps size="13px" :label="col.label" :aria-label="col.sort" :icon-right="col.arrow"
      @click="$parent.$emit('order', col.at)"><q-tooltip>{{ col.sort }}</q-tooltip></q-btn>
    <q-btn v-if="col.eye" flat dense round size="sm" :icon="col.eye" :aria-label="col.reveal"
      @click="$parent.$emit('reveal', col.at)"><q-tooltip>{{ col.reveal }}</q-tooltip></q-btn>
  </q-th>
</q-tr>
"""


@dataclass
class RowsView:
    """Where somebody stands in a table, by which column it is sorted, and what they asked to see."""

    rows: int
    offset: int = 0
    order: RowOrder | None = None
    revealed: set[int] = field(default_factory=set)

    def move(self, offset: int) -> None:
        """Turn to the page that begins with a row, or to the nearest that there is."""
        self.offset = min(max(offset, 0), max((self.rows - 1) // PAGE * PAGE, 0))

    def sort(self, column: int, meant: str | None) -> None:
        """By a column: upwards, then downwards, then in the order of the file again."""
        if self.order is None or self.order.column != column:
            self.order = RowOrder(column, meant)
        else:
            self.order = None if self.order.descending else RowOrder(column, meant, descending=True)
        self.offset = 0


async def show(desk: Desk, session: Session, row: dict[str, Any]) -> None:
    """The rows of a data set with what turns their pages."""
    found = await run.io_bound(desk.service.datasets.profile, session.caller, row["id"])
    if found is not None:
        await _Rows(desk, session, row, found["columns"]).draw()


class _Rows:
    """The table on the page."""

    def __init__(self, desk: Desk, session: Session, row: dict[str, Any], columns: list[dict[str, Any]]) -> None:
        self.desk, self.row, self.columns, self.say, self.session = desk, row, columns, session.say, session
        self.number = session.number
        self.view = RowsView(row["about"]["rows"])
        self.veiled = {at for at, one in enumerate(columns) if one["role"] == "identifier"}
        section(self.say("data.preview"))
        if self.veiled:
            ui.label(self.say("data.veiled", count=self.number(len(self.veiled)))).classes("text-caption")
        self.table = ui.table(rows=[], columns=[], row_key="n").classes("w-full").props("dense flat bordered")
        self.table.add_slot("header", HEADER)
        self.table.on("order", self._order)
        self.table.on("reveal", self._reveal)
        with ui.row().classes("items-center"):
            self._turn("data.begin", "first_page", lambda: self._move(0))
            back = ui.button(self.say("data.previous"), on_click=lambda: self._move(self.view.offset - PAGE))
            self.label = ui.label().props("role=status")
            on = ui.button(self.say("data.next"), on_click=lambda: self._move(self.view.offset + PAGE))
            self._turn("data.end", "last_page", lambda: self._move(self.view.rows))
            self.wanted = ui.number(self.say("data.goto"), min=1, max=self.view.rows, precision=0)
        for button in (back, on):
            button.props("flat no-caps")
        self.wanted.props("dense outlined").style("width: 10rem").on("keydown.enter", self._jump).on("blur", self._jump)

    def _turn(self, key: str, icon: str, action: Callable[[], Any]) -> None:
        label = self.say(key)
        ui.button(icon=icon, on_click=action).props(f'flat round dense aria-label="{label}"').tooltip(label)

    async def draw(self) -> None:
        """Fetch the page that is turned to, and show it."""
        self.table.props("loading")
        rows = await run.io_bound(self._read)
        numbered = {"name": "n", "field": "n", "label": "#", "align": "right"}
        self.table.columns = [numbered, *map(self._described, range(len(self.columns)))]
        self.table.rows = rows or []
        self.table.props(remove="loading")
        first, last = self.view.offset + 1, min(self.view.offset + PAGE, self.view.rows)
        told = {"first": first, "last": last, "total": self.view.rows}
        self.label.text = self.say("data.range", **{key: self.number(value) for key, value in told.items()})

    def _read(self) -> list[dict[str, Any]]:
        if not self.session.here:  # logged out in another window
            return []
        hidden = self.veiled - self.view.revealed
        return [
            {"n": self.number(at + 1)}
            | {f"c{n}": HIDDEN if n in hidden and value is not None else value for n, value in enumerate(values)}
            for at, values in self.desk.service.datasets.page(
                self.session.caller, self.row["id"], self.view.offset, PAGE, self.view.order
            )
        ]

    def _described(self, at: int) -> dict[str, Any]:
        """A column, with what its header says and does."""
        name, order = self.columns[at]["column"], self.view.order
        told = {"name": f"c{at}", "field": f"c{at}", "label": name, "at": at, "sort": self.say("data.sort", name=name)}
        told["align"] = "right" if str(self.columns[at]["sort"]).startswith("try_cast") else "left"
        if order is not None and order.column == at:
            told["arrow"] = "arrow_downward" if order.descending else "arrow_upward"
            told["sorted"] = "descending" if order.descending else "ascending"
        if at in self.veiled:
            shown = at in self.view.revealed
            told["eye"] = "visibility_off" if shown else "visibility"
            told["reveal"] = self.say("data.hide" if shown else "data.reveal", name=name)
        return told

    async def _move(self, offset: int) -> None:
        self.view.move(offset)
        await self.draw()

    async def _jump(self) -> None:
        if self.wanted.value is not None:
            await self._move((int(self.wanted.value) - 1) // PAGE * PAGE)

    async def _order(self, event: events.GenericEventArguments) -> None:
        self.view.sort(int(event.args), self.columns[int(event.args)]["sort"])
        await self.draw()

    async def _reveal(self, event: events.GenericEventArguments) -> None:
        self.view.revealed ^= {int(event.args)} & self.veiled
        await self.draw()
