"""The policy while it is being written: forms and text change one draft, and every change is checked at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nicegui import run, ui

from cobogo.errors import CobogoError
from cobogo.faces.workbench.draft import check_draft, jobs_of
from cobogo.faces.workbench.frame import section
from cobogo.faces.workbench.header import download_policy
from cobogo.faces.workbench.labels import KIND
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.widgets import editor


@dataclass
class SheetPart:
    """A part of the page, and what it was drawn from: one whose ``key`` is the same is not drawn again."""

    build: Callable[[PolicySheet], None]
    place: ui.column
    key: Callable[[PolicySheet], Any] | None = None
    known: Any = None

    def draw(self, sheet: PolicySheet) -> None:
        """Draw it, where anything has changed."""
        now = None if self.key is None else self.key(sheet)
        if now is None or now != self.known:
            self.known = now
            self.place.clear()
            with self.place:
                self.build(sheet)


@dataclass
class PolicySheet:
    """The page's state: what is drawn from the draft, and where its errors are shown."""

    desk: Desk
    session: PageSession
    row: dict[str, Any]
    drawn: list[SheetPart] = field(default_factory=list)
    unfolded: set[str] = field(default_factory=set)
    places: dict[str, ui.label] = field(default_factory=dict)
    code: ui.codemirror | None = None
    verdict: ui.column | None = None

    @property
    def columns(self) -> list[str]:
        """The columns of the data set."""
        return list(self.row["about"]["columns"])

    @property
    def files(self) -> list[str]:
        """The files that the policy may name."""
        return self.desk.service.datasets.list_files(self.session.caller, self.row["id"])

    def columns_with_role(self, *roles: str) -> list[str]:
        """The columns that have one of these roles now."""
        return [name for name, told in self.session.draft.attributes.items() if told.get("role") in roles]

    def draw(
        self, build: Callable[[PolicySheet], None], place: ui.column, key: Callable[[PolicySheet], Any] | None = None
    ) -> None:
        """Draw a part of the page now, and again whenever the text has changed."""
        part = SheetPart(build, place, key)
        self.drawn.append(part)
        part.draw(self)
        self.check()

    def redraw(self) -> None:
        """Draw everything again from the draft."""
        for part in self.drawn:
            part.draw(self)
        self.check()

    def place(self, name: str) -> None:
        """Where errors that begin with this place in the policy are shown."""
        label = ui.label().classes("text-negative text-body2").style("white-space: pre-wrap").props('role="alert"')
        label.set_visibility(False)
        self.places[name] = label

    def put(self, table: str, key: str, value: Any, *, again: bool = False) -> None:
        """Change a key of the policy."""
        self.session.draft.set(table, key, value)
        self.refresh(again=again)

    def refresh(self, *, again: bool = False) -> None:
        """Show what a form has written."""
        if self.code is not None:
            self.code.value = self.session.draft.text
        if again:
            self.redraw()
        else:
            self.check()

    def check(self) -> None:
        """Say whether the policy can be run, and if not, why, at the place where it says so."""
        error: CobogoError | None = None
        try:
            check_draft(self.desk, self.session, self.row["id"])
        except CobogoError as found:
            error = found
        self.places = {name: label for name, label in self.places.items() if not label.is_deleted}
        for name, label in self.places.items():
            label.text = _error_text(self.session, error) if error is not None and _at(error, name) else ""
            label.set_visibility(bool(label.text))
        self.judge(error)

    def judge(self, error: CobogoError | None, *, broken: bool = False) -> None:
        """Show the verdict under the text."""
        session, place = self.session, self.verdict
        if place is None:
            return
        place.clear()
        with place:
            if error is None:
                with ui.row().classes("items-center gap-2 no-wrap"):
                    ui.icon("check_circle").props("color=positive size=sm")
                    kinds = ", ".join(session.say(KIND[kind]) for kind in jobs_of(session.draft.content()))
                    ui.label(session.say("This policy can be run, as: {kinds}.", kinds=kinds))
                return
            with ui.row().classes("items-start gap-2 no-wrap").props('role="alert"'):
                ui.icon("error").props("color=negative size=sm")
                said = session.say.error(error)
                said = session.say("Not in use yet: {error}", error=said) if broken else said
                ui.label(said).classes("text-negative text-body2").style("white-space: pre-wrap")


def _at(error: CobogoError, place: str) -> bool:
    where = re.sub(r"^policy,? ?", "", error.where or "")
    return where == place or where.startswith((f"{place}.", f"{place}["))


def _error_text(session: PageSession, error: CobogoError) -> str:
    return "\n".join(session.say(part) for part in (error.what, error.remedy) if part)


def text(sheet: PolicySheet) -> None:
    """The policy's text, which can be edited as well as the forms can."""
    session = sheet.session
    section(
        session.say("The policy"),
        help=session.say("The forms write this text, and you may edit it. The command line takes the same policy."),
    )
    sheet.code = code = editor(session.draft.text, "TOML", session.say("The policy"), height="23rem")
    code.style("font-size: 12px")
    sheet.verdict = ui.column().classes("w-full gap-0")

    def take_edit() -> None:
        if code.value == session.draft.text:
            return
        try:
            session.draft.take(code.value)
        except CobogoError as error:
            sheet.judge(error, broken=True)
            return
        sheet.redraw()

    code.on_value_change(take_edit)
    with ui.row().classes("gap-2"):
        ui.button(
            session.say("Run it"), icon="play_arrow", on_click=lambda: ui.navigate.to(session.address("running"))
        ).props("no-caps")
        ui.button(session.say("Download the policy"), icon="download", on_click=lambda: download_policy(session)).props(
            "flat no-caps"
        )


async def run_in_thread(work: Callable[..., Any], *given: Any) -> Any:
    """What work in a thread comes to; an error of ours comes back as a value."""

    def safe() -> Any:
        try:
            return work(*given)
        except CobogoError as error:
            return error

    return await run.io_bound(safe)
