"""Files of statistical programs: SPSS (.sav), Stata (.dta) and SAS (.sas7bdat, .xpt), whose codes may have labels.

SPSS and Stata are written, too. What is written has the columns, the labels of codes that occur, and nothing else: no
notes, no labels of the file, no labels of values that were suppressed, no time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from cobogo.data.files.cells import cell_text, is_numeric, number_text, text_column
from cobogo.data.files.formats import FORMATS, FileContent, ValueLabels, incomplete
from cobogo.data.policy import Data
from cobogo.data.policy.columns import quote_names
from cobogo.errors import OutputError
from cobogo.floor.language import tr

CHUNK = 200_000
"""Rows that are in memory at a time while such a file is read."""


XPT_RECORD = 80


def read_sav(file: str, data: Data) -> FileContent:
    """A file of SPSS. Values that it declares missing are missing."""
    import pyreadstat

    return _read(pyreadstat.read_sav, file, data, "SPSS")


def read_dta(file: str, data: Data) -> FileContent:
    """A file of Stata. All its missing values, from . to .z, are missing."""
    import pyreadstat

    return _read(pyreadstat.read_dta, file, data, "Stata")


def read_sas(file: str, data: Data) -> FileContent:
    """A file of SAS, with the labels of the catalogue of the same name beside it, if there is one."""
    import pyreadstat

    catalogue = Path(file).with_suffix(".sas7bcat")
    beside = {"catalog_file": str(catalogue)} if catalogue.is_file() else {}
    return _read(pyreadstat.read_sas7bdat, file, data, "SAS", **beside)


def read_xpt(file: str, data: Data) -> FileContent:
    """A transport file of SAS, which consists of records of 80 bytes; how many of them, it does not say."""
    import pyreadstat

    if Path(file).stat().st_size % XPT_RECORD:
        raise incomplete(file, "SAS transport")
    return _read(pyreadstat.read_xport, file, data, "SAS transport")


def _read(read: Callable[..., Any], file: str, data: Data, kind: str, **options: Any) -> FileContent:
    import pyarrow as pa
    import pyreadstat

    broken = (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError, OverflowError, ValueError)
    try:
        _, about = read(file, metadataonly=True, **options)
    except broken:
        raise incomplete(file, kind) from None
    labels = {
        name: {str(cell_text(code)): label for code, label in known.items() if label}
        for name, known in about.variable_value_labels.items()
    }
    schema = pa.schema([(name, pa.string()) for name in about.column_names])

    def batches() -> Iterator[Any]:
        shown = labels if data.labels == "values" else {}
        try:
            for frame, _ in pyreadstat.read_file_in_chunks(read, file, chunksize=CHUNK, **options):
                columns = [_texts(frame[name], shown.get(name, {})) for name in schema.names]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)
        except broken:
            raise incomplete(file, kind) from None

    notes = [_labels_note(labels, data)] if labels else []
    titles = {name: title for name, title in about.column_names_to_labels.items() if title and title != name}
    return FileContent(schema, batches(), labels, titles, notes, {"labels": data.labels} if labels else {})


def _labels_note(labels: ValueLabels, data: Data) -> str:
    names = quote_names(list(labels))
    if data.labels == "values":
        return tr('the labels of {names} are their values (labels = "values")', names=names)
    if data.labels == "codes":
        return tr('the codes of {names} are their values (labels = "codes")', names=names)
    return tr('the labels of {names} are the level above their codes (labels = "hierarchy")', names=names)


def _texts(column: Any, labels: Mapping[str, str]) -> Any:
    """A column of a frame as text, each distinct number written once; a code that has a label is its label."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    if column.dtype.kind == "f":
        places, distinct = pd.factorize(column.to_numpy())
        known = [labels.get(text, text) for text in map(number_text, distinct.tolist())]
        indices = pa.array(places, mask=np.asarray(places) < 0)
        return pa.array(known, pa.string()).take(indices)
    texts = text_column([None if pd.isna(cell) else cell for cell in column.tolist()])
    return pa.array([labels.get(text, text) for text in texts.to_pylist()], pa.string()) if labels else texts


# Writing

_SPSS_WORDS = {"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"}
_STATA_WORDS = {
    "_all", "_b", "_coef", "_cons", "_n", "_pi", "_pred", "_rc", "_skip", "_se", "byte", "double", "float", "if", "in",
    "int", "long", "using", "with",
}  # fmt: skip
NAMES: dict[str, tuple[str, int, set[str]]] = {
    "sav": (r"[^\W\d_][\w.$#@]{0,63}(?<!\.)", 64, _SPSS_WORDS),
    "dta": (r"[^\W\d]\w{0,31}", 128, _STATA_WORDS),
}
"""Of each kind, the form of a column's name, the most bytes that it has, and the words that it must not be."""

_LONGEST_LABEL = 120
"""Bytes of a value's label in SPSS; a longer one would be cut."""


