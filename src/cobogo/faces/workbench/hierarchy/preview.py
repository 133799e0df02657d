"""What a hierarchy makes of a column: levels, groups and their records, and the values that it cannot place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import Policy
from cobogo.errors import CobogoError, HierarchyError, UnfitValues
from cobogo.faces.server.services.datasets import Counted

MOST = 200_000
"""Values that a hierarchy is tried on; a run builds it on all."""

SHOWN = 60
"""Values that are drawn in a tree."""


@dataclass(frozen=True)
class Level:
    """How a column is divided at a level. ``groups`` are those that the data has."""

    level: int
    groups: int
    smallest: int
    average: float
    largest: int


@dataclass
class HierarchyPreview:
    """A hierarchy on the values of a column, or why there is none."""

    hierarchy: Hierarchy | None = None
    records: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # of each leaf
    unfit: Counted = field(default_factory=list)
    error: CobogoError | None = None

    def sizes(self, level: int) -> NDArray[np.int64]:
        """The records of each label of a level."""
        assert self.hierarchy is not None
        labels = self.hierarchy.labels[level]
        return np.bincount(self.hierarchy.maps[level], weights=self.records, minlength=len(labels)).astype(np.int64)

    @cached_property
    def levels(self) -> list[Level]:
        """Every level in numbers."""
        found = []
        for level in range(self.hierarchy.height + 1 if self.hierarchy else 0):
            sizes = self.sizes(level)
            sizes = sizes[sizes > 0]
            if len(sizes):
                ends = int(sizes.min()), float(sizes.mean()), int(sizes.max())
                found.append(Level(level, len(sizes), *ends))
        return found

    def bars(self, level: int, most: int = 30) -> tuple[list[tuple[Label, int]], int]:
        """The groups of a level in their order, and how many smaller ones are left out."""
        assert self.hierarchy is not None
        sizes = self.sizes(level)
        there = np.flatnonzero(sizes)
        kept = np.sort(there[np.argsort(-sizes[there], kind="stable")][:most])
        return [(self.hierarchy.labels[level][code], int(sizes[code])) for code in kept], len(there) - len(kept)

    def leaves(self, search: str = "") -> list[int]:
        """The most frequent leaves, of those that hold a text."""
        wanted = search.casefold()
        fits = np.arange(len(self.records))
        if wanted:
            fits = np.fromiter((code for code, text in enumerate(self._folded) if wanted in text), dtype=np.int64)
        best = fits[np.argsort(-self.records[fits], kind="stable")][:SHOWN]
        return [int(code) for code in np.sort(best)]

    @cached_property
    def _folded(self) -> list[str]:
        assert self.hierarchy is not None
        return ["" if label is None else label.casefold() for label in self.hierarchy.leaves]

    def prepared(self) -> HierarchyPreview:
        """The same, with what takes long done: this is called off the event loop."""
        assert self.levels is not None
        assert self._folded is not None
        return self


def preview(read: Callable[[], Policy], home: Path, name: str, counted: Counted) -> HierarchyPreview:
    """Build the hierarchy that a policy asks for on a column's values; what does not fit is set aside and told."""
    try:
        policy = read()
        spec = policy.attributes[name].hierarchy
        counts: dict[Label, int] = {}
        for value, records in counted:
            label = None if value in policy.data.missing else value
            counts[label] = counts.get(label, 0) + records
        unfit: Counted = []
        for _ in range(3):  # what is no number first, then what lies out of bounds
            try:
                built = build(name, spec, list(counts), policy=policy)
            except UnfitValues as error:
                unfit += [(value, counts.pop(value)) for value in error.values if value in counts]
                unfit.sort(key=lambda one: -one[1])
                if not any(value is not None for value in counts):
                    return HierarchyPreview(unfit=unfit, error=error)
            else:
                found = np.fromiter((counts.get(leaf, 0) for leaf in built.leaves), dtype=np.int64)
                return HierarchyPreview(built, found, unfit).prepared()
    except CobogoError as error:
        remedy = None if error.remedy is None else error.remedy.replace(f"{home}/", "")
        return HierarchyPreview(error=HierarchyError(error.what, where=error.where, remedy=remedy))
    return HierarchyPreview(unfit=unfit)


def nodes(seen: HierarchyPreview, leaves: Sequence[int], describe: Any) -> list[dict[str, Any]]:
    """The tree above some leaves, from the top down; what is left out of a group is counted in it.

    ``describe(level, code, values, records)`` says what a group, or a value, is called.
    """
    hierarchy = seen.hierarchy
    assert hierarchy is not None
    sizes = [seen.sizes(level) for level in range(hierarchy.height + 1)]
    below: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for leaf in leaves:
        for level in range(hierarchy.height):
            child = (level, int(hierarchy.maps[level][leaf]))
            siblings = below.setdefault((level + 1, int(hierarchy.maps[level + 1][leaf])), [])
            if child not in siblings:
                siblings.append(child)

    def made(level: int, code: int) -> dict[str, Any]:
        values = int(hierarchy.leaf_counts[level][code])
        node: dict[str, Any] = {"id": f"{level}:{code}"}
        node["label"] = describe(level, hierarchy.labels[level][code], values, int(sizes[level][code]))
        children = below.get((level, code), [])
        if children:
            node["children"] = [made(*child) for child in children]
            hidden = int(np.count_nonzero(hierarchy.parents[level - 1] == code)) - len(children)
            if hidden:
                more = {"id": f"more:{level}:{code}", "label": describe(-1, None, hidden, 0), "selectable": False}
                node["children"].append(more)
        return node

    tops = dict.fromkeys(int(hierarchy.maps[hierarchy.height][leaf]) for leaf in leaves)
    return [made(hierarchy.height, code) for code in tops]
