"""Who is logged in, what their page is about, and whether both still hold when they act on it.

A browser is remembered in memory: a restart means logging in again. What was worked on is in the server's state.

At a login the browser gets a new session name, so that an attacker who knew the old one gains nothing.
"""

from __future__ import annotations

import html
import secrets
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from numbers import Real
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from nicegui import app, ui

from cobogo.errors import Stale
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.workbench.draft import PolicyDraft
from cobogo.floor.language import Speech, preferred_language, speech, tr

if TYPE_CHECKING:
    from cobogo.faces.server.services import Services
    from cobogo.faces.server.services.policies import Version

AT_MOST = 10_000
"""Browsers that are remembered; beyond them those that never logged in are forgotten."""

LOCAL_KEY = "workbench"
"""What stands for the key of the one person of a workbench on their own machine."""


ENTRY = "/entered"
TICKET_SECONDS = 60
ONWARDS = '<!doctype html><title>Cobogó</title><meta http-equiv="refresh" content="0; url={goal}">'


@dataclass
class Browser:
    """A browser: who is logged in, how they like pages, and the data set that was opened last."""

    holder: Holder | None = None
    language: str = "en"
    dark: bool | None = None
    dataset: str | None = None
    memory: dict[str, Any] = field(default_factory=dict)
    """What pages remember until the holder logs out, each under its own name."""
    seen: float = field(default_factory=time.monotonic)

    def forget(self) -> None:
        """Log out: no trace of the work stays for the next person."""
        self.holder = self.dataset = None
        self.memory = {}


@dataclass
class PageSession:
    """A page as it was opened: for whom, about which data set, job and release, and with which version of its policy.

    Nobody but its holder can do anything on it, and they only with what it shows: see `Desk.check`.
    """

    holder: Holder | None = None
    language: str = "en"
    dark: bool | None = None
    dataset: str | None = None
    job: str | None = None
    release: str | None = None
    draft: PolicyDraft = field(default_factory=PolicyDraft)
    version: int = 0
    browser: Browser = field(default_factory=Browser)
    redraw_steps: Callable[[], object] = lambda: None
    """Draws the marks at the steps again."""

    @property
    def memory(self) -> dict[str, Any]:
        """What pages remember until the holder logs out, each under its own name."""
        return self.browser.memory

    @property
    def caller(self) -> Holder:
        """On whose behalf the page calls the service."""
        if self.holder is None:
            raise Stale(tr("you logged out in another window"), remedy=tr("Nothing was changed. Log in again."))
        return self.holder

    @property
    def owner(self) -> str:
        """The owner of what the page shows; empty before the login."""
        return "" if self.holder is None else self.holder.owner

    @property
    def here(self) -> bool:
        """Whether the holder for whom the page was opened is still logged in."""
        return self.holder is not None and self.browser.holder == self.holder

    def address(self, step: str, **about: str | None) -> str:
        """The address of a page about the same data set and release, or about others."""
        asked = {"data": self.dataset, "release": self.release, **about}
        told = urlencode({key: value for key, value in asked.items() if value is not None})
        return f"/{step}?{told}" if told else f"/{step}"

    @property
    def say(self) -> Speech:
        """The session's language."""
        return speech(self.language)

    def date(self, moment: float) -> str:
        """A moment, given in seconds since 1970, in the time of the machine that serves the pages."""
        return self.say.date(datetime.fromtimestamp(moment, UTC).astimezone().isoformat())


