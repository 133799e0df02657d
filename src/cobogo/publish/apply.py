"""Applying a plan to a table, in the table's engine, by null-safe joins."""

from __future__ import annotations

from collections.abc import Sequence

from cobogo.data.hierarchy import SUPPRESSED
from cobogo.data.table.engine import Engine, Expression
from cobogo.data.table.lookup import replace_values, unused_names
from cobogo.data.table.read import Table
from cobogo.publish.assign import assign
from cobogo.publish.recode.distort import Distortion, Tuple
from cobogo.publish.recode.plan import BucketPlan, CondensedPlan, FullDomainPlan, LocalPlan, Plan
from cobogo.release.shuffle import shuffled


def apply(table: Table, plan: Plan, columns: Sequence[str]) -> Expression:
    """The released rows, in no particular order: columns recoded, suppressed records dropped or starred, values
    distorted where the plan says so."""
    if isinstance(plan, LocalPlan | BucketPlan | CondensedPlan):
        released = assign(table, plan.moves, columns)
        if isinstance(plan, BucketPlan) and plan.slices:
            released = shuffled(table.engine, released, plan.group, plan.slices)
    else:
        released = _generalized(table, plan, columns)
    for distortion in plan.distortions:
        if distortion.attribute in columns:
            released = _distorted(table.engine, released, plan.attributes, distortion)
    return released


def _generalized(table: Table, plan: Plan, columns: Sequence[str]) -> Expression:
    assert isinstance(plan, FullDomainPlan)
    engine, released = table.engine, table.expression.select(list(columns))
    for attribute, recoding in plan.recodings.items():
        released = replace_values(engine, released, attribute, recoding)
    for attribute, tuples in plan.withheld.items():
        if attribute in columns:
            released = _starred(engine, released, list(plan.levels), tuples, [attribute])
    return _suppressed(engine, released, plan).select(list(columns)) if plan.suppressed else released


def _suppressed(engine: Engine, released: Expression, plan: FullDomainPlan) -> Expression:
    names = list(plan.levels)
    if plan.star:
        return _starred(engine, released, names, plan.suppressed, names)
    _, matches, doomed = _found(engine, released, names, plan.suppressed)
    return released.anti_join(doomed, matches)


def _starred(
    engine: Engine, released: Expression, names: list[str], tuples: Sequence[Tuple], columns: Sequence[str]
) -> Expression:
    """The same rows, in which those with one of some tuples have ``*`` in some columns."""
    mark, matches, doomed = _found(engine, released, names, tuples)
    joined = released.left_join(doomed, matches)
    starred = joined[mark].fill_null(False)
    return joined.select(
        **{
            name: starred.ifelse(SUPPRESSED, engine.text(joined[name])) if name in columns else joined[name]
            for name in released.columns
        }
    )


def _found(
    engine: Engine, released: Expression, names: list[str], tuples: Sequence[Tuple]
) -> tuple[str, list[Expression], Expression]:
    """A table of tuples with a mark, and what joins it null-safely with the released rows."""
    import pyarrow as pa

    mark, *keys = unused_names(released.columns, len(names) + 1)
    columns = {key: pa.array([row[number] for row in tuples], type=pa.string()) for number, key in enumerate(keys)}
    doomed = engine.lookup(pa.table({**columns, mark: pa.array([True] * len(tuples))}))
    matches = [engine.same(engine.text(released[name]), doomed[key]) for name, key in zip(names, keys, strict=True)]
    return mark, matches, doomed


def _distorted(engine: Engine, released: Expression, names: Sequence[str], distortion: Distortion) -> Expression:
    """Exchange values of the records that come first, within their class and value, in a random order."""
    import ibis
    import pyarrow as pa

    attribute = distortion.attribute
    rank, position, old, new, *keys = unused_names(released.columns, len(names) + 4)
    places = {key: [place[number] for place in distortion.tuples] for number, key in enumerate(keys)}
    changes = {old: distortion.old, position: [str(rank) for rank in distortion.ranks], new: distortion.new}
    columns = {key: pa.array(values, type=pa.string()) for key, values in {**places, **changes}.items()}
    exchanges = engine.lookup(pa.table(columns))
    alike = ibis.window(group_by=[*names, attribute], order_by=engine.random_key(released))
    ranked = released.mutate(**{rank: ibis.row_number().over(alike)})
    pairs = [*zip(names, keys, strict=True), (attribute, old), (rank, position)]
    matches = [engine.same(engine.text(ranked[name]), exchanges[key]) for name, key in pairs]
    joined = ranked.left_join(exchanges, matches)
    value = joined[position].isnull().ifelse(joined[attribute], joined[new].cast(released[attribute].type()))
    return joined.select(**{name: value if name == attribute else joined[name] for name in released.columns})
