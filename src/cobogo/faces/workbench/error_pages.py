"""Pages that are not there, and pages that fail: said kindly, without a word about the cause, which may name values."""

from __future__ import annotations

import logging
import traceback
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response
from nicegui import Client, app, ui
from nicegui.page import page

from cobogo.faces.workbench.frame import empty, prepare_page
from cobogo.faces.workbench.session import Desk
from cobogo.faces.workbench.widgets import WRONG
from cobogo.floor.language import tr

TROUBLE = {
    "lost": tr("This page does not exist"),
    "wrong": tr("Something went wrong"),
}

TROUBLE_WHY = {
    "lost": tr("The address is wrong, or the page no longer exists, or it is not yours."),
    "wrong": WRONG,
}

FOR_PROGRAMS = ("/api/", "/_nicegui", "/release/")
"""Addresses whose answers programs read."""

LEFT = "Client has been deleted"
"""How NiceGUI begins to tell, with a stack, that a page was left while it waited for its figures. Nothing is wrong."""


def prepare(desk: Desk) -> None:
    """Show our own error pages, and log only the type and the place of an error."""
    logging.getLogger("nicegui").addFilter(reduce_record)
    app.on_page_exception(lambda: _show_error(desk, "wrong", "healing"))

    async def answer_not_found(request: Request, error: Any) -> Response:
        if request.url.path.startswith(FOR_PROGRAMS):
            return JSONResponse({"detail": getattr(error, "detail", "Not Found"), "where": None, "remedy": None}, 404)
        with Client(page(""), request=request) as client:
            _show_error(desk, "lost", "explore_off")
        return client.build_response(request, 404)

    app.add_exception_handler(404, answer_not_found)


def _show_error(desk: Desk, what: str, icon: str) -> None:
    session = desk.session()
    prepare_page(session, TROUBLE[what])
    with ui.element("div").classes("absolute-center"):
        title = session.say(TROUBLE[what])
        empty(
            session.say(TROUBLE_WHY[what]), title=title, icon=icon, button=session.say("Back to the start page"), go="/"
        )


def reduce_record(record: logging.LogRecord) -> bool:
    """Reduce an exception in the log to its type and line: its message may quote a value of the data. Of a page that
    was left early, nothing is logged."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        frame = (traceback.extract_tb(error.__traceback__) or [None])[-1]
        place = "" if frame is None else f" in {frame.name}, line {frame.lineno}"
        record.msg, record.args = f"a page failed: {type(error).__name__}{place}", ()
        record.exc_info = record.exc_text = None
    return not str(record.msg).startswith(LEFT)
