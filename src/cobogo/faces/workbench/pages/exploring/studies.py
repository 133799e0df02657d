"""Where an exploration takes place, and a study on a tab: what begins and ends it, how far it is, what it has found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from cobogo.data.policy import Policy
from cobogo.faces.server.services.jobs import StudyProgress
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.draft import PolicyDraft, check_roles, undecided_columns
from cobogo.faces.workbench.frame import attempt, empty
from cobogo.faces.workbench.labels import RUN_REPAIR
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.studies.exploration import Exploration


@dataclass(frozen=True, eq=False)
class ExplorationPlace:
    """A data set of the caller, with its policy as it is drafted now."""

    desk: Desk
    session: PageSession
    dataset: str
    text: str
    changed: Callable[[], object]  # to be called when the draft was changed: all that is shown is about the one before

    @classmethod
    def from_row(
        cls, desk: Desk, session: PageSession, row: dict[str, Any], changed: Callable[[], object]
    ) -> ExplorationPlace:
        """The place for a row of the caller's own data sets."""
        return cls(desk, session, row["id"], session.draft.text, changed)

    def policy(self) -> Policy:
        """The policy, or an error that says what it lacks."""
        check_roles(PolicyDraft(self.text))
        return self.desk.service.policies.read(self.session.caller, self.dataset, self.text)

    def explore(self) -> Exploration:
        """The exploration of this policy, opened now if it was not before. Takes its time."""
        check_roles(PolicyDraft(self.text))
        return self.desk.service.jobs.explore(self.session.caller, self.dataset, self.text)

    def show_refusal(self, why: str) -> None:
        """Say why there is nothing to see, and where to go."""
        say = self.session.say
        step = "columns" if undecided_columns(PolicyDraft(self.text)) else "privacy"
        button = say(RUN_REPAIR[step])
        empty(
            why, title=say("There is nothing to explore yet."), icon="hub", button=button, go=self.session.address(step)
        )


Shown = Callable[[list[dict[str, Any]]], None]
BEAT = 0.5


class StudyBench:
    """Begins a study, watches it, and shows what it has found. One for the same question is begun only once."""

    def __init__(
        self, place: ExplorationPlace, kind: str, text: str, options: Callable[[], dict[str, Any]], show: Shown
    ) -> None:
        """``text``: the policy that is studied; ``options``: what else is asked; ``show``: draws what was found."""
        self.place, self.kind, self.text, self.options, self.show = place, kind, text, options, show
        self.seen: tuple[Any, ...] | None = None

    def build(self, label: str) -> None:
        """The buttons, the bar, and room for what is found."""
        say = self.place.session.say
        with ui.row().classes("items-center w-full"):
            self.go = ui.button(label, icon="play_arrow", on_click=self._begin).props("no-caps")
            self.stop = ui.button(say("Stop"), icon="stop", on_click=self._stop).props("flat no-caps")
            self.note = ui.label().classes("text-body2")
        self.bar = ui.linear_progress(0, show_value=False).props("rounded")
        self.refusal = ui.label().classes("bg-amber-2 text-black q-pa-sm rounded-borders w-full")
        self.refusal.style("white-space: pre-wrap")
        self.room = ui.column().classes(f"w-full {self.kind}")
        self._watch()
        ui.timer(BEAT, self._watch)

    def _question(self) -> tuple[str, str, dict[str, Any]]:
        return self.kind, self.text, self.options()

    async def _begin(self) -> None:
        place = self.place
        await attempt(place.session, actions.begin_study, place.desk, place.session, place.dataset, *self._question())
        self._watch()

    async def _stop(self) -> None:
        place = self.place
        await attempt(place.session, actions.stop_study, place.desk, place.session, place.dataset, *self._question())

    def _study(self) -> StudyProgress | None:
        place, (kind, text, options) = self.place, self._question()
        return place.desk.service.jobs.find_study(place.session.caller, kind, place.dataset, text, options)

    def _watch(self) -> None:
        if not self.place.session.here:
            return
        study = self._study()
        state = (
            ()
            if study is None
            else (study.identity, len(study.found), study.done, study.total, study.waits, study.over)
        )
        if state == self.seen:
            return
        fresh = self.seen is None or state[:2] != self.seen[:2]
        self.seen = state
        running = study is not None and not study.over
        self.go.set_enabled(not running)
        self.stop.set_visibility(running)
        self.bar.set_visibility(running)
        self.refusal.set_visibility(study is not None and study.error is not None)
        self.note.text = ""
        if study is not None:
            self.refusal.text = "" if study.error is None else self.place.session.say.error(study.error)
            self.bar.value = study.done / study.total if study.total else 0
            if running:
                numbers = {"done": len(study.found), "total": study.total}
                say = self.place.session.say
                far = say("{done} of {total}", **numbers) if study.total else ""
                self.note.text = say("Waiting for a free process") if study.waits else far
        if fresh:
            self.room.clear()
            with self.room:
                self.show([] if study is None else study.found)
