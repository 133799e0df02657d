"""DuckDB, embedded: the default engine. What does not fit in memory goes to a private directory on disk."""

from __future__ import annotations

import glob
import secrets
import tempfile
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from cobogo.data.engines import enumerations as coded
from cobogo.data.engines.engine import (
    BATCH,
    COUNTED,
    RELEASED,
    Engine,
    Expression,
    foreign_table,
    header,
    literal,
    no_such_table,
    quote,
)
from cobogo.data.engines.relation import Relation, Session
from cobogo.data.engines.sql_column import TEXT, WHOLE, SqlColumn, SqlType
from cobogo.data.files.listing import csv_error, parquet_error
from cobogo.data.policy import Data
from cobogo.data.table.columns import shortest_texts
from cobogo.errors import DataError, OutputError
from cobogo.floor import randomness
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr
from cobogo.floor.lean import load_arrow
from cobogo.floor.memory import memory_share

TEXT_IN_MEMORY = 1024 * 2**20
"""Bytes of text files whose copy is kept in memory; a larger one goes to disk."""

PARQUET_IN_MEMORY = 64 * 2**20
"""The same of Parquet, which is compressed."""


HOUSE = "house"
"""What the user's database is called in ours."""


class DuckDB(Engine):
    """A DuckDB of our own in memory, with the user's database file, if there is one, beside it."""

    name = "DuckDB"
    numbers_rows: ClassVar[bool] = True

    def __init__(self, file: Path | None = None, *, writable: bool = False) -> None:
        import duckdb

        self.failures = (duckdb.IOException, duckdb.OutOfMemoryException)  # type: ignore[misc]
        self._spill = create_scratch(Path(tempfile.gettempdir()), "cobogo-spill-")
        super().__init__(Session(duckdb.connect(config={"temp_directory": str(self._spill)})))
        weakref.finalize(self, remove_scratch, self._spill)
        self._draw_no_progress()
        self.sql(f"SET memory_limit = '{memory_share(1 - COUNTED)} bytes'")
        self.sql("SET python_enable_replacements = false")  # a name is that of a table, never of a variable of ours
        self.sql("SET TimeZone = 'UTC'")  # so that times read as text are the same wherever this runs
        self._functions: set[str] = set()
        self.file = file
        self._complaint: Callable[[str], DataError] | None = None
        if file is not None:
            self._attach(file, writable)

    def _draw_no_progress(self) -> None:
        """A kernel of a notebook may draw progress; one without ipywidgets does not, and lets nobody change it."""
        if self.sql("SELECT current_setting('enable_progress_bar')").fetchone()[0]:
            self.sql("SET enable_progress_bar = false")

    def free_memory(self) -> None:
        """What is above an eighth of its share goes to disk; where so little is in use, nothing happens."""
        import duckdb

        share = memory_share(1 - COUNTED)
        with suppress(duckdb.OutOfMemoryException):
            self.sql(f"SET memory_limit = '{share // 8} bytes'")
        self.sql(f"SET memory_limit = '{share} bytes'")

    def sql(self, text: str) -> Any:
        """Run a statement in the engine's own language."""
        return self.connection.execute(text)

    def load_csv(
        self, files: Sequence[str], names: Sequence[str], data: Data, path: str, *, once: bool = False
    ) -> Expression:
        """Parse once into the engine: what is decided is then decided on the rows that are released."""
        source = read_csv(files, names, data)
        return self._store(files, source, lambda said: csv_error(said, path, data), TEXT_IN_MEMORY, once=once)

    def load_parquet(
        self, files: Sequence[str], path: str, partitions: Sequence[str], *, once: bool = False
    ) -> Expression:
        """Copy into the engine once, for the same reason."""
        keys = ", ".join(f"{literal(key)}: 'VARCHAR'" for key in partitions)
        hive = f"hive_partitioning=true, hive_types={{{keys}}}" if partitions else "hive_partitioning=false"
        source = f"read_parquet({_file_list(files)}, {hive})"
        return self._store(files, source, lambda _: parquet_error(path), PARQUET_IN_MEMORY, once=once)

    def load_arrow(self, table: Any) -> Expression:
        """A copy of the table."""
        given = self.lookup(table)
        self.sql(f"CREATE OR REPLACE TEMP TABLE cobogo_source AS {given.sql}")
        return self.relation("SELECT * FROM temp.main.cobogo_source")

    def open_table(self, name: str) -> Expression:
        """A table of the user's database file."""
        schema, _, table = name.rpartition(".")
        if not self.rows(
            f"SELECT 1 FROM information_schema.tables WHERE table_catalog = '{HOUSE}' "
            f"AND table_schema = {literal(schema or 'main')} AND table_name = {literal(table)}"
        ):
            raise no_such_table(name)
        return self.relation(f"SELECT * FROM {self._place(name)}")

    def tables(self) -> list[str]:
        """The tables and views of the user's database file."""
        query = f"SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = '{HOUSE}'"
        return sorted(table if schema == "main" else f"{schema}.{table}" for schema, table in self.rows(query))

    def materialize(self, table: Expression) -> Expression:
        """A temporary table."""
        place = f"temp.main.cobogo_kept_{secrets.token_hex(6)}"
        self.sql(f"CREATE TEMP TABLE {place} AS {table.sql}")
        return Relation(self.connection, f"SELECT * FROM {place}", table.known)

    def lookup(self, table: Any) -> Relation:
        """Read from memory. It may hold original values: an expression that is printed shows none of them."""
        memory = self.connection.remember(table)
        return Relation.of_statement(self.connection, f"SELECT * FROM {memory.name}", frozenset([memory]))

    def relation(self, statement: str) -> Relation:
        """The rows of a statement."""
        return Relation.of_statement(self.connection, statement)

    def statement(self, table: Expression) -> str:
        """What it is made of."""
        return str(table.sql)

    def arrow_schema(self, table: Expression) -> Any:
        """The schema of what is fetched."""
        return self.fetch(table.limit(0)).schema

    def row_number(self, **window: Any) -> SqlColumn:
        """Counted by DuckDB, from 1."""
        return SqlColumn(self.nothing, "row_number()", WHOLE).over(**window) - 1

    def constant(self, value: str) -> SqlColumn:
        """Its literal."""
        return SqlColumn(self.nothing, literal(value), TEXT)

    @property
    def nothing(self) -> Relation:
        """No rows: what constants are columns of."""
        return Relation(self.connection, "SELECT 1 WHERE false", {})

    def text(self, column: Expression) -> Expression:
        """DuckDB's own text, but for what it writes of floats: not-a-number has no sign, and digits are the fewest."""
        kind = column.type()
        if kind.is_float64():
            return column.isnan().ifelse("nan", _double_text(column))
        if kind.is_floating():
            return self._call("cobogo_shortest", shortest_texts, column, TEXT)
        return column.cast("string")

    def random_key(self, table: Expression) -> Expression:
        """Eight bytes of the operating system's entropy a row."""
        return self._call("cobogo_random_key", _keys, table[table.columns[0]].isnull(), WHOLE)

    def write_csv(self, table: Expression, path: Path, *, separator: str) -> None:
        """With DuckDB's own writer, which has to be told of lines of one field."""
        if len(table.columns) > 1:
            self.as_text(table).to_csv(path, delimiter=separator, header=True, quote='"', escape='"', nullstr="")
            return
        rows = self.lines(table, separator)
        rows.select(**{header(table.columns, separator): rows["line"]}).to_csv(
            path, delimiter="\x1f", header=True, quote="", escape=""
        )

    def write_parquet(self, table: Expression, path: Path) -> None:
        """One file."""
        table.to_parquet(path, compression="zstd")

    def check_new_table(self, name: str) -> None:
        """There must be a database file, and the name must be free or that of an earlier release."""
        if self.file is None:
            super().check_new_table(name)
        schema, _, table = name.rpartition(".")
        found = self.rows(
            f"SELECT comment FROM duckdb_tables() WHERE database_name = '{HOUSE}' "
            f"AND schema_name = {literal(schema or 'main')} AND table_name = {literal(table)}"
        )
        if any(not str(comment or "").startswith(RELEASED) for (comment,) in found):
            raise foreign_table(name)

    @contextmanager
    def new_table(self, table: Expression, name: str) -> Iterator[Expression]:
        """In one transaction, so that it is either all there or not at all."""
        self.check_new_table(name)
        schema, _, final = name.rpartition(".")
        new = f"{schema or 'main'}.cobogo_new_{secrets.token_hex(6)}"
        query = self.statement(table)
        self.sql("BEGIN")
        try:
            self.sql(f"CREATE TABLE {self._place(new)} AS {query}")
            yield self.open_table(new)
            self.sql(f"DROP TABLE IF EXISTS {self._place(name)}")
            self.sql(f"ALTER TABLE {self._place(new)} RENAME TO {quote(final)}")
            self.sql(f"COMMENT ON TABLE {self._place(name)} IS '{RELEASED}'")
            self.sql("COMMIT")
        except BaseException:
            self.sql("ROLLBACK")
            raise

    def fetch(self, table: Expression) -> Any:
        """The rows; a complaint about the files behind them, in our words."""
        load_arrow()
        with self.translate_errors():
            return self.sql(table.sql).to_arrow_table()

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """What a statement finds."""
        found: list[tuple[Any, ...]] = self.sql(statement).fetchall()
        return found

    def batches(self, table: Expression) -> Generator[Any, None, None]:
        """The same in parts."""
        with self.translate_errors():
            yield from self.connection.batches(table.sql, BATCH)

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """A block that reads files; a complaint about them is raised in our words."""
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            if self._complaint is None or isinstance(error, duckdb.OutOfMemoryException):
                raise
            raise self._complaint(str(error)) from None

    def _store(
        self,
        files: Sequence[str],
        source: str,
        complaint: Callable[[str], DataError],
        in_memory: int,
        *,
        once: bool,
    ) -> Expression:
        """A copy of files (or, if it is to be read once only, a view of them); the engine's complaints quote values.

        A copy of files of more than ``in_memory`` bytes is kept on disk.
        """
        import duckdb

        catalog = "temp"
        self._complaint = complaint if once else None
        if not once and sum(Path(file).stat().st_size for file in files) > in_memory:
            catalog = "scratch"
            self.sql(f"ATTACH IF NOT EXISTS {literal(str(self._spill / 'source.duckdb'))} AS scratch")
        place = f"{catalog}.main.cobogo_source"
        try:
            if once:
                self.sql(f"CREATE OR REPLACE TEMP VIEW {place} AS SELECT * FROM {source}")
            else:
                coded.store(self.connection, place, source)
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            raise complaint(str(error)) from None
        return self.relation(f"SELECT * FROM {place}")

    def _attach(self, file: Path, writable: bool) -> None:
        import duckdb

        if not writable and not file.exists():
            raise missing_database(file)
        try:
            self.sql(f"ATTACH {literal(str(file))} AS {HOUSE} ({'READ_WRITE' if writable else 'READ_ONLY'})")
        except duckdb.Error:
            raise unusable_database(file, self.name) from None

    def _place(self, name: str) -> str:
        """A table's full name, given with its schema or without."""
        schema, _, table = name.rpartition(".")
        return f"{HOUSE}.{quote(schema or 'main')}.{quote(table)}"

    def _call(self, name: str, function: Callable[[Any], Any], argument: SqlColumn, kind: SqlType) -> SqlColumn:
        """What a function on Arrow arrays makes of a column. It is registered once for each type, as one that may give
        another result whenever it is called."""
        before = argument.type()
        name = f"{name}_{before.id}"
        if name not in self._functions:
            self.connection.connection.create_function(
                name, function, [before.name], kind.name, type="arrow", side_effects=True
            )
            self._functions.add(name)
        return SqlColumn(argument.of, f"{name}({argument.sql})", kind)


