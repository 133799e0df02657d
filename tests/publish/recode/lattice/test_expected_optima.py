"""The optima of the Adult extract that two other programs agree on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import cobogo as cb
from support.paths import SHARED

pytestmark = pytest.mark.slow

BESIDE = SHARED / "data" / "adult"
ADULT = Path(os.environ.get("COBOGO_ADULT", BESIDE))
EXPECTED = ADULT / "expected_optima.json"


def cases() -> list[dict[str, Any]]:
    """All of them: k-anonymity, distinct l-diversity, t-closeness and δ-presence."""
    if not EXPECTED.is_file():
        return []
    return list(json.loads(EXPECTED.read_text(encoding="utf-8"))["cases"])


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
    not EXPECTED.is_file(),
    reason="the Adult extract is not beside the repository (../shared/data/adult; or set COBOGO_ADULT)",
)


@beside
def test_there_are_cases() -> None:
    assert len(cases()) >= 12
    models = {model["model"] for case in cases() for model in case["models"]}
    assert models == {"k-anonymity", "l-diversity", "t-closeness", "delta-presence"}


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


@beside
@pytest.mark.parametrize("case", cases()[-3:] or [{"case": "none"}], ids=lambda case: case["case"])
def test_it_is_written_and_verified(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the released file and, for δ-presence, the population's; without the report, which is not looked at."""
    monkeypatch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)
    assert cb.anonymize(policy_of(case)).write(tmp_path / "out")
    verdict = cb.verify(tmp_path / "out")
    assert verdict, verdict.as_dict()
    assert [found.model.name for found in verdict.models] == [model["model"] for model in case["models"]]
    assert cb.verify(tmp_path / "out/public", policy=policy_of(case)), "the released rows are most of the table"
