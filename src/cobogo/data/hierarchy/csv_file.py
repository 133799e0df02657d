"""A hierarchy from a CSV file without header: column 0 the leaves, then one column a level."""

from __future__ import annotations

import codecs
import csv
import errno
import io
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from cobogo.data.hierarchy.base import Hierarchy, Label
from cobogo.errors import HierarchyError
from cobogo.floor.language import tr

LARGEST = 1 << 28

USUAL_SEPARATORS = {";": '";"', ",": '","', "\t": "a tab", "|": '"|"'}


def csv_hierarchy(
    attribute: str, path: Path, *, separator: str, encoding: str, missing: Collection[str], where: str
) -> Hierarchy:
    """Read the file at ``path``; its leaves and labels are exact text, quoted with ``"`` where needed.

    A row whose leaf is empty or one of ``missing`` is NULL's own row; there, and only there, labels may be empty:
    they stay NULL. ``where`` is what error messages call the file.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "profession.csv"
    >>> _ = path.write_text("Dentist;Health\\nAnalyst;IT\\n")
    >>> h = csv_hierarchy("profession", path, separator=";", encoding="utf-8", missing=[""], where="profession.csv")
    >>> h.labels
    (('Dentist', 'Analyst'), ('Health', 'IT'))
    """
    text = _text(path, encoding, where)
    rows: list[list[Label]] = []
    width = 0
    for line, fields in _rows(text, separator, where):
        width = width or len(fields)
        if len(fields) != width:
            raise HierarchyError(
                tr(
                    "expected {columns} as in the first row, found {number}",
                    columns=_columns(width),
                    number=len(fields),
                ),
                where=tr("{where}, line {line}", where=where, line=line),
                remedy=tr(
                    'Give every row a label for every level; put labels that hold the separator between "quotes".'
                ),
            )
        rows.append(_row_labels(fields, missing, f"{where}, line {line}"))
    if not rows:
        raise HierarchyError(
            tr("the file is empty"),
            where=where,
            remedy=tr("Write one row for each value: the value, then a label for each level."),
        )
    if width == 1:
        raise HierarchyError(
            tr('the file has a single column when it is separated by "{separator}"', separator=separator),
            where=where,
            remedy=_other_separator(text, separator),
        )
    return Hierarchy.from_columns(attribute, list(zip(*rows, strict=True)), where=where)


def read_regular(path: Path) -> bytes:
    """The content of a file that ends: a device or a pipe may not, and more than 256 MiB are no list of values."""
    if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():  # before it is opened: a pipe would wait
        raise OSError(errno.EINVAL, "it is not a regular file")
    with path.open("rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(errno.EFBIG, f"it has more than {LARGEST >> 20} MiB")
    return content


def _text(path: Path, encoding: str, where: str) -> str:
    try:
        raw = read_regular(path)
    except FileNotFoundError:
        remedy = tr("Looked at {path}. Paths are relative to the policy file.", path=path)
        raise HierarchyError(tr("no such file"), where=where, remedy=remedy) from None
    except OSError as error:
        raise HierarchyError(
            tr("cannot be read: {strerror}", strerror=error.strerror),
            where=where,
            remedy=tr("Looked at {path}.", path=path),
        ) from None
    if raw.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"  # the mark says what the bytes are, whatever the encoding of the data
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise HierarchyError(
            tr("is not {encoding} text (byte {start})", encoding=encoding, start=error.start),
            where=tr("{where}, line {line}", where=where, line=line),
            remedy=tr('Save it as UTF-8, or say encoding = "latin-1" beside csv in the policy.'),
        ) from None


def _rows(text: str, separator: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its (last) line."""
    if separator in '"\r\n':
        remedy = tr("Say which character separates the columns with separator beside csv in the policy.")
        raise HierarchyError(
            tr("{separator!r} cannot separate columns", separator=separator), where=where, remedy=remedy
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for fields in reader:
            if fields and not (len(fields) == 1 and not fields[0].strip()):
                yield reader.line_num, fields
    except csv.Error as error:
        remedy = tr('Close every quote, and write a quote inside a label twice: "".')
        raise HierarchyError(
            tr("is not CSV: {error}", error=error),
            where=tr("{where}, line {line_num}", where=where, line_num=reader.line_num),
            remedy=remedy,
        ) from None


def _row_labels(fields: list[str], missing: Collection[str], where: str) -> list[Label]:
    """One row: texts, or None where NULL's own row says NULL."""
    if not fields[0] or fields[0] in missing:
        return [None if not field or field in missing else field for field in fields]
    if "" in fields:
        # An empty label would be released as NULL and taken for a value that was never known.
        raise HierarchyError(
            tr('the value "{fields}" has an empty label at level {index}', fields=fields[0], index=fields.index("")),
            where=where,
            remedy=tr("Write the label that stands for the value at that level."),
        )
    return list(fields)


def _other_separator(text: str, separator: str) -> str:
    first = next(line for line in text.splitlines() if line.strip())
    found = [shown for mark, shown in USUAL_SEPARATORS.items() if mark in first and mark != separator]
    guess = f" (perhaps {' or '.join(found)})" if found else ""
    return f"It probably has another separator{guess}: say which with separator beside csv in the policy."


def _columns(width: int) -> str:
    return "1 column" if width == 1 else f"{width} columns"
