"""Reading: files, frames and tables of databases become tables of an engine, with their values as text unless typed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cobogo.data.engines.engine import Engine, Expression, connect, opens
from cobogo.data.files.encodings import copy_as_utf8, needs_copy
from cobogo.data.files.formats import Format, ValueLabels, convert, find_format
from cobogo.data.files.listing import (
    csv_columns,
    list_files,
    must_be_copied,
    other_columns,
    parquet_columns,
    partitions,
    refuse_line_ends,
)
from cobogo.data.files.settle import detect
from cobogo.data.policy import Data, Policy
from cobogo.data.table import formulas
from cobogo.data.table.frames import FrameKind, as_arrow, frame_columns, frame_kind
from cobogo.errors import DataError, PolicyError
from cobogo.floor.language import tr
from cobogo.floor.urls import is_elsewhere, is_url, public_url


@dataclass(frozen=True, repr=False)
class ValueCounts:
    """The values of a column, counted."""

    missing: int
    distinct: int
    unique: int
    most_frequent: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A table of an engine: an expression whose empty texts are NULL."""

    engine: Engine
    expression: Expression
    name: str  # what messages call it
    notes: tuple[str, ...] = ()  # what was detected or left out while it was read
    labels: ValueLabels = field(default_factory=dict)  # of its codes, where the file has any
    titles: Mapping[str, str] = field(default_factory=dict)  # of its columns, where the file has any
    keys: Mapping[str, str] = field(default_factory=dict)  # of [data], that say where in the file it is
    frame: FrameKind | None = None  # of a frame, what it was
    version: int | None = None  # of a table of a lake

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns, in order."""
        return tuple(self.expression.columns)

    def text(self, column: str) -> Expression:
        """A column as text."""
        return self.engine.text(self.expression[column])

    def combinations(self, columns: Sequence[str]) -> Expression:
        """The distinct combinations of some columns as texts ``c0``, ``c1``, …, and how many ``records`` have each.

        Values of which every one has its own text are grouped as they are, and written as text once for each group.
        """
        keys = [f"c{number}" for number in range(len(columns))]
        kinds = self.expression.schema()
        rows = self.expression.select(
            **{
                key: self.expression[name] if _has_text_of_its_own(kinds[name]) else self.text(name)
                for key, name in zip(keys, columns, strict=True)
            }
        )
        counted = rows.group_by(keys).aggregate(records=rows.count())
        return counted.select(**{key: self.engine.text(counted[key]) for key in keys}, records=counted["records"])

    def rows(self) -> int:
        """How many rows it has."""
        return self._number(self.expression.aggregate(found=self.expression.count()))

    def value_counts(self, column: str, most: int) -> ValueCounts:
        """What a column holds: how many values, how many once, and the most frequent ones.

        Of values that are as frequent, those come first whose last characters do: large and small numbers, early and
        late dates, and names from A to Z are then among them.
        """
        values = self.expression.select(value=self.text(column))
        counts = values.group_by("value").aggregate(records=values.count())
        known = counts["value"].notnull()
        totals = counts.aggregate(
            missing=counts["records"].sum(where=~known),
            distinct=counts["records"].count(where=known),
            unique=counts["records"].count(where=known & (counts["records"] == 1)),
        )
        top = counts.filter(known).order_by([counts["records"].desc(), counts["value"].reverse()]).limit(most)
        numbers, shown_values = self.engine.fetch(totals), self.engine.fetch(top)
        return ValueCounts(
            **{name: int(numbers[name][0].as_py() or 0) for name in ("missing", "distinct", "unique")},
            most_frequent=tuple(
                zip(shown_values["value"].to_pylist(), shown_values["records"].to_pylist(), strict=True)
            ),
        )

    def counts(self, column: str) -> dict[str | None, int]:
        """The distinct values of a column as text, and how many rows have each."""
        values = self.expression.select(value=self.text(column))
        counted = values.group_by("value").aggregate(records=values.count())
        found: dict[str | None, int] = {}
        for batch in self.engine.counts(counted):
            texts, records = batch.column("value").to_pylist(), batch.column("records").to_pylist()
            found |= {text: int(number) for text, number in zip(texts, records, strict=True)}
        return found

    def values_that_occur_once(self, columns: Sequence[str]) -> dict[str, int]:
        """How many values of each of some columns stand in one row only; NULL does not count."""
        if not columns:
            return {}
        found = self.engine.unique_values(self.expression.select(list(columns)))
        return dict(zip(columns, found, strict=True))

    def digest(self, separator: str) -> str:
        """The SHA-256 of the rows as lines of CSV in the order of their bytes: the same in any order of rows."""
        lines = self.engine.lines(self.expression, separator)
        ordered = lines.order_by(self.engine.byte_order_key(lines["line"]))
        seal = hashlib.sha256()
        for batch in self.engine.batches(ordered):
            seal.update("".join(f"{line}\n" for line in batch.column("line").to_pylist()).encode())
        return seal.hexdigest()

    def repeats(self, column: str) -> bool:
        """Whether some value of a column stands in several rows; NULL does not count."""
        values = self.text(column)
        found = self.engine.fetch(self.expression.aggregate(all=values.count(), distinct=values.nunique()))
        return bool(found["all"][0].as_py() > found["distinct"][0].as_py())

    def first_row(self, column: str, value: str) -> int | None:
        """The number of the first row that holds a value; the first row of data is 1.

        None if there is none, or if the engine's rows have no order.
        """
        if not self.engine.numbers_rows:
            return None
        numbered = self.expression.select(value=self.text(column), row=self.engine.row_number() + 1)
        found = numbered.filter(numbered["value"] == value)
        return self._number(found.aggregate(found=found["row"].min())) or None

    def _number(self, counted: Expression) -> int:
        """The only number of a table of one row; 0 where it is NULL."""
        return int(self.engine.fetch(counted)["found"][0].as_py() or 0)


def _has_text_of_its_own(kind: Any) -> bool:
    """Whether two values of a type never have the same text, nor one value two: text itself may, by a collation."""
    return bool(kind.is_integer() or kind.is_boolean() or kind.is_date())


def open_source(policy: Policy, engine: str | None = None) -> Table:
    """The table that a policy names: files, or a table of a database."""
    policy.engine.apply()
    data, where = policy.data, f"{policy.name}, data.path"
    path = None if data.path is None else str(data.path)
    url = engine or (None if data.engine is None else policy.resolve_url(data.engine))
    if path is not None and is_url(path) and opens(path):
        if url is not None and url != policy.resolve_url(path):
            raise PolicyError(
                tr("the data are in a database, and another engine was given"),
                where=where,
                remedy=tr("Leave out the engine: the database does the work."),
                code="COBOGO-ENGINE",
            )
        url, path = policy.resolve_url(path), None
    if data.table is not None and (path is None or url is not None):
        if url is None or path is not None:
            raise PolicyError(
                tr("names a table without its database") if url is None else tr("names a table, and data.path a file"),
                where=f"{policy.name}, data.table",
                remedy=tr("Give the URL of the database as data.path, or with --engine."),
                code="COBOGO-POLICY-VALUE",
            )
        opened = connect(url, writable=policy.output.format == "table")
        return table_in(
            opened, data.table, data, tr("{database}, table {table}", database=public_url(url), table=data.table)
        )
    if path is None:
        raise PolicyError(
            tr("required key missing"),
            where=where,
            remedy=tr("Give the path of the data: path = …"),
            code="COBOGO-POLICY-MISSING",
        )
    opened = connect(url, writable=policy.output.format == "table")
    return read(policy.resolve_url(path) if is_url(path) else policy.resolve(path), data, opened)


def table_in(engine: Engine, name: str, data: Data, where: str) -> Table:
    """A table of an engine's database."""
    return table_of(engine, engine.open_table(name), data, where)


