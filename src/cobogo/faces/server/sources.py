"""Databases that the server's settings name: stewards take tables of them by name, and never see where they are."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cobogo.data.engines.engine import connect
from cobogo.data.policy import Data
from cobogo.data.table.read import table_in
from cobogo.errors import CobogoError, DataError, InputError
from cobogo.faces.server.files import TooLarge
from cobogo.faces.server.settings import MEGABYTE, SourceDatabase
from cobogo.floor.language import nearest, tr

if TYPE_CHECKING:
    from cobogo.data.engines.engine import Engine
    from cobogo.faces.server.context import ServerContext

LOG = logging.getLogger("cobogo.faces.server")


class NoSource(InputError):
    """There is no such source, or the caller may not use it."""


class SourceAway(InputError):
    """A source that cannot be read now."""


def list_sources(context: ServerContext, owner: str) -> list[str]:
    """The names of the databases whose tables an owner may copy."""
    return sorted(name for name, source in context.settings.sources.items() if source.open_to(owner))


def list_tables(context: ServerContext, owner: str, name: str) -> list[str]:
    """The tables of a source that may be taken."""
    source = _source(context, owner, name)
    if source.tables is not None:
        return sorted(source.tables)
    with _open_source(name, source) as engine:
        return engine.tables()


def copy_table(context: ServerContext, owner: str, name: str, table: str, target: Path) -> None:
    """Write a table of a source to a Parquet file, every column as the text that all engines agree on."""
    import pyarrow.parquet as pq

    source = _source(context, owner, name)
    if source.tables is not None and table not in source.tables:
        raise DataError(
            tr("there is no table {table} that you may copy", table=table),
            where=tr("source {name}", name=name),
            remedy=nearest(table, source.tables, f"GET /sources/{name}/tables"),
        )
    most, size = context.settings.limits.unpacked_megabytes, 0
    with _open_source(name, source) as engine, engine.guard("reading"):
        rows = engine.as_text(
            table_in(engine, table, Data(), tr("source {name}, table {table}", name=name, table=table)).expression
        )
        with pq.ParquetWriter(target, engine.arrow_schema(rows), compression="zstd") as writer:
            for batch in engine.batches(rows):
                size += batch.nbytes
                if size > most * MEGABYTE:
                    raise TooLarge(
                        tr("is larger than {most} MB", most=most),
                        where=tr("source {name}", name=name),
                        remedy=tr("Ask the server's administrator to raise limits.unpacked-megabytes."),
                    )
                writer.write_batch(batch)
    target.chmod(0o600)


def _source(context: ServerContext, owner: str, name: str) -> SourceDatabase:
    source = context.settings.sources.get(name)
    if source is None or not source.open_to(owner):
        raise NoSource(
            tr("there is no such source, or you may not use it"),
            where=tr("source {name}", name=name),
            remedy=tr("Ask the server's administrator."),
        )
    return source


@contextmanager
def _open_source(name: str, source: SourceDatabase) -> Iterator[Engine]:
    """A source's engine. Why it cannot be opened would tell where it is: that goes to the log, by its kind."""
    try:
        engine = connect(source.url)
    except CobogoError as error:
        LOG.warning("the source %s cannot be opened: %s", name, type(error).__name__)
        raise SourceAway(
            tr("cannot be opened now"),
            where=tr("source {name}", name=name),
            remedy=tr("Tell the server's administrator."),
        ) from None
    try:
        yield engine
    finally:
        engine.close()  # whoever drops or changes the table need not wait until the last trace of an error is gone
