"""Texts kept as codes are the same texts, in the same rows."""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.data.engines import enumerations as coded
from cobogo.data.engines.duck import DuckDB
from cobogo.data.engines.engine import quote
from cobogo.data.policy import Data
from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import read
from support.effort import examples

pytestmark = pytest.mark.slow

NAMES = ("few", 'the "rare"', "many", "none")


@st.composite
def texts(draw: st.DrawFn) -> list[tuple[str | None, ...]]:
    """Rows whose columns hold few values, few at first and others later, a new one in every row, and NULL."""
    count = draw(st.integers(1, 60))
    few = st.sampled_from(["a", "ç'\"", " ;", None])
    rare = st.sampled_from(["x"] * 20 + ["late", "*", None])
    return [(draw(few), draw(rare), f"v{number}", None) for number in range(count)]


@settings(deadline=None, max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(rows=texts(), sample=st.integers(1, 40), most=st.sampled_from([1, 2, 1 << 16]))
def test_what_is_stored_as_codes_reads_as_the_texts_it_was(
    rows: list[tuple[str | None, ...]], sample: int, most: int
) -> None:
    columns = ", ".join(f"{quote(name)} VARCHAR" for name in NAMES)
    with pytest.MonkeyPatch.context() as patch, duckdb.connect() as connection:
        patch.setattr(coded, "SAMPLE", sample * 10)
        patch.setattr(coded, "VALUES_AT_MOST", most)
        connection.execute(f"CREATE TABLE original ({columns})")
        connection.executemany("INSERT INTO original VALUES (?, ?, ?, ?)", rows * 10)
        coded.store(connection, "stored", "original")
        assert connection.execute("SELECT * FROM stored").fetchall() == rows * 10
        assert [name for name, *_ in connection.execute("DESCRIBE stored").fetchall()] == list(NAMES)


def test_a_file_that_is_coded_is_counted_like_one_that_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "people.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        rows = [("city", "illness", "id"), *((f"c{n % 7}", f"i{n % 3}" if n % 5 else "", str(n)) for n in range(900))]
        csv.writer(stream, lineterminator="\n").writerows([*rows, ("late", "i0", "900")])
    plain = read(file, Data())
    monkeypatch.setattr(coded, "SAMPLE", 100)
    stored = read(file, Data())
    kinds = {name: kind for name, kind, *_ in stored.engine.sql("DESCRIBE cobogo_source").fetchall()}
    assert kinds["city"].startswith("ENUM")
    assert kinds["illness"].startswith("ENUM")
    assert kinds["id"] == "VARCHAR"
    for quasi in (["city", "illness"], ["id"], ["illness"]):
        one, other = (frequency_table(table, quasi, ["illness"]) for table in (plain, stored))
        assert one.values == other.values
        assert one.codes.tolist() == other.codes.tolist()
        assert one.counts.tolist() == other.counts.tolist()
        assert one.histograms["illness"].counts.tolist() == other.histograms["illness"].counts.tolist()
    assert stored.first_row("city", "late") == 901
    assert stored.value_counts("city", 3) == plain.value_counts("city", 3)
    some = stored.expression.filter(stored.expression["city"] == "c1")
    part = frequency_table(type(stored)(stored.engine, some, "part"), ["city"], [])
    assert part.values == {"city": ("c1",)}, "values that are not there any more are no values"


def test_a_second_file_takes_the_place_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coded, "SAMPLE", 10)
    engine = DuckDB()
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("a,b\n" + f"{name},x\n" * 50, encoding="utf-8")
        table = read(tmp_path / f"{name}.csv", Data(), engine)
        assert frequency_table(table, ["a"], []).values == {"a": (name,)}


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_of_coded_texts_is_the_release_of_the_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Separators, quotes, stars and NULL among them; verified from the file."""
    file = tmp_path / "people.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        rows = [(f"{n % 9}", 'a,"b"' if n % 2 else "", f"note, {n % 4}") for n in range(300)]
        csv.writer(stream, lineterminator="\n").writerows([("age", "town", "note"), *rows, ("77", "*", "last")])
    policy = {
        "data": {"path": str(file)},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [3, 6, 60], "top": True}},
            "town": {"role": "quasi-identifier"},
            "note": {"role": "non-sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": 20}]},
        "recoding": {"suppression-limit": 0.02},
        "output": {"format": form, "suppressed": "star"},
    }
    found = []
    for sample in (coded.SAMPLE, 50):
        monkeypatch.setattr(coded, "SAMPLE", sample)
        release = cb.anonymize(policy)
        assert release.write(tmp_path / "out")
        frame = release.to_pandas().astype(object)
        found.append((release.levels, sorted(frame.where(frame.notna(), None).itertuples(index=False), key=str)))
    assert found[0] == found[1]
