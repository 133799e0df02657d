"""The Adult extract: everybody unique in it is found in the raw table, and nobody in a 5-anonymous release."""

from __future__ import annotations

import csv
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import cobogo as cb
from support.paths import SHARED

BESIDE = SHARED / "data" / "adult"
ADULT = Path(os.environ.get("COBOGO_ADULT", BESIDE))
QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not ADULT.is_dir(), reason="the Adult extract is not beside the repository"),
]


def policy(algorithm: str) -> cb.Policy:
    attributes: dict[str, Any] = {
        name: {"role": "quasi-identifier", "hierarchy": {"csv": f"adult_hierarchy_{name}.csv", "separator": ";"}}
        for name in QUASI
    }
    content = {
        "data": {"path": "adult.csv", "separator": ";"},
        "attributes": attributes | {"occupation": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 5}]},
        "recoding": {"algorithm": algorithm, "suppression-limit": 0.05},
    }
    return cb.Policy.of(content, home=ADULT)


def unique_rows() -> list[int]:
    """By reading the file, row by row."""
    with (ADULT / "adult.csv").open(encoding="utf-8", newline="") as stream:
        rows = [tuple(row[name] for name in QUASI) for row in csv.DictReader(stream, delimiter=";")]
    counts = Counter(rows)
    return [number for number, row in enumerate(rows, start=1) if counts[row] == 1]


@pytest.mark.parametrize("matching", ["exact", "hierarchical"])
def test_the_raw_table_gives_away_exactly_those_who_are_unique(matching: str) -> None:
    adult = ADULT / "adult.csv"
    found = cb.attack("record-linkage", adult, knowledge=adult, policy=policy("optimal"), matching=matching)
    assert len(found.exposed) == 8841
    assert found.exposed.tolist() == unique_rows()
    assert found.records is not None
    assert found.records[found.beyond].tolist() == found.exposed.tolist()
    assert found.confidence.sum() / found.attacked == pytest.approx(0.413036, abs=5e-7)


@pytest.mark.evidence
@pytest.mark.parametrize("algorithm", ["optimal", "local"])
def test_a_5_anonymous_release_gives_nobody_away_with_more_than_one_fifth(algorithm: str) -> None:
    release = cb.anonymize(policy(algorithm))
    for register in (False, True):
        found = cb.attack("record-linkage", release, knowledge=ADULT / "adult.csv", threshold=0.2, register=register)
        assert not found.succeeded
        assert found.highest <= 0.2 + 1e-12
        assert len(found.rows) > 25_000
