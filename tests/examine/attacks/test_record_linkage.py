"""Record linkage: the governor is found, and not once records are coarser."""

from __future__ import annotations

import pyarrow as pa
import pytest

import cobogo as cb
from support.attack_tables import policy, table

MONTHS = {"dates": "%d/%m/%Y", "levels": ["%m/%Y", "%Y"]}


class TestTheGovernor:
    """Of the voters of Cambridge six shared his birth date, three of them men, one of them in his ZIP code."""

    voters = table(
        "name zip born sex",
        "A 02138 31/07/1945 M", "B 02139 31/07/1945 M", "C 02140 31/07/1945 M",
        "D 02138 31/07/1945 F", "E 02139 31/07/1945 F", "F 02140 31/07/1945 F",
        *[f"X{n} 0213{n % 4} {1 + n % 28}/03/19{50 + n % 40} {'MF'[n % 2]}" for n in range(60)],
    )  # fmt: skip
    rules = policy({"zip": {"mask": "right"}, "born": {**MONTHS, "top": True}, "sex": None}, "disease")

    def hospital(self) -> pa.Table:
        rows = self.voters.slice(0, 30).select(["zip", "born", "sex"])
        return rows.append_column("disease", pa.array([f"d{n % 7}" for n in range(30)]))

    @pytest.mark.parametrize("register", [False, True])
    def test_he_is_found(self, register: bool) -> None:
        found = cb.attack(
            "record-linkage", self.hospital(), knowledge=self.voters, policy=self.rules, register=register
        )
        assert 1 in found.exposed
        assert found.records is not None
        assert found.records[found.rows == 1].tolist() == [1]
        by_date = cb.attack(
            "record-linkage", self.hospital(), knowledge=self.voters, policy=self.rules, columns=("born",),
            register=register,
        )  # fmt: skip
        assert by_date.confidence[by_date.rows == 1].tolist() == pytest.approx([1 / 6])

    def test_and_not_once_the_records_are_made_coarser(self) -> None:
        rules = {**self.rules, "privacy": {"models": [{"model": "k-anonymity", "k": 3}]}}
        release = cb.anonymize(self.hospital(), {**rules, "recoding": {"suppression-limit": 0.1}})
        found = cb.attack("record-linkage", release, knowledge=self.voters, threshold=1 / 3)
        assert not found.succeeded
        assert found.highest <= 1 / 3
