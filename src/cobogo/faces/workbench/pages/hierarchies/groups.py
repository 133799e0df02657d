"""Groups that are edited by hand, or come and go as files, and a place for the values that have none."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import events, run, ui

from cobogo.data.files.encodings import detect_encoding, guess_separator
from cobogo.data.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.data.hierarchy.csv_file import csv_hierarchy
from cobogo.errors import HierarchyError
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.frame import attempt
from cobogo.faces.workbench.pages.hierarchies.form import LARGE, kind_of
from cobogo.floor.language import tr, trn

if TYPE_CHECKING:
    from cobogo.faces.workbench.pages.hierarchies import HierarchiesPage


Row = tuple[Label, ...]


def rows_of(hierarchy: Hierarchy, *, top: bool = False, null: bool = True) -> list[Row]:
    """Every value with its labels. With ``top`` the last level is left to the policy; without ``null`` so is NULL."""
    levels = range(hierarchy.height + 1)
    if top and hierarchy.height > 1 and set(hierarchy.labels[-1]) <= {SUPPRESSED, None}:
        levels = levels[:-1]
    columns = [[hierarchy.labels[level][code] for code in hierarchy.maps[level]] for level in levels]
    rows = list(zip(*columns, strict=True))
    told = (None, SUPPRESSED)
    return rows if null else [row for row in rows if row[0] is not None or any(label not in told for label in row[1:])]


def as_csv(rows: Sequence[Row], separator: str) -> bytes:
    """The file that a hierarchy of kind csv names: UTF-8, no header, NULL empty.

    >>> as_csv([("nurse", "health"), (None, "?")], ";")
    b'nurse;health\\n;?\\n'
    """
    target = io.StringIO()
    writer = csv.writer(target, delimiter=separator, lineterminator="\n")
    writer.writerows(["" if label is None else label for label in row] for row in rows)
    return target.getvalue().encode()


def as_tree(rows: Sequence[Row]) -> dict[str, Any]:
    """The tables that a hierarchy of kind tree has: branches from the top down, lists of values inside.

    >>> as_tree([("nurse", "health", "any"), ("teacher", "school", "any")])
    {'any': {'health': ['nurse'], 'school': ['teacher']}}
    """
    tree: dict[str, Any] = {}
    for row in rows:
        branch = tree
        for label in row[:1:-1]:
            branch = branch.setdefault(label or "", {})
        branch.setdefault(row[1] or "", []).append(row[0] or "")
    return tree


def check_rows(attribute: str, rows: Sequence[Row]) -> list[Row]:
    """The rows, if they are a hierarchy."""
    named = next((row[0] for row in rows if row[0] is not None and not all(row[1:])), None)
    if named is not None:
        raise HierarchyError(
            tr("the group needs a name"),
            where=tr('attribute "{attribute}"', attribute=attribute),
            remedy=tr("Choose a group, or type the name of a new one."),
        )
    Hierarchy.from_columns(attribute, list(zip(*rows, strict=True)))
    return list(rows)


def move(rows: Sequence[Row], level: int, label: Label, group: str) -> list[Row]:
    """A value or a group, with all that is in it, under another group of the next level, or under a new one.

    >>> move([("a", "x", "*"), ("b", "y", "*")], 0, "b", "x")
    [('a', 'x', '*'), ('b', 'x', '*')]
    """
    known = next((row[level + 1 :] for row in rows if row[level + 1] == group), None)
    return [(*row[: level + 1], *(known or (group, *row[level + 2 :]))) if row[level] == label else row for row in rows]


def rename(rows: Sequence[Row], level: int, label: Label, name: str) -> list[Row]:
    """A group under another name; where that is another group's already, the two become one.

    >>> rename([("a", "x"), ("b", "y")], 1, "y", "x")
    [('a', 'x'), ('b', 'x')]
    """
    above = next((row[level + 1 :] for row in rows if row[level] == name), None)
    return [
        (*row[:level], name, *(row[level + 1 :] if above is None else above)) if row[level] == label else row
        for row in rows
    ]


def add_values(rows: Sequence[Row], values: Iterable[Label], group: str) -> list[Row]:
    """More values, in a group of the first level that is there or is new.

    >>> add_values([("a", "x", "*")], ["b"], "z")
    [('a', 'x', '*'), ('b', 'z', '*')]
    """
    known = next((row[1:] for row in rows if row[1] == group), None)
    tops = rows[0][2:] if rows else ()
    return [*rows, *((value, *(known or (group, *tops))) for value in values)]


def add_like(rows: Sequence[Row], near: Mapping[str, str]) -> list[Row]:
    """More values, each with the labels of another one.

    >>> add_like([("Messejana", "Fortaleza", "CE")], {"Mecejana": "Messejana"})
    [('Messejana', 'Fortaleza', 'CE'), ('Mecejana', 'Fortaleza', 'CE')]
    """
    labels = {row[0]: row[1:] for row in rows}
    return [*rows, *((value, *labels[entry]) for value, entry in near.items())]


def tree_spec(spec: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """The spec of a tree with these rows; its top stays as it was said."""
    return {"tree": as_tree(rows)} | ({"top": True} if spec.get("top") else {})


def column_of(file: str, columns: Iterable[str]) -> str | None:
    """The column that a file is named after: by the whole of its name, or by what follows an underscore.

    >>> [column_of(name, ["age", "marital_status", "status"]) for name in ("Age.csv", "a_marital_status.csv", "x.csv")]
    ['age', 'marital_status', None]
    """
    stem = "_" + file.rpartition(".")[0].casefold()
    fitting = [name for name in columns if stem.endswith("_" + HierarchyFiles.plain(name).casefold())]
    return max(fitting, key=len, default=None)


class HierarchyFiles:
    """Exports the hierarchy of the column on show, and imports it, or those of several columns at once."""

    def __init__(self, page: HierarchiesPage) -> None:
        self.page = page
        say = page.session.say
        with ui.row().classes("w-full gap-2"):
            ui.button(say("Export CSV"), icon="download", on_click=self._export).props("outline dense no-caps")
            upload = ui.upload(multiple=True, on_multi_upload=self._import, auto_upload=True, max_file_size=64 << 20)
            label = say("Import CSV")
            upload.props(f'accept=.csv,.txt data-name="{label}"').classes("hidden")
            button = ui.button(label, icon="upload_file", on_click=lambda: upload.run_method("pickFiles"))
            button.props("outline dense no-caps").tooltip(
                say("One file is for this column. Several files are each for the column that they are named after.")
            )

    @staticmethod
    def plain(name: str) -> str:
        """A column's name as a file may have it."""
        return re.sub(r"[^\w. ()+-]|\.\.", "_", name).lstrip(". ()+-")[:90] or "hierarchy"

    async def _export(self) -> None:
        seen = self.page.seen
        if seen.hierarchy is None:
            ui.notify(self.page.session.say("There is no hierarchy to export yet."), type="warning")
            return
        separator = self.page.session.draft.content().get("data", {}).get("separator", ",")
        hierarchy, name = seen.hierarchy, f"{self.plain(self.page.name)}.csv"
        content = await run.io_bound(lambda: as_csv(rows_of(hierarchy), separator))
        if content is not None:
            ui.download(content, name, "text/csv")

    async def _import(self, event: events.MultiUploadEventArguments) -> None:
        page, strange = self.page, []
        for file in event.files:
            column = page.name if len(event.files) == 1 else column_of(file.name, page.names)
            if column is None:
                strange.append(file.name)
            else:
                await self._take(file, column)
        if strange:
            text = page.session.say("No column has the name of: {files}.", files=", ".join(strange))
            ui.notify(text, type="warning", multi_line=True, timeout=0, close_button="OK")
        event.sender.reset()  # type: ignore[attr-defined]
        await page.say_spec(page.spec)

    async def _take(self, file: Any, column: str) -> None:
        """Make a file the hierarchy of a column, or show why it cannot be."""
        page = self.page
        with page.desk.service.datasets.stage(page.session.caller) as stage:
            await file.save(stage / "file.csv")
            spec = await attempt(page.session, self._keep_file, stage / "file.csv", self.plain(file.name), column)
        if spec is not None:
            page.session.draft.set_attribute(column, hierarchy=spec)

    def _keep_file(self, file: Path, name: str, column: str) -> dict[str, Any]:
        """Keep an uploaded hierarchy; a file that is not a hierarchy is refused."""
        page = self.page
        encoding = detect_encoding(str(file)) or "utf-8"
        separator = guess_separator(str(file), encoding)
        csv_hierarchy(column, file, separator=separator, encoding=encoding, missing=("",), where=name)
        kept = actions.attach_file(page.desk, page.session, page.row["id"], name, file.read_bytes())
        return {"csv": kept, "separator": separator, "encoding": encoding} | _top(page.spec_of(column))


