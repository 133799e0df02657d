"""Reading: files and frames become tables of an engine, with their values as text unless they have a type."""

from __future__ import annotations

import csv
import glob
import gzip
import itertools
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cobogo.errors import DataError
from cobogo.policy import Data
from cobogo.table import coded
from cobogo.table.engine import Engine, Expression, literal

PARQUET = (".parquet", ".pq")


@dataclass(frozen=True)
class ValueCounts:
    """The values of a column, counted."""

    missing: int
    distinct: int
    unique: int
    most_frequent: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class Table:
    """A table of an engine: an Ibis expression whose empty texts are NULL."""

    engine: Engine
    expression: Expression
    name: str  # what messages call it

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns, in order."""
        return tuple(self.expression.columns)

    def text(self, column: str) -> Expression:
        """A column as text."""
        return self.expression[column].cast("string")

    def rows(self) -> int:
        """How many rows it has."""
        return int(self.expression.count().execute())

    def value_counts(self, column: str, most: int) -> ValueCounts:
        """What a column holds: how many values, how many once, and the most frequent ones."""
        values = self.expression.select(value=self.text(column))
        counts = values.group_by("value").aggregate(records=values.count())
        present = counts.filter(counts["value"].notnull())
        found = present.aggregate(distinct=present.count(), unique=(present["records"] == 1).sum()).to_pyarrow()
        missing = counts.filter(counts["value"].isnull())["records"].sum().execute()
        top = present.order_by([present["records"].desc(), present["value"]]).limit(most).to_pyarrow()
        return ValueCounts(
            missing=0 if missing is None or missing != missing else int(missing),  # noqa: PLR0124 - pandas' NULL
            distinct=int(found["distinct"][0].as_py()),
            unique=int(found["unique"][0].as_py() or 0),
            most_frequent=tuple(zip(top["value"].to_pylist(), top["records"].to_pylist(), strict=True)),
        )

    def values_that_occur_once(self, column: str) -> int:
        """How many values of a column stand in one row only; NULL does not count."""
        values = self.expression.select(value=self.expression[column]).filter(lambda t: t["value"].notnull())
        counts = values.group_by("value").aggregate(records=values.count())
        return int(counts.filter(counts["records"] == 1).count().execute())

    def first_row(self, column: str, value: str) -> int | None:
        """The number of the first row that holds a value; the first row of data is 1, and None if there is none."""
        import ibis

        numbered = self.expression.select(value=self.text(column), row=ibis.row_number() + 1)
        first = numbered.filter(numbered["value"] == value)["row"].min().to_pyarrow().as_py()
        return None if first is None else int(first)


def read(source: Any, data: Data, engine: Engine | None = None) -> Table:
    """Open a path (CSV or Parquet, a directory of parts, a glob) or a frame of pandas, polars, Arrow or Ibis."""
    if isinstance(source, str | Path):
        return _read_files(str(source), data, engine or Engine.connect())
    return _read_frame(source, data, engine)


def guess_separator(path: str | Path, encoding: str) -> str:
    """The separator that a CSV file's header seems to use; a comma where nothing else can be told."""
    first = _files(str(path))[0]
    if Path(first).suffix.lower() in PARQUET:
        return ","
    opened = gzip.open if first.endswith(".gz") else open
    try:
        with opened(first, "rt", encoding=encoding, errors="replace") as stream:
            header = re.sub(r'"[^"]*"', "", stream.readline())
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", where=first) from None
    return max(",;\t|", key=lambda separator: (header.count(separator), separator == ","))


def _read_files(path: str, data: Data, engine: Engine) -> Table:
    files = _files(path)
    kinds = {Path(file).suffix.lower() in PARQUET for file in files}
    if len(kinds) > 1:
        raise DataError("holds Parquet and other files together", where=path, remedy="Name the files of one kind.")
    listed = "[" + ", ".join(literal(glob.escape(file)) for file in files) + "]"  # the engine would expand them again
    if kinds == {True}:
        return _with_nulls(engine, _load_parquet(engine, listed, path), data, path)
    return Table(engine, _load_csv(engine, files, listed, data, path), path)


