"""Where an exploration takes place: whose data, which policy, and what was worked out for the two before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from nicegui import ui

from cobogo.errors import CobogoError
from cobogo.exploration import Exploration, explore
from cobogo.report.words import Words, words
from cobogo.server import tables
from cobogo.server.confine import confined
from cobogo.workbench.session import Desk, Session


@dataclass(frozen=True, eq=False)
class Place:
    """A data set of the one who asks, with the policy as it is drafted now."""

    desk: Desk
    session: Session
    dataset: str
    file: str
    text: str

    @classmethod
    def of(cls, desk: Desk, session: Session, row: dict[str, Any]) -> Place:
        """The place of a data set's row, which the caller found among those of the one who asks."""
        return cls(desk, session, row["id"], tables.about(row)["file"], session.draft.text)

    @property
    def home(self) -> Path:
        """Where the files are that the policy may name."""
        return self.desk.house.files.dataset(self.dataset) / "files"

    @property
    def data(self) -> Path:
        """The table."""
        return self.desk.house.files.dataset(self.dataset) / self.file

    @property
    def confines(self) -> dict[str, Any]:
        """On whose behalf a policy is read."""
        return {"owner": self.session.owner, "registry": self.desk.house.settings.registry}

    @cached_property
    def numbers(self) -> Words:
        """How the session's language writes numbers."""
        return words(self.session.language)

    def explored(self) -> Exploration:
        """The exploration of this policy, opened now if it was not before. Takes its time."""
        key = (self.session.owner, self.dataset, "lattice", self.text)
        found: Exploration | None = self.desk.shelf.get(*key)
        if found is None:
            found = explore(self.data, confined(self.text, self.home, **self.confines))
            self.desk.shelf.put(found, *key)
        return found

    def allowed(self, action: Callable[[], object]) -> bool:
        """Do something; where the policy does not allow it, say so, and where to change it."""
        try:
            action()
        except CobogoError as error:
            self.refused(str(error))
            return False
        return True

    def refused(self, why: str) -> None:
        """Say why there is nothing to see, and where to go."""
        with ui.card().classes("w-full"):
            ui.label(self.session.say("explore.not_yet")).classes("text-subtitle1 text-weight-medium")
            ui.label(why).style("white-space: pre-wrap")
            ui.button(self.session.say("explore.to_privacy"), on_click=lambda: ui.navigate.to("/privacy")).props(
                "no-caps outline"
            )
