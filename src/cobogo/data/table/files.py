"""Files: which ones a path stands for, what their headers say, and what is wrong with them, without showing a value."""

from __future__ import annotations

import csv
import glob
import gzip
import itertools
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cobogo.data.policy import Data
from cobogo.errors import DataError
from cobogo.floor.language import tr

PARQUET = (".parquet", ".pq")

_XML = ("is XML, as GPX and KML are, and no table", "Convert it to CSV, with a row of names of columns.")

OTHER_KINDS = {
    b"PK\x03\x04": ("is a spreadsheet or a zip archive", "Save it as CSV (UTF-8), and give that file."),
    b"\xd0\xcf\x11\xe0": ("is a spreadsheet", "Save it as CSV (UTF-8), and give that file."),
    b"\xff\xfe": ("is UTF-16", "Save it as CSV (UTF-8)."),
    b"\xfe\xff": ("is UTF-16", "Save it as CSV (UTF-8)."),
    b"\x1f\x8b": ("is compressed by gzip", "Give it a name that ends in .gz."),
    **dict.fromkeys((b"<?xml", b"<gpx", b"<kml", b"<html", b"<!doctype"), _XML),
    b'{"': ("is JSON, as GeoJSON is, and no table", "Convert it to CSV, with a row of names of columns."),
    b'[{"': ("is JSON, and no table", "Convert it to CSV, with a row of names of columns."),
    b"PAR1": ("is a Parquet file", "Give it a name that ends in .parquet."),
}
"""By their first bytes, without blanks, files that are no CSV and are often taken for one."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_DATA = re.compile(
    r"""\s*(
        \d{3}\.?\d{3}\.?\d{3}-\d{2} | [^@\s]+@[^@\s]+\.\w+ | [+-]?\d{7,} | [+-]?\d+[.,]\d+
        | \d{1,2}[/.-]\d{1,2}[/.-]\d{2,4} | \d{4}[/.-]\d{1,2}[/.-]\d{1,2}([ T].*)?
    )\s*""",
    re.VERBOSE,
)
"""What nobody calls a column: a CPF, an address, a long or decimal number, a date."""


def list_files(path: str) -> list[str]:
    """The files that a path stands for: itself, those of a directory, or those that match a pattern."""
    if Path(path).is_dir():
        inside = sorted(str(p) for p in Path(path).rglob("*") if p.is_file() and _counts(p.relative_to(path)))
        if not inside:
            raise DataError(tr("is a directory with no files"), where=path)
        return inside
    if Path(path).exists():
        if not Path(path).is_file():
            raise DataError(
                tr("is not a regular file"),
                where=path,
                remedy=tr("A pipe cannot be read twice: save its content to a file."),
            )
        return [path]
    found = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []  # noqa: PTH207
    if not found:
        what = tr("no file matches") if glob.has_magic(path) else tr("no such file")
        raise DataError(what, where=path, remedy=tr("Check the path. In a policy, paths are relative to its file."))
    inside = [file for name in found for file in (list_files(name) if Path(name).is_dir() else [name])]
    return list(dict.fromkeys(inside))


def _counts(path: Path) -> bool:
    """Whether a file of a directory is data: what engines leave beside it begins with a dot or an underscore."""
    return not any(part.startswith((".", "_")) for part in path.parts)


def are_parquet(files: Sequence[str], path: str) -> bool:
    """Whether files are Parquet; all of them or none."""
    kinds = {Path(file).suffix.lower() in PARQUET for file in files}
    if len(kinds) > 1:
        raise DataError(
            tr("holds Parquet and other files together"), where=path, remedy=tr("Name the files of one kind.")
        )
    return kinds == {True}


def partitions(files: Sequence[str], path: str) -> list[str]:
    """The columns that stand in the names of directories (``year=2020/month=1``) below a path, outermost first."""
    base = _base(path)
    keys = [
        [part.partition("=")[0] for part in Path(file).parent.parts[len(base.parts) :] if "=" in part] for file in files
    ]
    if any(found != keys[0] for found in keys):
        raise DataError(
            tr("its directories are not all partitioned by the same columns"),
            where=path,
            remedy=tr("Every file needs the same key=value directories above it."),
        )
    return keys[0]


def _base(path: str) -> Path:
    """The part of a path before its patterns: what lies above it belongs to the place, not to the table."""
    if Path(path).is_dir():
        return Path(path)
    plain = itertools.takewhile(lambda part: not glob.has_magic(part), Path(path).parts)
    base = Path(*plain)
    return base.parent if base == Path(path) else base


def guess_separator(path: str | Path, encoding: str) -> str:
    """The separator that a CSV file's header seems to use; a comma where nothing else can be told."""
    first = list_files(str(path))[0]
    if Path(first).suffix.lower() in PARQUET:
        return ","
    opened = gzip.open if first.endswith(".gz") else open
    try:
        with opened(first, "rt", encoding=encoding, errors="replace") as stream:
            line = re.sub(r'"[^"]*"', "", stream.readline())
    except OSError as error:
        raise DataError(tr("cannot be read: {strerror}", strerror=error.strerror or error), where=first) from None
    return max(",;\t|", key=lambda separator: (line.count(separator), separator == ","))


