"""The optima of the Adult extract that two other programs agree on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import cobogo as cb

ADULT = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "adult"
EXPECTED = ADULT / "expected_optima.json"


def cases() -> list[dict[str, Any]]:
    """Those whose models are k-anonymity and distinct l-diversity."""
    if not EXPECTED.is_file():
        return []
    every = json.loads(EXPECTED.read_text(encoding="utf-8"))["cases"]
    return [case for case in every if all(_simple(model) for model in case["models"])]


def _simple(model: dict[str, Any]) -> bool:
    return model["model"] == "k-anonymity" or (model["model"] == "l-diversity" and model.get("kind") == "distinct")


def policy_of(case: dict[str, Any]) -> cb.Policy:
    with (ADULT / case["data"]).open(encoding="utf-8") as stream:
        header = stream.readline().rstrip("\r\n").split(";")
    attributes: dict[str, Any] = {
        name: {
            "role": "quasi-identifier",
            "hierarchy": {"csv": f"adult_hierarchy_{name}.csv", "separator": ";"},
        }
        for name in case["quasi-identifiers"]
    }
    attributes |= {name: {"role": "non-sensitive"} for name in header if name not in attributes}
    if case["occupation"] == "sensitive":
        attributes["occupation"] = {"role": "sensitive"}
    content = {
        "data": {"path": case["data"], "separator": ";"},
        "attributes": attributes,
        "privacy": {"models": case["models"]},
        "recoding": {"metric": case["metric"], "suppression-limit": case["suppression-limit"]},
    }
    return cb.Policy.of(content, home=ADULT)


beside = pytest.mark.skipif(
    not EXPECTED.is_file(), reason="the Adult extract is not beside the repository (../shared/data/adult)"
)


@beside
def test_there_are_cases() -> None:
    assert len(cases()) >= 10


@beside
@pytest.mark.parametrize("case", cases() or [{"case": "none"}], ids=lambda case: case["case"])
def test_the_known_optimum_is_found(case: dict[str, Any]) -> None:
    release = cb.anonymize(policy_of(case))
    assert release.levels == case["levels"]
    assert release.suppressed == case["suppressed"]
    assert release.plan.classes == len(release.plan.kept) == case["classes"]
    assert release.metrics[case["metric"]] == pytest.approx(case["value"], rel=1e-9)
    assert release.solution.optimal
    assert release.plan.records == release.problem.scale.records - case["suppressed"]
