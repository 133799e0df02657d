"""Attacks that put two tables, or several answers, together."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import cobogo as cb
from cobogo.examine.attacks.case import open_case
from cobogo.examine.attacks.unsorted import combine_releases
from support.attack_tables import policy, table

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
        with pytest.raises(cb.CobogoError, match="shares no column"):
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


class TestTracker:
    """One person among many, by subtracting two large counts."""

    people = table(
        "sex age job ill salary",
        "F 31 nurse no 10", "F 47 clerk yes 11", "F 52 clerk no 12", "F 29 cook no 13", "M 41 nurse no 14",
        "M 38 clerk yes 15", "M 45 cook yes 16", "M 50 nurse no 17", "M 33 clerk no 18", "F 60 nurse yes 19",
        "F 44 judge yes 99",
    )  # fmt: skip
    rules = policy("sex age job", "ill salary")

    def attack(self, *queries: str, **options: int) -> cb.Findings:
        return cb.attack("tracker", self.people, queries=queries, policy=self.rules, **options)

    def test_the_difference_of_two_queries_tells_the_judge_s_salary(self) -> None:
        asked = ("sum salary where sex = F", "sum salary where sex = F and job != judge")
        found = self.attack(*asked)
        assert found.exposed.tolist() == [11]
        assert found.measures["people whose own value is told"] == 1

    def test_refusing_small_sets_does_not_help(self) -> None:
        asked = ("count where job = judge and ill = yes", "count where sex = F and ill = yes",
                 "count where sex = F and job != judge and ill = yes")  # fmt: skip
        found = self.attack(*asked, refuse_below=2)
        assert found.exposed.tolist()[-1] == 11
        assert found.confidence[found.rows == 11].tolist() == [1.0]
        assert "1 query went unanswered" in found.notes[0]

    def test_a_single_query_about_many_tells_of_nobody_alone(self) -> None:
        found = self.attack("sum salary where sex = F", "sum salary")
        assert not found.succeeded
        assert found.measures["people whose own value is told"] == 0

    @pytest.mark.parametrize("query", ["average salary", "sum", "count where age"])
    def test_what_is_no_query_is_refused_with_its_line(self, query: str) -> None:
        with pytest.raises(cb.CobogoError, match="line 2"):
            self.attack("count", query)

    def test_a_column_that_is_not_there(self) -> None:
        with pytest.raises(cb.CobogoError, match='asks about "wage"'):
            self.attack("sum wage")

    def test_against_every_way_to_fill_in_the_answers(self) -> None:
        """An unknown is told exactly if all tables with the same answers agree on it."""
        asked = ("count where sex = F and ill = yes", "count where job = nurse and ill = yes",
                 "count where job = clerk and ill = yes", "count where sex = F and job = nurse and ill = yes",
                 "count where age < 40 and ill = yes")  # fmt: skip
        found = self.attack(*asked, threshold=0)
        case = open_case([self.people], policy=self.rules, queries=asked)
        rows = case.release.rows
        masks = np.array([
            [all(term.holds(rows)[person] for term in query.terms if term.column != "ill") for person in range(11)]
            for query in case.queries or ()
        ])  # fmt: skip
        ill = np.array([value == "yes" for value in self.people["ill"].to_pylist()])
        worlds = np.array(list(product([False, True], repeat=11)))
        alike = worlds[((worlds.astype(int) @ masks.T.astype(int)) == (masks @ ill.astype(int))).all(axis=1)]
        certain = {n + 1 for n in range(11) if alike[:, n].min() == alike[:, n].max()}
        told = {row for row, sure in zip(found.rows.tolist(), found.confidence.tolist(), strict=True) if sure == 1.0}
        assert told <= certain
        assert Counter(told)
