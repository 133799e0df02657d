"""Hierarchies made of the values themselves: paths that lose a part, masked characters."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.texts import mask_hierarchy, path_hierarchy
from cobogo.data.policy import MaskHierarchy, PathHierarchy
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


def test_a_lenient_path_keeps_values_of_another_form():
    spec = PathHierarchy(path="/", lenient=True)
    values = [
        "Messejana/Fortaleza/CE",
        "Centro/Sobral/CE",
        "Fortaleza/CE",
        "Exterior",
        "x/y/z/w",
        "a//b",
        "Centro/Natal/RN",
    ]
    h = path_hierarchy("place", spec, values, where="policy, place")
    assert h.labels[1] == ("Fortaleza/CE", "Sobral/CE", "Exterior", "x/y/z/w", "a//b", "Natal/RN")
    assert h.labels[2] == ("CE", "Exterior", "x/y/z/w", "a//b", "RN")
    assert h.height == 2


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), min_size=1))
def test_levels_of_a_lenient_path_are_nested(values):
    """What one level does not tell apart, no coarser level does."""
    h = path_hierarchy("place", PathHierarchy(path="/", lenient=True), list(dict.fromkeys(values)), where="policy")
    for finer, coarser in pairwise(range(h.height + 1)):
        pairs = {(h.generalize(value, finer), h.generalize(value, coarser)) for value in values}
        assert len(pairs) == len({fine for fine, _ in pairs})


@pytest.mark.parametrize("wrong", ["a/b", "a/b/c/d", "a//c", "/b/c", "a/b/", "a", ""])
def test_other_numbers_of_parts_and_empty_parts_are_unfit(wrong):
    with pytest.raises(UnfitValues, match='does not have 3 parts with "/" between them') as raised:
        path("/", ["a/b/c", wrong, "d/e/f"])
    assert raised.value.values == (wrong,)


def mask(side: str, values: list[str], **options: object) -> Hierarchy:
    spec = MaskHierarchy.model_validate({"mask": side, **options})
    return mask_hierarchy("cep", spec, values, where="policy, cep")


def forms(h: Hierarchy, value: str) -> list:
    return [h.generalize(value, level) for level in range(h.height + 1)]


def test_a_postal_code_is_masked_digit_by_digit():
    h = mask("right", ["60020270", "60020271", "60115000"])
    assert forms(h, "60020270") == [
        "60020270", "6002027*", "600202**", "60020***", "6002****", "600*****", "60******", "6*******", "********",
    ]  # fmt: skip
    assert h.leaf_counts[1].tolist() == [2, 1]
    assert h.leaf_counts[6].tolist() == [3]


def test_from_the_left():
    assert forms(mask("left", ["123"]), "123") == ["123", "*23", "**3", "***"]


def test_kept_characters_are_never_masked():
    right = mask("right", ["12345", "12", "1"], keep=2)
    assert right.height == 3
    assert forms(right, "12345")[-1] == "12***"
    assert forms(right, "12") == ["12"] * 4
    assert forms(right, "1") == ["1"] * 4
    assert forms(mask("left", ["12345"], keep=2), "12345")[-1] == "***45"


def test_short_values_are_masked_whole_and_keep_their_length():
    h = mask("right", ["12345", "12"])
    assert forms(h, "12") == ["12", "1*", "**", "**", "**", "**"]


def test_nothing_to_mask_leaves_a_single_level():
    assert mask("right", ["12", "3"], keep=2).labels == (("12", "3"),)
    assert mask("right", []).height == 0


def test_characters_are_letters_not_bytes_and_the_mask_may_be_any():
    assert forms(mask("right", ["São"], character="•"), "São") == ["São", "Sã•", "S••", "•••"]


def test_a_value_that_contains_the_mask_character_is_unfit():
    with pytest.raises(UnfitValues, match='"\\*"') as raised:
        mask("right", ["1*", "12", "*2"])
    assert raised.value.values == ("1*", "*2")
    assert mask("right", ["1*", "12"], character="#").labels[1] == ("1#",)
