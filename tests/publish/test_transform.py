"""A randomized release from policy to verification, and what makes it fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.errors import DataError, PolicyError
from cobogo.release import manifest
from cobogo.release.contract import SEEDED

pytestmark = pytest.mark.slow

DISEASES = ["flu"] * 60 + ["gastritis"] * 30 + ["HIV"] * 10
ROWS = 2000


def table() -> Any:
    return pa.table({
        "name": [f"person {n}" for n in range(ROWS)],
        "age": [str(20 + n % 50) for n in range(ROWS)],
        "disease": [DISEASES[n % 100] for n in range(ROWS)],
    })  # fmt: skip


def policy(**changes: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier"},
            "disease": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "rho1-rho2-privacy", "rho1": 0.1, "rho2": 0.6}]},
        "randomization": {"method": "uniform", **changes},
    }


def test_a_release_is_an_ordinary_one_and_verifies(tmp_path: Path) -> None:
    release = cb.perturb(table(), policy())
    assert release.write(tmp_path / "out")
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"public", "evidence"}
    found = manifest.load(tmp_path / "out" / "public")
    assert found.kind == "randomization"
    assert [(column.name, column.truthful) for column in found.columns] == [("age", True), ("disease", False)]
    verdict = cb.verify(tmp_path / "out")
    assert verdict
    assert verdict.records == ROWS
    assert verdict.models[0].measured == pytest.approx(0.6, abs=1e-9)
    assert cb.verify(tmp_path / "out" / "public")
    assert not cb.verify(tmp_path / "out", policy=policy() | {"privacy": {"models": [
        {"model": "rho1-rho2-privacy", "rho1": 0.1, "rho2": 0.3}]}})  # fmt: skip


def test_only_the_sensitive_attribute_changes() -> None:
    rows = cb.perturb(table(), policy()).to_arrow()
    assert sorted(rows["age"].to_pylist()) == sorted(table()["age"].to_pylist())
    assert rows["disease"].to_pylist() != table()["disease"].to_pylist()


def test_values_are_drawn_once() -> None:
    release = cb.perturb(table(), policy())
    first, second = (sorted(map(str, release.to_arrow().to_pylist())) for _ in range(2))
    assert first == second
    assert sorted(map(str, cb.perturb(table(), policy()).to_arrow().to_pylist())) != first


def test_seeded_noise_fails_verification(tmp_path: Path) -> None:
    release = cb.perturb(table(), policy(seed=7))
    assert not release.write(tmp_path / "out")
    for place in ("out", "out/public"):
        assert SEEDED in cb.verify(tmp_path / place).problems
    assert "seed" not in json.loads((tmp_path / "out/public/manifest.json").read_text())["transformation"]
    assert json.loads((tmp_path / "out/evidence/evidence.json").read_text())["transformation"]["seed"] == 7


def test_a_table_that_was_not_drawn_by_the_operator_is_told(tmp_path: Path) -> None:
    cb.perturb(table(), policy(retention=0.5)).write(tmp_path / "out")
    public = tmp_path / "out" / "public"
    original = "age,disease\n" + "".join(f"{r['age']},{r['disease']}\n" for r in table().to_pylist())
    (public / "release.csv").write_text(original)
    found = manifest.load(public)
    entry = manifest.hashes(public, [public / "release.csv"])
    found.model_copy(update={"files": {**found.files, **entry}}).write(public)
    assert any("stated" in problem for problem in cb.verify(tmp_path / "out").problems)
    (public / "release.csv").write_text("age,disease\n" + "30,flu\n" * ROWS)  # beyond what any original leads to
    assert any("stated" in problem for problem in cb.verify(public).problems)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"method": "uniforme"}, "uniform"),
        ({"attributes": ["age"]}, "would be released unchanged"),
        ({"attributes": ["disease", "weight"]}, "weight' is not an attribute of the policy"),
    ],
)
def test_what_cannot_be_done_is_refused(changes: dict[str, Any], word: str) -> None:
    with pytest.raises(PolicyError, match=word):
        cb.perturb(table(), policy(**changes))


def test_a_domain_that_lacks_values_is_refused_without_showing_them() -> None:
    with pytest.raises(DataError) as error:
        cb.perturb(table(), policy(domains={"disease": ["flu", "gastritis"]}))
    assert "1 value" in str(error.value)
    assert "HIV" not in str(error.value)
