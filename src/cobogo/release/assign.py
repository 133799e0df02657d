"""Applying an assignment: each row is told by its tuple, and by its turn among the rows with the same tuple."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cobogo.hierarchy import SUPPRESSED
from cobogo.models.base import Ints
from cobogo.recode.assignment import Assignment
from cobogo.recode.plan import LocalPlan
from cobogo.table.engine import Expression
from cobogo.table.lookup import unused
from cobogo.table.read import Table


def assign(table: Table, plan: LocalPlan, columns: Sequence[str]) -> Expression:
    """The released rows, in no particular order. Which of several equal rows goes where is drawn at random."""
    import ibis

    engine, assignment = table.engine, plan.assignment
    names = list(plan.attributes)
    told_by = [*names, *_told_apart(assignment)]
    wanted = table.expression.select(list(dict.fromkeys([*columns, *told_by])))
    turn, first, last, *rest = unused(wanted.columns, 3 + len(told_by) + len(names))
    keys, after = rest[: len(told_by)], rest[len(told_by) :]
    parcels = engine.lookup(_parcels(plan, keys, after, first, last))
    pairs = list(zip(told_by, keys, strict=True))
    matches = [engine.same(engine.text(wanted[name]), parcels[key]) for name, key in pairs]
    if assignment.split:
        wanted = wanted.mutate(**{turn: engine.random_key(wanted)})
        window = ibis.window(group_by=[engine.text(wanted[name]) for name in told_by], order_by=wanted[turn])
        wanted = wanted.mutate(**{turn: ibis.row_number().over(window)})
        matches = [
            *(engine.same(engine.text(wanted[name]), parcels[key]) for name, key in pairs),
            wanted[turn] >= parcels[first],
            wanted[turn] < parcels[last],
        ]
    joined = wanted.inner_join(parcels, matches)
    released = dict(zip(names, after, strict=True))
    return joined.select(**{name: joined[released.get(name, name)] for name in columns})


def _told_apart(assignment: Assignment) -> list[str]:
    """The columns that tell a tuple's parcels apart, where some do."""
    joint = assignment.problem.table.joint
    return [] if assignment.values is None or joint is None else list(joint.labels)


def _parcels(plan: LocalPlan, keys: list[str], after: list[str], first: str, last: str) -> Any:
    """The assignment as a table: original values, the first and last turn (exclusive), released values."""
    import pyarrow as pa

    assignment = plan.assignment
    table = assignment.problem.table
    chosen = np.arange(len(assignment.owners)) if plan.star else np.flatnonzero(assignment.owners >= 0)
    begin = _turns(assignment)
    columns: dict[str, Any] = {}
    codes = [table.codes[assignment.tuples, n] for n in range(len(table.quasi_identifiers))]
    labels = [table.values[name] for name in table.quasi_identifiers]
    if assignment.values is not None and table.joint is not None:
        codes += list(table.joint.codes[assignment.values].T)
        labels += table.joint.labels.values()
    for key, code, known in zip(keys, codes, labels, strict=True):
        columns[key] = pa.array(list(known), pa.string()).take(pa.array(code[chosen]))
    columns[first] = pa.array(begin[chosen])
    columns[last] = pa.array((begin + assignment.counts)[chosen])
    for key, released in zip(after, assignment.names, strict=True):
        known = pa.array([*released.tolist(), SUPPRESSED], pa.string())  # the last is for what has no class
        columns[key] = known.take(pa.array(np.where(assignment.owners < 0, len(released), assignment.owners)[chosen]))
    return pa.table(columns)


def _turns(assignment: Assignment) -> Ints:
    """How many of the rows that are told apart from a parcel's by nothing come before it."""
    tuples = assignment.tuples
    if assignment.values is not None:
        tuples = tuples * (int(assignment.values.max(initial=0)) + 1) + assignment.values
    order = np.argsort(tuples, kind="stable")
    ends = np.cumsum(assignment.counts[order])
    starts = ends - assignment.counts[order]
    found = np.empty(len(order), dtype=np.int64)
    group_start = starts[np.searchsorted(tuples[order], tuples[order])]
    found[order] = starts - group_start
    return found
