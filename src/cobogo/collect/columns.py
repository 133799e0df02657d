"""Reports in a column of a table: one message a row, as bytes or as base64url text, counted where the table is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.collect import wire
from cobogo.collect.aggregate import Aggregate
from cobogo.collect.collection import Collection
from cobogo.collect.layout import Rows
from cobogo.data.table.engine import Expression
from cobogo.data.table.read import Table
from cobogo.errors import DataError, ReportError
from cobogo.floor.arrays import Ints

FAULTS = (
    "empty",
    "no message of Cobogó's, or one that was cut off",
    "of another collection, mechanism or version",
    "no answer that a client could give",
)
"""What can be wrong with a row."""

ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
SEXTETS = np.full(256, 255, dtype=np.uint8)
SEXTETS[np.frombuffer(ALPHABET, dtype=np.uint8)] = np.arange(64, dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Read:
    """The reports of rows, how many of them came from a seed, and how many rows have each of `FAULTS`."""

    rows: Rows
    seeded: int
    faults: Ints


def reports_of(collection: Collection, column: Any) -> Read:
    """The reports of an Arrow array of messages; it never raises for what is in them."""
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
    messages, whole = _decoded(cells, size) if textual else (cells, np.ones(len(cells), dtype=np.bool_))
    faults[1] += int((~whole).sum())
    rows, seeded, wrong = _singles(collection, messages[whole])
    found = [rows]
    for content in present.filter(pa.array(~usual & (lengths > 0))).to_pylist():  # batches, or what is none
        batch, fault = _unusual(collection, content, textual)
        faults += fault
        if batch is not None:
            found.append(batch.rows)
            seeded += len(batch) if batch.seeded else 0
    return Read(np.concatenate(found), seeded, faults + wrong)


def column_reports(collection: Collection, table: Table, column: str) -> Rows:
    """The reports of a table's column in memory, in the order of its rows; each row must hold one."""
    only = _messages(table, column)
    found = reports_of(collection, table.engine.fetch(only)["report"].combine_chunks())
    refuse(found.faults, len(found.rows), where=f"{table.name}, column {column}", skippable=False)
    return found.rows


def aggregated(collection: Collection, table: Table, column: str = "report", *, skip: bool = False) -> Aggregate:
    """The counts of a table's column of messages, made by the table's engine.

    ``skip``: rows that are no reports are left out; otherwise one of them is an error.
    """
    only = _messages(table, column)
    shape = collection.protocol.shape
    begin = 2 + len(FAULTS)
    with table.engine.guarded("counting reports"):
        found = table.engine.tallied(only, partial(_counted, collection), begin + int(np.prod(shape)))
    faults = found[2:begin]
    if not skip:
        refuse(faults, int(found[0]), where=f"{table.name}, column {column}")
    return Aggregate.counted(collection, found[begin:].reshape(shape), int(found[0]), seeded=bool(found[1]))


def _messages(table: Table, column: str) -> Expression:
    """The column of messages alone."""
    if column not in table.columns:
        raise DataError(
            f'has no column "{column}"', where=table.name, remedy="Name the column that holds the reports: --column."
        )
    only = table.expression.select(report=table.expression[column])
    kind = only["report"].type()
    if not (kind.is_string() or kind.is_binary()):
        raise DataError("is neither text nor bytes", where=f"{table.name}, column {column}")
    return only


def refuse(faults: Ints, users: int, *, where: str, skippable: bool = True) -> None:
    """Complain of rows that are no reports."""
    if not faults.any():
        return
    told = "; ".join(f"{count:,} are {what}" for count, what in zip(faults.tolist(), FAULTS, strict=True) if count)
    raise ReportError(
        f"of {users + int(faults.sum()):,} messages, {told}",
        where=where,
        remedy="Look where they come from" + ("; --skip counts the others without them." if skippable else "."),
    )


def _counted(collection: Collection, batch: Any) -> Ints:
    """Users, how many of them were made up, faults, and the counts: all of them add up."""
    read = reports_of(collection, batch.column(0))
    counts = collection.protocol.tally(read.rows).reshape(-1)
    return np.concatenate([[len(read.rows), read.seeded], read.faults, counts]).astype(np.int64)


def _cells(column: Any) -> Rows:
    """The bytes of an array of which each entry is as long."""
    if not len(column):
        return np.zeros((0, 0), dtype=np.uint8)
    _, offsets, content = column.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    return np.frombuffer(content, dtype=np.uint8)[ends[0] : ends[-1]].reshape(len(column), -1)


def _decoded(cells: Rows, size: int) -> tuple[Rows, NDArray[np.bool_]]:
    """Messages of so many bytes from base64url without padding, and which of them are that, in the one way to write it.

    >>> _decoded(np.frombuffer(b"AQIDBA", dtype=np.uint8).reshape(1, 6), 4)[0].tolist()
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
