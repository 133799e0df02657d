"""Shuffling slices of a table within its buckets, each by itself: what joined them is gone."""

from __future__ import annotations

from collections.abc import Sequence

from cobogo.data.table.engine import Engine, Expression
from cobogo.data.table.lookup import unused_names


def every_slice(columns: Sequence[str], group: str, slices: Sequence[Sequence[str]]) -> list[list[str]]:
    """The slices, cut to the columns that are there; a column that is in none of them is one by itself."""
    known = [[name for name in part if name in columns] for part in slices]
    sliced = {name for part in known for name in part}
    return [part for part in known if part] + [[name] for name in columns if name not in sliced and name != group]


def shuffled(engine: Engine, table: Expression, group: str, slices: Sequence[Sequence[str]]) -> Expression:
    """The same rows with each slice's values in a random order of its own within the bucket.

    A bucket's rows are known by their turn in each order, and put together by it. The table must be the same whenever
    it is computed, for each slice is taken from it anew.
    """
    import ibis

    columns = list(table.columns)
    parts = every_slice(columns, group, slices)
    names = unused_names(columns, 3 * len(parts))
    joined = None
    for number, part in enumerate(parts):
        key, turn, bucket = names[3 * number : 3 * number + 3]
        drawn = table.select(**{bucket: table[group], **{name: table[name] for name in part}})
        drawn = drawn.mutate(**{key: engine.random_key(drawn)})
        window = ibis.window(group_by=drawn[bucket], order_by=drawn[key])
        drawn = drawn.mutate(**{turn: ibis.row_number().over(window)}).drop(key)
        if joined is None:
            joined = drawn
        else:
            joined = joined.inner_join(drawn, [joined[names[2]] == drawn[bucket], joined[names[1]] == drawn[turn]])
    assert joined is not None
    return joined.select(**{name: joined[names[2]] if name == group else joined[name] for name in columns})
