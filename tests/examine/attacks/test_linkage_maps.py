"""Null-map and wrong-map: linking, with the truth at hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cobogo.examine.attacks.linkage_maps import Maps, maps, null_map, wrong_map

EXTERNAL = {"Ann": ("f", "60"), "Bob": ("m", "60"), "Eve": ("f", "71"), "Joe": ("m", None)}

rows = st.tuples(st.sampled_from(["f", "m", None]), st.sampled_from(["60", "71", None]))


def test_the_truth_matches_its_owners() -> None:
    assert maps(list(EXTERNAL.values()), list(EXTERNAL), EXTERNAL) == Maps(null=0, wrong=0, right=1)


def test_a_swap_leads_astray_and_noise_leads_nowhere() -> None:
    released = [("m", "60"), ("f", "60"), ("x", "99"), ("m", None)]
    found = maps(released, list(EXTERNAL), EXTERNAL)
    assert found == Maps(null=0.25, wrong=0.5, right=0.25)
    assert null_map(released, EXTERNAL) == 0.25
    assert wrong_map(released, list(EXTERNAL), EXTERNAL) == 0.5


def test_a_synthetic_record_is_nobodys() -> None:
    assert maps([("f", "60")], [None], EXTERNAL) == Maps(null=0, wrong=1, right=0)
    assert maps([("f", "60")], [None], {None: ("f", "60")}) == Maps(null=0, wrong=1, right=0)


def test_an_owner_whom_the_external_table_does_not_know() -> None:
    assert wrong_map([("f", "60")], ["Zoe"], EXTERNAL) == 1
    assert null_map([("z", "0")], EXTERNAL) == 1


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
