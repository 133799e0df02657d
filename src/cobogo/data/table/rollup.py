"""Rolling up in the engine: a table with more distinct tuples than fit in memory is counted at coarser levels.

A tuple is then counted under one value that stands for all that its hierarchy puts together at its level. At that level
and above everything is as if the whole table had been counted. What lies below are other parts of the lattice
(`LevelBox`), each of which can be counted by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.table.columns import replace_values
from cobogo.data.table.frequency import FrequencyTable, frequency_table, recode_tuples
from cobogo.data.table.read import Table
from cobogo.errors import TableTooLarge


@dataclass(frozen=True)
class LevelBox:
    """A part of the lattice: the nodes whose levels lie between two nodes.

    >>> upper, lower = LevelBox((0, 0), (2, 1)).split(0)
    >>> upper, lower, upper.nodes + lower.nodes
    (LevelBox(lowest=(1, 0), highest=(2, 1)), LevelBox(lowest=(0, 0), highest=(0, 1)), 6)
    """

    lowest: tuple[int, ...]
    highest: tuple[int, ...]

    @property
    def nodes(self) -> int:
        """How many there are; 0 of a box whose lowest levels are above its highest."""
        return prod(max(high - low + 1, 0) for low, high in zip(self.lowest, self.highest, strict=True))

    @property
    def divisible(self) -> list[int]:
        """The attributes that have several levels in it."""
        pairs = zip(self.lowest, self.highest, strict=True)
        return [attribute for attribute, (low, high) in enumerate(pairs) if low < high]

    def split(self, attribute: int) -> tuple[LevelBox, LevelBox]:
        """The nodes where an attribute is above its lowest level, and those where it is not."""
        level = self.lowest[attribute]
        above = tuple(level + 1 if n == attribute else low for n, low in enumerate(self.lowest))
        beside = tuple(level if n == attribute else high for n, high in enumerate(self.highest))
        return LevelBox(above, self.highest), LevelBox(self.lowest, beside)

    def above(self, levels: Sequence[int]) -> LevelBox:
        """The nodes of it that are nowhere below some levels."""
        return LevelBox(tuple(map(max, self.lowest, levels)), self.highest)


@dataclass(frozen=True, eq=False, repr=False)
class RollUp:
    """A table that its engine counts at levels of the hierarchies. ``marginals`` counts each quasi-identifier alone."""

    table: Table
    marginals: Mapping[str, FrequencyTable]
    hierarchies: Sequence[Hierarchy]
    sensitive: Sequence[str]
    unit: str | None = None
    label: str | None = None
    named: bool = False

    def fit(self, box: LevelBox) -> tuple[FrequencyTable, LevelBox, list[LevelBox]]:
        """The table counted at the first levels of a box where it fits, the part of the box from there on, and the
        parts that are left aside. The attribute with most values is raised first."""
        aside: list[LevelBox] = []
        while True:
            try:
                return self.count(box.lowest), box, aside
            except TableTooLarge:
                if not box.divisible:
                    raise
                box, beside = self.split(box)
                aside.append(beside)

    def split(self, box: LevelBox) -> tuple[LevelBox, LevelBox]:
        """The two parts of a box, by the attribute with most values at its lowest levels."""
        return box.split(max(box.divisible, key=lambda attribute: self._width(attribute, box.lowest[attribute])))

    def count(self, levels: Sequence[int]) -> FrequencyTable:
        """The frequency table at some levels, as codes into all values of the table; an error if it does not fit."""
        names = [h.attribute for h in self.hierarchies]
        counted = frequency_table(
            self._at(levels), names, self.sensitive, unit=self.unit, label=self.label, named=self.named
        )
        values = {name: self.marginals[name].values[name] for name in names}
        return replace(
            counted,
            values=values,
            codes=np.ascontiguousarray(recode_tuples(counted, values)),
            marginals={name: self.marginals[name].counts for name in names},
            nats=self._nats,
        )

    def records_in_small_classes(self, levels: Sequence[int], size: int) -> int:
        """How many records have fewer than ``size`` records with their quasi-identifiers, at some levels. Counted in
        the engine, however many classes there are."""
        counts = self._at(levels).combinations([h.attribute for h in self.hierarchies])
        found = counts.aggregate(found=counts["records"].sum(where=counts["records"] < size))
        return int(self.table.engine.fetch(found)["found"][0].as_py() or 0)

    @cached_property
    def _nats(self) -> float:
        """The entropy, in nats, of the tuples as they are, computed in the engine."""
        counts = self.table.combinations([h.attribute for h in self.hierarchies])
        often = counts["records"].cast("float64")
        found = counts.aggregate(records=counts["records"].sum(), found=(often * often.ln()).sum())
        total = self.table.engine.fetch(found)
        records, nats = (float(total[name][0].as_py() or 0) for name in ("records", "found"))
        return float(np.log(records) - nats / records) if records else 0.0

    def _at(self, levels: Sequence[int]) -> Table:
        """The table with one value instead of all that are the same at some levels."""
        rows = self.table.expression
        for h, level in zip(self.hierarchies, levels, strict=True):
            if level:
                representatives = _representatives(h, self.marginals[h.attribute], level)
                rows = replace_values(self.table.engine, rows, h.attribute, representatives)
        return replace(self.table, expression=rows)

    def _width(self, attribute: int, level: int) -> int:
        """How many values an attribute has at a level."""
        h = self.hierarchies[attribute]
        return len(np.unique(h.maps[level][h.encode(self.marginals[h.attribute].values[h.attribute])]))


def _representatives(hierarchy: Hierarchy, marginal: FrequencyTable, level: int) -> dict[Label, Label]:
    """For each value the one that stands for it: the first of those that are the same at the level."""
    values = marginal.values[hierarchy.attribute]
    groups = hierarchy.maps[level][hierarchy.encode(values)]
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    return {value: values[first[number]] for value, number in zip(values, group.tolist(), strict=True)}