def table_of(engine: Engine, expression: Expression, data: Data, where: str) -> Table:
    """An expression of an engine as a table, if its columns have names that every engine can use."""
    _check_names(expression.columns, where)
    return _mark_missing(engine, expression, data, where)


def read(source: Any, data: Data, engine: Engine | None = None, *, once: bool = False) -> Table:
    """Open a path (a file of one of the `FORMATS`, a directory of parts, a glob) or a frame of pandas, polars, Arrow or
    Ibis.

    A path may be a URL of object storage, and a table of a lake. ``once``: it will be counted once only.
    """
    opened = engine or connect()
    if isinstance(source, str) and is_url(source):
        known = (
            data if data.encoding != "auto" else data.settle((), encoding="utf-8")
        )  # nothing is read before the engine
        return table_of(opened, opened.load_url(source, known), known, source)
    if isinstance(source, str | Path):
        if must_be_copied(str(source), data):
            return _read_copy(str(source), data, opened)
        return _read_files(str(source), data, opened, once)
    _check_names(frame_columns(source), "data")
    table = _mark_missing(opened, opened.load_arrow(as_arrow(source)), data, tr("the table given"))
    return replace(table, frame=frame_kind(source))


def _read_copy(place: str, data: Data, engine: Engine) -> Table:
    """Copy what is elsewhere and load it, unless that was done already to see how it is read."""
    from cobogo.data.lakes.sources import fetch

    copy = data.copies.pop(place, None) or fetch(place, data)
    try:
        if not engine.copies_files:
            raise DataError(
                tr("{engine} reads files where they are, and not a copy of them on this machine", engine=engine.name),
                where=copy.place,
                remedy=tr("Leave out the engine: DuckDB reads it."),
                code="COBOGO-ENGINE",
            )
        with copy.naming():
            table = _read_files(str(copy.path), copy.options(data), engine, once=False)
    finally:
        copy.remove()
    engine.sources.append(copy.record)
    return replace(table, name=copy.place, version=copy.version)


