"""Who is at the workbench, and what they are working on. It lives in memory: a restart means logging in again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nicegui import app

from cobogo.server.keys import Holder
from cobogo.workbench.draft import Draft
from cobogo.workbench.shelf import Shelf
from cobogo.workbench.words import DEFAULT, TEXTS

if TYPE_CHECKING:
    from cobogo.server.house import House
    from cobogo.server.queue import Queue


@dataclass
class Session:
    """One browser."""

    holder: Holder | None = None
    language: str = DEFAULT
    dark: bool | None = None
    dataset: str | None = None
    job: str | None = None
    draft: Draft = field(default_factory=Draft)

    @property
    def owner(self) -> str:
        """Whose things are worked on; nobody's before somebody logs in."""
        return "" if self.holder is None else self.holder.owner

    def say(self, key: str, **values: object) -> str:
        """A text in the session's language."""
        return TEXTS[self.language][key].format(**values)


@dataclass
class Desk:
    """What all pages share: the server's house and queue, and everybody's session."""

    house: House
    queue: Queue
    sessions: dict[str, Session] = field(default_factory=dict)
    shelf: Shelf = field(default_factory=Shelf)

    def session(self) -> Session:
        """The session of the browser that asks."""
        return self.sessions.setdefault(str(app.storage.browser["id"]), Session())
