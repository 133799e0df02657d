"""Record linkage: the governor is found, and not once records are coarser; null-map and wrong-map."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cobogo as cb
from cobogo.examine.attacks.record_linkage import Maps, maps
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


EXTERNAL = {"Ann": ("f", "60"), "Bob": ("m", "60"), "Eve": ("f", "71"), "Joe": ("m", None)}

rows = st.tuples(st.sampled_from(["f", "m", None]), st.sampled_from(["60", "71", None]))


def test_the_truth_matches_its_owners() -> None:
    assert maps(list(EXTERNAL.values()), list(EXTERNAL), EXTERNAL) == Maps(null=0, wrong=0, right=1)


def test_a_swap_leads_astray_and_noise_leads_nowhere() -> None:
    released = [("m", "60"), ("f", "60"), ("x", "99"), ("m", None)]
    found = maps(released, list(EXTERNAL), EXTERNAL)
    assert found == Maps(null=0.25, wrong=0.5, right=0.25)


def test_a_synthetic_record_is_nobodys() -> None:
    assert maps([("f", "60")], [None], EXTERNAL) == Maps(null=0, wrong=1, right=0)
    assert maps([("f", "60")], [None], {None: ("f", "60")}) == Maps(null=0, wrong=1, right=0)


def test_an_owner_whom_the_external_table_does_not_know() -> None:
    assert maps([("f", "60")], ["Zoe"], EXTERNAL) == Maps(null=0, wrong=1, right=0)
    assert maps([("z", "0")], ["Zoe"], EXTERNAL) == Maps(null=1, wrong=0, right=0)


def test_nothing_released_and_nothing_known() -> None:
    assert maps([], [], EXTERNAL) == Maps(0, 0, 0)
    assert maps([("f", "60")], ["Ann"], {}) == Maps(1, 0, 0)
    with pytest.raises(ValueError, match="shorter"):
        maps([("f", "60")], [], EXTERNAL)


@given(
    released=st.lists(st.tuples(rows, st.sampled_from("ABCD")), min_size=1),
    external=st.dictionaries(st.sampled_from("ABCD"), rows),
)
def test_by_the_definition(
    released: list[tuple[tuple[str | None, ...], str]], external: dict[str, tuple[str | None, ...]]
) -> None:
    matches = [({who for who, known in external.items() if known == given}, owner) for given, owner in released]
    found = maps([given for given, _ in released], [owner for _, owner in released], external)
    assert found.null == pytest.approx(sum(not matching for matching, _ in matches) / len(released))
    assert found.wrong == pytest.approx(sum(bool(m) and owner not in m for m, owner in matches) / len(released))
    assert found.null + found.wrong + found.right == pytest.approx(1)
