"""Spreadsheets: Excel (.xlsx, .xlsm, .xlsb, .xls) and OpenDocument (.ods) are read, .xlsx is written.

A formula is read as its value, an error cell as no value. What is written has cells of text and numbers and nothing
else: no formula, no style, no author, no date, no hidden sheet.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from cobogo.data.files.cells import cell_text, is_numeric, text_column
from cobogo.data.files.formats import FileContent, ValueLabels, choose, incomplete, too_large
from cobogo.data.files.listing import check_header
from cobogo.data.policy import Data
from cobogo.errors import DataError, OutputError, PolicyError
from cobogo.floor.language import join, tr, trn
from cobogo.floor.memory import memory_share

MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384
LONGEST_CELL = 32_767
"""What a sheet of Excel holds, and a cell of it."""

ROOM = 0.25
"""The share of memory that an unpacked workbook may take. As cells it takes four times as much: 49 MB of XML, 200,000
rows of five columns, took 190 MB."""

FOOTER = 4
"""Rows below a table, empty ones included, that may be a total and notes."""

_BLOCK = 1 << 20

Cells = list[list[Any]]


def read(file: str, data: Data) -> FileContent:
    """One sheet, or a range of it, whose first row names the columns. It is in memory as a whole, as sheets are."""
    import pyarrow as pa

    notes = check_archive(file) if zipfile.is_zipfile(file) else []
    sheet, rows, first, below = _table(file, data, notes)
    where = tr("{file}, sheet {sheet}", file=file, sheet=sheet)
    header = [cell_text(cell) or "" for cell in rows[0]]
    width = max((n for row in rows for n, cell in enumerate(row, 1) if cell != ""), default=0)
    with _offering(below):
        check_header(header[:width], tr("{where}, row {row}", where=where, row=first), _hint(below))
    records = [row[:width] for row in rows[1:] if any(cell != "" for cell in row[:width])]
    if len(records) < len(rows) - 1:
        empty = len(rows) - 1 - len(records)
        notes.append(trn("{n:,} empty row was left out", "{n:,} empty rows were left out", n=empty))
    columns = [text_column(column) for column in zip_longest(*records)] or [pa.array([], pa.string())] * width
    table = pa.RecordBatch.from_arrays(columns, names=header[:width])
    return FileContent(table.schema, [table], notes=notes, keys={"sheet": sheet})


def _table(file: str, data: Data, notes: list[str]) -> tuple[str, Cells, int, _Area | None]:
    """The name of the sheet, the rows of the table, the number of the first of them, and where else it may begin. What
    looks like a total below it is noted."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        with CalamineWorkbook.from_path(file) as book:
            name = choose(data.sheet, _sheets_with_cells(book, data), "sheet", tr("sheets"), file)
            sheet = book.get_sheet_by_name(name)
            cells = sheet.to_python(skip_empty_area=False)
            merged = sheet.merged_cell_ranges or []
    except PasswordError:
        raise _protected(file) from None
    except (CalamineError, OSError, ValueError):
        raise _protected(file) if _is_encrypted(file) else incomplete(file, tr("a spreadsheet")) from None
    area = _Area.parse(data.range) if data.range else _Area.around(cells)
    if area is None or not cells:
        raise DataError(
            tr("the sheet {sheet} is empty", sheet=name),
            where=file,
            remedy=tr("Give a sheet whose first row names the columns."),
            code="COBOGO-DATA-EMPTY",
        )
    below = area.below_title(cells)
    below = below and (below.above_total(cells) or below)
    with _offering(below):
        _refuse_merged(merged, area, tr("{file}, sheet {sheet}", file=file, sheet=name), _hint(below))
    rest = area.above_total(cells)
    if rest is not None:
        notes.append(
            tr(
                'the last row has few values. If it is a total, and no record: range = "{area}" under [data], or '
                "--range {area}",
                area=str(rest),
            )
        )
    return name, area.cut(cells), area.top + 1, below


def _sheets_with_cells(book: Any, data: Data) -> list[str]:
    """The sheets that may be meant: all where one is named, else those that are not empty."""
    names: list[str] = list(book.sheet_names)
    if data.sheet is not None or len(names) == 1:
        return names
    return [name for name in names if book.get_sheet_by_name(name).start is not None] or names[:1]


def _is_encrypted(file: str) -> bool:
    """Whether an old container holds a new workbook that a password locks."""
    with Path(file).open("rb") as stream:
        return "EncryptedPackage".encode("utf-16-le") in stream.read(_BLOCK)


def _protected(file: str) -> DataError:
    return DataError(
        tr("is protected by a password"),
        where=file,
        remedy=tr("Open it with its password, save it without one, and give that file."),
        code="COBOGO-DATA-FILE",
    )


