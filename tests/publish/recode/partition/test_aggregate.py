"""Microaggregation: what a group is released with is what it has in common, and what that lost is stated."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import PolicyError
from support.effort import examples
from support.partition_tables import K, arrow, policy, tables

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(25), suppress_health_check=list(HealthCheck))

MODE = {"place": {"aggregate": "mode"}}


def by_class(rows: list[Any], release: cb.Release) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """For each released tuple, the original records behind it."""
    originals = {row["number"]: row for row in rows}
    found = defaultdict(list)
    for row in release.to_arrow().to_pylist():
        found[row["place"], row["age"], row["sex"]].append(originals[row["number"]])
    return [(dict(zip(("place", "age", "sex"), key, strict=True)), members) for key, members in found.items()]


@some
@given(rows=tables())
def test_numbers_become_means_and_categories_the_most_frequent(rows: list[Any]) -> None:
    for shown, members in by_class(rows, cb.anonymize(arrow(rows), policy("mdav", [K], **MODE))):
        ages = [int(row["age"]) for row in members if row["age"] is not None]
        if shown["age"] is None:
            assert 2 * len(ages) <= len(members)
        else:
            assert abs(int(shown["age"]) - sum(ages) / len(ages)) <= 0.5 + 1e-9
        for name in ("place", "sex"):
            counts = Counter(row[name] for row in members)
            assert counts[shown[name]] == max(counts.values())


@some
@given(rows=tables())
def test_a_median_is_a_value_of_the_group_with_half_on_each_side(rows: list[Any]) -> None:
    asked = policy("mdav", [K], **MODE, age={"aggregate": "median"})
    for shown, members in by_class(rows, cb.anonymize(arrow(rows), asked)):
        places = sorted(999 if row["age"] is None else int(row["age"]) for row in members)
        middle = 999 if shown["age"] is None else int(shown["age"])
        assert middle in places
        assert 2 * sum(place < middle for place in places) <= len(places)
        assert 2 * sum(place > middle for place in places) <= len(places)


@some
@given(rows=tables())
def test_an_ancestor_stays_true(rows: list[Any]) -> None:
    from support.partition_tables import PLACES

    for shown, members in by_class(rows, cb.anonymize(arrow(rows), policy("mdav", [K]))):
        assert all(shown["place"] in PLACES[row["place"]] for row in members)


@some
@given(numbers=st.lists(st.integers(0, 10_000), min_size=4, max_size=40, unique=True), k=st.integers(2, 4))
def test_groups_have_at_least_k_and_fewer_than_2k_records_and_the_error_is_stated(numbers: list[int], k: int) -> None:
    table = pa.table({"number": [str(n) for n in range(len(numbers))], "x": [f"{number}.000000" for number in numbers]})
    release = cb.anonymize(
        table,
        {
            "attributes": {
                "number": {"role": "non-sensitive", "publish-unique": True},
                "x": {"role": "quasi-identifier"},
            },
            "privacy": {"models": [{"model": "k-anonymity", "k": k}]},
            "recoding": {"algorithm": "mdav"},
        },
    )
    shown = {int(row["number"]): row["x"] for row in release.to_arrow().to_pylist()}
    sizes = Counter(shown.values())
    assert min(sizes.values()) >= k
    assert max(sizes.values()) < 2 * k or len(numbers) < 2 * k
    mean = sum(numbers) / len(numbers)
    within = sum((number - float(shown[n])) ** 2 for n, number in enumerate(numbers))
    assert release.metrics["squared_error"] == pytest.approx(
        within / sum((number - mean) ** 2 for number in numbers), abs=1e-6
    )
    assert release.metrics["loss"] is None
    assert release.metrics["discernibility"] == sum(size**2 for size in sizes.values())


def test_numbers_are_written_as_the_data_writes_them() -> None:
    table = pa.table({"x": ["1.000,5", "1.000,5", "2,25", "4,0"] * 2})
    release = cb.anonymize(
        table,
        {
            "data": {"decimal": ","},
            "attributes": {"x": {"role": "quasi-identifier"}},
            "privacy": {"models": [{"model": "k-anonymity", "k": 4}]},
            "recoding": {"algorithm": "mdav"},
        },
    )
    assert Counter(release.to_arrow()["x"].to_pylist()) == {"1000,50": 4, "3,12": 4}


@pytest.mark.parametrize(
    ("codes", "hierarchy", "shown"),
    [
        (["60020", "60021", "60035", "60037"], {"mask": "right", "top": True}, {"6002*", "6003*"}),
        (["011", "011", "025", "025"], None, {"011", "025"}),
        (["11", "13", "25", "27"], {"intervals": [10], "top": True}, {"12", "26"}),
    ],
)
def test_codes_are_no_numbers(codes: list[str], hierarchy: Any, shown: set[str]) -> None:
    about = {"role": "quasi-identifier"} | ({"hierarchy": hierarchy} if hierarchy else {})
    asked = {
        "attributes": {"x": about},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        "recoding": {"algorithm": "mdav"},
    }
    assert set(cb.anonymize(pa.table({"x": codes}), asked).to_arrow()["x"].to_pylist()) == shown


def test_the_release_says_that_values_are_no_longer_true(tmp_path: Path) -> None:
    rows = [{"number": str(n), "place": "Pina", "age": str(20 + n), "sex": "f", "disease": "flu"} for n in range(8)]
    release = cb.anonymize(arrow(rows), policy("mdav", [K]))
    assert "age (mean)" in release.warnings[0]
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    manifest = json.loads((tmp_path / "out/public/manifest.json").read_text(encoding="utf-8"))
    truthful = {column["name"]: column["truthful"] for column in manifest["columns"]}
    assert truthful == {"number": True, "place": True, "age": False, "sex": False, "disease": True}
    assert "the mean of a group" in (tmp_path / "out/public/dictionary.md").read_text(encoding="utf-8")
    report = json.loads((tmp_path / "out/evidence/report.json").read_text(encoding="utf-8"))
    assert report["search"]["metric"] == "squared_error"
    assert 0 < report["metrics"]["squared_error"] < 1


@pytest.mark.parametrize(
    ("about", "what"),
    [({"sex": {"aggregate": "mean"}}, "not numbers"), ({"age": {"aggregate": "mean", "min-level": 1}}, "min-level")],
)
def test_what_cannot_be_aggregated_so_is_refused(about: dict[str, Any], what: str) -> None:
    rows = [{"number": str(n), "place": "Pina", "age": "20", "sex": "f", "disease": "flu"} for n in range(4)]
    with pytest.raises(PolicyError, match=what):
        cb.anonymize(arrow(rows), policy("mdav", [K], **about))