def write_sav(table: Any, target: Path, labels: ValueLabels, data: Data) -> None:
    """A file of SPSS. Its header has the date of no day."""
    import pyreadstat

    check_names("sav", table.column_names, target.name)
    frame, known, whole = _frame(table, labels, data)
    _write(
        pyreadstat.write_sav, frame, target, variable_value_labels=known, variable_format=dict.fromkeys(whole, "F8.0")
    )
    with target.open("r+b") as stream:
        stream.seek(92)
        stream.write(b"01 Jan 8000:00:00")


def write_dta(table: Any, target: Path, labels: ValueLabels, data: Data) -> None:
    """A file of Stata 14 and later. Its header has the date of no day."""
    import pyreadstat

    check_names("dta", table.column_names, target.name)
    frame, known, _ = _frame(table, labels, data)
    _write(pyreadstat.write_dta, frame, target, variable_value_labels=known, version=14)
    with target.open("r+b") as stream:
        start = stream.read(1024)
        stream.seek(start.index(b"<timestamp>") + len(b"<timestamp>") + 1)
        stream.write(b"01 Jan 1980 00:00")


def _write(write: Callable[..., None], frame: Any, target: Path, **options: Any) -> None:
    import pyreadstat

    try:
        write(frame, str(target), **options)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
        raise OutputError(
            tr("the release cannot be written in this format"),
            where=target.name,
            remedy=tr('Write format = "csv" or "parquet" under [output].'),
        ) from None


def check_names(kind: str, names: Iterable[str], where: str) -> None:
    """Refuse columns whose names a kind of file cannot hold."""
    if kind not in NAMES:
        return
    form, most, words = NAMES[kind]
    unfit = [
        name for name in names if not re.fullmatch(form, name) or len(name.encode()) > most or name.casefold() in words
    ]
    if unfit:
        raise OutputError(
            tr(
                "{kind} cannot have columns with these names: {names}",
                kind=FORMATS[kind].title,
                names=", ".join(f'"{name}"' for name in unfit),
            ),
            where=where,
            remedy=tr('Rename them in the data, or write format = "csv" or "parquet" under [output].'),
        )


def _frame(table: Any, labels: ValueLabels, data: Data) -> tuple[Any, dict[str, dict[int, str]], list[str]]:
    """The table as the writers take it: numbers, codes with the labels of those that occur, or text. And the columns
    of whole numbers."""
    import pandas as pd

    columns: dict[str, Any] = {}
    known: dict[str, dict[int, str]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        texts = column.to_pylist()
        make = _label_codes if data.labels == "values" else _plain_codes
        codes = make(texts, labels[name]) if name in labels else None
        if codes is not None:
            columns[name] = pd.array([None if text is None else codes[text][0] for text in texts], dtype="Int32")
            known[name] = dict(codes.values())
        elif is_numeric(column) and column.null_count < len(column):
            columns[name] = pd.array([None if text is None else float(text) for text in texts], dtype="float64")
        else:
            columns[name] = pd.array(["" if text is None else text for text in texts], dtype="str")
    frame = pd.DataFrame(columns)
    whole = [name for name in columns if frame[name].dtype.kind == "i" or _is_whole(frame[name])]
    return frame, {name: {code: label for code, label in one.items() if label} for name, one in known.items()}, whole


def _is_whole(column: Any) -> bool:
    return column.dtype.kind == "f" and bool((column.dropna() % 1 == 0).all())


Codes = dict[str, tuple[int, str]]


def _label_codes(texts: list[str | None], labels: Mapping[str, str]) -> Codes | None:
    """A code and a label for every value that occurs, and for no other; None where text alone can hold them.

    A value that is a label has its old code; one that is new, such as a group of values, the next that is free.

    >>> _label_codes(["Male", "*", None], {"1": "Male", "2": "Female"})
    {'*': (2, '*'), 'Male': (1, 'Male')}
    """
    found = sorted({text for text in texts if text is not None})
    fits = all(len(text.encode()) <= _LONGEST_LABEL for text in found) and all(map(_CODE.fullmatch, labels))
    if not found or not fits:
        return None
    old = {label: int(code) for code, label in reversed([*labels.items()]) if label in found}
    new = count(max(old.values(), default=0) + 1)  # the codes of labels that do not occur say nothing here
    return {text: (old[text] if text in old else next(new), text) for text in found}


def _plain_codes(texts: list[str | None], labels: Mapping[str, str]) -> Codes | None:
    """The codes that occur with their labels; None where a value is no code.

    >>> _plain_codes(["1", "1"], {"1": "Male", "2": "Female"})
    {'1': (1, 'Male')}
    """
    found = sorted({text for text in texts if text is not None})
    if not found or not all(map(_CODE.fullmatch, found)):
        return None
    return {text: (int(text), labels.get(text, "")) for text in found}


_CODE = re.compile("-?[1-9][0-9]{0,8}|0")
