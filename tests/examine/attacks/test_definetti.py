"""deFinetti's attack on buckets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from support.attack_tables import policy, table


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
