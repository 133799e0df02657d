"""Sources of reports: files of messages, and columns of tables, which are counted by the table's engine.

A column has one message a row, as bytes or as base64url text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.collect import wire
from cobogo.collect.aggregate import Aggregate, is_aggregate
from cobogo.collect.collection import Collection
from cobogo.collect.layout import Rows
from cobogo.collect.rappor.google import reports_text
from cobogo.data.engines.engine import Expression, connect
from cobogo.data.files.formats import FORMATS
from cobogo.data.policy import Data
from cobogo.data.table.read import Table, read, table_in
from cobogo.errors import DataError, OutputError, PolicyError, ReportError
from cobogo.floor.arrays import Ints
from cobogo.floor.files import stage_file
from cobogo.floor.language import Text, join, tr
from cobogo.floor.language.errors import reason
from cobogo.floor.urls import is_url, public_url

FAULTS = (
    Text("{n:,} is empty", "{n:,} are empty"),
    Text("{n:,} is not a message of Cobogó, or is incomplete", "{n:,} are not messages of Cobogó, or are incomplete"),
    Text(
        "{n:,} belongs to another collection, mechanism or version",
        "{n:,} belong to another collection, mechanism or version",
    ),
    Text("{n:,} is not an answer that a client can give", "{n:,} are not answers that a client can give"),
)
"""What can be wrong with a row."""

ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
SEXTETS = np.full(256, 255, dtype=np.uint8)
SEXTETS[np.frombuffer(ALPHABET, dtype=np.uint8)] = np.arange(64, dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class ColumnReports:
    """The reports of rows, how many of them came from a seed, and how many rows have each of `FAULTS`."""

    rows: Rows
    seeded: int
    faults: Ints


def read_reports(collection: Collection, column: Any) -> ColumnReports:
    """Read the reports of an Arrow array of messages. Wrong messages are counted as faults and never raise."""
    import pyarrow as pa
    import pyarrow.compute as pc

    faults = np.zeros(len(FAULTS), dtype=np.int64)
    textual = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    present = column.drop_null().cast(pa.large_binary())
    lengths = pc.binary_length(present).to_numpy(zero_copy_only=False)
    faults[0] = column.null_count + int((lengths == 0).sum())
    size = wire.HEADER.size + collection.protocol.layout.width
    usual = lengths == (-(-size * 8 // 6) if textual else size)
    cells = _cells(present.filter(pa.array(usual)))
    messages, whole = _decode_base64(cells, size) if textual else (cells, np.ones(len(cells), dtype=np.bool_))
    faults[1] += int((~whole).sum())
    rows, seeded, wrong = _singles(collection, messages[whole])
    found = [rows]
    for content in present.filter(pa.array(~usual & (lengths > 0))).to_pylist():  # batches, or what is none
        batch, fault = _unusual(collection, content, textual)
        faults += fault
        if batch is not None:
            found.append(batch.rows)
            seeded += len(batch) if batch.seeded else 0
    return ColumnReports(np.concatenate(found), seeded, faults + wrong)


def column_reports(collection: Collection, table: Table, column: str) -> Rows:
    """The reports of a table's column, in the order of its rows; each row must hold one."""
    only = _messages(table, column)
    found = read_reports(collection, table.engine.fetch(only)["report"].combine_chunks())
    refuse_faults(
        found.faults,
        len(found.rows),
        where=tr("{name}, column {column}", name=table.name, column=column),
        skippable=False,
    )
    return found.rows


def aggregate_column(collection: Collection, table: Table, column: str = "report", *, skip: bool = False) -> Aggregate:
    """Count a table's column of messages, by the table's engine.

    ``skip``: rows that are no reports are left out; otherwise one of them is an error.
    """
    only = _messages(table, column)
    shape = collection.protocol.shape
    begin = 2 + len(FAULTS)
    with table.engine.guard(tr("counting reports")):
        found = table.engine.tally(only, partial(_count, collection), begin + int(np.prod(shape)))
    faults = found[2:begin]
    if not skip:
        refuse_faults(faults, int(found[0]), where=tr("{name}, column {column}", name=table.name, column=column))
    return Aggregate.from_counts(collection, found[begin:].reshape(shape), int(found[0]), seeded=bool(found[1]))


def _messages(table: Table, column: str) -> Expression:
    """The column of messages alone."""
    if column not in table.columns:
        raise DataError(
            tr('there is no column "{name}"', name=column),
            where=table.name,
            remedy=tr("Name the column that holds the reports: --column."),
        )
    only = table.expression.select(report=table.expression[column])
    kind = only["report"].type()
    if not (kind.is_string() or kind.is_binary()):
        raise DataError(
            tr("is neither text nor bytes"),
            where=tr("{name}, column {column}", name=table.name, column=column),
            remedy=tr("Name the column that holds the reports: --column."),
        )
    return only


