"""Above every page: whose data are worked on, the policy, language and light. On its left: the steps."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

from nicegui import ui

from cobogo.faces.workbench import actions
from cobogo.faces.workbench.draft import PolicyDraft
from cobogo.faces.workbench.labels import STEP
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.faces.workbench.steps import DOORS, finished_steps, visible_steps
from cobogo.faces.workbench.style import INK
from cobogo.floor.language import tr

FRAME = {
    "undo": tr("Undo the last change to the policy"),
    "redo": tr("Redo"),
}

PERSON = {
    "steward": tr("Steward"),
    "analyst": tr("Analyst"),
    "collector": tr("Collector"),
    "auditor": tr("Auditor"),
    "admin": tr("Administrator"),
}

DOOR = {
    "publish": tr("Publish"),
    "answer": tr("Answer"),
    "collect": tr("Collect"),
    "locate": tr("Locate"),
    "server": tr("Server"),
}

LANGUAGE_NAMES = {"en": "English", "es": "Español", "pt-BR": "Português"}
"""Each in its own language."""

LISTED = 20
"""Earlier versions of a policy that are offered."""


def header(desk: Desk, session: PageSession, step: str, dark: ui.dark_mode) -> None:
    """The bar on top, and what it opens on the left: the steps."""
    skip = html.escape(session.say("Skip to the content"))
    ui.add_body_html(f'<a href="#content" class="cobogo-skip">{skip}</a>')
    with ui.header().classes("items-center q-px-md q-py-xs no-wrap gap-x-2").style(f"background: {INK}"):
        label = session.say("Menu")
        menu = ui.button(icon="menu").props(f'flat round color=white aria-label="{label}"').tooltip(label)
        ui.label("Cobogó").classes("text-h6 text-weight-bold cobogo-wide")
        ui.label(session.say(STEP[step])).classes("text-subtitle1").props('role="heading" aria-level="1"').style(
            "white-space: nowrap"
        )
        ui.space()
        if session.dataset is not None:
            _dataset(desk, session)
        with ui.row().classes("cobogo-wide items-center no-wrap gap-0"):
            buttons(session, dark)
        _account(desk, session, dark)
    steps = drawer(desk, session, step)
    menu.on("click", js_handler=f"() => getElement({steps.id}).toggle()")


def _dataset(desk: Desk, session: PageSession) -> None:
    row = desk.service.datasets.find(session.caller, session.dataset)
    if row is None:
        return
    link = ui.link(target=session.address("data")).classes("row items-center no-wrap q-gutter-xs")
    with link.style("color: white; min-width: 0; flex-wrap: nowrap"):
        ui.icon("table_chart").props("size=xs").classes("cobogo-wide")
        ui.label(row["name"]).classes("ellipsis").style("max-width: min(16rem, 30vw)").tooltip(
            session.say("The current data set")
        )
    label = session.say("Policy")
    button = ui.button(icon="article", on_click=lambda: policy(desk, session)).props("flat color=white no-caps")
    with button.props(f'aria-label="{label}"'):
        ui.label(label).classes("cobogo-wide q-ml-sm")


async def is_dark() -> bool:
    """Whether the page is dark now: by choice, or because the browser's is."""
    return bool(await ui.run_javascript("Quasar.Dark.isActive"))


def buttons(session: PageSession, dark: ui.dark_mode, colour: str = "white") -> None:
    """The buttons that switch between light and dark, and between languages."""

    async def turn() -> None:
        session.browser.dark = not await is_dark()
        dark.value = session.browser.dark

    def speak() -> None:
        session.browser.language = "pt-BR" if session.language == "en" else "en"
        ui.navigate.reload()

    label = session.say("Dark or light")
    ui.button(icon="contrast", on_click=turn).props(f'flat round color={colour} aria-label="{label}"').tooltip(label)
    other = "pt-BR" if session.language == "en" else "en"
    ui.button(LANGUAGE_NAMES[other], on_click=speak).props(f'flat color={colour} no-caps lang="{other}"')


def _account(desk: Desk, session: PageSession, dark: ui.dark_mode) -> None:
    holder = session.holder
    assert holder is not None

    def leave() -> None:
        desk.note(holder, "logout")
        session.browser.forget()
        ui.navigate.to("/login")

    label = session.say("Account")
    account = ui.button(icon="account_circle").props(f'flat round color=white aria-label="{label}"').tooltip(label)
    with account, ui.menu(), ui.column().classes("q-pa-md gap-1"):
        ui.label(holder.owner).classes("text-subtitle1 text-weight-medium")
        ui.label(session.say(PERSON[holder.role.value])).classes("text-caption text-quiet")
        with ui.row().classes("cobogo-narrow items-center"):
            buttons(session, dark, "primary")
        ui.button(session.say("Log out"), icon="logout", on_click=leave).props("flat no-caps")


