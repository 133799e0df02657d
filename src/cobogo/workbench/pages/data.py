"""Data: upload a table, choose one, look at its rows. Rows come page by page from the server's own copy."""

from __future__ import annotations

import io
from typing import Any

from nicegui import events, run, ui

from cobogo.errors import CobogoError
from cobogo.server import tables
from cobogo.server.settings import MEGABYTE
from cobogo.server.state import DATASETS
from cobogo.workbench.draft import Draft, rendered
from cobogo.workbench.frame import framed
from cobogo.workbench.session import Desk, Session

PAGE = 25


def build(desk: Desk) -> None:
    """The first step."""
    with framed(desk, "data") as session:
        if session is None:
            return
        _upload(desk, session)
        ui.label(session.say("data.mine")).classes("text-h6")
        _datasets(desk, session)
        if session.dataset is not None:
            _rows(desk, session)


def _upload(desk: Desk, session: Session) -> None:
    async def taken(event: events.UploadEventArguments) -> None:
        assert session.holder is not None
        content = io.BytesIO(await event.file.read())
        try:
            identity = await run.io_bound(
                tables.receive, desk.house, session.holder.owner, event.file.name[:200], content
            )
        except CobogoError as error:
            ui.notify(str(error), type="negative", multi_line=True, timeout=0, close_button="OK")
            event.sender.reset()  # type: ignore[attr-defined]
            return
        choose(desk, session, str(identity))
        ui.navigate.reload()

    most = desk.house.settings.limits.upload_megabytes * MEGABYTE
    with ui.card().classes("w-full"):
        ui.upload(label=session.say("data.drop"), on_upload=taken, auto_upload=True, max_file_size=most).classes(
            "w-full"
        ).props("flat bordered accept=.csv,.txt,.tsv,.parquet,.gz")
        ui.label(session.say("data.what")).classes("text-caption")


def choose(desk: Desk, session: Session, identity: str) -> None:
    """Work on a data set, with the policy that its columns suggest."""
    row = desk.house.state.get(DATASETS, identity, session.owner)
    if row is None:
        return
    _, text = tables.suggestion(desk.house, row)
    session.dataset, session.job = identity, None
    session.draft = Draft(rendered(Draft(text).content()))


def _datasets(desk: Desk, session: Session) -> None:
    assert session.holder is not None
    rows = [row for row in desk.house.state.rows(DATASETS, session.holder.owner) if row["about"]]
    if not rows:
        ui.label(session.say("data.none"))
    for row in rows:
        known = tables.about(row)
        chosen = row["id"] == session.dataset
        with (
            ui.card().classes("w-full" + (" bg-orange-1 text-black" if chosen else "")),
            ui.row().classes("items-center w-full"),
        ):
            ui.icon("table_chart").props("size=md")
            with ui.column().classes("gap-0"):
                ui.label(row["name"]).classes("text-subtitle1 text-weight-medium")
                text = session.say("data.rows", rows=f"{known['rows']:,}", columns=len(known["columns"]))
                ui.label(text).classes("text-caption")
            ui.space()
            ui.button(session.say("data.use"), on_click=lambda one=row["id"]: _use(desk, session, one)).props("no-caps")
            ui.button(session.say("data.delete"), on_click=lambda one=row["id"]: _delete(desk, session, one)).props(
                "flat no-caps color=negative"
            )


async def _use(desk: Desk, session: Session, identity: str) -> None:
    await run.io_bound(choose, desk, session, identity)
    ui.navigate.reload()


def _delete(desk: Desk, session: Session, identity: str) -> None:
    desk.house.state.remove(DATASETS, identity)
    desk.house.files.forget("datasets", identity)
    if session.dataset == identity:
        session.dataset = None
    ui.navigate.reload()


def _rows(desk: Desk, session: Session) -> None:
    row = desk.house.state.get(DATASETS, str(session.dataset))
    if row is None:
        return
    known = tables.about(row)
    at = {"offset": 0}
    ui.label(session.say("data.preview")).classes("text-h6")

    def shown() -> list[dict[str, Any]]:
        found = tables.page(desk.house, row["id"], at["offset"], PAGE)
        return [
            {"n": at["offset"] + number + 1} | {f"c{column}": value for column, value in enumerate(values)}
            for number, values in enumerate(found)
        ]

    columns = [{"name": "n", "label": "#", "field": "n", "align": "right"}]
    columns += [
        {"name": f"c{number}", "label": name, "field": f"c{number}", "align": "left"}
        for number, name in enumerate(known["columns"])
    ]
    table = ui.table(rows=shown(), columns=columns, row_key="n").classes("w-full").props("dense flat bordered")
    with ui.row().classes("items-center"):
        label = ui.label()

        def move(by: int) -> None:
            at["offset"] = min(max(at["offset"] + by, 0), max((known["rows"] - 1) // PAGE * PAGE, 0))
            table.rows = shown()
            last = min(at["offset"] + PAGE, known["rows"])
            label.text = session.say(
                "data.range", first=f"{at['offset'] + 1:,}", last=f"{last:,}", total=f"{known['rows']:,}"
            )

        ui.button(session.say("data.previous"), on_click=lambda: move(-PAGE)).props("flat no-caps")
        ui.button(session.say("data.next"), on_click=lambda: move(PAGE)).props("flat no-caps")
        move(0)
