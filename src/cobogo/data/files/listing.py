"""Files: which ones a path stands for, what their headers say, and what is wrong with them, without showing a value."""

from __future__ import annotations

import codecs
import csv
import glob
import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cobogo.data.files.encodings import guess_separator, line_below_title, open_text, open_unpacked
from cobogo.data.policy import LAKES, Data
from cobogo.errors import DataError
from cobogo.floor.language import join, tr, trn
from cobogo.floor.urls import is_elsewhere, refuse_address, remote_url

_DATA = re.compile(
    r"""\s*(
        \d{3}\.?\d{3}\.?\d{3}-\d{2} | [^@\s]+@[^@\s]+\.\w+ | [+-]?\d{7,} | [+-]?\d+[.,]\d+
        | \d{1,2}[/.-]\d{1,2}[/.-]\d{2,4} | \d{4}[/.-]\d{1,2}[/.-]\d{1,2}([ T].*)?
    )\s*""",
    re.VERBOSE,
)
"""What nobody calls a column: a CPF, an address, a long or decimal number, a date."""


LOG = "_delta_log"
"""The directory that makes a directory a Delta table."""


def must_be_copied(place: str, data: Data) -> bool:
    """Whether a place is no file of this machine, or one that only a lake's library reads: see `table.sources`."""
    return is_elsewhere(place) or data.format in LAKES or data.version is not None or Path(place, LOG).is_dir()


def list_files(path: str) -> list[str]:
    """The files that a path stands for: itself, those of a directory, or those that match a pattern."""
    if is_elsewhere(path):
        raise DataError(
            tr("is not a file of this machine"),
            where=remote_url(path),
            remedy=tr("Copy it here first."),
            code="COBOGO-DATA-FILE",
        )
    if Path(path).is_dir():
        inside = sorted(str(p) for p in Path(path).rglob("*") if p.is_file() and _counts(p.relative_to(path)))
        if not inside:
            raise DataError(
                tr("is a directory without files"), where=path, remedy=tr("Check the path."), code="COBOGO-DATA-FILE"
            )
        return inside
    if Path(path).exists():
        if not Path(path).is_file():
            raise DataError(
                tr("is not a regular file"),
                where=path,
                remedy=tr("A pipe cannot be read twice: save its content to a file."),
                code="COBOGO-DATA-FILE",
            )
        return [path]
    found = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []  # noqa: PTH207
    if not found:
        refuse_address(path)
        what = tr("no file matches") if glob.has_magic(path) else tr("no such file")
        raise DataError(
            what,
            where=path,
            remedy=tr("Check the path. In a policy, paths are relative to its file."),
            code="COBOGO-DATA-FILE",
        )
    inside = [file for name in found for file in (list_files(name) if Path(name).is_dir() else [name])]
    return list(dict.fromkeys(inside))


def _counts(path: Path) -> bool:
    """Whether a file of a directory is data: what engines leave beside it begins with a dot or an underscore."""
    return not any(part.startswith((".", "_")) for part in path.parts)


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
            remedy=tr("Give every file the same key=value directories above it."),
            code="COBOGO-DATA-FILE",
        )
    return keys[0]


def _base(path: str) -> Path:
    """The part of a path before its patterns: what lies above it belongs to the place, not to the table."""
    if Path(path).is_dir():
        return Path(path)
    plain = itertools.takewhile(lambda part: not glob.has_magic(part), Path(path).parts)
    base = Path(*plain)
    return base.parent if base == Path(path) else base


def csv_columns(files: Sequence[str], data: Data) -> list[str]:
    """The column names of CSV files, which share them. An engine would rename what is wrong with them in silence."""
    names = _header(files[0], data)
    for other in files[1:]:
        if _header(other, data) != names:
            raise other_columns(other, files[0])
    return names


def other_columns(file: str, first: str) -> DataError:
    """The error of a file that cannot be read together with another."""
    return DataError(
        tr("has other columns than {file}", file=first),
        where=file,
        remedy=tr("Give files that are read together the same header."),
        code="COBOGO-DATA-HEADER",
    )