def refuse_faults(faults: Ints, users: int, *, where: str, skippable: bool = True) -> None:
    """Raise an error where rows are no reports."""
    if not faults.any():
        return
    parts = (Text(t.template, t.plural, {"n": n}) for n, t in zip(faults.tolist(), FAULTS, strict=True) if n)
    look = tr("Find out where these messages come from.")
    raise ReportError(
        tr("of {users:,} messages, {found}", users=users + int(faults.sum()), found=join(parts, "; ")),
        where=where,
        remedy=join([look, tr("Or leave them out with --skip.")]) if skippable else look,
    )


def _count(collection: Collection, batch: Any) -> Ints:
    """Users, how many of them came from a seed, faults, and the counts, as one array: arrays of parts add up."""
    read = read_reports(collection, batch.column(0))
    counts = collection.protocol.tally(read.rows).reshape(-1)
    return np.concatenate([[len(read.rows), read.seeded], read.faults, counts]).astype(np.int64)


def _cells(column: Any) -> Rows:
    """The bytes of an array whose entries have equal lengths, one entry in each row."""
    if not len(column):
        return np.zeros((0, 0), dtype=np.uint8)
    _, offsets, content = column.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    return np.frombuffer(content, dtype=np.uint8)[ends[0] : ends[-1]].reshape(len(column), -1)


