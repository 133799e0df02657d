"""Which plots a report has, what their files are called, and what they share with its tables."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.tell.report.content import AttributeStory, Content, LatticeStory
from cobogo.tell.report.words import Words

MOST = 12  # plots of one kind: a page with more is not read
SMALL = 200  # nodes of a lattice that can still be read
HIGH = 40  # and its tiers


@dataclass(frozen=True)
class Plot:
    """One plot: its kind, the attribute it shows where there is one for each, and its file's name without ``.png``."""

    kind: str
    stem: str
    attribute: str = ""


def plots_of(content: Content) -> tuple[Plot, ...]:
    """The plots that there is something to show for."""
    return tuple(_plots(content))


def _plots(content: Content) -> Iterator[Plot]:
    yield Plot("class_sizes", "class_sizes")
    if content.largest:
        yield Plot("largest_classes", "largest_classes")
    yield from _for_each(
        "distinct_values", [story.name for story in content.sensitive if len(story.distinct_per_class)]
    )
    if has_levels(content):
        yield Plot("levels", "levels")
    if content.lattice is not None and _readable(content.lattice):
        yield Plot("lattice", "lattice")
    quasi = set(content.quasi_identifiers)
    changed = [story.name for story in content.attributes if story.name in quasi and (story.before or story.after)]
    yield from _for_each("distribution", changed)


def _readable(lattice: LatticeStory) -> bool:
    return 0 < len(lattice.levels) <= SMALL and int(np.ptp(lattice.levels.sum(axis=1))) < HIGH


def _for_each(kind: str, names: list[str]) -> Iterator[Plot]:
    used: set[str] = set()
    for number, name in enumerate(names[:MOST], 1):
        stem = f"{kind}_{slug(name) or number}"
        stem = f"{stem}_{number}" if stem in used else stem
        used.add(stem)
        yield Plot(kind, stem, name)


def slug(name: str) -> str:
    """A name as every file system takes it: small letters, digits, underscores.

    >>> slug("Raça / cor"), slug("../../etc"), slug("年齢")
    ('raca_cor', 'etc', '')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40]


def has_levels(content: Content) -> bool:
    """Whether levels say anything about this release: full-domain recodings have them, others do not."""
    return bool(content.summary.get("levels")) and any(story.level is not None for story in content.attributes)


def steps(story: AttributeStory, say: Words) -> tuple[str, ...]:
    """An example of each level; an attribute without a hierarchy has its values and ``*``."""
    known = tuple(say.label(text or None) for text in story.levels) or (say("attributes.original"), say.label("*"))
    return known + ("",) * ((story.level or 0) + 1 - len(known))


def asked_diversity(models: list[dict[str, Any]], attribute: str) -> int | None:
    """The number of distinct values that the policy asks for in each class, if it does."""
    asked = [
        int(model["l"])
        for model in models
        if model.get("model") == "l-diversity" and model.get("attribute") == attribute and "l" in model
    ]
    return max(asked, default=None)
