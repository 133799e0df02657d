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
from cobogo.floor.language import tr, trn
from cobogo.floor.language.errors import reason

LARGEST = 1 << 28

USUAL_SEPARATORS = ";,\t|"


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
                trn(
                    "{n} column, and the first line has {width}",
                    "{n} columns, and the first line has {width}",
                    n=len(fields),
                    width=width,
                ),
                where=tr("{where}, line {line}", where=where, line=line),
                remedy=tr(
                    'Give every line a label for every level. Put labels that have the separator between "quotes".'
                ),
                code="COBOGO-HIERARCHY-FILE",
            )
        rows.append(_row_labels(fields, missing, tr("{where}, line {line}", where=where, line=line)))
    if not rows:
        raise HierarchyError(
            tr("the file is empty"),
            where=where,
            remedy=tr("Write one line for each value: the value, then a label for each level."),
            code="COBOGO-HIERARCHY-FILE",
        )
    if width == 1:
        raise HierarchyError(
            tr('the file has a single column if its separator is "{separator}"', separator=separator),
            where=where,
            remedy=_other_separator(text, separator),
            code="COBOGO-HIERARCHY-FILE",
        )
    return Hierarchy.from_columns(attribute, list(zip(*rows, strict=True)), where=where)


def read_regular(path: Path) -> bytes:
    """The content of a file that ends: a device or a pipe may not, and more than 256 MiB are no list of values."""
    if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():  # before it is opened: a pipe would wait
        raise OSError(errno.EINVAL, tr("it is not a regular file"))
    with path.open("rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(errno.EFBIG, tr("it has more than {size} MiB", size=LARGEST >> 20))
    return content


def _text(path: Path, encoding: str, where: str) -> str:
    try:
        raw = read_regular(path)
    except FileNotFoundError:
        raise HierarchyError(
            tr("no such file"),
            where=where,
            remedy=tr("Check the path: {path}. Paths are relative to the policy file.", path=path),
            code="COBOGO-HIERARCHY-FILE",
        ) from None
    except OSError as error:
        raise HierarchyError(
            tr("cannot be read: {reason}", reason=reason(error)),
            where=where,
            remedy=tr("Check the path: {path}. Paths are relative to the policy file.", path=path),
            code="COBOGO-HIERARCHY-FILE",
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
            remedy=tr('Save it as UTF-8, or write encoding = "latin-1" beside csv in the policy.'),
            code="COBOGO-HIERARCHY-FILE",
        ) from None


def _rows(text: str, separator: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its (last) line."""
    if separator in '"\r\n':
        raise HierarchyError(
            tr("{separator!r} cannot separate columns", separator=separator),
            where=where,
            remedy=tr('Write the separator of the file beside csv in the policy: separator = ";".'),
            code="COBOGO-HIERARCHY-FILE",
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for fields in reader:
            if fields and not (len(fields) == 1 and not fields[0].strip()):
                yield reader.line_num, fields
    except csv.Error:
        raise HierarchyError(
            tr("a quoted label is not closed"),
            where=tr("{where}, line {line}", where=where, line=reader.line_num),
            remedy=tr('Close every quote, and write a quote inside a label twice: "".'),
            code="COBOGO-HIERARCHY-FILE",
        ) from None


def _row_labels(fields: list[str], missing: Collection[str], where: str) -> list[Label]:
    """One row: texts, or None where NULL's own row says NULL."""
    if not fields[0] or fields[0] in missing:
        return [None if not field or field in missing else field for field in fields]
    if "" in fields:
        # An empty label would be released as NULL and taken for a value that was never known.
        raise HierarchyError(
            tr('the value "{value}" has an empty label at level {level}', value=fields[0], level=fields.index("")),
            where=where,
            remedy=tr("Write the label that the value has at that level."),
            code="COBOGO-HIERARCHY-FILE",
        )
    return list(fields)


def _other_separator(text: str, separator: str) -> str:
    first = next(line for line in text.splitlines() if line.strip())
    found = [mark for mark in USUAL_SEPARATORS if mark in first and mark != separator]
    if not found:
        return tr(
            "Write the separator of the file beside csv in the policy, and give each line a label for each level."
        )
    mark = "\\t" if found[0] == "\t" else found[0]
    return tr('It seems to be separated by "{mark}": write separator = "{mark}" beside csv in the policy.', mark=mark)
