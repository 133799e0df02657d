"""Where the server keeps what it was given and what it made. No name that came from outside becomes a path.

::

    STATE/state.db
    STATE/number                                  what the database knows this directory by
    STATE/datasets/ID/data.csv | data.parquet     as it was uploaded, or what became of another kind of file
    STATE/datasets/ID/files/NAME                  hierarchies and populations that its policies name
    STATE/jobs/ID/                                a job's policy and the lock of its worker
    STATE/releases/ID/public|evidence             what jobs released
    STATE/collections/ID/counts                   what clients reported, added up
"""

from __future__ import annotations

import hashlib
import re
import secrets
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from cobogo.data.files.encodings import cut_title, encoding_of, is_packed, line_below_title, open_unpacked
from cobogo.data.files.formats import FORMATS, convert, recognise
from cobogo.data.files.spreadsheets import check_archive
from cobogo.data.policy import Data
from cobogo.errors import DataError, InputError
from cobogo.faces.server.settings import MEGABYTE, ServerLimits
from cobogo.floor.files import scratch_directory, write_private_once
from cobogo.floor.language import tr

NAME = re.compile(r"[\w][\w. ()+-]{0,99}")
IDENTITY = re.compile(r"[0-9a-f]{16}")
BLOCK = 1 << 20
LEAST = 8
"""Bytes that a value takes in memory, however it is encoded: an integer, or where a text begins."""
DATA = ("data.csv", "data.parquet")
"""What the file of a data set is called."""


class TooLarge(InputError):
    """More than may be uploaded."""


