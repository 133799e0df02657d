"""Condensation: what is drawn has its group's statistics and nobody's values, and the groups are what is verified."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.errors import OutputError, PolicyError
from cobogo.release.buckets import estimated_count

QUASI = ("age", "income", "sex")


def people(many: int = 3000) -> pa.Table:
    """Ages, incomes that grow with them, and a few that are not known."""
    turn = np.arange(many)
    age = 20 + (turn * 7919 % 601) / 10
    income = 50 * age + (turn * 104729 % 997) - 498
    return pa.table(
        {
            "age": [f"{value:.1f}" for value in age],
            "income": [None if n % 50 == 0 else f"{value:.0f}" for n, value in enumerate(income)],
            "sex": ["fm"[n * 13 % 7 % 2] for n in range(many)],
            "ill": [("flu", "cold", "gout", "asthma")[n * 31 % 11 % 4] for n in range(many)],
        }
    )


def policy(k: int = 25, **attributes: Any) -> dict[str, Any]:
    quasi = {name: {"role": "quasi-identifier", **attributes.get(name, {})} for name in QUASI}
    return {
        "attributes": {**quasi, "ill": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": k}, {"model": "l-diversity", "l": 3}]},
        "recoding": {"algorithm": "condensation"},
    }


def numbers(column: list[str | None]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([np.nan if value is None else float(value) for value in column])


def test_means_and_correlations_stay_and_values_do_not() -> None:
    """The mean of 3,000 draws is off by less than six of its standard errors, once in 10⁹ runs."""
    before = people()
    after = cb.anonymize(before, policy()).to_arrow()
    for name in ("age", "income"):
        own, drawn = numbers(before[name].to_pylist()), numbers(after[name].to_pylist())
        assert abs(np.nanmean(drawn) - np.nanmean(own)) < 6 * np.nanstd(own) / np.sqrt(len(own))
        assert np.nanstd(drawn) == pytest.approx(np.nanstd(own), rel=0.05)
    pairs = [numbers(after[name].to_pylist()) for name in ("age", "income")]
    known = ~np.isnan(pairs[1])
    own = [numbers(before[name].to_pylist()) for name in ("age", "income")]
    there = ~np.isnan(own[1])
    wanted = np.corrcoef(own[0][there], own[1][there])[0, 1]
    assert np.corrcoef(pairs[0][known], pairs[1][known])[0, 1] == pytest.approx(wanted, abs=0.03)
    same = set(zip(*(before[name].to_pylist() for name in QUASI), strict=True))
    left = [row for row in zip(*(after[name].to_pylist() for name in QUASI), strict=True) if row in same]
    assert len(left) < len(before) / 20, "what is drawn is somebody's by chance alone"


def test_a_group_is_drawn_anew_each_time_from_its_own_mean_and_covariance() -> None:
    """One group of all: its covariance, estimated from 3,000 draws; the error of each entry is far below a tenth."""
    before, rules = people().select(["age", "income"]), policy()
    rules["attributes"] = {name: {"role": "quasi-identifier"} for name in ("age", "income")}
    rules["privacy"]["models"] = [{"model": "k-anonymity", "k": 2000}]
    before = before.filter(pa.compute.is_valid(before["income"]))
    drawn = [cb.anonymize(before, rules).to_arrow() for _ in range(2)]
    assert drawn[0]["income"].to_pylist() != drawn[1]["income"].to_pylist()
    own = np.cov([numbers(before[name].to_pylist()) for name in ("age", "income")])
    for one in drawn:
        found = np.cov([numbers(one[name].to_pylist()) for name in ("age", "income")])
        assert found == pytest.approx(own, rel=0.15)


def test_the_files_name_the_groups_and_say_what_is_not_true(tmp_path: Path) -> None:
    release = cb.anonymize(people(), policy())
    assert release.write(tmp_path / "out")
    verdict = cb.verify(tmp_path / "out")
    assert verdict
    assert verdict.notes == (
        "records were drawn from the statistics of groups; the models are measured on these groups",
    )
    assert cb.verify(tmp_path / "out" / "public")
    manifest = json.loads((tmp_path / "out/public/manifest.json").read_text())
    truthful = {column["name"]: column["truthful"] for column in manifest["columns"]}
    assert truthful == {"age": False, "income": False, "sex": True, "ill": True, "group": True}
    with (tmp_path / "out/public/release.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    groups: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    for group in groups.values():
        assert len(group) >= 25
        assert len({row["sex"] for row in group}) == 1, "what is no number is the same in all of a group"
        assert len({row["ill"] for row in group}) >= 3
    report = json.loads((tmp_path / "out/evidence/report.json").read_text())
    assert report["risk"]["after"]["highest"] <= 1 / 25
    assert release.metrics["loss"] is None
    assert 0 < (release.metrics["squared_error"] or 0) < 0.1
    with pytest.raises(OutputError, match="Count its rows"):
        estimated_count(tmp_path / "out/public", {}, ["flu"])


def test_what_it_cannot_do_it_says() -> None:
    with pytest.raises(PolicyError, match="median"):
        cb.anonymize(people(300), policy(age={"aggregate": "median"}))
    for attribute in ({"max-level": 0}, {"aggregate": "ancestor"}):
        kept = cb.anonymize(people(300), policy(k=5, sex=attribute)).to_arrow()
        assert set(kept["sex"].to_pylist()) <= {"f", "m", "*"}