def _header(file: str, data: Data) -> list[str]:
    """The column names of a CSV file: there, all named, none twice."""
    where = tr("{file}, line {line}", file=file, line=1)
    try:
        _refuse_wrong_mark(file, data)
        with open_text(file, data.encoding) as text:
            names = next(csv.reader(text, delimiter=data.separator), [])
    except UnicodeDecodeError:
        raise _not_utf8(file, _first_bad_line(file)) from None
    except csv.Error:
        raise DataError(
            tr("the header cannot be read as CSV"),
            where=where,
            remedy=tr("Check its quotes and its separator."),
            code="COBOGO-DATA-HEADER",
        ) from None
    if not names:
        blank = Path(file).stat().st_size > 0
        what = tr("begins with a blank line") if blank else tr("is empty: it has no header")
        raise DataError(
            what, where=file, remedy=tr("Write the names of the columns in the first line."), code="COBOGO-DATA-EMPTY"
        )
    check_header(names, where, _title_hint(file, data))
    return names


def _title_hint(file: str, data: Data) -> str:
    """Where the header of a file that begins with a title seems to be."""
    line = line_below_title(file, data.encoding)
    if line is None:
        return ""
    return tr(
        "If the first line is a title: the header seems to be line {line}, so delete the lines above it, in a text "
        "editor (a spreadsheet program would change values).",
        line=line,
    )


def check_header(names: Sequence[str], where: str, hint: str = "") -> None:
    """Refuse a first row that cannot name columns: it looks like data, or has no name or one name twice.

    ``hint``: where the names may be instead.
    """
    refuse_line_ends(names, where)
    if any(_DATA.fullmatch(name) for name in names):  # it may be somebody's: nothing of it is shown
        raise DataError(
            tr("the first line looks like data, not like the names of columns"),
            where=where,
            remedy=tr(
                "Add a line with the names. If these are the names, change those that look like numbers or dates."
            ),
            code="COBOGO-DATA-HEADER",
        )
    empty = [number for number, name in enumerate(names, 1) if not name.strip()]
    if empty:
        raise DataError(
            tr("column {empty} of {number} has no name", empty=empty[0], number=len(names)),
            where=where,
            remedy=join([tr("Name it in the header."), hint or tr("If the first line is a title, delete it.")]),
            code="COBOGO-DATA-HEADER",
        )
    lowered = [name.casefold() for name in names]
    for number, name in enumerate(lowered):
        if name in lowered[:number]:
            raise DataError(
                tr(
                    'the column name "{name}" appears twice, in columns {first} and {second}',
                    name=names[number],
                    first=lowered.index(name) + 1,
                    second=number + 1,
                ),
                where=where,
                remedy=tr("Rename one of the two (names that differ only in case count as the same)."),
                code="COBOGO-DATA-HEADER",
            )


def _refuse_wrong_mark(file: str, data: Data) -> None:
    """A file that says by its first bytes that it is UTF-8 is not read as another encoding."""
    with open_unpacked(file) as stream:
        marked = stream.read(3) == codecs.BOM_UTF8
    if marked and data.encoding != "utf-8":
        raise DataError(
            tr("begins with the mark of UTF-8, and the policy says {encoding}", encoding=data.encoding),
            where=file,
            remedy=tr('Write encoding = "utf-8" under [data]. If that fails, save it again in one encoding.'),
            code="COBOGO-DATA-ENCODING",
        )


def _ends_lines_in_two_ways(file: str) -> bool:
    """Whether some lines end in CR LF and some in LF, as far as the first of them tell."""
    with open_unpacked(file) as stream:
        start = stream.read(1 << 22)
    both = start.count(b"\r\n")
    return 0 < both < start.count(b"\n")


