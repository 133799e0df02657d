"""Writes the rows of two tables that are combined: cast, filtered, and before a join limited for each person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cobogo.answer.combine import SETS, rows_before_join
from cobogo.answer.query import Combined, PersonTotal, Selection, columns_of, computed_fields
from cobogo.answer.sql.dialects import Dialect
from cobogo.answer.sql.values import ValueWriter, write_steps

OPERATORS = {"union": "UNION", "concat": "UNION ALL", "intersect": "INTERSECT", "except": "EXCEPT"}

LEFT, RIGHT = "cobogo_left", "cobogo_right"
"""What the two tables are called in a statement: no table of a data holder, which it selects from, is called so."""


@dataclass(frozen=True)
class SqlSource:
    """Where the rows are: something to select from, and the kinds of its columns as Ibis calls them; ``others`` are the
    tables that it may be combined with, by their names."""

    statement: str
    kinds: Mapping[str, Any]
    others: Mapping[str, SqlSource] | None = None


def write_combined(combined: Combined, source: SqlSource, read: Mapping[str, str], dialect: Dialect, salt: int) -> str:
    """The tables of a statement up to ``s``, which has the columns ``read`` under their short names."""
    named = dict(read)
    for name, _ in combined.left.columns if combined.kind in SETS else ():
        named.setdefault(name, f"z{len(named)}")  # whole rows are compared, and not only what is asked about
    sides = []
    for at, one in ((LEFT, combined.left), (RIGHT, combined.right)):
        own = (source.others or {}).get(one.dataset, source)
        sides.append(SideWriter(at, one, own, dialect, salt).write(named, joined=combined.kind not in SETS))
    return f"{', '.join(sides)}, s AS ({_combine(combined, named)})"


def _combine(combined: Combined, named: Mapping[str, str]) -> str:
    if combined.kind in SETS:
        columns = ", ".join(["u", *(named[name] for name, _ in combined.left.columns)])
        return f"SELECT {columns} FROM {LEFT} {OPERATORS[combined.kind]} SELECT {columns} FROM {RIGHT}"
    ours = [named[name] for name, _ in combined.left.columns if name in named]
    right = combined.right
    theirs = [
        named[name] for name in (*(n for n, _ in right.columns), *(t.name for t in right.totals)) if name in named
    ]
    columns = ", ".join(["a.u AS u", *(f"a.{one}" for one in ours), *(f"b.{one}" for one in theirs)])
    how = "LEFT JOIN" if combined.kind == "left join" else "JOIN"
    return f"SELECT {columns} FROM {LEFT} AS a {how} {RIGHT} AS b ON a.u = b.u"


class SideWriter:
    """Writes one of the two tables. ``at`` is its name in the statement."""

    def __init__(self, at: str, selection: Selection, source: SqlSource, dialect: Dialect, salt: int) -> None:
        self.at, self.selection, self.source, self.dialect, self.salt = at, selection, source, dialect, salt
        totals = [total.column for total in selection.totals if total.column is not None]
        used = [*(own for _, own in selection.columns), *columns_of(selection.where), *totals]
        self.short = {name: f"a{number}" for number, name in enumerate(dict.fromkeys(used))}
        columns = selection.declared.columns
        numbers = dict.fromkeys([*computed_fields(selection.where), *totals])
        self.steps = {name: f"b{number}" for number, name in enumerate(numbers) if columns[name].bounds is not None}

    def write(self, named: Mapping[str, str], *, joined: bool) -> str:
        """Its rows, as many of each person as count, under the names that the question has for them."""
        written = [f"{self.at}0 AS ({self._cast()})", f"{self.at}1 AS ({self._filter()})"]
        last = f"{self.at}1"
        if joined:
            written.append(f"{self.at}2 AS ({self._limit()})")
            last = f"{self.at}2"
        written.append(f"{self.at} AS ({self._choose(last, named)})")
        return ", ".join(written)

    def _cast(self) -> str:
        declared, kinds, dialect = self.selection.declared, self.source.kinds, self.dialect
        typed = [
            f"{dialect.cast_column(name, declared.columns[name], kinds[name], declared.decimal)} AS {short}"
            for name, short in self.short.items()
        ]
        unit = declared.unit
        person = "1" if unit is None else f"CAST({dialect.cast_unit(unit, kinds[unit])} AS {dialect.string})"
        return f"SELECT {', '.join([*typed, f'{person} AS u'])} FROM ({self.source.statement}) AS o"

    def _filter(self) -> str:
        columns, dialect = self.selection.declared.columns, self.dialect
        stepped = [
            f"{write_steps(self.short[name], columns[name], dialect)} AS {step}" for name, step in self.steps.items()
        ]
        rows = f"SELECT {', '.join(['*', *stepped])} FROM {self.at}0 WHERE u IS NOT NULL"
        if self.selection.where is None:
            return rows
        condition = ValueWriter(dialect, columns, self.short, self.steps).condition(self.selection.where)
        return f"SELECT * FROM ({rows}) AS w WHERE {condition}"

    def _limit(self) -> str:
        """As many rows of each person as may enter a join; which, follows from the salt and the person's own rows."""
        columns = list(self.short.values())
        order = ", ".join([self.dialect.salted_hash(["u", *columns], self.salt), *columns])
        ranked = f"SELECT *, row_number() OVER (PARTITION BY u ORDER BY {order}) AS place FROM {self.at}1"
        return f"SELECT * FROM ({ranked}) AS w WHERE place <= {rows_before_join(self.selection.declared)}"

    def _choose(self, rows: str, named: Mapping[str, str]) -> str:
        totals = self.selection.totals
        if totals:
            own = [f"{self._total(total)} AS {named[total.name]}" for total in totals if total.name in named]
            return f"SELECT {', '.join(['u', *own])} FROM {rows} GROUP BY u"
        chosen = [f"{self.short[own]} AS {named[name]}" for name, own in self.selection.columns if name in named]
        return f"SELECT {', '.join(['u', *chosen])} FROM {rows}"

    def _total(self, total: PersonTotal) -> str:
        """A person's own figure. Sums are of whole steps, so that the order of rows changes nothing."""
        if total.kind == "count":
            return f"count({'*' if total.column is None else self.short[total.column]})"
        column, step = self.selection.declared.columns[str(total.column)], self.steps[str(total.column)]
        figure = self.dialect.total(step) if total.kind == "sum" else f"{total.kind}({step})"
        if not column.decimals:
            return f"CAST({figure} AS {self.dialect.whole})"
        return f"CAST({figure} AS {self.dialect.real}) / {self.dialect.literal(float(10**column.decimals))}"
