"""The kinds of hierarchy, the fields that each is described with, and where each begins for a column."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from cobogo.data.policy import BUILDERS
from cobogo.data.schema.profile import DATE_FORMATS

Field = Literal["number", "whole", "numbers", "flag", "text", "choice", "format", "formats", "lines", "file"]

NONE = "none"
FIELDS: Mapping[str, Mapping[str, Field]] = {
    NONE: {},
    "intervals": {
        "intervals": "numbers",
        "bottom-code": "number",
        "top-code": "number",
        "origin": "number",
        "lower": "number",
        "upper": "number",
        "open-ends": "flag",
        "decimal": "choice",
        "top": "flag",
    },
    "dates": {"dates": "format", "levels": "formats", "top": "flag"},
    "mask": {"mask": "choice", "keep": "whole", "character": "text", "top": "flag"},
    "path": {"path": "text", "top": "flag"},
    "ordering": {"ordering": "lines", "steps": "numbers", "top": "flag"},
    "tree": {"top": "flag"},
    "csv": {"csv": "file", "separator": "choice", "encoding": "choice", "top": "flag"},
}
"""What is asked for of each kind, in the order of the form. A test sees to it that no key of a policy is missing."""

CHOICES: Mapping[str, Sequence[str]] = {
    "decimal": (".", ","),
    "mask": ("right", "left"),
    "separator": (",", ";", "\t", "|"),
    "encoding": ("utf-8", "latin-1"),
}
FORMATS = tuple(DATE_FORMATS)
COARSER = ("%Y-%m-%d", "%d/%m/%Y", "%Y-%m", "%m/%Y", "%Y", "%Y W%W", "%B %Y", "%H:%M", "%H")
BY_HAND = ("tree", "csv")
"""Kinds whose groups can be edited."""

LARGE = 300
"""Values above which groups are kept in a file rather than in the policy."""


def kind_of(spec: Mapping[str, Any] | None) -> str:
    """Which kind a policy asks for.

    >>> kind_of({"mask": "right"}), kind_of(None)
    ('mask', 'none')
    """
    return next((kind for kind in BUILDERS if spec and kind in spec), NONE)


def start(
    kind: str, suggested: Mapping[str, Any] | None, values: Sequence[str | None], *, group: str = "?"
) -> dict[str, Any] | None:
    """Where a kind begins: as suggested where that is of the kind, else with what fits the values.

    ``values`` are the most frequent ones, the first the most; ``group`` is what a first group is called. None: there is
    nothing to begin with.

    >>> start("path", None, ["a>b", "c>b"])
    {'path': '>', 'top': True}
    """
    if suggested and kind_of(suggested) == kind:
        return dict(suggested)
    texts = [value for value in values if value is not None]
    match kind:
        case "intervals":
            return {"intervals": _widths(texts), "top": True}
        case "dates":
            return {"dates": FORMATS[0], "levels": ["%Y"], "top": True}
        case "mask":
            return {"mask": "right", "keep": 1, "top": True}
        case "path":
            found = [mark for mark in ("/", ">", "|", ";", ",", "-") if texts and all(mark in text for text in texts)]
            return {"path": found[0] if found else "/", "top": True}
        case "ordering":
            return {"ordering": in_order(texts) or [group], "steps": [2], "top": True}
        case "tree":
            return {"tree": {group: in_order(texts)}, "top": True} if texts else None
        case _:
            return None


def in_order(texts: Sequence[str]) -> list[str]:
    """Values in the order of their numbers where they begin with one, else of the alphabet.

    >>> in_order(["10 years", "9 years", "none"])
    ['9 years', '10 years', 'none']
    """

    def key(text: str) -> tuple[float, str]:
        found = re.match(r"\s*-?[0-9]+", text)
        return (float(found[0]) if found else float("inf"), text.casefold())

    return sorted(texts, key=key)


def _widths(texts: Sequence[str]) -> list[float]:
    numbers = [float(text.replace(",", ".")) for text in texts if re.fullmatch(r"-?[0-9]{1,12}([.,][0-9]{1,6})?", text)]
    spread = max(numbers) - min(numbers) if numbers else 0
    step = 10 ** max(len(str(int(spread))) - 2, 0)
    return [5 * step, 10 * step, 20 * step]
