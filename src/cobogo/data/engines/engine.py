"""The contract of an engine, where a table lives, is counted and is released; and how a URL opens one.

One small module an engine follows it. Everything above works on expressions in the language of Ibis and asks the engine
only for what engines do differently. Text is one of those: a value must read the same on all of them, so each writes
numbers, dates and times as DuckDB does.
"""

from __future__ import annotations

import re
import secrets
import tempfile
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, ClassVar

from cobogo.data.policy import Data
from cobogo.errors import DataError, OutputError, PolicyError, TableTooLarge
from cobogo.floor.catalogue import Registry, card
from cobogo.floor.extras import require
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr
from cobogo.floor.memory import memory_share
from cobogo.floor.urls import public_url, refuse_address, strip_password

Expression = Any
"""A table or column expression: Ibis's (which is untyped, and imported late) or, of DuckDB, a `Relation` or one of its
columns, which have the same methods."""

BATCH = 100_000
"""Rows that are brought into memory at a time."""

COUNTED = 0.5
"""The share of memory for the table of distinct combinations. DuckDB takes the rest, and needs some 0.7 GB to count."""

COUNT_BYTES = 64
"""What a row of it takes: 48 bytes while it is put in order (two arrays of keys, an order, and a few bytes of codes),
and 16 from then on, while the release is counted."""


