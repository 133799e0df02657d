"""The wire format: messages of reports as bytes, or as lines of text.

A message is a header of 16 bytes and a body::

    0   4   "CBGr"
    4   1   version of the format: 1
    5   1   kind: 0, one report; 1, a batch; plus 128 where the noise came from a seed
    6   2   the mechanism: the first bytes of the SHA-256 of its name
    8   8   the fingerprint of the collection

The body of one report is the report (`collect.layout`). That of a batch is their number, 4 bytes with the little end
first, then the reports. Messages may follow one another. As text, a message is a line: base64url without padding, or
JSON with the same in it. There is no room for a time, a name or a number of the client. A parser raises `ReportError`
and nothing else, whatever the bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cobogo.collect.collection import Collection
from cobogo.collect.layout import Rows
from cobogo.errors import ReportError
from cobogo.floor.language import tr, trn

MAGIC = b"CBGr"
VERSION = 1
ONE, BATCH = 0, 1
SEEDED = 128
HEADER = struct.Struct("<4sBB2s8s")
NUMBER = struct.Struct("<I")
MOST = 1 << 22
"""Reports in a batch, at most; a writer begins another. It bounds what a reader has to hold in memory."""

CUT = tr("Send the report again: it may have been cut off on its way.")
SAME = tr("Give the description that its clients had: the same version, parameters and values.")


@dataclass(frozen=True, eq=False)
class Batch:
    """Reports of a collection, each a row of bytes. ``seeded``: they are made up, and protect nobody."""

    rows: Rows
    seeded: bool = False

    def __len__(self) -> int:
        return len(self.rows)


def mark(mechanism: str) -> bytes:
    """The two bytes that stand for a mechanism."""
    return hashlib.sha256(mechanism.encode()).digest()[:2]


def header(collection: Collection, *, batch: bool, seeded: bool = False) -> bytes:
    """What a message begins with."""
    kind = (BATCH if batch else ONE) | (SEEDED if seeded else 0)
    return HEADER.pack(MAGIC, VERSION, kind, mark(collection.mechanism), collection.fingerprint)


def single_message(collection: Collection, row: bytes, *, seeded: bool = False) -> bytes:
    """The message of one report."""
    return header(collection, batch=False, seeded=seeded) + row


def batch_messages(collection: Collection, rows: Rows, *, seeded: bool = False) -> Iterator[bytes]:
    """The messages of many reports, one after another."""
    for start in range(0, max(len(rows), 1), MOST):
        part = np.ascontiguousarray(rows[start : start + MOST])
        yield header(collection, batch=True, seeded=seeded) + NUMBER.pack(len(part)) + part.tobytes()


def parse(collection: Collection, content: bytes, *, where: str = "report") -> list[Batch]:
    """The reports of messages that follow one another."""
    found: list[Batch] = []
    at = 0
    if not content:
        raise ReportError(tr("is empty"), where=where, remedy=CUT)
    while at < len(content):
        batch, at = _message(collection, content, at, where)
        found.append(batch)
    return found


def parse_one(collection: Collection, content: bytes, *, where: str = "report") -> Batch:
    """The reports of exactly one message."""
    batch, end = _message(collection, content, 0, where)
    if end != len(content):
        raise ReportError(
            trn(
                "has {n:,} byte after the end of the message",
                "has {n:,} bytes after the end of the message",
                n=len(content) - end,
            ),
            where=where,
            remedy=tr("Give one message at a time."),
        )
    return batch


def to_text(message: bytes) -> str:
    """A message as a line of base64url, without padding."""
    return base64.urlsafe_b64encode(message).decode().rstrip("=")


def from_text(line: str, *, where: str = "report") -> bytes:
    """The message of a line; there is one way to write each."""
    try:
        found = base64.b64decode(line + "=" * (-len(line) % 4), altchars=b"-_", validate=True)
    except (ValueError, UnicodeEncodeError):
        found = None
    if found is None or to_text(found) != line:
        raise ReportError(
            tr("is not written in base64url without padding"),
            where=where,
            remedy=tr("Send the report as the client wrote it."),
        )
    return found


def json_line(collection: Collection, message: bytes) -> str:
    """A message as a line of JSON, for people to read."""
    about = {"question": collection.question, "version": collection.version, "report": to_text(message)}
    return json.dumps(about, ensure_ascii=False)


def json_report(line: str) -> str:
    """The text of the message in a line of JSON; empty where there is none. The other keys are for people: the message
    itself says what it is."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    known = isinstance(content, dict) and set(content) == {"question", "version", "report"}
    return content["report"] if known and isinstance(content["report"], str) else ""


