"""PostgreSQL: tables are counted, and the release computed, where they are.

One transaction with one view of the data holds from the first count to the last row written, so that what is decided
is decided on the rows that are released. What we add on the way lies in the session's temporary schema, which the
server empties however the session ends.
"""

from __future__ import annotations

import contextlib
import secrets
import tempfile
import weakref
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from cobogo.data.engines.duck import DuckDB
from cobogo.data.engines.engine import (
    BATCH,
    RELEASED,
    Expression,
    foreign_table,
    no_such_table,
    quote,
)
from cobogo.data.engines.server import Server, builtin, unreadable_table
from cobogo.errors import DataError, OutputError, PolicyError
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr

_DECIMAL = """
CREATE FUNCTION pg_temp.cobogo_decimal(n numeric, OUT digits text, OUT power integer) LANGUAGE sql IMMUTABLE AS $$
SELECT trim('0' FROM replace(d, '.', '')),
  CASE WHEN m >= 1 THEN length(trunc(m)::text) - 1 ELSE -1 - length(substring(d FROM '^0[.](0*)')) END
FROM (SELECT abs(n) AS m) AS sizes, LATERAL (SELECT trim_scale(m)::text AS d) AS written $$
"""
"""The digits of a number other than 0, and the power of ten of the first."""

_WRITTEN = """
CREATE FUNCTION pg_temp.cobogo_written(n numeric) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT CASE WHEN power BETWEEN -4 AND 15
  THEN trim_scale(n)::text || CASE WHEN n % 1 = 0 THEN '.0' ELSE '' END
  ELSE CASE WHEN n < 0 THEN '-' ELSE '' END || left(digits, 1)
    || CASE WHEN length(digits) > 1 THEN '.' || substr(digits, 2) ELSE '' END
    || CASE WHEN power < 0 THEN 'e-' ELSE 'e+' END
    || lpad(abs(power)::text, greatest(2, length(abs(power)::text)), '0') END
FROM pg_temp.cobogo_decimal(n) $$
"""
"""A number other than 0 in the form that every engine uses."""

_FLOAT = """
CREATE FUNCTION pg_temp.cobogo_{kind}(x {kind}) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT CASE x::text
  WHEN 'NaN' THEN 'nan' WHEN 'Infinity' THEN 'inf' WHEN '-Infinity' THEN '-inf'
  WHEN '0' THEN '0.0' WHEN '-0' THEN '-0.0'
  ELSE (
    SELECT pg_temp.cobogo_written(
      CASE WHEN length(digits) < {most} OR abs(power) >= {range} THEN n
        WHEN round(n, length(digits) - 2 - power)::{kind} = x THEN round(n, length(digits) - 2 - power)
        ELSE n END)
    FROM (SELECT x::text::numeric AS n) AS shortest, LATERAL pg_temp.cobogo_decimal(n)) END $$
"""
"""A float by its fewest digits.

The server leaves out digits that would read back as the number only because a tie is rounded to even, as in 1e+23:
where it gives nearly all it has, one fewer is tried.
"""

_TURNS = "CREATE TEMP SEQUENCE cobogo_turns CACHE 1000"

_KEY = """
DO $do$ BEGIN EXECUTE format(
  'CREATE FUNCTION pg_temp.cobogo_key() RETURNS bytea LANGUAGE sql VOLATILE AS $$
   SELECT sha256(%L::bytea || int8send(nextval(''pg_temp.cobogo_turns''))) $$',
  uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())); END $do$
"""
"""A new random key at each call: SHA-256 of a secret that the server makes of its operating system's entropy, and of a
number that the session never has twice. No statement names the secret, so no log of them has it. To ask the operating
system for every row takes longer than to sort the rows; a server without OpenSSL needs four times as long."""

_FUNCTIONS = (
    _TURNS,
    _KEY,
    _DECIMAL,
    _WRITTEN,
    _FLOAT.format(kind="float8", most=16, range=307),
    _FLOAT.format(kind="float4", most=7, range=37),
)

