"""Tables and columns of DuckDB as SQL: the part of Ibis's language that Cobogó uses, without loading Ibis.

Loading Ibis and compiling expressions took a third of every small command. A relation has the methods that an Ibis
table has, under the same names; each wraps the statement so far into another one, and DuckDB's optimizer makes one of
them all. What a relation lacks, it asks of the Ibis expression of the same rows (`to_ibis`).

Columns are written without their table: the names of tables that are joined must differ in any case of letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cobogo.data.table.engine import literal, quote
from cobogo.floor.lean import load_ibis
from cobogo.floor.representation import brief

NAMES = {"string": "VARCHAR", "int64": "BIGINT", "float64": "DOUBLE"}
"""DuckDB's names of the types that expressions are cast to."""

BYTES = {"tinyint": 1, "smallint": 2, "integer": 4, "bigint": 8}
SCALES = {"timestamp_s": 0, "timestamp_ms": 3, "timestamp": 6, "timestamp with time zone": 6, "timestamp_ns": 9}


@dataclass(frozen=True)
class SqlType:
    """A type of DuckDB's, asked as Ibis's are: ``id`` is its family, ``name`` what a cast calls it."""

    id: str
    name: str

    def __str__(self) -> str:
        return self.name

    def is_string(self) -> bool:
        """Whether it is text, or codes of texts."""
        return self.id in ("varchar", "enum") and self.name != "JSON"

    def is_boolean(self) -> bool:
        """Whether it is true or false."""
        return self.id == "boolean"

    def is_integer(self) -> bool:
        """Whether it is a whole number of at most 64 bits."""
        return self.id.removeprefix("u") in BYTES

    def is_uint32(self) -> bool:
        """Whether it is a whole number of 32 bits without a sign."""
        return self.id == "uinteger"

    def is_uint64(self) -> bool:
        """Whether it is a whole number of 64 bits without a sign."""
        return self.id == "ubigint"

    def is_decimal(self) -> bool:
        """Whether it is a number of so many digits."""
        return self.id in ("decimal", "hugeint", "uhugeint")

    def is_float64(self) -> bool:
        """Whether it is a number of floating point of 64 bits."""
        return self.id == "double"

    def is_floating(self) -> bool:
        """Whether it is a number of floating point."""
        return self.id in ("float", "double")

    def is_numeric(self) -> bool:
        """Whether it is a number."""
        return self.is_integer() or self.is_decimal() or self.is_floating()

    def is_date(self) -> bool:
        """Whether it is a day."""
        return self.id == "date"

    def is_timestamp(self) -> bool:
        """Whether it is a day with its time."""
        return self.id in SCALES

    def is_uuid(self) -> bool:
        """Whether it is an identifier of 128 bits."""
        return self.id == "uuid"

    def is_binary(self) -> bool:
        """Whether it is bytes."""
        return self.id == "blob"

    @property
    def nbytes(self) -> int:
        """The bytes of a number."""
        return {**BYTES, "float": 4, "double": 8}[self.id if self.is_floating() else self.id.removeprefix("u")]

    @property
    def precision(self) -> int:
        """The digits of a decimal."""
        return int(self._digits[0]) if self.id == "decimal" else 38

    @property
    def scale(self) -> int:
        """The digits behind the point, of a decimal or of a time's seconds."""
        return SCALES[self.id] if self.is_timestamp() else int(self._digits[1]) if self.id == "decimal" else 0

    @property
    def timezone(self) -> str | None:
        """The zone of a time that has one."""
        return "UTC" if self.id == "timestamp with time zone" else None

    @property
    def _digits(self) -> list[str]:
        return self.name.removeprefix("DECIMAL(").removesuffix(")").split(",")


TEXT, TRUTH, WHOLE, REAL = (SqlType(name.lower(), name) for name in ("VARCHAR", "BOOLEAN", "BIGINT", "DOUBLE"))


