"""The kinds of files that tables are in: how each is recognised, who reads it, who writes it, and what that needs.

An engine reads CSV and Parquet itself. Any other file is read here in batches and becomes a private Parquet file, so
that every engine reads every kind. Its values become texts as CSV has them: 1 and not 1.0, 2020-01-31, true.
"""

from __future__ import annotations

import codecs
import difflib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cobogo.data.files.encodings import first_bytes, is_packed, open_unpacked
from cobogo.data.policy import Data
from cobogo.errors import DataError
from cobogo.floor.catalogue import import_object
from cobogo.floor.extras import needing_extra
from cobogo.floor.language import Text, tr

ValueLabels = Mapping[str, Mapping[str, str]]
"""Of some columns, the label of each code."""


@dataclass(frozen=True, eq=False, repr=False)
class FileContent:
    """What a reader finds in a file: batches of one schema and, when they have been read, what to say about them."""

    schema: Any
    batches: Iterable[Any]
    labels: ValueLabels = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)  # of columns, where they have more than a name
    notes: list[str] = field(default_factory=list)
    keys: Mapping[str, str] = field(default_factory=dict)  # of [data], that say where in the file the table is
    file: Path | None = None  # where they are as Parquet


@dataclass(frozen=True)
class Format:
    """A kind of file. ``read`` and ``write`` name functions, which are imported when they are needed.

    ``read`` is called with a file and the policy's [data], and returns a `FileContent`; None where an engine reads the
    file itself. ``write`` is called with an Arrow table of texts, the file, the labels of codes, and [data].
    ``keys`` are those of [data] that are for this kind.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    read: str | None = None
    write: str | None = None
    keys: tuple[str, ...] = ()

    def load(self, file: str, data: Data) -> FileContent:
        """Read a file of this kind."""
        with needing_extra():
            found: FileContent = import_object(str(self.read))(file, data)
        return found

    def save(self, table: Any, target: Path, labels: ValueLabels, data: Data) -> None:
        """Write a file of this kind."""
        with needing_extra():
            import_object(str(self.write))(table, target, labels, data)


_RECORDS = "cobogo.data.files.records"
_SHEETS = "cobogo.data.files.spreadsheets"
_LABELLED = "cobogo.data.files.labelled"

FORMATS = {
    kind.name: kind
    for kind in (
        Format("csv", "CSV", (".csv", ".tsv", ".txt"), keys=("separator", "encoding", "decimal", "formulas")),
        Format("parquet", "Parquet", (".parquet", ".pq")),
        Format(
            "xlsx", "Excel", (".xlsx", ".xlsm", ".xlsb"), f"{_SHEETS}:read", f"{_SHEETS}:write_xlsx", ("sheet", "range")
        ),
        Format("xls", "Excel 97", (".xls",), f"{_SHEETS}:read", keys=("sheet", "range")),
        Format("ods", "OpenDocument", (".ods",), f"{_SHEETS}:read", keys=("sheet", "range")),
        Format("sav", "SPSS", (".sav", ".zsav"), f"{_LABELLED}:read_sav", f"{_LABELLED}:write_sav", ("labels",)),
        Format("dta", "Stata", (".dta",), f"{_LABELLED}:read_dta", f"{_LABELLED}:write_dta", ("labels",)),
        Format("sas7bdat", "SAS", (".sas7bdat",), f"{_LABELLED}:read_sas", keys=("labels",)),
        Format("xpt", "SAS transport", (".xpt",), f"{_LABELLED}:read_xpt"),
        Format("jsonl", "JSON Lines", (".jsonl", ".ndjson"), f"{_RECORDS}:read_json_lines"),
        Format("arrow", "Arrow", (".arrow", ".feather", ".ipc"), f"{_RECORDS}:read_arrow"),
        Format("sqlite", "SQLite", (".sqlite", ".sqlite3", ".db"), f"{_RECORDS}:read_sqlite", keys=("table",)),
        Format("delta", "Delta Lake", (), keys=("version",)),
        Format("iceberg", "Iceberg", (), keys=("version",)),
    )
}
"""Every kind of file, by the name that a policy has for it."""

_BEGINNINGS: dict[bytes, str] = {
    b"PAR1": "parquet",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "xls",
    b"$FL2": "sav",
    b"$FL3": "sav",
    b"<stata_dta>": "dta",
    bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011"): "sas7bdat",
    b"HEADER RECORD*******LIB": "xpt",
    b"ARROW1": "arrow",
    b"FEA1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"SQLite format 3\0": "sqlite",
}
"""How files of a kind begin. CSV and JSON Lines begin like any text."""

_CONVERT = tr("Convert it to CSV whose first line names the columns.")
_XML = (tr("is XML (as GPX and KML are), not a table"), _CONVERT)
_OTHERS: dict[bytes, tuple[Text, Text]] = {
    **dict.fromkeys((b"<?xml", b"<gpx", b"<kml", b"<html", b"<!doctype"), _XML),
    b'{"': (
        tr("is JSON (as GeoJSON is), not a table"),
        tr("Convert it to JSON Lines (one object in each line) or to CSV."),
    ),
    b'[{"': (tr("is JSON, not a table"), tr("Convert it to JSON Lines (one object in each line) or to CSV.")),
}
"""By their first bytes, without blanks, files that are not tables and are often taken for them."""


def find_format(files: Sequence[str], data: Data, path: str) -> Format:
    """The kind of some files: the policy's word, their first bytes or, of text, their names. All must be of one."""
    found = {data.format or recognise(file) for file in files}
    if len(found) > 1:
        raise DataError(
            tr("has files of several kinds together: {kinds}", kinds=", ".join(sorted(found))),
            where=path,
            remedy=tr("Name the files of one kind."),
            code="COBOGO-DATA-FILE",
        )
    kind = FORMATS[found.pop()]
    _refuse_keys_of_others(kind, data, path)
    return kind


