"""Where an exploration takes place: whose data, which policy, and what was worked out for the two before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cobogo.data.policy import Policy
from cobogo.faces.workbench.checking import check_roles, undecided
from cobogo.faces.workbench.draft import Draft
from cobogo.faces.workbench.frame import empty
from cobogo.faces.workbench.session import Desk, Session
from cobogo.studies.exploration import Exploration


@dataclass(frozen=True, eq=False)
class Place:
    """A data set of the one who asks, with the policy as it is drafted now."""

    desk: Desk
    session: Session
    dataset: str
    text: str
    changed: Callable[[], object]  # to be called when the draft was changed: all that is shown is about the one before

    @classmethod
    def of(cls, desk: Desk, session: Session, row: dict[str, Any], changed: Callable[[], object]) -> Place:
        """The place of a data set's row, which the caller found among those of the one who asks."""
        return cls(desk, session, row["id"], session.draft.text, changed)

    def policy(self) -> Policy:
        """The policy, or an error that says what it lacks."""
        check_roles(Draft(self.text))
        return self.desk.service.policies.read(self.session.caller, self.dataset, self.text)

    def explored(self) -> Exploration:
        """The exploration of this policy, opened now if it was not before. Takes its time."""
        check_roles(Draft(self.text))
        return self.desk.service.jobs.explore(self.session.caller, self.dataset, self.text)

    def refused(self, why: str) -> None:
        """Say why there is nothing to see, and where to go."""
        say = self.session.say
        step = "columns" if undecided(Draft(self.text)) else "privacy"
        button = say(f"run.repair-{step}")
        empty(why, title=say("explore.not_yet"), icon="hub", button=button, go=self.session.to(step))
