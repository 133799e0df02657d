"""A release by transformation: what `cobogo.publish.perturb` returns, not yet written. Writing it verifies it."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy, Role
from cobogo.data.table.connect import connect
from cobogo.data.table.engine import Engine, Expression
from cobogo.data.table.read import Table
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.progress import Stopwatch
from cobogo.floor.representation import brief
from cobogo.release.contract import Transformation


@dataclass(eq=False, repr=False)
class Transformed:
    """The rows are drawn when they are first asked for, once, and kept on disk, in a directory that goes with this:
    a second draw of the same table would tell more than the first."""

    policy: Policy
    table: Table
    transformation: Transformation
    warnings: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return brief(self, self.transformation.kind, ", ".join(self.columns), *map(_promise, self.transformation.asked))

    @property
    def columns(self) -> tuple[str, ...]:
        """The released columns, in the order of the input: all but the identifiers."""
        gone = set(self.policy.with_role(Role.IDENTIFIER))
        return self.transformation.columns([name for name in self.table.columns if name not in gone])

    @property
    def engine(self) -> Engine:
        """What writes it."""
        return self.drawn.engine

    @property
    def records(self) -> int:
        """How many records it has."""
        return self.drawn.rows()

    @cached_property
    def drawn(self) -> Table:
        """The released rows, drawn: a table of an engine of our own, or of the database that it goes into."""
        import pyarrow.parquet as pq

        home = create_scratch(Path(tempfile.gettempdir()), "cobogo-drawn-")
        weakref.finalize(self, remove_scratch, home)
        file, writer = home / "rows.parquet", None
        with self.timed("apply"), self.table.engine.guarded("transforming"):
            for batch in self.transformation.batches(self.table, self.columns):
                writer = writer or pq.ParquetWriter(file, batch.schema, compression="lz4")
                writer.write_batch(batch)
            assert writer is not None
            writer.close()
            if self.policy.output.table is not None:
                into = self.table.engine
                return Table(into, into.load_arrow(pq.read_table(file)), self.policy.output.table)
            engine = connect()
            return Table(engine, engine.load_parquet([str(file)], "the rows drawn", [], once=True), "the rows drawn")

    def rows(self) -> Expression:
        """The released rows as an Ibis expression, in random order; sorted, where they are not about single people."""
        drawn, column = self.drawn.expression, self.transformation.falling
        return self.engine.in_random_order(drawn) if column is None else drawn.order_by(drawn[column].desc())

    def to_pandas(self) -> Any:
        """The released rows as a pandas frame."""
        return self.rows().to_pandas()

    def to_polars(self) -> Any:
        """The released rows as a polars frame (polars must be installed)."""
        return self.rows().to_polars()

    def to_arrow(self) -> Any:
        """The released rows as an Arrow table."""
        return self.rows().to_pyarrow()

    def write(self, directory: str | Path) -> Any:
        """Write the release and its evidence, verify it from what was written, and put it in place at once.

        Returns the `Verdict`. Raises, leaving nothing behind, if the verification fails.
        """
        from cobogo.publish.transform import write

        return write(self, Path(directory))

    def timed(self, stage: str) -> Stopwatch:
        """Add what a block takes to the seconds of a stage."""
        return Stopwatch(self.seconds, stage)


def _promise(asked: Mapping[str, Any]) -> str:
    """A guarantee asked for, as people write it."""
    given = ", ".join(f"{name} = {value}" for name, value in asked.items() if name != "model")
    return f"{asked['model']} ({given})"
