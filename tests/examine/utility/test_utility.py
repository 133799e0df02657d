"""What is measured on a finished release, against plain counting and by hand."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import PolicyError
from cobogo.examine.metrics import REPORTED
from cobogo.examine.utility import learning
from cobogo.examine.utility.sides import sides
from cobogo.examine.utility.statistics import cramers_v
from cobogo.examine.utility.workload import Line

few = settings(deadline=None, max_examples=100)
learns = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed (cobogo[utility])")


def release(columns: dict[str, list[str]], levels: dict[str, int], **more: Any) -> cb.Release:
    """A release at the levels given; columns without a level are sensitive."""
    attributes: dict[str, Any] = {
        name: {"role": "quasi-identifier", "min-level": levels[name], "max-level": levels[name]}
        if name in levels
        else {"role": "sensitive"}
        for name in columns
    }
    content = {"attributes": attributes, "privacy": {"models": [{"model": "k-anonymity", "k": 1}]}, **more}
    return cb.anonymize(pa.table(columns), content)


def population(rows: int, seed: int = 0) -> dict[str, list[str]]:
    """Sex tells the label for sure, town tells it a little, and illness nothing."""
    source = random.Random(seed)
    sex = [source.choice("FM") for _ in range(rows)]
    return {
        "sex": sex,
        "town": [source.choice("ab" if one == "F" else "bc") for one in sex],
        "label": ["yes" if one == "F" else "no" for one in sex],
        "ill": [source.choice("xyz") for _ in sex],
    }


# --- all together -----------------------------------------------------------------------------------------------


@learns
def test_a_release_that_changed_nothing_has_lost_nothing() -> None:
    found = release(population(200), {"sex": 0, "town": 0}).utility(label="label", queries=50)
    assert found.keys() == REPORTED.keys()
    assert found["query-error"]["median"] == 0
    assert found["association-distance"]["mean"] == 0
    assert set(found["marginal-distance"].values()) == {0}
    assert all(model["original"] == model["release"] for model in found["accuracy"]["models"].values())


@learns
def test_the_same_seed_measures_the_same() -> None:
    made = release(population(150), {"sex": 1, "town": 0})
    first, again, other = (made.utility(label="label", queries=30, seed=seed) for seed in (7, 7, 8))
    assert first == again != other


def test_without_a_label_nothing_is_learnt() -> None:
    assert "accuracy" not in release(population(20), {"sex": 1, "town": 0}).utility(queries=5)


@learns
def test_the_policy_asks_for_it_and_the_report_says_it(tmp_path: Path) -> None:
    asked = {"utility": {"queries": 20, "label": "label"}}
    made = release(population(100), {"sex": 1, "town": 1}, **asked)
    made.write(tmp_path / "out")
    report = json.loads((tmp_path / "out/evidence/report.json").read_text())
    assert report["utility"] == json.loads(json.dumps(made.utility()))
    assert report["utility"]["query-error"]["queries"] == 20
    page = (tmp_path / "out/evidence/report.html").read_text()
    assert "What can still be done with the data" in page
    assert "logistic regression" in page


def test_a_report_that_was_not_asked_says_nothing_of_it(tmp_path: Path) -> None:
    release(population(20), {"sex": 1, "town": 1}).write(tmp_path / "out")
    assert "utility" not in json.loads((tmp_path / "out/evidence/report.json").read_text())
    assert "What can still be done" not in (tmp_path / "out/evidence/report.html").read_text()


def test_without_scikit_learn_the_policy_is_refused_before_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "find_spec", lambda _: None)
    with pytest.raises(PolicyError, match=r"cobogo\[utility\]") as refused:
        release(population(20), {"sex": 1, "town": 1}, utility={"label": "label"})
    assert "utility.label" in str(refused.value)
    made = release(population(20), {"sex": 1, "town": 1}, utility={"queries": 5})
    with pytest.raises(PolicyError, match="scikit-learn"):
        made.utility(label="label")


@pytest.mark.parametrize(
    "asked", [{"label": "sex"}, {"label": "none"}, {"queries": 0}, {"selectivity": 0}, {"query": 3}, {"seed": -1}]
)
def test_what_makes_no_sense_is_refused(asked: dict[str, Any]) -> None:
    made = release(population(20), {"sex": 1, "town": 1})
    with pytest.raises(PolicyError):
        made.utility(**asked)
    with pytest.raises(PolicyError, match="utility"):
        release(population(20), {"sex": 1, "town": 1}, utility=asked)


# --- queries ----------------------------------------------------------------------------------------------------


def test_query_errors_by_hand() -> None:
    """Three a and one b, released as four *: each of the two values is estimated at 4 · ½ = 2."""
    made = release({"x": ["a", "a", "a", "b"]}, {"x": 1})
    found = made.utility(queries=400, selectivity=1e-9)["query-error"]
    assert found["median"] == pytest.approx(1 / 3)  # three of four queries are about a: |2 − 3| / 3
    assert found["quartiles"][1] == pytest.approx(1 / 3) or found["quartiles"][1] == pytest.approx(1)
    assert made.utility(queries=10, selectivity=1)["query-error"]["median"] == 0  # all records, all counted


def test_records_that_were_left_out_are_missing_from_the_answers() -> None:
    columns = {"x": ["a"] * 6 + ["b"] * 2}
    content = {
        "attributes": {"x": {"role": "quasi-identifier", "max-level": 0}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 3}]},
        "recoding": {"suppression-limit": 0.5},
    }
    for suppressed, answer in (("drop", 6), ("star", 6)):  # two starred records would break k = 3: they are dropped
        made = cb.anonymize(pa.table(columns), {**content, "output": {"suppressed": suppressed}})
        assert made.utility(queries=10, selectivity=1)["query-error"]["median"] == pytest.approx((8 - answer) / 8)


def test_starred_records_are_spread_over_everything() -> None:
    columns = {"x": ["a"] * 6 + ["b"] * 2 + ["c"] * 2}
    content = {
        "attributes": {"x": {"role": "quasi-identifier", "max-level": 0}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 3}]},
        "recoding": {"suppression-limit": 0.5},
        "output": {"suppressed": "star"},
    }
    compared = sides(cb.anonymize(pa.table(columns), content))
    only_a = np.array([True, False, False])
    estimate = (compared.share(0, only_a)[compared.released[0]] * compared.after.counts).sum()
    assert estimate == pytest.approx(6 + 4 / 3)
    assert compared.kept.tolist() == [True, False, False]


@few
@given(
    counts=st.lists(st.integers(0, 9), min_size=1, max_size=12).filter(any),
    width=st.floats(0.001, 1),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_a_run_holds_its_anchor_and_its_share_without_gaps(
    counts: list[int], width: float, seed: int, data: st.DataObject
) -> None:
    anchor = data.draw(st.sampled_from([number for number, count in enumerate(counts) if count]))
    order = np.random.default_rng(seed).permutation(len(counts))
    chosen = Line.of(order, np.array(counts, dtype=float)).run(anchor, width, np.random.default_rng(seed))
    places = np.flatnonzero(chosen[order])
    assert chosen[anchor]
    assert places[-1] - places[0] + 1 == len(places)
    assert np.array(counts)[chosen].sum() >= width * sum(counts) - 1e-6


# --- learning ---------------------------------------------------------------------------------------------------


@learns
def test_what_the_release_lost_can_no_longer_be_learnt() -> None:
    columns = population(600)
    whole = release(columns, {"sex": 0, "town": 0}).utility(label="label", queries=1)["accuracy"]
    blind = release(columns, {"sex": 1, "town": 1}).utility(label="label", queries=1)["accuracy"]
    assert whole["label"] == "label"
    assert 100 < whole["held_out"] == blind["held_out"] < 300
    for model in ("logistic-regression", "decision-tree", "naive-bayes"):
        assert whole["models"][model]["release"] == 1
        assert blind["models"][model]["original"] == 1
        assert blind["models"][model]["release"] == pytest.approx(blind["baseline"])
    town = release(columns, {"sex": 1, "town": 0}).utility(label="label", queries=1)["accuracy"]
    # Town b is shared by both, a and c are not: three quarters right.
    assert town["models"]["decision-tree"]["release"] == pytest.approx(0.75, abs=0.1)


@learns
def test_a_label_that_never_varies_is_always_right() -> None:
    columns = {"sex": list("FM") * 20, "label": ["yes"] * 40}
    found = release(columns, {"sex": 0}).utility(label="label", queries=1)["accuracy"]
    assert found["baseline"] == 1
    assert found["models"]["naive-bayes"] == {"original": 1, "release": 1}


@learns
def test_too_few_records_to_learn_from() -> None:
    found = release({"sex": ["F"], "label": ["yes"]}, {"sex": 0}).utility(label="label", queries=1)["accuracy"]
    assert found["models"] == {}


# --- distributions and associations -----------------------------------------------------------------------------


def test_marginal_distances_are_what_suppression_did() -> None:
    columns = {"x": ["a"] * 6 + ["b"] * 2, "s": ["u"] * 5 + ["v"] * 3}
    content = {
        "attributes": {"x": {"role": "quasi-identifier", "max-level": 0}, "s": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 3}]},
        "recoding": {"suppression-limit": 0.5},
    }
    found = cb.anonymize(pa.table(columns), content).utility(queries=1)["marginal-distance"]
    assert found == pytest.approx({"x": 2 / 8, "s": abs(5 / 8 - 5 / 6)})


def test_associations_before_and_after() -> None:
    found = release(population(300), {"sex": 1, "town": 0}).utility(queries=1)["association-distance"]
    pairs = {tuple(pair["attributes"]): pair for pair in found["pairs"]}
    assert pairs["sex", "label"]["before"] == pytest.approx(1)
    assert pairs["sex", "label"]["after"] == 0
    assert pairs["town", "label"]["before"] == pairs["town", "label"]["after"] > 0.5
    assert pairs["town", "ill"]["before"] < 0.2
    assert found["largest"] == pytest.approx(1)
    assert found["pairs"][0]["attributes"] == ["sex", "label"]
    assert found["mean"] == pytest.approx(np.mean([abs(pair["before"] - pair["after"]) for pair in found["pairs"]]))


@few
@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40))
def test_cramers_v_is_what_a_full_table_gives(rows: list[tuple[int, int]]) -> None:
    counted = Counter(rows)
    one, other, counts = zip(*((a, b, n) for (a, b), n in counted.items()), strict=True)
    # A square root turns a rounding error of 1e-16 into one of 1e-8.
    assert cramers_v(one, other, counts) == pytest.approx(plain_cramers_v(rows), abs=1e-6)


def plain_cramers_v(rows: list[tuple[int, int]]) -> float:
    """With the bias correction of Bergsma, from the definition of χ²."""
    records = len(rows)
    left, right, cells = Counter(a for a, _ in rows), Counter(b for _, b in rows), Counter(rows)
    tall, wide = len(left), len(right)
    if min(tall, wide) < 2:
        return 0.0
    square = 0.0
    for a in left:
        for b in right:
            expected = left[a] * right[b] / records
            square += (cells[a, b] - expected) ** 2 / expected
    square = max(0.0, square / records - (tall - 1) * (wide - 1) / (records - 1))
    room = min(tall - (tall - 1) ** 2 / (records - 1), wide - (wide - 1) ** 2 / (records - 1)) - 1
    return min(math.sqrt(square / room), 1.0) if room > 1e-9 else 0.0
