"""Releases whose rows are drawn: randomized, perturbed, masked, sampled, synthetic, protected points and trips."""

from __future__ import annotations

import tempfile
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cobogo.data.engines.engine import Engine, Expression, connect
from cobogo.data.policy import Role
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source, source
from cobogo.floor.representation import table
from cobogo.promises.models.check import ModelVerdict
from cobogo.release.contract import Json, Meaning, ReadBack, Release, Transformation, Verdict, Written
from cobogo.release.dictionary import AS_COLLECTED
from cobogo.release.manifest import ColumnEntry, DataEntry, Manifest
from cobogo.release.readback import open_released_rows
from cobogo.release.verify import check_drawn_rows

if TYPE_CHECKING:
    from cobogo.floor.language import Speech


Row = list[str | float | None]
"""A row of a table of the report."""


@dataclass(frozen=True, eq=False, repr=False)
class RowWise:
    """Rows of which each is drawn by itself: what is read, and what is made of a batch of it.

    The batches may be in other processes, of which each draws from its own operating system's entropy.
    """

    rows: Expression
    change: Callable[[Any], Any]


def row_source(table: Table, seed: int | None, where: str) -> Source:
    """The randomness of rows that are drawn by themselves. A seed would let every worker draw the same."""
    if seed is not None and table.engine.keeps_records:
        raise PolicyError(
            tr("a seed would let all workers of {engine} draw the same numbers", engine=table.engine.name),
            where=where,
            remedy=tr("Leave out the seed, or use DuckDB."),
            code="COBOGO-ENGINE",
        )
    return source(seed)


@dataclass(frozen=True, repr=False)
class Section:
    """A part of the report: a table with a sentence above it. Numbers are given as they are; the report writes them."""

    title: str
    lead: str
    header: Sequence[str]
    rows: Sequence[Row]


@dataclass(frozen=True, repr=False)
class Bars:
    """A plot of the report: for each label one bar of each series (shares, at most 1)."""

    stem: str  # the file's name, without .png
    title: str
    what: str
    labels: Sequence[str]
    series: Mapping[str, Sequence[float]]


@dataclass(frozen=True, repr=False)
class Story:
    """What the report tells beside the verdict: it may compare with the original, and stays with the data holder.

    ``summary`` is what report.json holds of it.
    """

    summary: Mapping[str, Any]
    headline: str
    keys: Sequence[tuple[str, str, str]] = ()  # name, value, why
    sections: Sequence[Section] = ()
    plots: Sequence[Bars] = ()


@dataclass(frozen=True, eq=False, repr=False)
class DrawnReadBack(ReadBack):
    """With the released table, as it was read back."""

    rows: Table


