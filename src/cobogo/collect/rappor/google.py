"""The files of Google's RAPPOR programs, read and written: its parameters, its reports, its counts and its map.

Clients and server of both sides understand each other where a collection's ``hashing`` is Google's. Bit 0 of a filter
is the last character of a report in ``reports.csv``, and the second column of ``counts.csv``.
"""

from __future__ import annotations

import csv
import hmac
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from cobogo.collect.layout import Layout, Rows
from cobogo.collect.rappor.filters import RapporParameters, Reports, bit_positions, count_reports
from cobogo.errors import PolicyError, ReportError
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr

PARAMETERS = ("k", "h", "m", "p", "q", "f")
REPORTS = ("client", "cohort", "bloom", "prr", "irr")
"""The columns of a file of reports. Those of the filter and of the permanent answer stay empty: they would give the
value away."""

SEEDED = "seeded"
"""What the column of the client says where the noise came from a seed; otherwise it is empty."""


def parameters_text(parameters: RapporParameters) -> str:
    """The content of ``params.csv``.

    >>> parameters_text(RapporParameters())
    'k,h,m,p,q,f\\n128,2,64,0.5,0.75,0.5\\n'
    """
    sizes = (parameters.bits, parameters.hashes, parameters.cohorts)
    shares = tuple(float(share) for share in (parameters.p, parameters.q, parameters.f))
    return _csv([PARAMETERS, (*sizes, *shares)])


def read_parameters(path: Path) -> dict[str, str]:
    """The keys of a collection that ``params.csv`` gives: two lines, names and values."""
    rows = list(csv.reader(io.StringIO(_text(path))))
    if len(rows) != 2 or tuple(rows[0]) != PARAMETERS or len(rows[1]) != len(PARAMETERS):
        _refuse(path, tr("is no file of RAPPOR's parameters"), tr("It has two lines: k,h,m,p,q,f, and their values."))
    found = dict(zip(PARAMETERS, (value.strip() for value in rows[1]), strict=True))
    names = {"k": "bits", "h": "hashes", "m": "cohorts"}
    return {names.get(name, name): value for name, value in found.items()}


def counts_text(counts: Ints) -> str:
    """The content of ``counts.csv``: a line for each cohort, its reports and then how many show each bit."""
    return _csv(counts.tolist())


def map_text(candidates: Sequence[str], parameters: RapporParameters) -> str:
    """The content of ``map.csv``: each candidate with its bits in all cohorts, counted from 1 over all of them.

    >>> tiny = RapporParameters(bits=16, hashes=2, cohorts=2, hashing="google")
    >>> map_text(["apple"], tiny)
    'apple,5,1,26,26\\n'
    """
    return _csv([[name, *_places(name, parameters)] for name in candidates])


def read_map(path: Path, parameters: RapporParameters) -> tuple[str, ...]:
    """The candidates of ``map.csv``; their bits must be those that this collection's hashing gives."""
    rows = [row for row in csv.reader(io.StringIO(_text(path))) if row]
    for line, row in enumerate(rows, 1):
        if row[1:] != [str(place) for place in _places(row[0], parameters)]:
            _refuse(
                path,
                tr("line {line}: the bits of the candidate are not those of this hashing", line=line),
                tr("Choose another hashing, or give the parameters with which the map was made."),
            )
    return tuple(dict.fromkeys(row[0] for row in rows if row[0]))


def reports_text(cohorts: Ints, bits: Rows, *, seeded: bool) -> str:
    """The content of ``reports.csv``: a cohort and a string of bits for each report, the last bit first."""
    shown = np.unpackbits(bits, axis=1)[:, ::-1] + np.uint8(ord("0"))
    words = np.ascontiguousarray(shown).view(f"S{shown.shape[1]}").reshape(-1).astype(f"U{shown.shape[1]}")
    client = SEEDED if seeded else ""
    lines = (f"{client},{cohort},,,{word}\n" for cohort, word in zip(cohorts.tolist(), words.tolist(), strict=True))
    return ",".join(REPORTS) + "\n" + "".join(lines)


def count_file(path: Path, parameters: RapporParameters) -> tuple[Ints, bool] | None:
    """The counts of a file of Google's, and whether it says that its noise came from a seed: of ``counts.csv``, or of
    ``reports.csv``, whose reports are counted. None where the file is neither."""
    with path.open("rb") as file:
        first = file.readline(1 << 20).decode("utf-8", "replace").strip().split(",")
    if len(first) > 2 and first[1] == "cohort":
        return _count_reports(path, parameters)
    if len(first) > 1 and first[0].strip().isdigit():
        return _read_counts(path, parameters), False
    return None


