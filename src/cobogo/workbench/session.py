"""Who is at the workbench, and what they are working on. It lives in memory: a restart means logging in again."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from numbers import Real
from typing import TYPE_CHECKING, Any

from nicegui import app, ui

from cobogo.errors import CobogoError
from cobogo.language.sentences import in_portuguese, translated
from cobogo.report.words import Words, words
from cobogo.server.keys import Holder
from cobogo.server.state import KEYS, RELEASES
from cobogo.workbench.draft import Draft
from cobogo.workbench.entering import Tickets
from cobogo.workbench.shelf import Shelf
from cobogo.workbench.words import TEXTS, preferred

if TYPE_CHECKING:
    from cobogo.server.house import House
    from cobogo.server.queue import Queue

AT_MOST = 10_000
"""Browsers that are remembered; beyond them those that never logged in are forgotten."""

LOCAL_KEY = "workbench"
"""What stands for the key of the one person of a workbench on their own machine."""


@dataclass
class Session:
    """One browser. ``release`` is the one that is looked at, where one was chosen."""

    holder: Holder | None = None
    language: str = "en"
    dark: bool | None = None
    dataset: str | None = None
    job: str | None = None
    release: str | None = None
    draft: Draft = field(default_factory=Draft)
    kept: dict[str, Any] = field(default_factory=dict)
    """What pages remember until somebody logs out, each under its own name."""
    seen: float = field(default_factory=time.monotonic)

    @property
    def owner(self) -> str:
        """Whose things are worked on; nobody's before somebody logs in."""
        return "" if self.holder is None else self.holder.owner

    @property
    def figures(self) -> Words:
        """How the session's language writes numbers, shares, seconds and dates."""
        return words(self.language)

    def say(self, key: str, **values: object) -> str:
        """A text in the session's language; numbers in it are written as the language does."""
        written = {name: self.number(value) if _is_number(value) else value for name, value in values.items()}
        return TEXTS[self.language][key].format(**written)

    def sentence(self, text: str) -> str:
        """A sentence of the program, in the session's language as far as it has words for it."""
        return text if self.language == "en" else in_portuguese(text)

    def trouble(self, error: CobogoError | str) -> str:
        """What an error says, or the message of a job that it ended, in the session's language."""
        if isinstance(error, CobogoError):
            return translated(error, self.language)
        first, _, rest = error.partition("\n")
        where, mark, what = first.rpartition(": ")
        said = f"{where}{mark}{self.sentence(what.removesuffix('.'))}"
        return "\n".join(filter(None, [said + "." * first.endswith("."), self.sentence(rest)]))

    def knows(self, key: str) -> bool:
        """Whether there is a text of that name."""
        return key in TEXTS[self.language]

    def number(self, value: Any, digits: int = 4) -> str:
        """A number, whole ones with all of their digits."""
        return self.figures.number(value, digits)

    def percent(self, share: float | None) -> str:
        """A share as a percentage."""
        return self.figures.percent(share)

    def seconds(self, value: float | None) -> str:
        """A duration."""
        return self.figures.seconds(value)

    def date(self, moment: float) -> str:
        """A moment, given in seconds since 1970, in the time of the machine that serves the pages."""
        return self.figures.date(datetime.fromtimestamp(moment, UTC).astimezone().isoformat())

    def forget(self) -> None:
        """Log out: nothing of what was worked on stays for whoever comes next."""
        self.holder = self.dataset = self.job = self.release = None
        self.draft = Draft()
        self.kept = {}


@dataclass
class Desk:
    """What all pages share: the server's house and queue, and everybody's session."""

    house: House
    queue: Queue
    sessions: dict[str, Session] = field(default_factory=dict)
    shelf: Shelf = field(default_factory=Shelf)
    tickets: Tickets = field(default_factory=Tickets)

    def session(self) -> Session:
        """The session of the browser that asks. A key that was revoked, or has ended, logs it out."""
        name = str(app.storage.browser["id"])
        if name not in self.sessions:
            self._make_room()
            accepted = ui.context.client.request.headers.get("accept-language", "")
            self.sessions[name] = Session(language=preferred(accepted))
        return self.known(name)

    def known(self, name: str) -> Session:
        """The session of a browser that was here before; an empty one of any other."""
        found = self.sessions.get(name, Session())
        idle, found.seen = time.monotonic() - found.seen, time.monotonic()
        if found.holder is not None and (idle > self.idle or not self._valid(found.holder)):
            found.forget()
        return found

    @property
    def idle(self) -> float:
        """Seconds without a page or a download after which a browser is logged out."""
        return self.house.settings.limits.session_minutes * 60

    def enter(self, name: str, holder: Holder) -> str:
        """Log somebody in, in the browser of a name; its name from now on. Whoever knew the old one knows nothing."""
        before = self.sessions.pop(name, Session())
        new = str(uuid.uuid4())
        self.sessions[new] = Session(holder, before.language, before.dark)
        self.note(self.sessions[new], "login")
        return new

    def note(self, session: Session, action: str, what: str = "", status: int = 200) -> None:
        """Write in the server's log what somebody did on a page."""
        holder = session.holder
        assert holder is not None
        line = {"owner": holder.owner, "role": holder.role.value, "key": holder.key, "what": what}
        self.house.state.note(action=f"workbench {action}", status=status, **line)

    def release(self, session: Session) -> dict[str, Any] | None:
        """The release that a session looks at: the one chosen, else that of the last job, else the latest there is of
        the data set at hand; never one that its holder may not see."""
        if session.holder is None:
            return None
        state, sees = self.house.state, session.holder.sees
        for identity in (session.release, session.job):
            row = None if identity is None else state.get(RELEASES, identity, sees)
            if row is not None:
                return row
        of = {} if session.dataset is None else {"dataset": session.dataset}
        return next(iter(state.rows(RELEASES, sees, **of)), None)

    def _valid(self, holder: Holder) -> bool:
        if holder.key == LOCAL_KEY:
            return True
        row = self.house.state.get(KEYS, holder.key)
        if row is None or row["revoked"] is not None:
            return False
        return row["expires"] is None or row["expires"] > time.time()

    def _make_room(self) -> None:
        if len(self.sessions) >= AT_MOST:
            for name in [name for name, one in self.sessions.items() if one.holder is None]:
                del self.sessions[name]


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