def _decode_base64(cells: Rows, size: int) -> tuple[Rows, NDArray[np.bool_]]:
    """Decode messages of so many bytes from base64url without padding, and tell which are written correctly.

    >>> _decode_base64(np.frombuffer(b"AQIDBA", dtype=np.uint8).reshape(1, 6), 4)[0].tolist()
    [[1, 2, 3, 4]]
    """
    if not len(cells):
        return np.zeros((0, size), dtype=np.uint8), np.zeros(0, dtype=np.bool_)
    sextets = SEXTETS[cells]
    whole = (sextets != 255).all(axis=1)
    groups = np.zeros((len(cells), -(-cells.shape[1] // 4), 4), dtype=np.uint8)
    groups.reshape(len(cells), -1)[:, : cells.shape[1]] = sextets
    a, b, c, d = (groups[:, :, at] for at in range(4))
    octets = np.stack([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d], axis=2).reshape(len(cells), -1)
    return octets[:, :size], whole & (octets[:, size:] == 0).all(axis=1)


def _singles(collection: Collection, messages: Rows) -> tuple[Rows, int, Ints]:
    """The reports of messages of one report each, how many came from a seed, and the faults of the others."""
    faults = np.zeros(len(FAULTS), dtype=np.int64)
    width = collection.protocol.layout.width
    if not len(messages):
        return np.zeros((0, width), dtype=np.uint8), 0, faults
    wanted = np.frombuffer(wire.header(collection, batch=False), dtype=np.uint8)
    same = messages[:, : len(wanted)] == wanted
    kind = messages[:, 5]
    ours = same[:, :4].all(axis=1)
    mine = ours & same[:, 4] & same[:, 6:].all(axis=1) & ((kind & ~np.uint8(wire.SEEDED)) == wire.ONE)
    faults[1] = int((~ours).sum())
    faults[2] = int((ours & ~mine).sum())
    rows = messages[mine][:, len(wanted) :]
    wrong = collection.protocol.layout.faults(rows)
    faults[3] = wrong.size
    kept = np.ones(len(rows), dtype=np.bool_)
    kept[wrong] = False
    return rows[kept], int(((kind[mine] & wire.SEEDED) != 0)[kept].sum()), faults


def _unusual(collection: Collection, content: bytes, textual: bool) -> tuple[wire.Batch | None, Ints]:
    """A message of another length than that of one report."""
    faults = np.zeros(len(FAULTS), dtype=np.int64)
    try:
        message = wire.from_text(content.decode("latin-1")) if textual else content
        return wire.parse_one(collection, message), faults
    except ReportError:
        faults[1] = 1
        return None, faults


TABLES = (*FORMATS["parquet"].endings, ".csv")


def aggregate_source(
    collection: Collection, path: str, *, engine: str | None = None, column: str = "report", skip: bool = False
) -> Aggregate:
    """Count reports in any form: a file of messages, a table (its file, or the URL of a database with the table's name
    after #), or an aggregate."""
    if is_url(path):
        url, _, name = path.partition("#")
        if not name:
            raise PolicyError(
                tr("the name of a table is missing"),
                where=public_url(url),
                remedy=tr("Write its name after #: postgresql://…#reports."),
            )
        where = tr("{url}, table {name}", url=public_url(url), name=name)
        return aggregate_column(collection, table_in(connect(url), name, Data(), where), column, skip=skip)
    name = path.lower().rstrip("/")
    foreign = collection.count_foreign(Path(path)) if name.endswith(".csv") and Path(path).is_file() else None
    if foreign is not None:
        counts, seeded = foreign
        return Aggregate.from_counts(collection, counts, int(counts[:, 0].sum()), seeded=seeded)
    if name.endswith(TABLES) or Path(path).is_dir() or any(mark in path for mark in "*?["):
        return aggregate_column(collection, read(path, Data(), connect(engine), once=True), column, skip=skip)
    if is_aggregate(Path(path)):
        return Aggregate.load(collection, path)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ReportError(
            tr("cannot be read: {reason}", reason=reason(error)), where=path, remedy=tr("Check the path.")
        ) from None
    if content.startswith(wire.MAGIC):
        return Aggregate.of(collection, *wire.parse(collection, content, where=path))
    return _lines(collection, content, path, skip)


def _lines(collection: Collection, content: bytes, path: str, skip: bool) -> Aggregate:
    """Count reports that are lines of text."""
    import pyarrow as pa

    try:
        lines = [line.strip() for line in content.decode("ascii" if content[:1] != b"{" else "utf-8").split("\n")]
    except UnicodeDecodeError:
        raise ReportError(
            tr("is not a file of reports"),
            where=path,
            remedy=tr("Give a file that clients or `cobogo collect encode` wrote."),
        ) from None
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise ReportError(tr("contains no reports"), where=path, remedy=tr("Check the path."))
    if lines[0].startswith("{"):
        lines = [wire.json_report(line) for line in lines]
    found = read_reports(collection, pa.array(lines, pa.string()))
    if not skip:
        refuse_faults(found.faults, len(found.rows), where=path)
    return Aggregate.of(collection, wire.Batch(found.rows, found.seeded > 0))


def write_reports(
    collection: Collection, rows: Rows, path: Path, form: str | None = None, *, seeded: bool = False
) -> str:
    """Write reports in a form (by the file's name, if none is named), whole or not at all; the form."""
    chosen = form or SUFFIXES.get(path.suffix.lower(), "binary")
    if chosen not in FORMS:
        raise PolicyError(
            tr("must be one of {known}. Got {value!r} instead", known=", ".join(FORMS), value=chosen),
            where="--form",
            remedy=tr("Leave --form out to choose it by the name of the file."),
        )
    if path.exists():
        raise OutputError(tr("already exists"), where=str(path), remedy=tr("Choose another --out."))
    with stage_file(path) as stage:
        FORMS[chosen](collection, rows, stage, seeded)
    return chosen


def _binary(collection: Collection, rows: Rows, path: Path, seeded: bool) -> None:
    with path.open("wb") as file:
        for message in wire.batch_messages(collection, rows, seeded=seeded):
            file.write(message)


def messages(collection: Collection, rows: Rows, seeded: bool) -> Rows:
    """A message for each report."""
    head = np.frombuffer(wire.header(collection, batch=False, seeded=seeded), dtype=np.uint8)
    return np.concatenate([np.broadcast_to(head, (len(rows), len(head))), rows], axis=1)


def texts(collection: Collection, rows: Rows, seeded: bool) -> list[str]:
    """A message for each report, as text."""
    return [wire.to_text(row.tobytes()) for row in messages(collection, rows, seeded)]


def _text(collection: Collection, rows: Rows, path: Path, seeded: bool) -> None:
    path.write_text("".join(f"{line}\n" for line in texts(collection, rows, seeded)), encoding="ascii")


def _json(collection: Collection, rows: Rows, path: Path, seeded: bool) -> None:
    lines = (wire.json_line(collection, row.tobytes()) for row in messages(collection, rows, seeded))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _csv(collection: Collection, rows: Rows, path: Path, seeded: bool) -> None:
    path.write_text("".join(f"{line}\n" for line in ["report", *texts(collection, rows, seeded)]), encoding="ascii")


def _parquet(collection: Collection, rows: Rows, path: Path, seeded: bool) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    written = pa.table({"report": pa.array(texts(collection, rows, seeded), pa.string())})
    pq.write_table(written, path, compression="zstd", use_dictionary=False)


def _google(collection: Collection, rows: Rows, path: Path, seeded: bool) -> None:
    if getattr(collection, "hashing", "cobogo") == "cobogo":
        raise PolicyError(
            tr("google needs a collection by rappor with the hashing of Google's clients"),
            where="--form",
            remedy=tr('Write hashing = "google" in {where}.', where=collection.where),
        )
    (cohorts,), bits = collection.protocol.layout.unpack(rows)
    path.write_text(reports_text(cohorts, bits, seeded=seeded), encoding="ascii")


FORMS: dict[str, Callable[[Collection, Rows, Path, bool], None]] = {
    "binary": _binary, "text": _text, "json": _json, "csv": _csv, "parquet": _parquet, "google": _google,
}  # fmt: skip
"""Ways to write reports to a file."""

SUFFIXES = {".txt": "text", ".jsonl": "json", ".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}