def permanent_answer(
    value: str, cohort: int, secret: bytes, parameters: RapporParameters, *, encoder: str | None = None
) -> bytes:
    """The permanent answer of Google's clients for a value, as `Client.adopt` takes it: a byte of HMAC-SHA256 under the
    client's secret decides on each bit, seven of its bits whether it is forgotten, the last one what it is then.

    ``encoder`` is the name of the encoder in the C++ client; the Python client has none. Filters have 32 bits at most.
    """
    known = parameters.f * 128
    if parameters.bits > 32 or known.denominator != 1 or parameters.hashing != "google":
        raise PolicyError(
            tr("Google's clients answer with at most 32 bits, and with f in steps of 1/128"),
            where="parameters",
            remedy=tr("Give the parameters and the hashing that they had."),
        )
    bloom = sum({1 << bit for bit in bit_positions(value, cohort, parameters)})
    named = b"" if encoder is None else b"\x01" + encoder.encode()
    digest = hmac.new(secret, named + bloom.to_bytes(4, "big"), "sha256").digest()
    drawn = np.frombuffer(digest, dtype=np.uint8)[: parameters.bits]
    held = np.array([bloom >> place & 1 for place in range(parameters.bits)], dtype=np.uint8)
    bits = np.packbits(np.where(drawn >> 1 < int(known), drawn & 1, held))
    layout = Layout((("cohort", parameters.cohorts),), parameters.bits)
    return layout.pack([np.array([cohort])], bits[None, :]).tobytes()


def _read_counts(path: Path, parameters: RapporParameters) -> Ints:
    rows = [row for row in csv.reader(io.StringIO(_text(path))) if row]
    wide = {len(row) for row in rows}
    if len(rows) != parameters.cohorts or wide != {parameters.bits + 1}:
        _refuse(
            path,
            tr(
                "has {rows:,} lines of {columns} fields, and {cohorts:,} lines of {fields:,} are needed",
                rows=len(rows),
                columns=", ".join(str(width) for width in sorted(wide)),
                cohorts=parameters.cohorts,
                fields=parameters.bits + 1,
            ),
            tr("Give the counts of this collection: a line for each cohort, a field more than there are bits."),
        )
    if not all(field.strip().isdigit() and len(field) < 17 for row in rows for field in row):
        _refuse(path, tr("a count is no whole number of 0 or more"), tr("Count the reports again."))
    found = np.array(rows, dtype=np.int64)
    if (found[:, 1:] > found[:, :1]).any():
        _refuse(path, tr("a bit is shown more often than there are reports"), tr("Count the reports again."))
    return found


def _count_reports(path: Path, parameters: RapporParameters) -> tuple[Ints, bool]:
    """Count ``reports.csv``, whose last column is the report: of three columns, or of five."""
    table = _read_table(path)
    names = table.column_names
    cohorts, words = table.column(1), table.column(len(names) - 1)
    try:
        of = cohorts.cast("int64").to_numpy()
    except Exception:  # Arrow's errors have several types
        _refuse(path, tr("a cohort is no whole number"), tr("Check the column {name}.", name=names[1]))
    wrong = np.flatnonzero((of < 0) | (of >= parameters.cohorts))
    if wrong.size:
        _refuse(
            path,
            tr("line {line}: there are only {cohorts:,} cohorts", line=wrong[0] + 2, cohorts=parameters.cohorts),
            tr("Give the parameters that the clients had."),
        )
    bits = _packed(path, words, parameters)
    return count_reports(Reports(of, bits), parameters), SEEDED in set(table.column(0).unique().to_pylist())


def _packed(path: Path, words: Any, parameters: RapporParameters) -> Rows:
    """Strings of bits, packed, the first bit of a filter first."""
    texts = np.array([word.encode("ascii", "replace") for word in words.to_pylist()], dtype="S")
    shape = (len(texts), parameters.bits)
    signs = np.ascontiguousarray(texts).view(np.uint8).reshape(len(texts), -1) if len(texts) else np.zeros(shape)
    if signs.shape != shape or not np.isin(signs, (48, 49)).all():
        _refuse(
            path,
            tr("a report is no string of {bits:,} bits, each 0 or 1", bits=parameters.bits),
            tr("Give the parameters that the clients had."),
        )
    return np.packbits((signs[:, ::-1] == ord("1")), axis=1)


def _read_table(path: Path) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    with path.open("rb") as file:
        names = file.readline(1 << 20).decode("utf-8", "replace").strip().split(",")
    if len(names) not in (3, 5):
        _refuse(path, tr("has {n} columns", n=len(names)), tr("Its columns: {columns}.", columns=", ".join(REPORTS)))
    kinds = arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    try:
        return arrow_csv.read_csv(path, convert_options=kinds)
    except pa.ArrowInvalid as error:
        _refuse(
            path,
            tr("is no CSV: {error}", error=str(error).splitlines()[0]),
            tr("Its columns: {columns}.", columns=", ".join(REPORTS)),
        )


def _places(name: str, parameters: RapporParameters) -> list[int]:
    return [
        cohort * parameters.bits + bit + 1
        for cohort in range(parameters.cohorts)
        for bit in bit_positions(name, cohort, parameters)
    ]


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        _refuse(path, tr("cannot be read: {strerror}", strerror=error.strerror), tr("Check the path."))
    except UnicodeDecodeError as error:
        _refuse(path, tr("is not UTF-8 text (byte {start})", start=error.start), tr("Write it as UTF-8."))


def _refuse(path: Path, what: str, remedy: str) -> NoReturn:
    raise ReportError(what, where=str(path), remedy=remedy)
