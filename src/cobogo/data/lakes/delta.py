"""Tables of Delta Lake: directories of Parquet files with a log of commits, on this machine or in object storage."""

from __future__ import annotations

import glob
import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cobogo.data.engines.engine import RELEASED, foreign_table
from cobogo.data.files.listing import LOG
from cobogo.data.lakes.base import Commit, LakeTable, hash_file
from cobogo.floor.storage import CLOUD, ObjectStorage, s3_endpoint
from cobogo.floor.urls import remote_url


class DeltaTable(LakeTable):
    """A directory with a log, on this machine or in object storage."""

    format = "delta"

    def __init__(self, place: str) -> None:
        super().__init__(remote_url(place) or str(Path(place).absolute()))
        self.name = self.place.rstrip("/").rpartition("/")[2]

    @property
    def _options(self) -> dict[str, str]:
        """What its library does not take from the environment: that an endpoint of S3 on this machine needs no TLS."""
        return {"allow_http": "true"} if (s3_endpoint() or "").startswith("http://") else {}

    @property
    def _storage(self) -> ObjectStorage | None:
        url = remote_url(self.place)
        return None if url is None else ObjectStorage(url)

    def _open(self, version: int | None = None) -> Any:
        from deltalake import DeltaTable as Opened

        return Opened(self.place, version=version, storage_options=self._options)

    def _exists(self) -> bool:
        return has_log(self.place)

    def _batches(self, version: int | None) -> tuple[Any, int]:
        import pyarrow as pa
        from deltalake import QueryBuilder

        opened = self._open(version)
        found = QueryBuilder().register("source", opened).execute("SELECT * FROM source")
        return pa.RecordBatchReader.from_stream(found), int(opened.version())

    def check_new(self) -> None:
        with self.explain():
            ours = not self._exists() or str(self._open().metadata().description or "").startswith(RELEASED)
            occupied = not self._exists() and bool(self._names())
        if not ours or occupied:
            raise foreign_table(self.place)

    def _names(self) -> list[str]:
        if (storage := self._storage) is not None:
            return storage.names()
        return sorted(str(path.relative_to(self.place)) for path in Path(self.place).rglob("*") if path.is_file())

    def _begin(self, file: Path) -> None:  # noqa: ARG002
        self._before = int(self._open().version()) if self._exists() else None

    def _prepare(self, files: Sequence[Path], put: Sequence[str]) -> tuple[int, Commit]:
        import pyarrow.parquet as pq
        from deltalake import CommitProperties, Schema
        from deltalake.transaction import AddAction, create_table_with_add_actions

        schema, now = Schema.from_arrow(pq.read_schema(files[0])), int(time.time() * 1000)
        added = [
            AddAction(name, file.stat().st_size, {}, now, True, json.dumps({"numRecords": _records(file)}))
            for file, name in zip(files, put, strict=True)
        ]
        if self._before is None:
            options = self._options
            return 0, lambda: create_table_with_add_actions(
                self.place, schema, added, description=RELEASED, storage_options=options
            )
        opened, once = self._open(self._before), CommitProperties(max_commit_retries=0)
        return self._before + 1, lambda: opened.create_write_transaction(
            added, "overwrite", schema, commit_properties=once
        )

    def roll_back(self) -> None:
        with self.explain(writing=True):
            if self._before is not None:
                self._open().restore(self._before)
                return
            for name in self._names():
                self._remove(name)

    def _put(self, file: Path) -> str:
        if (storage := self._storage) is not None:
            storage.write(file.name, file)
        else:
            Path(self.place).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, Path(self.place, file.name))
        return file.name

    def _hash(self, name: str) -> str:
        storage = self._storage
        return hash_file(Path(self.place, name)) if storage is None else storage.hash(name)

    def _remove(self, name: str) -> None:
        if (storage := self._storage) is not None:
            storage.delete([name])
        else:
            Path(self.place, name).unlink()


def has_log(place: str) -> bool:
    """Whether a directory is a Delta table."""
    url = remote_url(place)
    if url is None:
        return Path(place, LOG).is_dir()
    return (
        url.startswith(tuple(f"{scheme}:" for scheme in CLOUD))
        and not glob.has_magic(url)
        and bool(ObjectStorage(url).names(LOG))
    )


def _records(file: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(file).num_rows)