class DrawnRows(Transformation):
    """Rows are drawn once, kept on disk, and checked by the function that `release.verify.CHECKS` names."""

    reporter: ClassVar[str] = "cobogo.tell.report.write:write_drawn_report"
    remedy: ClassVar[str] = tr("Nothing was written. Ask for a weaker guarantee, or leave out retention.")

    new_columns: ClassVar[bool] = False  # whether none of the released columns is one of the original's
    together: ClassVar[bool] = True  # whether rows are drawn together, from records that must be in one process

    def row_wise(self, table: Table, columns: Sequence[str]) -> RowWise | None:  # noqa: ARG002
        """How each row is drawn by itself; None where rows are not drawn from records one by one."""
        return None

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:
        """The released rows as Arrow record batches of one schema with exactly these columns, in any order."""
        part = self.row_wise(table, columns)
        assert part is not None, "what is not drawn row by row has batches of its own"
        yield from map(part.change, table.engine.batches(part.rows))

    @property
    @abstractmethod
    def meanings(self) -> Mapping[str, Meaning]:
        """What the values of each changed column mean; the others are as collected."""

    @abstractmethod
    def statement(self) -> Json:
        """What the public manifest says of it, as JSON: parameters, and nothing that tells of the original."""

    def private_statement(self) -> Json:
        """What the evidence keeps beside the policy, as JSON."""
        return {}

    @property
    def model_entries(self) -> tuple[Json, ...]:
        """The guarantees that are promised, as the policy writes models: verification measures them."""
        return ()

    @abstractmethod
    def story(self, before: Table, after: Table, say: Speech) -> Story:
        """What the report tells. ``after`` is the released table as it was read back."""

    def draw(self, release: Release) -> Table:
        """A table of the engine that keeps its records, and draws where they are; or of an engine of our own, or of the
        database that it goes into. Its file goes with the release."""
        import pyarrow.parquet as pq

        kept = release.table.engine
        if kept.keeps_records and (part := self.row_wise(release.table, release.columns)) is not None:
            with kept.guard("transforming"):
                return Table(kept, kept.map_batches(part.rows, part.change), "the rows drawn")
        home = create_scratch(Path(tempfile.gettempdir()), "cobogo-drawn-")
        weakref.finalize(release, remove_scratch, home)
        file, writer = home / "rows.parquet", None
        with release.table.engine.guard("transforming"):
            for batch in self.batches(release.table, release.columns):
                writer = writer or pq.ParquetWriter(file, batch.schema, compression="lz4")
                writer.write_batch(batch)
            assert writer is not None
            writer.close()
            if release.origin.output.format == "table":
                into = release.table.engine
                return Table(into, into.load_arrow(pq.read_table(file)), str(release.origin.output.table))
            engine = connect()
            return Table(engine, engine.load_parquet([str(file)], "the rows drawn", [], once=True), "the rows drawn")

    def engine(self, release: Release) -> Engine:
        """The engine of the rows drawn."""
        return release.drawn_table.engine

    def record_count(self, release: Release) -> int:
        """The number of records drawn."""
        return release.drawn_table.rows()

    def manifest(self, release: Release, rows: Path | Table) -> Manifest:
        """A column is as collected unless its meaning says otherwise."""
        columns = []
        for name in release.columns:
            known = None if self.new_columns else release.origin.roles.get(name)
            added = known is None or known is Role.IDENTIFIER  # nothing of an identifier is left but its name
            role = Role.NON_SENSITIVE if known is None or added else known
            changed = self.meanings.get(name)
            text, truthful = (AS_COLLECTED, True) if changed is None else (changed.text, changed.truthful)
            columns.append(ColumnEntry(name=name, role=role, meaning=text, truthful=truthful, added=added))
        return Manifest(
            format="cobogo-release/1",
            kind=self.kind,
            data=DataEntry.describe(rows, release.origin.data, release.origin.output, self.record_count(release)),
            columns=tuple(columns),
            models=(),
            files={},
            transformation=self.statement(),
        )

    def read_back(self, release: Release, rows: Path | Table, public: Path) -> ReadBack:
        """The rows must be as many as were drawn, and such as the manifest says they were made."""
        unsigned = self.manifest(release, rows)
        after, records = open_released_rows(rows, unsigned), self.record_count(release)
        found = check_drawn_rows(Written(unsigned, after, self.model_entries, self.private_statement(), public))
        lost: tuple[str, ...] = (
            ()
            if after.rows() == records
            else (tr("the file does not have the {records:,} records that were drawn", records=records),)
        )
        models = tuple(_public(verdict) for verdict in found.verdicts if not verdict.undecided)
        verdict = Verdict(found.verdicts, (*lost, *found.problems), records, None, found.notes)
        return DrawnReadBack(unsigned, verdict, models, after)

    def evidence(self, release: Release, read: ReadBack) -> Json:  # noqa: ARG002
        """The private statement, and the number of original records."""
        return {"transformation": self.private_statement(), "input": {"records": release.table.rows()}}

    def summary(self, release: Release) -> tuple[str, ...]:
        """Its kind, its columns and its promises."""
        return (self.kind, ", ".join(release.columns), *map(_promise, self.model_entries))

    def figures(self, release: Release) -> str:
        """The released columns, and what their values mean."""
        rows = [
            [name, str(self.meanings[name].text if name in self.meanings else AS_COLLECTED)] for name in release.columns
        ]
        return table(repr(release), [tr("column"), tr("meaning")], rows)


def _public(verdict: ModelVerdict) -> Json:
    """A promise as the manifest states it: without its figure, where that tells of the original's distribution."""
    entry = verdict.as_dict()
    return entry if verdict.model.follows_from_release else {k: v for k, v in entry.items() if k != "measured"}


def _promise(asked: Mapping[str, Any]) -> str:
    """A guarantee asked for, as people write it."""
    given = ", ".join(f"{name} = {value}" for name, value in asked.items() if name != "model")
    return f"{asked['model']} ({given})"
