"""A study on a tab: a button that begins it, how far it is, a button that ends it, and what was found so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from cobogo.faces.server.services.jobs import StudyProgress
from cobogo.faces.workbench import actions
from cobogo.faces.workbench.frame import done
from cobogo.faces.workbench.pages.exploring.place import Place

Shown = Callable[[list[dict[str, Any]]], None]
BEAT = 0.5


class StudyBench:
    """Begins a study, watches it, and shows what it has found. One for the same question is begun only once."""

    def __init__(self, place: Place, kind: str, text: str, options: Callable[[], dict[str, Any]], show: Shown) -> None:
        """``text``: the policy that is studied; ``options``: what else is asked; ``show``: draws what was found."""
        self.place, self.kind, self.text, self.options, self.show = place, kind, text, options, show
        self.seen: tuple[Any, ...] | None = None

    def build(self, label: str) -> None:
        """The buttons, the bar, and room for what is found."""
        say = self.place.session.say
        with ui.row().classes("items-center w-full"):
            self.go = ui.button(label, icon="play_arrow", on_click=self._begin).props("no-caps")
            self.stop = ui.button(say("explore.stop"), icon="stop", on_click=self._stop).props("flat no-caps")
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
        await done(place.session, actions.begin_study, place.desk, place.session, place.dataset, *self._question())
        self._watch()

    async def _stop(self) -> None:
        place = self.place
        await done(place.session, actions.stop_study, place.desk, place.session, place.dataset, *self._question())

    def _study(self) -> StudyProgress | None:
        place, (kind, text, options) = self.place, self._question()
        return place.desk.service.jobs.find_study(place.session.caller, kind, place.dataset, text, options)

    def _watch(self) -> None:
        if not self.place.session.here:
            return
        study = self._study()
        state = () if study is None else (study.identity, len(study.found), study.done, study.total, study.over)
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
            self.refusal.text = "" if study.error is None else self.place.session.trouble(study.error)
            self.bar.value = study.done / study.total if study.total else 0
            if running:
                numbers = {"done": len(study.found), "total": study.total}
                self.note.text = self.place.session.say("explore.study_far", **numbers) if study.total else ""
        if fresh:
            self.room.clear()
            with self.room:
                self.show([] if study is None else study.found)
