"""Attacks on perturbed, anatomized and synthetic data. All draws are seeded: what is stated is stated of them."""

from __future__ import annotations

from math import erf, sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from support.attack_tables import policy

pytestmark = pytest.mark.slow


class TestAveraging:
    """Sixteen releases with fresh noise are hardly noisy."""

    def noisy(self, many: int) -> list[pa.Table]:
        true, random = np.linspace(0, 1000, 400), np.random.default_rng(1)
        return [
            pa.table({"id": [str(n) for n in range(400)], "pay": (true + random.normal(0, 100, 400)).round(3)})
            for _ in range(many)
        ]

    def test_the_mean_of_many_tells_what_one_hides(self) -> None:
        found = cb.attack("averaging", *self.noisy(16), policy=policy("id", "pay"), within=0.05)
        assert found.baseline is not None
        assert found.measures["estimated noise of one release"] == pytest.approx(100, rel=0.05)
        reach = 0.05 * 1000
        assert found.highest == pytest.approx(erf(reach * sqrt(16) / (100 * sqrt(2))), abs=0.03)
        assert found.baseline[0] == pytest.approx(erf(reach / (100 * sqrt(2))), abs=0.05)
        assert len(found.exposed) == 400

    def test_rows_in_another_order_are_put_together_by_a_key(self) -> None:
        one, other = self.noisy(2)
        shuffled = other.take(pa.array(np.random.default_rng(2).permutation(400)))
        by_key = cb.attack("averaging", one, shuffled, policy=policy("id", "pay"), key="id")
        in_order = cb.attack("averaging", one, other, policy=policy("id", "pay"))
        assert by_key.confidence == pytest.approx(in_order.confidence)
        fewer = cb.attack("averaging", one, shuffled.slice(100), policy=policy("id", "pay"), key="id")
        assert "100 rows were not found" in fewer.notes[0]
        unasked = cb.attack("averaging", one, shuffled, policy=policy("id", "pay"))
        assert unasked.confidence == pytest.approx(by_key.confidence), "every other column is a key where it tells rows"
        assert "by the columns id" in unasked.notes[-1]

    def test_rows_that_nothing_tells_again_are_not_paired(self) -> None:
        """Every release is in a random order: rows at the same place are of different people."""
        one, other = self.noisy(2)
        shuffled = other.take(pa.array(np.random.default_rng(2).permutation(400)))
        found = cb.attack("averaging", one.select(["pay"]), shuffled.select(["pay"]), policy=policy("", "pay"))
        assert (found.tried, found.succeeded) == (False, False)
        assert "Not tried: nothing shows which rows" in found.summary
        in_order = cb.attack("averaging", one.select(["pay"]), other.select(["pay"]), policy=policy("", "pay"))
        assert in_order.tried
        assert "their position" in in_order.notes[-1]

    def test_randomized_responses_multiply(self) -> None:
        random = np.random.default_rng(3)
        true = random.choice(["a", "b", "c"], 3000, p=[0.5, 0.3, 0.2])
        draws = [
            pa.table({"ill": np.where(random.random(3000) < 0.4, true, random.choice(["a", "b", "c"], 3000))})
            for _ in range(8)
        ]
        found = cb.attack("averaging", *draws, policy=policy("", "ill"), retention=0.4)
        estimated = cb.attack("averaging", *draws, policy=policy("", "ill"))
        assert estimated.measures["retention"] == pytest.approx(0.4, abs=0.03)
        prior = np.array([0.5, 0.3, 0.2])
        seen = [[["a", "b", "c"].index(draw["ill"][row].as_py()) for draw in draws] for row in range(50)]
        for row, codes in enumerate(seen):
            weight = prior * np.prod([np.where(np.arange(3) == code, 0.6, 0.2) for code in codes], axis=0)
            assert found.confidence[row] == pytest.approx((weight / weight.sum()).max(), abs=0.05)
        assert found.baseline is not None
        assert found.confidence.mean() > found.baseline.mean() + 0.2

    def test_the_same_draw_again_tells_nothing_more(self) -> None:
        draw = pa.table({"ill": ["a", "b", "a"]})
        found = cb.attack("averaging", draw, draw, draw, policy=policy("", "ill"))
        assert not found.succeeded
        assert "the same draw" in found.notes[0]


def test_means_are_followed_by_class_and_by_distance_not_by_equality(tmp_path: Path) -> None:
    """Nobody's age is a mean of ages: that no record has one's own age is no all-clear."""
    people = pa.table({"age": [str(20 + n) for n in range(30)], "ill": ["gout"] * 10 + ["flu", "cold"] * 10})
    rules = policy("age", "ill", recoding={"algorithm": "mdav"})
    rules["attributes"]["age"]["aggregate"] = "mean"
    rules["privacy"] = {"models": [{"model": "k-anonymity", "k": 5}]}
    cb.anonymize(people, rules).write(tmp_path / "out")
    linked = cb.attack("record-linkage", tmp_path / "out", knowledge=people)
    assert not linked.tried
    assert "the attack distance-linkage uses it" in linked.notes[0]
    inferred = cb.attack("homogeneity", tmp_path / "out", knowledge=people)
    assert (inferred.rows_of, inferred.highest) == ("release", 1.0)
