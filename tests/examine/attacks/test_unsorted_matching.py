"""Unsorted matching: two releases in the same order of rows."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.examine.attacks.case import open_case
from cobogo.examine.attacks.unsorted_matching import combine_releases
from support.attack_tables import policy

RACES, ZIPS = ("Asian", "Black", "White"), ("02138", "02139", "02141", "02142")


class TestUnsortedMatching:
    """Figure 3 of the k-anonymity paper: twelve people, two releases, one order."""

    private = pa.table(
        {"race": [race for race, _ in product(RACES, ZIPS)], "zip": [code for _, code in product(RACES, ZIPS)]}
    )
    rules = policy(
        {
            "race": {"tree": {"person": list(RACES)}},
            "zip": {"tree": {"02130": ["02138", "02139"], "02140": ["02141", "02142"]}},
        }
    )
    by_zip = private.set_column(0, "race", pa.array(["person"] * 12))
    by_race = private.set_column(1, "zip", pa.array([f"{code[:4]}0" for code in private["zip"].to_pylist()]))

    def test_it_recovers_all_twelve_rows(self) -> None:
        found = cb.attack("unsorted-matching", self.by_zip, self.by_race, policy=self.rules, knowledge=self.private)
        assert found.exposed.tolist() == list(range(1, 13))
        assert found.confidence.min() > 0.9
        assert found.measures["rows of the knowledge that the join gives back"] == 12
        assert found.baseline is not None
        assert found.baseline.tolist() == pytest.approx([1 / 6] * 12)
        whole, _ = combine_releases(*open_case([self.by_zip, self.by_race], policy=self.rules).releases)
        rows = [
            tuple(whole.labels(name)[code] for name, code in zip(whole.names, codes, strict=True))
            for codes in zip(*(whole.codes(name) for name in whole.names), strict=True)
        ]
        assert rows == list(product(RACES, ZIPS))

    def test_each_of_the_two_is_anonymous_alone(self) -> None:
        for alone in (self.by_zip, self.by_race):
            found = cb.attack("record-linkage", alone, knowledge=self.private, policy=self.rules)
            assert found.highest == pytest.approx(1 / 3 if alone is self.by_zip else 1 / 2)

    def test_another_order_gives_nothing_away(self) -> None:
        other = self.by_race.take(pa.array([7, 2, 11, 0, 5, 9, 4, 1, 10, 3, 8, 6]))
        assert not cb.attack("unsorted-matching", self.by_zip, other, policy=self.rules).succeeded

    def test_it_fails_against_our_releases(self, tmp_path: Path) -> None:
        private = pa.concat_tables([self.private] * 40)
        for level, name in (((1, 0), "one"), ((0, 1), "two")):
            rules = {**self.rules, "attributes": {k: dict(v) for k, v in self.rules["attributes"].items()}}
            for attribute, at in zip(("race", "zip"), level, strict=True):
                rules["attributes"][attribute] |= {"min-level": at, "max-level": at}
            cb.anonymize(private, rules).write(tmp_path / name)
        found = cb.attack("unsorted-matching", tmp_path / "one", tmp_path / "two", knowledge=private)
        assert not found.succeeded
        assert found.highest < 0.5
        agreeing = found.measures["rows that agree"]
        assert agreeing is not None
        assert agreeing < 400  # of 480, half of which agree by chance: 1e-6 of all orders give more than 295

    def test_releases_of_different_sizes_have_no_order_in_common(self) -> None:
        found = cb.attack("unsorted-matching", self.by_zip, self.by_race.slice(1), policy=self.rules)
        assert not found.succeeded
        assert "different numbers of rows" in found.notes[0]
