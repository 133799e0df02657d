"""Text of programs on a page: to copy, or to write."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from cobogo.faces.workbench.session import Session


def snippet(session: Session, text: str, language: str) -> ui.code:
    """Lines to copy."""
    made = ui.code(text, language=language).classes("w-full")
    made.copy_button.props(f'aria-label="{session.say("frame.copy")}"').tooltip(session.say("frame.copy"))
    return made


def editor(session: Session, text: str, language: Any, label: str, *, height: str) -> ui.codemirror:
    """Lines to write, in colours that can be read in light and in dark."""
    theme: Any = "githubDark" if session.dark else "vscodeLight"
    made = ui.codemirror(text, language=language, theme=theme, line_wrapping=True).classes("w-full")
    return made.style(f"height: {height}").props(f'data-name="{label}"')
