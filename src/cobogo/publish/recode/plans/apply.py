"""Applying a plan to a table, in the table's engine, by null-safe joins.

A full-domain recoding replaces value by value. Every other one finds a row by its tuple, and by its turn among the rows
with the same tuple (`assign`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.engines.engine import Engine, Expression
from cobogo.data.hierarchy import SUPPRESSED, Label
from cobogo.data.table.columns import unused_names
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table
from cobogo.floor.arrays import Ints
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.plans.distort import Distortion, Tuple


@dataclass(frozen=True, eq=False, repr=False)
class Moves:
    """Which records get which values: ``counts[p]`` records of the tuple ``tuples[p]`` get those of class
    ``owners[p]``; −1 marks suppressed records. Where other columns distinguish a tuple's parcels, ``known`` gives what
    each parcel has there, and ``values`` a code for it."""

    problem: Problem
    tuples: Ints
    owners: Ints
    counts: Ints
    values: NDArray[np.int32] | None
    known: Mapping[str, NDArray[np.object_]]
    released: Mapping[str, NDArray[np.object_]]  # by column, what each class's records get
    star: bool

    @property
    def split(self) -> bool:
        """Whether records of one tuple go to different classes."""
        return len(np.unique(self.tuples)) < len(self.tuples)


def label_codes(labels: Sequence[Label], codes: NDArray[np.int32]) -> NDArray[np.object_]:
    """Codes as the labels that they stand for."""
    return np.array([*labels, None], dtype=object)[codes]  # the last makes an array of texts of it, whatever they are


def joint_labels(table: FrequencyTable, values: NDArray[np.int32] | None) -> dict[str, NDArray[np.object_]]:
    """Codes of combinations of sensitive values (and label) as the labels of each attribute; none where no combinations
    were counted."""
    if values is None or table.joint is None:
        return {}
    codes = table.joint.codes[values].T
    return {
        name: label_codes(labels, code) for (name, labels), code in zip(table.joint.labels.items(), codes, strict=True)
    }


def drop_tuples(engine: Engine, released: Expression, names: list[str], tuples: Sequence[Tuple]) -> Expression:
    """The rows without those that have one of some tuples in the columns ``names``."""
    _, matches, doomed = _join_tuples(engine, released, names, tuples)
    return released.anti_join(doomed, matches)


def star_tuples(
    engine: Engine, released: Expression, names: list[str], tuples: Sequence[Tuple], columns: Sequence[str]
) -> Expression:
    """The same rows; those that have one of some tuples in the columns ``names`` have ``*`` in ``columns``."""
    mark, matches, doomed = _join_tuples(engine, released, names, tuples)
    joined = released.left_join(doomed, matches)
    starred = joined[mark].fill_null(False)
    return joined.select(
        **{
            name: starred.ifelse(SUPPRESSED, engine.text(joined[name])) if name in columns else joined[name]
            for name in released.columns
        }
    )


def _join_tuples(
    engine: Engine, released: Expression, names: list[str], tuples: Sequence[Tuple]
) -> tuple[str, list[Expression], Expression]:
    """A table of tuples with a mark, and what joins it null-safely with the released rows."""
    import pyarrow as pa

    mark, *keys = unused_names(released.columns, len(names) + 1)
    columns = {key: pa.array([row[number] for row in tuples], type=pa.string()) for number, key in enumerate(keys)}
    doomed = engine.lookup(pa.table({**columns, mark: pa.array([True] * len(tuples))}))
    matches = [engine.same(engine.text(released[name]), doomed[key]) for name, key in zip(names, keys, strict=True)]
    return mark, matches, doomed


def distort(engine: Engine, released: Expression, names: Sequence[str], distortion: Distortion) -> Expression:
    """Exchange values of the records that come first, within their class and value, in a random order."""
    import pyarrow as pa

    attribute = distortion.attribute
    rank, position, old, new, *keys = unused_names(released.columns, len(names) + 4)
    places = {key: [place[number] for place in distortion.tuples] for number, key in enumerate(keys)}
    changes = {old: distortion.old, position: [str(rank) for rank in distortion.ranks], new: distortion.new}
    columns = {key: pa.array(values, type=pa.string()) for key, values in {**places, **changes}.items()}
    exchanges = engine.lookup(pa.table(columns))
    turn = engine.row_number(group_by=[*names, attribute], order_by=engine.random_key(released))
    ranked = released.mutate(**{rank: turn})
    pairs = [*zip(names, keys, strict=True), (attribute, old), (rank, position)]
    matches = [engine.same(engine.text(ranked[name]), exchanges[key]) for name, key in pairs]
    joined = ranked.left_join(exchanges, matches)
    value = joined[position].isnull().ifelse(joined[attribute], joined[new].cast(released[attribute].type()))
    return joined.select(**{name: value if name == attribute else joined[name] for name in released.columns})


def assign(table: Table, moves: Moves, columns: Sequence[str]) -> Expression:
    """The released rows, in no particular order. Which of several equal rows goes where is drawn at random."""
    engine, counted = table.engine, moves.problem.table
    known_by = [*counted.quasi_identifiers, *moves.known]
    wanted = table.expression.select(list(dict.fromkeys([*(n for n in columns if n in table.columns), *known_by])))
    turn, first, last, *rest = unused_names([*wanted.columns, *columns], 3 + len(known_by) + len(moves.released))
    keys, after = rest[: len(known_by)], rest[len(known_by) :]
    parcels = engine.lookup(_parcels(moves, keys, after, first, last))
    pairs = list(zip(known_by, keys, strict=True))
    matches = [engine.same(engine.text(wanted[name]), parcels[key]) for name, key in pairs]
    if moves.split:
        wanted = wanted.mutate(**{turn: engine.random_key(wanted)})
        alike = [engine.text(wanted[name]) for name in known_by]
        wanted = wanted.mutate(**{turn: engine.row_number(group_by=alike, order_by=wanted[turn])})
        matches = [
            *(engine.same(engine.text(wanted[name]), parcels[key]) for name, key in pairs),
            wanted[turn] >= parcels[first].cast("int64"),
            wanted[turn] < parcels[last].cast("int64"),
        ]
    joined = wanted.inner_join(parcels, matches)
    released = dict(zip(moves.released, after, strict=True))
    return joined.select(**{name: joined[released.get(name, name)] for name in columns})


def add_rows(engine: Engine, released: Expression, columns: Mapping[str, NDArray[np.object_]]) -> Expression:
    """Released rows, and others that are given as texts among them: columns have the same types in both."""
    import pyarrow as pa

    if not len(next(iter(columns.values()))):
        return released
    keys = unused_names(released.columns, len(columns))
    given = {key: pa.array(texts.tolist(), pa.string()) for key, texts in zip(keys, columns.values(), strict=True)}
    others = engine.lookup(pa.table(given))
    pairs = zip(columns, keys, strict=True)
    return released.union(others.select(**{name: others[key].cast(released[name].type()) for name, key in pairs}))


def _parcels(moves: Moves, keys: list[str], after: list[str], first: str, last: str) -> Any:
    """The assignment as a table: original values, the first and last turn (exclusive), released values."""
    import pyarrow as pa

    table = moves.problem.table
    chosen = np.arange(len(moves.owners)) if moves.star else np.flatnonzero(moves.owners >= 0)
    begin = _turns(moves)
    columns: dict[str, Any] = {}
    codes = [table.codes[moves.tuples, n] for n in range(len(table.quasi_identifiers))]
    labels = [table.values[name] for name in table.quasi_identifiers]
    for key, code, known in zip(keys[: len(codes)], codes, labels, strict=True):
        columns[key] = pa.array(list(known), pa.string()).take(pa.array(code[chosen]))
    for key, values in zip(keys[len(codes) :], moves.known.values(), strict=True):
        columns[key] = pa.array(values[chosen].tolist(), pa.string())
    columns[first] = pa.array(begin[chosen])
    columns[last] = pa.array((begin + moves.counts)[chosen])
    for key, released in zip(after, moves.released.values(), strict=True):
        known = pa.array([*released.tolist(), SUPPRESSED], pa.string())  # the last is for what has no class
        columns[key] = known.take(pa.array(np.where(moves.owners < 0, len(released), moves.owners)[chosen]))
    return pa.table(columns)


def _turns(moves: Moves) -> Ints:
    """For each parcel, the turn of its first row: the rows of the same tuple (and values) in the parcels before it."""
    tuples = moves.tuples
    if moves.values is not None:
        tuples = tuples * (int(moves.values.max(initial=0)) + 1) + moves.values
    order = np.argsort(tuples, kind="stable")
    ends = np.cumsum(moves.counts[order])
    starts = ends - moves.counts[order]
    found = np.empty(len(order), dtype=np.int64)
    group_start = starts[np.searchsorted(tuples[order], tuples[order])]
    found[order] = starts - group_start
    return found
