"""Applying a plan to a table, in the table's engine, by null-safe joins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cobogo.hierarchy import SUPPRESSED, Label
from cobogo.recode.plan import FullDomainPlan, LocalPlan, Plan
from cobogo.release.assign import assign
from cobogo.table.engine import Expression, unused
from cobogo.table.read import Table


def apply(table: Table, plan: Plan, columns: Sequence[str]) -> Expression:
    """The released rows, in no particular order: columns recoded, suppressed records dropped or starred."""
    if isinstance(plan, LocalPlan):
        return assign(table, plan, columns)
    assert isinstance(plan, FullDomainPlan)
    released = table.expression.select(list(columns))
    for attribute, recoding in plan.recodings.items():
        released = _recoded(released, attribute, recoding)
    return _suppressed(released, plan).select(list(columns)) if plan.suppressed else released


def _recoded(released: Expression, attribute: str, recoding: Mapping[Label, Label]) -> Expression:
    import ibis
    import pyarrow as pa

    before, after = unused(released.columns, 2)
    text = pa.string()
    mapping = ibis.memtable(
        pa.table({before: pa.array(list(recoding), type=text), after: pa.array(list(recoding.values()), type=text)})
    )
    joined = released.left_join(mapping, released[attribute].cast("string").identical_to(mapping[before]))
    return joined.select(**{name: joined[after] if name == attribute else joined[name] for name in released.columns})


def _suppressed(released: Expression, plan: FullDomainPlan) -> Expression:
    import ibis
    import pyarrow as pa

    names = list(plan.levels)
    mark, *keys = unused(released.columns, len(names) + 1)
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
