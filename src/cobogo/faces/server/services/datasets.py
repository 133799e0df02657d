"""Data sets: received, profiled, paged through, deleted. Rows are read from a copy that can be entered anywhere."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from cobogo.data.engines.engine import connect, literal
from cobogo.data.files.settle import reading_options, settle
from cobogo.data.policy import Data
from cobogo.data.table.read import read
from cobogo.errors import DataError, InputError, PolicyError
from cobogo.faces.server import drafts, profiles, rows
from cobogo.faces.server.files import safe_name, take_table
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import KeyScope
from cobogo.faces.server.rows import NUMBER, Counted, RowOrder
from cobogo.faces.server.services.operation import Subject, operation
from cobogo.faces.server.sources import copy_table, list_sources, list_tables
from cobogo.faces.server.state import DATASETS, Row, pack
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr
from cobogo.floor.language.errors import change_error

if TYPE_CHECKING:
    from cobogo.faces.server.context import ServerContext
    from cobogo.faces.server.services.jobs import JobService
    from cobogo.studies.risk import RiskSummary


TEXT = Data(separator=",", encoding="utf-8")
"""How a table is read that is not CSV."""

NOWHERE: Mapping[str, str | None] = {}

__all__ = ["NUMBER", "Counted", "DatasetService", "RowOrder"]


class DatasetService(Subject):
    """The data sets of the caller. The column ``about`` of a row describes the table."""

    def __init__(self, context: ServerContext, jobs: JobService) -> None:
        super().__init__(context)
        self._jobs = jobs

    @property
    def upload_megabytes(self) -> int:
        """The largest file that may be uploaded."""
        return self._context.settings.limits.upload_megabytes

    @operation(KeyScope.DATA, reads=True)
    def list_all(self, holder: Holder) -> list[Row]:
        """The data sets, the latest first."""
        found = self._context.state.rows(DATASETS, holder.owner)
        return [_unpack(row) for row in found if row["about"]]

    @operation(KeyScope.DATA, reads=True)
    def get(self, holder: Holder, identity: str) -> Row:
        """A data set."""
        return _unpack(self._row(DATASETS, identity, holder.owner, "data set"))

    def find(self, holder: Holder, identity: str | None) -> Row | None:
        """A data set; None if it does not exist, or the key may not see data."""
        if identity is None or KeyScope.DATA not in holder.scopes:
            return None
        row = self._context.state.get(DATASETS, identity, holder.owner)
        return None if row is None or not row["about"] else _unpack(row)

    @operation(KeyScope.RELEASES, reads=True)
    def names(self, holder: Holder) -> dict[str, str]:
        """The names of the data sets whose releases the holder sees, by identity."""
        return {row["id"]: row["name"] for row in self._context.state.rows(DATASETS, holder.sees)}

    @operation(KeyScope.RUN, reads=True)
    def own_names(self, holder: Holder) -> dict[str, str]:
        """The names of the holder's data sets, by identity."""
        return {row["id"]: row["name"] for row in self._context.state.rows(DATASETS, holder.owner)}

    @operation(KeyScope.DATA)
    def receive(
        self,
        holder: Holder,
        name: str,
        upload: IO[bytes],
        *,
        separator: str | None = None,
        encoding: str | None = None,
        decimal: str | None = None,
        header: int | None = None,
        places: Mapping[str, str | None] = NOWHERE,
    ) -> str:
        """Take in a table, a file of any kind that can be read; its identity. Anything else is refused, and nothing of
        it is kept.

        What is not said of a CSV file is detected; which line is its ``header`` must be said where it seems to begin
        with a title, and what is above that line is not kept. ``places`` say where in a file the table is (sheet,
        range, table), and what its labels are (labels).
        """
        options = _reading(separator, encoding, places)

        def keep(stage: Path) -> tuple[Path, str | None]:
            sha256 = self._context.files.keep(upload, stage / "upload")
            return take_table(stage / "upload", options, self._context.settings.limits, header), sha256

        return self._take_in(holder.owner, name, keep, options, decimal)

    @operation(KeyScope.DATA)
    def receive_example(self, holder: Holder, name: str, records: int) -> str:
        """Take in made-up patients of Ceará."""
        from cobogo.examples import ceara

        with self.stage(holder) as place:
            ceara.write(place / "ceara.csv", records)
            with (place / "ceara.csv").open("rb") as stream:
                return self.receive(holder, name, stream)

    @operation(KeyScope.DATA)
    def copy_table(self, holder: Holder, source: str, table: str, *, name: str | None = None) -> str:
        """Take in a table of a database that the settings name: a copy of it, as it is now, becomes a data set."""

        def copy(stage: Path) -> tuple[Path, str | None]:
            file = stage / "data.parquet"
            copy_table(self._context, holder.owner, source, table, file)
            return file, None

        return self._take_in(holder.owner, name or table, copy)

    @operation(KeyScope.DATA, reads=True)
    def list_sources(self, holder: Holder) -> list[str]:
        """The databases that the holder may take tables of, by the names that the settings give them."""
        return list_sources(self._context, holder.owner)

    @operation(KeyScope.DATA, reads=True)
    def list_tables(self, holder: Holder, source: str) -> list[str]:
        """The tables of a database that may be taken."""
        return list_tables(self._context, holder.owner, source)

    def _take_in(
        self,
        owner: str,
        name: str,
        fill: Callable[[Path], tuple[Path, str | None]],
        options: Data = TEXT,
        decimal: str | None = None,
    ) -> str:
        context = self._context
        if len(context.state.rows(DATASETS, owner)) >= context.settings.limits.datasets:
            raise InputError(tr("there are too many data sets"), where=tr("data sets"), remedy=tr("Delete one first."))
        label = name.replace("\\", "/").rpartition("/")[2] or "table"  # what people call it; no place of ours
        identity = context.state.add(DATASETS, owner=owner, name=label, about="")
        try:
            with context.files.receiving(identity) as stage:
                with _named(stage / "upload", label):
                    file, sha256 = fill(stage)
                about = _read_table(file, stage, options, label)
                about |= {"size": file.stat().st_size, "file": file.name, "decimal": decimal, "sha256": sha256}
            context.state.change(DATASETS, identity, about=pack(about))
        except BaseException:
            context.state.remove(DATASETS, identity)
            raise
        return identity

    @operation(KeyScope.DATA, reads=True)
    def page(
        self,
        holder: Holder,
        identity: str,
        offset: int,
        limit: int,
        order: RowOrder | None = None,
        part: slice | None = None,
    ) -> list[tuple[int, list[str | None]]]:
        """Some rows with their numbers, as text: of all columns, or of a part of them."""
        known = self.get(holder, identity)["about"]
        folder = self._context.files.dataset(identity)
        found = rows.page(folder, known["columns"], known["rows"], offset, limit, order, part)
        return [(int(number), list(values)) for number, *values in found]

    @operation(KeyScope.DATA, reads=True)
    def count_values(self, holder: Holder, identity: str, column: str, most: int) -> tuple[Counted, int]:
        """The most frequent values of a column, and how many there are."""
        self.get(holder, identity)
        return rows.counts(self._context.files.dataset(identity), column, most)

    @operation(KeyScope.DATA, reads=True)
    def profile(self, holder: Holder, identity: str) -> dict[str, Any]:
        """What each column seems to be and how its values lie, and a policy to start from."""
        return profiles.profile(self._context.files.dataset(identity), self.get(holder, identity)["about"])

    @operation(KeyScope.DATA, reads=True)
    def suggest(self, holder: Holder, identity: str) -> tuple[list[dict[str, Any]], str]:
        """What each column seems to be, and a policy to start from. Shows no values."""
        found = self.profile(holder, identity)
        columns = [{key: value for key, value in one.items() if key not in profiles.VALUES} for one in found["columns"]]
        return columns, found["policy"]

    @operation(KeyScope.DATA, reads=True)
    def assess(self, holder: Holder, identity: str, columns: str) -> RiskSummary:
        """The risk of a table before anything is done, by the columns and the population that a text of JSON names."""
        from cobogo.studies.risk import summarize_risk

        def count() -> RiskSummary:
            told: dict[str, Any] = json.loads(columns)
            engine = connect()
            kept = engine.relation(f"SELECT * FROM read_parquet({literal(str(file))})")
            return summarize_risk(engine.fetch(kept.select(list(told["attributes"]))), told)

        file = self.rows_file(holder, identity)
        return self._context.cache.get("risk", (holder.owner, identity, columns), count)

    @operation(KeyScope.DATA, reads=True)
    def rows_file(self, holder: Holder, identity: str) -> Path:
        """The server's own copy of the rows, a Parquet file of texts with the row's number."""
        self.get(holder, identity)
        return self._context.files.dataset(identity) / rows.PAGES

    @operation(KeyScope.DATA)
    def forget(self, holder: Holder, identity: str) -> None:
        """Delete a data set with its policy and its studies, unless a job works on it. Its releases stay."""
        self.get(holder, identity)
        self._jobs.release_dataset(holder.owner, identity)
        self._context.state.remove(DATASETS, identity)
        drafts.forget(self._context.state, identity)
        self._context.files.forget("datasets", identity)
        self._context.cache.forget(holder.owner, identity)

    def forget_unfinished(self) -> None:
        """Forget uploads that a server was killed in the midst of: nothing of them is a data set."""
        for row in self._context.state.rows(DATASETS, about=""):
            self._context.state.remove(DATASETS, row["id"])

    @operation(KeyScope.DATA, reads=True)
    def list_files(self, holder: Holder, identity: str) -> list[str]:
        """The names of the files that policies of a data set may name."""
        self.get(holder, identity)
        return sorted(
            file.name for file in (self._context.files.dataset(identity) / "files").iterdir() if file.is_file()
        )

    @operation(KeyScope.DATA)
    def attach(self, holder: Holder, identity: str, name: str, upload: IO[bytes]) -> str:
        """Keep a file that policies may name, in place of an earlier one of that name."""
        self.get(holder, identity)
        return self._context.files.attach(identity, safe_name(name), upload)

    @operation(KeyScope.DATA)
    def attach_beside(self, holder: Holder, identity: str, name: str, content: bytes) -> str:
        """Keep a file that policies may name, under a new name if the name is taken; returns its name.

        Versions of the policy, and jobs that wait, name the earlier one.
        """
        self.get(holder, identity)
        folder, (stem, dot, ending) = self._context.files.dataset(identity) / "files", name.rpartition(".")
        stem = stem if dot else ending
        free, number = name, 1
        while (folder / free).is_file() and (folder / free).read_bytes() != content:
            number += 1
            free = f"{stem[:90]}-{number}.{ending}" if dot else f"{stem[:90]}-{number}"
        return self.attach(holder, identity, free, io.BytesIO(content))

    @operation(KeyScope.DATA, reads=True)
    @contextmanager
    def stage(self, holder: Holder) -> Iterator[Path]:  # noqa: ARG002
        """A directory for a file on its way in, on the same disk; it is removed afterwards."""
        place = create_scratch(self._context.files.root / "datasets", ".page-")
        try:
            yield place
        finally:
            remove_scratch(place)


