"""Tables of DuckDB as SQL: the part of Ibis's language that Cobogó uses, without loading Ibis.

Loading Ibis and compiling expressions took a third of every small command. A relation has the methods that an Ibis
table has, under the same names; each wraps the statement so far into another one, and DuckDB's optimizer makes one of
them all. What a relation lacks, it asks of the Ibis expression of the same rows (`to_ibis`).

Columns are written without their table: the names of tables that are joined must differ in any case of letters.
"""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cobogo.data.engines.engine import literal, quote
from cobogo.data.engines.sql_column import WHOLE, SqlColumn, SqlType, named, several, written
from cobogo.floor.lean import load_arrow, load_ibis
from cobogo.floor.representation import brief


class Session:
    """A connection to DuckDB, and the tables of Arrow that it reads from memory.

    A statement ends the one before it: rows of it that were not fetched yet would be missing without an error. So a
    table that nobody reads any more is forgotten with the next statement, and `batches` raises where rows are missing.
    """

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self._statements = 0
        self._unread: list[str] = []

    def execute(self, statement: str) -> Any:
        """Run a statement. It has no parameters: to bind one, DuckDB would load pandas."""
        self._statements += 1
        while self._unread:
            self.connection.unregister(self._unread.pop())
        return self.connection.execute(statement)

    def remember(self, table: Any) -> InMemory:
        """Give an Arrow table a name, for as long as what is returned lives."""
        load_arrow()
        memory = InMemory(f"cobogo_lookup_{secrets.token_hex(6)}")
        self.connection.register(memory.name, table)
        weakref.finalize(memory, self._unread.append, memory.name).atexit = False
        return memory

    def batches(self, statement: str, rows: int) -> Iterator[Any]:
        """The rows of a statement, so many at a time. The next ones are fetched before anybody can end it."""
        load_arrow()
        reader = self.execute(statement).to_arrow_reader(rows)
        own, batch = self._statements, next(reader, None)
        while batch is not None:
            following = next(reader, None)
            yield batch
            if following is not None and self._statements != own:
                raise RuntimeError("a statement was run before the rows of another one were read")
            batch = following


@dataclass(frozen=True, eq=False)
class InMemory:
    """The name of a table in memory."""

    name: str


@dataclass(frozen=True, eq=False, repr=False)
class Relation:
    """A statement of DuckDB's whose rows nobody has asked for yet.

    ``known`` are the types of its columns as far as they are known; ``memory`` is what must live as long as it is read.

    >>> import duckdb
    >>> rows = Relation.of_statement(Session(duckdb.connect()), "SELECT 'a' AS town, 30 AS age")
    >>> rows.filter(rows["age"] > 18).select(town=rows["town"]).sql
    'SELECT "town" AS "town" FROM (SELECT * FROM (SELECT \\'a\\' AS town, 30 AS age) WHERE ("age" > 18))'
    """

    session: Session
    sql: str
    known: Mapping[str, SqlType | None]
    memory: frozenset[Any] = field(default_factory=frozenset)

    @classmethod
    def of_statement(cls, session: Session, sql: str, memory: frozenset[Any] = frozenset()) -> Relation:
        """The rows of a statement."""
        return cls(session, sql, _describe(session, sql), memory)

    def __repr__(self) -> str:
        return brief(self, ", ".join(self.columns))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns, in order."""
        return tuple(self.known)

    def schema(self) -> dict[str, SqlType]:
        """The types of its columns; DuckDB is asked of what is not known."""
        if any(kind is None for kind in self.known.values()):
            object.__setattr__(self, "known", _describe(self.session, self.sql))
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

        backend = Backend.from_connection(self.session.connection)
        backend.cobogo_memory = self.memory
        return backend.sql(self.sql)

    def _new(self, sql: str, known: Mapping[str, SqlType | None] | None = None, *others: Relation) -> Relation:
        memory = self.memory.union(*(other.memory for other in others))
        return Relation(self.session, sql, self.known if known is None else known, memory)

    def select(self, names: str | Sequence[str] = (), /, *more: str, **computed: SqlColumn) -> Relation:
        """Some columns by their names, and computed ones under new names."""
        plain = {name: self[name] for name in [*([names] if isinstance(names, str) else names), *more]}
        return self._select({**plain, **computed})

    def _select(self, columns: Mapping[str, SqlColumn]) -> Relation:
        listed = ", ".join(f"{column.sql} AS {quote(name)}" for name, column in columns.items())
        return self._new(f"SELECT {listed} FROM ({self.sql})", {name: one.kind for name, one in columns.items()})

    def mutate(self, /, **computed: SqlColumn) -> Relation:
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
        order = ", ".join(f"{named(key)} NULLS LAST" for key in several(keys))
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
        condition = " AND ".join(match.sql for match in several(matches))
        return self._new(f"SELECT * FROM ({self.sql}) {how} ({other.sql}) ON {condition}", known, other)

    def count(self) -> SqlColumn:
        """How many rows there are."""
        return SqlColumn(self, "count(*)", WHOLE)

    def group_by(self, names: Any) -> Groups:
        """The rows with the same values in some columns, to be counted together."""
        return Groups(self, several(names))

    def aggregate(self, /, **figures: SqlColumn) -> Relation:
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
        self.session.execute(f"COPY ({self.sql}) TO {literal(str(path))} (FORMAT {form}{said})")


@dataclass(frozen=True)
class Groups:
    """The rows of a relation by the values of some columns."""

    of: Relation
    names: list[str]

    def aggregate(self, /, **figures: SqlColumn) -> Relation:
        """A row of figures for each group, beside its values."""
        keys = {name: self.of[name] for name in self.names}
        found = self.of._select({**keys, **figures})
        return found._new(f"{found.sql} GROUP BY {', '.join(map(quote, keys))}")


def _describe(session: Session, sql: str) -> dict[str, SqlType]:
    """The columns of a statement with their types, from DuckDB's planner."""
    described = session.execute(f"SELECT * FROM ({sql}) LIMIT 0").description
    return {name: _type(kind) for name, kind, *_ in described}


def _type(kind: Any) -> SqlType:
    return SqlType(kind.id, "VARCHAR" if kind.id == "enum" else str(kind))
