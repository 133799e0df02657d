"""Randomization on every engine: columns keep their types, and the engine's own generalization is used."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cobogo as cb
from cobogo.errors import PolicyError

N = 400


def people(file: Path) -> None:
    table = pa.table({
        "id": pa.array(range(N), pa.int64()),
        "age": pa.array([None if n % 50 == 0 else 20 + n % 16 for n in range(N)], pa.int32()),
        "day": pa.array([date(1999, 12, 30) + timedelta(days=n % 4) for n in range(N)]),
        "salary": pa.array([None if n % 9 == 0 else 1000 * (n % 5) for n in range(N)], pa.int64()),
    })  # fmt: skip
    pq.write_table(table, file)


def policy(file: Path, method: str, *models: dict[str, Any]) -> dict[str, Any]:
    return {
        "data": {"path": str(file)},
        "attributes": {
            "id": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [4, 8], "top": True}},
            "day": {"role": "quasi-identifier"},
            "salary": {"role": "sensitive"},
        },
        "privacy": {"models": list(models)},
        "randomization": {"method": method},
        "output": {"format": "parquet"},
    }


def test_workers_take_no_seed(spark: str, tmp_path: Path) -> None:
    people(tmp_path / "people.parquet")
    rules = policy(tmp_path / "people.parquet", "uniform", {"model": "rho1-rho2-privacy", "rho1": 0.1, "rho2": 0.5})
    rules["randomization"]["seed"] = 7
    with pytest.raises(PolicyError, match="draw the same numbers"):
        cb.perturb(rules, engine=spark).write(tmp_path / "out")


def test_every_engine_randomizes(engine_url: str, tmp_path: Path) -> None:
    people(tmp_path / "people.parquet")
    rho = {"model": "rho1-rho2-privacy", "rho1": 0.1, "rho2": 0.5}
    uniform = cb.perturb(policy(tmp_path / "people.parquet", "uniform", rho), engine=engine_url)
    assert uniform.write(tmp_path / "uniform")
    assert cb.verify(tmp_path / "uniform")
    rows = pq.read_table(tmp_path / "uniform/public/release.parquet")
    original = pq.read_table(tmp_path / "people.parquet")
    assert rows.schema.field("salary").type == pa.int64()
    assert sorted(map(str, rows["age"].to_pylist())) == sorted(map(str, original["age"].to_pylist()))
    assert set(rows["salary"].to_pylist()) == {None, 0, 1000, 2000, 3000, 4000}
    growth = ({"model": "k-anonymity", "k": 4}, {"model": "delta-growth", "delta": 0.4})
    groups = cb.perturb(policy(tmp_path / "people.parquet", "perturbed-generalization", *growth), engine=engine_url)
    assert groups.write(tmp_path / "groups")
    assert cb.verify(tmp_path / "groups")
    assert sum(pq.read_table(tmp_path / "groups/public/release.parquet")["group_size"].to_pylist()) == N
