"""A perturbed release from policy to verification: what each method keeps, what is refused, what tampering shows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.errors import DataError, PolicyError
from cobogo.publish.perturb import steps

pytestmark = pytest.mark.slow

ROWS = 3000


def table(**columns: Any) -> Any:
    random = np.random.default_rng(5)
    age = random.integers(18, 90, ROWS)
    income = 1000 + 50 * age + random.normal(0, 300, ROWS)
    sex = np.where(random.random(ROWS) < 0.5, "masculino", "feminino")
    job = np.where(sex == "feminino", "professora", "pedreiro")
    return pa.table({
        "name": [f"person {n}" for n in range(ROWS)],
        "age": [None if n % 50 == 0 else str(value) for n, value in enumerate(age)],
        "income": [f"{value:.2f}".replace(".", ",") for value in income],
        "sex": sex.tolist(),
        "job": job.tolist(),
        "city": random.choice(["Fortaleza", "Sobral", "Crato"], ROWS, p=[0.7, 0.2, 0.1]).tolist(),
        **columns,
    })  # fmt: skip


def policy(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    roles = {"name": "identifier", "age": "quasi-identifier", "income": "sensitive", "sex": "quasi-identifier",
             "job": "quasi-identifier", "city": "quasi-identifier"}  # fmt: skip
    return {
        "data": {"decimal": ","},
        "attributes": {name: {"role": role} for name, role in roles.items()},
        "perturbation": {"steps": list(steps), **more},
    }


def numbers(column: Any) -> np.ndarray:
    return np.array([np.nan if text is None else float(text.replace(",", ".")) for text in column.to_pylist()])


NOISE = {"method": "noise", "attributes": ["age", "income"], "kind": "correlated", "share": 0.3}
SWAP = {"method": "swap", "attributes": ["job"], "share": 1.0}
PRAM = {"method": "pram", "attributes": ["city"], "retention": 0.6}


def test_all_methods_together_verify_and_tell_what_they_preserved(tmp_path: Path) -> None:
    rules = [{"sex": "masculino", "job": "professora"}]
    release = cb.perturb(table(), policy(NOISE, SWAP, PRAM, forbid=rules))
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    assert cb.verify(tmp_path / "out" / "public")
    rows = release.to_arrow()
    assert rows.column_names == ["age", "income", "sex", "job", "city"]
    pairs = set(zip(rows["sex"].to_pylist(), rows["job"].to_pylist(), strict=True))
    assert ("masculino", "professora") not in pairs
    assert rows["age"].null_count == table()["age"].null_count
    report = json.loads((tmp_path / "out/evidence/report.json").read_text(encoding="utf-8"))
    found = report["preserved"]["moments"]["income"]
    assert found["mean_after"] == pytest.approx(found["mean_before"], rel=0.01)
    assert found["deviation_after"] == pytest.approx(found["deviation_before"], rel=0.05)
    (pair,) = report["preserved"]["correlations"]
    assert pair[2] == pytest.approx(pair[3], abs=0.05)
    assert "no formal guarantee" in " ".join(report["warnings"])
    public = (tmp_path / "out/public/manifest.json").read_text(encoding="utf-8")
    assert "window" not in public
    assert "seed" not in public


def test_correlated_noise_keeps_what_additive_noise_loses() -> None:
    whole = table(age=[str(20 + n % 60) for n in range(ROWS)])
    before = np.column_stack([numbers(whole["age"]), numbers(whole["income"])])
    kept = cb.perturb(whole, policy(NOISE | {"decimals": 6})).to_arrow()
    after = np.column_stack([numbers(kept["age"]), numbers(kept["income"])])
    assert np.allclose(np.cov(after.T), np.cov(before.T), rtol=1e-4)
    assert not set(map(tuple, after.round(2).tolist())) & set(map(tuple, before.round(2).tolist()))
    step = {"method": "noise", "attributes": ["income"], "relative": 1.0, "distribution": "laplace"}
    lost = numbers(cb.perturb(whole, policy(step)).to_arrow()["income"])
    assert lost.std() == pytest.approx(np.sqrt(2) * before[:, 1].std(), rel=0.15)


def test_bounds_and_digits_are_respected(tmp_path: Path) -> None:
    step = {"method": "noise", "attributes": ["age"], "deviation": 40, "lower": 17.5, "upper": 99.9}
    release = cb.perturb(table(), policy(step))
    found = numbers(release.to_arrow()["age"])
    known = found[~np.isnan(found)]
    assert known.min() >= 18
    assert known.max() <= 99
    assert (known == known.round()).all()
    assert release.write(tmp_path / "out")


def test_a_swapped_column_holds_what_it_held_and_strata_keep_theirs() -> None:
    whole = table()
    step = {"method": "swap", "attributes": ["income", "age"], "window": 0.02, "within": ["sex"]}
    rows = cb.perturb(whole, policy(step)).to_arrow()

    def held(rows: Any, *names: str) -> Counter[Any]:
        return Counter(zip(*(rows[name].to_pylist() for name in names), strict=True))

    assert held(rows, "income", "age", "sex") == held(whole, "income", "age", "sex")
    assert held(rows, "income", "city") != held(whole, "income", "city")


def test_an_invariant_matrix_is_not_published(tmp_path: Path) -> None:
    """Its fixed point is the original's distribution, to the last record; the evidence keeps it for verification."""
    step = PRAM | {"invariant": True, "retention": 0.1}
    assert cb.perturb(table(), policy(step)).write(tmp_path / "out")
    content = json.loads((tmp_path / "out/public/manifest.json").read_text(encoding="utf-8"))
    for stated in content["transformation"]["steps"][0]["operators"].values():
        assert stated.keys() == {"values", "invariant"}
    assert cb.verify(tmp_path / "out")
    assert cb.verify(tmp_path / "out/public")


