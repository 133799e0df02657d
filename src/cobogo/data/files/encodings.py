"""The text of files: unpacked, in an encoding that is detected, with a separator and a decimal mark that are guessed.

An engine reads UTF-8 and Latin-1. A file in another encoding is copied as UTF-8 first.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
import re
import shutil
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal, cast

from cobogo.errors import DataError
from cobogo.floor.language import tr
from cobogo.floor.language.errors import reason

Encoding = Literal["utf-8", "utf-16", "cp1252", "latin-1"]

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
PACKED = {".gz": GZIP, ".zst": ZSTD}
"""How a compressed file's name ends, and how it begins."""

BLOCK = 1 << 20
SCANNED = 1 << 28
"""Bytes in which the encoding is looked for: a quarter of a second. An engine refuses what is not UTF-8 behind them."""

SAMPLED = 1000
"""Rows from which the decimal mark is guessed. A thousand take milliseconds, and decimals show early in a column."""


@contextmanager
def open_unpacked(file: str) -> Iterator[IO[bytes]]:
    """The content of a file, unpacked where it is compressed, whatever its name. Damage is an error of ours."""
    try:
        with _unpacked(file) as stream:
            yield stream
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise _damaged(file) from None
    except OSError as error:
        raise (_damaged(file) if error.errno is None else unreadable(error, file)) from None


def _unpacked(file: str) -> IO[bytes]:
    mark = first_bytes(file, 4)
    if mark.startswith(GZIP):
        return cast(IO[bytes], gzip.open(file, "rb"))
    if mark != ZSTD:
        return Path(file).open("rb")
    import pyarrow as pa

    return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(file), "zstd"))


def first_bytes(file: str, count: int) -> bytes:
    """The beginning of a file as it is on the disk."""
    try:
        with Path(file).open("rb") as stream:
            return stream.read(count)
    except OSError as error:
        raise unreadable(error, file) from None


def is_packed(file: str) -> bool:
    """Whether a file is compressed."""
    return first_bytes(file, 4).startswith((GZIP, ZSTD))


def _damaged(file: str) -> DataError:
    return DataError(
        tr("is a damaged or incomplete compressed file"),
        where=file,
        remedy=tr("Copy or compress it again."),
        code="COBOGO-DATA-FILE",
    )


def unreadable(error: OSError, file: str) -> DataError:
    """The error of a file that the system does not let us read."""
    return DataError(
        tr("cannot be read: {reason}", reason=reason(error)),
        where=file,
        remedy=tr("Check the path and the rights to read it."),
        code="COBOGO-DATA-FILE",
    )


def detect_encoding(file: str) -> Encoding | None:
    """The encoding of a file's text: by its mark, by what decodes, or by the bytes that only one of two encodings has.

    None of ASCII alone, which is the same in all but UTF-16. A compressed file is read to its end, which shows damage.
    """
    with open_unpacked(file) as stream:
        start = stream.read(BLOCK)
        if _is_utf16(start):
            return "utf-16"
        decoder = codecs.getincrementaldecoder("utf-8")()
        ascii_only, utf8, controls = True, True, False
        for number, block in enumerate(itertools.chain([start], iter(lambda: stream.read(BLOCK), b""))):
            if number * BLOCK > SCANNED and not is_packed(file):
                break
            if b"\0" in block:
                raise _no_text(file)
            if block.isascii() and ascii_only:
                continue
            ascii_only = False
            utf8 = utf8 and _decodes(decoder, block)
            controls = controls or _has_quotes(block)
        if ascii_only:
            return None
        if utf8 and _decodes(decoder, b"", final=number * BLOCK <= SCANNED):
            return "utf-8"
        return "cp1252" if controls else "latin-1"


def _no_text(file: str) -> DataError:
    return DataError(
        tr("has NUL bytes, which no text has"),
        where=file,
        remedy=tr("Export it again as CSV (UTF-8)."),
        code="COBOGO-DATA-FORMAT",
    )


