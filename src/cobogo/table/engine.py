"""Engines: where tables live and are counted. DuckDB, embedded, is the default."""

from __future__ import annotations

import re
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cobogo import randomness, scratch
from cobogo.errors import PolicyError
from cobogo.table import coded

Expression = Any
"""An Ibis table or column expression (Ibis is untyped, and imported late)."""


class Engine:
    """A connection to a database, through Ibis. What differs between engines is here and nowhere else."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self._shuffle_key: Callable[[Any], Any] | None = None

    @classmethod
    def connect(cls, url: str | None = None) -> Engine:
        """An engine for a URL; without one, DuckDB in memory that spills to a private directory when it must."""
        import ibis

        if url not in (None, "duckdb", "duckdb://"):
            raise PolicyError(
                "there is no engine for this URL", where="--engine", remedy='Leave it out, or say "duckdb://".'
            )
        spill = scratch.create(Path(tempfile.gettempdir()), "cobogo-spill-")
        engine = cls(ibis.duckdb.connect(temp_directory=str(spill)))
        engine.sql("SET enable_progress_bar = false")
        engine.sql("SET TimeZone = 'UTC'")  # so that times read as text are the same wherever this runs
        weakref.finalize(engine, scratch.remove, spill)
        return engine

    def sql(self, text: str) -> Any:
        """Run a statement in the engine's own language."""
        return self.connection.raw_sql(text)

    def fetch(self, table: Expression) -> Any:
        """An expression's rows as an Arrow table, in memory; coded texts stay coded."""
        return coded.fetch(self.connection, table)

    def in_random_order(self, table: Expression) -> Expression:
        """The same rows, sorted by keys drawn from the operating system's entropy."""
        return table.order_by(self._random_key()(table[table.columns[0]].isnull()))

    def _random_key(self) -> Callable[[Any], Any]:
        if self._shuffle_key is None:
            import ibis
            import ibis.expr.datatypes as dt
            import pyarrow as pa

            def cobogo_random_key(rows: Any) -> Any:
                return pa.array(randomness.keys(len(rows)))

            signature = ((dt.boolean,), dt.int64)
            self._shuffle_key = ibis.udf.scalar.pyarrow(cobogo_random_key, signature=signature)
        return self._shuffle_key

    def write_csv(self, table: Expression, path: Path, *, separator: str) -> None:
        """UTF-8, LF, quotes only where needed; NULL is empty."""
        if len(table.columns) == 1:
            _write_single_column(table, path, separator)
        else:
            table.to_csv(path, delimiter=separator, header=True, quote='"', escape='"', nullstr="")

    def write_parquet(self, table: Expression, path: Path) -> None:
        """One Parquet file, compressed."""
        table.to_parquet(path, compression="zstd")


def _write_single_column(table: Expression, path: Path, separator: str) -> None:
    """Alone in its line, NULL must be written as ``""``: an empty line would be no row. The engine cannot do that."""
    awkward = re.compile(f'[\r\n"{re.escape(separator)}]|^$')

    def field(value: str | None) -> str:
        text = value or ""
        return '"' + text.replace('"', '""') + '"' if awkward.search(text) else text

    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(field(table.columns[0]) + "\n")
        for batch in table.cast({table.columns[0]: "string"}).to_pyarrow_batches():
            stream.writelines(field(value) + "\n" for value in batch.column(0).to_pylist())


def literal(text: str) -> str:
    """A string as SQL writes it.

    >>> literal("d'água")
    "'d''água'"
    """
    return "'" + text.replace("'", "''") + "'"