def csv_columns(files: Sequence[str], data: Data) -> list[str]:
    """The column names of CSV files, which share them. An engine would rename what is wrong with them in silence."""
    for file in files:
        _refuse_broken_gzip(file)
    names = _header(files[0], data)
    for other in files[1:]:
        if _header(other, data) != names:
            raise DataError(
                tr("has other columns than {files}", files=files[0]),
                where=other,
                remedy=tr("Files of one glob share a header."),
            )
    return names


def _refuse_broken_gzip(file: str) -> None:
    """A compressed file that was cut short reads as a shorter one: check its end before trusting its beginning."""
    if not file.endswith(".gz"):
        return
    try:
        with gzip.open(file, "rb") as stream:
            while stream.read(1 << 20):
                pass
    except (EOFError, OSError, zlib.error):
        raise DataError(
            tr("is a damaged or incomplete gzip file"), where=file, remedy=tr("Copy or compress it again.")
        ) from None


def _header(file: str, data: Data) -> list[str]:
    """The column names of a CSV file: there, all named, none twice."""
    encoding = "utf-8-sig" if data.encoding == "utf-8" else data.encoding
    opened = gzip.open if file.endswith(".gz") else open
    try:
        _refuse_other_kinds(file, data)
        with opened(file, "rt", encoding=encoding, newline="") as stream:
            names = next(csv.reader(stream, delimiter=data.separator), [])
    except UnicodeDecodeError:
        raise _not_utf8(file, _first_bad_line(file)) from None
    except csv.Error as error:
        raise DataError(tr("the header cannot be read: {error}", error=error), where=file) from None
    except OSError as error:
        raise DataError(tr("cannot be read: {strerror}", strerror=error.strerror or error), where=file) from None
    if not names:
        blank = Path(file).stat().st_size > 0
        what = tr("begins with a blank line") if blank else tr("is empty: there is not even a header")
        raise DataError(what, where=file, remedy=tr("The first line must name the columns."))
    refuse_line_ends(names, f"{file}, row 1")
    if any(_DATA.fullmatch(name) for name in names):  # it may be somebody's: nothing of it is shown
        raise DataError(
            tr("the first row looks like data, and not like the names of columns"),
            where=tr("{file}, row 1", file=file),
            remedy=tr("Add a row of names. If these are the names, change those that read as numbers or dates."),
        )
    empty = [number for number, name in enumerate(names, 1) if not name.strip()]
    if empty:
        raise DataError(
            tr("column {empty} of {number} has no name", empty=empty[0], number=len(names)),
            where=tr("{file}, row 1", file=file),
            remedy=tr("Name it in the header."),
        )
    lowered = [name.casefold() for name in names]
    for number, name in enumerate(lowered):
        if name in lowered[:number]:
            first = lowered.index(name)
            raise DataError(
                tr(
                    'the column name "{names}" stands twice, in columns {first} and {number}',
                    names=names[number],
                    first=first + 1,
                    number=number + 1,
                ),
                where=tr("{file}, row 1", file=file),
                remedy=tr("Rename one of the two (names that differ only in case count as the same)."),
            )
    return names


def _refuse_other_kinds(file: str, data: Data) -> None:
    """Files that a reader of CSV would complain about in words that lead nowhere."""
    with Path(file).open("rb") as stream:
        start = stream.read(1024)
    text = b"".join(start.removeprefix(BYTE_ORDER_MARK).split()).lower()
    for mark, (what, remedy) in OTHER_KINDS.items():
        if (start.startswith(mark) or text.startswith(mark)) and not (mark == b"\x1f\x8b" and file.endswith(".gz")):
            raise DataError(what, where=file, remedy=remedy)
    if start.startswith(BYTE_ORDER_MARK) and data.encoding != "utf-8":
        raise DataError(
            tr("begins with the mark of UTF-8, and its encoding is said to be {encoding}", encoding=data.encoding),
            where=file,
            remedy=tr('Try encoding = "utf-8" under [data]; if that fails, save it again in one encoding.'),
        )