def refuse_line_ends(names: Sequence[str], where: str) -> None:
    """A carriage return in a name cannot be written so that every program reads it back."""
    for number, name in enumerate(names, 1):
        if "\r" in name:
            raise DataError(
                tr("the name of column {number} has a carriage return", number=number),
                where=where,
                remedy=tr("Rename it."),
                code="COBOGO-DATA-HEADER",
            )


def csv_error(text: str, path: str, data: Data) -> DataError:
    """The parser's complaint in our words: its own quotes the line, and the line holds people's values."""
    found = re.search(r"Line: (\d+)", text)
    line = int(found[1]) if found else None
    where = tr("{file}, line {line}", file=path, line=line) if line else path
    if re.search(r"unicode|utf-?8|encod", text, re.IGNORECASE):
        if data.encoding == "utf-8":
            return _not_utf8(path, line)
        return DataError(
            tr("is not text in the encoding {encoding}", encoding=data.encoding),
            where=where,
            remedy=tr("Save it as UTF-8."),
            code="COBOGO-DATA-ENCODING",
        )
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        remedy = tr('Check the separators ("{separator}") and quotes of the line.', separator=data.separator)
        title = _title_hint(list_files(path)[0], data)
        likely = guess_separator(list_files(path)[0], data.encoding)
        if not title and columns[1] == "1":
            title = tr("If the first line is a title, delete it.")
            if likely != data.separator and columns[2] != "1":
                title = tr('The header seems to be separated by "{mark}".', mark=likely)
        return DataError(
            trn(
                "{n} field, and the header has {header}",
                "{n} fields, and the header has {header}",
                n=int(columns[2]),
                header=columns[1],
            ),
            where=where,
            remedy=join([remedy, title]),
            code="COBOGO-DATA-LINE",
        )
    if re.search(r"unterminated quote|quote should be followed", text, re.IGNORECASE):
        return DataError(
            tr("a quoted field is not closed"),
            where=where,
            remedy=tr('Close it. Inside quotes, write a quote as "".'),
            code="COBOGO-DATA-LINE",
        )
    if "maximum line size" in text.lower():
        return DataError(
            tr("the line is longer than the engine can read"),
            where=where,
            remedy=tr("Check its quotes: one may not be closed."),
            code="COBOGO-DATA-LINE",
        )
    if any(_ends_lines_in_two_ways(file) for file in list_files(path)):
        return DataError(
            tr("some of its lines end in CR LF and some in LF"),
            where=path,
            remedy=tr("Open it in an editor and save it again, or use dos2unix."),
            code="COBOGO-DATA-LINE",
        )
    return DataError(
        tr("is not a CSV file that the engine can read"),
        where=where,
        remedy=tr("Check separator and encoding under [data]."),
        code="COBOGO-DATA-FORMAT",
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
            tr('the column "{name}" has decimals of more than 38 digits, which cannot be read', name=wide[0]),
            where=file,
            remedy=tr("Write it with at most 38 digits, as text, or as floating point."),
            code="COBOGO-DATA-TYPE",
        )


def parquet_error(path: str) -> DataError:
    """A Parquet reader's complaint without its words, which may quote values."""
    return DataError(
        tr("cannot be read as Parquet"),
        where=path,
        remedy=tr("Check that the file is complete. Files that are read together need the same columns."),
        code="COBOGO-DATA-FORMAT",
    )


def _first_bad_line(file: str) -> int | None:
    """The line of the first byte that is not UTF-8, if it is among the first few thousand lines."""
    with open_unpacked(file) as stream:
        for number, line in enumerate(itertools.islice(stream, 5000), 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return None


def _not_utf8(path: str, line: int | None) -> DataError:
    return DataError(
        tr("is not UTF-8"),
        where=tr("{file}, line {line}", file=path, line=line) if line else path,
        remedy=tr(
            'Save it as UTF-8. Or write encoding = "auto" under [data], or --encoding auto, so that its encoding is '
            "detected."
        ),
        code="COBOGO-DATA-ENCODING",
    )