def _files(path: str) -> list[str]:
    """The files that a path stands for."""
    if Path(path).is_dir():
        inside = sorted(str(p) for p in Path(path).rglob("*") if p.is_file() and not p.name.startswith((".", "_")))
        if not inside:
            raise DataError("is a directory with no files", where=path)
        return inside
    if Path(path).exists():
        if not Path(path).is_file():
            raise DataError(
                "is not a regular file", where=path, remedy="A pipe cannot be read twice: save its content to a file."
            )
        return [path]
    found = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []  # noqa: PTH207
    if not found:
        what = "no file matches" if glob.has_magic(path) else "no such file"
        raise DataError(what, where=path, remedy="Paths are relative to the policy file. Check data.path.")
    return found


def _load_parquet(engine: Engine, listed: str, path: str) -> Expression:
    """Copy into the engine once: what is decided is then decided on the rows that are released."""
    import duckdb

    try:
        engine.sql(
            "CREATE OR REPLACE TEMP TABLE cobogo_source AS "
            f"SELECT * FROM read_parquet({listed}, hive_partitioning=false)"
        )
        return engine.connection.table("cobogo_source")
    except duckdb.Error:  # its message may quote values
        raise DataError(
            "is not readable as Parquet", where=path, remedy="Files read together need the same columns."
        ) from None


def _load_csv(engine: Engine, files: Sequence[str], listed: str, data: Data, path: str) -> Expression:
    """Parse once into the engine. The header is read here: an engine would rename what is wrong with it in silence."""
    import duckdb

    for file in files:
        _refuse_broken_gzip(file)
    names = _header(files[0], data)
    for other in files[1:]:
        if _header(other, data) != names:
            raise DataError(
                f"has other columns than {files[0]}", where=other, remedy="Files of one glob share a header."
            )
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    missing = ", ".join(map(literal, dict.fromkeys(("", *data.missing))))
    source = (
        f"read_csv({listed}, columns={{{columns}}}, auto_detect=false, header=true, delim={literal(data.separator)}, "
        f"quote='\"', escape='\"', nullstr=[{missing}], encoding={literal(data.encoding)}, strict_mode=true, "
        "null_padding=false, hive_partitioning=false, max_line_size=16777216, buffer_size=33554432)"
    )
    try:
        coded.store(engine.connection.con, "cobogo_source", source, names)
    except duckdb.Error as error:
        raise _csv_error(str(error), path, data) from None
    return engine.connection.table("cobogo_source")


def _refuse_broken_gzip(file: str) -> None:
    """A compressed file that was cut short reads as a shorter one: check its end before trusting its beginning."""
    if not file.endswith(".gz"):
        return
    try:
        with gzip.open(file, "rb") as stream:
            while stream.read(1 << 20):
                pass
    except (EOFError, OSError, zlib.error):
        raise DataError(
            "is a damaged or incomplete gzip file", where=file, remedy="Copy or compress it again."
        ) from None


def _header(file: str, data: Data) -> list[str]:
    """The column names of a CSV file: there, all named, none twice."""
    encoding = "utf-8-sig" if data.encoding == "utf-8" else data.encoding
    opened = gzip.open if file.endswith(".gz") else open
    try:
        with opened(file, "rt", encoding=encoding, newline="") as stream:
            names = next(csv.reader(stream, delimiter=data.separator), [])
    except UnicodeDecodeError:
        raise _not_utf8(file, _first_bad_line(file)) from None
    except csv.Error as error:
        raise DataError(f"the header cannot be read: {error}", where=file) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", where=file) from None
    if not names:
        raise DataError("is empty: there is not even a header", where=file)
    _refuse_line_ends(names, f"{file}, row 1")
    empty = [number for number, name in enumerate(names, 1) if not name.strip()]
    if empty:
        raise DataError(
            f"column {empty[0]} of {len(names)} has no name", where=f"{file}, row 1", remedy="Name it in the header."
        )
    lowered = [name.casefold() for name in names]
    for number, name in enumerate(lowered):
        if name in lowered[:number]:
            first = lowered.index(name)
            raise DataError(
                f'the column name "{names[number]}" stands twice, in columns {first + 1} and {number + 1}',
                where=f"{file}, row 1",
                remedy="Rename one of the two (names that differ only in case count as the same).",
            )
    return names


