"""The data dictionary: what each released column's values mean, for whoever receives the release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cobogo.policy import (
    AttributePolicy,
    CsvHierarchy,
    DatesHierarchy,
    IntervalsHierarchy,
    MaskHierarchy,
    OrderingHierarchy,
    PathHierarchy,
    Role,
    TreeHierarchy,
)  # fmt: skip
from cobogo.release.manifest import Column


def meaning(attribute: AttributePolicy, level: int, *, top: bool) -> str:
    """What a column's values mean, in words that give away nothing of the data behind them.

    ``top``: the released level is a single ``*``.
    """
    if attribute.role is Role.SENSITIVE:
        return "as collected; protected by the models below"
    if attribute.role is Role.NON_SENSITIVE or level == 0:
        return "as collected"
    if top:
        return "withheld: * stands for every value"
    match attribute.hierarchy:
        case DatesHierarchy() as dates:
            return f"dates, given as {dates.levels[level - 1]}"
        case IntervalsHierarchy() as intervals:
            return f"numbers, in intervals of width {intervals.intervals[level - 1]:g}"
        case OrderingHierarchy() as ordering:
            return f"categories, in groups of {ordering.steps[level - 1]} neighbours"
        case MaskHierarchy() as mask:
            side = "last" if mask.mask == "right" else "first"
            return f"the {level} {side} characters are masked with {mask.character}"
        case PathHierarchy() as path:
            return f"the first {level} parts before {path.path} are left out"
        case CsvHierarchy() | TreeHierarchy() | None:
            return f"generalized to level {level} of a hierarchy"
    raise AssertionError(attribute.hierarchy)


def render(columns: Sequence[Column], models: Sequence[dict[str, Any]], *, star: bool) -> str:
    """The dictionary as Markdown."""
    lines = ["# What this release holds", ""]
    lines += ["| column | role | its values |", "|---|---|---|"]
    lines += [f"| {_cell(c.name)} | {c.role} | {_cell(c.meaning)} |" for c in columns]
    lines += ["", "An empty field means that no value was recorded. The order of the rows is random."]
    if star:
        lines += ["A record with * in every quasi-identifier is one whose quasi-identifiers were withheld."]
    lines += ["", "## What protects the people in it", "", "| model | asked | measured |", "|---|---|---|"]
    for entry in models:
        asked = ", ".join(f"{k} = {v}" for k, v in entry.items() if k not in ("model", "satisfied", "measured"))
        lines.append(f"| {entry['model']} | {_cell(asked)} | {entry['measured']} |")
    lines += ["", "Each model was measured on the released file itself; `cobogo verify` does it again.", ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("\r", " ")