def keep(page: HierarchiesPage, rows: list[Any]) -> dict[str, Any]:
    """Write rows to a file of a column's hierarchy, and say so in a spec."""
    spec = page.spec or {}
    name = spec["csv"] if kind_of(spec) == "csv" else f"{HierarchyFiles.plain(page.name)}.csv"
    kept = actions.attach_file(page.desk, page.session, page.row["id"], name, as_csv(rows, ";"))
    return {"csv": kept, "separator": ";", "encoding": "utf-8"} | _top(page.spec)


def _top(spec: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"top": True} if (spec or {}).get("top") else {}


FEW = 500
"""Groups that are offered in a list; of more, the name is typed."""


class GroupsEditor:
    """The part below the form: files, the group that was picked, and values without a place."""

    def __init__(self, page: HierarchiesPage) -> None:
        self.page, self.say = page, page.session.say
        self.place = ui.column().classes("w-full gap-2")
        self.picked: tuple[int, Label] | None = None

    def pick(self, node: tuple[int, Label] | None) -> None:
        """A value or a group of the tree was chosen."""
        self.picked = node
        self.draw()

    def draw(self) -> None:
        """What can be done now."""
        page = self.page
        self.place.clear()
        page.shown.alarm.clear()
        if page.seen.unfit:
            with page.shown.alarm:
                self._unfit()
        with self.place:
            if page.seen.hierarchy is None or page.plain:
                return
            if not page.by_hand:
                ui.button(self.say("Edit the groups by hand"), icon="edit", on_click=self._begin).props(
                    "outline dense no-caps"
                )
                ui.label(
                    self.say(
                        "The rule becomes a list of the values of this data set. You can move and rename its groups."
                    )
                ).classes("text-caption")
            elif self.picked is None or self.picked[1] not in page.seen.hierarchy.labels[self.picked[0]]:
                ui.label(self.say("To edit, choose a value or a group in the tree.")).classes("text-caption")
            else:
                self._draw_editor(*self.picked)

    def _rows(self) -> list[Row]:
        assert self.page.seen.hierarchy is not None
        return rows_of(self.page.seen.hierarchy, top=bool((self.page.spec or {}).get("top")), null=False)

    async def _begin(self) -> None:
        """From a rule to a list of its groups, which can be edited."""
        await self._change_rows(self._rows)

    async def _change_rows(self, change: Callable[[], list[Row]]) -> None:
        """Change the rows, if they are still a hierarchy, and say it in the draft."""
        page = self.page
        spec = page.spec or {}

        def make_spec() -> dict[str, Any]:
            rows = check_rows(page.name, change())
            if kind_of(spec) == "csv" or (kind_of(spec) != "tree" and len(rows) > LARGE):
                return keep(page, rows)
            return tree_spec(spec, rows)

        told = await attempt(page.session, make_spec)
        if told is not None:
            self.picked = None
            await page.say_spec(told)

    def _draw_editor(self, level: int, label: Label) -> None:
        hierarchy = self.page.seen.hierarchy
        assert hierarchy is not None
        top = bool((self.page.spec or {}).get("top")) and hierarchy.height > 1
        height = hierarchy.height - top
        name = self.page.session.say.label(label)
        ui.label(self.say("Chosen: {name}", name=name)).classes("text-subtitle2")
        if level < height:
            above = hierarchy.labels[level + 1]
            chosen = self._group(above, above[int(hierarchy.parents[level][hierarchy.labels[level].index(label)])])
            ui.button(
                self.say("Move to this group"),
                icon="drive_file_move",
                on_click=lambda: self._change_rows(lambda: move(self._rows(), level, label, chosen())),
            ).props("dense no-caps")
        if 0 < level <= height:
            name_now = (
                ui.input(self.say("Name of the group"), value=label or "").props("dense outlined").classes("w-full")
            )
            ui.button(
                self.say("Rename"),
                icon="drive_file_rename_outline",
                on_click=lambda: self._change_rows(lambda: rename(self._rows(), level, label, name_now.value.strip())),
            ).props("dense no-caps outline")

    def _group(self, labels: Sequence[Label], now: Label) -> Callable[[], str]:
        """A field for a group, existing or new; returns a function that reads it."""
        known = [one for one in labels if one is not None][:FEW]
        there = ui.select(known, value=now if now in known else None, label=self.say("Group"))
        new = ui.input(self.say("… or the name of a new group"))
        for field in (there, new):
            field.props("dense outlined").classes("w-full")
        return lambda: str(new.value or there.value or "").strip()

    def _unfit(self) -> None:
        """The values that have no place, with what can be done about them."""
        page, number = self.page, self.page.session.say.number
        unfit = page.seen.unfit
        kind = kind_of(page.spec)
        with ui.card().classes("w-full gap-1 q-pa-sm").style("border-left: 6px solid var(--q-warning)"):
            held = trn("{n:,} record", "{n:,} records", n=sum(records for _, records in unfit))
            alarm = trn(
                "{n:,} value ({records}) is not in this hierarchy. A job would stop.",
                "{n:,} values ({records}) are not in this hierarchy. A job would stop.",
                n=len(unfit),
                records=held,
            )
            ui.label(self.say(alarm)).classes("text-weight-medium").props("role=alert")
            if not page.sensitive or page.shown.asked:
                for value, records in unfit[:5]:
                    ui.label(f"{value} · {number(records)}").classes("text-caption")
                if len(unfit) > 5:
                    ui.label("…").classes("text-caption")
            values = [value for value, _ in unfit]
            for repair, left in page.repairs:
                text = self.say(repair.label)
                text = self.say("{repair}: {count} are left", repair=text, count=number(left)) if left else text
                ui.button(text, icon="build", on_click=lambda repair=repair: page.repair(repair)).props("dense no-caps")
            if kind == "ordering":
                ui.button(self.say("Add them at the end"), on_click=lambda: self._append(values)).props("dense no-caps")
            elif page.by_hand:
                assert page.seen.hierarchy is not None
                if page.near:
                    self._offer_nearest(page.near)
                group = self._group(page.seen.hierarchy.labels[1], None)
                ui.button(
                    self.say("Add them to this group"),
                    on_click=lambda: self._change_rows(lambda: add_values(self._rows(), values, group())),
                ).props("dense no-caps")
            else:
                ui.label(
                    self.say(
                        "Change the fields so that the values fit, or correct the data. If the values "
                        "mean that there is no value:"
                    )
                ).classes("text-caption")
                ui.button(self.say("Treat them as missing"), on_click=lambda: self._missing(values)).props(
                    "dense no-caps"
                )

    def _offer_nearest(self, near: Mapping[str, str]) -> None:
        """A button that gives misspelt values the groups of the entries that they look like."""
        if not self.page.sensitive or self.page.shown.asked:
            pairs = [f"{value} → {entry}" for value, entry in list(near.items())[:5]]
            ui.label("; ".join(pairs) + ("; …" if len(near) > 5 else "")).classes("text-caption")
        ui.button(
            self.say("Give each the groups of the entry most like it: {count}", count=self.say.number(len(near))),
            icon="build",
            on_click=lambda: self._change_rows(lambda: add_like(self._rows(), near)),
        ).props("dense no-caps")

    async def _append(self, values: list[Label]) -> None:
        spec = dict(self.page.spec or {})
        await self.page.say_spec(spec | {"ordering": [*spec["ordering"], *values]})

    async def _missing(self, values: list[Label]) -> None:
        """Read them as values that were never recorded, in every column."""
        draft = self.page.session.draft
        known = list(draft.content().get("data", {}).get("missing", [""]))
        if len(known) + len(values) > FEW:
            ui.notify(
                self.say(
                    "There are too many different values to treat them all as missing. Choose "
                    "another kind of hierarchy."
                ),
                type="warning",
            )
            return
        draft.set("data", "missing", list(dict.fromkeys([*known, *(str(value) for value in values)])))
        await self.page.preview()
