"""Files that are not on this machine: object storage (``s3://``, ``gs://``, ``abfs://``) and ``https://``.

Credentials come from the environment or a profile, as each service's own tools read them. A URL carries none: one that
does is refused, so that no policy, manifest, log or error can repeat it. What is read is copied whole into a private
directory first, so that everything is decided on the same bytes.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from cobogo.errors import DataError, OutputError
from cobogo.floor.language import tr
from cobogo.floor.services import CHECK_NAME, PATIENCE, explain_failures, open_https

CLOUD = ("s3", "gs", "abfs", "abfss")
"""Schemes of object storage, which can be listed and written to."""

TOGETHER = 8
"""Files that are copied at a time: a single stream from object storage seldom fills a line."""

CHUNK = 2**20
"""Bytes that are copied at a time."""


@dataclass(frozen=True)
class FileCopy:
    """A file that was copied from elsewhere, as the evidence records it."""

    url: str
    bytes: int
    sha256: str


def copy_files(url: str, directory: Path) -> tuple[Path, list[FileCopy]]:
    """Copy what a URL stands for (a file, a directory, a pattern) into a directory, below which it lies as it did.

    Gives the path to read instead, and what was copied.
    """
    from urllib.parse import unquote

    if not url.startswith("https:"):
        return _copy_objects(url, directory)
    path = directory / _relative(unquote(url.rpartition("/")[2]), url)
    with open_https(url) as stream, path.open("xb") as sink:
        return path, [FileCopy(url, *_pour(stream, sink.write))]


def _copy_objects(url: str, directory: Path) -> tuple[Path, list[FileCopy]]:
    from concurrent.futures import ThreadPoolExecutor

    parts = url.split("/")
    plain = next((number for number, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    base, pattern = ObjectStorage("/".join(parts[:plain])), parts[plain:]
    if not pattern and base.is_file():
        above, name = ObjectStorage("/".join(parts[:-1])), parts[-1]
        return directory / name, [above.copy(name, directory)]
    found = [name for name in base.names() if _matches(name.split("/"), pattern) and _is_data(name)]
    if not found:
        what = tr("no file matches") if pattern else tr("no such file")
        raise DataError(what, where=url, remedy=CHECK_NAME, code="COBOGO-DATA-FILE")
    with ThreadPoolExecutor(TOGETHER) as pool:
        copied = pool.map(lambda name: base.copy(name, directory), found)
        return directory, list(copied)


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a name is, or is below, what a pattern matches; ``**`` stands for any number of parts.

    >>> [_matches(name.split("/"), ["**", "*.csv"]) for name in ("a.csv", "x/y/a.csv", "a.txt")]
    [True, True, False]
    """
    if not pattern:
        return True
    if pattern[0] == "**":
        return any(_matches(parts[number:], pattern[1:]) for number in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


def _is_data(name: str) -> bool:
    """Whether an object is data: what engines leave beside it begins with a dot or an underscore."""
    return not any(part.startswith((".", "_")) for part in name.split("/"))


def _relative(name: str, url: str) -> Path:
    """An object's name as a path below a directory, out of which it must not lead."""
    parts = name.split("/")
    if any(part in ("", ".", "..") or "\x00" in part for part in parts):
        raise DataError(
            tr("has a file whose name is no path"), where=url, remedy=tr("Rename it."), code="COBOGO-DATA-FILE"
        )
    return Path(*parts)


def _pour(stream: Any, write: Callable[[bytes], Any]) -> tuple[int, str]:
    """Copy a stream in pieces; how many bytes it had, and their SHA-256."""
    size, seal = 0, hashlib.sha256()
    while piece := stream.read(CHUNK):
        size += len(piece)
        seal.update(piece)
        write(piece)
    return size, seal.hexdigest()


def sha256(stream: Any) -> str:
    """The SHA-256 of what a stream still has, in hexadecimal."""
    return _pour(stream, len)[1]


class ObjectStorage:
    """The objects below a URL, by their names there."""

    def __init__(self, url: str) -> None:
        self.url = url
        with explain_failures(url):
            self._system, self._path = _file_system(url)

    def is_file(self) -> bool:
        """Whether the URL itself is that of an object."""
        with explain_failures(self.url):
            return bool(self._system.get_file_info(self._path).is_file)

    def names(self, part: str = "") -> list[str]:
        """The objects below the URL, or a part of it, in order. That there are none is no error; that there is no
        bucket is one."""
        from pyarrow.fs import FileSelector

        path = f"{self._path}/{part}".rstrip("/")
        with explain_failures(self.url):
            try:  # where what is not found is allowed, Arrow says the same of a bucket
                found = self._system.get_file_info(FileSelector(path, recursive=True))
            except FileNotFoundError:
                return []
        return sorted(entry.path[len(path) + 1 :] for entry in found if entry.is_file)

    def read(self, name: str) -> bytes:
        """The content of a small object."""
        with self._open(name) as stream:
            return bytes(stream.read())

    def hash(self, name: str) -> str:
        """The SHA-256 of an object, read back."""
        with self._open(name) as stream:
            return sha256(stream)

    def copy(self, name: str, directory: Path) -> FileCopy:
        """Copy an object to its name below a directory."""
        file = directory / _relative(name, self.url)
        file.parent.mkdir(parents=True, exist_ok=True)
        with self._open(name) as stream, file.open("xb") as sink:
            return FileCopy(f"{self.url}/{name}", *_pour(stream, sink.write))

    def write(self, name: str, content: bytes | Path) -> None:
        """Put an object: readers see the old content or the new, and never a part."""
        with (
            explain_failures(f"{self.url}/{name}", writing=True),
            self._system.open_output_stream(f"{self._path}/{name}") as sink,
        ):
            if isinstance(content, bytes):
                sink.write(content)
                return
            with content.open("rb") as stream:
                _pour(stream, sink.write)

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects."""
        for name in names:
            with explain_failures(f"{self.url}/{name}", writing=True):
                self._system.delete_file(f"{self._path}/{name}")

    @contextmanager
    def _open(self, name: str) -> Iterator[Any]:
        """A stream of an object's bytes, all of one version of it."""
        path, url = f"{self._path}/{name}", f"{self.url}/{name}"
        with explain_failures(url):
            before = self._system.get_file_info(path)
            with self._system.open_input_stream(path) as stream:
                yield stream
            after = self._system.get_file_info(path)
        if (before.size, before.mtime_ns) != (after.size, after.mtime_ns):
            what = tr("changed while it was being read")
            raise DataError(what, where=url, remedy=tr("Run again."), code="COBOGO-DATA-FILE")


def _file_system(url: str) -> tuple[Any, str]:
    """Arrow's file system of a URL, and the path in it."""
    scheme, _, path = url.partition("://")
    if scheme == "s3":
        return _s3(), path
    if scheme == "gs":
        return _gcs(), path
    if scheme in CLOUD:
        return _azure(path)
    raise OutputError(
        tr("can only be read, one file at a time"),
        where=url,
        remedy=tr("Name a file, or use object storage: s3://, gs:// or abfs://."),
    )


def s3_endpoint() -> str | None:
    """Where S3 is, if it is not Amazon's."""
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")


def _s3() -> Any:
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

    return S3FileSystem(
        anonymous=os.environ.get("AWS_SKIP_SIGNATURE", "").lower() in ("1", "true"),
        region=os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION"),
        endpoint_override=s3_endpoint(),
        connect_timeout=PATIENCE,
        request_timeout=PATIENCE,
        retry_strategy=AwsStandardS3RetryStrategy(max_attempts=3),
    )


def _gcs() -> Any:
    from datetime import timedelta

    from pyarrow.fs import GcsFileSystem

    patience = timedelta(seconds=PATIENCE)
    scheme, mark, host = os.environ.get("STORAGE_EMULATOR_HOST", "").partition("://")
    if not mark:
        return GcsFileSystem(retry_time_limit=patience)
    return GcsFileSystem(anonymous=True, scheme=scheme, endpoint_override=host, retry_time_limit=patience)


def _azure(path: str) -> tuple[Any, str]:
    from pyarrow.fs import AzureFileSystem

    place, mark, rest = path.partition("/")
    container, named, host = place.rpartition("@")
    system = AzureFileSystem(
        account_name=host.partition(".")[0] if named else os.environ.get("AZURE_STORAGE_ACCOUNT_NAME", ""),
        account_key=os.environ.get("AZURE_STORAGE_ACCOUNT_KEY"),
        sas_token=os.environ.get("AZURE_STORAGE_SAS_TOKEN"),
    )
    return system, f"{container if named else place}{mark}{rest}"
