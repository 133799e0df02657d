"""Data sets: received, looked at, paged through. Rows are read from a copy that can be entered anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from cobogo.errors import DataError, InputError
from cobogo.policy import Data
from cobogo.schema import inspecting
from cobogo.schema.starter import starter_policy
from cobogo.server.files import data_name, safe_name
from cobogo.server.house import House
from cobogo.server.sources import copy_table, offered, sources
from cobogo.server.state import DATASETS, packed
from cobogo.table.connect import connect
from cobogo.table.files import guess_separator
from cobogo.table.read import read

__all__ = ["about", "attach", "attached", "fetch", "offered", "page", "receive", "sources", "suggestion", "values"]

PAGES = "rows.parquet"
NUMBER = "cobogo row"


def receive(
    house: House, owner: str, name: str, upload: IO[bytes], *, separator: str | None = None, encoding: str = "utf-8"
) -> str:
    """Take in a table: a CSV or a Parquet file. What is none is refused, and nothing is kept of it."""

    def kept(stage: Path) -> Path:
        house.files.keep(upload, stage / "upload")
        return (stage / "upload").rename(stage / data_name(stage / "upload", house.settings.limits))

    return _taken_in(house, owner, name, kept, separator, encoding)


def fetch(house: House, owner: str, source: str, table: str, *, name: str | None = None) -> str:
    """Take in a table of a database that the settings name: a copy of it, as it is now, becomes a data set."""

    def copied(stage: Path) -> Path:
        file = stage / "data.parquet"
        copy_table(house, owner, source, table, file)
        return file

    return _taken_in(house, owner, name or table, copied)


def _taken_in(
    house: House,
    owner: str,
    name: str,
    fill: Callable[[Path], Path],
    separator: str | None = None,
    encoding: str = "utf-8",
) -> str:
    mine = house.state.rows(DATASETS, owner)
    if len(mine) >= house.settings.limits.datasets:
        raise InputError("too many data sets", where="datasets", remedy="Delete some first.")
    identity = house.state.add(DATASETS, owner=owner, name=name, about="")
    try:
        with house.files.receiving(identity) as stage:
            file = fill(stage)
            about = _looked_at(file, stage, separator, encoding)
            about |= {"size": file.stat().st_size, "file": file.name}
        house.state.change(DATASETS, identity, about=packed(about))
    except BaseException:
        house.state.remove(DATASETS, identity)
        raise
    return identity


def _looked_at(file: Path, stage: Path, separator: str | None, encoding: str) -> dict[str, Any]:
    if encoding not in ("utf-8", "latin-1"):
        raise InputError("must be utf-8 or latin-1", where="encoding")
    if separator is not None and (len(separator) != 1 or separator.isalnum() or not separator.isascii()):
        raise InputError("must be one character that is neither a letter nor a digit", where="separator")
    data = Data.model_validate({"separator": separator or guess_separator(file, encoding), "encoding": encoding})
    engine = connect()
    try:
        with engine.guarded("reading"):
            import ibis

            table = read(file, data, engine)
            texts = {name: table.text(name) for name in table.columns}
            numbered = table.expression.select(**texts, **{NUMBER: ibis.row_number()})
            engine.write_parquet(numbered, stage / PAGES)
            rows = table.rows()
            columns = list(table.columns)
    except DataError as error:
        raise DataError(error.what, where=_unplaced(error.where, file), remedy=error.remedy) from None
    if not rows:
        raise DataError("has no rows", where="file")
    return {"columns": columns, "rows": rows, "separator": data.separator, "encoding": encoding}


def _unplaced(where: str | None, file: Path) -> str:
    """A place as the uploader knows it: their file has no path here."""
    return "file" if where is None else where.replace(str(file), "file")


def about(row: dict[str, Any]) -> dict[str, Any]:
    """What is known of a data set."""
    found: dict[str, Any] = json.loads(row["about"] or "{}")
    return found


def page(house: House, identity: str, offset: int, limit: int) -> list[list[str | None]]:
    """Some rows, as text."""
    engine = connect()
    with engine.guarded("reading"):
        table = engine.connection.read_parquet(house.files.dataset(identity) / PAGES)
        wanted = table.filter((table[NUMBER] >= offset) & (table[NUMBER] < offset + limit)).order_by(NUMBER)
        found = engine.fetch(wanted.drop(NUMBER))
    columns = [column.to_pylist() for column in found.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def values(house: House, identity: str, column: str, most: int) -> list[str | None]:
    """The most frequent values of a column: for its steward's eyes."""
    engine = connect()
    with engine.guarded("reading"):
        table = engine.connection.read_parquet(house.files.dataset(identity) / PAGES)
        counts = table.group_by(value=table[column]).aggregate(records=table.count())
        top = counts.order_by([counts["records"].desc(), counts["value"]]).limit(most)
        return list(engine.fetch(top)["value"].to_pylist())


def suggestion(house: House, row: dict[str, Any]) -> tuple[list[dict[str, Any]], str]:
    """What each column seems to be, and a policy to start from."""
    known = about(row)
    file = house.files.dataset(row["id"]) / known["file"]
    options, profiles, suggested = inspecting.inspect(file, known["separator"], known["encoding"])
    text = starter_policy(profiles, suggested, path=None, separator=options.separator, encoding=options.encoding)
    return inspecting.as_json(profiles, suggested), text


def attached(house: House, identity: str) -> list[str]:
    """The files that policies of a data set may name."""
    return sorted(file.name for file in (house.files.dataset(identity) / "files").iterdir() if file.is_file())


def attach(house: House, identity: str, name: str, upload: IO[bytes]) -> str:
    """Keep a file that policies may name."""
    return house.files.attach(identity, safe_name(name), upload)