def missing_database(file: Path) -> DataError:
    """The error of a database file that is not there."""
    return DataError(
        tr("no such file"),
        where=str(file),
        remedy=tr("Check the path of the database."),
        code="COBOGO-DATA-FILE",
    )


def unusable_database(file: Path, engine: str) -> OutputError:
    """The error of a file that is no database, or that somebody else has locked."""
    return OutputError(
        tr("is not a {engine} database that can be opened", engine=engine),
        where=str(file),
        remedy=tr("Check that no other program is using it."),
        code="COBOGO-ENGINE",
    )


def read_csv(files: Sequence[str], names: Sequence[str], data: Data) -> str:
    """The call that reads CSV files as text, whoever makes it: one dialect for every engine."""
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    missing = ", ".join(map(literal, dict.fromkeys(("", *data.missing))))
    return (
        f"read_csv({_file_list(files)}, columns={{{columns}}}, auto_detect=false, header=true, "
        f"delim={literal(data.separator)}, quote='\"', escape='\"', nullstr=[{missing}], "
        f"encoding={literal(data.encoding)}, strict_mode=true, null_padding=false, hive_partitioning=false, "
        "max_line_size=16777216, buffer_size=33554432)"
    )


def _file_list(files: Sequence[str]) -> str:
    """Files as a list of SQL; the engine would expand patterns in their names again."""
    return "[" + ", ".join(literal(glob.escape(file)) for file in files) + "]"


def _double_text(number: SqlColumn) -> SqlColumn:
    """The fewest digits that read back as a number; where DuckDB's own do not (of 2^81, 2^91 and 2^807 alone, says a
    search through all powers of two and their neighbours), as many as are needed."""
    own, sixteen, seventeen = (
        SqlColumn(number.of, form.format(number.sql), TEXT)
        for form in ("CAST({0} AS VARCHAR)", "format('{{:.15e}}', {0})", "format('{{:.16e}}', {0})")
    )
    reads_back = own.try_cast("float64") == number
    return reads_back.ifelse(own, (sixteen.try_cast("float64") == number).ifelse(sixteen, seventeen))


def _keys(rows: Any) -> Any:
    import pyarrow as pa

    return pa.array(randomness.keys(len(rows)))
