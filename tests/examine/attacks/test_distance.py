"""Linkage by distance: as sure as it is right.

Attacks by nearness on copies and on other people's records.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from support.attack_tables import policy


def population(rows: int, seed: int) -> pa.Table:
    """People with seven columns that hang together."""
    random = np.random.default_rng(seed)
    age = random.normal(45, 15, rows).round(1)
    region = random.choice(list("abcdefgh"), rows)
    job = random.choice([f"j{n}" for n in range(12)], rows)
    pay = (20 * age + 300 * random.random(rows) * (1 + (job == "j1"))).round(1)
    return pa.table(
        {
            "age": age, "region": region, "job": job, "pay": pay,
            "pets": random.choice(list("01234"), rows),
            "car": random.choice([f"c{n}" for n in range(15)], rows),
            "ill": np.where(random.random(rows) < 0.3, random.choice(["x", "y", "z"], rows), region),
        }
    )  # fmt: skip


class TestDistance:
    """Noise on numbers, and categories exchanged: who is found, and whether the attacker knows how surely."""

    def released(self, noise: float) -> pa.Table:
        random = np.random.default_rng(9)
        original = population(500, 5)
        changed = {
            name: (np.array(original[name]) + random.normal(0, noise * np.ptp(np.array(original[name])), 500)).round(3)
            for name in ("age", "pay")
        }
        kept = random.random(500) < 0.8
        changed["car"] = np.where(kept, original["car"], random.permutation(np.array(original["car"])))
        changed |= {name: np.array(original[name]) for name in ("region", "job", "pets")}
        return pa.table(changed)

    @pytest.mark.parametrize("noise", [0.01, 0.1])
    def test_it_is_right_as_often_as_it_says(self, noise: float) -> None:
        order = np.random.default_rng(10).permutation(500)
        found = cb.attack("distance-linkage", self.released(noise).take(pa.array(order)), knowledge=population(500, 5))
        assert found.records is not None
        right = (order[found.records - 1] + 1 == found.rows).sum()
        assert right == pytest.approx(found.measures["expected right links"], abs=30)
        assert right > 300
        assert found.measures["estimated share of right values of car"] == pytest.approx(0.8 + 0.2 / 15, abs=0.05)
        estimate = found.measures["estimated noise of age, as a share of its range"]
        assert estimate == pytest.approx(noise, rel=0.3)

    def test_records_that_are_alike_share_the_suspicion(self) -> None:
        """Three of each, as microaggregation releases them."""
        means = np.repeat(np.linspace(0, 100, 20), 3)
        known = pa.table({"age": (means + np.tile([-1.0, 0.0, 1.0], 20)).round(2)})
        found = cb.attack("distance-linkage", pa.table({"age": means.round(2)}), knowledge=known)
        assert found.highest <= 1 / 3 + 1e-9


pytestmark = pytest.mark.slow


class TestSynthetic:
    """A copy gives everybody away; other people from the same population give nobody away."""

    original, control, fresh = population(500, 5), population(500, 6), population(500, 7)
    copied = original.take(pa.array(np.random.default_rng(8).permutation(500)))
    rules = policy("age region job pay pets car", "ill")

    @pytest.mark.parametrize("name", ["singling-out", "linkability", "inference", "membership"])
    def test_a_copy_is_found_out_and_others_are_not(self, name: str) -> None:
        given = {"knowledge": self.original, "control": self.control, "policy": self.rules}
        copy = cb.attack(name, self.copied, **given)
        assert copy.succeeded
        assert len(copy.exposed) > 100
        fresh = cb.attack(name, self.fresh, **given)
        assert not fresh.succeeded
        assert len(fresh.exposed) == 0

    def test_members_of_a_copy_are_known_for_certain(self) -> None:
        found = cb.attack("membership", self.copied, knowledge=self.original, control=self.control)
        assert found.measures["members with a copy in the release"] == 500
        assert found.measures["others with a copy in the release"] == 0
        assert found.measures["advantage"] == 1.0
        assert found.confidence.min() > 0.95

    def test_the_kernels_agree_with_plain_distances(self) -> None:
        from cobogo.examine.attacks import kernels
        from cobogo.examine.attacks.case import open_case
        from cobogo.examine.attacks.distance import points

        case = open_case(
            [self.fresh.slice(0, 40)], knowledge=self.original.slice(0, 30), control=self.control.slice(0, 5)
        )
        assert case.knowledge is not None
        found = points([case.release.rows, case.knowledge])
        every = np.arange(7)
        got = kernels.nearest_distances(found.tables[1], found.tables[0], found.categorical, every)
        both = self.original.slice(0, 30).to_pylist(), self.fresh.slice(0, 40).to_pylist()
        span = {
            name: max(row[name] for part in both for row in part) - min(row[name] for part in both for row in part)
            for name in ("age", "pay")
        }
        plain = [
            min(
                sum(abs(one[c] - two[c]) / span[c] if c in span else float(one[c] != two[c]) for c in one)
                for two in both[1]
            )
            for one in both[0]
        ]
        assert got == pytest.approx(plain)

    def test_both_tables_are_needed(self) -> None:
        for given, missing in product([{"knowledge": self.original}, {"control": self.control}], ["attack needs"]):
            with pytest.raises(cb.CobogoError, match=missing):
                cb.attack("linkability", self.copied, **given)