KEPT = ("smallint", "integer", "bigint", "boolean", "date", "real", "double precision")
"""The server's types that keep their type in a release; text stays text, and so does everything else become."""

WORK_MEMORY = "64MB"
"""What a session may take for each hash or sort, unless the server gives it more. It trades the server's memory for
time: to load, count and shuffle a million rows with half a million combinations, and to load and count them again, took
the server 9 s of CPU, and 15 s with the 4MB of a new server."""

_MORE_MEMORY = f"""
SELECT set_config('work_mem', '{WORK_MEMORY}', false)
WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('{WORK_MEMORY}')
"""

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ"


class PostgreSQL(Server):
    """A session with a server."""

    name = "PostgreSQL"
    failures: ClassVar[tuple[type[Exception], ...]] = ()

    def __init__(self, url: str) -> None:
        import ibis
        import psycopg

        self.failures = (psycopg.OperationalError, psycopg.errors.InsufficientPrivilege)  # type: ignore[misc]
        try:
            session = psycopg.connect(url, autocommit=True)
        except psycopg.Error as error:
            raise PolicyError(
                tr("cannot connect: {reason}", reason=str(error).strip().splitlines()[0]),
                where="--engine",
                remedy=tr("Check the URL. A password can be in PGPASSWORD or in a .pgpass file."),
                code="COBOGO-ENGINE",
            ) from None
        super().__init__(ibis.postgres.from_connection(session))
        self.session = session
        self._lookups = 0
        self._end = weakref.finalize(self, session.close)
        with contextlib.suppress(psycopg.Error):  # older servers, and some systems, cannot
            session.execute("SET client_connection_check_interval = '5s'")  # so that nothing runs on when we are killed
        for setting in (
            "SET client_encoding = 'UTF8'",
            "SET datestyle = 'ISO, YMD'",
            "SET extra_float_digits = 1",
            "SET enable_mergejoin = off",  # it would sort the whole table by every column that a tuple is found by
            _MORE_MEMORY,
            BEGIN,
            *_FUNCTIONS,
        ):
            session.execute(setting)

    def alive(self) -> bool:
        """By asking."""
        import psycopg

        try:
            self.session.execute("SELECT 1")
        except psycopg.Error:
            return False
        return True

    def types(self, name: str) -> dict[str, str]:
        """As the server calls them."""
        return self._columns(name)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """A transaction that only reads."""
        import psycopg

        self.session.execute(f"{BEGIN} READ ONLY")
        try:
            yield
        finally:
            with suppress(psycopg.Error):  # a session that is lost has no transaction to end
                self.session.execute("ROLLBACK")

    def rest(self) -> None:
        """Temporary tables and functions last as long as the session."""
        self.session.execute("COMMIT")

    def check_texts(self) -> None:
        """In UTF-8 the server has made sure of every text."""
        encoding = self._value("SHOW server_encoding")
        if encoding != "UTF8":
            raise DataError(
                tr("the encoding of the database is {encoding}, and UTF8 is needed", encoding=encoding),
                where=self.url or tr("the database"),
                remedy=tr("Use a database in UTF8, or a file."),
                code="COBOGO-ENGINE",
            )

    def open_table(self, name: str) -> Expression:
        """The table in place: text in the order of its bytes, and types that only the server has as text."""
        columns = ", ".join(
            f"{_plain(quote(column), kind)} AS {quote(column)}" for column, kind in self._columns(name).items()
        )
        return self.connection.sql(f"SELECT {columns} FROM {_place(name)}")

    def tables(self) -> list[str]:
        """The tables and views that this login may read."""
        found = self.session.execute(
            "SELECT nspname, relname, nspname = current_schema() "
            "FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace "
            "WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname <> 'information_schema' AND nspname !~ '^pg_' "
            "AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(pg_class.oid, 'SELECT')"
        ).fetchall()
        return sorted(table if here else f"{schema}.{table}" for schema, table, here in found)

    def lookup(self, table: Any) -> Expression:
        """A temporary table, sent as data and not as statements, which servers may log."""
        self._lookups += 1
        name = f"cobogo_lookup_{self._lookups}"
        types = {"bool": "boolean", "int64": "bigint"}
        kinds = [types.get(str(field.type), 'text COLLATE "C"') for field in table.schema]
        self._create(name, dict(zip(table.column_names, kinds, strict=True)))
        with self.session.cursor().copy(f"COPY pg_temp.{name} FROM STDIN") as copy:
            for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                copy.write_row(row)
        self.session.execute(f"ANALYZE pg_temp.{name}")
        return self._temporary(name)

    def materialize(self, table: Expression) -> Expression:
        """A temporary table."""
        name = f"cobogo_kept_{secrets.token_hex(6)}"
        self.session.execute(f"CREATE TEMP TABLE {name} AS {self.connection.compile(table)}")
        return self._temporary(name)

    def same(self, one: Expression, other: Expression) -> Expression:
        """As equalities of values that are never NULL: by IS NOT DISTINCT FROM the server would compare all pairs."""
        return (one.fill_null("") == other.fill_null("")) & (one.isnull() == other.isnull())

    def text(self, column: Expression) -> Expression:
        """The server's own text, but for floats."""
        kind = column.type()
        if not kind.is_floating():
            return column.cast("string")
        return builtin("cobogo_float4" if kind.is_float32() else "cobogo_float8", kind, database="pg_temp")(column)

    def random_key(self, table: Expression) -> Expression:  # noqa: ARG002
        """The server's SHA-256 of a secret and of a number for each row. They are bytes, which are only compared."""
        return builtin("cobogo_key", database="pg_temp")()

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """What a statement finds; one that fails leaves the transaction as it was."""
        with self.session.transaction():
            return list(self.session.execute(statement).fetchall())

    def batches(self, table: Expression) -> Generator[Any, None, None]:
        """Through a cursor of the server's, which is closed whether or not all was wanted."""
        import pyarrow as pa

        kind = table.schema().as_struct().to_pyarrow()
        with self.session.cursor(name=f"cobogo_{secrets.token_hex(6)}") as cursor:
            cursor.execute(self.connection.compile(table))
            while rows := cursor.fetchmany(BATCH):
                yield pa.RecordBatch.from_struct_array(pa.array(rows, type=kind))

    def check_new_table(self, name: str) -> None:
        """Its schema must let us create a table, and the name must be free or that of an earlier release."""
        schema = self._schema(name)
        allowed = schema and self._value("SELECT has_schema_privilege(%s, 'CREATE')", schema)
        if not allowed:
            raise OutputError(
                tr("you may not create a table there"),
                where=name,
                remedy=tr("Ask for CREATE on the schema, or name another one."),
                code="COBOGO-OUTPUT-WRITE",
            )
        if self._value("SELECT to_regclass(%s) IS NOT NULL", _place(name)):
            comment = self._value("SELECT obj_description(to_regclass(%s), 'pg_class')", _place(name))
            if not str(comment or "").startswith(RELEASED):
                raise foreign_table(name)

    @contextmanager
    def new_table(self, table: Expression, name: str) -> Iterator[Expression]:
        """In the same transaction as everything, so that it is either all there or not at all."""
        self.check_new_table(name)
        schema, final = self._schema(name), name.rpartition(".")[2]
        new = f"cobogo_new_{secrets.token_hex(6)}"
        place = f"{quote(schema)}.{quote(new)}"
        try:
            self.session.execute(f"CREATE TABLE {place} AS {self.connection.compile(table)}")
            yield self.open_table(f"{schema}.{new}")
            self.session.execute(f"DROP TABLE IF EXISTS {_place(name)}")
            self.session.execute(f"ALTER TABLE {place} RENAME TO {quote(final)}")
            self.session.execute(f"COMMENT ON TABLE {quote(schema)}.{quote(final)} IS '{RELEASED}'")
            self.session.execute("COMMIT")
        except BaseException:
            self.session.execute("ROLLBACK")
            raise
        finally:
            self.session.execute(BEGIN)

    def byte_order_key(self, text: Expression) -> Expression:
        """As bytes: the order of text is the database's."""
        return builtin("convert_to", "string", "string")(text, "UTF8")

    def _schema(self, name: str) -> str:
        """The schema that a table's name stands in; empty if there is none."""
        given = name.rpartition(".")[0]
        query = "SELECT nspname FROM pg_namespace WHERE nspname = coalesce(nullif(%s, ''), current_schema())"
        return str(self._value(query, given) or "")

    def _value(self, query: str, *arguments: str) -> Any:
        found = self.session.execute(query, arguments).fetchone()
        return found[0] if found else None

    def _columns(self, name: str) -> dict[str, str]:
        """A table's columns and the server's names of their types."""
        found = self.session.execute(
            "SELECT attname, format_type(atttypid, atttypmod), has_column_privilege(attrelid, attnum, 'SELECT') "
            "FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
            [_place(name)],
        ).fetchall()
        if not found:
            raise no_such_table(name)
        if not all(allowed for *_, allowed in found):
            raise unreadable_table(name)
        return {column: kind for column, kind, _ in found}

    def _create(self, name: str, columns: dict[str, str]) -> None:
        defined = ", ".join(f"{quote(column)} {kind}" for column, kind in columns.items())
        self.session.execute(f"CREATE TEMP TABLE {name} ({defined})")

    def _temporary(self, name: str) -> Expression:
        return self.connection.sql(f"SELECT * FROM pg_temp.{name}")

    def send(self, reader: DuckDB, table: Expression) -> Expression:
        """By COPY; what the server has no type for goes as text."""
        import psycopg

        kinds = {name: _server_type(kind) for name, kind in table.schema().items()}
        plain = table.select(
            **{name: table[name] if kinds[name] else reader.text(table[name]) for name in table.columns}
        )
        self._create("cobogo_source", {name: kind or 'text COLLATE "C"' for name, kind in kinds.items()})
        spill = create_scratch(Path(tempfile.gettempdir()), "cobogo-spill-")
        try:
            with reader.translate_errors():
                reader.write_csv(plain, spill / "rows.csv", separator=",")
            command = "COPY pg_temp.cobogo_source FROM STDIN (FORMAT csv, HEADER)"
            with (spill / "rows.csv").open("rb") as stream, self.session.cursor().copy(command) as copy:
                while block := stream.read(1 << 20):
                    copy.write(block)
        except psycopg.DataError:
            raise DataError(
                tr("has a value that the server cannot store"),
                where="data",
                remedy=tr("Remove NUL characters from the texts."),
                code="COBOGO-DATA-TYPE",
            ) from None
        finally:
            remove_scratch(spill)
        self.session.execute("ANALYZE pg_temp.cobogo_source")
        return self._temporary("cobogo_source")


def _plain(column: str, kind: str) -> str:
    """A column of a user's table as one that every engine understands."""
    if kind in KEPT or kind.startswith(("timestamp", "numeric(")):
        return column
    return f'{column}::text COLLATE "C"'


def _server_type(kind: Any) -> str | None:
    """The server's type for one of Ibis's; None where text must do."""
    if kind.is_boolean():
        return "boolean"
    if kind.is_uint64():
        return "numeric(20,0)"
    if kind.is_integer():
        return "bigint" if kind.nbytes > 4 or kind.is_uint32() else "integer"
    if kind.is_decimal():
        return f"numeric({kind.precision},{kind.scale})" if kind.precision else None
    if kind.is_floating():
        return "real" if kind.nbytes <= 4 else "double precision"
    if kind.is_date():
        return "date"
    if kind.is_timestamp() and (kind.scale or 0) <= 6:
        return "timestamptz" if kind.timezone else "timestamp"
    return None


def _place(name: str) -> str:
    """A table's name, given with its schema or without."""
    schema, _, table = name.rpartition(".")
    return f"{quote(schema)}.{quote(table)}" if schema else quote(table)
