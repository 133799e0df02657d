"""Columns: what each is, as its values and its name suggest, one line a column with a small drawing of its values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from nicegui import run, ui

from cobogo.data.schema.profile import CERTAIN
from cobogo.errors import CobogoError
from cobogo.faces.workbench.frame import complain, open_data_page
from cobogo.faces.workbench.labels import ROLE
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.floor.language import tr

ALARM = {
    "undecided": tr("Not decided yet: no job can run before."),
    "released": tr("This column looks like an identifier, and it would be released."),
    "unique": tr("Most values occur only once and would identify people: the job will refuse this role."),
}

COLUMNS = {
    "column": tr("Column"),
    "values": tr("Values"),
    "shape": tr("Distribution"),
    "role": tr("Role"),
    "reason": tr("Suggestion, and why"),
}

PAGE = 50
"""Columns on a page."""

ROLES = ("identifier", "quasi-identifier", "sensitive", "non-sensitive")
COLOURS = {
    "identifier": "red-9",
    "quasi-identifier": "primary",
    "sensitive": "deep-purple-8",
    "non-sensitive": "teal-9",
}


async def build(desk: Desk) -> None:
    with open_data_page(desk, "columns") as at_hand:
        if at_hand is None:
            return
        session, row = at_hand
        found = await run.io_bound(desk.service.datasets.profile, session.caller, row["id"])
        try:
            told = session.draft.attributes
        except CobogoError as error:
            complain(error, session.language)
            return
        if found is not None:
            _Columns(session, found["columns"], told)


class _Columns:
    """A line for each column, under the summary of all."""

    def __init__(self, session: PageSession, columns: list[dict[str, Any]], told: dict[str, dict[str, Any]]) -> None:
        self.session = session
        ui.label(session.say("Decide the role of each column. Each suggestion has a reason."))
        with ui.expansion(session.say("What the roles mean"), icon="help_outline").classes("w-full").props("dense"):
            for role in ROLES:
                ui.label(session.say(ROLE[role]))
        with ui.row().classes("items-center w-full"):
            self.all = ui.button(on_click=self._accept_all, icon="done_all").props("no-caps")
            self.search = ui.input(session.say("Find a column"), on_change=self._filter)
            self.search.props("dense outlined clearable").style("width: 14rem")
            self.open = ui.switch(session.say("Only undecided columns"), on_change=self._filter)
            ui.space()
            self.counts = ui.row().classes("items-center gap-1")
        self.warning = ui.label().classes("bg-amber-2 text-black q-pa-sm rounded-borders w-full").props("role=status")
        self.columns = columns
        said = {one["column"]: str(told.get(one["column"], {}).get("role")) for one in columns}
        self.roles = {name: role if role in ROLES else None for name, role in said.items()}
        self.lines: dict[str, _Line] = {}
        with ui.card().classes("w-full q-pa-sm gap-0"):
            with ui.element("div").classes("cobogo-columns cobogo-wide text-caption text-weight-bold q-py-xs"):
                for key in ("column", "values", "shape", "role", "reason"):
                    ui.label(session.say(COLUMNS[key]))
            self.place = ui.column().classes("w-full gap-0 items-stretch")
        self.pages = ui.pagination(1, 1, direction_links=True, on_change=self._draw).props("max-pages=9")
        self._filter()
        with ui.row().classes("w-full justify-end"):
            ui.button(
                session.say("Continue with hierarchies"),
                on_click=lambda: ui.navigate.to(session.address("hierarchies")),
            ).props("no-caps")
        self.refresh()

    def refresh(self) -> None:
        """Redraw what depends on all columns."""
        say = self.session.say
        undecided = [name for name, role in self.roles.items() if role is None]
        self.all.text = say("Accept all suggestions ({count} undecided)", count=len(undecided))
        self.all.set_visibility(bool(undecided))
        named = [name for name, role in self.roles.items() if role == "identifier"]
        self.warning.text = say(
            "These columns identify people directly and will not be released: {names}.", names=", ".join(named)
        )
        self.warning.set_visibility(bool(named))
        self.counts.clear()
        chosen = Counter(self.roles.values())
        with self.counts:
            self.session.redraw_steps()
            for role in ROLES:
                text = f"{self.session.say(ROLE[role]).partition(':')[0]}: {chosen[role]}"
                ui.badge(text, color=COLOURS[role]).classes("q-pa-xs")

    def _accept_all(self) -> None:
        self.decide({one["column"]: one["role"] for one in self.columns if self.roles[one["column"]] is None})

    def decide(self, roles: Mapping[str, str]) -> None:
        """Put roles of columns into the policy, all of them at once."""
        draft = self.session.draft
        told = draft.attributes
        changes: dict[str, dict[str, Any]] = {}
        suggested = {one["column"]: one for one in self.columns}
        for name, role in roles.items():
            usual = role == "quasi-identifier" and not told.get(name, {}).get("hierarchy")
            changes[name] = {"role": role} | ({"hierarchy": suggested[name]["hierarchy"]} if usual else {})
            if trimmed := role != "identifier" and suggested[name].get("normalize"):
                changes[name]["normalize"] = trimmed
        draft.set_attributes(changes)
        self.roles |= roles
        for name in roles.keys() & self.lines.keys():
            self.lines[name].turn_to(roles[name])
        self.refresh()

    def _fitting(self) -> list[dict[str, Any]]:
        """The columns that are looked for."""
        wanted, open_only = (self.search.value or "").casefold(), self.open.value
        return [
            one
            for one in self.columns
            if wanted in one["column"].casefold() and (self.roles[one["column"]] is None or not open_only)
        ]

    def _filter(self) -> None:
        """Others are looked for: from their first page on."""
        pages = -(-len(self._fitting()) // PAGE)
        self.pages.max = max(pages, 1)
        self.pages.set_visibility(pages > 1)
        if self.pages.value == 1:
            self._draw()
        else:
            self.pages.value = 1

    def _draw(self) -> None:
        """The lines of a page: hundreds at once would keep a browser busy for seconds."""
        first = ((self.pages.value or 1) - 1) * PAGE
        self.place.clear()
        with self.place:
            shown = self._fitting()[first : first + PAGE]
            self.lines = {one["column"]: _Line(self, one, self.roles[one["column"]]) for one in shown}


class _Line:
    def __init__(self, page: _Columns, profile: dict[str, Any], role: str | None) -> None:
        self.page, self.profile, self.name, self.role = page, profile, profile["column"], role
        session, kind, reason = page.session, profile["type"], profile["reason"]
        self.place = ui.element("div").style("border-top: 1px solid #8884").classes("cobogo-columns q-py-xs")
        with self.place:
            with ui.column().classes("gap-0"):
                ui.label(self.name).classes("text-weight-medium").style("overflow-wrap: anywhere")
                ui.label(session.say(kind)).classes("text-caption")
            self._numbers(session)
            self.shape = ColumnShape(session, profile)
            options = {role: session.say(ROLE[role]).partition(":")[0] for role in ROLES}
            self.select = ui.select(options, value=self.role, on_change=self._choose)
            label = session.say("Role of {name}", name=_plain(self.name))
            self.select.props(f'dense outlined aria-label="{label}"')
            with ui.column().classes("gap-0 items-start"):
                with ui.row().classes("items-center gap-2"):
                    self.button = ui.button(
                        session.say("Accept: {role}", role=options[profile["role"]]), on_click=self.accept
                    ).props("outline dense no-caps size=sm")
                    confidence = session.say.percent(profile["confidence"])
                    self.sure = ui.label(session.say("As suggested (confidence {share})", share=confidence))
                    self.sure.classes("text-caption text-weight-medium")
                ui.label(session.say(reason)).classes("text-caption").style("line-height: 1.2")
                self.alarm = ui.label().classes("text-caption text-weight-bold text-negative").props("role=alert")
        self._redraw()

    def _numbers(self, session: PageSession) -> None:
        number = session.say.number
        with ui.column().classes("gap-0"):
            ui.label(session.say("{count} distinct", count=number(self.profile["distinct"]))).classes("text-caption")
            missing = self.profile["missing"]
            if missing:
                share = session.say.percent(missing / self.profile["records"])
                ui.label(session.say("{share} missing", share=share)).classes("text-caption text-weight-medium")

    def accept(self) -> None:
        self.page.decide({self.name: self.profile["role"]})

    def turn_to(self, role: str) -> None:
        """Show a role that the policy has for the column."""
        self.role = self.select.value = role
        self._redraw()

    def _choose(self) -> None:
        if self.select.value != self.role:
            self.page.decide({self.name: self.select.value})

    def _redraw(self) -> None:
        self.button.set_visibility(self.role != self.profile["role"])
        self.sure.set_visibility(self.role == self.profile["role"])
        alarm = warning(self.profile, self.role)
        self.alarm.set_visibility(alarm is not None)
        self.alarm.text = "" if alarm is None else self.page.session.say(ALARM[alarm])
        self.shape.draw(self.role or self.profile["role"])


def warning(profile: dict[str, Any], role: str | None) -> str | None:
    """What is wrong with a role for a column, if anything: the name of the warning.

    >>> found = {"role": "identifier", "confidence": 0.9, "unique": 10, "records": 10}
    >>> warning(found, "non-sensitive"), warning(found, "identifier")
    ('released', None)
    """
    if role is None:
        return "undecided"
    if role != "identifier" and profile["role"] == "identifier" and profile["confidence"] >= CERTAIN:
        return "released"
    if role == "non-sensitive" and 2 * profile["unique"] > profile["records"]:
        return "unique"
    return None


def _plain(name: str) -> str:
    """A name as an attribute of an element can hold it."""
    return name.replace("\\", "").replace('"', "")


WIDTH, HEIGHT = 132, 30


class ColumnShape:
    """A column's distribution as small bars; a click opens the figures."""

    def __init__(self, session: PageSession, profile: dict[str, Any]) -> None:
        self.session, self.profile = session, profile
        self.asked = False
        self.drawn: tuple[str, bool] | None = None
        self.place = ui.row().classes("items-center gap-0 no-wrap")

    def draw(self, role: str) -> None:
        """What may be seen of a column with a role."""
        shape, say = self.profile["shape"], self.session.say
        if self.drawn == (role, self.asked):
            return
        self.drawn = (role, self.asked)
        self.place.clear()
        with self.place:
            if role == "identifier" or shape is None:
                ui.label("–").classes("text-caption")
            elif role == "sensitive" and not self.asked:
                ui.button(say("Show"), icon="visibility", on_click=lambda: self._ask(role)).props(
                    "flat dense no-caps size=sm"
                )
            else:
                label = say("Distribution of {name}", name=self.profile["column"])
                with ui.button(on_click=self._show_values).props("flat dense no-caps padding=none") as button:
                    ui.html(draw_bars(shape, self.profile["missing"]), sanitize=False)
                button._props["aria-label"] = label
                button.tooltip(label)

    def _ask(self, role: str) -> None:
        self.asked = True
        self.draw(role)

    def _show_values(self) -> None:
        shape, records = self.profile["shape"], self.profile["records"]
        number, percent = self.session.say.number, self.session.say.percent
        with ui.dialog() as dialog, ui.card().style("min-width: 26rem"):
            ui.label(self.session.say("Distribution of {name}", name=self.profile["column"])).classes("text-subtitle1")
            if "bars" in shape:
                ui.html(draw_bars(shape, 0, 3), sanitize=False)
                ends = {"first": shape["first"], "last": shape["last"]}
                ui.label(self.session.say("From {first} to {last}", **ends)).classes("text-caption")
            else:
                rest = [(self.session.say("other values"), shape["other"])] if shape["other"] else []
                missing = [(self.session.say("missing"), self.profile["missing"])] if self.profile["missing"] else []
                for label, count in [*shape["top"], *rest, *missing]:
                    with ui.row().classes("w-full items-center no-wrap"):
                        ui.label(label).classes("text-caption ellipsis").style("width: 10rem")
                        ui.linear_progress(count / records, show_value=False).props("rounded").style("width: 8rem")
                        ui.label(f"{number(count)} ({percent(count / records)})").classes("text-caption")
            ui.button("OK", on_click=dialog.close).props("flat")
        dialog.on("hide", dialog.delete)
        dialog.open()


def draw_bars(shape: dict[str, Any], missing: int, scale: int = 1) -> str:
    """Bars as SVG: of numbers and dates in their order, of categories from the most frequent down, NULL in grey.

    >>> draw_bars({"top": [["a", 3], ["b", 1]], "other": 0}, 0).count("<rect")
    2
    """
    heights = shape["bars"] if "bars" in shape else [count for _, count in shape["top"]] + [shape["other"]]
    bars = [(height, "var(--q-primary)") for height in heights if height or "bars" in shape]
    bars += [(missing, "#8889")] if missing else []
    most, width = max((height for height, _ in bars), default=1) or 1, WIDTH * scale / max(len(bars), 6)
    rects = "".join(
        f'<rect x="{at * width:.1f}" y="{HEIGHT * scale * (1 - height / most):.1f}" width="{width - 1:.1f}" '
        f'height="{HEIGHT * scale * height / most:.1f}" fill="{colour}"/>'
        for at, (height, colour) in enumerate(bars)
    )
    return f'<svg width="{WIDTH * scale}" height="{HEIGHT * scale}" aria-hidden="true">{rects}</svg>'