class Engine(ABC):
    """A connection to a database."""

    name: ClassVar[str]
    url: str = ""  # where it is, without a password
    keeps_records: ClassVar[bool] = False  # whether records stay there, and only what is counted comes to this process
    numbers_rows: ClassVar[bool] = False  # whether a table's rows have an order, so that the first of them can be named
    most_counts: int | None = None  # rows of a counted table that an engine can hand over, if there is a limit
    failures: ClassVar[tuple[type[Exception], ...]] = ()  # what the engine raises when it cannot write
    copies_files: ClassVar[bool] = True  # whether files that are not read once only are not needed once they are loaded
    _scratch: Path | None = None

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.sources: list[dict[str, Any]] = []  # what was copied from elsewhere to be loaded, for the evidence

    def close(self) -> None:  # noqa: B027 - most engines hold nothing elsewhere
        """Let go of what is held on a server; by itself that happens when nothing refers to the engine any more."""

    def scratch_file(self, ending: str) -> Path:
        """A new name for a file that only this user may read, and that is removed when the engine is."""
        if self._scratch is None:
            self._scratch = create_scratch(Path(tempfile.gettempdir()), "cobogo-source-")
            weakref.finalize(self, remove_scratch, self._scratch)
        return self._scratch / f"{secrets.token_hex(6)}{ending}"

    @contextmanager
    def guard(self, what: str) -> Iterator[None]:
        """A block whose failures of the engine are raised as our errors, without its words: they may quote values."""
        try:
            yield
        except self.failures as error:
            work, kind = _WORK.get(what, what), type(error).__name__
            raise DataError(
                tr("{engine} failed while {what}: {kind}", engine=self.name, what=work, kind=kind),
                where="--engine",
                remedy=tr("Check its connection, its memory, the space on its disk and your rights."),
                code="COBOGO-ENGINE",
            ) from None

    @property
    def language(self) -> str:
        """The engine in whose language statements are written: mostly its own."""
        return self.name

    # Questions over a long time

    def alive(self) -> bool:
        """Whether it still answers: a server may have ended the session."""
        return True

    def types(self, name: str) -> dict[str, str]:  # noqa: ARG002
        """The types of a table's columns, where others may change them meanwhile."""
        return {}

    def snapshot(self) -> AbstractContextManager[None]:
        """A block whose statements all see the same rows. Outside of such blocks an engine that was put to `rest` has
        no transaction open, and is in nobody's way."""
        return nullcontext()

    def rest(self) -> None:  # noqa: B027
        """End the transaction that was open since the engine was made; what was loaded stays."""

    def check_texts(self) -> None:  # noqa: B027
        """Refuse a database whose texts may be bytes that are no text: one of them would fail a whole question."""

    # Tables in

    @abstractmethod
    def load_csv(
        self, files: Sequence[str], names: Sequence[str], data: Data, path: str, *, once: bool = False
    ) -> Expression:
        """Files with one header as a table of text; what stands for no value is NULL.

        ``once``: they will be counted once only, and need not be kept.
        """

    @abstractmethod
    def load_parquet(
        self, files: Sequence[str], path: str, partitions: Sequence[str], *, once: bool = False
    ) -> Expression:
        """Files as a table; ``partitions`` are the columns that stand in the names of their directories."""

    @abstractmethod
    def load_arrow(self, table: Any) -> Expression:
        """An Arrow table as one of the engine's, for as long as the engine lives."""

    def load_url(self, url: str, data: Data) -> Expression:  # noqa: ARG002
        """Files that are not on a disk of this machine, as a table."""
        if opens(url):
            refuse_address(url)
        raise DataError(
            tr("{engine} does not read files from there", engine=self.name),
            where=public_url(url),
            remedy=tr("Give a path of this machine, or an engine that reads them: --engine spark."),
            code="COBOGO-ENGINE",
        )

    def open_table(self, name: str) -> Expression:
        """A table that is in the engine's database already, read where it is."""
        raise DataError(
            tr("{engine} has no tables of its own", engine=self.name),
            where=name,
            remedy=tr("Give the URL of a database."),
            code="COBOGO-ENGINE",
        )

    def tables(self) -> list[str]:
        """The names under which tables of its database can be opened."""
        return []

    # Tables beside

    @abstractmethod
    def lookup(self, table: Any) -> Expression:
        """An Arrow table of text, marks and whole numbers to join with."""

    def constant(self, value: str) -> Expression:
        """A text as a column that has it in every row."""
        import ibis

        return ibis.literal(value)

    def row_number(self, **window: Any) -> Expression:
        """Each row's number, from 0: among those with the same ``group_by``, in the order of ``order_by``."""
        import ibis

        return ibis.row_number().over(**window) if window else ibis.row_number()

    def same(self, one: Expression, other: Expression) -> Expression:
        """Whether two texts are the same, NULL being the same as NULL; a join by it must not compare all pairs."""
        return one.identical_to(other)

    def text(self, column: Expression) -> Expression:
        """A column as text, the same on every engine."""
        return column.cast("string")

    @abstractmethod
    def random_key(self, table: Expression) -> Expression:
        """A column of independent keys from the operating system's entropy (never from a seeded generator)."""

    def shuffle(self, table: Expression) -> Expression:
        """The same rows, in an order that tells nothing."""
        return table.order_by(self.random_key(table))

    # Tables out

    def free_memory(self) -> None:  # noqa: B027
        """Give back the memory that would only make the next reading faster: somebody else in the process needs it."""

    def fetch(self, table: Expression) -> Any:
        """An expression's rows as an Arrow table, in memory: for counts, not for records."""
        return table.to_pyarrow()

    def statement(self, table: Expression) -> str:
        """An expression in the engine's own language; what it reads from memory is there when this returns."""
        self.connection._run_pre_execute_hooks(table)
        return str(self.connection.compile(table))

    def relation(self, statement: str) -> Expression:
        """The rows of a statement in the engine's own language, to be counted or read."""
        return self.connection.sql(statement)

    def arrow_schema(self, table: Expression) -> Any:
        """The types of its columns, as Arrow has them."""
        return table.schema().to_pyarrow()

    @abstractmethod
    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a statement in the engine's own language: for aggregates, not for records."""

    def batches(self, table: Expression) -> Generator[Any, None, None]:
        """The same, in Arrow batches that need not be in memory together."""
        yield from table.to_pyarrow_batches(chunk_size=BATCH)

    def counts(self, table: Expression) -> Iterator[Any]:
        """The rows of a counted table in batches; an error, as soon as it is known, if they are more than fit."""
        rows, most = 0, self.room_for_counts
        with closing(self.batches(table)) as batches:
            for batch in batches:
                rows += batch.num_rows
                if rows > most:
                    raise too_many_counts(most)
                yield batch

    @property
    def room_for_counts(self) -> int:
        """How many rows of a counted table the search has room for."""
        return memory_share(COUNTED) // COUNT_BYTES if self.most_counts is None else self.most_counts

    def unique_values(self, table: Expression) -> list[int]:
        """How many values of each column stand in one row only, NULL not counted, from one reading of the table."""
        names = [f"c{number}" for number in range(len(table.columns))]
        rows = self.statement(table.rename(dict(zip(names, table.columns, strict=True))))
        marks = ", ".join(f"GROUPING({name}) = 0 AND {name} IS NOT NULL AS u{name}" for name in names)
        sets = ", ".join(f"({name})" for name in names)
        once = f"SELECT {marks} FROM ({rows}) AS t GROUP BY GROUPING SETS ({sets}) HAVING count(*) = 1"
        sums = ", ".join(f"count(CASE WHEN u{name} THEN 1 END)" for name in names)
        return [int(found) for found in self.rows(f"SELECT {sums} FROM ({once}) AS o")[0]]

    def tally(self, table: Expression, count: Callable[[Any], Any], size: int) -> Any:
        """The sum of what a function counts in each part of the rows: from an Arrow batch to ``size`` whole numbers.

        The function must not raise, and must be one that can be sent to where the rows are.
        """
        import numpy as np

        found = np.zeros(size, dtype=np.int64)
        with closing(self.batches(table)) as batches:
            for batch in batches:
                found += count(batch)
        return found

    @abstractmethod
    def write_csv(self, table: Expression, path: Path, *, separator: str) -> None:
        """UTF-8, LF, quotes only where needed; NULL is empty."""

    @abstractmethod
    def write_parquet(self, table: Expression, path: Path) -> None:
        """One compressed Parquet file, or a directory of them."""

    def check_new_table(self, name: str) -> None:
        """Refuse a table's name early, if nothing may be written there."""
        raise PolicyError(
            tr("{engine} has no database into which the table {table} could be written", engine=self.name, table=name),
            where="output.format",
            remedy=tr('Write format = "csv" or "parquet", or give the URL of a database.'),
            code="COBOGO-ENGINE",
        )

    def new_table(self, table: Expression, name: str) -> AbstractContextManager[Expression]:
        """Write a table into the database; inside the block it can be read, and nobody else sees it.

        It takes its name, and the place of an earlier release of that name, when the block ends well.
        """
        raise NotImplementedError

    def byte_order_key(self, text: Expression) -> Expression:
        """What to sort texts by so that they stand in the order of their bytes."""
        return text

    def as_text(self, table: Expression) -> Expression:
        """A table with every column as text."""
        return table.select(**{name: self.text(table[name]) for name in table.columns})

    def lines(self, table: Expression, separator: str) -> Expression:
        """The rows as the lines of a CSV file, in one column ``line``."""
        return table.select(line=self.line(table, separator))

    def line(self, table: Expression, separator: str) -> Expression:
        """A row as a line of a CSV file."""
        *others, last = [_cell(self.text(table[name]), separator) for name in table.columns]
        if not others:  # alone in its line, NULL must be written as "": an empty line would be no row
            return (last == "").ifelse('""', last)
        return _concatenate([*(cell + separator for cell in others), last])

    def map_batches(self, table: Expression, change: Callable[[Any], Any]) -> Expression:
        """The rows that a function makes of each Arrow batch, where the rows are; computed once. For engines that keep
        their records. The function must be one that can be sent there, and must take a batch without rows."""
        raise NotImplementedError

    @abstractmethod
    def materialize(self, table: Expression) -> Expression:
        """The same rows, computed once and kept in the engine: random draws in them stay as they were drawn."""


