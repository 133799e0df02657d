"""Reports on their way into the counts: written down before they are acknowledged, counted together, then forgotten.

A collection's counts may be large, and are not written for every message. Messages go to a segment, a file of this
process; when it is long, or somebody wants to know, it is counted as one part of the aggregate and removed::

    STATE/collections/ID/counts            the aggregate, with the numbers of the segments that are in it
    STATE/collections/ID/segment-NUMBER    messages that are not, locked by the process that adds to it
    STATE/collections/ID/seen              digests of the keys that messages came with

A segment whose number is in the aggregate was counted, whatever happened to the process before it could remove the
file: a kill at any moment loses nothing that was acknowledged, and counts nothing twice. A client that got no answer
sends again under the same key.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cobogo.collect.aggregate import Aggregate
from cobogo.collect.collection import Collection
from cobogo.collect.wire import parse
from cobogo.errors import OutputError
from cobogo.floor.files import lock, open_private, stage_file
from cobogo.floor.language import tr
from cobogo.floor.language.errors import reason

COUNTS = "counts"
LONG = 8 << 20
"""Bytes of a segment from which on it is counted: some tens of thousands of reports, in memory for a moment."""

MOST_KEYS = 1 << 20
"""Keys that are remembered; the oldest are forgotten first."""

RECORD = struct.Struct("<4sI16sI")
MARK = b"Cb\r\n"
NO_KEY = bytes(16)


class Journal:
    """The messages of one collection, as one process takes them in."""

    def __init__(self, collection: Collection, directory: Path) -> None:
        self.collection = collection
        self.directory = directory
        self._adding, self._syncing = threading.Lock(), threading.Lock()
        self._segment: _Segment | None = None
        self._seen = _keys(directory / "seen")
        for path in sorted(directory.glob("segment-*")):  # a process before this one was killed
            with _lock_file(path) as handle:
                if handle is not None:
                    self._seen |= dict.fromkeys(key for key, _ in _records(path))
                    self._count(path)

    def add(self, message: bytes, key: str | None = None) -> int:
        """Take a message in, which is on disk when this returns; how many reports it holds. One whose key was seen
        before is not counted again."""
        reports = sum(map(len, parse(self.collection, message)))
        digest = NO_KEY if key is None else hashlib.blake2b(key.encode(), digest_size=16).digest()
        with self._adding:
            if key is not None and digest in self._seen:
                return reports
            segment = self._segment = self._segment or _Segment(self.directory)
            end = segment.append(message, digest)
            if key is not None:
                self._seen[digest] = None
                if len(self._seen) > MOST_KEYS:
                    del self._seen[next(iter(self._seen))]
            long = end > LONG
        with self._syncing:
            segment.sync(end)
        if long:
            self.count()
        return reports

    def count(self) -> Aggregate:
        """Count what has come in so far; the aggregate."""
        with self._adding:
            segment, self._segment = self._segment, None
        if segment is not None:
            with self._syncing:
                segment.sync(segment.end)
            self._count(segment.path)
            with self._syncing:
                segment.close()
        return Aggregate.load(self.collection, self.directory / COUNTS)

    def _count(self, path: Path) -> None:
        """Add a segment to the aggregate, unless it is in there, and remove it."""
        number = path.name.removeprefix("segment-")
        with _lock_file(self.directory / "lock", wait=True):
            whole = Aggregate.load(self.collection, self.directory / COUNTS)
            if number not in whole.parts:
                records = list(_records(path))
                batches = [batch for _, message in records for batch in parse(self.collection, message)]
                _remember(self.directory / "seen", [key for key, _ in records if key != NO_KEY])
                if batches:
                    (whole + Aggregate.of(self.collection, *batches, part=number)).save(self.directory / COUNTS)
            path.unlink(missing_ok=True)


class _Segment:
    """A file that messages are appended to, whole or not at all."""

    def __init__(self, directory: Path) -> None:
        self.path, self._handle = _new(directory)
        self.end = self._synced = 0

    def append(self, message: bytes, key: bytes) -> int:
        """Append a message; the offset of its end."""
        head = RECORD.pack(MARK, len(message), key, zlib.crc32(message))
        try:
            if os.pwrite(self._handle, head + message, self.end) != len(head) + len(message):
                raise OSError(28, os.strerror(28))
        except OSError as problem:
            with suppress(OSError):
                os.ftruncate(self._handle, self.end)
            raise OutputError(tr("cannot be written: {reason}", reason=reason(problem)), where="reports") from None
        self.end += len(head) + len(message)
        return self.end

    def sync(self, end: int) -> None:
        """Wait until all up to a place is on disk: one wait does for everybody who wrote before it."""
        if self._synced < end and self._handle >= 0:
            until = self.end
            os.fsync(self._handle)
            self._synced = until

    def close(self) -> None:
        """Let go of the file, which was counted."""
        os.close(self._handle)
        self._handle = -1


def _new(directory: Path) -> tuple[Path, int]:
    """Create and lock a segment. A process that cleans up after a killed server may have removed it first: then try
    again."""
    while True:
        path = directory / f"segment-{secrets.token_hex(8)}"
        handle = open_private(path, new=True)
        lock(handle, wait=True)
        if path.exists():
            return path, handle
        os.close(handle)


def _records(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Keys and messages of a segment, up to the first that was cut off."""
    content = path.read_bytes()
    at = 0
    while at + RECORD.size <= len(content):
        mark, length, key, check = RECORD.unpack_from(content, at)
        message = content[at + RECORD.size : at + RECORD.size + length]
        if mark != MARK or len(message) != length or zlib.crc32(message) != check:
            return
        yield key, message
        at += RECORD.size + length


def _keys(path: Path) -> dict[bytes, None]:
    """Digests of the latest keys, in their order."""
    content = path.read_bytes() if path.exists() else b""
    whole = content[: len(content) // 16 * 16]
    return dict.fromkeys(whole[at : at + 16] for at in range(max(0, len(whole) - 16 * MOST_KEYS), len(whole), 16))


def _remember(path: Path, keys: list[bytes]) -> None:
    """Write keys down before their messages are counted: a kill in between writes them twice, which does no harm."""
    if not keys:
        return
    if path.exists() and path.stat().st_size > 32 * MOST_KEYS:
        with stage_file(path) as stage:
            stage.write_bytes(b"".join(_keys(path)))
    handle = open_private(path)
    try:
        os.pwrite(handle, b"".join(keys), os.fstat(handle).st_size // 16 * 16)
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _lock_file(path: Path, *, wait: bool = False) -> Iterator[int | None]:
    """Open and lock a file; yields None if another process has the lock, unless ``wait``."""
    handle = open_private(path)
    try:
        yield handle if lock(handle, wait=wait) else None
    finally:
        os.close(handle)
