"""Tables of lakes, Delta Lake and Apache Iceberg: read as they were at one version, and written in one commit.

Neither is a directory of Parquet files: files of removed rows lie beside those of the table. So both are read and
written by their own libraries, which a policy never gives credentials to: Delta Lake takes them from the environment,
Iceberg from the configuration of its catalogues.
"""

from __future__ import annotations

import glob
import json
import re
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from cobogo.data.policy import Policy
from cobogo.data.table.engine import RELEASED, foreign_table
from cobogo.data.table.files import LOG
from cobogo.errors import CobogoError, DataError, InputError, OutputError, PolicyError
from cobogo.floor.language import Text, tr
from cobogo.floor.services import service_error
from cobogo.floor.storage import CLOUD, ObjectStorage, s3_endpoint, sha256
from cobogo.floor.urls import remote_url

ICEBERG = re.compile(r"iceberg:/+([^/?#@]+)/([^/?#@]+\.[^/?#@]+)", re.IGNORECASE)
"""A table of a catalogue, with its namespace. A `Path` keeps one slash of the two."""

Commit = Callable[[], None]


class LakeTable(ABC):
    """A table of a lake. Its versions have numbers; each commit makes a new one."""

    format: ClassVar[str]
    name: str  # what may be published of where it is

    def __init__(self, place: str) -> None:
        self.place = place

    def copy(self, version: int | None, file: Path) -> int:
        """Copy the rows of a version, or of the latest one, into a Parquet file; the version's number."""
        import pyarrow.parquet as pq

        with self._explain():
            batches, number = self._batches(version)
            with pq.ParquetWriter(file, batches.schema, compression="lz4") as writer:
                for batch in batches:
                    writer.write_batch(batch)
        return number

    @abstractmethod
    def check_new(self) -> None:
        """Refuse to write where there is a table that no release made."""

    @contextmanager
    def new_version(self, files: Sequence[Path]) -> Iterator[int]:
        """Put Parquet files beside the table, where no reader sees them, and give the number of the version that they
        will be. They become it, in one commit and instead of all earlier rows, when the block ends well."""
        put: list[str] = []
        with self._explain(writing=True):
            self._begin(files[0])
        try:
            for file in files:
                with self._explain(writing=True):
                    put.append(self._put(file))
                self._refuse_damage(file, put[-1])
            with self._explain(writing=True):
                version, commit = self._prepare(files, put)
            yield version
            with self._explain(writing=True):
                commit()
        except BaseException:
            for name in put:
                with suppress(Exception):  # the failure above is what matters; no reader looks at these files
                    self._remove(name)
            raise

    def _refuse_damage(self, file: Path, name: str) -> None:
        """What was put there must be what was verified here."""
        with self._explain():
            arrived = self._hash(name)
        if arrived != _hash_file(file):
            raise OutputError(
                tr("did not keep what was written to it"),
                where=self.place,
                remedy=tr("Nothing was committed. Run again."),
            )

    @abstractmethod
    def roll_back(self) -> None:
        """Undo the commit of `new_version`: what was there before is current again."""

    @abstractmethod
    def _begin(self, file: Path) -> None:
        """Note what is there before the commit. The file has the columns to be written."""

    @abstractmethod
    def _batches(self, version: int | None) -> tuple[Any, int]:
        """A reader of Arrow batches, and the version's number."""

    @abstractmethod
    def _prepare(self, files: Sequence[Path], put: Sequence[str]) -> tuple[int, Commit]:
        """The number of the version to come, and what commits it, or fails where another commit came first."""

    @abstractmethod
    def _put(self, file: Path) -> str: ...

    @abstractmethod
    def _hash(self, name: str) -> str: ...

    @abstractmethod
    def _remove(self, name: str) -> None: ...

    @contextmanager
    def _explain(self, *, writing: bool = False) -> Iterator[None]:
        """A block of a lake's library, whose errors are raised in our words: its own may quote addresses and keys."""
        try:
            yield
        except (CobogoError, ModuleNotFoundError):
            raise
        except Exception as error:
            raise _lake_error(error, self.place, writing) from None


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
        return _has_log(self.place)

    def _batches(self, version: int | None) -> tuple[Any, int]:
        import pyarrow as pa
        from deltalake import QueryBuilder

        opened = self._open(version)
        found = QueryBuilder().register("source", opened).execute("SELECT * FROM source")
        return pa.RecordBatchReader.from_stream(found), int(opened.version())

    def check_new(self) -> None:
        with self._explain():
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
        with self._explain(writing=True):
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
        return _hash_file(Path(self.place, name)) if storage is None else storage.hash(name)

    def _remove(self, name: str) -> None:
        if (storage := self._storage) is not None:
            storage.delete([name])
        else:
            Path(self.place, name).unlink()


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
        with self._explain():
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
        with self._explain(writing=True):
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


def open_lake(place: str | Path, form: str | None = None) -> LakeTable | None:
    """The table of a lake that is at a place, or that a policy says is there; None where files are.

    >>> open_lake("iceberg://house/health.people").name, open_lake("people.csv")
    ('health.people', None)
    """
    text = str(place)
    if form == IcebergTable.format or text.lower().startswith("iceberg:/"):
        return IcebergTable(text)
    return DeltaTable(text) if form == DeltaTable.format or _has_log(text) else None


def output_lake(policy: Policy) -> LakeTable:
    """The table of a lake that a policy's release goes to."""
    lake = open_lake(policy.resolve(str(policy.output.table)), policy.output.format)
    assert lake is not None
    return lake


def _has_log(place: str) -> bool:
    """Whether a directory is a Delta table."""
    url = remote_url(place)
    if url is None:
        return Path(place, LOG).is_dir()
    return (
        url.startswith(tuple(f"{scheme}:" for scheme in CLOUD))
        and not glob.has_magic(url)
        and bool(ObjectStorage(f"{url}/{LOG}").names())
    )


def _records(file: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(file).num_rows)


def _hash_file(file: Path) -> str:
    with file.open("rb") as stream:
        return sha256(stream)


FAULTS: tuple[tuple[str, Text, Text], ...] = (
    (
        r"TableNotFound|NoSuchTable|Not a Delta table",
        tr("there is no such table"),
        tr("Check the name, and that your credentials may list what is there."),
    ),
    (r"NoSuchNamespace", tr("there is no such namespace"), tr("Create it in the catalogue first.")),
    (
        r"LogSegment end version|[Ii]nvalid table version|version.*not found",
        tr("has no such version"),
        tr("Check data.version: the table's history lists its versions."),
    ),
    (
        r"CommitFailed|ommit conflict|already exists|CommitState",
        tr("another program changed the table meanwhile"),
        tr("Nothing was committed. Run again."),
    ),
    (
        r"ValueError|TypeError|SchemaMismatch|ArrowInvalid|ArrowNotImplemented|nsupported",
        tr("cannot hold the columns of the release, or has other columns already"),
        tr("Choose another output.table, or drop the table."),
    ),
)
"""What libraries of lakes complain of, as our sentences; the last of them is of what is written."""


def _lake_error(error: Exception, place: str, writing: bool) -> InputError:
    text = f"{type(error).__name__} {error}"
    for mark, what, remedy in FAULTS if writing else FAULTS[:-1]:
        if re.search(mark, text):
            kind, code = (OutputError, "COBOGO-OUTPUT-WRITE") if writing else (DataError, "COBOGO-DATA-FILE")
            return kind(what, where=place, remedy=remedy, code=code)
    return service_error(error, place, writing=writing)
