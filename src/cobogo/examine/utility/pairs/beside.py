"""Some original records, each beside a released row that it can have become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_, or_

import numpy as np

from cobogo.data.engines.engine import Expression
from cobogo.data.hierarchy import SUPPRESSED, Label
from cobogo.data.policy import Role
from cobogo.examine.attacks.compatibility import compatible_values
from cobogo.examine.utility.pairs.pair import CellCounts, CountKey, TablePair, TablePart

SELECTIVE = 12
"""Columns by which the engine looks for rows that fit; the others are compared afterwards."""


@dataclass(frozen=True)
class RecordBeside:
    """An original record, the released row that says most of those that fit it, and how many rows fit.

    No row fits a record that was suppressed with its whole class. Which of several it became is known to nobody: a
    release does not keep it.
    """

    before: tuple[Label, ...]
    after: tuple[Label, ...] | None
    fitting: int


def side_by_side(pair: TablePair, records: int) -> list[RecordBeside] | None:
    """The first records of the original beside rows of the release, in the pair's columns; None where the original may
    not be read, or a release is not the records with coarser values."""
    if pair.before is None or not pair.recoding or len(pair.after.parts) != 1 or pair.after.group is not None:
        return None
    columns = pair.columns
    mine, theirs = pair.before.part_with(*columns), pair.after.part_with(*columns)
    if mine is None or theirs is None or theirs.weight is not None or not columns:
        return None
    before = _first_records(mine, columns, records)
    fits = [
        _fitting_labels(pair, name, [record[place] for record in before], theirs) for place, name in enumerate(columns)
    ]
    options = [tuple(fitting[record[place]] for place, fitting in enumerate(fits)) for record in before]
    cells = _candidates(theirs, columns, options)
    return [RecordBeside(record, *_choose(cells, wanted)) for record, wanted in zip(before, options, strict=True)]


def _first_records(part: TablePart, columns: Sequence[str], records: int) -> list[tuple[Label, ...]]:
    chosen = {f"c{place}": part.table.text(name) for place, name in enumerate(columns)}
    found = part.table.engine.fetch(part.table.expression.select(**chosen).limit(records))
    return list(zip(*(found.column(name).to_pylist() for name in chosen), strict=True))


def _fitting_labels(
    pair: TablePair, name: str, values: Sequence[Label], part: TablePart
) -> dict[Label, frozenset[Label]]:
    """For each value, the released labels that it can have become."""
    known, released = list(dict.fromkeys(values)), part.cells([CountKey(name)]).values[0]
    recoded = pair.described[name].role is Role.QUASI_IDENTIFIER
    found = compatible_values(name, known, released, pair.policy, as_collected=not recoded)
    ends = zip(known, found.offsets[:-1], found.offsets[1:], strict=True)
    return {value: frozenset(released[code] for code in found.options[first:last]) for value, first, last in ends}


def _candidates(part: TablePart, columns: Sequence[str], options: Sequence[tuple[frozenset[Label], ...]]) -> CellCounts:
    """The released rows that may fit any of the records, counted."""
    wanted = [one for one in dict.fromkeys(options) if all(one)]
    table = part.table
    if not wanted:
        return CellCounts(tuple(() for _ in columns), tuple(np.zeros(0, np.int64) for _ in columns), np.zeros(0))

    def condition(one: tuple[frozenset[Label], ...]) -> Expression:
        places = sorted(range(len(columns)), key=lambda place: len(one[place]))[:SELECTIVE]
        return reduce(and_, (_is_among(part, columns[place], one[place]) for place in places))

    rows = table.expression.filter(reduce(or_, map(condition, wanted)))
    return TablePart(replace(table, expression=rows), part.decimal).cells([CountKey(name) for name in columns])


def _is_among(part: TablePart, column: str, labels: frozenset[Label]) -> Expression:
    text, texts = part.table.text(column), sorted(label for label in labels if label is not None)
    if not texts:
        return text.isnull()
    return text.isin(texts) | text.isnull() if None in labels else text.isin(texts)


def _choose(cells: CellCounts, wanted: tuple[frozenset[Label], ...]) -> tuple[tuple[Label, ...] | None, int]:
    """Of the rows that fit, the one with the fewest suppressed cells; and how many fit."""
    fits = np.ones(len(cells.counts), dtype=bool)
    stars = np.zeros(len(cells.counts), dtype=np.int64)
    for labels, codes, among in zip(cells.values, cells.codes, wanted, strict=True):
        fits &= np.array([label in among for label in labels], dtype=bool)[codes] if len(labels) else False
        stars += np.array([label == SUPPRESSED for label in labels], dtype=np.int64)[codes] if len(labels) else 0
    if not fits.any():
        return None, 0
    best = int(np.flatnonzero(fits)[np.argmin(stars[fits])])
    row = tuple(labels[codes[best]] for labels, codes in zip(cells.values, cells.codes, strict=True))
    return row, int(cells.counts[fits].sum())
