"""Linkage by distance: as sure as it is right."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb


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