def test_an_invariant_matrix_keeps_frequencies() -> None:
    step = PRAM | {"invariant": True, "retention": 0.1}
    moved = {True: 0.0, False: 0.0}
    for invariant in moved:
        rows = cb.perturb(table(), policy(step | {"invariant": invariant})).to_arrow()
        before, after = (Counter(part["city"].to_pylist()) for part in (table(), rows))
        moved[invariant] = sum(abs(before[city] - after[city]) for city in before) / ROWS / 2
    assert moved[True] < 0.1 < moved[False]
    shares = np.array([0.7, 0.2, 0.1])
    assert np.allclose(steps.invariant_matrix(steps.retention_matrix(3, 0.1), shares).sum(axis=0), 1)


def test_a_matrix_of_ones_own() -> None:
    matrix = {"Fortaleza": {"Sobral": 1.0}, "Crato": {"Sobral": 0.5}}
    rows = cb.perturb(table(), policy({"method": "pram", "attributes": ["city"], "matrix": matrix})).to_arrow()
    before, after = (Counter(part["city"].to_pylist()) for part in (table(), rows))
    assert after["Fortaleza"] == 0
    assert before["Sobral"] + before["Fortaleza"] < after["Sobral"] < ROWS
    assert 0 < after["Crato"] < before["Crato"]


@pytest.mark.parametrize(
    ("steps", "more", "words"),
    [
        ([NOISE | {"share": None}], {}, "needs exactly one of: share"),
        ([NOISE | {"attributes": ["city"]}], {}, "not numbers"),
        ([NOISE | {"attributes": ["name"]}], {}, "identifier"),
        ([SWAP | {"within": ["jbo"]}], {}, "jbo"),
        ([SWAP | {"within": ["job"]}], {}, "both swapped and in within"),
        ([PRAM | {"matrix": {"Fortaleza": {"Sobral": 0.1}}}], {}, "either retention or matrix"),
        ([{"method": "pram", "attributes": ["city"], "matrix": {"Fortaleza": {"Sobrl": 0.1}}}], {}, "Sobral"),
        ([{"method": "pram", "attributes": ["city"], "matrix": {"Crato": {"Sobral": 0.9, "Fortaleza": 0.9}}}], {},
         "more than 1"),
        ([{"method": "blur", "attributes": ["city"]}], {}, "noise, swap, pram"),
        ([SWAP], {"forbid": [{"sex": "masculino"}]}, "forbid"),
        ([{"method": "noise", "attributes": ["age"], "deviation": 1, "lower": 18.1, "upper": 18.9}], {},
         "no number with"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(steps: list[Any], more: Any, words: str) -> None:
    with pytest.raises((PolicyError, DataError), match=words):
        cb.perturb(table(), policy(*steps, **more))


def test_a_perturbation_promises_no_model() -> None:
    models = {"privacy": {"models": [{"model": "k-anonymity", "k": 2}]}}
    with pytest.raises(PolicyError, match="cannot promise any"):
        cb.perturb(table(), policy(SWAP) | models)


def test_other_values_in_a_swapped_column_are_told(tmp_path: Path) -> None:
    cb.perturb(table(), policy(SWAP)).write(tmp_path / "out")
    file = tmp_path / "out/public/release.csv"
    text = file.read_text(encoding="utf-8").replace("pedreiro", "professora", 1)
    file.write_text(text, encoding="utf-8")
    manifest = tmp_path / "out/public/manifest.json"
    content = json.loads(manifest.read_text(encoding="utf-8"))
    import hashlib

    content["files"]["release.csv"] = {
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "bytes": file.stat().st_size,
    }
    manifest.write_text(json.dumps(content), encoding="utf-8")
    verdict = cb.verify(tmp_path / "out")
    assert not verdict
    assert any("does not have the values that were swapped" in problem for problem in verdict.problems)


def test_one_row_and_equal_columns(tmp_path: Path) -> None:
    one = table().slice(0, 1)
    assert cb.perturb(one, policy(SWAP, PRAM)).write(tmp_path / "one")
    same = table(income=["5,00"] * ROWS)
    assert cb.perturb(same, policy(NOISE | {"attributes": ["income"]}, SWAP)).write(tmp_path / "same")


def test_seeded_noise_is_repeated_and_refused(tmp_path: Path) -> None:
    drawn = [cb.perturb(table(), policy(NOISE, SWAP, PRAM, seed=3)).to_arrow().to_pylist() for _ in range(2)]
    assert Counter(map(str, drawn[0])) == Counter(map(str, drawn[1]))
    assert not cb.perturb(table(), policy(NOISE, seed=3)).write(tmp_path / "out")
