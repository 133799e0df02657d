"""MariaDB: tables are counted, and the release computed, where they are.

A table is copied into a temporary one of the session when it is opened, in one statement, so that what is decided is
decided on the rows that are released. In the copy texts are compared byte by byte, whatever the collation of the
original, and what the server shortens or pads is written in full. The server ends a transaction with every table that
it creates, so a release is written under a name of its own, and takes its name in one renaming.
"""

from __future__ import annotations

import re
import secrets
import tempfile
import warnings
import weakref
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl, unquote, urlsplit

from cobogo.data.engines.duck import DuckDB
from cobogo.data.engines.engine import (
    BATCH,
    RELEASED,
    Expression,
    foreign_table,
    literal,
    no_such_table,
    quote,
)
from cobogo.data.engines.mariadb_types import (
    ODD,
    TEXT,
    caster,
    columns_with_odd_floats,
    copied_column,
    float_text,
    released_type,
    replace_pattern,
    sent_column,
    sent_field,
    stored_type,
)
from cobogo.data.engines.server import Server, builtin, unreadable_table
from cobogo.errors import DataError, OutputError, PolicyError
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr

OLDEST = (10, 10)
"""The first version with random_bytes()."""

SETTINGS = (
    "SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin",
    "SET sql_mode = 'TRADITIONAL,ANSI_QUOTES'",  # what does not fit is an error; names are quoted as everywhere
    "SET time_zone = '+00:00'",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",  # a copy of a table locks none of its rows
    "SET wait_timeout = 604800, net_write_timeout = 3600",  # a search between two statements may be long
)

BYTES = "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
"""How texts are compared: by their bytes, with the spaces at their ends."""

KEYS, PREFIX = 8, 60
"""Columns of a table to join with that are in its index, and characters of each: an index has some 2,000 bytes. The
server finds rows of equal texts by an index; otherwise it compares all pairs, 10 microseconds for each row and
thousand others."""

SHORTEST_SORT, SORTED_AT_ONCE = 1024, 16
"""What the server sorts texts by unless told otherwise, in bytes, and how many rows must fit into its memory."""

LONGEST_ROW = 2**20
"""Bytes of the texts of a row that can be sorted whole."""


