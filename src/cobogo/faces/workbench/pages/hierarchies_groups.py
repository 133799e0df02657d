"""Groups edited by hand, and a place for the values that have none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nicegui import ui

from cobogo.data.hierarchy import Label
from cobogo.faces.workbench.frame import done
from cobogo.faces.workbench.hierarchy import groups
from cobogo.faces.workbench.hierarchy.builders import LARGE, kind_of
from cobogo.faces.workbench.pages.hierarchies_files import keep

if TYPE_CHECKING:
    from cobogo.faces.workbench.pages.hierarchies import _Page

FEW = 500
"""Groups that are offered in a list; of more, the name is typed."""


class Groups:
    """Below the form."""

    def __init__(self, page: _Page) -> None:
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
                ui.button(self.say("groups.begin"), icon="edit", on_click=self._begin).props("outline dense no-caps")
                ui.label(self.say("groups.why")).classes("text-caption")
            elif self.picked is None or self.picked[1] not in page.seen.hierarchy.labels[self.picked[0]]:
                ui.label(self.say("groups.pick")).classes("text-caption")
            else:
                self._edited(*self.picked)

    def _rows(self) -> list[groups.Row]:
        assert self.page.seen.hierarchy is not None
        return groups.rows_of(self.page.seen.hierarchy, top=bool((self.page.spec or {}).get("top")), null=False)

    async def _begin(self) -> None:
        """From a rule to a list of its groups, which can be edited."""
        await self._kept(self._rows)

    async def _kept(self, change: Callable[[], list[groups.Row]]) -> None:
        """Change the rows, if they are still a hierarchy, and say it in the draft."""
        page = self.page
        spec = page.spec or {}

        def changed() -> dict[str, Any]:
            rows = groups.checked(page.name, change())
            if kind_of(spec) == "csv" or (kind_of(spec) != "tree" and len(rows) > LARGE):
                return keep(page, rows)
            return groups.placed(spec, rows)

        told = await done(page.session, changed)
        if told is not None:
            self.picked = None
            await page.say_spec(told)

    def _edited(self, level: int, label: Label) -> None:
        hierarchy = self.page.seen.hierarchy
        assert hierarchy is not None
        top = bool((self.page.spec or {}).get("top")) and hierarchy.height > 1
        height = hierarchy.height - top
        name = self.page.session.figures.label(label)
        ui.label(self.say("groups.picked", name=name)).classes("text-subtitle2")
        if level < height:
            above = hierarchy.labels[level + 1]
            chosen = self._group(above, above[int(hierarchy.parents[level][hierarchy.labels[level].index(label)])])
            ui.button(
                self.say("groups.move"),
                icon="drive_file_move",
                on_click=lambda: self._kept(lambda: groups.moved(self._rows(), level, label, chosen())),
            ).props("dense no-caps")
        if 0 < level <= height:
            name_now = ui.input(self.say("groups.name"), value=label or "").props("dense outlined").classes("w-full")
            ui.button(
                self.say("groups.rename"),
                icon="drive_file_rename_outline",
                on_click=lambda: self._kept(lambda: groups.renamed(self._rows(), level, label, name_now.value.strip())),
            ).props("dense no-caps outline")

    def _group(self, labels: Sequence[Label], now: Label) -> Callable[[], str]:
        """A group that is there, or the name of a new one: what is said when it is asked for."""
        known = [one for one in labels if one is not None][:FEW]
        there = ui.select(known, value=now if now in known else None, label=self.say("groups.group"))
        new = ui.input(self.say("groups.new"))
        for field in (there, new):
            field.props("dense outlined").classes("w-full")
        return lambda: str(new.value or there.value or "").strip()

    def _unfit(self) -> None:
        """The values that have no place, with what can be done about them."""
        page, number = self.page, self.page.session.number
        unfit = page.seen.unfit
        kind = kind_of(page.spec)
        with ui.card().classes("w-full gap-1 q-pa-sm").style("border-left: 6px solid var(--q-warning)"):
            count = {"values": number(len(unfit)), "records": number(sum(records for _, records in unfit))}
            ui.label(self.say("unfit.what", **count)).classes("text-weight-medium").props("role=alert")
            if not page.sensitive or page.shown.asked:
                for value, records in unfit[:5]:
                    ui.label(f"{value} · {number(records)}").classes("text-caption")
                if len(unfit) > 5:
                    ui.label("…").classes("text-caption")
            values = [value for value, _ in unfit]
            if kind == "ordering":
                ui.button(self.say("unfit.append"), on_click=lambda: self._append(values)).props("dense no-caps")
            elif page.by_hand:
                assert page.seen.hierarchy is not None
                group = self._group(page.seen.hierarchy.labels[1], None)
                ui.button(
                    self.say("unfit.add"),
                    on_click=lambda: self._kept(lambda: groups.added(self._rows(), values, group())),
                ).props("dense no-caps")
            else:
                ui.label(self.say("unfit.correct")).classes("text-caption")
                ui.button(self.say("unfit.missing"), on_click=lambda: self._missing(values)).props("dense no-caps")

    async def _append(self, values: list[Label]) -> None:
        spec = dict(self.page.spec or {})
        await self.page.say_spec(spec | {"ordering": [*spec["ordering"], *values]})

    async def _missing(self, values: list[Label]) -> None:
        """Read them as values that were never recorded, in every column."""
        draft = self.page.session.draft
        known = list(draft.content().get("data", {}).get("missing", [""]))
        if len(known) + len(values) > FEW:
            ui.notify(self.say("unfit.many"), type="warning")
            return
        draft.set("data", "missing", list(dict.fromkeys([*known, *(str(value) for value in values)])))
        await self.page.tried()
