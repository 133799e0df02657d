"""Data: bring a table in, choose one, look at its rows. Rows come page by page from the server's own copy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nicegui import events, run, ui

from cobogo.data.files.formats import FORMATS
from cobogo.errors import CobogoError, DataError
from cobogo.faces.server.services.datasets import RowOrder
from cobogo.faces.server.settings import MEGABYTE
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.frame import attempt, complain, open_page, section
from cobogo.faces.workbench.labels import CHOICE
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.floor.language import tr

OPTION = {
    "separator": tr("Separator"),
    "encoding": tr("Encoding"),
    "decimal": tr("Decimal mark"),
    "header": tr("Line of the header"),
    "sheet": tr("Sheet of a spreadsheet"),
    "range": tr("Range of its cells, such as B3:F200"),
    "table": tr("Table of a SQLite database"),
}

ENCODINGS: dict[str | None, str] = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1 (ISO 8859-1)",
}
ACCEPTED = ",".join((*(ending for kind in FORMATS.values() for ending in kind.endings), ".gz", ".zst"))
"""The endings of files that a browser offers."""

EXAMPLE_ROWS = 5000
SEPARATORS = (",", ";", "\t", "|")


async def build(desk: Desk) -> None:
    with open_page(desk, "data") as session:
        if session is None:
            return
        with ui.card().classes("w-full"):
            _upload(desk, session)
            _databases(desk, session)
        _datasets(desk, session)
        row = desk.service.datasets.find(session.caller, session.dataset)
        if row is not None:
            await show_rows(desk, session, row)


def _upload(desk: Desk, session: PageSession) -> None:
    options: dict[str, str | None] = dict.fromkeys(OPTION)
    busy = _waiting(session)

    async def receive(event: events.UploadEventArguments) -> None:
        with desk.service.datasets.stage(session.caller) as stage:
            await event.file.save(stage / "upload")
            name = event.file.name[:200] or "table"
            await _receive(desk, session, busy, name, stage / "upload", dict(options))
        event.sender.reset()  # type: ignore[attr-defined]

    most = desk.service.datasets.upload_megabytes
    drop = ui.upload(
        label=session.say("Drop a file here (CSV, Excel, SPSS, Stata, SAS, Parquet, …), or choose one"),
        on_begin_upload=lambda: busy.set_visibility(True),
        on_upload=receive,
        on_rejected=lambda: ui.notify(
            session.say("The file is not of a kind that can be read, or is larger than {most} MB.", most=most)
        ),
        auto_upload=True,
        max_file_size=most * MEGABYTE,
    )
    drop.on(
        "failed",
        lambda: ui.notify(
            session.say("The upload failed: the file is larger than {most} MB, or the connection was lost.", most=most),
            type="negative",
        ),
        args=[],
    )
    drop.classes("w-full").props(f"flat bordered accept={ACCEPTED}")
    drop.props["data-name"] = session.say("Drop a file here (CSV, Excel, SPSS, Stata, SAS, Parquet, …), or choose one")
    _options(session, options)
    ui.label(session.say("The file stays on this server. Nothing leaves it until you download a release.")).classes(
        "text-caption"
    )


def _waiting(session: PageSession) -> ui.row:
    """What is seen while a table is read."""
    with ui.row().classes("items-center") as row:
        ui.spinner(size="sm")
        ui.label(session.say("Reading the table and counting its values…")).props("role=status")
    row.set_visibility(False)
    return row


def _options(session: PageSession, options: dict[str, str | None]) -> None:
    """What a CSV file does not say of itself, and where in a file of several tables the table is."""
    choices: dict[str, dict[str | None, str]] = {
        "separator": {None: session.say("Detect")} | {one: session.say(CHOICE[one]) for one in SEPARATORS},
        "encoding": {None: session.say("Detect"), **ENCODINGS},
        "decimal": {None: session.say("Detect"), ".": session.say("Point: 1.5"), ",": session.say("Comma: 1,5")},
    }
    with (
        ui.expansion(session.say("How the file is read (if it is read wrongly)"), icon="tune")
        .classes("w-full")
        .props("dense"),
        ui.row(),
    ):
        for key, known in choices.items():
            ui.select(
                known,
                value=options[key],
                label=session.say(OPTION[key]),
                on_change=lambda event, key=key: options.update({key: event.value}),
            ).style("width: 15rem").props("dense outlined")
        ui.number(
            session.say(OPTION["header"]),
            min=1,
            max=1000,
            precision=0,
            on_change=lambda event: options.update(header=str(int(event.value)) if event.value else None),
        ).style("width: 15rem").props("dense outlined")
        for key in ("sheet", "range", "table"):
            ui.input(
                session.say(OPTION[key]), on_change=lambda event, key=key: options.update({key: event.value or None})
            ).style("width: 15rem").props("dense outlined")


def _databases(desk: Desk, session: PageSession) -> None:
    """Tables of the databases that the server's settings name."""
    known = desk.service.datasets.list_sources(session.caller)
    if not known:
        return

    async def show_tables() -> None:
        found = await attempt(session, desk.service.datasets.list_tables, session.caller, str(source.value))
        table.set_options(found or [], value=None)

    async def take() -> None:
        if table.value:
            await _keep(desk, session, busy, actions.copy_table, str(source.value), str(table.value))

    with ui.expansion(session.say("Copy a table from a database"), icon="storage").classes("w-full").props("dense"):
        ui.label(session.say("The table is copied in its present state. The database is not changed.")).classes(
            "text-caption"
        )
        with ui.row().classes("items-center"):
            source = ui.select(known, label=session.say("Database"), on_change=show_tables)
            table = ui.select([], label=session.say("Table"), with_input=True)
            for field in (source, table):
                field.props("dense outlined").style("width: 16rem")
            ui.button(session.say("Copy"), on_click=take).props("no-caps")
        busy = _waiting(session)


