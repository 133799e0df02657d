"""The same policy on the same data gives the same release on every engine, byte for byte, up to the order of rows."""

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cobogo
from cobogo.policy import Data
from cobogo.release.evidence import digest
from cobogo.table.connect import connect
from cobogo.table.frequency import frequency_table
from cobogo.table.read import read

AWKWARD = ["a;b", 'say "hi"', "two\nlines", " spaced ", "#7", "d'água", "back\\slash", "\\N", "\\.", "%s", "NULL", "é",
           "e\u0301", "ß", "SS", "Z", "a", "Á", "*", "007", "1e5", "-0", "línea\r", "\t", "NA"]  # fmt: skip
SOURCE = random.Random(7)  # generated data: nothing here is private


def awkward_csv(file: Path, encoding: str) -> None:
    """A table of text with all that makes CSV hard, some of it in every column."""

    def field(value: str) -> str:
        return '"' + value.replace('"', '""') + '"' if any(c in value for c in ';"\n\r') or not value else value

    words = [word for word in AWKWARD if encoding == "utf-8" or word != "e\u0301"]
    lines = ['person;"raça ""cor""";city;note;disease']
    for number in range(400):
        row = [f"P{number}", SOURCE.choice(words[:12]), SOURCE.choice([*words[12:], ""]), SOURCE.choice(words), ""]
        row[4] = SOURCE.choice([*words[:4], ""])
        lines.append(";".join(map(field, row)))
    file.write_bytes(("\n".join(lines) + "\n").encode(encoding))


def typed_table() -> pa.Table:
    """A table with a column of each type."""
    rows = 300
    start = datetime(2020, 2, 28, 23, 59, 59)
    floats = [0.1, 1.0, -0.0, 1e15, 1e16, 123456789012345.6, 1234567890123456.0, 1e-5, 2.5e-7, 1 / 3, float("inf")]
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "age": pa.array([None if n % 50 == 0 else 20 + n % 7 for n in range(rows)], pa.int32()),
            "flag": pa.array([None if n % 31 == 0 else n % 2 == 0 for n in range(rows)]),
            "day": pa.array([date(1999, 12, 30) + timedelta(days=n % 4) for n in range(rows)]),
            "when": pa.array([start + timedelta(milliseconds=250 * (n % 5)) for n in range(rows)], pa.timestamp("us")),
            "there": pa.array(
                [start.replace(tzinfo=UTC) + timedelta(hours=n % 5) for n in range(rows)], pa.timestamp("us", "UTC")
            ),
            "price": pa.array([Decimal(n % 5) / 4 for n in range(rows)], pa.decimal128(10, 2)),
            "real": pa.array([floats[n % len(floats)] for n in range(rows)], pa.float64()),
            "narrow": pa.array(
                [[0.1, 4025499.75, 1e10, 336.984375, 16777216.0][n % 5] for n in range(rows)], pa.float32()
            ),
            "word": pa.array([["", "x", "y", None][n % 4] for n in range(rows)]),
        }
    )


CSV_POLICY: dict[str, Any] = {
    "data": {"path": "data.csv", "separator": ";", "missing": ["", "NA"]},
    "attributes": {
        "person": {"role": "identifier"},
        'raça "cor"': {"role": "quasi-identifier"},
        "city": {"role": "quasi-identifier", "hierarchy": {"mask": "right", "character": "_", "top": True}},
        "note": {"role": "non-sensitive"},
        "disease": {"role": "sensitive"},
    },
    "privacy": {"models": [{"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "l": 2}]},
    "recoding": {"suppression-limit": 0.2},
}
PARQUET_POLICY: dict[str, Any] = {
    "data": {"path": "data.parquet"},
    "attributes": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5], "top": True}},
        "flag": {"role": "quasi-identifier"},
        "day": {"role": "quasi-identifier", "hierarchy": {"dates": "%Y-%m-%d", "levels": ["%Y"]}},
        "real": {"role": "quasi-identifier", "hierarchy": {"mask": "right", "character": "_", "top": True}},
        "when": {"role": "sensitive"},
        "there": {"role": "non-sensitive"},
        "price": {"role": "non-sensitive"},
        "narrow": {"role": "sensitive"},
        "word": {"role": "non-sensitive"},
    },
    "privacy": {"models": [{"model": "k-anonymity", "k": 3}]},
    "recoding": {"suppression-limit": 0.1},
}


def with_output(policy: dict[str, Any], **output: str) -> dict[str, Any]:
    return {**policy, "output": output}


def lines(directory: Path) -> list[bytes]:
    """The lines of a released CSV file after the header, sorted; a line end inside a field cuts it on every engine."""
    header, *rest = (directory / "public/release.csv").read_bytes().split(b"\n")
    return [header, *sorted(rest)]


def records(directory: Path) -> list[str]:
    table = pq.read_table(directory / "public/release.parquet")
    return [str(table.schema.remove_metadata()), *sorted(map(repr, table.to_pylist()))]


def released(policy: dict[str, Any], engine: str, out: Path, seen: Callable[[Path], Any]) -> tuple[Any, ...]:
    release = cobogo.anonymize(policy, engine=engine)
    assert release.write(out)
    assert cobogo.verify(out)
    assert cobogo.verify(out / "public")
    return release.levels, release.suppressed, release.metrics, digest(b"", release.problem.table), seen(out)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_text_files(engine_url: str, workplace: Path, encoding: str, suppressed: str) -> None:
    awkward_csv(workplace / "data.csv", encoding)
    policy = with_output(CSV_POLICY, suppressed=suppressed)
    policy["data"] = {**policy["data"], "encoding": encoding}
    expected = released(policy, "duckdb://", workplace / "expected", lines)
    assert expected[1] > 0, "something is suppressed"
    assert released(policy, engine_url, workplace / "found", lines) == expected


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_typed_columns(engine_url: str, workplace: Path, form: str) -> None:
    pq.write_table(typed_table(), workplace / "data.parquet")
    policy, seen = with_output(PARQUET_POLICY, format=form), lines if form == "csv" else records
    expected = released(policy, "duckdb://", workplace / "expected", seen)
    assert released(policy, engine_url, workplace / "found", seen) == expected


def test_floats_read_the_same(engine_url: str, workplace: Path) -> None:
    """Random bits, powers of ten and their neighbours: what engines' own texts differ in."""
    import numpy as np

    bits = np.frombuffer(SOURCE.randbytes(8 * 3000), dtype=np.float64)
    tens = np.concatenate(
        [10.0 ** np.arange(-25, 25), np.nextafter(10.0 ** np.arange(-25, 25), 0), [5e-324, 1e15 + 0.5]]
    )
    wide = np.concatenate([bits[~np.isnan(bits)], tens, -tens])
    with np.errstate(over="ignore"):
        table = pa.table({"wide": wide, "narrow": wide.astype(np.float32)})
    expected = {repr(value) for value in wide.tolist()}
    shortest = {repr(float(str(value))) for value in table["narrow"].to_numpy()}
    pq.write_table(table, workplace / "data.parquet")
    counted = frequency_table(read(workplace / "data.parquet", Data(), connect(engine_url)), ["wide", "narrow"], [])
    assert set(counted.values["wide"]) == expected
    assert set(counted.values["narrow"]) == shortest
