"""The pages of the workbench in the order of the work, and what somebody must be allowed to do to see each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from cobogo.server.keys import Holder
from cobogo.server.roles import Scope


@dataclass(frozen=True)
class Step:
    """One page: its name is its module's, its words' and its address's."""

    name: str
    icon: str
    scope: Scope

    @property
    def path(self) -> str:
        """Where the page is."""
        return f"/{self.name}"

    @property
    def build(self) -> Callable[[Any], Any]:
        """What draws the page."""
        drawn: Callable[[Any], Any] = import_module(f"cobogo.workbench.pages.{self.name}").build
        return drawn


STEPS = (
    Step("data", "table_view", Scope.DATA),
    Step("columns", "view_column", Scope.DATA),
    Step("hierarchies", "account_tree", Scope.DATA),
    Step("privacy", "shield", Scope.DATA),
    Step("running", "play_circle", Scope.RUN),
    Step("exploring", "hub", Scope.EVIDENCE),
    Step("utility", "bar_chart", Scope.EVIDENCE),
    Step("risk", "crisis_alert", Scope.EVIDENCE),
    Step("releases", "inventory_2", Scope.RELEASES),
    Step("asking", "forum", Scope.ASK),
    Step("collecting", "poll", Scope.COLLECT),
    Step("mapping", "map", Scope.COLLECT),
)


def open_to(holder: Holder) -> tuple[Step, ...]:
    """The pages that somebody may see."""
    return tuple(step for step in STEPS if step.scope in holder.scopes)
