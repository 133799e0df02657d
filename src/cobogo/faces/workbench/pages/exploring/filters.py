"""Which nodes are shown: ranges of levels, those that satisfy the policy, those above or below the one chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from nicegui import ui

from cobogo.faces.workbench.session import Session
from cobogo.floor.arrays import Ints, Mask
from cobogo.publish.recode.contract.problem import Levels
from cobogo.publish.recode.lattice.ranking import Standing, Survey

Relation = Literal["all", "below", "above", "related"]
AMOUNTS = (60, 150, 400)


@dataclass
class Filter:
    """What a node must be to be shown, and how many are drawn at most."""

    lowest: list[int]
    highest: list[int]
    satisfied: bool = False
    relation: Relation = "all"
    amount: int = AMOUNTS[0]

    @classmethod
    def open(cls, survey: Survey) -> Self:
        """One that lets every node through."""
        return cls(list(survey.problem.lowest), list(survey.problem.highest))

    def passing(self, survey: Survey, chosen: Levels) -> Mask:
        """The nodes that are let through."""
        inside = (survey.nodes >= np.array(self.lowest)) & (survey.nodes <= np.array(self.highest))
        found: Mask = np.asarray(inside.all(axis=1))
        if self.satisfied:
            found &= survey.standing == Standing.SATISFIES
        if self.relation != "all":
            below, above = survey.below(chosen), survey.above(chosen)
            found &= {"below": below, "above": above, "related": below | above}[self.relation]
        return found

    def drawn(self, survey: Survey, passing: Mask, focus: Levels) -> Ints:
        """Of the nodes let through, those nearest to one; of equally near ones those that satisfy the policy first."""
        numbers = np.flatnonzero(passing)
        order = np.lexsort((-survey.standing[numbers], survey.distance(focus)[numbers]))
        return np.sort(numbers[order[: self.amount]])


def controls(session: Session, attributes: tuple[str, ...], chosen: Filter, changed: Callable[[], Any]) -> None:
    """The controls of a filter; ``changed`` is called after each change."""
    start = list(zip(chosen.lowest, chosen.highest, strict=True))
    ranges: list[ui.range] = []

    def put(name: str, value: Any) -> None:
        setattr(chosen, name, value)
        changed()

    def limit(column: int, value: dict[str, int]) -> None:
        chosen.lowest[column], chosen.highest[column] = int(value["min"]), int(value["max"])
        changed()

    def reset() -> None:
        only.value, relation.value = False, "all"
        for control, (low, high) in zip(ranges, start, strict=True):
            control.value = {"min": low, "max": high}

    with ui.row().classes("items-center w-full no-wrap"):
        ui.label(session.say("explore.filters")).classes("text-subtitle1 text-weight-medium")
        ui.space()
        ui.button(session.say("explore.reset"), on_click=reset).props("flat dense no-caps")
    only = ui.switch(session.say("explore.only"), value=False, on_change=lambda e: put("satisfied", e.value))
    only.props("dense")
    relation = ui.select(
        {
            "all": session.say("explore.relation_all"),
            "below": session.say("explore.relation_below"),
            "above": session.say("explore.relation_above"),
            "related": session.say("explore.relation_related"),
        },
        value="all",
        label=session.say("explore.relation"),
        on_change=lambda e: put("relation", e.value),
    )
    relation.props("dense options-dense").classes("w-full")
    ui.label(session.say("explore.levels")).classes("text-caption q-mt-sm")
    with ui.column().classes("w-full gap-1 q-pr-sm").style("max-height: 270px; overflow-y: auto"):
        for column, (name, (low, high)) in enumerate(zip(attributes, start, strict=True)):
            with ui.row().classes("w-full items-center no-wrap gap-3"):
                ui.label(name).classes("text-body2 ellipsis").style("width: 8.5rem").tooltip(name)
                control = ui.range(
                    min=low,
                    max=max(high, low + 1),
                    value={"min": low, "max": high},
                    on_change=lambda e, at=column: limit(at, e.value),
                )
                control.props("dense snap markers label").classes("col")
                control.props["aria-label"] = f"{session.say('explore.levels')}: {name}"
                control.set_enabled(high > low)
                ranges.append(control)
    ui.select(
        list(AMOUNTS),
        value=chosen.amount,
        label=session.say("explore.amount"),
        on_change=lambda e: put("amount", e.value),
    ).props("dense options-dense").classes("w-full")
