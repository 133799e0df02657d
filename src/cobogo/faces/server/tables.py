"""Data sets: received, looked at, paged through. Rows are read from a copy that can be entered anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from cobogo.data.policy import Data
from cobogo.data.table.files import guess_separator
from cobogo.data.table.read import read
from cobogo.errors import DataError, InputError
from cobogo.faces.server import drafts, profiles, rows
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.files import data_name, safe_name
from cobogo.faces.server.sources import copy_table, offered, sources
from cobogo.faces.server.state import DATASETS, JOBS, packed

__all__ = [
    "about",
    "attach",
    "attached",
    "fetch",
    "forget",
    "forget_unfinished",
    "offered",
    "page",
    "receive",
    "sources",
    "suggestion",
]


def receive(
    context: ServerContext,
    owner: str,
    name: str,
    upload: IO[bytes],
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str | None = None,
) -> str:
    """Take in a table: a CSV or a Parquet file. What is none is refused, and nothing is kept of it.

    What is not said of a CSV file is guessed: its separator from its header, its decimal mark from its columns.
    """

    def kept(stage: Path) -> Path:
        context.files.keep(upload, stage / "upload")
        return (stage / "upload").rename(stage / data_name(stage / "upload", context.settings.limits))

    return _taken_in(context, owner, name, kept, separator, encoding, decimal)


def fetch(context: ServerContext, owner: str, source: str, table: str, *, name: str | None = None) -> str:
    """Take in a table of a database that the settings name: a copy of it, as it is now, becomes a data set."""

    def copied(stage: Path) -> Path:
        file = stage / "data.parquet"
        copy_table(context, owner, source, table, file)
        return file

    return _taken_in(context, owner, name or table, copied)


def _taken_in(
    context: ServerContext,
    owner: str,
    name: str,
    fill: Callable[[Path], Path],
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str | None = None,
) -> str:
    mine = context.state.rows(DATASETS, owner)
    if len(mine) >= context.settings.limits.datasets:
        raise InputError("too many data sets", where="datasets", remedy="Delete some first.")
    label = name.replace("\\", "/").rpartition("/")[2] or "table"  # what people call it; no place of ours
    identity = context.state.add(DATASETS, owner=owner, name=label, about="")
    try:
        with context.files.receiving(identity) as stage:
            file = fill(stage)
            about = _looked_at(file, stage, separator, encoding)
            about |= {"size": file.stat().st_size, "file": file.name, "decimal": decimal}
        context.state.change(DATASETS, identity, about=packed(about))
    except BaseException:
        context.state.remove(DATASETS, identity)
        raise
    return identity


def _looked_at(file: Path, stage: Path, separator: str | None, encoding: str) -> dict[str, Any]:
    if encoding not in ("utf-8", "latin-1"):
        raise InputError("must be utf-8 or latin-1", where="encoding")
    if separator is not None and (len(separator) != 1 or separator.isalnum() or not separator.isascii()):
        raise InputError("must be one character that is neither a letter nor a digit", where="separator")
    data = Data.model_validate({"separator": separator or guess_separator(file, encoding), "encoding": encoding})
    engine = rows.opened()
    try:
        with engine.guarded("reading"):
            table = read(file, data, engine)
            rows.write(engine.as_text(table.expression), stage)
            number = table.rows()
            columns = list(table.columns)
    except DataError as error:
        raise DataError(error.what, where=_unplaced(error.where, file), remedy=error.remedy) from None
    if not number:
        raise DataError("has no rows", where="file")
    return {"columns": columns, "rows": number, "separator": data.separator, "encoding": encoding}


def _unplaced(where: str | None, file: Path) -> str:
    """A place as the uploader knows it: their file has no path here."""
    return "file" if where is None else where.replace(str(file), "file")


def forget_unfinished(context: ServerContext) -> None:
    """Forget uploads that a server was killed in the midst of: nothing of them is a data set."""
    for row in context.state.rows(DATASETS, about=""):
        context.state.remove(DATASETS, row["id"])


def about(row: dict[str, Any]) -> dict[str, Any]:
    """What is known of a data set."""
    found: dict[str, Any] = json.loads(row["about"] or "{}")
    return found


def page(
    context: ServerContext, row: dict[str, Any], offset: int, limit: int, order: rows.Order | None = None
) -> list[tuple[int, list[str | None]]]:
    """Some rows with their numbers, as text."""
    known = about(row)
    found = rows.page(context.files.dataset(row["id"]), known["columns"], known["rows"], offset, limit, order)
    return [(int(number), list(values)) for number, *values in found]


def suggestion(context: ServerContext, row: dict[str, Any]) -> tuple[list[dict[str, Any]], str]:
    """What each column seems to be, and a policy to start from."""
    found = profiles.of(context.files.dataset(row["id"]), about(row))
    columns = [{key: value for key, value in one.items() if key not in ("shape", "sort")} for one in found["columns"]]
    return columns, found["policy"]


def forget(context: ServerContext, owner: str, identity: str) -> None:
    """Delete somebody's data set, unless a job works on it. What was released of it stays."""
    busy = [
        row for state in ("queued", "running", "cancelling") for row in context.state.rows(JOBS, owner, state=state)
    ]
    if any(json.loads(row["asked"]).get("dataset") == identity for row in busy):
        raise InputError("a job works on it", where="dataset", remedy="Wait for it, or cancel it.")
    if context.state.get(DATASETS, identity, owner) is not None:
        context.state.remove(DATASETS, identity)
        drafts.forget(context.state, identity)
        context.files.forget("datasets", identity)


def attached(context: ServerContext, identity: str) -> list[str]:
    """The files that policies of a data set may name."""
    return sorted(file.name for file in (context.files.dataset(identity) / "files").iterdir() if file.is_file())


def attach(context: ServerContext, identity: str, name: str, upload: IO[bytes]) -> str:
    """Keep a file that policies may name."""
    return context.files.attach(identity, safe_name(name), upload)