def _refuse_keys_of_others(kind: Format, data: Data, path: str) -> None:
    """A key that says where in a file the table is would be ignored in a file of another kind."""
    places = {"sheet", "range", "table", "version"}
    for key in sorted((data.model_fields_set & places) - set(kind.keys)):
        if getattr(data, key) is not None:
            able = ", ".join(other.title for other in FORMATS.values() if key in other.keys)
            raise DataError(
                tr("is {kind}, and data.{key} is for {able}", kind=kind.title, key=key, able=able or "…"),
                where=path,
                remedy=tr("Leave the key out, or give another file."),
                code="COBOGO-DATA-FORMAT",
            )


def recognise(file: str) -> str:
    """The name of a file's kind, by its first bytes; of a text, by its name.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.xlsx"
    >>> _ = path.write_text("age,sex")
    >>> recognise(str(path))
    'csv'
    """
    start = first_bytes(file, 64)
    if start.startswith(b"PK\x03\x04"):
        return _recognise_archive(file)
    if start[8:12] == b"DUCK":
        raise DataError(
            tr("is a DuckDB database"),
            where=file,
            remedy=tr('Write path = "duckdb:///FILE" and table = "its table" under [data].'),
            code="COBOGO-DATA-FORMAT",
        )
    if start[:1] in map(bytes, zip(range(102, 116))) and start[1:3] in (b"\1\1", b"\2\1"):  # Stata 1 to 12
        return "dta"
    return next((name for mark, name in _BEGINNINGS.items() if start.startswith(mark)), None) or _text_kind(file)


def _recognise_archive(file: str) -> str:
    """Which of the kinds of files that are ZIP archives it is."""
    import zipfile

    try:
        with zipfile.ZipFile(file) as archive:
            names = set(archive.namelist())
            if names & {"xl/workbook.xml", "xl/workbook.bin"}:
                return "xlsx"
            if "mimetype" in names and archive.read("mimetype").startswith(b"application/vnd.oasis.opendocument.sp"):
                return "ods"
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError):
        raise incomplete(file, tr("a spreadsheet or a ZIP archive")) from None
    raise DataError(
        tr("is a ZIP archive that is not a spreadsheet"),
        where=file,
        remedy=tr("Unpack it, and give the table in it."),
        code="COBOGO-DATA-FORMAT",
    )


