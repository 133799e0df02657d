"""Hierarchies: how the values of a column become coarser, level by level."""

from __future__ import annotations

from typing import Any

from nicegui import run, ui

from cobogo.errors import CobogoError
from cobogo.faces.server.services.datasets import Counted
from cobogo.faces.workbench.frame import complain, empty, open_data_page
from cobogo.faces.workbench.pages.hierarchies.form import BY_HAND, FIELDS, LARGE, NONE, HierarchyForm, kind_of, start
from cobogo.faces.workbench.pages.hierarchies.groups import GroupsEditor, HierarchyFiles
from cobogo.faces.workbench.pages.hierarchies.preview import MOST, HierarchyPreview, PreviewPanel, preview
from cobogo.faces.workbench.pages.hierarchies.repairs import Repair, nearest_entries, repairs
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.floor.language import tr

WAY = {
    "none": tr("Value or *"),
    "intervals": tr("Intervals of numbers"),
    "dates": tr("Dates"),
    "age": tr("Age from a date of birth"),
    "quantiles": tr("Bands with equal shares"),
    "codes": tr("Codes of a classification"),
    "mask": tr("Mask characters"),
    "path": tr("Parts of a path"),
    "ordering": tr("Ordered categories"),
    "tree": tr("Groups by hand"),
    "labels": tr("Labels of codes"),
    "csv": tr("A file (CSV)"),
}

ABOUT = {
    "none": tr("Two levels: the original value, and * for any value."),
    "intervals": tr(
        "For numbers such as an age: 37 becomes 35-39, then 30-39. Each width is a multiple of the one "
        "before. A bottom code and a top code put the few very low and very high values into one group each."
    ),
    "dates": tr("A full date becomes a month, a quarter, a year, then five years or a decade."),
    "age": tr("A date of birth becomes the age in full years on a day that you choose, then a band of ages."),
    "quantiles": tr(
        "For numbers of which you know how the population is spread, for example from a census: each band holds the "
        "same share of it. The bands never follow from the data, because then they would say where the data lie."
    ),
    "codes": tr(
        "Public classifications: a municipality of IBGE becomes its micro-region, meso-region, state and region; a "
        "CEP its first digits, state and region; a code of ICD-10 its category, block and chapter."
    ),
    "mask": tr(
        "For codes whose first characters mean a larger area, such as postal codes: 60020270 becomes "
        "6002027*, then 600202**."
    ),
    "path": tr(
        "For places written from the smallest part to the largest: Centro/Sobral/CE becomes Sobral/CE, then CE."
    ),
    "ordering": tr("Categories with an order, one per line. Neighbours form groups."),
    "labels": tr("Codes become their labels: 1 becomes Male. Codes with the same label fall together."),
    "tree": tr("Your own groups, written in the policy. Choose a value in the tree and move it to a group."),
    "csv": tr(
        "A file without a header line: each value, then its label at each level. The file is stored with the data set."
    ),
}

ROLES = ("quasi-identifier", "sensitive")


async def build(desk: Desk) -> None:
    with open_data_page(desk, "hierarchies") as at_hand:
        if at_hand is None:
            return
        session, row = at_hand
        try:
            told = session.draft.attributes
        except CobogoError as error:
            complain(error, session.language)
            return
        ui.label(
            session.say(
                "A hierarchy says how the values of a column are generalized. Level 0 is the original value; "
                "at each higher level several values share a label. The search releases each column at the "
                "lowest levels that satisfy the models."
            )
        ).style("max-width: 60rem")
        undecided = sum(one.get("role") not in (*ROLES, "identifier", "non-sensitive") for one in told.values())
        if undecided:
            with ui.row().classes("items-center bg-amber-2 text-black q-pa-sm rounded-borders w-full"):
                ui.label(
                    session.say(
                        "Columns without a confirmed role: {count}. Those that become quasi-identifiers appear here.",
                        count=undecided,
                    )
                )
                ui.link(session.say("Columns"), session.address("columns")).classes("text-black")
        names = [name for role in ROLES for name, one in told.items() if one.get("role") == role]
        if not names:
            empty(
                session.say("No column is a quasi-identifier or sensitive yet. Decide the roles of the columns first."),
                icon="view_column",
                button=session.say("Columns"),
                go=session.address("columns"),
            )
            return
        found = await run.io_bound(desk.service.datasets.profile, session.caller, row["id"])
        if found is not None:
            asked = ui.context.client.request.query_params.get("column")
            page = HierarchiesPage(desk, session, row, names, {one["column"]: one for one in found["columns"]})
            await page.choose(asked if asked in names else names[0])


