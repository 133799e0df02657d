"""Hierarchies as files: taken in, given out, and kept beside the data set."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import events, run, ui

from cobogo.data.hierarchy.csv_file import csv_hierarchy
from cobogo.data.table.files import guess_separator
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.frame import done
from cobogo.faces.workbench.hierarchy.builders import kind_of
from cobogo.faces.workbench.hierarchy.groups import as_csv, rows_of

if TYPE_CHECKING:
    from cobogo.faces.workbench.pages.hierarchies import _Page


class Files:
    """What imports and exports the hierarchy of the column that is turned to."""

    def __init__(self, page: _Page) -> None:
        self.page = page
        say = page.session.say
        with ui.row().classes("w-full gap-2"):
            ui.button(say("hierarchies.export"), icon="download", on_click=self._export).props("outline dense no-caps")
            upload = ui.upload(on_upload=self._import, auto_upload=True, max_file_size=64 << 20).classes("hidden")
            upload.props(f'accept=.csv,.txt data-name="{say("hierarchies.import")}"')
            ui.button(
                say("hierarchies.import"), icon="upload_file", on_click=lambda: upload.run_method("pickFiles")
            ).props("outline dense no-caps")

    @staticmethod
    def plain(name: str) -> str:
        """A column's name as a file may have it."""
        return re.sub(r"[^\w. ()+-]|\.\.", "_", name).lstrip(". ()+-")[:90] or "hierarchy"

    async def _export(self) -> None:
        seen = self.page.seen
        if seen.hierarchy is None:
            ui.notify(self.page.session.say("hierarchies.nofile"), type="warning")
            return
        separator = self.page.session.draft.content().get("data", {}).get("separator", ",")
        hierarchy, name = seen.hierarchy, f"{self.plain(self.page.name)}.csv"
        content = await run.io_bound(lambda: as_csv(rows_of(hierarchy), separator))
        if content is not None:
            ui.download(content, name, "text/csv")

    async def _import(self, event: events.UploadEventArguments) -> None:
        page = self.page
        with page.desk.service.datasets.stage(page.session.caller) as stage:
            await event.file.save(stage / "file.csv")
            spec = await done(page.session, self._taken, stage / "file.csv", self.plain(event.file.name))
        if spec is not None:
            await page.say_spec(spec)

    def _taken(self, file: Path, name: str) -> dict[str, Any]:
        """Keep a file that is a hierarchy; what is none is refused, and not kept."""
        page = self.page
        encoding = _encoding(file)
        separator = guess_separator(file, encoding)
        csv_hierarchy(page.name, file, separator=separator, encoding=encoding, missing=("",), where=name)
        kept = actions.attach_file(page.desk, page.session, page.row["id"], name, file.read_bytes())
        return {"csv": kept, "separator": separator, "encoding": encoding} | _top(page)


def keep(page: _Page, rows: list[Any]) -> dict[str, Any]:
    """Write rows to a file of a column's hierarchy, and say so in a spec."""
    spec = page.spec or {}
    name = spec["csv"] if kind_of(spec) == "csv" else f"{Files.plain(page.name)}.csv"
    kept = actions.attach_file(page.desk, page.session, page.row["id"], name, as_csv(rows, ";"))
    return {"csv": kept, "separator": ";", "encoding": "utf-8"} | _top(page)


def _top(page: _Page) -> dict[str, Any]:
    return {"top": True} if (page.spec or {}).get("top") else {}


def _encoding(file: Path) -> str:
    try:
        file.read_bytes().decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"
