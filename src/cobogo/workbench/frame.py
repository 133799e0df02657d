"""What stands around every page: steps on the left, language and light above."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nicegui import ui

from cobogo.errors import CobogoError
from cobogo.workbench.session import Desk, Session
from cobogo.workbench.steps import open_to

BRICK, INK = "#b3541e", "#22333b"


@contextmanager
def framed(desk: Desk, step: str) -> Iterator[Session | None]:
    """A page of one step; None where somebody has to log in first, or may not see it."""
    session = desk.session()
    ui.colors(primary=BRICK, secondary=INK, accent="#5e503f")
    dark = ui.dark_mode(session.dark)
    if session.holder is None or step not in {one.name for one in open_to(session.holder)}:
        ui.navigate.to("/login")
        yield None
        return
    with ui.header().classes("items-center q-px-md").style(f"background: {INK}"):
        ui.label("Cobogó").classes("text-h6 text-weight-bold")
        ui.label(session.say(f"step.{step}")).classes("text-subtitle1 q-ml-md")
        ui.space()
        ui.label(session.holder.owner).classes("q-mr-md")
        _toggles(session, dark)
    with ui.left_drawer(value=True).classes("q-pa-sm").props("width=230 bordered"):
        for one in open_to(session.holder):
            active = one.name == step
            link = ui.link(target=one.path).style(f"text-decoration: none; color: {'white' if active else 'inherit'}")
            link.classes("full-width" + (" bg-primary rounded-borders" if active else ""))
            with link, ui.row().classes("items-center q-pa-sm no-wrap"):
                ui.icon(one.icon).props("size=sm")
                ui.label(session.say(f"step.{one.name}")).classes("text-body1")
    with ui.column().classes("w-full q-pa-md gap-4").style("max-width: 1280px; margin: 0 auto"):
        yield session


def _toggles(session: Session, dark: ui.dark_mode) -> None:
    def turn() -> None:
        dark.value = not dark.value
        session.dark = dark.value

    def speak() -> None:
        session.language = "pt-BR" if session.language == "en" else "en"
        ui.navigate.reload()

    def leave() -> None:
        session.holder = None
        ui.navigate.to("/login")

    label = session.say("dark")
    ui.button(icon="contrast", on_click=turn).props(f'flat round color=white aria-label="{label}"').tooltip(label)
    ui.button(session.say("language"), on_click=speak).props("flat color=white no-caps")
    ui.button(session.say("logout"), on_click=leave).props("flat color=white no-caps")


def told(action: Callable[[], object]) -> bool:
    """Do something; an error of ours is shown in its own words. Whether it went well."""
    try:
        action()
    except CobogoError as error:
        ui.notify(str(error), type="negative", multi_line=True, timeout=0, close_button="OK")
        return False
    return True