async def _receive(
    desk: Desk, session: PageSession, busy: ui.row, name: str, file: Path, options: dict[str, str | None]
) -> None:
    """Receive a file. Where it does not say which part of it is the table, its owner is asked."""
    while True:
        busy.set_visibility(True)
        try:
            identity = await run.io_bound(actions.receive_table, desk, session, "", name, file, options)
        except CobogoError as error:
            busy.set_visibility(False)
            offers = error.offers if isinstance(error, DataError) else None
            part = None if offers is None else await _choose_part(session, error, *offers)
            if offers is None or part is None:
                if offers is None:
                    complain(error, session.language)
                return
            options[offers[0]] = part
        else:
            busy.set_visibility(False)
            ui.navigate.to(session.address("data", data=identity, release=None))
            return


async def _choose_part(session: PageSession, error: CobogoError, key: str, known: tuple[str, ...]) -> str | None:
    """Which sheet, table or range is to be read; None if none of them."""
    say = session.say
    with ui.dialog(value=True).props("persistent") as dialog, ui.card().classes("gap-3").style("max-width: 36rem"):
        ui.label(say("Which part of the file is the table?")).classes("text-h6")
        where = "" if error.where is None else f"{say(error.where)}: "
        ui.label(f"{where}{say(error.what)}").classes("text-body2")
        choice = ui.select(list(known), value=known[0], label=say(OPTION[key])).props("outlined").classes("w-full")
        with ui.row().classes("gap-2"):
            ui.button(say("Read it"), on_click=lambda: dialog.submit(choice.value)).props("no-caps autofocus")
            ui.button(say("Cancel"), on_click=lambda: dialog.submit(None)).props("flat no-caps")
    chosen = await dialog
    dialog.delete()
    return None if chosen is None else str(chosen)


async def _keep(desk: Desk, session: PageSession, busy: ui.row, take: Callable[..., str], *given: Any) -> None:
    """Receive a table off the event loop, and open it; show the error if it is not a table."""
    busy.set_visibility(True)
    identity = await attempt(session, take, desk, session, "", *given)
    busy.set_visibility(False)
    if identity is not None:
        ui.navigate.to(session.address("data", data=identity, release=None))


def _datasets(desk: Desk, session: PageSession) -> None:
    rows = desk.service.datasets.list_all(session.caller)
    section(session.say("Your data sets"))
    if not rows:
        _nothing_yet(desk, session)
    for row in rows:
        _dataset(desk, session, row)


def _nothing_yet(desk: Desk, session: PageSession) -> None:
    async def example() -> None:
        await _keep(
            desk, session, busy, actions.receive_example, session.say("Example: patients of Ceará.csv"), EXAMPLE_ROWS
        )

    with ui.card().classes("w-full items-center q-pa-lg"):
        ui.icon("table_view").props("size=xl color=primary")
        ui.label(session.say("No table was uploaded yet.")).classes("text-subtitle1")
        ui.label(
            session.say(
                "A table has one row for each person or event, and its first line names the columns. Upload "
                "one above. The next page suggests a role for each column. To explore the workbench first, "
                "use the example: invented patients of Ceará. None of them exists."
            )
        ).style("max-width: 44rem; text-align: center")
        ui.button(session.say("Use example data"), icon="science", on_click=example).props("outline no-caps")
        busy = _waiting(session)