def drawer(desk: Desk, session: PageSession, step: str) -> ui.left_drawer:
    """The steps, by the doors of the house, with a mark at what is done. A window with room for it has it open."""
    holder = session.holder
    assert holder is not None
    label, mark = session.say("Steps"), session.say("done")
    steps = ui.left_drawer(value=False).classes("q-pa-sm").props("width=220 bordered show-if-above")
    marks: dict[str, ui.icon] = {}
    with (
        steps,
        ui.element("nav").props(f'aria-label="{label}"').classes("w-full"),
    ):
        for door in DOORS:
            here = [one for one in visible_steps(holder) if one.door == door]
            if here:
                ui.label(session.say(DOOR[door])).classes("text-caption text-quiet q-px-sm q-pt-sm")
            for one in here:
                link = ui.link(target=session.address(one.name)).classes("cobogo-step full-width")
                if one.name == step:
                    link.props('aria-current="page"')
                with link, ui.row().classes("items-center q-px-sm q-py-xs no-wrap gap-3"):
                    ui.icon(one.icon).props("size=sm")
                    ui.label(session.say(STEP[one.name])).classes("text-body2 col")
                    marks[one.name] = ui.icon("check_circle")
                    marks[one.name].props(f'size=xs color=positive role=img aria-label="{mark}"')

    def draw_marks() -> None:
        done = finished_steps(desk, session)
        for name, icon in marks.items():
            icon.set_visibility(name in done)

    session.redraw_steps = draw_marks
    draw_marks()
    return steps


def policy(desk: Desk, session: PageSession) -> None:
    """The policy as text, from any page, with what undoes its last change and a list of earlier versions."""

    def turn(act: Any, *given: Any) -> None:
        act(desk, session, str(session.dataset), *given)
        ui.navigate.reload()

    with ui.dialog() as dialog, ui.card().classes("w-full").style("max-width: 60rem"):
        with ui.row().classes("items-center w-full"):
            ui.label(session.say("The policy")).classes("text-h6")
            ui.space()
            for word, icon, act in (("undo", "undo", actions.undo_policy), ("redo", "redo", actions.redo_policy)):
                label = session.say(FRAME[word])
                button = ui.button(icon=icon, on_click=lambda act=act: turn(act))
                button.props(f'flat round aria-label="{label}"').tooltip(label)
            ui.button(
                session.say("Download the policy"), icon="download", on_click=lambda: download_policy(session)
            ).props("flat no-caps")
            close = session.say("Close")
            ui.button(icon="close", on_click=dialog.close).props(f'flat round aria-label="{close}"')
        ui.code(session.draft.text, language="toml").classes("w-full").style("max-height: 55vh; overflow: auto")
        _list_saved(desk, session, lambda text: turn(actions.write_policy, text, "version"))
        with ui.expansion(session.say("Earlier versions"), icon="history").classes("w-full").props("dense"):
            _versions(desk, session, lambda text: turn(actions.write_policy, text, "version"))
    dialog.open()


def _list_saved(desk: Desk, session: PageSession, use: Callable[[str], None]) -> None:
    """Policies of the data set that were kept under a name, and a field to keep this one."""
    for row in desk.service.policies.list_all(session.caller, session.dataset):
        with ui.row().classes("w-full items-center no-wrap"):
            ui.icon("bookmark").props("size=xs")
            ui.label(row["name"]).classes("text-body2 col ellipsis")
            ui.button(session.say("Use this one"), on_click=lambda text=row["toml"]: use(text)).props(
                "flat dense no-caps"
            )

    def keep() -> None:
        actions.save_policy(desk, session, str(session.dataset), str(name.value or ""))
        ui.notify(session.say("Saved as {name}.", name=name.value), type="positive")

    with ui.row().classes("w-full items-center no-wrap"):
        name = ui.input(session.say("Save it under a name")).props("dense outlined").classes("col")
        ui.button(session.say("Keep"), icon="bookmark_add", on_click=keep).props("outline no-caps")


def _versions(desk: Desk, session: PageSession, use: Callable[[str], None]) -> None:
    """The versions before this one, each with what it asks for, to go on from."""
    for one in desk.versions(session)[1 : 1 + LISTED]:
        with ui.row().classes("w-full items-center no-wrap"):
            promised = ", ".join(str(model.get("model")) for model in PolicyDraft(one.toml).models)
            ui.label(f"{session.date(one.created)} · {one.digest} · {promised}").classes("text-body2 col ellipsis")
            ui.button(session.say("Use this one"), on_click=lambda text=one.toml: use(text)).props("flat dense no-caps")


def download_policy(session: PageSession) -> None:
    """Download the policy as it stands."""
    ui.download(session.draft.text.encode(), "policy.toml", "application/toml")
