"""Rolling up in the engine: a table with more distinct tuples than fit in memory is counted at coarser levels.

A tuple is then counted under one value that stands for all that its hierarchy puts together at its level. At that level
and above everything is as if the whole table had been counted; what lies below cannot be released any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.table.columns import replace_values
from cobogo.data.table.frequency import FrequencyTable, frequency_table, recode_tuples
from cobogo.data.table.read import Table
from cobogo.errors import TableTooLarge


def count_rolled_up(
    table: Table,
    marginals: Mapping[str, FrequencyTable],
    hierarchies: Sequence[Hierarchy],
    lowest: Sequence[int],
    highest: Sequence[int],
    sensitive: Sequence[str],
    *,
    unit: str | None = None,
    label: str | None = None,
    named: bool = False,
) -> tuple[FrequencyTable, tuple[int, ...]]:
    """The frequency table at the first levels where it fits, and those levels.

    ``marginals`` counts each quasi-identifier alone. The attribute with most values is raised first.
    """
    levels = list(lowest)
    names = [h.attribute for h in hierarchies]
    while True:
        rows = table.expression
        for h, level in zip(hierarchies, levels, strict=True):
            if level:
                rows = replace_values(
                    table.engine, rows, h.attribute, _representatives(h, marginals[h.attribute], level)
                )
        try:
            at_levels = replace(table, expression=rows)
            counted = frequency_table(at_levels, names, sensitive, unit=unit, label=label, named=named)
        except TableTooLarge:
            room = [n for n, level in enumerate(levels) if level < highest[n]]
            if not room:
                raise
            widest = max(room, key=lambda n: _width(hierarchies[n], marginals[names[n]], levels[n]))
            levels[widest] += 1
        else:
            nats = _entropy(table, names, counted.records)
            return replace(_code_among_all_values(counted, marginals), nats=nats), tuple(levels)


def _entropy(table: Table, names: Sequence[str], records: int) -> float:
    """The entropy, in nats, of the tuples as they are, computed in the engine."""
    counts = table.combinations(names)
    found = counts.aggregate(found=(counts["records"].cast("float64") * counts["records"].cast("float64").ln()).sum())
    total = float(table.engine.fetch(found)["found"][0].as_py() or 0.0)
    return float(np.log(records) - total / records) if records else 0.0


def _representatives(hierarchy: Hierarchy, marginal: FrequencyTable, level: int) -> dict[Label, Label]:
    """For each value the one that stands for it: the first of those that are the same at the level."""
    values = marginal.values[hierarchy.attribute]
    groups = hierarchy.maps[level][hierarchy.encode(values)]
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    return {value: values[first[number]] for value, number in zip(values, group.tolist(), strict=True)}


def _width(hierarchy: Hierarchy, marginal: FrequencyTable, level: int) -> int:
    """How many values an attribute has at a level."""
    return len(np.unique(hierarchy.maps[level][hierarchy.encode(marginal.values[hierarchy.attribute])]))


def _code_among_all_values(counted: FrequencyTable, marginals: Mapping[str, FrequencyTable]) -> FrequencyTable:
    """The same with codes into all values of the table, and how many records have each of them."""
    values = {name: marginals[name].values[name] for name in counted.quasi_identifiers}
    return replace(
        counted,
        values=values,
        codes=np.ascontiguousarray(recode_tuples(counted, values)),
        marginals={name: marginals[name].counts for name in counted.quasi_identifiers},
    )
