"""Pieces of pages: work that takes a while, tabs that are drawn when they are looked at, lines of programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from nicegui import ElementFilter, run, ui

from cobogo.errors import CobogoError
from cobogo.faces.server.services.releases import OpenedRelease
from cobogo.faces.workbench.header import is_dark
from cobogo.faces.workbench.session import PageSession
from cobogo.floor.language import tr

T = TypeVar("T")

WRONG = tr("Something went wrong. Nothing was released. The server's log has the details.")
"""What is said of an error that is not ours: its own message may quote values."""


def turn_to(*, stay: bool = False, **about: str) -> None:
    """Put what a page is about into its address, and load it; with ``stay`` only the address changes."""
    go = "history.replaceState(null, '', there)" if stay else "location.href = there"
    put = "".join(f"there.searchParams.set({json.dumps(key)}, {json.dumps(value)});" for key, value in about.items())
    ui.run_javascript(f"const there = new URL(location.href); {put} {go}")


def folded(title: str, icon: str, draw: Callable[[], object]) -> None:
    """A part that is folded until it is wanted; what is in it is drawn then."""

    def fill() -> None:
        if not place.default_slot.children:
            with place:
                draw()

    with ui.expansion(title, icon=icon, on_value_change=fill).classes("w-full"):
        place = ui.column().classes("w-full")


async def slowly(
    session: PageSession, place: ui.element, work: Callable[[], T], draw: Callable[[T], object], *, what: str = ""
) -> None:
    """Run slow work while the page shows a spinner; then show its result or its error."""
    place.clear()
    with place, ui.row().classes("items-center q-pa-md").props('role="status"'):
        ui.spinner(size="lg")
        ui.label(what or session.say("Counting …")).classes("text-quiet")
    try:
        found = await run.io_bound(work)
    except CobogoError as error:
        _replace(place, session.say.error(error))
        return
    except Exception:
        _replace(place, session.say(WRONG))
        raise
    if place.is_deleted:
        return
    place.clear()
    with place:
        draw(found)  # type: ignore[arg-type]


def _replace(place: ui.element, text: str) -> None:
    """Say why something is not shown, in its place."""
    if not place.is_deleted:
        place.clear()
        with place:
            trouble(text)


def trouble(text: str, *, icon: str = "info") -> None:
    """A line that says why something is not shown."""
    with ui.row().classes("items-start no-wrap q-pa-sm w-full"):
        ui.icon(icon).props("size=sm color=primary")
        ui.label(text).classes("text-body2").style("white-space: pre-wrap")


Draw = Callable[[PageSession, OpenedRelease], object]
"""Draws a tab about a release."""


def tabs(session: PageSession, release: OpenedRelease, drawn: Mapping[str, tuple[str, str, Draw]]) -> None:
    """Tabs, each with a title, an icon and a function that draws it when it is first opened."""
    waiting = dict(drawn)
    with ui.tabs().props("no-caps align=left dense inline-label").classes("w-full") as bar:
        made = {name: ui.tab(name, label=label, icon=icon) for name, (label, icon, _) in drawn.items()}
    places: dict[str, ui.element] = {}
    asked = ui.context.client.request.query_params.get("tab", "")
    first = asked if asked in drawn else next(iter(drawn))
    with ui.tab_panels(bar, value=made[first], animated=False, keep_alive=True).classes("w-full bg-transparent"):
        for name, tab in made.items():
            with ui.tab_panel(tab).classes("q-pa-none q-pt-sm"):
                places[name] = ui.column().classes("w-full gap-3")

    def turn(name: str) -> None:
        turn_to(stay=True, tab=name)  # so that another release shows the same
        show(name)

    def show(name: str) -> None:
        if name in waiting:
            with places[name]:
                waiting.pop(name)[2](session, release)

    bar.on_value_change(lambda event: turn(event.value if isinstance(event.value, str) else event.value.name))
    show(first)


def snippet(session: PageSession, text: str, language: str) -> ui.code:
    """Lines to copy."""
    made = ui.code(text, language=language).classes("w-full")
    copy = session.say("Copy")
    made.copy_button.props(f'aria-label="{copy}"').tooltip(copy)
    return made


def editor(text: str, language: Any, label: str, *, height: str) -> ui.codemirror:
    """Lines to write, dark where the page is."""
    made = ui.codemirror(text, language=language, line_wrapping=True).classes("w-full")

    async def follow() -> None:
        made.theme = "vscodeDark" if await is_dark() else "vscodeLight"

    ui.timer(0, follow, once=True)
    for mode in ElementFilter(kind=ui.dark_mode):
        mode.on_value_change(follow)
    return made.style(f"height: {height}").props(f'data-name="{label}"')
