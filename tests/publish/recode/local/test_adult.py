"""Local recoding of the Adult extract: how little is lost, read from the released rows."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import cobogo as cb
from support.paths import SHARED

pytestmark = [pytest.mark.slow, pytest.mark.evidence]

BESIDE = SHARED / "data" / "adult"
ADULT = Path(os.environ.get("COBOGO_ADULT", BESIDE))
QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")

needs_adult = pytest.mark.skipif(not ADULT.is_dir(), reason=f"the Adult extract is not at {ADULT}")


def policy(models: list[dict[str, Any]]) -> cb.Policy:
    attributes: dict[str, Any] = {
        name: {"role": "quasi-identifier", "hierarchy": {"csv": f"adult_hierarchy_{name}.csv", "separator": ";"}}
        for name in QUASI
    }
    content = {
        "data": {"path": "adult.csv", "separator": ";"},
        "attributes": attributes | {"occupation": {"role": "sensitive"}},
        "privacy": {"models": models},
        "recoding": {"algorithm": "local"},
    }
    return cb.Policy.of(content, home=ADULT)


def leaves_under(name: str) -> tuple[Counter[str], int]:
    """How many leaves each value of a hierarchy stands for, and how many there are, from the file itself."""
    lines = (ADULT / f"adult_hierarchy_{name}.csv").read_text(encoding="utf-8").split("\n")
    rows = [line.split(";") for line in lines if line]
    return Counter(value for row in rows for value in set(row)), len(rows)


@needs_adult
@pytest.mark.parametrize(
    ("models", "most"),
    [
        ([{"model": "k-anonymity", "k": 5}], 0.0277),
        ([{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "l": 3}], 0.045),
    ],
    ids=["k", "k-and-l"],
)
def test_little_is_lost_and_the_file_says_how_much(models: list[dict[str, Any]], most: float) -> None:
    release = cb.anonymize(policy(models))
    rows = release.to_arrow().to_pylist()
    classes: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        classes.setdefault(tuple(row[name] for name in QUASI), []).append(row["occupation"])
    assert len(rows) == 30162
    assert min(map(len, classes.values())) >= 5
    if len(models) > 1:
        assert min(len(set(values)) for values in classes.values()) >= 3
    product = 1.0
    for name in QUASI:
        under, domain = leaves_under(name)
        counts = Counter(row[name] for row in rows)
        product *= 1 + sum(count * (under[value] - 1) / (domain - 1) for value, count in counts.items()) / len(rows)
    loss = product ** (1 / len(QUASI)) - 1
    assert release.metrics["loss"] == pytest.approx(loss, abs=1e-9)
    assert loss <= most
