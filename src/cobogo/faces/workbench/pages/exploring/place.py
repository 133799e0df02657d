"""Where an exploration takes place: whose data, which policy, and what was worked out for the two before."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.faces.server import tables
from cobogo.faces.server.sandbox import confined
from cobogo.faces.workbench.checking import check_roles, undecided
from cobogo.faces.workbench.draft import Draft
from cobogo.faces.workbench.frame import empty
from cobogo.faces.workbench.session import Desk, Session
from cobogo.studies.exploration import Exploration, explore


@dataclass(frozen=True, eq=False)
class Place:
    """A data set of the one who asks, with the policy as it is drafted now."""

    desk: Desk
    session: Session
    dataset: str
    file: str
    text: str
    changed: Callable[[], object]  # to be called when the draft was changed: all that is shown is about the one before

    @classmethod
    def of(cls, desk: Desk, session: Session, row: dict[str, Any], changed: Callable[[], object]) -> Place:
        """The place of a data set's row, which the caller found among those of the one who asks."""
        return cls(desk, session, row["id"], tables.about(row)["file"], session.draft.text, changed)

    @property
    def home(self) -> Path:
        """Where the files are that the policy may name."""
        return self.desk.context.files.dataset(self.dataset) / "files"

    @property
    def data(self) -> Path:
        """The table."""
        return self.desk.context.files.dataset(self.dataset) / self.file

    @property
    def confines(self) -> dict[str, Any]:
        """On whose behalf a policy is read."""
        return {"owner": self.session.owner, "registry": self.desk.context.settings.registry}

    def policy(self) -> Policy:
        """The policy, or an error that says what it lacks."""
        check_roles(Draft(self.text))
        return confined(self.text, self.home, **self.confines)

    def key(self, *about: Hashable) -> tuple[Hashable, ...]:
        """What something about this data set is kept under; files that policies name are part of the question."""
        files = sorted((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in self.home.iterdir())
        return (self.session.owner, self.dataset, *about, tuple(files))

    def explored(self) -> Exploration:
        """The exploration of this policy, opened now if it was not before. Takes its time."""
        key = self.key("lattice", self.text)
        found: Exploration | None = self.desk.shelf.get(*key)
        if found is None:
            found = explore(self.data, self.policy())
            self.desk.shelf.put(found, *key)
        return found

    def refused(self, why: str) -> None:
        """Say why there is nothing to see, and where to go."""
        say = self.session.say
        step = "columns" if undecided(Draft(self.text)) else "privacy"
        button = say(f"run.repair-{step}")
        empty(why, title=say("explore.not_yet"), icon="hub", button=button, go=self.session.to(step))
