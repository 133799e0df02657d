"""Cells that spreadsheets would run: neutralised where asked, told in the manifest, and verified as what they are."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.data.engines.engine import connect
from cobogo.data.table import formulas
from cobogo.errors import InputError, OutputError
from cobogo.release.write import copy_for_spreadsheets
from support.effort import examples

pytestmark = pytest.mark.slow

HARMFUL = ["=cmd|' /C calc'!A0", "+cmd", "@SUM(1)", "-", "-1+2", "\t=1", "'=already", "''-x", "=a;b", '="q"']
HARMLESS = ["-5", "-3,5", "+1.5e-7", "-1.000,25", "a=b", "'quoted'", "1-2", "'", "é", "#x"]

CASES = st.text(st.sampled_from("=+-@\t\r\n'a1.,e "), max_size=6)


def _is_formula(cell: str) -> bool:
    """What OWASP warns of, except for numbers, told by Python's own reading of them."""
    if not cell or cell[0] not in "=+-@\t\r\n":
        return False
    return re.fullmatch(r"[\d.,]+(e[+-]?\d+)?", cell[1:], re.IGNORECASE) is None or cell[0] not in "+-"


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(CASES, min_size=1, max_size=30))
def test_no_text_stays_a_formula_and_all_can_be_read_again(texts) -> None:
    engine = connect()
    rows = engine.load_arrow(pd.DataFrame({"n": range(len(texts)), "a": texts}).pipe(_arrow)).order_by("n")
    safe = formulas.neutralise(rows)
    written = engine.fetch(safe.order_by("n"))["a"].to_pylist()
    assert not any(_is_formula(cell) for cell in written)
    assert all(cell in (text, f"'{text}") for cell, text in zip(written, texts, strict=True))
    assert engine.fetch(formulas.restore(safe).order_by("n"))["a"].to_pylist() == texts


def _arrow(frame: pd.DataFrame):
    import pyarrow as pa

    return pa.Table.from_pandas(frame, preserve_index=False)


def test_every_engine_writes_the_same(engine_url) -> None:
    texts = [*HARMFUL, *HARMLESS]
    engine = connect(engine_url)
    rows = engine.load_arrow(_arrow(pd.DataFrame({"n": range(len(texts)), "a": texts})))
    found = engine.fetch(formulas.neutralise(rows).order_by("n"))["a"].to_pylist()
    assert found == [*(f"'{text}" for text in HARMFUL), *HARMLESS]


def _policy(**output) -> dict[str, object]:
    roles = {"place": "quasi-identifier", "age": "quasi-identifier", "note": "sensitive"}
    return {
        "attributes": {name: {"role": role} for name, role in roles.items()},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2}]},
        "recoding": {"suppression-limit": 0.0},
        "output": output,
    }


def _data() -> pd.DataFrame:
    places = ["-", "+55 85", "'-", "plain"]
    return pd.DataFrame(
        [
            {"place": place, "age": age, "note": note}
            for place in places
            for age in ("-5", "7")
            for note in HARMFUL[:3] + HARMLESS[:3]
        ]
    )


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "anatomy", "slicing"])
def test_a_release_without_formulas_holds_and_says_so(tmp_path, algorithm) -> None:
    policy = _policy(formulas="neutralised")
    policy["recoding"] = {"algorithm": algorithm}
    policy["privacy"] = {"models": [{"model": "l-diversity", "l": 2}]}
    cb.anonymize(_data(), policy).write(tmp_path / "r")
    public = tmp_path / "r" / "public"
    for file in public.glob("*.csv"):
        with file.open(encoding="utf-8", newline="") as stream:
            cells = [cell for row in csv.reader(stream) for cell in row]
        assert not any(_is_formula(cell) for cell in cells)
        assert any(cell.startswith("'=") for cell in cells) or file.name != "release.csv" or algorithm == "anatomy"
    assert json.loads((public / "manifest.json").read_text())["data"]["formulas"] == "neutralised"
    assert "apostrophe" in (public / "dictionary.md").read_text()
    assert cb.verify(tmp_path / "r")
    assert cb.verify(public)


def _rows(public: Path) -> list[tuple[str, ...]]:
    return sorted(map(tuple, pd.read_csv(public / "release.csv", dtype=str, keep_default_na=False).to_numpy()))


def test_a_copy_for_spreadsheets_is_a_release_that_verifies_and_another_is_not(tmp_path) -> None:
    cb.anonymize(_data(), _policy()).write(tmp_path / "kept")
    cb.anonymize(_data(), _policy(formulas="neutralised")).write(tmp_path / "asked")
    kept, copy = tmp_path / "kept" / "public", tmp_path / "copy"
    before = {file.name: file.read_bytes() for file in kept.iterdir()}
    copy_for_spreadsheets(kept, copy)
    assert {file.name: file.read_bytes() for file in kept.iterdir()} == before
    assert cb.verify(copy)
    assert _rows(copy) == _rows(tmp_path / "asked" / "public") != _rows(kept)
    again = tmp_path / "again"
    copy_for_spreadsheets(copy, again)
    assert {file.name: file.read_bytes() for file in again.iterdir()} == {
        file.name: file.read_bytes() for file in copy.iterdir()
    }
    (copy / "release.csv").write_bytes((kept / "release.csv").read_bytes())
    assert not cb.verify(copy)


def test_what_cannot_be_neutralised_is_refused(tmp_path) -> None:
    with pytest.raises(InputError, match="csv"):
        cb.anonymize(_data(), _policy(formulas="neutralised", format="parquet"))
    cb.anonymize(_data(), _policy(format="parquet")).write(tmp_path / "p")
    with pytest.raises(OutputError, match="not a CSV file"):
        copy_for_spreadsheets(tmp_path / "p" / "public", tmp_path / "copy")
    named = _data().rename(columns={"note": "=note"})
    policy = _policy(formulas="neutralised")
    policy["attributes"]["=note"] = policy["attributes"].pop("note")
    with pytest.raises(InputError, match="formula"):
        cb.anonymize(named, policy).write(tmp_path / "n")
