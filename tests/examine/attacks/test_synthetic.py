"""The attacks on synthetic data, against a release that learnt its data by heart and one that could not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import cobogo as cb
from cobogo.examine.attacks import ATTACKS, attack, open_case

pytestmark = [pytest.mark.slow, pytest.mark.evidence, pytest.mark.xdist_group("attacks on synthetic data")]

WIDTH, VALUES, ROWS = 6, 20, 300
NAMES = ("membership", "singling-out", "linkability", "inference")


def crowd(seed: int) -> Any:
    """People whose columns hang together, each nearly alone in the whole of them."""
    random = np.random.default_rng(seed)
    first = random.integers(0, VALUES, ROWS)
    columns = [np.where(random.random(ROWS) < 0.3, first, random.integers(0, VALUES, ROWS)) for _ in range(WIDTH)]
    return pa.table({f"c{n}": [f"v{v}" for v in column] for n, column in enumerate(columns)})


def policy(**synthesis: Any) -> dict[str, Any]:
    attributes: dict[str, Any] = {f"c{n}": {"role": "quasi-identifier"} for n in range(WIDTH - 1)}
    attributes[f"c{WIDTH - 1}"] = {"role": "sensitive"}
    domains = {name: {"values": [f"v{v}" for v in range(VALUES)], "null": False} for name in attributes}
    return {"attributes": attributes, "synthesis": {**synthesis, "domains": domains}}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """The people, others like them, and a synthetic release made of the people."""
    pytest.importorskip("mbi")
    here = tmp_path_factory.mktemp("attacked")
    for name, seed in (("people", 1), ("others", 2)):
        csv.write_csv(crowd(seed), here / f"{name}.csv")
    assert cb.synthesize(here / "people.csv", policy(method="mst", epsilon=1.0, delta=1e-6)).write(here / "release")
    return here / "people.csv", here / "others.csv", here / "release"


@pytest.mark.parametrize("name", NAMES)
def test_people_are_not_found_in_private_records_and_are_in_a_copy(name: str, tables: tuple[Path, Path, Path]) -> None:
    """The thresholds are such that chance does not reach them once in a million runs."""
    people, others, release = tables
    asked: dict[str, Any] = {"threshold": 0.9 if name == "membership" else 0.3}
    found = attack(name, release, knowledge=people, control=others, **asked)
    assert found.attacked
    assert not found.succeeded
    assert attack(name, people, knowledge=people, control=others, policy=policy(method="mst"), **asked).succeeded


def test_an_audit_tries_them_on_synthetic_data(tables: tuple[Path, Path, Path]) -> None:
    people, others, release = tables
    case = open_case([release], knowledge=people, control=others)
    assert case.release.kind == "synthesis"
    assert [name for name in NAMES if ATTACKS[name]().skip_reason(case) or ATTACKS[name]().lacks(case)] == []
