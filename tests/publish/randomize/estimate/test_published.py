"""Whoever receives a randomized release can count: estimates from the public directory alone, against the truth."""

from __future__ import annotations

from pathlib import Path

import pytest

import cobogo as cb
from cobogo.errors import OutputError
from cobogo.publish.randomize.estimate.published import estimate_count
from cobogo.publish.randomize.make import METHODS
from support.randomized_tables import policy, table

pytestmark = pytest.mark.slow

Z = 5.5


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("published")
    for method in METHODS:
        cb.perturb(table(), policy(method)).write(place / method)
    return place


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("alpha-beta", "gamma-diagonal", "warner")])
def test_counts_are_near_the_truth(method: str, home: Path) -> None:
    rows = table().to_pylist()
    place = {} if method == "perturbed-generalization" else {"city": ["Crato", "Sobral"]}
    wanted = ["d0", "d2", None]
    true = sum(r["disease"] in wanted and r["city"] in place.get("city", [r["city"]]) for r in rows)
    found = estimate_count(home / method / "public", place, {"disease": wanted})
    assert 0 < found.error < true
    assert abs(found.count - true) < Z * found.error
    whole = estimate_count(home / method / "public", {}, {"disease": [*{r["disease"] for r in rows}]})
    assert whole.count == pytest.approx(len(rows))


def test_counts_of_yes_and_no(home: Path) -> None:
    true = sum(r["smokes"] == "yes" and r["age"] == "30" for r in table().to_pylist())
    found = estimate_count(home / "warner" / "public", {"age": ["30"]}, {"smokes": ["yes"]})
    assert abs(found.count - true) < Z * found.error


def test_counts_of_a_set_are_of_distinct_records(home: Path) -> None:
    distinct = {(r["age"], r["city"], r["disease"]) for r in table().to_pylist()}
    true = sum(city == "Crato" and disease in ("d0", "d1") for _, city, disease in distinct)
    found = estimate_count(home / "alpha-beta" / "public", {"city": ["Crato"]}, {"disease": ["d0", "d1"]})
    assert abs(found.count - true) < Z * found.error


def test_a_marginal_of_whole_records(home: Path) -> None:
    found = estimate_count(home / "gamma-diagonal" / "public", {}, {"city": ["Crato"]})
    true = sum(r["city"] == "Crato" for r in table().to_pylist())
    assert abs(found.count - true) < Z * found.error


def test_what_cannot_be_estimated_is_refused(home: Path, tmp_path: Path) -> None:
    for method, where, sensitive, word in (
        ("uniform", {}, {"weight": ["1"]}, "no column"),
        ("uniform", {}, {"age": ["30"], "disease": ["d0"]}, "one randomized"),
        ("gamma-diagonal", {"age": ["30"]}, {"disease": ["d0"]}, "randomized, too"),
        ("small-domain", {}, {"age": ["30"]}, "not randomized"),
    ):
        with pytest.raises(OutputError, match=word):
            estimate_count(home / method / "public", where, sensitive)
    asked = {"attributes": policy("uniform")["attributes"], "privacy": {"models": [{"model": "k-anonymity", "k": 2}]}}
    asked["recoding"] = {"suppression-limit": 0.5}
    cb.anonymize(table(), asked).write(tmp_path / "recoded")
    with pytest.raises(OutputError, match="not a randomized"):
        estimate_count(tmp_path / "recoded" / "public", {}, {"disease": ["d0"]})
