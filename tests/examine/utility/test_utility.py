"""What is measured on a finished release, against plain counting and by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cobogo.errors import PolicyError
from cobogo.examine.metrics import REPORTED
from support.utility_tables import learns, population, release

pytestmark = pytest.mark.slow

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


# --- learning ---------------------------------------------------------------------------------------------------


# --- distributions and associations -----------------------------------------------------------------------------
