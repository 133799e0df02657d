"""Applying a plan to a table, in the table's engine, by null-safe joins."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from cobogo.hierarchy import SUPPRESSED, Label
from cobogo.recode.distort import Distortion
from cobogo.recode.plan import Plan
from cobogo.table.engine import Engine, Expression
from cobogo.table.read import Table


def apply(table: Table, plan: Plan, columns: Sequence[str]) -> Expression:
    """The released rows, in no particular order: columns recoded, suppressed records dropped or starred, values
    distorted where the plan says so."""
    released = table.expression.select(list(columns))
    for attribute, recoding in plan.recodings.items():
        released = _recoded(released, attribute, recoding)
    if plan.suppressed:
        released = _suppressed(released, plan).select(list(columns))
    for distortion in plan.distortions:
        if distortion.attribute in columns:
            released = _distorted(table.engine, released, tuple(plan.levels), distortion)
    return released


def _recoded(released: Expression, attribute: str, recoding: Mapping[Label, Label]) -> Expression:
    import ibis
    import pyarrow as pa

    before, after = _unused(released.columns, 2)
    text = pa.string()
    mapping = ibis.memtable(
        pa.table({before: pa.array(list(recoding), type=text), after: pa.array(list(recoding.values()), type=text)})
    )
    joined = released.left_join(mapping, released[attribute].cast("string").identical_to(mapping[before]))
    return joined.select(**{name: joined[after] if name == attribute else joined[name] for name in released.columns})


def _suppressed(released: Expression, plan: Plan) -> Expression:
    import ibis
    import pyarrow as pa

    names = list(plan.levels)
    mark, *keys = _unused(released.columns, len(names) + 1)
    columns = {
        key: pa.array([row[number] for row in plan.suppressed], type=pa.string()) for number, key in enumerate(keys)
    }
    doomed = ibis.memtable(pa.table({**columns, mark: pa.array([True] * len(plan.suppressed))}))
    matches = [released[name].cast("string").identical_to(doomed[key]) for name, key in zip(names, keys, strict=True)]
    if not plan.star:
        return released.anti_join(doomed, matches)
    joined = released.left_join(doomed, matches)
    starred = joined[mark].fill_null(False)
    return joined.select(
        **{
            name: starred.ifelse(SUPPRESSED, joined[name].cast("string")) if name in plan.levels else joined[name]
            for name in released.columns
        }
    )


def _distorted(engine: Engine, released: Expression, names: Sequence[str], distortion: Distortion) -> Expression:
    """Exchange values of the records that come first, within their class and value, in a random order."""
    import ibis
    import pyarrow as pa

    attribute = distortion.attribute
    rank, position, old, new, *keys = _unused(released.columns, len(names) + 4)
    text = pa.string()
    exchanges = ibis.memtable(
        pa.table(
            {
                **{key: pa.array([t[n] for t in distortion.tuples], type=text) for n, key in enumerate(keys)},
                old: pa.array(distortion.old, type=text),
                position: pa.array(distortion.ranks, type=pa.int64()),
                new: pa.array(distortion.new, type=text),
            }
        )
    )
    alike = ibis.window(group_by=[*names, attribute], order_by=engine.random_keys(released))
    ranked = released.mutate(**{rank: ibis.row_number().over(alike)})
    matches = [ranked[name].cast("string").identical_to(exchanges[key]) for name, key in zip(names, keys, strict=True)]
    matches += [ranked[attribute].cast("string").identical_to(exchanges[old]), ranked[rank] == exchanges[position]]
    joined = ranked.left_join(exchanges, matches)
    value = joined[position].isnull().ifelse(joined[attribute], joined[new].cast(released[attribute].type()))
    return joined.select(**{name: value if name == attribute else joined[name] for name in released.columns})


def _unused(columns: Sequence[str], count: int) -> list[str]:
    """Names for columns of our own that no column of the data has, in any case of letters."""
    taken = {name.casefold() for name in columns}
    names = (f"cobogo_{number}" for number in itertools.count())
    return list(itertools.islice((name for name in names if name not in taken), count))
