"""The pages of the workbench in the order of the work, with the scope that each needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from cobogo.errors import CobogoError
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyScope


@dataclass(frozen=True)
class PageStep:
    """One page: its name is its module's, its words' and its address's. Its door is one of the four of the house, or
    the server itself.

    ``also`` is another scope that opens the page, which then shows what that scope may see.
    """

    name: str
    icon: str
    scope: KeyScope
    door: str = "publish"
    also: KeyScope | None = None

    @property
    def path(self) -> str:
        """Where the page is."""
        return f"/{self.name}"

    @property
    def about_data(self) -> bool:
        """Whether the page is about a data set, which its address names."""
        return self.door in ("publish", "locate")

    @property
    def build(self) -> Callable[[Any], Any]:
        drawn: Callable[[Any], Any] = import_module(f"cobogo.faces.workbench.pages.{self.name}").build
        return drawn


STEPS = (
    PageStep("data", "table_view", KeyScope.DATA),
    PageStep("columns", "view_column", KeyScope.DATA),
    PageStep("hierarchies", "account_tree", KeyScope.DATA),
    PageStep("privacy", "shield", KeyScope.DATA),
    PageStep("running", "play_circle", KeyScope.RUN),
    PageStep("exploring", "hub", KeyScope.DATA),
    PageStep("utility", "bar_chart", KeyScope.EVIDENCE),
    PageStep("risk", "crisis_alert", KeyScope.EVIDENCE),
    PageStep("releases", "inventory_2", KeyScope.RELEASES),
    PageStep("asking", "forum", KeyScope.ASK, "answer", also=KeyScope.BUDGETS),
    PageStep("collecting", "poll", KeyScope.COLLECT, "collect"),
    PageStep("mapping", "map", KeyScope.COLLECT, "locate"),
    PageStep("administering", "admin_panel_settings", KeyScope.AUDIT, "server", also=KeyScope.KEYS),
)
DOORS = ("publish", "answer", "collect", "locate", "server")


def visible_steps(holder: Holder) -> tuple[PageStep, ...]:
    """The pages that a holder may see."""
    return tuple(step for step in STEPS if {step.scope, step.also} & holder.scopes)


def first_step(holder: Holder) -> PageStep:
    """The first page for a holder: the data, the releases, or else the first page that they may see."""
    steps = visible_steps(holder)
    return next((step for step in steps if step.name in ("data", "releases")), steps[0])


def finished_steps(desk: Any, session: Any) -> frozenset[str]:
    """The steps that are done for the data set and its policy, as far as can be told."""
    if session.dataset is None:
        return frozenset()
    done = {"data"}
    try:
        attributes, models = session.draft.attributes, session.draft.models
    except CobogoError:
        return frozenset(done)
    roles = [str(one.get("role", "CONFIRM")) for one in attributes.values()]
    if roles and not any(role.startswith("CONFIRM") for role in roles):
        done.add("columns")
        if session.memory.get(f"hierarchies {session.dataset}") == frozenset():
            done.add("hierarchies")
    if models and "columns" in done:
        done.add("privacy")
    release = desk.release(session)
    if release is not None and release["dataset"] == session.dataset:
        done |= {"running", "releases"} | ({"hierarchies"} if "columns" in done else set())
    return frozenset(done)