class Tickets:
    """Holders who gave a valid key and whose browsers have not been renamed yet."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Holder, str, float]] = {}

    def address(self, holder: Holder, goal: str = "/") -> str:
        """The address that logs a holder in with a new ticket, and then leads on to ``goal``, a page of ours."""
        self._waiting = {key: found for key, found in self._waiting.items() if found[2] > time.monotonic()}
        ticket = secrets.token_urlsafe(24)
        self._waiting[ticket] = (holder, goal, time.monotonic() + TICKET_SECONDS)
        return f"{ENTRY}/{ticket}"

    def redeem(self, ticket: str) -> tuple[Holder | None, str]:
        """Whose ticket it is, and where they go; good once."""
        holder, goal, until = self._waiting.pop(ticket, (None, "/", 0.0))
        return (holder, goal) if until > time.monotonic() else (None, "/")


@dataclass
class Desk:
    """What all pages share: the server's operations, and everybody's browser."""

    service: Services
    browsers: dict[str, Browser] = field(default_factory=dict)
    local: bool = False  # whether it is one person's, on their own machine
    tickets: Tickets = field(default_factory=Tickets)

    def session(self) -> PageSession:
        """The page that is being opened, about what its address names: ``?data=…&release=…&job=…``."""
        return self.open_session(self.browser(), dict(ui.context.client.request.query_params))

    def open_session(self, browser: Browser, asked: dict[str, str]) -> PageSession:
        """The session of a page that a browser opens, about the data set, job and release of its address if the
        holder may see them."""
        session = PageSession(browser.holder, browser.language, browser.dark, browser=browser)
        if session.holder is None:
            return session
        session.dataset = self._mine(session.holder, asked.get("data"))
        if session.dataset is not None:
            browser.dataset = session.dataset
            now = self.service.policies.draft(session.holder, session.dataset)
            session.version, session.draft = (0, PolicyDraft()) if now is None else (now.number, PolicyDraft(now.toml))
        session.job = asked.get("job")
        release = self.service.releases.find(session.holder, asked.get("release"))
        session.release = None if release is None else release["id"]
        return session

    def last(self, browser: Browser) -> str | None:
        """The data set that a browser worked on last, or, after a restart, whose policy its holder changed last."""
        if browser.holder is None:
            return None
        known = browser.dataset or self.service.policies.latest_dataset(browser.holder)
        return self._mine(browser.holder, known)

    def browser(self) -> Browser:
        """The browser that asks. A key that was revoked, or has ended, logs it out."""
        name = str(app.storage.browser["id"])
        if name not in self.browsers:
            self._make_room()
            accepted = ui.context.client.request.headers.get("accept-language", "")
            self.browsers[name] = Browser(language=preferred_language(accepted))
        return self.known(name)

    def known(self, name: str) -> Browser:
        """A browser that was here before; an empty one for any other."""
        found = self.browsers.get(name, Browser())
        if found.holder is not None and not self._awake(found):
            found.forget()
        return found

    @property
    def idle(self) -> float:
        """Seconds without a page, a click or a download after which a browser is logged out."""
        return self.service.keys.idle_seconds

    def enter(self, name: str, holder: Holder, accepted: str) -> str:
        """Log a holder in; the browser's new session name. The old name, and pages opened under it, are worthless from
        now on. A browser that saw no page yet gets those in the language that it accepts."""
        before = self.browsers.pop(name, Browser(language=preferred_language(accepted)))
        before.forget()
        new = str(uuid.uuid4())
        self.browsers[new] = Browser(holder, before.language, before.dark)
        self.note(holder, "login")
        return new

    def check(self, session: PageSession) -> Holder:
        """The holder who acts on a page: the one it was opened for, if still logged in with a valid key."""
        now = session.browser.holder
        if session.holder is None or now is None:
            raise Stale(tr("you logged out in another window"), remedy=tr("Nothing was changed. Log in again."))
        if now != session.holder:
            raise Stale(
                tr(
                    "this page was opened by {owner}, but {now} is logged in now",
                    owner=session.owner,
                    now=now.owner,
                ),
                remedy=tr("Nothing was changed. Reload the page."),
            )
        if not self._awake(session.browser):
            session.browser.forget()
            raise Stale(
                tr("your key was revoked or has expired, or the page was idle for too long"),
                remedy=tr("Nothing was changed. Log in again."),
            )
        return now

    def _awake(self, browser: Browser) -> bool:
        """Whether the holder was active lately, with a valid key; notes the activity."""
        idle, browser.seen = time.monotonic() - browser.seen, time.monotonic()
        return browser.holder is not None and idle <= self.idle and self._valid(browser.holder)

    def note(self, holder: Holder, action: str, what: str = "", status: int = 200) -> int:
        """Write an action on a page in the server's log; the number of the line."""
        return self.service.keys.note(holder, f"workbench {action}", what, status)

    def versions(self, session: PageSession) -> list[Version]:
        """The versions of a page's policy, the one that counts first."""
        return self.service.policies.versions(session.caller, session.dataset or "")

    def release(self, session: PageSession) -> dict[str, Any] | None:
        """The release of a session that its holder may see: the chosen one, else that of the last job, else the
        latest one of the data set."""
        if session.holder is None:
            return None
        releases = self.service.releases
        for identity in (session.release, session.job):
            row = releases.find(session.holder, identity)
            if row is not None:
                return row
        if KeyScope.RELEASES not in session.holder.scopes:
            return None
        return next(iter(releases.list_all(session.holder, session.dataset)), None)

    def _valid(self, holder: Holder) -> bool:
        return holder.key == LOCAL_KEY or self.service.keys.is_valid(holder)

    def _make_room(self) -> None:
        if len(self.browsers) >= AT_MOST:
            for name in [name for name, one in self.browsers.items() if one.holder is None]:
                del self.browsers[name]

    def _mine(self, holder: Holder, dataset: str | None) -> str | None:
        row = self.service.datasets.find(holder, dataset)
        return None if row is None else str(row["id"])


def serve_login(desk: Desk) -> None:
    """Add the address that renames a browser. A page cannot change a cookie; the answer to a request can."""

    @app.get(f"{ENTRY}/{{ticket}}", include_in_schema=False)
    def enter(request: Request, ticket: str) -> HTMLResponse:
        holder, goal = desk.tickets.redeem(ticket)
        if holder is not None:
            before, accepted = str(request.session.get("id", "")), request.headers.get("accept-language", "")
            request.session["id"] = desk.enter(before, holder, accepted)
        # no redirect: a browser that came from elsewhere would leave the cookie out
        return HTMLResponse(ONWARDS.format(goal=html.escape(goal)))


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