@dataclass(frozen=True, eq=False, repr=False)
class SqlColumn:
    """A column of a relation, or what is computed of its columns. ``kind`` is its type, where that is known."""

    of: Relation
    sql: str
    kind: SqlType | None = None

    __hash__ = object.__hash__  # == asks DuckDB

    def __repr__(self) -> str:
        return brief(self)

    def type(self) -> SqlType:
        """Its type; of what is computed, DuckDB is asked."""
        return self.kind or self.of.select(it=self).schema()["it"]

    def _new(self, sql: str, kind: SqlType | None = None) -> SqlColumn:
        return SqlColumn(self.of, sql, kind)

    # Values

    def cast(self, kind: SqlType | str) -> SqlColumn:
        """As another type. Text stays as it is: codes of texts are faster to count and to join."""
        wanted = _type_called(kind)
        if self.kind is not None and (self.kind == wanted or (self.kind.is_string() and wanted.is_string())):
            return self
        return self._new(f"CAST({self.sql} AS {wanted})", wanted)

    def try_cast(self, kind: str) -> SqlColumn:
        """As another type; NULL where it cannot be."""
        return self._new(f"TRY_CAST({self.sql} AS {NAMES[kind]})", _type_called(kind))

    def ifelse(self, yes: Any, no: Any) -> SqlColumn:
        """One value where this is true, another elsewhere."""
        known = [one.kind for one in (yes, no) if isinstance(one, SqlColumn)]
        kind = TEXT if any(isinstance(one, str) for one in (yes, no)) else known[0] if len(set(known)) == 1 else None
        return self._new(f"CASE WHEN {self.sql} THEN {written(yes)} ELSE {written(no)} END", kind)

    def fill_null(self, value: Any) -> SqlColumn:
        """Something else where it is NULL."""
        return self._new(f"coalesce({self.sql}, {written(value)})", self.kind)

    def replace(self, old: str, new: str) -> SqlColumn:
        """A text with each occurrence of another one exchanged."""
        return self._new(f"replace({self.sql}, {literal(old)}, {literal(new)})", TEXT)

    def substr(self, start: int) -> SqlColumn:
        """A text without its first characters."""
        return self._new(f"substr({self.sql}, {start + 1})", TEXT)

    def floor(self) -> SqlColumn:
        """The whole number below."""
        return self._new(f"floor({self.sql})", self.kind)

    def ln(self) -> SqlColumn:
        """The natural logarithm."""
        return self._new(f"ln({self.sql})", REAL)

    def clip(self, low: float, high: float) -> SqlColumn:
        """The nearest number between two others; NULL stays NULL."""
        inside = f"greatest({written(low)}, least({self.sql}, {written(high)}))"
        return self._new(f"CASE WHEN {self.sql} IS NOT NULL THEN {inside} END")

    def __add__(self, other: Any) -> SqlColumn:
        texts = isinstance(other, str) or (self.kind is not None and self.kind.is_string())
        return self._new(f"({self.sql} {'||' if texts else '+'} {written(other)})", TEXT if texts else None)

    def __radd__(self, other: str) -> SqlColumn:
        return self._new(f"({written(other)} || {self.sql})", TEXT)

    def __sub__(self, other: Any) -> SqlColumn:
        return self._new(f"({self.sql} - {written(other)})")

    def __mul__(self, other: Any) -> SqlColumn:
        return self._new(f"({self.sql} * {written(other)})")

    def __truediv__(self, other: Any) -> SqlColumn:
        return self._new(f"({self.sql} / {written(other)})", REAL)

    # Conditions

    def _holds(self, sql: str) -> SqlColumn:
        return self._new(f"({sql})", TRUTH)

    def isnull(self) -> SqlColumn:
        """Whether it is NULL."""
        return self._holds(f"{self.sql} IS NULL")

    def notnull(self) -> SqlColumn:
        """Whether it is not NULL."""
        return self._holds(f"{self.sql} IS NOT NULL")

    def isnan(self) -> SqlColumn:
        """Whether it is not a number."""
        return self._holds(f"isnan({self.sql})")

    def isinf(self) -> SqlColumn:
        """Whether it is infinite."""
        return self._holds(f"isinf({self.sql})")

    def isin(self, values: Sequence[Any]) -> SqlColumn:
        """Whether it is one of some values."""
        return self._holds(f"{self.sql} IN ({', '.join(map(written, values))})")

    def contains(self, text: str) -> SqlColumn:
        """Whether a text stands in it."""
        return self._holds(f"contains({self.sql}, {literal(text)})")

    def re_search(self, pattern: str) -> SqlColumn:
        """Whether a pattern stands in it."""
        return self._holds(f"regexp_matches({self.sql}, {literal(pattern)})")

    def identical_to(self, other: Any) -> SqlColumn:
        """Whether two values are the same, NULL being the same as NULL."""
        return self._holds(f"{self.sql} IS NOT DISTINCT FROM {written(other)}")

    def __eq__(self, other: object) -> SqlColumn:  # type: ignore[override]
        return self._holds(f"{self.sql} = {written(other)}")

    def __lt__(self, other: Any) -> SqlColumn:
        return self._holds(f"{self.sql} < {written(other)}")

    def __gt__(self, other: Any) -> SqlColumn:
        return self._holds(f"{self.sql} > {written(other)}")

    def __ge__(self, other: Any) -> SqlColumn:
        return self._holds(f"{self.sql} >= {written(other)}")

    def __ne__(self, other: object) -> SqlColumn:  # type: ignore[override]
        return self._holds(f"{self.sql} <> {written(other)}")

    def __and__(self, other: SqlColumn) -> SqlColumn:
        return self._holds(f"{self.sql} AND {other.sql}")

    def __or__(self, other: SqlColumn) -> SqlColumn:
        return self._holds(f"{self.sql} OR {other.sql}")

    def __invert__(self) -> SqlColumn:
        return self._holds(f"NOT {self.sql}")

    # Aggregates

    def _aggregate(self, call: str, where: SqlColumn | None = None, kind: SqlType | None = None) -> SqlColumn:
        return self._new(call if where is None else f"{call} FILTER (WHERE {where.sql})", kind)

    def count(self, where: SqlColumn | None = None) -> SqlColumn:
        """How many values there are, without NULL."""
        return self._aggregate(f"count({self.sql})", where, WHOLE)

    def nunique(self) -> SqlColumn:
        """How many distinct values there are, without NULL."""
        return self._aggregate(f"count(DISTINCT {self.sql})", None, WHOLE)

    def sum(self, where: SqlColumn | None = None) -> SqlColumn:
        """Their sum; of conditions, how many hold."""
        return self._aggregate(f"sum({self.sql})", where)

    def min(self) -> SqlColumn:
        """The least of them."""
        return self._aggregate(f"min({self.sql})", None, self.kind)

    def max(self) -> SqlColumn:
        """The greatest of them."""
        return self._aggregate(f"max({self.sql})", None, self.kind)

    def mean(self) -> SqlColumn:
        """Their mean."""
        return self._aggregate(f"avg({self.sql})", None, REAL)

    def std(self, how: str) -> SqlColumn:
        """Their standard deviation: that of a population, or ``sample``."""
        return self._aggregate(f"stddev_{'pop' if how == 'pop' else 'samp'}({self.sql})", None, REAL)

    def quantile(self, share: float) -> SqlColumn:
        """The value below which a share of them lies, between two of them if need be."""
        return self._aggregate(f"quantile_cont({self.sql}, {share!r})")

    def over(self, *, group_by: Any = (), order_by: Any = ()) -> SqlColumn:
        """An aggregate of the rows with the same values, or with a place in their order."""
        parts = [
            f"{word} {', '.join(map(_named, _several(some)))}"
            for word, some in (("PARTITION BY", group_by), ("ORDER BY", order_by))
            if _several(some)
        ]
        return self._new(f"{self.sql} OVER ({' '.join(parts)})", self.kind)

    def desc(self) -> SqlColumn:
        """To be ordered from the greatest to the least."""
        return self._new(f"{self.sql} DESC")