def _read_files(path: str, data: Data, engine: Engine, once: bool) -> Table:
    files = list_files(path)
    kind = find_format(files, data, path)
    if kind.name == "csv":
        return _read_csv(files, path, detect(files, data), engine, once)
    if kind.name == "parquet":
        _check_names(parquet_columns(files, path), path)
        expression = engine.load_parquet(files, path, partitions(files, path), once=once)
        return _mark_missing(engine, expression, data, path)
    return _read_other(kind, files, path, data, engine, once)


def _read_csv(files: Sequence[str], path: str, data: Data, engine: Engine, once: bool) -> Table:
    """Files of text; what the engine cannot decode is copied as UTF-8 first."""
    names = csv_columns(files, data)
    copies = [_plain_copy(file, data.encoding, engine) if needs_copy(file, data.encoding) else file for file in files]
    plain = data if copies == files else data.model_copy(update={"encoding": "utf-8"})
    expression = engine.load_csv(copies, names, plain, path, once=once)
    restored = formulas.restore(expression) if data.formulas == "neutralised" else expression
    return Table(engine, restored, path, data.notes)


def _plain_copy(file: str, encoding: str, engine: Engine) -> str:
    target = engine.scratch_file(".csv")
    copy_as_utf8(file, encoding, target)
    return str(target)


def _read_other(kind: Format, files: Sequence[str], path: str, data: Data, engine: Engine, once: bool) -> Table:
    """Files that no engine reads: they become Parquet files of the engine's own."""
    contents = [convert(kind, file, data, engine.scratch_file(".parquet")) for file in files]
    for file, content in zip(files, contents, strict=True):
        if content.schema.names != contents[0].schema.names:
            raise other_columns(file, files[0])
    made = [str(content.file) for content in contents]
    _check_names(parquet_columns(made, path), path)
    expression = engine.load_parquet(made, path, [], once=once)
    notes = dict.fromkeys((*data.notes, *(note for content in contents for note in content.notes)))
    table = _mark_missing(engine, expression, data, path)
    return replace(
        table, notes=tuple(notes), labels=contents[0].labels, titles=contents[0].titles, keys=contents[0].keys
    )


@contextmanager
def local_file(place: Path) -> Iterator[Path]:
    """A file that is not a table, such as a hierarchy's: itself, or a copy for the block."""
    if not is_elsewhere(place):
        yield place
        return
    from cobogo.data.lakes.sources import fetch

    copy = fetch(place, Data())
    with copy.naming():
        yield copy.path
    copy.remove()


def _check_names(names: Sequence[Any], where: str) -> None:
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise DataError(
                tr("every column needs a name that is a text"),
                where=where,
                remedy=tr("Rename the columns, for example: data.columns = [str(name) for name in data.columns]."),
                code="COBOGO-DATA-HEADER",
            )
        if sum(1 for other in names if isinstance(other, str) and other.casefold() == name.casefold()) > 1:
            raise DataError(
                tr('the column name "{name}" appears twice', name=name),
                where=where,
                remedy=tr("Rename one of the two (names that differ only in case count as the same)."),
                code="COBOGO-DATA-HEADER",
            )
    refuse_line_ends(names, where)


def _mark_missing(engine: Engine, expression: Expression, data: Data, name: str) -> Table:
    """What stands for no value becomes NULL; so does empty text, since the two are written alike."""
    missing = sorted({"", *data.missing})
    texts = [column for column, kind in expression.schema().items() if kind.is_string()]
    nulls = {column: expression[column].isin(missing).ifelse(None, expression[column]) for column in texts}
    return Table(engine, expression.mutate(**nulls) if nulls else expression, name)
