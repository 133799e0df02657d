"""Sources that are not files of this machine: copied once into a private directory, and read from there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cobogo.data.table.lakes import LakeTable, open_lake
from cobogo.errors import PolicyError
from cobogo.floor.files import scratch_directory
from cobogo.floor.language import tr
from cobogo.floor.language.errors import rename_in_errors
from cobogo.floor.storage import local_copy, remote_url


@dataclass(frozen=True)
class LocalSource:
    """What a place stands for, on this machine: itself, or a copy with what the evidence records of it."""

    path: Path
    name: str
    version: int | None = None
    record: dict[str, Any] | None = None


@contextmanager
def local_source(place: str | Path, version: int | None = None, form: str | None = None) -> Iterator[LocalSource]:
    """A source for the block: everything that is decided in it is decided on one copy. Errors name the place itself.

    ``version`` is that of a table of a lake, the latest if none is given; ``form`` is the format that a policy names.
    """
    lake, url = open_lake(place, form), remote_url(place)
    if lake is None and version is not None:
        raise PolicyError(
            tr("is not a table of a lake, and has no versions"),
            where=url or str(place),
            remedy=tr("Leave out data.version, or name a Delta or Iceberg table."),
            code="COBOGO-POLICY-VALUE",
        )
    if lake is None and url is None:
        yield LocalSource(Path(place), str(place))
        return
    with scratch_directory(Path(tempfile.gettempdir()), "cobogo-copy-") as scratch:
        if lake is not None:
            yield from _copy_lake(lake, version, scratch)
        else:
            with local_copy(str(url), scratch) as (path, copies):
                record = {"path": url, "files": [asdict(copy) for copy in copies]}
                yield LocalSource(path, str(url), record=record)


def _copy_lake(lake: LakeTable, version: int | None, scratch: Path) -> Iterator[LocalSource]:
    file = scratch / "table.parquet"
    number = lake.copy(version, file)
    with rename_in_errors(str(file), lake.place):
        yield LocalSource(file, lake.place, number, {"path": lake.place, "format": lake.format, "version": number})
