"""Columns of DuckDB as SQL, and their types: what Ibis's are called, without loading Ibis (see `relation`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cobogo.data.engines.engine import literal, quote
from cobogo.floor.representation import brief

if TYPE_CHECKING:
    from cobogo.data.engines.relation import Relation

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
        """Ibis's name of it, so that messages say the same on every engine."""
        if self.is_integer() or self.is_floating():
            sign = "u" if self.id.startswith("u") else ""
            return f"{sign}{'float' if self.is_floating() else 'int'}{8 * self.nbytes}"
        return "string" if self.is_string() else self.name.lower()

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

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.of.select(it=self).to_ibis()["it"], name)

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
        return self._new(f"CAST({self.sql} AS {wanted.name})", wanted)

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

    def reverse(self) -> SqlColumn:
        """A text from its last character to its first."""
        return self._new(f"reverse({self.sql})", TEXT)

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
        return self._new(f"({self.sql} {'||' if texts else '+'} {written(other)})", TEXT if texts else self._sum(other))

    def _sum(self, other: Any) -> SqlType | None:
        return WHOLE if self.kind == WHOLE and isinstance(other, int) else None

    def __radd__(self, other: str) -> SqlColumn:
        return self._new(f"({written(other)} || {self.sql})", TEXT)

    def __sub__(self, other: Any) -> SqlColumn:
        return self._new(f"({self.sql} - {written(other)})", self._sum(other))

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
            f"{word} {', '.join(map(named, several(some)))}"
            for word, some in (("PARTITION BY", group_by), ("ORDER BY", order_by))
            if several(some)
        ]
        return self._new(f"{self.sql} OVER ({' '.join(parts)})", self.kind)

    def desc(self) -> SqlColumn:
        """To be ordered from the greatest to the least."""
        return self._new(f"{self.sql} DESC")


def written(value: Any) -> str:
    """A value or a column as SQL writes it."""
    if isinstance(value, SqlColumn):
        return value.sql
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, bool) or value is None:
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    return f"CAST({float(value)!r} AS DOUBLE)" if isinstance(value, float) else str(int(value))


def _type_called(kind: SqlType | str) -> SqlType:
    return kind if isinstance(kind, SqlType) else SqlType(NAMES[kind].lower(), NAMES[kind])


def several(some: Any) -> list[Any]:
    """One thing or several as a list."""
    return list(some) if isinstance(some, list | tuple) else [some]


def named(key: Any) -> str:
    return quote(key) if isinstance(key, str) else written(key)
