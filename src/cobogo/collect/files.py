"""Files of reports: messages one after another, lines of text, lines of JSON, or a table; and how to write each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from cobogo.collect import wire
from cobogo.collect.aggregate import Aggregate, is_aggregate
from cobogo.collect.collection import Collection
from cobogo.collect.columns import aggregated, refuse, reports_of
from cobogo.collect.layout import Rows
from cobogo.data.policy import Data
from cobogo.data.table.connect import connect
from cobogo.data.table.files import PARQUET
from cobogo.data.table.read import read, table_in
from cobogo.errors import OutputError, PolicyError, ReportError
from cobogo.floor.files import staged_file
from cobogo.floor.urls import is_url, shown

TABLES = (*PARQUET, ".csv")


def aggregate_source(
    collection: Collection, path: str, *, engine: str | None = None, column: str = "report", skip: bool = False
) -> Aggregate:
    """The counts of reports in any form: a file of messages, a table (its file, or the URL of a database with the
    table's name after #), or an aggregate."""
    if is_url(path):
        url, _, name = path.partition("#")
        if not name:
            raise PolicyError(
                "names no table", where=shown(url), remedy="Write its name after #: postgresql://…#reports."
            )
        where = f"{shown(url)}, table {name}"
        return aggregated(collection, table_in(connect(url), name, Data(), where), column, skip=skip)
    name = path.lower().rstrip("/")
    if name.endswith(TABLES) or Path(path).is_dir() or any(mark in path for mark in "*?["):
        return aggregated(collection, read(path, Data(), connect(engine), once=True), column, skip=skip)
    if is_aggregate(Path(path)):
        return Aggregate.load(collection, path)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ReportError(f"cannot be read: {error.strerror}", where=path, remedy="Check the path.") from None
    if content.startswith(wire.MAGIC):
        return Aggregate.of(collection, *wire.parse(collection, content, where=path))
    return _lines(collection, content, path, skip)


def _lines(collection: Collection, content: bytes, path: str, skip: bool) -> Aggregate:
    """The counts of lines of text."""
    import pyarrow as pa

    try:
        lines = [line.strip() for line in content.decode("ascii" if content[:1] != b"{" else "utf-8").split("\n")]
    except UnicodeDecodeError:
        raise ReportError("is no file of reports", where=path) from None
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise ReportError("holds no reports", where=path)
    if lines[0].startswith("{"):
        lines = [wire.json_report(line) for line in lines]
    found = reports_of(collection, pa.array(lines, pa.string()))
    if not skip:
        refuse(found.faults, len(found.rows), where=path)
    return Aggregate.of(collection, wire.Batch(found.rows, found.seeded > 0))


def write(collection: Collection, rows: Rows, path: Path, form: str | None = None, *, seeded: bool = False) -> str:
    """Write reports in a form (by the file's name, if none is named), whole or not at all; the form."""
    chosen = form or SUFFIXES.get(path.suffix.lower(), "binary")
    if chosen not in FORMS:
        raise PolicyError(f"must be one of {', '.join(FORMS)}. Got {chosen!r} instead", where="--form")
    if path.exists():
        raise OutputError("is there already", where=str(path), remedy="Choose another --out.")
    with staged_file(path) as stage:
        FORMS[chosen](collection, rows, stage, seeded)
    return chosen


def _binary(collection: Collection, rows: Rows, path: Path, seeded: bool) -> None:
    with path.open("wb") as file:
        for message in wire.batches(collection, rows, seeded=seeded):
            file.write(message)


def messages(collection: Collection, rows: Rows, seeded: bool) -> Rows:
    """A message for each report."""
    head = np.frombuffer(wire.header(collection, batch=False, seeded=seeded), dtype=np.uint8)
    return np.concatenate([np.broadcast_to(head, (len(rows), len(head))), rows], axis=1)


def texts(collection: Collection, rows: Rows, seeded: bool) -> list[str]:
    """The same as text."""
    return [wire.text(row.tobytes()) for row in messages(collection, rows, seeded)]


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


FORMS: dict[str, Callable[[Collection, Rows, Path, bool], None]] = {
    "binary": _binary, "text": _text, "json": _json, "csv": _csv, "parquet": _parquet,
}  # fmt: skip
"""Ways to write reports to a file."""

SUFFIXES = {".txt": "text", ".jsonl": "json", ".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}
