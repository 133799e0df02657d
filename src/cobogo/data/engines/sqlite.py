"""SQLite: tables of a database file, for which DuckDB does the work.

A table is copied into DuckDB when it is opened, in one reading, so that what is decided is decided on the rows that are
released. SQLite lets a column hold values of any type: a column has the type that all its values have, and is text
where they differ.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from cobogo.data.engines.duck import DuckDB, missing_database, unusable_database
from cobogo.data.engines.engine import BATCH, RELEASED, Expression, foreign_table, no_such_table, quote
from cobogo.errors import DataError
from cobogo.floor.language import tr

MARK = f"/* {RELEASED} */"
"""What the definition of a table has in it that a later release may replace: SQLite keeps definitions as written."""

TYPES = {"integer": "int64", "real": "float64", "text": "string"}
"""Arrow's type for a column all of whose values SQLite stores in one way."""


class SQLite(DuckDB):
    """A DuckDB of our own in memory, and the user's database file, from which tables are copied."""

    name = "SQLite"
    language = DuckDB.name

    def __init__(self, file: Path, *, writable: bool = False) -> None:
        super().__init__()
        self.failures = (*self.failures, sqlite3.Error)  # type: ignore[misc]
        if not writable and not file.exists():
            raise missing_database(file)
        mode = "rwc" if writable else "ro"
        try:
            self._database = sqlite3.connect(
                f"{file.absolute().as_uri()}?mode={mode}",
                uri=True,
                isolation_level=None,
                check_same_thread=False,  # DuckDB's threads read from it, one after another
            )
            self._database.execute("SELECT name FROM sqlite_master").fetchall()
        except sqlite3.Error:
            raise unusable_database(file, self.name) from None

    def open_table(self, name: str) -> Expression:
        """A copy of a table or view."""
        import duckdb

        if self._definition(name) is None:
            raise no_such_table(name)
        copy = f"cobogo_copy_{secrets.token_hex(6)}"
        with self._one_state():
            self.connection.connection.register(f"{copy}_rows", self._read(name))
            try:
                self.sql(f"CREATE TEMP TABLE {copy} AS SELECT * FROM {copy}_rows")
            except duckdb.InvalidInputException:  # whose words quote the text
                raise DataError(
                    tr("has a text that is not UTF-8"),
                    where=name,
                    remedy=tr("Correct the text, or store it as UTF-8."),
                    code="COBOGO-DATA-ENCODING",
                ) from None
            finally:
                self.connection.connection.unregister(f"{copy}_rows")
        return self.relation(f"SELECT * FROM temp.main.{copy}")

    @contextmanager
    def _one_state(self) -> Iterator[None]:
        """A block whose statements all see the same rows, whatever others write."""
        within = self._database.in_transaction
        if not within:
            self._database.execute("BEGIN")
        try:
            yield
        finally:
            if not within:
                self._database.execute("ROLLBACK")

    def tables(self) -> list[str]:
        """The tables and views of the file."""
        found = self._database.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        )
        return sorted(name for (name,) in found)

    def check_new_table(self, name: str) -> None:
        """The name must be free or that of an earlier release."""
        definition = self._definition(name)
        if definition is not None and MARK not in definition:
            raise foreign_table(name)

    @contextmanager
    def new_table(self, table: Expression, name: str) -> Iterator[Expression]:
        """In one transaction, so that it is either all there or not at all."""
        kinds = {column: self._stored(table[column]) for column in table.columns}
        rows = table.select(
            **{column: table[column] if kind != "TEXT" else self.text(table[column]) for column, kind in kinds.items()}
        )
        columns = ", ".join(f"{quote(column)} {kind}" for column, kind in kinds.items())
        self._database.execute("BEGIN IMMEDIATE")
        try:
            self.check_new_table(name)
            self._database.execute(f"DROP TABLE IF EXISTS {quote(name)}")
            self._database.execute(f"CREATE TABLE {quote(name)} ({MARK} {columns})")
            self._fill(name, rows)
            yield self.open_table(name)
            self._database.execute("COMMIT")
        except BaseException:
            self._database.execute("ROLLBACK")
            raise

    def _fill(self, name: str, rows: Expression) -> None:
        values = ", ".join("?" * len(rows.columns))
        with closing(self.batches(rows)) as batches:
            for batch in batches:
                cells = zip(*(column.to_pylist() for column in batch.columns), strict=True)
                self._database.executemany(f"INSERT INTO {quote(name)} VALUES ({values})", cells)

    def _stored(self, column: Expression) -> str:
        """How SQLite stores a column; as text what it has no type for, and floats with not-a-number, which it drops."""
        kind = column.type()
        if kind.is_integer() and not kind.is_uint64():
            return "INTEGER"
        return "REAL" if kind.is_float64() and not column.isnan().any().execute() else "TEXT"

    def _read(self, name: str) -> Any:
        """The rows of a table as a reader of Arrow batches."""
        import pyarrow as pa

        kinds = self._kinds(name)
        schema = pa.schema([pa.field(column, getattr(pa, kind)()) for column, kind in kinds.items()])
        chosen = ", ".join(
            f"CAST({quote(column)} AS TEXT)" if kind == "string" else quote(column) for column, kind in kinds.items()
        )

        def batches() -> Iterator[Any]:
            cursor = self._database.execute(f"SELECT {chosen} FROM {quote(name)}")
            while rows := cursor.fetchmany(BATCH):
                columns = zip(*rows, strict=True)
                arrays = [pa.array(cells, kind) for cells, kind in zip(columns, schema.types, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

        return pa.RecordBatchReader.from_batches(schema, batches())

    def _kinds(self, name: str) -> dict[str, str]:
        """The Arrow type of each column, by what SQLite has stored in it."""
        columns = [row[0] for row in self._database.execute(f"SELECT * FROM {quote(name)} LIMIT 0").description]
        return {column: self._kind(name, column) for column in columns}

    def _kind(self, name: str, column: str) -> str:
        query = f"SELECT DISTINCT typeof({quote(column)}) FROM {quote(name)} WHERE {quote(column)} IS NOT NULL"
        stored = {kind for (kind,) in self._database.execute(query)}
        if "blob" in stored:
            raise DataError(
                tr('the column "{name}" has a type that this engine cannot write as text: {kind}',
                   name=column, kind="blob"),
                where=name,
                remedy=tr("Make it text, or use DuckDB."),
                code="COBOGO-DATA-TYPE",
            )  # fmt: skip
        return TYPES[stored.pop()] if len(stored) == 1 else "float64" if stored == {"integer", "real"} else "string"

    def _definition(self, name: str) -> str | None:
        """How a table or view was defined; None if there is none of that name."""
        query = "SELECT coalesce(sql, '') FROM sqlite_master WHERE type IN ('table', 'view') AND lower(name) = lower(?)"
        found: Sequence[str] | None = self._database.execute(query, [name]).fetchone()
        return None if found is None else found[0]
