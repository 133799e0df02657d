"""Attacks that put two tables, or several answers, together."""

from __future__ import annotations

import pyarrow as pa
import pytest

import cobogo as cb
from support.attack_tables import table


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
