"""From a plan to SQL statements. Bounding what a person contributes is the last step before each aggregate.

A statement casts and filters the rows, computes figures for each person and group, and clamps them to what was
declared. Of a person's groups it keeps those that a salted hash of person and group puts first: the choice depends on
nobody else. Only then it adds people up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal

from cobogo.answer.plan import ExactMeasurement, PublicIntervals, QueryPlan
from cobogo.answer.query import columns_of, computed_fields, fields_of
from cobogo.answer.sql.combined import SqlSource, write_combined
from cobogo.answer.sql.dialects import Dialect
from cobogo.answer.sql.values import ValueWriter, clamp, write_steps
from cobogo.promises.mechanisms.base import LARGEST


class Emitter:
    """Writes the statements of one plan in one engine's dialect."""

    def __init__(self, plan: QueryPlan, source: SqlSource, dialect: Dialect, salt: int) -> None:
        self.plan, self.source, self.dialect, self.salt = plan, source, dialect, salt
        self.dataset, self.query = plan.dataset, plan.query
        self.derived = {one.name: one for one in self.query.derived}
        read = [field for name in self._used() for field in self._fields(name)]
        self.read = {name: f"c{number}" for number, name in enumerate(dict.fromkeys(read))}
        self.columns = {**self.read, **{name: f"d{number}" for number, name in enumerate(self.derived)}}
        numbers = [name for name in self._computed_from() if self.dataset.columns[name].bounds is not None]
        self.numbers = {name: f"v{number}" for number, name in enumerate(dict.fromkeys(numbers))}
        self.writer = ValueWriter(dialect, self.dataset.columns, self.columns, self.numbers)
        self.keys = [f"k{number}" for number in range(len(self.query.keys))]

    def _used(self) -> list[str]:
        """The columns that the question looks at, among them the derived ones."""
        query, part = self.query, self.query.part
        used = [*query.keys, *columns_of(query.where)]
        used += [] if part is None else [part.column, *columns_of(part.where)]
        used += [] if query.lookup is None else [query.lookup.column]
        used += list(self.derived)
        return used + [m.column for m in self.plan.measurements if m.column is not None]

    def _fields(self, name: str) -> list[str]:
        """The columns of the data that a column is, or is computed from."""
        return fields_of(self.derived[name].expression) if name in self.derived else [name]

    def _computed_from(self) -> list[str]:
        """The columns that are computed with."""
        part = self.query.part
        conditions = [self.query.where, None if part is None else part.where]
        found = [field for condition in conditions for field in computed_fields(condition)]
        return found + [field for one in self.derived.values() for field in fields_of(one.expression)]

    def totals(self, measurements: list[ExactMeasurement]) -> str:
        """Counts and sums of each group: a row a group, its keys first, then a figure for each measurement."""
        rows, figures = self.plan.rows_of_a_person, dict(enumerate(measurements))
        if self.dataset.unit is None:
            single = [f"{self._single(m)} AS m{number}" for number, m in figures.items()]
            return f"WITH {self._rows(measurements)} SELECT {', '.join([*self.keys, *single])} FROM t{self._group_by()}"
        own = ", ".join(["count(*) AS n", *(self._gather(number, m) for number, m in figures.items() if m.column)])
        people = f"p AS (SELECT {self._all('u')}, {own} FROM t GROUP BY {self._all('u')})"
        counted = ", ".join(f"{self._contribution(number, m, rows)} AS f{number}" for number, m in figures.items())
        bounded = ", ".join(f"{self._bound(number, m, rows)} AS h{number}" for number, m in figures.items())
        added = [f"{self._total(f'h{number}')} AS m{number}" for number in figures]
        return (
            f"WITH {self._rows(measurements)}, {people}{self._limit_groups('p')}, "
            f"f AS (SELECT {self._list(self.keys)}{counted} FROM b), "
            f"h AS (SELECT {self._list(self.keys)}{bounded} FROM f) "
            f"SELECT {', '.join([*self.keys, *added])} FROM h{self._group_by()}"
        )

    def distinct(self, measurement: ExactMeasurement) -> str:
        """How many values of a column each group has, at most max-rows of each person."""
        value, rows = self.columns[str(measurement.column)], self.plan.rows_of_a_person
        shown = ", ".join([*self.keys, "count(DISTINCT v) AS m0"])
        values = f"SELECT DISTINCT {self._all('u')}, {value} AS v FROM t WHERE {value} IS NOT NULL"
        if self.dataset.unit is None:
            values = f"SELECT {self._list(self.keys)}{value} AS v FROM t WHERE {value} IS NOT NULL"
            return f"WITH {self._rows([measurement])}, b AS ({values}) SELECT {shown} FROM b{self._group_by()}"
        hashed = self.dialect.salted_hash(["u", *self.keys, "v"], self.salt)
        ranked = f"row_number() OVER (PARTITION BY {self._all('u')} ORDER BY {hashed}, v) AS place"
        few = f"p AS (SELECT * FROM (SELECT {self._all('u')}, v, {ranked} FROM d) AS w WHERE place <= {rows})"
        kept = self._limit_groups("p", several=True)
        return f"WITH {self._rows([measurement])}, d AS ({values}), {few}{kept} SELECT {shown} FROM b{self._group_by()}"

    def bins(self, measurement: ExactMeasurement) -> str:
        """How many rows each group has in each interval of a column, at most max-rows of each person."""
        column = str(measurement.column)
        bins, rows = PublicIntervals.from_column(self.dataset.columns[column]), self.plan.rows_of_a_person
        number = self.dialect.divide(f"(v - ({bins.low}))", str(bins.width))
        placed = (
            f"d AS (SELECT {self._all('u')}, {number} AS v, count(*) AS n FROM ({self._stepped_rows(column)}) AS f "
        )
        placed += f"WHERE v IS NOT NULL GROUP BY {self._all('u')}, {number})"
        shown = ", ".join([*self.keys, "v", f"{self._total('n')} AS m0"])
        grouped = self._group_by("v")
        if self.dataset.unit is None:
            return f"WITH {self._rows([measurement])}, {placed} SELECT {shown} FROM d{grouped}"
        hashed = self.dialect.salted_hash(["u", *self.keys, "v"], self.salt)
        before = f"sum(n) OVER (PARTITION BY {self._all('u')} ORDER BY {hashed}, v ROWS UNBOUNDED PRECEDING) - n"
        seen = f"e AS (SELECT {self._all('u')}, v, n, {before} AS already FROM d)"
        left = f"CASE WHEN n > {rows} - already THEN {rows} - already ELSE n END"
        few = f"p AS (SELECT {self._all('u')}, v, {left} AS n FROM e WHERE already < {rows})"
        kept = self._limit_groups("p", several=True)
        return f"WITH {self._rows([measurement])}, {placed}, {seen}, {few}{kept} SELECT {shown} FROM b{grouped}"

    def _rows(self, measurements: list[ExactMeasurement]) -> str:
        """The rows of known people that the question is about: cast, then filtered."""
        columns = self.dataset.columns
        wanted = [] if self.dataset.unit is None else ["u IS NOT NULL"]
        if self.query.where is not None:
            wanted.append(self.writer.condition(self.query.where))
        keys = []
        for name, key in zip(self.query.keys, self.keys, strict=True):
            keys.append(f"{self._key(name)} AS {key}")
            if columns[name].edges is not None:
                wanted.append(f"{self.columns[name]} IS NOT NULL")
        if self.dataset.unit is not None:
            wanted += self._public(self.columns)
        needed = dict.fromkeys(self.columns[str(m.column)] for m in measurements if m.column is not None)
        before, looked_up = self._join()
        before, computed = self._derive(before)
        source, parts = self._part(before, wanted)
        chosen = f"SELECT {', '.join(['u', *keys, *needed])} FROM {source}"
        filtered = f" WHERE {' AND '.join(f'({one})' for one in wanted)}" if wanted else ""
        return f"{self._read()}{looked_up}{computed}{parts}, t AS ({chosen}{filtered})"

    def _read(self) -> str:
        """The rows of the data, cast to what was declared."""
        dialect, kinds, unit = self.dialect, self.source.kinds, self.dataset.unit
        read = {
            name: short
            for name, short in self.read.items()
            if self.query.lookup is None or name not in self.query.lookup.names
        }
        if self.query.combined is not None:
            return write_combined(self.query.combined, self.source, read, dialect, self.salt)
        typed = [
            f"{dialect.cast_column(name, self.dataset.columns[name], kinds[name], self.dataset.decimal)} AS {short}"
            for name, short in read.items()
        ]
        typed += [f"{dialect.cast_unit(unit, kinds[unit])} AS u"] if unit is not None else ["1 AS u"]
        return f"s AS (SELECT {', '.join(typed)} FROM ({self.source.statement}) AS o)"

    def _join(self) -> tuple[str, str]:
        """Join rows with a public table. Each key appears once in it, so that nobody gets more rows."""
        lookup = self.query.lookup
        if lookup is None:
            return "s", ""
        rows = ", ".join(f"({', '.join(map(self.dialect.literal, row))})" for row in lookup.rows)
        names = ", ".join(["of_key", *(f"v{at}" for at in range(len(lookup.names)))])
        added = "".join(
            f", l.v{at} AS {self.columns[name]}" for at, name in enumerate(lookup.names) if name in self.columns
        )
        key = self.columns[lookup.column]
        return "j", f", j AS (SELECT s.*{added} FROM s JOIN (VALUES {rows}) AS l({names}) ON s.{key} = l.of_key)"

    def _derive(self, before: str) -> tuple[str, str]:
        """Add derived columns: each number that they are computed from is brought within its bounds first."""
        if not self.numbers and not self.derived:
            return before, ""
        columns = self.dataset.columns
        bounded = "".join(
            f", {write_steps(self.read[name], columns[name], self.dialect)} AS {short}"
            for name, short in self.numbers.items()
        )
        added = "".join(
            f", {self.writer.value(one.expression)[0]} AS {self.columns[name]}" for name, one in self.derived.items()
        )
        return "y", f", x AS (SELECT {before}.*{bounded} FROM {before}), y AS (SELECT x.*{added} FROM x)"

    def _part(self, before: str, wanted: list[str]) -> tuple[str, str]:
        """Select the rows of one part of a partition. Which parts a person counts in follows from the salt, the same
        for all parts, before any part is looked at."""
        part = self.query.part
        if part is None:
            return before, ""
        column = self.columns[part.column]
        within = [self.dialect.one_of(column, part.keys)]
        within += [] if part.where is None else [self.writer.condition(part.where)]
        place = "1"
        if self.dataset.unit is not None:
            within.append("u IS NOT NULL")
            order = self.dialect.salted_hash(["u", column], self.salt)
            place = f"dense_rank() OVER (PARTITION BY u ORDER BY {order}, {column})"
        wanted += [f"part <= {self.plan.parts_of_a_person}", f"{column} = {self.dialect.literal(part.key)}"]
        return "q", f", q AS (SELECT *, {place} AS part FROM {before} WHERE {' AND '.join(within)})"

    def _key(self, name: str) -> str:
        """What a column is grouped by: its value, or the interval of its value."""
        column, declared = self.columns[name], self.dataset.columns[name]
        if declared.edges is None:
            return column
        *named, last = map(self.dialect.literal, declared.intervals)
        whole = declared.type == "integer"  # below 2.5 is below 3
        borders = [
            self.dialect.literal(math.ceil(edge) if whole else Decimal(str(edge))) for edge in declared.edges[1:-1]
        ]
        cases = "".join(f" WHEN {column} < {border} THEN {name}" for border, name in zip(borders, named, strict=True))
        return f"CASE WHEN {column} IS NULL THEN NULL{cases} ELSE {last} END"

    def _gather(self, number: int, measurement: ExactMeasurement) -> str:
        """A person's figure in a group, and the number of its rows."""
        if measurement.kind == "present":
            return f"count({self.columns[str(measurement.column)]}) AS n{number}"
        value = self._value(measurement)
        return f"count({value}) AS n{number}, {self.dialect.total(value)} AS s{number}"

    def _single(self, measurement: ExactMeasurement) -> str:
        """The figure of a group in which each row is a person of its own: the value of a row is within its bounds."""
        if measurement.kind in ("sum", "squares"):
            return self._total(self._value(measurement))
        return f"count({'*' if measurement.column is None else self.columns[measurement.column]})"

    def _value(self, measurement: ExactMeasurement) -> str:
        """A row's value in whole steps, within its bounds, as its distance from the centre."""
        fixed = f"({self._steps(str(measurement.column))} - ({measurement.centre}))"
        return f"({fixed} * {fixed})" if measurement.kind == "squares" else fixed

    def _steps(self, name: str) -> str:
        """A number in whole steps, within its bounds; a derived one is computed in steps."""
        column, declared = self.columns[name], self.dataset.columns[name]
        if name in self.derived:
            return f"({clamp(column, *declared.steps)})"
        return write_steps(column, declared, self.dialect)

    def _stepped_rows(self, name: str) -> str:
        return f"SELECT {self._all('u')}, {self._steps(name)} AS v FROM t"

    def _contribution(self, number: int, measurement: ExactMeasurement, rows: int) -> str:
        """A person's figure. More rows than max-rows count as max-rows rows of their average."""
        match measurement.kind:
            case "people":
                return "1"
            case "rows":
                return "n"
            case "present":
                return f"n{number}"
        average = self.dialect.divide(f"(s{number} * {rows})", f"n{number}")
        return f"CASE WHEN n{number} > {rows} THEN {average} ELSE s{number} END"

    def _bound(self, number: int, measurement: ExactMeasurement, rows: int) -> str:
        """Clamp a person's figure to what one person can contribute: the last step before people are added up."""
        if measurement.kind not in ("sum", "squares"):
            return clamp(f"f{number}", 0, rows)
        low, high = self.dataset.columns[str(measurement.column)].steps
        ends = [end - measurement.centre for end in (low, high)]
        low, high = (min(0, *ends), max(0, *ends)) if measurement.kind == "sum" else (0, max(end * end for end in ends))
        return f"CAST({clamp(f'f{number}', rows * low, rows * high)} AS {self.dialect.whole})"

    def _total(self, figure: str) -> str:
        """Add people's figures up, as a whole number of 64 bits; 0 without any people."""
        total = f"coalesce({self.dialect.total(figure)}, 0)"
        return f"CAST({clamp(total, -LARGEST, LARGEST)} AS {self.dialect.whole})"

    def _limit_groups(self, people: str, *, several: bool = False) -> str:
        """Keep as many groups of each person as count. ``several``: a group may have several rows."""
        bound = self.plan.groups_of_a_person
        every = not self.keys or self.dataset.unit is None
        every = every or (self.plan.public is not None and bound >= len(self.plan.public))
        if every:
            return f", b AS (SELECT * FROM {people})"
        order = ", ".join([self.dialect.salted_hash(["u", *self.keys], self.salt), *self.keys])
        function = "dense_rank" if several else "row_number"
        ranked = f"SELECT *, {function}() OVER (PARTITION BY u ORDER BY {order}) AS rank FROM {people}"
        return f", b AS (SELECT * FROM ({ranked}) AS r WHERE rank <= {bound})"

    def _all(self, first: str) -> str:
        return ", ".join([first, *self.keys])

    def _public(self, columns: Mapping[str, str]) -> list[str]:
        """That each key is public."""
        declared = {name: self.dataset.columns[name] for name in self.query.keys}
        return [
            self.dialect.one_of(columns[name], one.public_keys)
            for name, one in declared.items()
            if one.public_keys is not None and one.edges is None
        ]

    def _group_by(self, *more: str) -> str:
        """Group by the keys. Without a unit, groups that are not public are left out here: they are fewer than rows.
        With one, their rows are left out first: they must not use up the groups that a person counts in."""
        if not self.keys and not more:
            return ""
        own = dict(zip(self.query.keys, self.keys, strict=True))
        public = self._public(own) if self.dataset.unit is None else []
        having = f" HAVING {' AND '.join(public)}" if public else ""
        return f" GROUP BY {', '.join([*self.keys, *more])}{having}"

    @staticmethod
    def _list(names: list[str]) -> str:
        return "".join(f"{name}, " for name in names)
