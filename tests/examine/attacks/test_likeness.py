"""Attacks by nearness on copies and on other people's records."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from support.attack_tables import policy

pytestmark = pytest.mark.slow


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
        from cobogo.examine.attacks.likeness import points

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