def _dataset(desk: Desk, session: PageSession, row: dict[str, Any]) -> None:
    known = row["about"]
    chosen = row["id"] == session.dataset
    card = ui.card().classes("w-full q-py-sm")
    if chosen:
        card.style("border-left: 6px solid var(--q-primary)")
    with card, ui.row().classes("items-center w-full no-wrap cobogo-wrap"):
        ui.icon("table_chart").props("size=md")
        with ui.column().classes("gap-0"):
            ui.label(row["name"]).classes("text-subtitle1 text-weight-medium")
            counts = {"rows": known["rows"], "columns": len(known["columns"])}
            text = session.say("{rows} rows, {columns} columns, {size}", **counts, size=_size(session, known))
            ui.label(f"{text} · {session.date(row['created'])}").classes("text-caption")
        ui.space()
        if chosen:
            ui.icon("check_circle").props("size=sm color=positive")
            ui.label(session.say("In use")).classes("text-positive text-weight-medium")
            ui.button(
                session.say("Continue with its columns"), on_click=lambda: ui.navigate.to(session.address("columns"))
            ).props("no-caps")
        else:
            there = session.address("data", data=row["id"], release=None)
            ui.button(session.say("Use"), on_click=lambda: ui.navigate.to(there)).props("no-caps outline")
        label = session.say("Delete")
        ui.button(icon="delete", on_click=lambda: _confirm_delete(desk, session, row)).props(
            f'flat round color=negative aria-label="{label}"'
        ).tooltip(label)


def _size(session: PageSession, known: dict[str, Any]) -> str:
    size = known["size"]
    number = session.say.number
    return f"{number(round(size / MEGABYTE, 1))} MB" if size >= MEGABYTE else f"{number(max(size // 1024, 1))} KB"


async def _confirm_delete(desk: Desk, session: PageSession, row: dict[str, Any]) -> None:
    """Delete a data set when that is confirmed."""
    with ui.dialog() as dialog, ui.card():
        ui.label(session.say("Delete {name}?", name=row["name"])).classes("text-subtitle1")
        ui.label(
            session.say("The table and the files attached to it are deleted from this server. Its releases stay.")
        ).classes("text-caption")
        with ui.row().classes("w-full justify-end"):
            ui.button(session.say("Keep it"), on_click=lambda: dialog.submit(False)).props("flat no-caps autofocus")
            ui.button(session.say("Delete"), on_click=lambda: dialog.submit(True)).props("no-caps color=negative")
    if not await dialog:
        return
    await attempt(session, actions.forget_dataset, desk, session, row["id"])
    there = None if row["id"] == session.dataset else session.dataset
    if desk.service.datasets.find(session.caller, row["id"]) is None:
        ui.navigate.to(session.address("data", data=there, release=None))


