"""Attacks on perturbed, anatomized and synthetic data. All draws are seeded: what is stated is stated of them."""

from __future__ import annotations

from itertools import product
from math import erf, sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from support.attack_tables import policy, table


class TestDuplicate:
    def test_what_stands_twice_is_genuine(self) -> None:
        found = cb.attack("duplicate", table("a b", "1 x", "2 y", "1 x", "3 -", "3 -", "4 z"))
        assert found.exposed.tolist() == [1, 3, 4, 5]
        assert not cb.attack("duplicate", table("a b", "1 x", "1 y")).succeeded


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
        assert "Not tried: nothing tells which rows" in found.summary
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
    assert "distance-linkage follows that" in linked.notes[0]
    inferred = cb.attack("homogeneity", tmp_path / "out", knowledge=people)
    assert (inferred.of, inferred.highest) == ("release", 1.0)


class TestDeFinetti:
    """Sex and smoking tell of the disease, and the buckets say so."""

    def people(self, related: bool) -> pa.Table:
        random = np.random.default_rng(4)
        disease = random.choice(["cancer", "flu", "cold", "asthma"], 1200)
        kind = disease if related else random.permutation(disease)
        habits = {"cancer": "smokes", "flu": "sings", "cold": "swims", "asthma": "sits"}
        habit = [habits[one] if random.random() < 0.8 else random.choice(list(habits.values())) for one in kind]
        return pa.table({"n": [str(n % 97) for n in range(1200)], "habit": habit, "disease": disease})

    @pytest.mark.parametrize("related", [True, False])
    def test_buckets_tell_what_goes_with_what(self, related: bool, tmp_path: Path) -> None:
        rules = policy("n habit", "disease", recoding={"algorithm": "anatomy", "suppression-limit": 0.05})
        rules["privacy"] = {"models": [{"model": "l-diversity", "l": 3}]}
        people = self.people(related)
        cb.anonymize(people, rules).write(tmp_path / "out")
        found = cb.attack("definetti", tmp_path / "out", knowledge=people)
        right = found.measures["share guessed right"]
        bucket = found.measures["share right by the bucket alone"]
        assert right is not None
        assert bucket is not None
        assert found.measures["records whose truth is known"]
        if related:
            assert right > bucket + 0.25
            assert len(found.exposed) > 300
        else:
            assert right < bucket + 0.12

    def test_it_wants_buckets(self) -> None:
        with pytest.raises(cb.CobogoError, match="not an anatomized release"):
            cb.attack("definetti", table("a d", "1 x"), policy=policy("a", "d"))


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
        got = kernels.nearest(found.tables[1], found.tables[0], found.categorical, every)
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
        for given, missing in product([{"knowledge": self.original}, {"control": self.control}], ["needs --"]):
            with pytest.raises(cb.CobogoError, match=missing):
                cb.attack("linkability", self.copied, **given)


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