def _message(collection: Collection, content: bytes, at: int, where: str) -> tuple[Batch, int]:
    """The reports of the message that begins at a byte, and where it ends."""
    if len(content) - at < HEADER.size:
        raise _truncation_error(where)
    magic, version, kind, mechanism, fingerprint = HEADER.unpack_from(content, at)
    check_header(collection, magic, version, mechanism, fingerprint, where=where)
    at += HEADER.size
    count = 1
    if kind & ~SEEDED == BATCH:
        if len(content) - at < NUMBER.size:
            raise _truncation_error(where)
        (count,) = NUMBER.unpack_from(content, at)
        at += NUMBER.size
        if count > MOST:
            raise ReportError(
                tr("is a batch of {count:,} reports, and a batch has at most {most:,}", count=count, most=MOST),
                where=where,
                remedy=tr("Divide the reports into smaller batches."),
            )
    elif kind & ~SEEDED != ONE:
        raise ReportError(
            tr("is a message of an unknown kind: {kind}", kind=kind),
            where=where,
            remedy=tr("Use the Cobogó that clients use, or a later one."),
        )
    width = collection.protocol.layout.width
    end = at + count * width
    if end > len(content):
        raise _truncation_error(where)
    rows = np.frombuffer(content, dtype=np.uint8, count=count * width, offset=at).reshape(count, width)
    return Batch(check_rows(collection, rows, where=where), bool(kind & SEEDED)), end


def check_header(
    collection: Collection, magic: bytes, version: int, mechanism: bytes, fingerprint: bytes, *, where: str
) -> None:
    """Refuse a header of another collection, mechanism or version."""
    if magic != MAGIC:
        raise ReportError(
            tr("is not a report of Cobogó"), where=where, remedy=tr("Send the report as the client wrote it.")
        )
    if version != VERSION:
        raise ReportError(
            tr(
                "has version {version} of the format, and this Cobogó reads version {known}",
                version=version,
                known=VERSION,
            ),
            where=where,
            remedy=tr("Use the Cobogó that clients use, or a later one."),
        )
    if mechanism != mark(collection.mechanism):
        raise ReportError(
            tr("is a report of another mechanism than {mechanism}", mechanism=collection.mechanism),
            where=where,
            remedy=SAME,
        )
    if fingerprint != collection.fingerprint:
        raise ReportError(
            tr(
                "is a report of another collection ({found}; this collection is {wanted})",
                found=fingerprint.hex(),
                wanted=collection.fingerprint.hex(),
            ),
            where=where,
            remedy=SAME,
        )


def check_rows(collection: Collection, rows: Rows, *, where: str) -> Rows:
    """Refuse rows that no client can have sent; else the rows."""
    wrong = collection.protocol.layout.faults(rows)
    if wrong.size:
        raise ReportError(
            trn(
                "{n:,} of {all:,} reports is not an answer that a client can give: report {first:,}",
                "{n:,} of {all:,} reports are not answers that a client can give; the first is report {first:,}",
                n=int(wrong.size),
                all=len(rows),
                first=int(wrong[0]) + 1,
            ),
            where=where,
            remedy=tr("Find out where these reports come from."),
        )
    return rows


def _truncation_error(where: str) -> ReportError:
    return ReportError(tr("ends in the middle of a message"), where=where, remedy=CUT)
