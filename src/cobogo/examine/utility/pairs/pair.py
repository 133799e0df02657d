"""An original and its release, opened so that the engine can count both, and some rows of both beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import and_, or_
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.engines.engine import Expression, connect
from cobogo.data.files.settle import settle_policy
from cobogo.data.hierarchy import SUPPRESSED, Hierarchy, Label
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import Policy, Role
from cobogo.data.table.columns import Coder
from cobogo.data.table.read import Table, read
from cobogo.errors import CobogoError
from cobogo.examine.attacks.compatibility import compatible_values
from cobogo.floor.arrays import Floats, Ints
from cobogo.release import manifest as manifests
from cobogo.release.manifest import RECODING, ColumnEntry, Manifest
from cobogo.release.readback import release_parts as parts_of

OTHERS = "\ue000others"
"""The label of all values that are not counted one by one; no data hold this private-use character."""


@dataclass(frozen=True)
class NumberBins:
    """Intervals of equal width; the first and the last are open-ended."""

    low: float
    width: float
    number: int

    def edges(self) -> list[float]:
        """The ends of the intervals."""
        return [round(self.low + place * self.width, 12) for place in range(self.number + 1)]

    def place(self, values: Floats) -> Ints:
        """The bin of each number."""
        found = np.floor((values - self.low) / self.width)
        return np.clip(found, 0, self.number - 1).astype(np.int64)


@dataclass(frozen=True)
class CountKey:
    """How a column is counted: each value, some values and the rest, or in bins."""

    column: str
    bins: NumberBins | None = None
    only: tuple[Label, ...] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class CellCounts:
    """Counts of the combinations of some columns' values: ``codes[i]`` into the ``values`` of column i."""

    values: tuple[tuple[Label, ...], ...]
    codes: tuple[Ints, ...]
    counts: Floats


@dataclass(frozen=True)
class Facts:
    """Figures of a column."""

    present: int
    missing: int
    distinct: int
    numbers: int  # of those present
    low: float | None  # the first percentile of the numbers
    high: float | None  # the last

    @property
    def numeric(self) -> bool:
        """Whether all values are numbers."""
        return 0 < self.present == self.numbers


@dataclass(frozen=True, eq=False, repr=False)
class TablePart:
    """A table that is counted by its rows or by a column of counts."""

    table: Table
    decimal: str = "."
    weight: str | None = None

    def key(self, key: CountKey) -> Expression:
        """The expression that a column is grouped by."""
        text = self.table.text(key.column)
        if key.bins is not None:
            place = ((self.number(key.column) - key.bins.low) / key.bins.width).floor()
            return place.clip(0, key.bins.number - 1).cast("int64").cast("string")
        if key.only is not None:
            known = [label for label in key.only if label is not None]
            return (
                (text.isnull() | text.isin(known)).ifelse(text, OTHERS)
                if known
                else text.notnull().ifelse(OTHERS, text)
            )
        return text

    def number(self, column: str) -> Expression:
        """A column as numbers; NULL where a value is no number."""
        text = self.table.text(column)
        if self.decimal == ",":
            text = text.replace(".", "").replace(",", ".")
        number = text.try_cast("float64")
        return (number.isnan() | number.isinf()).ifelse(None, number)

    def cells(self, keys: Sequence[CountKey]) -> CellCounts:
        """Count the combinations of some columns."""
        rows = self.table.expression
        chosen = {f"c{place}": self.key(key) for place, key in enumerate(keys)}
        weight = rows[self.weight].cast("float64") if self.weight else None
        keyed = rows.select(**chosen) if weight is None else rows.select(**chosen, weight=weight)
        total = keyed.count() if weight is None else keyed["weight"].sum()
        coders, parts = [Coder() for _ in keys], []
        for batch in self.table.engine.counts(keyed.group_by(list(chosen)).aggregate(records=total)):
            for coder, name in zip(coders, chosen, strict=True):
                coder.add(batch.column(name))
            parts.append(batch.column("records").to_numpy(zero_copy_only=False).astype(np.float64))
        columns = [coder.column() for coder in coders]
        return CellCounts(
            tuple(labels for _, labels in columns),
            tuple(codes.astype(np.int64) for codes, _ in columns),
            np.concatenate([*parts, np.zeros(0)]),
        )

    def facts(self, columns: Sequence[str]) -> dict[str, Facts]:
        """Figures of some columns, in one pass."""
        rows = self.table.expression
        figures: dict[str, Any] = {"rows": rows.count()}
        for place, name in enumerate(columns):
            text, number = self.table.text(name), self.number(name)
            figures |= {
                f"present{place}": text.count(),
                f"distinct{place}": text.nunique(),
                f"numbers{place}": number.count(),
                f"low{place}": number.quantile(0.01),
                f"high{place}": number.quantile(0.99),
            }
        found = self.table.engine.fetch(rows.aggregate(**figures)).to_pylist()[0]
        return {
            name: Facts(
                present=int(found[f"present{place}"]),
                missing=int(found["rows"] - found[f"present{place}"]),
                distinct=int(found[f"distinct{place}"]),
                numbers=int(found[f"numbers{place}"]),
                low=found[f"low{place}"],
                high=found[f"high{place}"],
            )
            for place, name in enumerate(columns)
        }

    def top(self, column: str, most: int) -> list[Label]:
        """The most frequent values of a column, without NULL."""
        return [value for value, _ in self.table.value_counts(column, most).most_frequent]


