"""What engines on a server share: files and frames are read here and sent, and what is written passes through here; and
how functions of their own are called (by Spark's, too)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cobogo.data.engines.duck import DuckDB
from cobogo.data.engines.engine import Engine, Expression, header
from cobogo.data.policy import Data
from cobogo.errors import DataError
from cobogo.floor.language import tr


class Server(Engine):
    """A session with a server that keeps tables of its own."""

    _end: Callable[[], Any]  # of the session

    def close(self) -> None:
        """End the session, with its transaction and its temporary tables."""
        self._end()

    @abstractmethod
    def send(self, reader: DuckDB, table: Expression) -> Expression:
        """A table of DuckDB's as a temporary one of the server's, of the same types where both have them."""

    def load_csv(
        self,
        files: Sequence[str],
        names: Sequence[str],
        data: Data,
        path: str,
        *,
        once: bool = False,  # noqa: ARG002
    ) -> Expression:
        """Parsed here, in the dialect of every engine, and sent."""
        reader = DuckDB()
        return self.send(reader, reader.load_csv(files, names, data, path, once=True))

    def load_parquet(
        self,
        files: Sequence[str],
        path: str,
        partitions: Sequence[str],
        *,
        once: bool = False,  # noqa: ARG002
    ) -> Expression:
        """Read here and sent."""
        reader = DuckDB()
        return self.send(reader, reader.load_parquet(files, path, partitions, once=True))

    def load_arrow(self, table: Any) -> Expression:
        """Sent."""
        reader = DuckDB()
        return self.send(reader, reader.load_arrow(table))

    def write_csv(self, table: Expression, path: Path, *, separator: str) -> None:
        """The server makes the lines; they pass through here a batch at a time."""
        with path.open("w", encoding="utf-8", newline="") as stream:
            stream.write(header(table.columns, separator) + "\n")
            for batch in self.batches(self.lines(table, separator)):
                stream.write("".join(f"{line}\n" for line in batch.column(0).to_pylist()))

    def write_parquet(self, table: Expression, path: Path) -> None:
        """One file, a batch at a time."""
        import pyarrow.parquet as pq

        with pq.ParquetWriter(path, table.schema().to_pyarrow(), compression="zstd") as writer:
            for batch in self.batches(table):
                writer.write_batch(batch)


def unreadable_table(name: str) -> DataError:
    """The error of a table that the login may not read."""
    return DataError(
        tr("you may not read this table"),
        where=name,
        remedy=tr("Ask for SELECT on every column of it."),
        code="COBOGO-DATA-FILE",
    )


def builtin(name: str, *kinds: Any, database: str | None = None) -> Callable[..., Expression]:
    """A function of the engine's own that returns text, for arguments of the kinds given."""
    import ibis

    def none() -> Any: ...

    def one(x: Any) -> Any: ...

    def two(x: Any, y: Any) -> Any: ...

    def three(x: Any, y: Any, z: Any) -> Any: ...

    options = {} if database is None else {"database": database}
    signature = (kinds, "string")
    return ibis.udf.scalar.builtin([none, one, two, three][len(kinds)], name=name, signature=signature, **options)  # type: ignore[no-any-return]