QUOTED = '"\n\r#'
"""What a field is quoted for, beside the separator (#, since some programs take it for a comment)."""


def _cell(text: Expression, separator: str) -> Expression:
    awkward = reduce(or_, (text.contains(character) for character in QUOTED + separator))
    return text.isnull().ifelse("", awkward.ifelse('"' + text.replace('"', '""') + '"', text))


def _concatenate(texts: Sequence[Expression]) -> Expression:
    """Texts one after another, by halves: a chain of a hundred columns would be too deep to be compiled."""
    middle = len(texts) // 2
    return _concatenate(texts[:middle]) + _concatenate(texts[middle:]) if middle else texts[0]


def header(names: Sequence[str], separator: str) -> str:
    """The first line of a CSV file.

    >>> header(["name", "d;água"], ";")
    'name;"d;água"'
    """
    return separator.join(
        '"' + name.replace('"', '""') + '"' if any(c in name for c in QUOTED + separator) else name for name in names
    )


def literal(text: str) -> str:
    """A string as SQL writes it.

    >>> literal("d'água")
    "'d''água'"
    """
    return "'" + text.replace("'", "''") + "'"


def quote(name: str) -> str:
    """A name as SQL writes it.

    >>> quote("raça cor")
    '"raça cor"'
    """
    return '"' + name.replace('"', '""') + '"'


def too_many_counts(most: int) -> TableTooLarge:
    """The error of a table with more distinct combinations than can be counted here."""
    return TableTooLarge(
        tr(
            "the table has more than {most:,} distinct combinations of quasi-identifiers and sensitive values",
            most=most,
        ),
        where="attributes",
        remedy=tr("Give quasi-identifiers a min-level above 0, or make their values coarser before."),
    )


