"""Optimal bucketization: buckets hold the models, and where it is proven no bucketization has smaller ones."""

from __future__ import annotations

import csv
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError
from cobogo.release.buckets import estimated_count
from support.partition_tables import K, arrow, policy, tables

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=10, suppress_health_check=list(HealthCheck))

MODELS: dict[str, dict[str, Any]] = {
    "distinct": {"model": "l-diversity", "kind": "distinct", "l": 2},
    "entropy": {"model": "l-diversity", "kind": "entropy", "l": 1.8},
    "recursive": {"model": "l-diversity", "kind": "recursive", "l": 2, "c": 1.5},
    "alpha": {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2},
    "p": {"model": "p-sensitive-k-anonymity", "p": 2, "k": 3},
    "corruption": {"model": "t-corruption", "t": 1, "l": 2},
    "safety": {"model": "c-k-safety", "c": 0.9, "k": 1},
    "t": {"model": "t-closeness", "distance": "equal", "t": 0.35},
}
for asked in MODELS.values():
    asked["missing"] = "value"  # as the oracle counts


@pytest.fixture(autouse=True)
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports take longest, and say of these releases what they say of anatomy's."""
    monkeypatch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)


def passes(model: dict[str, Any], bucket: Counter[Any], whole: Counter[Any]) -> bool:
    """A model of one bucket, in plain Python. Of (c,k)-safety, statements about one person of the bucket."""
    size, counts = sum(bucket.values()), sorted(bucket.values(), reverse=True)
    match model["model"], model.get("kind"):
        case "l-diversity", "distinct":
            return len(counts) >= model["l"]
        case "l-diversity", "entropy":
            return -sum(n / size * math.log(n / size) for n in counts) >= math.log(model["l"]) - 1e-9
        case "l-diversity", "recursive":
            return len(counts) >= model["l"] and counts[0] < model["c"] * sum(counts[model["l"] - 1 :])
        case "alpha-k-anonymity", _:
            return counts[0] / size <= model["alpha"] + 1e-12 and size >= model["k"]
        case "p-sensitive-k-anonymity", _:
            return len(counts) >= model["p"] and size >= model["k"]
        case "t-corruption", _:
            return size > model["t"] and counts[0] / (size - model["t"]) <= 1 / model["l"] + 1e-12
        case "c-k-safety", _:
            left = size - sum(counts[: model["k"] + 1])
            return counts[0] / (counts[0] + left) < model["c"]
    return sum(abs(bucket[d] / size - whole[d] / sum(whole.values())) for d in whole) / 2 <= model["t"] + 1e-12


