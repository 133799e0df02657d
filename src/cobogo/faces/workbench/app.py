"""The pages, mounted beside the server's routes in one process."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import RedirectResponse
from starlette.middleware.sessions import SessionMiddleware

from cobogo.faces.server.keys import Holder

COOKIE = 12 * 3600
"""Seconds after which a browser forgets its cookie, however busy it was."""


def mount(app: FastAPI, *, local: Holder | None = None) -> str:
    """Add the workbench to a server.

    With ``local`` one person on one machine needs no key: whoever comes through the door ``/enter/…``, whose name is
    returned, is that person. Other users of the machine do not know it.
    """
    settings = app.state.context.settings
    os.environ.setdefault("NICEGUI_STORAGE_PATH", str(Path(settings.state) / "pages"))
    from nicegui import ui

    from cobogo.faces.workbench import error_pages, files
    from cobogo.faces.workbench.pages import login
    from cobogo.faces.workbench.session import Desk, serve_login
    from cobogo.faces.workbench.steps import STEPS, first_step
    from cobogo.faces.workbench.style import CSS, NAMES

    desk, door = Desk(app.state.service, local=local is not None), secrets.token_urlsafe(24)
    ui.add_css(CSS, shared=True)
    ui.add_body_html(NAMES, shared=True)
    for step in STEPS:
        _page(ui, step, desk)
    ui.page("/login")(lambda: login.build(desk))
    error_pages.prepare(desk)
    files.serve(desk)
    serve_login(desk)
    app.state.context.browsers = lambda name: desk.known(name).holder

    @ui.page("/")
    def begin() -> None:
        holder = desk.browser().holder
        ui.navigate.to("/login" if holder is None else first_step(holder).path)

    if local is not None:
        _begin_registry(settings.registry)

        @app.get(f"/enter/{door}", include_in_schema=False)
        def enter() -> RedirectResponse:
            return RedirectResponse(desk.tickets.address(local), status_code=303)

    secret = secrets.token_hex(32)
    app.add_middleware(  # around everything: who uploads is asked before the body is read
        SessionMiddleware,
        secret_key=secret,
        session_cookie="cobogo",
        same_site="strict",
        https_only=settings.encrypted,
        max_age=COOKIE,
    )
    ui.run_with(
        app,
        title="Cobogó",
        favicon=_FAVICON,
        storage_secret=secret,
        reconnect_timeout=30,
        show_welcome_message=False,
    )
    return door


def _begin_registry(place: str | None) -> None:
    """One person's own registry begins with their workbench."""
    from cobogo.publish.registry.store import create

    if place is not None and not Path(place).exists():
        create(place, None).close()


_FAVICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="5" fill="#b3541e"/>'
    '<g fill="#fff"><rect x="6" y="6" width="8" height="8" rx="4"/><rect x="18" y="6" width="8" height="8" rx="4"/>'
    '<rect x="6" y="18" width="8" height="8" rx="4"/><rect x="18" y="18" width="8" height="8" rx="4"/></g></svg>'
)


def _page(ui: Any, step: Any, desk: Any) -> None:
    """Serve a page at its address. Without a login or a data set it redirects: see `_elsewhere`."""
    from inspect import isawaitable

    from fastapi.responses import RedirectResponse

    @ui.page(step.path, response_timeout=120)  # type: ignore[untyped-decorator]
    async def show() -> Any:
        elsewhere = await _elsewhere(ui.context.client.request, step, desk)
        if elsewhere is not None:
            return RedirectResponse(elsewhere, status_code=303)
        built = step.build(desk)
        if isawaitable(built):
            await built
        return None


async def _elsewhere(request: Any, step: Any, desk: Any) -> str | None:
    """The address to redirect to: the login, or the page about the data set of the last visit; None to stay.

    The policy of a data set that no page was opened on yet is begun here: it takes a while to count its values.
    """
    from urllib.parse import urlencode

    from nicegui import run

    from cobogo.faces.workbench import actions

    browser, asked = desk.browser(), dict(request.query_params)
    if browser.holder is None:
        address = str(request.url.path) + (f"?{request.url.query}" if request.url.query else "")
        return f"/login?{urlencode({'next': address})}"
    if step.about_data and "data" not in asked and (last := desk.last(browser)) is not None:
        return f"{step.path}?{urlencode({'data': last, **asked})}"
    session = desk.open_session(browser, asked)
    if session.dataset is not None and not session.version:
        await run.io_bound(actions.begin_policy, desk, session, session.dataset)
    return None
