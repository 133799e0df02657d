"""Anatomy: tuples are released as they are, whose value is whose is hidden in buckets, and both tables agree."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError
from cobogo.release.buckets import estimated_count
from cobogo.tell.report.write import write as draw
from support.effort import examples
from support.partition_tables import K, arrow, policy, tables

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(15), suppress_health_check=list(HealthCheck))

L = {"model": "l-diversity", "kind": "distinct", "l": 2}
ENTROPY = {"model": "l-diversity", "kind": "entropy", "l": 1.8}
T = {"model": "t-closeness", "distance": "equal", "t": 0.35}
TUPLE = ("number", "place", "age", "sex")


@pytest.fixture(scope="module", autouse=True)
def no_report() -> Any:
    """Releases are written without drawing their reports, which take longest; one test below draws one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)
        yield


def read(file: Path) -> list[dict[str, str | None]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return [{name: value or None for name, value in row.items()} for row in csv.DictReader(stream)]


def buckets(directory: Path) -> tuple[list[Any], dict[Any, Counter[Any]]]:
    """The rows of the one table, and what the other counts in each bucket."""
    counted: dict[Any, Counter[Any]] = defaultdict(Counter)
    for row in read(directory / "public/sensitive.csv"):
        counted[row["group"]][row["disease"]] += int(row["count"] or 0)
    return read(directory / "public/release.csv"), dict(counted)


@pytest.mark.parametrize("model", [L, ENTROPY, T], ids=["distinct", "entropy", "t"])
@some
@given(rows=tables(least=4))
def test_buckets_hold_the_models_and_nothing_is_lost(
    model: dict[str, Any], rows: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    directory = tmp_path_factory.mktemp("out")
    try:
        release = cb.anonymize(arrow(rows), policy("anatomy", [model], 0.2))
    except NoSolution:
        assert model is ENTROPY or (model is L and len({row["disease"] for row in rows} - {None}) < 2)
        return
    assert release.write(directory)
    assert cb.verify(directory)
    assert cb.verify(directory / "public")
    released, counted = buckets(directory)
    originals = {row["number"]: row for row in rows}
    assert all(row[name] == originals[row["number"]][name] for row in released for name in TUPLE)
    sizes = Counter(row["group"] for row in released)
    assert {group: sum(values.values()) for group, values in counted.items()} == sizes
    assert len(released) == len(rows) - release.suppressed
    assert release.suppressed <= 0.2 * len(rows)
    whole = Counter(row["disease"] for row in rows if row["disease"] is not None)
    for group, values in counted.items():
        own = Counter(originals[row["number"]]["disease"] for row in released if row["group"] == group)
        assert own == values, "the values of a bucket are those of its records"
        known = {disease: count for disease, count in values.items() if disease}
        shares = [count / sum(known.values()) for count in known.values()]
        if model is L:
            assert len(known) >= 2
        elif model is ENTROPY:
            effective = 1.0
            for share in shares:
                effective *= share**-share
            assert effective >= 1.8 - 1e-6
        else:
            told = sum(known.values())
            apart = sum(abs(known.get(d, 0) / told - whole[d] / whole.total()) for d in whole) / 2 if told else 0.0
            assert apart <= 0.35 + 1e-9


def even(count: int) -> list[dict[str, Any]]:
    """As many of each of three diseases; the place goes with the disease."""
    kinds = [("flu", "Pina"), ("cold", "Junco"), ("asthma", "Centro")]
    return [
        {"number": str(n), "place": kinds[n % 3][1], "age": str(20 + n % 10), "sex": "f", "disease": kinds[n % 3][0]}
        for n in range(count)
    ]


def test_buckets_are_as_small_as_l_where_values_are_even(tmp_path: Path) -> None:
    cb.anonymize(arrow(even(30)), policy("anatomy", [{**L, "l": 3}])).write(tmp_path / "out")
    _, counted = buckets(tmp_path / "out")
    assert len(counted) == 10
    assert all(values == {"flu": 1, "cold": 1, "asthma": 1} for values in counted.values())


def test_counts_are_estimated_from_the_two_tables(tmp_path: Path) -> None:
    """By hand: each bucket of three has one of each disease, so a third of those in Pina count as having each."""
    cb.anonymize(arrow(even(30)), policy("anatomy", [{**L, "l": 3}])).write(tmp_path / "out")
    public = tmp_path / "out/public"
    assert estimated_count(public, {"place": ["Pina"]}, ["flu"]) == pytest.approx(10 / 3)
    assert estimated_count(public, {"place": ["Pina", "Junco"]}, ["flu", "cold"]) == pytest.approx(20 * 2 / 3)
    assert estimated_count(public, {}, ["flu"]) == pytest.approx(10), "of the sensitive values alone, exact"


def test_the_error_stated_is_that_of_taking_shares_for_values() -> None:
    release = cb.anonymize(arrow(even(30)), policy("anatomy", [{**L, "l": 3}]))
    assert release.metrics["reconstruction_error"] == pytest.approx(((2 / 3) ** 2 + 2 * (1 / 3) ** 2) / 2)


def test_changed_values_do_not_verify(tmp_path: Path) -> None:
    """Whoever changes the values and the hashes with them must still have buckets that agree, and are diverse."""
    cb.anonymize(arrow(even(9)), policy("anatomy", [{**L, "l": 3}])).write(tmp_path / "out")
    public = tmp_path / "out/public"
    assert not _with_values(public, "group,disease,count\n1,flu,3\n2,flu,3\n3,flu,3\n")
    assert not _with_values(public, "group,disease,count\n1,flu,9\n")
    assert not _with_values(public, "group,disease,count\n1,flu,x\n2,flu,3\n3,flu,3\n")
    good = [f"{group},{disease},1\n" for group in (1, 2, 3) for disease in ("flu", "cold", "asthma")]
    assert _with_values(public, "group,disease,count\n" + "".join(good))
    (public / "sensitive.csv").unlink()
    assert not cb.verify(public)


def _with_values(public: Path, text: str) -> bool:
    import hashlib

    (public / "sensitive.csv").write_text(text, encoding="utf-8", newline="\n")
    manifest = json.loads((public / "manifest.json").read_text(encoding="utf-8"))
    entry = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "bytes": len(text)}
    manifest["files"]["sensitive.csv"] = entry
    (public / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return bool(cb.verify(public))


@pytest.mark.parametrize(
    ("models", "about", "what"),
    [
        ([K], {}, "anatomy releases the quasi-identifiers unchanged, and"),
        ([L], {"sex": {"role": "sensitive"}}, "one sensitive attribute"),
        ([L], {"disease": {"role": "non-sensitive"}}, "sensitive"),
    ],
)
def test_what_buckets_cannot_protect_is_refused(models: list[Any], about: dict[str, Any], what: str) -> None:
    with pytest.raises(PolicyError, match=what):
        cb.anonymize(arrow(even(9)), policy("anatomy", models, **about))


def test_people_with_several_records_are_refused() -> None:
    rows = [{**row, "number": str(n % 4)} for n, row in enumerate(even(9))]
    asked = policy("anatomy", [L], number={"role": "identifier", "publish-unique": False})
    with pytest.raises(PolicyError, match="anatomy needs one record for each person, and by data"):
        cb.anonymize(arrow(rows), {**asked, "data": {"unit": "number"}})


def test_a_value_that_is_too_frequent_is_in_the_way_or_suppressed() -> None:
    """Nine of twelve have the flu: r₁ < 1.5·(the rest) holds only without six of them."""
    rows = [{**row, "disease": "flu"} if n < 8 else row for n, row in enumerate(even(12))]
    recursive = {"model": "l-diversity", "kind": "recursive", "l": 2, "c": 1.5}
    with pytest.raises(NoSolution, match="75 % of the records"):
        cb.anonymize(arrow(rows), policy("anatomy", [recursive], 0.1))
    assert cb.anonymize(arrow(rows), policy("anatomy", [recursive], 0.5)).suppressed == 6
    release = cb.anonymize(arrow(rows), policy("anatomy", [L], 0.5))
    assert release.suppressed == 0, "two different values can be had without"
    assert any("75 %" in warning for warning in release.warnings)


def test_parquet_and_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setattr("cobogo.tell.report.write.write", draw)
    asked = {**policy("anatomy", [L]), "output": {"format": "parquet"}}
    release = cb.anonymize(arrow(even(12)), asked)
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    assert sorted(pq.read_table(tmp_path / "out/public/sensitive.parquet").column_names) == [
        "count",
        "disease",
        "group",
    ]
    manifest = json.loads((tmp_path / "out/public/manifest.json").read_text(encoding="utf-8"))
    beside = {"file": "sensitive.parquet", "group": "group", "count": "count", "slices": [], "condensed": False}
    assert manifest["buckets"] == beside
    report = json.loads((tmp_path / "out/evidence/report.json").read_text(encoding="utf-8"))
    assert report["risk"]["after"] == report["risk"]["before"], "identities are not hidden, and the report says so"
    assert "group" in (tmp_path / "out/evidence/report.html").read_text(encoding="utf-8")