def partitions(counts: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Every way to divide so many records of each value into buckets, each way once."""

    def buckets(left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not left:
            yield ()
            return
        for first in range(left[0] + 1):
            for rest in buckets(left[1:]):
                yield (first, *rest)

    def divided(left: tuple[int, ...], most: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
        if not any(left):
            yield []
            return
        for bucket in buckets(left):
            if any(bucket) and bucket <= most:
                after = tuple(a - b for a, b in zip(left, bucket, strict=True))
                for rest in divided(after, bucket):
                    yield [bucket, *rest]

    yield from divided(counts, counts)


def best(model: dict[str, Any], counts: tuple[int, ...]) -> int | None:
    """The least sum of squared sizes of any bucketization that satisfies a model; None where none does."""
    whole = Counter(dict(enumerate(counts)))
    ok: dict[tuple[int, ...], bool] = {}

    def holds(bucket: tuple[int, ...]) -> bool:
        if bucket not in ok:
            ok[bucket] = passes(model, +Counter(dict(enumerate(bucket))), whole)
        return ok[bucket]

    return min((sum(sum(b) ** 2 for b in way) for way in partitions(counts) if all(map(holds, way))), default=None)


def people(counts: tuple[int, ...]) -> list[dict[str, Any]]:
    diseases = [disease for disease, many in zip(["flu", "cold", None, "gout"], counts, strict=False)
                for _ in range(many)]  # fmt: skip
    return [
        {"number": str(n), "place": "Pina", "age": str(20 + n), "sex": "f", "disease": disease}
        for n, disease in enumerate(diseases)
    ]


@pytest.mark.parametrize("name", MODELS)
@some
@given(counts=st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple).filter(lambda c: sum(c) <= 9))
def test_what_is_proven_is_what_going_through_every_bucketization_finds(name: str, counts: tuple[int, ...]) -> None:
    model = MODELS[name]
    least = best(model, counts)
    try:
        release = cb.anonymize(arrow(people(counts)), policy("bucketization", [model]))
    except NoSolution:
        assert least is None or name in ("t", "safety"), "of which more is asked than the oracle does"
        return
    assert least is not None
    assert release.metrics["discernibility"] >= least
    if release.solution.optimal:
        assert release.metrics["discernibility"] == least
    elif name == "distinct":
        pytest.fail("of distinct values alone the best is always found")


@pytest.mark.parametrize("name", MODELS)
@settings(some, max_examples=5)
@given(rows=tables(least=2))
def test_buckets_hold_the_models_and_nothing_is_lost(
    name: str, rows: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    directory, model = tmp_path_factory.mktemp("out"), MODELS[name]
    try:
        release = cb.anonymize(arrow(rows), policy("bucketization", [model], 0.3))
    except NoSolution:
        return
    assert release.write(directory)
    assert cb.verify(directory)
    assert name == "t" or cb.verify(directory / "public")
    with (directory / "public/release.csv").open(encoding="utf-8", newline="") as stream:
        released = list(csv.DictReader(stream))
    originals = {row["number"]: row for row in rows}
    whole = Counter(row["disease"] for row in rows)
    buckets: dict[Any, Counter[Any]] = defaultdict(Counter)
    for row in released:
        assert row["place"] == (originals[row["number"]]["place"] or "")
        buckets[row["group"]][originals[row["number"]]["disease"]] += 1
    assert all(passes(model, bucket, whole) for bucket in buckets.values())
    sizes = [sum(bucket.values()) for bucket in buckets.values()]
    assert max(sizes) - min(sizes) <= 1
    assert len(released) == len(rows) - release.suppressed
    assert release.suppressed <= 0.3 * len(rows)


def test_a_frequent_value_makes_buckets_larger_and_leaves_nobody_out() -> None:
    """Of twelve records nine have the flu: three buckets of two values, four records each, and that is proven."""
    release = cb.anonymize(arrow(people((9, 2, 1))), policy("bucketization", [MODELS["distinct"]]))
    assert release.plan.kept_records.tolist() == [4, 4, 4]
    assert release.solution.optimal
    assert release.suppressed == 0


def test_what_is_too_frequent_is_left_out_if_it_may_be() -> None:
    """At most one in two: of twelve, nine have the flu and six must go."""
    with pytest.raises(NoSolution):
        cb.anonymize(arrow(people((9, 2, 1))), policy("bucketization", [MODELS["alpha"]], 0.4))
    release = cb.anonymize(arrow(people((9, 2, 1))), policy("bucketization", [MODELS["alpha"]], 0.5))
    assert release.suppressed == 6
    assert not release.solution.optimal


def test_several_models_hold_together(tmp_path: Path) -> None:
    asked = [MODELS["safety"], MODELS["recursive"], MODELS["p"]]
    release = cb.anonymize(arrow(people((4, 4, 4, 4))), policy("bucketization", asked))
    assert release.solution.optimal
    assert sorted(release.plan.kept_records.tolist()) == [3, 3, 3, 3, 4]
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")


def test_counts_are_estimated_from_the_two_tables(tmp_path: Path) -> None:
    release = cb.anonymize(arrow(people((4, 4, 4))), policy("bucketization", [{**MODELS["distinct"], "l": 3}]))
    release.write(tmp_path / "out")
    assert estimated_count(tmp_path / "out/public", {"age": ["20", "25", "31"]}, ["cold"]) == pytest.approx(1)
    assert estimated_count(tmp_path / "out/public", {}, ["cold"]) == pytest.approx(4)


def test_what_cannot_hold_is_refused() -> None:
    rows = arrow(people((4, 4)))
    for models, words in (
        ([K], "cannot hold"),
        ([{"model": "average-risk", "max": 0.5}], "cannot hold"),
        ([{**MODELS["distinct"], "distort": True}], "cannot hold"),
    ):
        with pytest.raises(PolicyError, match=words):
            cb.anonymize(rows, policy("bucketization", models))
    with pytest.raises(NoSolution, match="one bucket of all"):
        cb.anonymize(arrow(people((5,))), policy("bucketization", [MODELS["distinct"]]))
    with pytest.raises(NoSolution):
        cb.anonymize(arrow(people((1, 1))), policy("bucketization", [MODELS["p"]], 1.0))