def _ends_lines_in_two_ways(file: str) -> bool:
    """Whether some lines end in CR LF and some in LF, as far as the first of them tell."""
    opened = gzip.open if file.endswith(".gz") else open
    with opened(file, "rb") as stream:
        start = stream.read(1 << 22)
    both = start.count(b"\r\n")
    return 0 < both < start.count(b"\n")


def refuse_line_ends(names: Sequence[str], where: str) -> None:
    """A carriage return in a name cannot be written so that every program reads it back."""
    for number, name in enumerate(names, 1):
        if "\r" in name:
            raise DataError(
                tr("the name of column {number} holds a carriage return", number=number),
                where=where,
                remedy=tr("Rename it."),
            )


def csv_error(text: str, path: str, data: Data) -> DataError:
    """The parser's complaint in our words: its own quotes the line, and the line holds people's values."""
    found = re.search(r"Line: (\d+)", text)
    line = int(found[1]) if found else None
    where = tr("{path}, line {line}", path=path, line=line) if line else path
    if re.search(r"unicode|utf-?8|encod", text, re.IGNORECASE):
        return _not_utf8(path, line) if data.encoding == "utf-8" else DataError(tr("cannot be decoded"), where=where)
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        return DataError(
            tr("{columns} fields where the header has {columns2}", columns=columns[2], columns2=columns[1]),
            where=where,
            remedy=tr('Check the line\'s separators ("{separator}") and quotes.', separator=data.separator),
        )
    if re.search(r"unterminated quote|quote should be followed", text, re.IGNORECASE):
        return DataError(
            tr("a quoted field does not end well"), where=where, remedy=tr('Inside quotes, write a quote as "".')
        )
    if "maximum line size" in text.lower():
        return DataError(tr("the line is longer than the engine reads"), where=where, remedy=tr("Check its quotes."))
    if any(_ends_lines_in_two_ways(file) for file in list_files(path)):
        return DataError(
            tr("its lines end in two ways, some in CR LF and some in LF"),
            where=path,
            remedy=tr("Write them all alike: open it in an editor and save it, or use dos2unix."),
        )
    return DataError(
        tr("is not a CSV file that the engine can read"), where=where, remedy=tr("Check separator and encoding.")
    )


def parquet_columns(files: Sequence[str], path: str) -> list[str]:
    """The columns of Parquet files as they are written; an engine may rename those that differ in case alone."""
    from pyarrow import ArrowException
    from pyarrow.parquet import read_schema

    try:
        for file in files:
            _refuse_wide_decimals(read_schema(file), file)
        return list(read_schema(files[0]).names)
    except (ArrowException, OSError):
        raise parquet_error(path) from None


def _refuse_wide_decimals(schema: Any, file: str) -> None:
    """DuckDB takes the bytes of a decimal of more than 38 digits for another number, and says nothing."""
    wide = [field.name for field in schema if "decimal256" in str(field.type)]
    if wide:
        raise DataError(
            tr('the column "{wide}" holds decimals of more than 38 digits, which cannot be read', wide=wide[0]),
            where=file,
            remedy=tr("Write it with at most 38 digits, as text, or as floating point."),
        )


def parquet_error(path: str) -> DataError:
    """A Parquet reader's complaint without its words, which may quote values."""
    return DataError(
        tr("is not readable as Parquet"), where=path, remedy=tr("Files read together need the same columns.")
    )


def _first_bad_line(file: str) -> int | None:
    """The line of the first byte that is not UTF-8, if it is among the first few thousand lines."""
    opened = gzip.open if file.endswith(".gz") else open
    with opened(file, "rb") as stream:
        for number, line in enumerate(itertools.islice(stream, 5000), 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return None


def _not_utf8(path: str, line: int | None) -> DataError:
    return DataError(
        tr("is not UTF-8"),
        where=tr("{path}, line {line}", path=path, line=line) if line else path,
        remedy=tr('If it comes from a spreadsheet, try encoding = "latin-1" under [data] (--encoding latin-1).'),
    )
