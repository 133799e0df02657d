"""The frame of every page, and the pieces that pages share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, TypeVar

from nicegui import run, ui

from cobogo.errors import CobogoError, Stale
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.header import header
from cobogo.faces.workbench.labels import STEP
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.steps import visible_steps
from cobogo.faces.workbench.style import BRICK, INFO, INK, NEGATIVE, POSITIVE, WARNING
from cobogo.faces.workbench.widgets import WRONG
from cobogo.floor.language import speech

T = TypeVar("T")


@contextmanager
def open_page(desk: Desk, step: str) -> Iterator[PageSession | None]:
    """The frame of a step's page; yields None if nobody is logged in, or the holder may not see the page."""
    session = desk.session()
    session.draft = actions.draft_of(desk, session)
    dark = prepare_page(session, STEP[step])
    ui.on_exception(lambda error: _report_error(session, error))
    if session.holder is None:
        yield None
        return
    _guard(desk, session)
    if step not in {one.name for one in visible_steps(session.holder)}:
        header(desk, session, step, dark)
        with _body():
            empty(session.say("Your key does not give access to this page."), icon="lock")
        yield None
        return
    header(desk, session, step, dark)
    with _body():
        yield session


@contextmanager
def open_data_page(desk: Desk, step: str) -> Iterator[tuple[PageSession, dict[str, Any]] | None]:
    """The same for a page about a data set, with its row; yields None, and shows why, if there is no data set."""
    with open_page(desk, step) as session:
        row = None if session is None else desk.service.datasets.find(session.caller, session.dataset)
        if session is None or row is None:
            if session is not None:
                no_data(session)
            yield None
        else:
            yield session, row


def _guard(desk: Desk, session: PageSession) -> None:
    """Drop every event of a page whose holder is no longer logged in."""
    client = ui.context.client
    through = client.handle_event
    told: list[Stale] = []

    def check_session(message: dict[str, Any]) -> None:
        try:
            desk.check(session)
        except Stale as error:
            if not told:
                told.append(error)
                with client.content:
                    complain(error, session.language)
        else:
            through(message)

    client.handle_event = check_session  # type: ignore[method-assign,assignment]


def prepare_page(session: PageSession, title: str) -> ui.dark_mode:
    """Colours, language, light and title of a page."""
    client = ui.context.client
    client.page = copy(client.page)  # the page's own is everybody's
    client.page.language = "pt-BR" if session.language == "pt-BR" else "en-US"
    client.page.dark = session.dark
    ui.page_title(f"{session.say(title)} · Cobogó")
    ui.colors(
        primary=BRICK, secondary=INK, accent="#5e503f", positive=POSITIVE, warning=WARNING, negative=NEGATIVE, info=INFO
    )
    return ui.dark_mode(session.dark)


@contextmanager
def _body() -> Iterator[None]:
    body = ui.element("div").props('id="content" tabindex="-1"').classes("w-full").style("outline: none")
    with body, ui.column().classes("w-full gap-4").style("max-width: 1280px; margin: 0 auto; padding: 0 8px 24px"):
        yield


def section(text: str, *, help: str = "") -> None:
    """The title of a part of a page, and a line of plain words below it."""
    with ui.column().classes("gap-0 w-full"):
        ui.label(text).classes("text-h6").props('role="heading" aria-level="2"')
        if help:
            ui.label(help).classes("text-body2 text-quiet")


def empty(
    text: str, *, icon: str = "inbox", button: str = "", go: str | Callable[[], Any] = "/", title: str = ""
) -> ui.card:
    """A placeholder for an empty page: why it is empty, and a button to the step that fills it."""
    with ui.card().classes("w-full items-center q-pa-xl") as card:
        ui.icon(icon).props("size=64px color=primary")
        if title:
            ui.label(title).classes("text-h6")
        ui.label(text).classes("text-body1 text-center").style("max-width: 36rem")
        if button:
            ui.button(button, on_click=(lambda: ui.navigate.to(go)) if isinstance(go, str) else go).props("no-caps")
    return card


def no_data(session: PageSession) -> ui.card:
    """The placeholder of a page that needs a data set."""
    return empty(
        session.say("Choose a data set first."),
        icon="table_view",
        button=session.say("Data"),
        go=session.address("data"),
    )


def no_release(session: PageSession) -> ui.card:
    """The placeholder of a page that needs a release."""
    return empty(
        session.say("There is no release yet. Run a job first."),
        icon="play_circle",
        button=session.say("Run"),
        go=session.address("running"),
    )


def metric(label: str, value: str, *, help: str = "", colour: str = "") -> ui.card:
    """A tile with one figure. ``colour`` is positive, warning or negative."""
    with ui.card().classes("q-pa-md gap-0").style("min-width: 7rem") as card:
        ui.label(label).classes("text-caption text-quiet")
        ui.label(value).classes("text-h5 text-weight-medium" + (f" text-{colour}" if colour else ""))
        if help:
            ui.label(help).classes("text-caption text-quiet")
    return card


def complain(error: CobogoError, language: str = "en") -> None:
    """Show an error until it is closed, translated as far as possible. One that makes the page out of date covers
    the page."""
    say = speech(language)
    if isinstance(error, Stale):
        _show_outdated(say.error(error), say("Reload the page"))
        return
    ui.notify(say.error(error), type="negative", multi_line=True, timeout=0, close_button="OK")


def _report_error(session: PageSession, error: Exception) -> None:
    """Show an unhandled error: its own message if it is ours, else a general one that quotes nothing."""
    if isinstance(error, CobogoError):
        complain(error, session.language)
    else:
        ui.notify(
            session.say(WRONG),
            type="negative",
            multi_line=True,
        )


def _show_outdated(text: str, reload: str) -> None:
    """Cover a page that is out of date. Its button reloads the page without asking the server."""
    with ui.dialog(value=True).props("persistent"), ui.card().classes("gap-3").style("max-width: 32rem"):
        with ui.row().classes("items-center no-wrap").props('role="alert"'):
            ui.icon("sync_problem").props("size=md color=warning")
            ui.label(text).style("white-space: pre-line")
        button = ui.button(reload, icon="refresh").props("no-caps autofocus")
        button.on("click", js_handler="() => window.location.reload()")


async def attempt(session: PageSession, work: Callable[..., T], *given: Any) -> T | None:
    """Run work off the event loop; its result, or None after an error, which is shown."""
    try:
        return await run.io_bound(work, *given)
    except CobogoError as error:
        complain(error, session.language)
        return None
