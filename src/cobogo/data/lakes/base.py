"""The contract of a table of a lake: it is read as it was at one version, and written in one commit.

`table.delta` and `table.iceberg` follow it. Neither kind of table is a directory of Parquet files: files of removed
rows lie beside those of the table. So both are read and written by their own libraries. A policy never gives these
credentials: Delta Lake takes them from the environment, Iceberg from the configuration of its catalogues.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from cobogo.errors import CobogoError, DataError, InputError, OutputError
from cobogo.floor.language import Text, tr
from cobogo.floor.services import service_error
from cobogo.floor.storage import sha256

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

        with self.explain():
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
        with self.explain(writing=True):
            self._begin(files[0])
        try:
            for file in files:
                with self.explain(writing=True):
                    put.append(self._put(file))
                self._refuse_damage(file, put[-1])
            with self.explain(writing=True):
                version, commit = self._prepare(files, put)
            yield version
            with self.explain(writing=True):
                commit()
        except BaseException:
            for name in put:
                with suppress(Exception):  # the failure above is what matters; no reader looks at these files
                    self._remove(name)
            raise

    def _refuse_damage(self, file: Path, name: str) -> None:
        """What was put there must be what was verified here."""
        with self.explain():
            arrived = self._hash(name)
        if arrived != hash_file(file):
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
    def explain(self, *, writing: bool = False) -> Iterator[None]:
        """A block of a lake's library, whose errors are raised in our words: its own may quote addresses and keys."""
        try:
            yield
        except (CobogoError, ModuleNotFoundError):
            raise
        except Exception as error:
            raise _lake_error(error, self.place, writing) from None


def hash_file(file: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
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