@dataclass(frozen=True, eq=False, repr=False)
class Relation:
    """A statement of DuckDB's whose rows nobody has asked for yet.

    ``known`` are the types of its columns as far as they are known; ``memory`` is what must live as long as it is read.

    >>> import duckdb
    >>> rows = Relation.of_statement(duckdb.connect(), "SELECT 'a' AS town, 30 AS age")
    >>> rows.filter(rows["age"] > 18).select(town=rows["town"]).sql
    'SELECT "town" AS "town" FROM (SELECT * FROM (SELECT \\'a\\' AS town, 30 AS age) WHERE ("age" > 18))'
    """

    connection: Any
    sql: str
    known: Mapping[str, SqlType | None]
    memory: frozenset[Any] = field(default_factory=frozenset)

    @classmethod
    def of_statement(cls, connection: Any, sql: str, memory: frozenset[Any] = frozenset()) -> Relation:
        """The rows of a statement."""
        return cls(connection, sql, _describe(connection, sql), memory)

    def __repr__(self) -> str:
        return brief(self, ", ".join(self.columns))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns, in order."""
        return tuple(self.known)

    def schema(self) -> dict[str, SqlType]:
        """The types of its columns; DuckDB is asked of what is not known."""
        if any(kind is None for kind in self.known.values()):
            object.__setattr__(self, "known", _describe(self.connection, self.sql))
        return {name: kind for name, kind in self.known.items() if kind is not None}

    def __getitem__(self, name: str) -> SqlColumn:
        return SqlColumn(self, quote(name), self.known[name])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.to_ibis(), name)

    def to_ibis(self) -> Any:
        """The same rows as an Ibis expression."""
        load_ibis()
        from ibis.backends.duckdb import Backend

        backend = Backend.from_connection(self.connection)
        backend.cobogo_memory = self.memory
        return backend.sql(self.sql)

    def _new(self, sql: str, known: Mapping[str, SqlType | None] | None = None, *others: Relation) -> Relation:
        memory = self.memory.union(*(other.memory for other in others))
        return Relation(self.connection, sql, self.known if known is None else known, memory)

    def select(self, names: str | Sequence[str] = (), *more: str, **computed: SqlColumn) -> Relation:
        """Some columns by their names, and computed ones under new names."""
        plain = {name: self[name] for name in [*([names] if isinstance(names, str) else names), *more]}
        return self._select({**plain, **computed})

    def _select(self, columns: Mapping[str, SqlColumn]) -> Relation:
        listed = ", ".join(f"{column.sql} AS {quote(name)}" for name, column in columns.items())
        return self._new(f"SELECT {listed} FROM ({self.sql})", {name: one.kind for name, one in columns.items()})

    def mutate(self, **computed: SqlColumn) -> Relation:
        """All columns, and computed ones instead of those of the same name or after them."""
        return self._select({**{name: self[name] for name in self.columns}, **computed})

    def drop(self, *names: str) -> Relation:
        """All columns but some."""
        return self.select([name for name in self.columns if name not in names])

    def rename(self, names: Mapping[str, str]) -> Relation:
        """The same columns, some under new names: from the new one to the old."""
        new = {old: name for name, old in names.items()}
        return self._select({new.get(name, name): self[name] for name in self.columns})

    def filter(self, condition: SqlColumn) -> Relation:
        """The rows for which something holds."""
        return self._new(f"SELECT * FROM ({self.sql}) WHERE {condition.sql}")

    def distinct(self) -> Relation:
        """Each row once."""
        return self._new(f"SELECT DISTINCT * FROM ({self.sql})")

    def limit(self, rows: int) -> Relation:
        """The first rows."""
        return self._new(f"SELECT * FROM ({self.sql}) LIMIT {rows}")

    def order_by(self, keys: Any) -> Relation:
        """The rows in an order, NULL last."""
        order = ", ".join(f"{_named(key)} NULLS LAST" for key in _several(keys))
        return self._new(f"SELECT * FROM ({self.sql}) ORDER BY {order}")

    def union(self, other: Relation) -> Relation:
        """The rows of both."""
        return self._new(f"({self.sql}) UNION ALL BY NAME ({other.sql})", None, other)

    def left_join(self, other: Relation, matches: Any) -> Relation:
        """Each row, beside those of another table that match it or NULL."""
        return self._join("LEFT JOIN", other, matches, {**self.known, **other.known})

    def inner_join(self, other: Relation, matches: Any) -> Relation:
        """Each row beside those of another table that match it."""
        return self._join("INNER JOIN", other, matches, {**self.known, **other.known})

    def anti_join(self, other: Relation, matches: Any) -> Relation:
        """The rows that no row of another table matches."""
        return self._join("ANTI JOIN", other, matches, self.known)

    def _join(self, how: str, other: Relation, matches: Any, known: Mapping[str, SqlType | None]) -> Relation:
        condition = " AND ".join(match.sql for match in _several(matches))
        return self._new(f"SELECT * FROM ({self.sql}) {how} ({other.sql}) ON {condition}", known, other)

    def count(self) -> SqlColumn:
        """How many rows there are."""
        return SqlColumn(self, "count(*)", WHOLE)

    def group_by(self, names: Any) -> Groups:
        """The rows with the same values in some columns, to be counted together."""
        return Groups(self, _several(names))

    def aggregate(self, **figures: SqlColumn) -> Relation:
        """One row of figures."""
        return self._select(figures)

    def to_csv(self, path: Any, **options: Any) -> None:
        """Write the rows into a file, with options of DuckDB's."""
        self._copy(path, "csv", options)

    def to_parquet(self, path: Any, **options: Any) -> None:
        """Write the rows into a file, with options of DuckDB's."""
        self._copy(path, "parquet", options)

    def _copy(self, path: Any, form: str, options: Mapping[str, Any]) -> None:
        said = "".join(f", {name.upper()} {written(value)}" for name, value in options.items())
        self.connection.execute(f"COPY ({self.sql}) TO {literal(str(path))} (FORMAT {form}{said})")


