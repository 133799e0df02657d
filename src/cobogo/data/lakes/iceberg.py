"""Tables of Apache Iceberg, which a catalogue of pyiceberg's own configuration finds."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cobogo.data.engines.engine import RELEASED, foreign_table
from cobogo.data.lakes.base import Commit, LakeTable
from cobogo.errors import DataError, PolicyError
from cobogo.floor.language import tr
from cobogo.floor.storage import sha256

ICEBERG = re.compile(r"iceberg:/+([^/?#@]+)/([^/?#@]+\.[^/?#@]+)", re.IGNORECASE)
"""A table of a catalogue, with its namespace. A `Path` keeps one slash of the two."""


class IcebergTable(LakeTable):
    """A table of a catalogue that pyiceberg's own configuration names: ``iceberg://CATALOGUE/namespace.table``."""

    format = "iceberg"

    def __init__(self, place: str) -> None:
        found = ICEBERG.fullmatch(place)
        if found is None:
            raise PolicyError(
                tr("is not the address of an Iceberg table"),
                where="iceberg://…",
                remedy=tr("Write iceberg://CATALOGUE/namespace.table, with a catalogue of pyiceberg's configuration."),
                code="COBOGO-POLICY-VALUE",
            )
        super().__init__(f"iceberg://{found[1]}/{found[2]}")
        self._catalogue_name, self.name = found[1], found[2]

    @property
    def _catalogue(self) -> Any:
        from pyiceberg.catalog import load_catalog
        from pyiceberg.utils.config import Config

        known = Config().get_catalog_config(self._catalogue_name)  # as it is now: the library reads it when it loads
        if not known:
            raise PolicyError(
                tr("there is no catalogue of this name in pyiceberg's configuration"),
                where=self.place,
                remedy=tr("Describe it in .pyiceberg.yaml, or in the environment: PYICEBERG_CATALOG__NAME__URI."),
                code="COBOGO-POLICY-VALUE",
            )
        return load_catalog(self._catalogue_name, **known)  # type: ignore[arg-type]

    def _batches(self, version: int | None) -> tuple[Any, int]:
        opened = self._catalogue.load_table(self.name)
        snapshot = opened.current_snapshot() if version is None else opened.snapshot_by_id(version)
        if snapshot is None:
            raise DataError(
                tr("has no such version") if version is not None else tr("is a table without rows"),
                where=self.place,
                remedy=tr("Check data.version: a snapshot's id, as the table's history lists it."),
                code="COBOGO-DATA-FILE",
            )
        return opened.scan(snapshot_id=snapshot.snapshot_id).to_arrow_batch_reader(), snapshot.snapshot_id

    def check_new(self) -> None:
        with self.explain():
            catalogue = self._catalogue
            ours = not catalogue.table_exists(self.name) or str(
                catalogue.load_table(self.name).properties.get("comment", "")
            ).startswith(RELEASED)
        if not ours:
            raise foreign_table(self.place)

    def _prepare(self, files: Sequence[Path], put: Sequence[str]) -> tuple[int, Commit]:  # noqa: ARG002
        from pyiceberg.expressions import AlwaysTrue

        transaction = self._transaction
        if self._before is not None:
            transaction.delete(AlwaysTrue())
        transaction.add_files(list(put))
        return transaction.table_metadata.current_snapshot().snapshot_id, transaction.commit_transaction

    def roll_back(self) -> None:
        with self.explain(writing=True):
            if self._before is None:
                self._catalogue.drop_table(self.name)
                return
            changes = self._catalogue.load_table(self.name).manage_snapshots()
            changes.rollback_to_snapshot(self._before.snapshot_id).commit()

    def _begin(self, file: Path) -> None:
        import pyarrow.parquet as pq

        catalogue, new = self._catalogue, {"comment": RELEASED, "commit.retry.num-retries": "0"}
        self._transaction = (
            catalogue.load_table(self.name).transaction()
            if catalogue.table_exists(self.name)
            else catalogue.create_table_transaction(self.name, schema=pq.read_schema(file), properties=new)
        )
        self._before = self._transaction.table_metadata.current_snapshot()
        self._io = self._transaction._table.io

    def _put(self, file: Path) -> str:
        location = f"{self._transaction.table_metadata.location}/data/{file.name}"
        with file.open("rb") as stream, self._io.new_output(location).create() as sink:
            shutil.copyfileobj(stream, sink)
        return location

    def _hash(self, name: str) -> str:
        with self._io.new_input(name).open() as stream:
            return sha256(stream)

    def _remove(self, name: str) -> None:
        self._io.delete(name)
