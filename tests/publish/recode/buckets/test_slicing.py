"""Slicing: every slice keeps its values, what joined the slices is gone, and the buckets satisfy the models."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError
from cobogo.release.buckets import estimated_count
from cobogo.tell.report.write import write as draw
from support.effort import examples
from support.partition_tables import K, arrow, policy, tables

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(20), suppress_health_check=list(HealthCheck))

L = {"model": "l-diversity", "kind": "distinct", "l": 2}
WHOLE = {"model": "t-closeness", "distance": "equal", "t": 0.0}
"""A bucket must be as the whole table: no place can be alone in one."""


@pytest.fixture(scope="module", autouse=True)
def no_report() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)
        yield


@some
@given(rows=tables(least=4))
def test_slices_keep_their_values_and_buckets_are_diverse(
    rows: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        release = cb.anonymize(arrow(rows), policy("slicing", [L]))
    except NoSolution:
        assert len({row["disease"] for row in rows} - {None}) < 2
        return
    directory = tmp_path_factory.mktemp("out")
    assert release.write(directory)
    assert cb.verify(directory)
    assert cb.verify(directory / "public")
    manifest = json.loads((directory / "public/manifest.json").read_text(encoding="utf-8"))
    slices = manifest["buckets"]["slices"]
    assert sorted(name for part in slices for name in part) == sorted(rows[0])
    assert ["disease"] in slices
    found = release.to_arrow().to_pylist()
    for part in slices:
        before, after = (Counter(tuple(row[name] for name in part) for row in table) for table in (rows, found))
        assert before == after
    diseases = defaultdict(set)
    for row in found:
        diseases[row["group"]].add(row["disease"])
    assert all(len(values - {None}) >= 2 for values in diseases.values())


def tied(count: int) -> tuple[pa.Table, dict[str, Any]]:
    """Each of three places has its disease; two columns number the records alike."""
    places = ["Pina", "Junco", "Centro"]
    numbers = [str(n) for n in range(count)]
    table = pa.table(
        {
            "number": numbers,
            "again": numbers,
            "place": [places[n % 3] for n in range(count)],
            "street": [f"{places[n % 3]} street" for n in range(count)],
            "sex": ["f" if n % 2 else "m" for n in range(count)],
            "disease": [f"of {places[n % 3]}" for n in range(count)],
        }
    )
    roles = {"number": "non-sensitive", "again": "non-sensitive", "disease": "sensitive"}
    attributes: dict[str, Any] = {name: {"role": roles.get(name, "quasi-identifier")} for name in table.column_names}
    attributes["number"]["publish-unique"] = attributes["again"]["publish-unique"] = True
    asked = {"attributes": attributes, "privacy": {"models": [WHOLE]}, "recoding": {"algorithm": "slicing"}}
    return table, asked


def test_what_joined_the_slices_is_gone() -> None:
    """300 records. If a shuffle did nothing, or two were the same, far more would still match: by chance at most 180 of
    the places (expected 100, deviation 10) and 14 of the numbers (expected 2) do, but for one run in a million."""
    found = cb.anonymize(*tied(300)).to_arrow().to_pylist()
    assert len({row["group"] for row in found}) <= 2
    assert sum(row["disease"] == f"of {row['place']}" for row in found) < 180
    assert sum(row["number"] == row["again"] for row in found) < 15
    assert all(row["street"] == f"{row['place']} street" for row in found), "what goes together stays together"


def test_counts_are_estimated_slice_by_slice(tmp_path: Path) -> None:
    cb.anonymize(*tied(60)).write(tmp_path / "out")
    public = tmp_path / "out/public"
    assert estimated_count(public, {"place": ["Pina"]}, ["of Pina"]) == pytest.approx(60 / 3 / 3)
    assert estimated_count(public, {"place": ["Pina"], "street": ["Pina street"]}, ["of Pina"]) == pytest.approx(60 / 9)
    assert estimated_count(public, {"place": ["Pina"], "street": ["Junco street"]}, ["of Pina"]) == 0
    assert estimated_count(public, {"sex": ["f"]}, ["of Pina", "of Junco"]) == pytest.approx(20)


def test_a_region_without_a_common_value_can_still_be_in_a_bucket() -> None:
    rows = [
        {"number": str(n), "place": "Pina" if n < 2 else "Junco", "age": "20", "sex": "f",
         "disease": "flu" if n < 3 else "cold"}
        for n in range(8)
    ]  # fmt: skip
    release = cb.anonymize(arrow(rows), policy("slicing", [L], place={"max-level": 2}))
    assert release.suppressed == 0


def test_identity_is_not_promised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, asked = tied(30)
    with pytest.raises(PolicyError, match="slicing releases the quasi-identifiers unchanged, and"):
        cb.anonymize(table, {**asked, "privacy": {"models": [K]}})
    monkeypatch.setattr("cobogo.tell.report.write.write", draw)
    release = cb.anonymize(table, asked)
    assert release.write(tmp_path / "out")
    text = (tmp_path / "out/public/dictionary.md").read_text(encoding="utf-8")
    assert "a row is not a record" in text
    assert cb.verify(tmp_path / "out").notes