def _unpack(row: Row) -> Row:
    return {**row, "about": json.loads(row["about"] or "{}")}


def _reading(separator: str | None, encoding: str | None, places: Mapping[str, str | None]) -> Data:
    """How an upload is read; what is not said is detected."""
    try:
        return reading_options(separator=separator, encoding=encoding, **places)
    except PolicyError as error:
        raise InputError(error.what, where=str(error.where).lstrip("-"), remedy=error.remedy) from None


@contextmanager
def _named(file: Path, name: str) -> Iterator[None]:
    """A block in which what is wrong with a file is said under the name that its owner knows it by."""
    try:
        yield
    except DataError as error:
        shown = change_error(error, lambda text: text.replace(str(file), name))
        named = DataError(shown.what, where=shown.where or name, remedy=shown.remedy, code=error.code)
        named.offers = error.offers
        raise named from None


def _read_table(file: Path, stage: Path, options: Data, name: str) -> dict[str, Any]:
    """Read a table and copy its rows."""
    engine, data = rows.connect_bounded(), settle(file, options if file.suffix == ".csv" else TEXT)
    with _named(file, name), engine.guard("reading"):
        table = read(file, data, engine)
        rows.write(engine, engine.as_text(table.expression), stage)
        number = table.rows()
        columns = list(table.columns)
    if not number:
        raise DataError(
            tr("has no rows"), where=name, remedy=tr("Upload a table with a header line and at least one row.")
        )
    return {"columns": columns, "rows": number, "separator": data.separator, "encoding": data.encoding}
