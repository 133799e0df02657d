"""Hierarchies that mask characters."""

import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.mask import mask_hierarchy
from cobogo.data.policy import MaskHierarchy
from cobogo.errors import UnfitValues


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