class HierarchiesPage:
    """The columns on the left, the hierarchy of one of them beside."""

    def __init__(
        self, desk: Desk, session: PageSession, row: dict[str, Any], names: list[str], known: dict[str, dict[str, Any]]
    ) -> None:
        self.desk, self.session, self.row, self.known = desk, session, row, known
        self.names, self.name, self.turn = names, names[0], 0
        self.counted: Counted = []
        self.values = 0
        self.seen = HierarchyPreview()
        self.repairs: list[tuple[Repair, int]] = []
        self.near: dict[str, str] = {}
        with ui.row().classes("w-full items-start no-wrap cobogo-beside"):
            with ui.scroll_area().style("width: 12.5rem; height: calc(100vh - 13rem)").classes("cobogo-list"):
                self.list = ui.column().classes("w-full gap-1")
            with ui.column().classes("gap-3").style("width: 20rem; flex: none"):
                self.form = ui.column().classes("w-full gap-2")
                self.groups = GroupsEditor(self)
            with ui.column().classes("col gap-2").style("min-width: 0"):
                self.shown = PreviewPanel(self)
        with ui.row().classes("w-full justify-end"):
            ui.button(
                session.say("Continue with privacy"), on_click=lambda: ui.navigate.to(session.address("privacy"))
            ).props("no-caps")

    @property
    def spec(self) -> dict[str, Any] | None:
        """What the draft says of the column's hierarchy."""
        return self.spec_of(self.name)

    def spec_of(self, name: str) -> dict[str, Any] | None:
        """What the draft says of a column's hierarchy."""
        found: dict[str, Any] | None = self.session.draft.attributes.get(name, {}).get("hierarchy")
        return found

    @property
    def sensitive(self) -> bool:
        """Whether its values are shown only when asked for."""
        return self.session.draft.attributes.get(self.name, {}).get("role") == "sensitive"

    async def choose(self, name: str) -> None:
        """Turn to a column."""
        self.name = name
        self.form.clear()
        self.shown.wait()
        count = self.desk.service.datasets.count_values
        found = await run.io_bound(count, self.session.caller, self.row["id"], name, MOST)
        if found is None or self.name != name:
            return
        self.counted, self.values = found
        self.shown.turn_to()
        self._draw_list()
        self._draw_form()
        await self.preview()

    def _draw_list(self) -> None:
        self.list.clear()
        told = self.session.draft.attributes
        with self.list:
            for name in self.names:
                kind = kind_of(told.get(name, {}).get("hierarchy"))
                on = name == self.name
                button = ui.button(on_click=lambda name=name: self.choose(name), color="primary" if on else None)
                with button, ui.column().classes("gap-0 items-start w-full"):
                    ui.label(name).style("overflow-wrap: anywhere; text-align: left")
                    ui.label(self.session.say(WAY[kind])).classes("text-caption").style("text-align: left")
                button.props(
                    f"no-caps align=left {'unelevated' if on else 'flat'} aria-current={'true' if on else 'false'}"
                )
                button.classes("w-full")

    def _draw_form(self) -> None:
        self.form.clear()
        say, kind = self.session.say, kind_of(self.spec)
        with self.form:
            number = self.session.say.number
            text = say("{values} distinct values", values=number(self.values))
            ui.label(self.name).classes("text-h6")
            ui.label(text).classes("text-caption")
            if self.values > MOST:
                ui.label(
                    say("Shown for the {most} most frequent values. A job uses all values.", most=number(MOST))
                ).classes("text-caption")
            if self.sensitive:
                ui.label(
                    say(
                        "A sensitive column is not generalized. Its hierarchy only measures how close two "
                        "values are, for t-closeness with the hierarchical distance."
                    )
                ).classes("text-caption")
            kinds = {one: say(WAY[one]) for one in FIELDS}
            ui.select(
                kinds,
                value=kind,
                label=say("Kind of hierarchy"),
                on_change=lambda event: self._begin(event.value),
            ).props("outlined dense").classes("w-full")
            ui.label(say(ABOUT[kind])).classes("text-caption")
            HierarchyForm(self.session, kind, self.spec or {}, self._apply, self._list_files())
            HierarchyFiles(self)

    async def _begin(self, kind: str) -> None:
        """Another kind, as it begins for this column."""
        frequent = [value for value, _ in self.counted]
        if kind == "tree" and self.values > LARGE:
            ui.notify(
                self.session.say(
                    "Groups in the policy can have up to {most} values. Import a file instead, or begin with "
                    "another kind and edit its groups.",
                    most=LARGE,
                ),
                type="warning",
                multi_line=True,
            )
            self._draw_form()
            return
        if kind == "csv":
            files = self._list_files()
            if not files:
                ui.notify(
                    self.session.say("No file is attached to the data set yet. Import one with the button below."),
                    type="info",
                    multi_line=True,
                )
                self._draw_form()
                return
            spec: dict[str, Any] | None = {"csv": files[0]}
        else:
            spec = start(
                kind, self.known[self.name]["hierarchy"], frequent[:LARGE], group=self.session.say("other values")
            )
        await self.say_spec(spec)

    async def _apply(self, spec: dict[str, Any]) -> None:
        """What the form says now."""
        self.session.draft.set_attribute(self.name, hierarchy=spec)
        await self.preview()

    async def say_spec(self, spec: dict[str, Any] | None) -> None:
        """Put a hierarchy in the draft, and show the form of it."""
        self.session.draft.set_attribute(self.name, hierarchy=spec)
        self._draw_list()
        self._draw_form()
        await self.preview()

    async def preview(self) -> None:
        """Build the hierarchy on the values, off the event loop, and show it or its error."""
        self.turn += 1
        turn, name = self.turn, self.name
        try:
            text = self.session.draft.only(name)
        except CobogoError as error:
            self.seen, self.repairs, self.near = HierarchyPreview(error=error), [], {}
        else:
            self.shown.busy(True)
            found = await run.io_bound(self._try, text, name)
            if found is None or turn != self.turn:
                return
            self.seen, self.repairs, self.near = found
        self.shown.draw()
        self.groups.draw()
        self._remember()

    def _remember(self) -> None:
        """Note the columns that a run would stop at: the step is done when the page was opened and there is none."""
        note = f"hierarchies {self.row['id']}"
        wrong = {self.name} if self.seen.error is not None or self.seen.unfit else set()
        self.session.memory[note] = frozenset(self.session.memory.get(note, frozenset()) - {self.name} | wrong)
        self.session.redraw_steps()

    def _try(self, text: str, name: str) -> tuple[HierarchyPreview, list[tuple[Repair, int]], dict[str, str]]:
        """A policy on the values of a column, and what helps those that have no place."""
        seen = self._preview(text, name)
        if not seen.unfit:
            return seen, [], {}
        near = nearest_entries(seen) if kind_of(self.spec_of(name)) in BY_HAND else {}
        return seen, repairs(seen, text, name, lambda text: self._preview(text, name)), near

    async def repair(self, change: Repair) -> None:
        """Make a change that helps values without a place."""
        change.apply(self.session.draft, self.name)
        await self.say_spec(self.spec)

    def _preview(self, text: str, name: str) -> HierarchyPreview:
        read, caller, dataset = self.desk.service.policies.read, self.session.caller, self.row["id"]
        home = self.desk.service.policies.files(caller, dataset)
        return preview(lambda: read(caller, dataset, text), home, name, self.counted)

    def _list_files(self) -> list[str]:
        return self.desk.service.datasets.list_files(self.session.caller, self.row["id"])

    @property
    def by_hand(self) -> bool:
        """Whether the groups can be edited."""
        return kind_of(self.spec) in BY_HAND and self.seen.hierarchy is not None

    @property
    def plain(self) -> bool:
        """Whether there is no hierarchy at all."""
        return kind_of(self.spec) == NONE