def _refuse_line_ends(names: Sequence[str], where: str) -> None:
    """A carriage return in a name cannot be written so that every program reads it back."""
    for number, name in enumerate(names, 1):
        if "\r" in name:
            raise DataError(f"the name of column {number} holds a carriage return", where=where, remedy="Rename it.")


def _csv_error(text: str, path: str, data: Data) -> DataError:
    """The engine's complaint in our words: its own quotes the line, and the line holds people's values."""
    found = re.search(r"Line: (\d+)", text)
    line = int(found[1]) if found else None
    where = f"{path}, line {line}" if line else path
    if re.search(r"unicode|utf-?8|encod", text, re.IGNORECASE):
        return _not_utf8(path, line) if data.encoding == "utf-8" else DataError("cannot be decoded", where=where)
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        return DataError(
            f"{columns[2]} fields where the header has {columns[1]}",
            where=where,
            remedy=f'Check the line\'s separators ("{data.separator}") and quotes.',
        )
    if re.search(r"unterminated quote|quote should be followed", text, re.IGNORECASE):
        return DataError("a quoted field does not end well", where=where, remedy='Inside quotes, write a quote as "".')
    if "maximum line size" in text.lower():
        return DataError("the line is longer than the engine reads", where=where, remedy="Check its quotes.")
    return DataError("is not a CSV file that the engine can read", where=where, remedy="Check separator and encoding.")


def _first_bad_line(file: str) -> int | None:
    """The line of the first byte that is not UTF-8, if it is among the first few thousand lines."""
    opened = gzip.open if file.endswith(".gz") else open
    with opened(file, "rb") as stream:
        for number, line in enumerate(itertools.islice(stream, 5000), 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return None


def _not_utf8(path: str, line: int | None) -> DataError:
    return DataError(
        "is not UTF-8",
        where=f"{path}, line {line}" if line else path,
        remedy='If it comes from a spreadsheet, try encoding = "latin-1" under [data] (--encoding latin-1).',
    )


def _read_frame(source: Any, data: Data, engine: Engine | None) -> Table:
    import ibis
    import ibis.expr.types as ir

    if isinstance(source, ir.Table):
        engine = engine or Engine.connect()
        try:
            arrow = source.to_pyarrow()
        except Exception as error:
            raise DataError(
                f"cannot be read: {type(error).__name__}", where="the table given", remedy="Is it bound to a database?"
            ) from None
        return _with_nulls(engine, _stored(engine, arrow), data, "the table given")
    engine = engine or Engine.connect()
    _check_names(source)
    try:
        arrow = ibis.memtable(source).to_pyarrow()
    except Exception as error:
        raise DataError(
            f"cannot make a table of {type(source).__name__}: {type(error).__name__}",
            where="data",
            remedy="Give a path, or a frame of pandas, polars, Arrow or Ibis with a string name for every column.",
        ) from None
    return _with_nulls(engine, _stored(engine, arrow), data, "the table given")


def _check_names(source: Any) -> None:
    if hasattr(source, "collect_schema"):
        names = list(source.collect_schema().names())
    else:
        names = list(source.column_names if hasattr(source, "column_names") else getattr(source, "columns", ()))
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise DataError("every column needs a name that is text", where="data")
        if sum(1 for other in names if isinstance(other, str) and other.casefold() == name.casefold()) > 1:
            raise DataError(f'the column name "{name}" stands twice', where="data", remedy="Rename one of the two.")
    _refuse_line_ends(names, "data")


def _stored(engine: Engine, arrow: Any) -> Expression:
    """A frame as a table of the engine; a column of NULLs alone, which has no type of its own, becomes text."""
    import pyarrow as pa

    fields = [pa.field(f.name, pa.string()) if pa.types.is_null(f.type) else f for f in arrow.schema]
    return engine.connection.create_table("cobogo_source", arrow.cast(pa.schema(fields)), temp=True, overwrite=True)


def _with_nulls(engine: Engine, expression: Expression, data: Data, name: str) -> Table:
    """What stands for no value becomes NULL; so does empty text, since the two are written alike."""
    missing = sorted({"", *data.missing})
    texts = [column for column, kind in expression.schema().items() if kind.is_string()]
    nulls = {column: expression[column].isin(missing).ifelse(None, expression[column]) for column in texts}
    return Table(engine, expression.mutate(**nulls) if nulls else expression, name)