class Files:
    """The directories of a server's state."""

    def __init__(self, state: Path, limits: ServerLimits) -> None:
        self.root = state.resolve()
        self.limits = limits
        for name in ("datasets", "jobs", "releases", "collections"):
            (self.root / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        self.root.chmod(0o700)

    @property
    def number(self) -> str:
        """A random number in a file of the directory, which identifies it."""
        place = self.root / "number"
        if not place.exists():
            write_private_once(place, secrets.token_hex(16))
        return place.read_text(encoding="ascii")

    def dataset(self, identity: str) -> Path:
        """The directory of a data set."""
        return self._place("datasets", identity)

    def table(self, identity: str) -> Path | None:
        """The table of a data set as it was received; None if it was deleted."""
        home = self.dataset(identity)
        return next((home / name for name in DATA if (home / name).is_file()), None)

    def job(self, identity: str) -> Path:
        """The directory of a job."""
        return self._place("jobs", identity)

    def release(self, identity: str) -> Path:
        """The directory of a release."""
        return self._place("releases", identity)

    def collection(self, identity: str) -> Path:
        """The directory of a collection."""
        return self._place("collections", identity)

    def _place(self, kind: str, identity: str) -> Path:
        if not IDENTITY.fullmatch(identity):
            raise InputError(tr("is not an identity"), where=kind)
        return self.root / kind / identity

    @contextmanager
    def receiving(self, identity: str) -> Iterator[Path]:
        """A directory that becomes the data set's when all has gone well, and leaves no trace otherwise."""
        with scratch_directory(self.root / "datasets", ".upload-") as stage:
            (stage / "files").mkdir()
            yield stage
            stage.rename(self.dataset(identity))

    def keep(self, source: IO[bytes], target: Path) -> str:
        """Copy an upload, up to the limit; its SHA-256."""
        most, size, seal = self.limits.upload_megabytes * MEGABYTE, 0, hashlib.sha256()
        with target.open("xb") as sink:
            target.chmod(0o600)
            while block := source.read(BLOCK):
                size += len(block)
                if size > most:
                    sink.close()
                    target.unlink()
                    raise TooLarge(
                        tr("is larger than {most} MB", most=self.limits.upload_megabytes),
                        where=tr("file"),
                        remedy=tr("Ask the server's administrator to raise limits.upload-megabytes."),
                    )
                sink.write(block)
                seal.update(block)
        return seal.hexdigest()

    def attach(self, identity: str, name: str, source: IO[bytes]) -> str:
        """Keep a file that policies of a data set may name: a hierarchy, a population."""
        plain = safe_name(name)
        folder = self.dataset(identity) / "files"
        with scratch_directory(folder.parent, ".attach-") as stage:
            self.keep(source, stage / "file")
            (stage / "file").replace(folder / plain)
        return plain

    def forget(self, kind: str, identity: str) -> None:
        """Remove a directory with all that is in it."""
        shutil.rmtree(self._place(kind, identity), ignore_errors=True)


def safe_name(name: str) -> str:
    """A file's plain name, or a refusal: no directories, nothing hidden, nothing that is not text.

    >>> safe_name("age hierarchy.csv")
    'age hierarchy.csv'
    """
    if not NAME.fullmatch(name) or ".." in name:
        raise InputError(
            tr("is not a plain file name"),
            where=tr("name"),
            remedy=tr("Use up to 100 letters, digits, spaces and . ( ) + - _ without a directory."),
        )
    return name


def take_table(upload: Path, options: Data, limits: ServerLimits, header: int | None = None) -> Path:
    """An upload as the file of a data set. CSV and Parquet stay as they are; any other kind becomes Parquet.

    What is above the line ``header`` of a CSV file is cut off. A file that seems to begin with a title is refused where
    it is not said which line that is.

    A small file may unpack to far more than there is room for: that is counted first, or while it is read.
    """
    most = limits.unpacked_megabytes * MEGABYTE
    if is_packed(str(upload)):
        _check_packed(upload, limits)
    kind = FORMATS[options.format or recognise(str(upload))]
    if kind.name == "csv":
        return _take_csv(upload, options, header)
    if kind.name == "parquet":
        _check_parquet(upload, limits)
        return upload.rename(upload.with_name("data.parquet"))
    if zipfile.is_zipfile(upload):
        check_archive(str(upload), most)
    convert(kind, str(upload), options, upload.with_name("data.parquet"), most)
    upload.unlink()
    return upload.with_name("data.parquet")


def _take_csv(upload: Path, options: Data, header: int | None) -> Path:
    """A CSV file, from its header on."""
    target = upload.with_name("data.csv")
    encoding = encoding_of([str(upload)]) if options.encoding == "auto" else options.encoding
    if header is None and (likely := line_below_title(str(upload), encoding)):
        raise _has_title(upload, likely)
    if header is None or header == 1:
        return upload.rename(target)
    try:
        cut_title(upload, encoding, header, target)
    except UnicodeDecodeError:
        return upload.rename(target)  # what cannot be decoded is refused where the table is read
    upload.unlink()
    return target


def _has_title(upload: Path, line: int) -> DataError:
    """What is asked of whoever uploads a file that begins with a title."""
    error = DataError(
        tr("seems to begin with a title: its header may be line {line}", line=line),
        where=str(upload),
        remedy=tr("Say which line is the header, or delete the lines above it."),
    )
    error.offers = ("header", (str(line), "1"))
    return error


def _check_parquet(upload: Path, limits: ServerLimits) -> None:
    """What a footer says of a file's size is that of its encodings: what its values are without them is counted."""
    import pyarrow as pa

    most = limits.unpacked_megabytes * MEGABYTE
    try:
        unpacked = _unpacked_size(upload, most)
    except (OSError, pa.ArrowException, ValueError):
        raise DataError(
            tr("begins like a Parquet file, but is not one"),
            where=tr("file"),
            remedy=tr("Check that the file is complete, and upload it again."),
        ) from None
    if unpacked > most:
        raise _too_large(limits)


def _check_packed(upload: Path, limits: ServerLimits) -> None:
    """Unpack a compressed file once, without keeping it."""
    size = 0
    with open_unpacked(str(upload)) as stream:
        while block := stream.read(BLOCK):
            size += len(block)
            if size > limits.unpacked_megabytes * MEGABYTE:
                raise _too_large(limits)


def _too_large(limits: ServerLimits) -> TooLarge:
    return TooLarge(
        tr("would be larger than {most} MB when unpacked", most=limits.unpacked_megabytes),
        where=tr("file"),
        remedy=tr("Ask the server's administrator to raise limits.unpacked-megabytes."),
    )


def _unpacked_size(upload: Path, most: int) -> int:
    """Bytes of a Parquet file's values without encoding or compression; where it is more than ``most``, any number
    above. Texts that are repeated by reference are measured by reference: nothing is unpacked for that."""
    import pyarrow.parquet as pq

    meta = pq.read_metadata(upload)
    groups = [meta.row_group(number) for number in range(meta.num_row_groups)]
    chunks = [group.column(number) for group in groups for number in range(group.num_columns)]
    stated = sum(max(chunk.total_uncompressed_size, chunk.num_values * LEAST) for chunk in chunks)
    listed = sum(chunk.num_values * LEAST for chunk in chunks if "." in chunk.path_in_schema)  # a row may have many
    if stated > most or listed > BLOCK << 10:
        return most + 1
    texts = sorted({chunk.path_in_schema for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"})
    size = int(stated)
    for batch in pq.ParquetFile(upload, read_dictionary=texts).iter_batches(1 << 16, columns=texts) if texts else ():
        size += sum(map(_text_size, batch.columns))
        if size > most:
            break
    return size


def _text_size(values: Any) -> int:
    """Bytes of texts, wherever they are in lists and tables."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_dictionary(kind):
        return int(pc.sum(pc.take(pc.binary_length(values.dictionary), values.indices), min_count=0).as_py())
    if pa.types.is_struct(kind):
        return sum(map(_text_size, values.flatten()))
    if pa.types.is_map(kind):
        return _text_size(values.keys) + _text_size(values.items)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _text_size(values.flatten())
    return int(values.nbytes)


def write_zip(directory: Path, target: IO[bytes]) -> None:
    """Write a directory as a ZIP archive."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(directory.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(directory.parent))