def _text_kind(file: str) -> str:
    """JSON Lines or CSV; an error for what is neither."""
    with open_unpacked(file) as stream:
        start = stream.read(1 << 16)
    ending = _ending(file)
    text = b"".join(start[:1024].removeprefix(codecs.BOM_UTF8).split()).lower()
    if start.lstrip().startswith(b"{") and (ending in FORMATS["jsonl"].endings or _is_object(start.split(b"\n")[0])):
        return "jsonl"
    for mark, (what, remedy) in _OTHERS.items():
        if text.startswith(mark):
            raise DataError(what, where=file, remedy=remedy, code="COBOGO-DATA-FORMAT")
    if is_packed(file) and any(start.startswith(mark) for mark in (*_BEGINNINGS, b"PK\x03\x04")):
        raise DataError(
            tr("is compressed, and what is inside is not text"),
            where=file,
            remedy=tr("Unpack it, and give the file in it."),
            code="COBOGO-DATA-FORMAT",
        )
    return _named_kind(file, ending, start)


def _named_kind(file: str, ending: str, start: bytes) -> str:
    """A text is CSV whatever its name; bytes that are none are a damaged file of the kind that the name says."""
    named = next((kind for kind in FORMATS.values() if ending in kind.endings), FORMATS["csv"])
    textual = named.name in ("csv", "jsonl")
    if not textual and (not start or b"\0" in start or not start.isascii()):
        raise incomplete(file, named.title)
    return named.name if textual else "csv"


def _ending(file: str) -> str:
    """How a file's name ends, without the ending of its compression.

    >>> _ending("people.CSV.gz"), _ending("people")
    ('.csv', '')
    """
    endings = [part.lower() for part in Path(file).suffixes if part.lower() not in (".gz", ".zst")]
    return endings[-1] if endings else ""


def _is_object(line: bytes) -> bool:
    """Whether a line is a whole object of JSON that is not one of GeoJSON's."""
    try:
        found = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict) and not any(isinstance(value, dict | list) for value in found.values())


def incomplete(file: str, kind: str) -> DataError:
    """The error of a file that a reader of its kind does not understand. Its own words may quote values."""
    return DataError(
        tr("is damaged or incomplete, or is not {kind}", kind=kind),
        where=file,
        remedy=tr("Open it in the program that wrote it, save it again, and copy it whole."),
        code="COBOGO-DATA-FORMAT",
    )


def convert(kind: Format, file: str, data: Data, target: Path, most: float = math.inf) -> FileContent:
    """Write the table of a file as Parquet; what its reader found, with what to say about it.

    A table that is larger than ``most`` bytes in memory is refused.
    """
    import pyarrow.parquet as pq

    content, size = kind.load(file, data), 0
    with pq.ParquetWriter(target, content.schema, compression="zstd") as writer:
        for batch in content.batches:
            size += batch.nbytes
            if size > most:
                raise too_large(file, int(most))
            writer.write_batch(batch)
    return replace(content, batches=(), file=target)


def too_large(file: str, most: int) -> DataError:
    """The error of a file that unpacks to more than there is room for."""
    return DataError(
        tr("would be larger than {most} MB when unpacked", most=most >> 20),
        where=file,
        remedy=tr("Save the table as CSV or Parquet, or in parts."),
        code="COBOGO-DATA-FILE",
    )


def choose(asked: str | None, known: Sequence[str], key: str, what: str, file: str) -> str:
    """The part of a file that the policy names, or its only one. Where there are several, they are named."""
    if asked is None and len(known) == 1:
        return known[0]
    if asked in known:
        return str(asked)
    listed = ", ".join(f'"{name}"' for name in known[:20])
    if asked is None:
        said = tr("has several {what}: {names}", what=what, names=listed) if known else tr("has no {what}", what=what)
    else:
        said = tr('has no "{asked}" among its {what}: {names}', asked=asked, what=what, names=listed)
    error = DataError(said, where=file, remedy=_choice(asked, known, key), code="COBOGO-DATA-FILE")
    error.offers = (key, tuple(known)) if known else None
    raise error


def _choice(asked: str | None, known: Sequence[str], key: str) -> str:
    """How to name a part of a file, with the part that was meant, perhaps, as the example."""
    if not known:
        return tr("Check it.")
    near = difflib.get_close_matches(asked or "", known, n=1) or known
    return tr(
        'Say which one, for example: {key} = "{name}" under [data], or --{key} "{name}".',
        key=key,
        name=near[0],
    )
