"""Hierarchies of places written as paths."""

import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.path import path_hierarchy
from cobogo.data.policy import PathHierarchy
from cobogo.errors import UnfitValues


def path(separator: str, values: list[str]) -> Hierarchy:
    return path_hierarchy("place", PathHierarchy(path=separator), values, where="policy, place")


def test_each_level_drops_the_finest_part():
    h = path("/", ["Messejana/Fortaleza/CE", "Centro/Fortaleza/CE", "Centro/Sobral/CE", "Centro/Natal/RN"])
    assert h.labels[1:] == (("Fortaleza/CE", "Sobral/CE", "Natal/RN"), ("CE", "RN"))
    assert h.leaf_counts[2].tolist() == [3, 1]


def test_places_of_one_name_in_two_states_stay_apart():
    h = path("/", ["Centro/Bom Jesus/PI", "Centro/Bom Jesus/RS"])
    assert h.labels[1] == ("Bom Jesus/PI", "Bom Jesus/RS")


def test_the_separator_may_be_longer():
    assert path(" - ", ["a - b-c"]).labels == (("a - b-c",), ("b-c",))


def test_a_single_part_is_a_single_level():
    assert path("/", ["a", "b"]).height == 0
    assert path("/", []).height == 0


@pytest.mark.parametrize("wrong", ["a/b", "a/b/c/d", "a//c", "/b/c", "a/b/", "a", ""])
def test_other_numbers_of_parts_and_empty_parts_are_unfit(wrong):
    with pytest.raises(UnfitValues, match='at "/" into 3 parts, none of them empty') as raised:
        path("/", ["a/b/c", wrong, "d/e/f"])
    assert raised.value.values == (wrong,)