@dataclass(frozen=True)
class _Area:
    """Rows and columns of a sheet, counted from 0, the last ones included."""

    top: int
    left: int
    bottom: int
    right: int

    @classmethod
    def parse(cls, text: str) -> _Area:
        """A range as spreadsheets write it.

        >>> _Area.parse("B3:F200")
        _Area(top=2, left=1, bottom=199, right=5)
        """
        found = re.fullmatch(r"\$?([A-Za-z]{1,3})\$?([1-9][0-9]{0,6}):\$?([A-Za-z]{1,3})\$?([1-9][0-9]{0,6})", text)
        if found is None:
            raise _no_range(text)
        area = cls(int(found[2]) - 1, _column_number(found[1]), int(found[4]) - 1, _column_number(found[3]))
        if area.top > area.bottom or area.left > area.right:
            raise _no_range(text)
        return area

    @classmethod
    def around(cls, cells: Cells) -> _Area | None:
        """The smallest one with every cell that has a value; None if there is none."""
        rows = [number for number, row in enumerate(cells) if any(cell != "" for cell in row)]
        places = [number for row in cells for number, cell in enumerate(row) if cell != ""]
        return cls(rows[0], min(places), rows[-1], max(places)) if rows else None

    def cut(self, cells: Cells) -> Cells:
        """The rows of a sheet in it; a row that is shorter is filled up with empty cells."""
        width = self.right - self.left + 1
        rows = [row[self.left : self.right + 1] for row in cells[self.top : self.bottom + 1]]
        return [[*row, *[""] * (width - len(row))] for row in rows] or [[""] * width]

    def below_title(self, cells: Cells) -> _Area | None:
        """The rest from the first row on that has values in half of its columns; None if that is the first row.

        A row that lacks a few names is a header still: the row below it is somebody's.

        >>> cells = [["Students", "", ""], ["", "", ""], ["name", "class", "mark"], ["Ana", "6 B", 7.5]]
        >>> print(_Area.around(cells).below_title(cells))
        A3:C4
        """
        rows = self.cut(cells)
        filled = (number for number, row in enumerate(rows) if 2 * sum(cell != "" for cell in row) >= len(row))
        above = next(filled, 0)
        return replace(self, top=self.top + above) if above else None

    def above_total(self, cells: Cells) -> _Area | None:
        """What is above a few last rows of which most cells are empty, such as a total; None if there are none.

        >>> cells = [["name", "class", "mark"], ["Ana", "6 B", 7.5], ["", "", ""], ["", "", 7.5]]
        >>> print(_Area.around(cells).above_total(cells))
        A1:C2
        """
        counts = [2 * sum(cell != "" for cell in row) >= len(row) for row in self.cut(cells)]
        below = counts[::-1].index(True) if True in counts else 0
        return replace(self, bottom=self.bottom - below) if 0 < below <= FOOTER and below < len(counts) - 1 else None

    def __str__(self) -> str:
        return f"{_column_letters(self.left)}{self.top + 1}:{_column_letters(self.right)}{self.bottom + 1}"


def _hint(area: _Area | None) -> str:
    """What to do where a title was taken for the header."""
    if area is None:
        return ""
    return tr('If the table begins below a title: range = "{area}" under [data], or --range {area}.', area=str(area))


@contextmanager
def _offering(area: _Area | None) -> Iterator[None]:
    """A block whose errors offer to read another range."""
    try:
        yield
    except DataError as error:
        error.offers = None if area is None else ("range", (str(area),))
        raise


def _no_range(text: str) -> PolicyError:
    return PolicyError(
        tr("{range!r} is not a range of cells", range=text),
        where="data.range",
        remedy=tr('Write its first and its last cell, for example range = "B3:F200".'),
        code="COBOGO-POLICY-VALUE",
    )


def _column_number(letters: str) -> int:
    """The number of a column, from 0.

    >>> _column_number("A"), _column_number("AA")
    (0, 26)
    """
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number - 1


def _column_letters(number: int) -> str:
    """The letters of a column.

    >>> _column_letters(0), _column_letters(701), _column_letters(702)
    ('A', 'ZZ', 'AAA')
    """
    letters = ""
    while number >= 0:
        letters = chr(65 + number % 26) + letters
        number = number // 26 - 1
    return letters


def _refuse_merged(merged: Sequence[Any], area: _Area, where: str, hint: str) -> None:
    """Of merged cells only the first has the value: the others would be missing without a word."""
    for (top, left), (bottom, right) in merged:
        if top <= area.bottom and bottom >= area.top and left <= area.right and right >= area.left:
            remedy = tr("Unmerge them and give each cell its value, or name a range without them: range = …")
            raise DataError(
                tr("the cells {cells} are merged", cells=str(_Area(top, left, bottom, right))),
                where=where,
                remedy=join([remedy, hint]),
                code="COBOGO-DATA-FORMAT",
            )