def _decodes(decoder: codecs.IncrementalDecoder, block: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError:
        return False
    return True


def _has_quotes(block: bytes) -> bool:
    """Whether text has signs that Windows puts where Latin-1 has control characters: curly quotes, dashes, the euro."""
    return re.search(rb"[\x80\x82-\x8c\x8e\x91-\x9c\x9e\x9f]", block) is not None


def _is_utf16(start: bytes) -> bool:
    """By its mark or, without one, by the zeros that every other byte of Western text is."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return not start.startswith(codecs.BOM_UTF32_LE)
    zeros = start[1::2].count(0), start[::2].count(0)
    return len(start) >= 8 and max(zeros) > 0.8 * (len(start) // 2) and min(zeros) < 0.1 * (len(start) // 2)


def codec(encoding: str, start: bytes) -> str:
    """What Python calls an encoding, of a text that begins with some bytes."""
    if encoding == "utf-8":
        return "utf-8-sig"
    if encoding != "utf-16" or start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return encoding
    return "utf-16-le" if start[1::2].count(0) >= start[::2].count(0) else "utf-16-be"


@contextmanager
def open_text(file: str, encoding: str) -> Iterator[IO[str]]:
    """The text of a file, with its line ends as they are."""
    with open_unpacked(file) as stream:
        start = stream.read(1024)
    with open_unpacked(file) as stream, io.TextIOWrapper(stream, codec(encoding, start), newline="") as text:
        yield text


def needs_copy(file: str, encoding: str) -> bool:
    """Whether an engine cannot read a file's text itself: for its encoding, or since its name hides its compression."""
    named = PACKED.get(Path(file).suffix.lower())
    hidden = is_packed(file) if named is None else not first_bytes(file, 4).startswith(named)
    return encoding not in ("utf-8", "latin-1") or hidden


def copy_as_utf8(file: str, encoding: str, target: Path) -> None:
    """Copy the text of a file as plain UTF-8."""
    try:
        with open_text(file, encoding) as text, target.open("w", encoding="utf-8", newline="") as sink:
            while part := text.read(BLOCK):
                sink.write(part)
    except UnicodeDecodeError:
        raise DataError(
            tr("is not text in the encoding {encoding}", encoding=encoding),
            where=file,
            remedy=tr('Save it as UTF-8, or write encoding = "auto" under [data].'),
            code="COBOGO-DATA-ENCODING",
        ) from None


def encoding_of(files: Sequence[str]) -> Encoding:
    """The encoding that files share; UTF-8 where all are ASCII."""
    found = {encoding: file for file in files if (encoding := detect_encoding(file)) is not None}
    if len(found) > 1:
        (one, first), (other, second), *_ = found.items()
        raise DataError(
            tr("is {other}, and {first} is {one}", other=other, first=first, one=one),
            where=second,
            remedy=tr("Save files that are read together in one encoding, for example UTF-8."),
            code="COBOGO-DATA-ENCODING",
        )
    return next(iter(found), "utf-8")


SEPARATORS = ",;\t|"

_DECIMAL = re.compile("[0-9][.,][0-9]|[.,][0-9]")


def guess_separator(file: str, encoding: str) -> str:
    """The separator that a CSV file's header seems to use; a comma where nothing else can be told."""
    with open_text(file, encoding) as text:
        try:
            line = re.sub(r'"[^"]*"', "", text.readline())
        except UnicodeDecodeError:
            return ","
    return max(SEPARATORS, key=lambda mark: (line.count(mark), mark == ","))


def line_below_title(file: str, encoding: str) -> int | None:
    """The number of the line that is the header, it seems, of a CSV file that begins with a title: from it on, some of
    the next twenty lines are in equally many fields, by a mark that does not separate anything in the first line."""
    try:
        with open_text(file, encoding) as text:
            lines = [re.sub(r'"[^"]*"', "…", line).strip("\r\n ") for line in itertools.islice(text, 21)]
    except UnicodeDecodeError:
        return None
    runs = [(*run, mark) for mark in SEPARATORS for run in _runs([_separated(line, mark) for line in lines])]
    length, _, first, mark = max(runs, default=(0, 0, 0, ""))
    return first if length > 1 and not _separated(lines[0], mark) else None


def _runs(counts: list[int]) -> Iterator[tuple[int, int, int]]:
    """How many lines in a row have equally many separators, how many those are, and the number of the first.

    >>> list(_runs([0, 3, 3, 1]))
    [(2, 3, 2), (1, 1, 4)]
    """
    for count, run in itertools.groupby(enumerate(counts, 1), key=lambda line: line[1]):
        if count:
            numbers = [number for number, _ in run]
            yield len(numbers), count, numbers[0]


def _separated(line: str, mark: str) -> int:
    """How often a mark is in a line; none where it is only at the end, as a spreadsheet writes a title."""
    return line.count(mark) if mark in line.strip(SEPARATORS) else 0


def cut_title(file: Path, encoding: Encoding, header: int, target: Path) -> None:
    """Copy a CSV file from the line on that is its header, in the same encoding."""
    with open_text(str(file), encoding) as text, target.open("w", encoding=encoding, newline="") as sink:
        for _ in itertools.islice(text, header - 1):
            pass
        shutil.copyfileobj(text, sink)


def guess_decimal(file: str, encoding: str, separator: str) -> Literal[".", ","]:
    """The decimal mark of most columns with decimals in the first rows of a CSV file; a point if there are none."""
    from cobogo.data.schema.profile import decimal_mark, profile

    try:
        with open_text(file, encoding) as text:
            rows = list(itertools.islice(csv.reader(text, delimiter=separator), SAMPLED + 1))[1:]
    except (UnicodeDecodeError, csv.Error):
        return "."
    columns = [[cell for cell in column if cell] for column in itertools.zip_longest(*rows)]
    likely = [column for column in columns if any(_DECIMAL.search(cell) for cell in column)]
    return decimal_mark([profile("", len(rows), 0, 0, 0, [(cell, 1) for cell in column]) for column in likely])