_WORKS = (tr("reading"), tr("counting"), tr("reading and counting"), tr("counting reports"), tr("transforming"))
_WORK: dict[str, str] = {work: work for work in _WORKS}
"""What an engine may be doing when it fails: the same words with their translations."""

RELEASED = "Released by Cobogó"
"""How the comment of a table begins that a later release may replace."""


def foreign_table(name: str) -> OutputError:
    """The error of a table that is not ours to replace."""
    return OutputError(
        tr("is a table that Cobogó did not write"),
        where=name,
        remedy=tr("Choose another output.table, or drop it yourself."),
        code="COBOGO-OUTPUT-OCCUPIED",
    )


def no_such_table(name: str) -> DataError:
    """The error of a table that is not in the database."""
    return DataError(
        tr("there is no such table"),
        where=name,
        remedy=tr("Check data.table and its schema."),
        code="COBOGO-DATA-FILE",
    )


WHERE = "--engine"


def connect(url: str | None = None, *, writable: bool = False) -> Engine:
    """An engine for a URL; without one, DuckDB in memory. ``writable``: a table will be written into its database."""
    kind = _kind(url)
    engine = ENGINES.find(kind, WHERE)(url or "duckdb://", writable)
    engine.url = strip_password(url or "duckdb://")
    return engine


def _kind(url: str | None) -> str:
    """What stands before the colon of a URL; Spark's masters need not look like one."""
    if url is None:
        return "duckdb"
    kind = re.split(r"[:\[]", url, maxsplit=1)[0]
    return "postgresql" if kind == "postgres" else "spark" if kind in SPARK_MASTERS else kind


SPARK_MASTERS = ("local", "local-cluster", "yarn", "k8s")
"""What the URLs of Spark's masters begin with, beside spark."""


def opens(url: str) -> bool:
    """Whether a URL is that of an engine, and not of files.

    >>> opens("postgresql://localhost/health"), opens("hdfs://names/health/people")
    (True, False)
    """
    return _kind(url) in ENGINES


@card("duckdb", title="DuckDB")
def open_duckdb(url: str, writable: bool) -> Engine:
    """The embedded engine, the default: duckdb://, or duckdb:///file.duckdb for the tables of a file."""
    from cobogo.data.engines.duck import DuckDB

    path = url.partition(":///")[2]
    return DuckDB(Path(path).expanduser() if path and path != ":memory:" else None, writable=writable)


@card("sqlite", title="SQLite")
def open_sqlite(url: str, writable: bool) -> Engine:
    """The tables of a SQLite file, with DuckDB at work: sqlite:///file.db."""
    from cobogo.data.engines.sqlite import SQLite

    path = url.partition(":///")[2]
    if not path:
        raise PolicyError(
            tr("names no file"), where=WHERE, remedy=tr("Write sqlite:///file.db."), code="COBOGO-POLICY-VALUE"
        )
    return SQLite(Path(path).expanduser(), writable=writable)


@card("postgresql", title="PostgreSQL")
def open_postgresql(url: str, writable: bool) -> Engine:  # noqa: ARG001
    """The tables stay on a PostgreSQL server: postgresql://host/database."""
    _require("psycopg", "PostgreSQL", extra="postgres")
    from cobogo.data.engines.postgres import PostgreSQL

    return PostgreSQL(url)


@card("mariadb", title="MariaDB")
def open_mariadb(url: str, writable: bool) -> Engine:  # noqa: ARG001
    """The tables stay on a MariaDB server: mariadb://host/database."""
    _require("MySQLdb", "MariaDB", extra="mariadb")
    from cobogo.data.engines.mariadb import MariaDB

    return MariaDB(url)


@card("spark", title="Spark")
def open_spark(url: str, writable: bool) -> Engine:  # noqa: ARG001
    """A cluster, or all cores of this machine: spark://host:7077, local[*]; spark for the session that there is."""
    _require("pyspark", "Spark", extra="spark")
    from cobogo.data.engines.spark import Spark

    return Spark(url)


def _require(module: str, engine: str, *, extra: str) -> None:
    require(module, extra, tr("the engine {engine} is not installed", engine=engine), where=WHERE)


ENGINES: Registry[Callable[[str, bool], Engine]] = Registry(
    "engine",
    {
        "duckdb": f"{__name__}:open_duckdb",
        "mariadb": f"{__name__}:open_mariadb",
        "postgresql": f"{__name__}:open_postgresql",
        "spark": f"{__name__}:open_spark",
        "sqlite": f"{__name__}:open_sqlite",
    },
    listed="engines",
    guide="engines",
    plugins="cobogo.engines",
)
"""What opens an engine, by what stands before the colon of its URL."""