@dataclass(frozen=True)
class Groups:
    """The rows of a relation by the values of some columns."""

    of: Relation
    names: list[str]

    def aggregate(self, **figures: SqlColumn) -> Relation:
        """A row of figures for each group, beside its values."""
        keys = {name: self.of[name] for name in self.names}
        found = self.of._select({**keys, **figures})
        return found._new(f"{found.sql} GROUP BY {', '.join(map(quote, keys))}")


def written(value: Any) -> str:
    """A value or a column as SQL writes it."""
    if isinstance(value, SqlColumn):
        return value.sql
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, bool) or value is None:
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    return f"CAST({float(value)!r} AS DOUBLE)" if isinstance(value, float) else str(int(value))


def _describe(connection: Any, sql: str) -> dict[str, SqlType]:
    """The columns of a statement with their types, from DuckDB's planner."""
    described = connection.execute(f"SELECT * FROM ({sql}) LIMIT 0").description
    return {name: _type(kind) for name, kind, *_ in described}


def _type(kind: Any) -> SqlType:
    return SqlType(kind.id, "VARCHAR" if kind.id == "enum" else str(kind))


def _type_called(kind: SqlType | str) -> SqlType:
    return kind if isinstance(kind, SqlType) else SqlType(NAMES[kind].lower(), NAMES[kind])


def _several(some: Any) -> list[Any]:
    """One thing or several as a list."""
    return list(some) if isinstance(some, list | tuple | Iterator) else [some]


def _named(key: Any) -> str:
    return quote(key) if isinstance(key, str) else written(key)