PAGE = 25
WIDE = 40
"""Columns that are drawn at once: hundreds would take a browser seconds."""
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
    """The part of a table on the screen: its place, its order, and the hidden columns that were revealed."""

    rows: int
    columns: int = 1
    offset: int = 0
    first: int = 0
    order: RowOrder | None = None
    revealed: set[int] = field(default_factory=set)

    def move(self, offset: int) -> None:
        """Turn to the page that begins with a row, or to the nearest that there is."""
        self.offset = min(max(offset, 0), max((self.rows - 1) // PAGE * PAGE, 0))

    def turn(self, column: int) -> None:
        """Show the columns from one on, or the last that there are."""
        self.first = min(max(column, 0), max(self.columns - WIDE, 0))

    @property
    def part(self) -> slice:
        """The columns on the screen: of hundreds, as many as a browser draws at once."""
        return slice(self.first, min(self.first + WIDE, self.columns))

    def sort(self, column: int, meant: str | None) -> None:
        """By a column: upwards, then downwards, then in the order of the file again."""
        if self.order is None or self.order.column != column:
            self.order = RowOrder(column, meant)
        else:
            self.order = None if self.order.descending else RowOrder(column, meant, descending=True)
        self.offset = 0


async def show_rows(desk: Desk, session: PageSession, row: dict[str, Any]) -> None:
    """The rows of a data set with what turns their pages."""
    found = await run.io_bound(desk.service.datasets.profile, session.caller, row["id"])
    if found is not None:
        await _Rows(desk, session, row, found["columns"]).draw()


class _Rows:
    """The table on the page."""

    def __init__(self, desk: Desk, session: PageSession, row: dict[str, Any], columns: list[dict[str, Any]]) -> None:
        self.desk, self.row, self.columns, self.say, self.session = desk, row, columns, session.say, session
        self.number = session.say.number
        self.view = RowsView(row["about"]["rows"], len(columns))
        self.veiled = {at for at, one in enumerate(columns) if one["role"] == "identifier"}
        section(self.say("Rows"))
        if self.veiled:
            ui.label(
                self.say(
                    "Columns that appear to identify people: {count}. Click the eye to show their values.",
                    count=self.number(len(self.veiled)),
                )
            ).classes("text-caption")
        self.table = ui.table(rows=[], columns=[], row_key="n").classes("w-full").props("dense flat bordered")
        self.table.add_slot("header", HEADER)
        self.table.on("order", self._order)
        self.table.on("reveal", self._reveal)
        with ui.row().classes("items-center"):
            self._turn(tr("First page"), "first_page", lambda: self._move(0))
            back = ui.button(self.say("Previous"), on_click=lambda: self._move(self.view.offset - PAGE))
            self.label = ui.label().props("role=status")
            on = ui.button(self.say("Next"), on_click=lambda: self._move(self.view.offset + PAGE))
            self._turn(tr("Last page"), "last_page", lambda: self._move(self.view.rows))
            self.wanted = ui.number(self.say("Go to row"), min=1, max=self.view.rows, precision=0)
        for button in (back, on):
            button.props("flat no-caps")
        self.wanted.props("dense outlined").style("width: 10rem").on("keydown.enter", self._jump).on("blur", self._jump)
        self.beside: ui.label | None = None
        if len(columns) > WIDE:
            self.beside = self._draw_turning()

    def _draw_turning(self) -> ui.label:
        """What turns to other columns."""
        say = self.say
        with ui.row().classes("items-center"):
            back = ui.button(say("Previous columns"), on_click=lambda: self._turn_columns(self.view.first - WIDE))
            beside = ui.label().props("role=status")
            on = ui.button(say("Next columns"), on_click=lambda: self._turn_columns(self.view.first + WIDE))
            names = {at: one["column"] for at, one in enumerate(self.columns)}
            ui.select(
                names,
                label=say("Go to column"),
                with_input=True,
                on_change=lambda event: self._turn_columns(int(event.value or 0)),
            ).props("dense outlined").style("width: 14rem")
        for button in (back, on):
            button.props("flat no-caps")
        return beside

    def _turn(self, key: str, icon: str, action: Callable[[], Any]) -> None:
        label = self.say(key)
        ui.button(icon=icon, on_click=action).props(f'flat round dense aria-label="{label}"').tooltip(label)

    async def draw(self) -> None:
        """Fetch the page that is turned to, and show it."""
        self.table.props("loading")
        rows = await run.io_bound(self._read)
        numbered = {"name": "n", "field": "n", "label": "#", "align": "right"}
        self.table.columns = [numbered, *map(self._describe_column, range(len(self.columns))[self.view.part])]
        self.table.rows = rows or []
        self.table.props(remove="loading")
        first, last = self.view.offset + 1, min(self.view.offset + PAGE, self.view.rows)
        told = {"first": first, "last": last, "total": self.view.rows}
        self.label.text = self.say(
            "Rows {first} to {last} of {total}", **{key: self.number(value) for key, value in told.items()}
        )
        if self.beside is not None:
            told = {"first": self.view.part.start + 1, "last": self.view.part.stop, "total": len(self.columns)}
            self.beside.text = self.say(
                "Columns {first} to {last} of {total}", **{key: self.number(value) for key, value in told.items()}
            )

    def _read(self) -> list[dict[str, Any]]:
        if not self.session.here:  # logged out in another window
            return []
        hidden = self.veiled - self.view.revealed
        return [
            {"n": self.number(at + 1)}
            | {
                f"c{n}": HIDDEN if n in hidden and value is not None else value
                for n, value in enumerate(values, self.view.first)
            }
            for at, values in self.desk.service.datasets.page(
                self.session.caller, self.row["id"], self.view.offset, PAGE, self.view.order, self.view.part
            )
        ]

    def _describe_column(self, at: int) -> dict[str, Any]:
        """A column, with what its header says and does."""
        name, order = self.columns[at]["column"], self.view.order
        told = {
            "name": f"c{at}",
            "field": f"c{at}",
            "label": name,
            "at": at,
            "sort": self.say("Sort by {name}", name=name),
        }
        told["align"] = "right" if str(self.columns[at]["sort"]).startswith("try_cast") else "left"
        if order is not None and order.column == at:
            told["arrow"] = "arrow_downward" if order.descending else "arrow_upward"
            told["sorted"] = "descending" if order.descending else "ascending"
        if at in self.veiled:
            shown = at in self.view.revealed
            told["eye"] = "visibility_off" if shown else "visibility"
            told["reveal"] = self.say(
                tr("Hide the values of {name}") if shown else tr("Show the values of {name}"), name=name
            )
        return told

    async def _move(self, offset: int) -> None:
        self.view.move(offset)
        await self.draw()

    async def _turn_columns(self, column: int) -> None:
        self.view.turn(column)
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
