"""Applying a plan to a table, in the table's engine, by null-safe joins."""

from __future__ import annotations

from collections.abc import Sequence

from cobogo.hierarchy import SUPPRESSED
from cobogo.recode.plan import Plan
from cobogo.table.engine import Engine, Expression
from cobogo.table.lookup import looked_up, unused
from cobogo.table.read import Table


def apply(table: Table, plan: Plan, columns: Sequence[str]) -> Expression:
    """The released rows, in no particular order: columns recoded, suppressed records dropped or starred."""
    engine, released = table.engine, table.expression.select(list(columns))
    for attribute, recoding in plan.recodings.items():
        released = looked_up(engine, released, attribute, recoding)
    return _suppressed(engine, released, plan).select(list(columns)) if plan.suppressed else released


def _suppressed(engine: Engine, released: Expression, plan: Plan) -> Expression:
    import pyarrow as pa

    names = list(plan.levels)
    mark, *keys = unused(released.columns, len(names) + 1)
    columns = {
        key: pa.array([row[number] for row in plan.suppressed], type=pa.string()) for number, key in enumerate(keys)
    }
    doomed = engine.lookup(pa.table({**columns, mark: pa.array([True] * len(plan.suppressed))}))
    matches = [engine.same(engine.text(released[name]), doomed[key]) for name, key in zip(names, keys, strict=True)]
    if not plan.star:
        return released.anti_join(doomed, matches)
    joined = released.left_join(doomed, matches)
    starred = joined[mark].fill_null(False)
    return joined.select(
        **{
            name: starred.ifelse(SUPPRESSED, engine.text(joined[name])) if name in plan.levels else joined[name]
            for name in released.columns
        }
    )
