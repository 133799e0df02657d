"""Sources that are not files of this machine: copied once into a private directory, and read from there."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cobogo.data.lakes.base import LakeTable
from cobogo.data.lakes.delta import DeltaTable, has_log
from cobogo.data.lakes.iceberg import IcebergTable
from cobogo.data.policy import Data, Policy
from cobogo.errors import PolicyError
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr
from cobogo.floor.language.errors import rename_in_errors
from cobogo.floor.storage import copy_files
from cobogo.floor.urls import remote_url


@dataclass(frozen=True, eq=False)
class LocalCopy:
    """A copy of what is elsewhere, with what the evidence records of it.

    It is removed when it is no longer needed, and at the latest with this object.
    """

    place: str
    path: Path
    record: dict[str, Any]
    remove: Callable[[], object]
    version: int | None = None

    @contextmanager
    def naming(self) -> Iterator[None]:
        """A block whose errors name the place, and not the copy."""
        with rename_in_errors(str(self.path), self.place):
            yield

    def options(self, data: Data) -> Data:
        """How the copy is read: one of a lake's table is a Parquet file."""
        return data if self.version is None else data.model_copy(update={"format": None, "version": None})


def fetch(place: str | Path, data: Data) -> LocalCopy:
    """Copy what a place stands for: everything is then decided on one copy."""
    lake, url = open_lake(place, data.format), remote_url(place)
    if lake is None and (data.version is not None or url is None):
        raise PolicyError(
            tr("is not a table of a lake, and has no versions"),
            where=url or str(place),
            remedy=tr("Leave out data.version, or name a Delta or Iceberg table."),
            code="COBOGO-POLICY-VALUE",
        )
    scratch = create_scratch(Path(tempfile.gettempdir()), "cobogo-copy-")
    try:
        copied = _copy(lake, data, scratch) if lake is not None else _download(str(url), scratch)
    except BaseException:
        remove_scratch(scratch)
        raise
    weakref.finalize(copied, remove_scratch, scratch)
    return copied


def _copy(lake: LakeTable, data: Data, scratch: Path) -> LocalCopy:
    file = scratch / "table.parquet"
    version = lake.copy(data.version, file)
    record = {"path": lake.place, "format": lake.format, "version": version}
    return LocalCopy(lake.place, file, record, lambda: remove_scratch(scratch), version)


def _download(url: str, scratch: Path) -> LocalCopy:
    path, copies = copy_files(url, scratch)
    record = {"path": url, "files": [asdict(copy) for copy in copies]}
    return LocalCopy(url, path, record, lambda: remove_scratch(scratch))


def open_lake(place: str | Path, form: str | None = None) -> LakeTable | None:
    """The table of a lake that is at a place, or that a policy says is there; None where files are.

    >>> open_lake("iceberg://house/health.people").name, open_lake("people.csv")
    ('health.people', None)
    """
    text = str(place)
    if form == IcebergTable.format or text.lower().startswith("iceberg:/"):
        return IcebergTable(text)
    return DeltaTable(text) if form == DeltaTable.format or has_log(text) else None


def output_lake(policy: Policy) -> LakeTable:
    """The table of a lake that a policy's release goes to."""
    lake = open_lake(policy.resolve(str(policy.output.table)), policy.output.format)
    assert lake is not None
    return lake