class MariaDB(Server):
    """A session with a server."""

    name = "MariaDB"
    failures: ClassVar[tuple[type[Exception], ...]] = ()

    def __init__(self, url: str) -> None:
        import ibis
        import MySQLdb

        self.failures = (MySQLdb.DatabaseError,)  # type: ignore[misc]
        try:
            session = MySQLdb.connect(**_login(url), charset="utf8mb4", autocommit=True, local_infile=True)
        except MySQLdb.Error as error:
            raise PolicyError(
                tr("cannot connect: {reason}", reason=str(error.args[-1])),
                where="--engine",
                remedy=tr("Check the URL. A password can be in MYSQL_PWD or in ~/.my.cnf."),
                code="COBOGO-ENGINE",
            ) from None
        self._end = weakref.finalize(self, session.close)
        self.session = session
        self._check_server()
        with warnings.catch_warnings(action="ignore"):  # not every server knows UTC by its name
            super().__init__(ibis.mysql.from_connection(session))
        for setting in SETTINGS:
            self._run(setting)
        self._widest = 0

    def _check_server(self) -> None:
        """It must be a MariaDB that is recent enough, and take rows as data."""
        version, infile = self.rows("SELECT version(), @@local_infile")[0]
        numbers = tuple(int(part) for part in version.split("-")[0].split(".")[:2])
        if "mariadb" not in version.lower() or numbers < OLDEST:
            raise PolicyError(
                tr("the server is {version}, and MariaDB 10.10 or later is needed", version=version),
                where="--engine",
                remedy=tr("Use another server, or export the table to a file."),
                code="COBOGO-ENGINE",
            )
        if not infile:
            raise PolicyError(
                tr("the server does not take rows as data: its setting local_infile is off"),
                where="--engine",
                remedy=tr("Ask for SET GLOBAL local_infile = ON."),
                code="COBOGO-ENGINE",
            )

    def alive(self) -> bool:
        """By asking."""
        import MySQLdb

        try:
            self._run("SELECT 1")
        except MySQLdb.Error:
            return False
        return True

    def open_table(self, name: str) -> Expression:
        """A copy of a table or view, made by the server."""
        with _translate_errors(name):
            shown = self.rows(f"SHOW COLUMNS FROM {_place(name)}")
        columns = {column: copied_column(column, kind, name) for column, kind, *_ in shown}
        copy = self._create({column: stored for column, (_, stored, _) in columns.items()})
        chosen = ", ".join(read for read, _, _ in columns.values())
        with _translate_errors(name):
            self._run(f"INSERT INTO {copy} SELECT {chosen} FROM {_place(name)}")
        return self._kept(copy, {column: declared for column, (_, _, declared) in columns.items()})

    def tables(self) -> list[str]:
        """The tables and views that this login may see."""
        found = self.rows(
            "SELECT table_schema, table_name, table_schema <=> database() FROM information_schema.tables "
            "WHERE table_type <> 'TEMPORARY' "
            "AND table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')"
        )
        return sorted(table if here else f"{schema}.{table}" for schema, table, here in found)

    def send(self, reader: DuckDB, table: Expression) -> Expression:
        """As a file that the server asks for; as text what it has no type for, and floats that it would change."""
        import ibis

        given = dict(ibis.Schema.from_pyarrow(reader.arrow_schema(table)).items())
        odd = columns_with_odd_floats(reader, table, [name for name, kind in given.items() if kind.is_floating()])
        stored = {name: TEXT if name in odd else stored_type(kind) for name, kind in given.items()}
        sent = table.select(**{name: sent_column(reader, table[name], given[name], stored[name]) for name in given})
        copy = self._create(stored)
        with self._file() as file:
            with reader.translate_errors():
                reader.sql(
                    f"COPY ({reader.statement(sent)}) TO {literal(str(file))} "
                    "(FORMAT csv, HEADER false, FORCE_QUOTE *, NULLSTR 'NULL')"
                )
            self._load(file, copy)
        without = {name for name in given if stored[name] == TEXT and name not in odd}
        return self._kept(copy, {name: "string" if name in without else kind for name, kind in given.items()})

    def lookup(self, table: Any) -> Expression:
        """A temporary table with an index, sent as data and not as statements, which servers may log."""
        types = {"bool": "boolean", "int64": "int64"}
        declared = {field.name: types.get(str(field.type), "string") for field in table.schema}
        kinds = {"boolean": "tinyint(1)", "int64": "bigint", "string": TEXT}
        copy = self._create({name: kinds[kind] for name, kind in declared.items()})
        texts = [name for name, kind in declared.items() if kind == "string"][:KEYS]
        if texts:
            self._run(f"ALTER TABLE {copy} ADD KEY (" + ", ".join(f"{quote(name)}({PREFIX})" for name in texts) + ")")
        with self._file() as file:
            with file.open("w", encoding="utf-8", newline="") as stream:
                for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                    stream.write(",".join(map(sent_field, row)) + "\n")
            self._load(file, copy)
        self._run(f"ANALYZE TABLE {copy}")
        return self._kept(copy, declared)

    def materialize(self, table: Expression) -> Expression:
        """A temporary table; floats as text, since some may be those that the server does not have."""
        declared = dict(table.schema().items())
        stored = {name: TEXT if kind.is_floating() else stored_type(kind) for name, kind in declared.items()}
        copy = self._create(stored)
        self._run(f"INSERT INTO {copy} {self.statement(table)}")
        return self._kept(copy, declared)

    def text(self, column: Expression) -> Expression:
        """The server's own text, but for truth values, which are numbers there, times, and floats."""
        import ibis

        kind = column.type()
        if kind.is_boolean():
            return column.isnull().ifelse(ibis.null("string"), column.ifelse("true", "false"))
        if kind.is_timestamp():
            text = replace_pattern(column.cast("string"), "[.]?0+$", "")
            return text + "+00" if kind.timezone else text
        return float_text(column) if kind.is_floating() else column.cast("string")

    def random_key(self, table: Expression) -> Expression:  # noqa: ARG002
        """Sixteen bytes of the server's cryptographic generator, which its operating system's entropy feeds."""
        return builtin("hex", "string")(builtin("random_bytes", "int64")(16))

    def unique_values(self, table: Expression) -> list[int]:
        """Counted column by column: the server has no grouping sets."""
        rows = self.statement(table)
        once = [
            f"(SELECT count(*) FROM (SELECT 1 FROM ({rows}) AS t WHERE {quote(name)} IS NOT NULL "
            f"GROUP BY {quote(name)} HAVING count(*) = 1) AS o)"
            for name in table.columns
        ]
        return [int(found) for found in self.rows(f"SELECT {', '.join(once)}")[0]]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """What a statement finds."""
        with closing(self.session.cursor()) as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    def fetch(self, table: Expression) -> Any:
        """All batches."""
        import pyarrow as pa

        return pa.Table.from_batches(self.batches(table), schema=table.schema().to_pyarrow())

    def batches(self, table: Expression) -> Generator[Any, None, None]:
        """As the server finds them; until the last one it takes no other statement."""
        import pyarrow as pa
        from MySQLdb.cursors import SSCursor

        schema = table.schema().to_pyarrow()
        casts = [caster(kind) for kind in table.schema().types]
        with closing(self.session.cursor(SSCursor)) as cursor:
            cursor.execute(self.statement(table))
            while rows := cursor.fetchmany(BATCH):
                columns = zip(*rows, strict=True)
                arrays = [
                    pa.array(cells if cast is None else [cell if cell is None else cast(cell) for cell in cells], kind)
                    for cells, cast, kind in zip(columns, casts, schema.types, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def check_new_table(self, name: str) -> None:
        """A table can be made there, as is tried, and the name must be free or that of an earlier release."""
        import MySQLdb

        self._is_earlier_release(name)
        trial = _place(_beside(name, "new"))
        try:
            self._run(f"CREATE TABLE {trial} (x int) COMMENT '{RELEASED}'")
            self._run(f"DROP TABLE IF EXISTS {trial}")
        except MySQLdb.Error as error:
            if error.args[0] not in (*DENIED, *ABSENT):
                raise
            raise OutputError(
                tr("you may not create a table there"),
                where=name,
                remedy=tr("Ask for CREATE and DROP on the database, or name another one."),
                code="COBOGO-OUTPUT-WRITE",
            ) from None

    @contextmanager
    def new_table(self, table: Expression, name: str) -> Iterator[Expression]:
        """Under a name of its own until the end, when one statement renames it and an earlier release."""
        import MySQLdb

        self._is_earlier_release(name)
        kinds = {column: released_type(kind) for column, kind in table.schema().items()}
        kinds |= dict.fromkeys(self._odd_columns(table), TEXT)
        _check_names(kinds, name)
        rows = table.select(
            **{column: self.text(table[column]) if kind == TEXT else table[column] for column, kind in kinds.items()}
        )
        new, old = _beside(name, "new"), _beside(name, "old")
        self._remove_leftovers(name)
        self._run(f"DO get_lock({_written(new.rpartition('.')[2])}, 0)")
        try:
            self._run(f"CREATE TABLE {_place(new)} ({_definitions(kinds)}) {BYTES} COMMENT '{RELEASED}'")
            self._run(f"INSERT INTO {_place(new)} {self.statement(rows)}")
            yield self.open_table(new)
            earlier = f"{_place(name)} TO {_place(old)}, " if self._is_earlier_release(name) else ""
            self._run(f"RENAME TABLE {earlier}{_place(new)} TO {_place(name)}")
            self._run(f"DROP TABLE IF EXISTS {_place(old)}")
        except BaseException:
            with suppress(MySQLdb.Error):  # a session that is lost cannot
                self._run(f"DROP TABLE IF EXISTS {_place(new)}")
            raise

    def _remove_leftovers(self, name: str) -> None:
        """Remove what runs that were killed have left in the database of a table: nobody has their lock any more."""
        there = f"table_schema <=> {_schema(name)} AND table_comment = '{RELEASED}'"
        left = "table_name RLIKE '^cobogo_(new|old)_[0-9a-f]{12}$' AND is_free_lock(table_name)"
        found = self.rows(f"SELECT table_name FROM information_schema.tables WHERE {there} AND {left}")
        for (table,) in found:
            self._run(f"DROP TABLE IF EXISTS {_place(name.rpartition('.')[0] + '.' + table)}")

    def _is_earlier_release(self, name: str) -> bool:
        """Whether there is a table of that name; an error if it is not ours to replace."""
        there = f"table_schema <=> {_schema(name)} AND table_name = {_written(name.rpartition('.')[2])}"
        found = self.rows(f"SELECT table_comment FROM information_schema.tables WHERE {there}")
        if found and not str(found[0][0]).startswith(RELEASED):
            raise foreign_table(name)
        return bool(found)

    def _odd_columns(self, table: Expression) -> list[str]:
        names = [name for name, kind in table.schema().items() if kind.is_floating()]
        if not names:
            return []
        found = self.fetch(table.aggregate(**{name: self.text(table[name]).isin(ODD).any() for name in names}))
        return [name for name in names if found[name][0].as_py()]

    def _run(self, statement: str) -> None:
        self.rows(statement)

    def _create(self, columns: Mapping[str, str]) -> str:
        """A new temporary table; its name."""
        name = f"cobogo_{secrets.token_hex(6)}"
        _check_names(columns, "data")
        self._run(f"CREATE TEMPORARY TABLE {name} ({_definitions(columns)}) ENGINE = Aria {BYTES}")
        return name

    @contextmanager
    def _file(self) -> Iterator[Path]:
        """A private file to send."""
        spill = create_scratch(Path(tempfile.gettempdir()), "cobogo-spill-")
        try:
            yield spill / "rows.csv"
        finally:
            remove_scratch(spill)

    def _load(self, file: Path, table: str) -> None:
        """Rows into a table. The server changes values that do not fit, with a warning: here each is an error."""
        with closing(self.session.cursor()) as cursor, _translate_errors("data"):
            cursor.execute(
                f"LOAD DATA LOCAL INFILE {_written(str(file))} INTO TABLE {table} CHARACTER SET utf8mb4 "
                "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' ESCAPED BY '' LINES TERMINATED BY '\\n'"
            )
            if cursor.warning_count:
                cursor.execute("SHOW WARNINGS LIMIT 1")
                raise _unfit("data", *(message for _, _, message in cursor.fetchall()))

    def _kept(self, name: str, declared: Mapping[str, Any]) -> Expression:
        """A temporary table that was filled, with the types that its columns stand for."""
        import ibis

        schema = ibis.schema(dict(declared))
        texts = [column for column, kind in schema.items() if kind.is_string()]
        if texts:
            longest = ", ".join(f"coalesce(max(octet_length({quote(column)})), 0)" for column in texts)
            self._make_room(sum(map(int, self.rows(f"SELECT {longest} FROM {name}")[0])))
        return self.connection.sql(f"SELECT * FROM {name}", schema=schema)

    def _make_room(self, longest: int) -> None:
        """Sort texts by all their bytes, in whatever combination and with quotes: the server stops where it is told."""
        self._widest += longest
        size = max(SHORTEST_SORT, 2 * self._widest + SHORTEST_SORT)
        if size > LONGEST_ROW:
            raise DataError(
                tr("has texts that are too long for {engine} to sort", engine=self.name),
                where="data",
                remedy=tr("Leave the column with long texts out, or use DuckDB."),
                code="COBOGO-DATA-TYPE",
            )
        self._run(f"SET max_sort_length = {size}, sort_buffer_size = {max(2**21, SORTED_AT_ONCE * size * KEYS)}")


def _login(url: str) -> dict[str, Any]:
    """What the driver takes, from a URL; what it leaves out is in the option files of the system and the user."""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    known = {"unix_socket": options.pop("unix_socket", None), "password": options.pop("password", None)}
    ca = options.pop("ssl_ca", None)
    if options:
        raise PolicyError(
            tr('the URL has an unknown option "{name}"', name=min(options)),
            where="--engine",
            remedy=tr("Known are unix_socket and ssl_ca; the rest can be in ~/.my.cnf."),
            code="COBOGO-ENGINE",
        )
    login = {
        **known,
        "host": parts.hostname,
        "port": parts.port,
        "user": unquote(parts.username or ""),
        "database": unquote(parts.path.strip("/")),
        "ssl": {"ca": ca} if ca else None,
    }
    if parts.password:
        login["password"] = unquote(parts.password)
    return {"read_default_group": "client", **{name: value for name, value in login.items() if value}}


def _definitions(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{quote(name)} {kind}" for name, kind in columns.items())


LONGEST_NAME = 64


def _check_names(columns: Mapping[str, str], where: str) -> None:
    """The server's columns have short names, which differ in more than capitals."""
    alike = len({name.casefold() for name in columns}) < len(columns)
    if not alike and all(len(name) <= LONGEST_NAME and not name.endswith(" ") for name in columns):
        return
    raise DataError(
        tr("has names of columns that {engine} cannot have", engine=MariaDB.name),
        where=where,
        remedy=tr("Names must have at most 64 characters, no space at the end, and differ in more than capitals."),
        code="COBOGO-DATA-HEADER",
    )


DENIED, ABSENT, UNFIT = (1044, 1142, 1143), (1049, 1146), (1264, 1265, 1292, 1366, 1406)
"""The server's numbers for rights that a login does not have, tables that do not exist, and values that do not fit."""


@contextmanager
def _translate_errors(where: str) -> Iterator[None]:
    """A block that reads a table; what the server says of it, which may quote values, is raised in our words."""
    import MySQLdb

    try:
        yield
    except MySQLdb.DatabaseError as error:
        number = error.args[0]
        if number in DENIED:
            raise unreadable_table(where) from None
        if number in ABSENT:
            raise no_such_table(where) from None
        if number in UNFIT:
            raise _unfit(where, *error.args[1:]) from None
        raise


UNFIT_COLUMN = re.compile(r".*for column (?:`[^`]*`[.]`[^`]*`[.]`(.*)`|'(.*)') at row [0-9]+", re.DOTALL)
"""The end of what the server says about a value that does not fit. The value may be before it."""


def _unfit(where: str, message: str = "") -> DataError:
    """The error of a value that the server does not have, and of which column it is, if the server says so."""
    found = UNFIT_COLUMN.fullmatch(message)
    return DataError(
        tr('the column "{name}" has a value that the server cannot store', name=found[1] or found[2])
        if found
        else tr("has a value that the server cannot store"),
        where=where,
        remedy=tr("Look for days such as 0000-00-00, days before the year 1 or after 9999, and broken texts."),
        code="COBOGO-DATA-TYPE",
    )


def _beside(name: str, what: str) -> str:
    """A new name in the database of a table."""
    return f"{name.rpartition('.')[0]}.cobogo_{what}_{secrets.token_hex(6)}".removeprefix(".")


def _written(text: str) -> str:
    """A string as the server reads it, to which a backslash is no plain character."""
    return literal(text.replace("\\", "\\\\"))


def _schema(name: str) -> str:
    """The database of a table, as a string of SQL."""
    given = name.rpartition(".")[0]
    return _written(given) if given else "database()"


def _place(name: str) -> str:
    """A table's name, given with its database or without."""
    return ".".join(quote(part) for part in name.rpartition(".") if part not in ("", "."))