@dataclass(frozen=True, eq=False, repr=False)
class PairSide:
    """One side: its parts, the column that joins them if they are buckets, and the columns that are compared if not
    all are."""

    parts: tuple[TablePart, ...]
    group: str | None = None
    wanted: frozenset[str] | None = None

    def part_with(self, *columns: str) -> TablePart | None:
        """The part that has all of some columns."""
        return next((part for part in self.parts if set(columns) <= set(part.table.columns)), None)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """All columns that can be counted."""
        apart = {part.weight for part in self.parts} | {self.group}
        names = dict.fromkeys(n for part in self.parts for n in part.table.columns if n not in apart)
        return tuple(name for name in names if self.wanted is None or name in self.wanted)

    @cached_property
    def facts(self) -> dict[str, Facts]:
        """Figures of all columns."""
        known: dict[str, Facts] = {}
        for part in self.parts:
            new = [name for name in part.table.columns if name in self.columns and name not in known]
            known |= part.facts(new) if new else {}
        return known


@dataclass(frozen=True, eq=False, repr=False)
class TablePair:
    """A release and its original; ``before`` is None where the original may not be read, or is gone."""

    manifest: Manifest
    policy: Policy
    after: PairSide
    before: PairSide | None = None
    trees: dict[str, Hierarchy | None] = field(default_factory=dict)

    @property
    def recoding(self) -> bool:
        """Whether released values are generalizations of original ones."""
        return self.manifest.kind == RECODING

    @cached_property
    def described(self) -> dict[str, ColumnEntry]:
        """The manifest's entry of each released column that the original has."""
        return {one.name: one for one in self.manifest.columns if not one.added and one.name in self.after.columns}

    @property
    def columns(self) -> tuple[str, ...]:
        """The released columns that can be compared."""
        known = None if self.before is None else set(self.before.columns)
        return tuple(name for name in self.described if known is None or name in known)

    def tree(self, name: str) -> Hierarchy | None:
        """The hierarchy that a quasi-identifier was recoded by; None without one, or where it cannot be built."""
        if name not in self.trees:
            self.trees[name] = self._build_tree(name)
        return self.trees[name]

    def _build_tree(self, name: str) -> Hierarchy | None:
        declared = self.policy.attributes.get(name)
        if self.before is None or not self.recoding or declared is None or declared.role is not Role.QUASI_IDENTIFIER:
            return None
        part = self.before.part_with(name)
        assert part is not None
        try:
            tree = build(name, declared.hierarchy, part.cells([CountKey(name)]).values[0], policy=self.policy)
        except CobogoError:
            return None  # its file is no longer there, or no longer the same
        return tree.without_steps(top=True) if self.policy.recoding.kind == "value" else tree


def open_pair(release: Path, policy: Policy, original: Any = None) -> TablePair:
    """Open a release directory and, if given, its original: a path or a frame, read as the policy says."""
    public, _ = parts_of(release)
    manifest, policy = manifests.load(public), settle_policy(policy, original)
    data = manifest.data.reading
    decimal = manifest.data.decimal
    tables = (
        [] if manifest.data.file is None else [TablePart(read(public / manifest.data.file, data, connect()), decimal)]
    )
    group = None
    if manifest.buckets is not None:
        group = manifest.buckets.group
        if manifest.buckets.file is not None:
            values = read(public / manifest.buckets.file, data, connect())
            tables.append(TablePart(values, decimal, manifest.buckets.count))
    for entry in manifest.marginals:
        tables.append(TablePart(read(public / entry.file, data, connect()), decimal, entry.count))
    before = None
    if original is not None:
        part = TablePart(read(original, policy.data, connect(), once=True), policy.data.decimal)
        before = PairSide((part,), wanted=frozenset(column.name for column in manifest.columns if not column.added))
    return TablePair(manifest, policy, PairSide(tuple(tables), group), before)


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
