"""Applying a plan to a table, in the table's engine, by null-safe joins."""

from __future__ import annotations

from collections.abc import Sequence

from cobogo.hierarchy import SUPPRESSED
from cobogo.recode.plan import Plan
from cobogo.table.engine import Expression
from cobogo.table.read import Table


def apply(table: Table, plan: Plan, columns: Sequence[str]) -> Expression:
    """The released rows, in no particular order: columns recoded, suppressed records dropped or starred."""
    released = table.expression.select(list(columns))
    for attribute, recoding in plan.recodings.items():
        released = _recoded(released, attribute, recoding)
    return _suppressed(released, plan).select(list(columns)) if plan.suppressed else released


def _recoded(released: Expression, attribute: str, recoding: object) -> Expression:
    import ibis
    import pyarrow as pa

    pairs = dict(recoding)  # type: ignore[call-overload]
    text = pa.string()
    mapping = ibis.memtable(
        pa.table({"__from": pa.array(list(pairs), type=text), "__to": pa.array(list(pairs.values()), type=text)})
    )
    joined = released.left_join(mapping, released[attribute].cast("string").identical_to(mapping["__from"]))
    return joined.select(**{name: joined["__to"] if name == attribute else joined[name] for name in released.columns})


def _suppressed(released: Expression, plan: Plan) -> Expression:
    import ibis
    import pyarrow as pa

    names = list(plan.levels)
    columns = {
        f"__s{number}": pa.array([row[number] for row in plan.suppressed], type=pa.string())
        for number in range(len(names))
    }
    doomed = ibis.memtable(pa.table({**columns, "__doomed": pa.array([True] * len(plan.suppressed))}))
    matches = [released[name].cast("string").identical_to(doomed[f"__s{number}"]) for number, name in enumerate(names)]
    if not plan.star:
        return released.anti_join(doomed, matches)
    joined = released.left_join(doomed, matches)
    starred = joined["__doomed"].fill_null(False)
    return joined.select(
        **{
            name: starred.ifelse(SUPPRESSED, joined[name].cast("string")) if name in plan.levels else joined[name]
            for name in released.columns
        }
    )
