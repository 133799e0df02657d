"""Whatever a policy asks of whatever table: a release that verifies, a no, or a refusal in words. Never a fault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.errors import CobogoError
from cobogo.examine.metrics import METRICS
from cobogo.publish.recode.algorithms import ALGORITHMS

pytestmark = pytest.mark.slow

CASES = 5
"""For each algorithm."""

Values = list[str | None]

COLUMNS: list[Callable[[Random], str | None]] = [
    lambda _: None,
    lambda _: "same",
    lambda random: str(random.randrange(100)),
    lambda random: f"{random.randrange(1900, 2020)}-0{random.randrange(1, 10)}-1{random.randrange(10)}",
    lambda random: random.choice(["a/b/c", "a/b/d", "x/y/c"]),
    lambda random: random.choice(["*", "", "a", "A", " a", "é", None]),
    lambda random: random.choice(["1", "2", "3", None]),
]

MODELS: list[Callable[[Random], dict[str, Any]]] = [
    lambda random: {"model": "k-anonymity", "k": random.choice([1, 2, 3, 50])},
    lambda random: {"model": "average-risk", "max": random.choice([0.01, 0.2, 1])},
    lambda random: {"model": "l-diversity", "kind": "distinct", "l": random.choice([1, 2, 5])},
    lambda random: {"model": "l-diversity", "kind": "entropy", "l": random.choice([1, 1.5, 2.5])},
    lambda random: {"model": "l-diversity", "kind": "recursive", "l": 2, "c": random.choice([0.5, 1, 4])},
    lambda random: {
        "model": "t-closeness",
        "t": random.choice([0.0, 0.2, 1.0]),
        "distance": random.choice(["equal", "ordered", "hierarchical"]),
    },
    lambda random: {"model": "beta-likeness", "beta": random.choice([0.1, 2])},
    lambda random: {"model": "delta-disclosure", "delta": random.choice([0.1, 2])},
    lambda _: {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2},
    lambda _: {"model": "m-confidentiality", "m": 2},
    lambda _: {"model": "c-k-safety", "c": 0.9, "k": 1},
    lambda _: {"model": "b-t-privacy", "b": 0.5, "t": 0.3},
    lambda _: {"model": "injector", "l": 2, "min-support": 2},
]
FOR_ALL = 2
"""The first of these look at no sensitive attribute."""


def hierarchy(random: Random, values: Values) -> dict[str, Any] | None:
    """One that fits, more often than not."""
    known = [value for value in dict.fromkeys(values) if value]
    fitting: list[dict[str, Any] | None] = [None, {"mask": random.choice(["left", "right"]), "keep": 1}]
    if known:
        half = len(known) // 2
        fitting += [
            {"tree": {"A": known[:half] or ["q"], "B": known[half:]}, "top": random.random() < 0.5},
            {"tree": {"*": {"*": known}}},
            {"ordering": known, "steps": random.choice([[2], [2, 4], [1000]])},
        ]
    if known and all(value.isdigit() for value in known):
        fitting += [{"intervals": [5, 10], "top": True}] * 2
    if known and all(value.count("/") == 2 for value in known):
        fitting += [{"path": "/"}] * 2
    if known and all(value.count("-") == 2 for value in known):
        fitting += [{"dates": "%Y-%m-%d", "levels": ["%m/%Y", "%Y"]}] * 2
    return random.choice(fitting)


def attribute(random: Random, role: str, values: Values) -> dict[str, Any]:
    found: dict[str, Any] = {"role": role}
    if (built := hierarchy(random, values)) is not None:
        found["hierarchy"] = built
    if role == "quasi-identifier" and random.random() < 0.3:
        found |= random.choice([{"weight": 1e9}, {"min-level": 1}, {"max-level": 0}, {"aggregate": "median"}])
    return found


def case(random: Random, algorithm: str) -> tuple[pa.Table, dict[str, Any]]:
    size, width = random.choice([0, 1, 2, 8, 20, 60]), random.choice([1, 2, 2, 3, 4, 60])
    roles = {f"q{number}": "quasi-identifier" for number in range(width)}
    roles |= {f"s{number}": "sensitive" for number in range(random.choice([0, 1, 1, 2]))}
    columns: dict[str, Values] = {}
    for name in roles:
        draw = random.choice(COLUMNS)
        columns[name] = [draw(random) for _ in range(size)]
    some = MODELS if any(role == "sensitive" for role in roles.values()) else MODELS[:FOR_ALL]
    policy = {
        "attributes": {name: attribute(random, role, columns[name]) for name, role in roles.items()},
        "privacy": {"models": [random.choice(some)(random) for _ in range(random.choice([1, 1, 2]))]},
        "recoding": {
            "algorithm": algorithm,
            "metric": random.choice(list(METRICS)),
            "suppression-limit": random.choice([0.0, 0.1, 0.5, 1.0]),
            "suppress": random.choice(["records", "records", "records", "sensitive"]),
            "time-limit": 0.05,
        },
        "output": {"suppressed": random.choice(["drop", "star"])},
    }
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}), policy


def ended(table: pa.Table, policy: dict[str, Any], place: Path) -> str:
    """How a job ends: "verified", or the error's exit code and words. Anything else is a fault."""
    try:
        cb.anonymize(table, policy).write(place)
        return "verified" if cb.verify(place) else "not verified"
    except CobogoError as error:
        return f"{error.exit_code} {error}"


@pytest.mark.parametrize("algorithm", list(ALGORITHMS))
def test_every_policy_ends_in_a_release_that_verifies_or_in_words(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)  # drawing takes longest
    random = Random(f"{algorithm} 18")
    for number in range(CASES):
        table, policy = case(random, algorithm)
        end = ended(table, policy, tmp_path / str(number))
        assert end.startswith(("verified", "1 ", "2 ")), policy
        assert "error in Cobogó itself" not in end, policy
