"""Attacks that put two tables, or several answers, together.

Unsorted matching: two releases in the same order of rows.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.examine.attacks.case import open_case
from cobogo.examine.attacks.joining import combine_releases
from support.attack_tables import policy, table


class TestBank:
    """Tables 3.1 and 3.2 of the survey: customers and accounts, with a number that stands for the customer."""

    customers = table("ID name age sex street", "1 David 22 M L", "2 John 23 M K", "3 Helton 25 M K", "4 Maria 32 F J")
    accounts = table("ID account kind balance", "3 8491-7 c 515.09", "1 2234-0 c 1033.25", "4 5723-1 s 2194.79",
                     "2 7749-2 c 814.92")  # fmt: skip

    def test_everybody_s_account_is_found(self) -> None:
        found = cb.attack("join", self.customers, self.accounts)
        assert found.exposed.tolist() == [1, 2, 3, 4]
        assert found.records is not None
        assert found.records.tolist() == [2, 4, 1, 3]
        assert found.measures["columns that the second table adds"] == 3

    def test_without_the_number_nothing_joins(self) -> None:
        with pytest.raises(cb.CobogoError, match="has no column in common"):
            cb.attack("join", self.customers.drop_columns("ID"), self.accounts)

    def test_two_accounts_of_one_customer_halve_the_confidence_and_null_joins_nothing(self) -> None:
        accounts = table("ID account", "1 a", "1 b", "- c", "4 d")
        customers = table("ID name", "1 x", "- y", "4 z", "9 w")
        found = cb.attack("join", customers, accounts)
        assert dict(zip(found.rows.tolist(), found.confidence.tolist(), strict=True)) == {1: 0.5, 3: 1.0}


class TestDoctors:
    """(doctor, patient) and (doctor, drug) tell of (patient, drug)."""

    rows = (
        ("Ana", "p1", "statin"), ("Ana", "p2", "statin"), ("Ana", "p3", "statin"),  # prescribes one drug
        ("Bia", "p4", "statin"), ("Bia", "p4", "insulin"), ("Bia", "p4", "iron"),  # has one patient
        ("Caio", "p5", "iron"), ("Caio", "p6", "insulin"), ("Caio", "p7", "insulin"), ("Caio", "p8", "statin"),
    )  # fmt: skip

    def answer(self, *places: int) -> pa.Table:
        names = ("doctor", "patient", "drug")
        kept = dict.fromkeys(tuple(row[place] for place in places) for row in self.rows)
        return pa.table({names[place]: [row[n] for row in kept] for n, place in enumerate(places)})

    def test_who_takes_what(self) -> None:
        patients, drugs = self.answer(0, 1), self.answer(0, 2)
        found = cb.attack("projections", patients, drugs)
        names = [patients["patient"][row - 1].as_py() for row in found.exposed.tolist()]
        assert names == ["p1", "p2", "p3", "p4"]
        assert found.highest == 1.0
        rest = found.confidence[~found.beyond]
        assert rest.tolist() == pytest.approx([1 / 3] * 4)

    def test_what_is_to_be_learnt_must_be_clear(self) -> None:
        with pytest.raises(cb.CobogoError, match="adds 2 columns"):
            cb.attack("projections", self.answer(0, 1), table("doctor drug dose", "Ana statin 5"))


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