def check_archive(file: str, most: int | None = None) -> list[str]:
    """Unpack a workbook once without keeping it, and say what a reader would pass over in silence.

    A small archive can unpack to more than there is memory, and may lie about its size: Python's reader stops at the
    size that is stated and compares the sums, so what passes here is what the next reader gets.
    """
    errors, size = 0, 0
    most = min(memory_share(ROOM), memory_share(ROOM) if most is None else most)
    try:
        with zipfile.ZipFile(file) as archive:
            for part in archive.infolist():
                sheet, rest = part.filename.startswith("xl/worksheets/"), b""
                with archive.open(part) as stream:
                    while block := stream.read(_BLOCK):
                        size += len(block)
                        if size > most:
                            raise too_large(file, most)
                        if sheet:
                            whole = rest + block
                            errors += len(_ERROR.findall(whole)) - len(_ERROR.findall(rest))
                            if (formula := _UNCOMPUTED.search(whole)) is not None:
                                raise _uncomputed(file, whole[: formula.start()])
                            rest = whole[-200:]
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError):
        raise incomplete(file, tr("a spreadsheet")) from None
    text = trn(
        "{n:,} cell of the workbook has an error such as #N/A: it counts as missing",
        "{n:,} cells of the workbook have an error such as #N/A: they count as missing",
        n=errors,
    )
    return [text] if errors else []


_ERROR = re.compile(rb'<c [^>]*t="e"')
_UNCOMPUTED = re.compile(rb"(</f>|<f[^>]*/>)(<v ?/>|<v></v>)?</c>")
"""In a sheet: a cell with an error, and a formula whose value nobody computed."""


def _uncomputed(file: str, before: bytes) -> DataError:
    cells = re.findall(rb'<c r="([A-Z]+[0-9]+)"', before)
    return DataError(
        tr("has formulas without their values; the first is in cell {cell}", cell=cells[-1].decode())
        if cells
        else tr("has formulas without their values"),
        where=file,
        remedy=tr("Open it in a spreadsheet program, which computes them, and save it; or delete the formulas there."),
        code="COBOGO-DATA-FORMAT",
    )


# Writing

_PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="xl/workbook.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="release" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="worksheets/sheet1.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/></Relationships>',
}
"""All that a workbook of one sheet has to have besides the sheet."""

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_EPOCH = (1980, 1, 1, 0, 0, 0)


def write_xlsx(table: Any, target: Path, labels: ValueLabels, data: Data) -> None:  # noqa: ARG001
    """A workbook of one sheet. A column of numbers is one of numbers; every other cell is text, never a formula."""
    _refuse_unfit(table, target)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _PARTS.items():
            archive.writestr(_part(name), _XML + text)
        with archive.open(_part("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            for text in _sheet(table):
                sheet.write(text.encode())


def _part(name: str) -> zipfile.ZipInfo:
    """An entry of the archive that says nothing of when or where it was made."""
    part = zipfile.ZipInfo(name, _EPOCH)
    part.compress_type = zipfile.ZIP_DEFLATED
    part.create_system = 0
    return part


def _sheet(table: Any) -> Iterator[str]:
    yield _XML + '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    yield _row([_text_cell(name) for name in table.column_names])
    numeric = [is_numeric(column) for column in table.columns]
    for batch in table.to_batches(max_chunksize=10_000):
        columns = [
            [_number_cell(cell) if number else _text_cell(cell) for cell in column.to_pylist()]
            for column, number in zip(batch.columns, numeric, strict=True)
        ]
        yield "".join(map(_row, zip(*columns, strict=True)))
    yield "</sheetData></worksheet>"


def _row(cells: Sequence[str]) -> str:
    return f"<row>{''.join(cells)}</row>"


def _number_cell(text: str | None) -> str:
    return "<c/>" if text is None else f"<c><v>{text}</v></c>"


def _text_cell(text: str | None) -> str:
    if text is None:
        return "<c/>"
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


_FORBIDDEN = "[\x00-\x08\x0b\x0c\x0e-\x1f\r\ufffe\uffff]|_x[0-9A-Fa-f]{4}_"
"""What a cell cannot hold, or a reader would take for something else."""


def _refuse_unfit(table: Any, target: Path) -> None:
    """What Excel cannot hold is refused before anything is written."""
    import pyarrow as pa
    import pyarrow.compute as pc

    remedy = tr('Write format = "csv" or "parquet" under [output].')
    if table.num_rows >= MOST_ROWS or table.num_columns > MOST_COLUMNS:
        raise OutputError(
            tr(
                "a sheet of Excel holds {rows:,} rows and {columns:,} columns; the release has {n:,} and {m:,}",
                rows=MOST_ROWS - 1,
                columns=MOST_COLUMNS,
                n=table.num_rows,
                m=table.num_columns,
            ),
            where=target.name,
            remedy=remedy,
        )
    for name, column in zip(table.column_names, table.columns, strict=True):
        known = pc.unique(pa.chunked_array([*column.chunks, pa.array([name])])).drop_null()
        strange = pc.any(pc.match_substring_regex(known, _FORBIDDEN)).as_py()
        if strange or (pc.max(pc.utf8_length(known)).as_py() or 0) > LONGEST_CELL:
            raise OutputError(
                tr('the column "{name}" has a text that a cell of Excel cannot hold', name=name),
                where=target.name,
                remedy=remedy,
            )
