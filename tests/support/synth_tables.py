"""Small made-up tables and policies for tests of synthetic data."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from cobogo.floor.arrays import Ints
from cobogo.publish.synthesize.private import ExactMechanisms

PRIVATE = ("mst", "aim", "privbayes")
BASELINES = ("independent-without-guarantee", "copula-without-guarantee")

CITIES = ("Crato", "Fortaleza", "Sobral")
ILLS = ("asthma", "dengue", "flu")
DOMAINS = {
    "age": {"bounds": [0, 80], "bins": 4, "null": False},
    "city": list(CITIES),
    "ill": {"values": list(ILLS)},
}


def codes(rows: int = 2000, seed: int = 5) -> tuple[list[int], list[int], list[int]]:
    """Bins of age, cities and illnesses that depend on each other; the fourth city and illness stand for NULL."""
    random = np.random.default_rng(seed)
    age = random.integers(0, 4, rows)
    city = np.where(random.random(rows) < 0.8, age % 3, random.integers(0, 4, rows))
    ill = np.where(random.random(rows) < 0.7, city, random.integers(0, 4, rows))
    return age.tolist(), city.tolist(), ill.tolist()


def people(rows: int = 2000, seed: int = 5) -> Any:
    """The same as a table, with a name."""
    age, city, ill = codes(rows, seed)
    return pa.table({
        "name": [f"person {n}" for n in range(rows)],
        "age": pa.array([str(20 * a + 7) for a in age], pa.string()),
        "city": pa.array([(*CITIES, None)[c] for c in city], pa.string()),
        "ill": pa.array([(*ILLS, None)[i] for i in ill], pa.string()),
    })  # fmt: skip


def policy(method: str = "mst", **changes: Any) -> dict[str, Any]:
    cost = {"epsilon": 4.0, "delta": 1e-6} if method in PRIVATE and "rho" not in changes else {}
    return {
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier"},
            "city": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "synthesis": {"method": method, **cost, "domains": DOMAINS, **changes},
    }


class Tape(ExactMechanisms):
    """Mechanisms that write down what reaches them and what they answer; or, given such a tape, answer the same."""

    def __init__(self, answers: Sequence[Any] = ()) -> None:
        self.asked: list[tuple[str, list[int], int, Fraction]] = []
        self.answers: list[Any] = []
        self.given = list(answers)

    def add_noise(self, counts: Ints, squared: int, rho: Fraction) -> tuple[Ints, float]:
        return self._answer(
            "gaussian", counts.tolist(), squared, rho, lambda: super(Tape, self).add_noise(counts, squared, rho)
        )

    def choose(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction) -> int:
        drawn = lambda: super(Tape, self).choose(scores, sensitivity, epsilon)  # noqa: E731
        return self._answer("exponential", list(scores), sensitivity, epsilon, drawn)

    def _answer(self, kind: str, exact: list[int], bound: int, price: Fraction, draw: Any) -> Any:
        place = len(self.asked)
        self.asked.append((kind, exact, bound, price))
        self.answers.append(self.given[place] if self.given else draw())
        return self.answers[-1]


def excess(one: Tape, other: Tape) -> int:
    """By how much what reached the mechanisms on two tables differs beyond what was declared; 0 where it never does."""
    assert len(one.asked) == len(other.asked)
    worst = 0
    for (kind, first, bound, price), (same, second, again, once_more) in zip(one.asked, other.asked, strict=True):
        assert (kind, bound, price, len(first)) == (same, again, once_more, len(second))
        apart = [abs(a - b) for a, b in zip(first, second, strict=True)]
        worst = max(worst, (sum(d * d for d in apart) if kind == "gaussian" else max(apart)) - bound)
    return worst
