"""Hierarchies of ordered categories."""

import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.ordering import ordering_hierarchy
from cobogo.data.policy import OrderingHierarchy
from cobogo.errors import HierarchyError


def ordering(categories: str | list[str], steps: list[int], missing=("",)) -> Hierarchy:
    spec = OrderingHierarchy(ordering=tuple(categories), steps=tuple(steps))
    return ordering_hierarchy("o", spec, missing=missing, where="policy, o")


def test_neighbours_are_grouped_and_the_last_group_may_be_shorter():
    h = ordering("abcdefg", [2, 4])
    assert h.leaves == tuple("abcdefg")
    assert h.labels[1] == ("a - b", "c - d", "e - f", "g")
    assert h.labels[2] == ("a - d", "e - g")


def test_a_step_beyond_all_categories_makes_one_group():
    assert ordering("abc", [2, 8]).labels[2] == ("a - c",)
    assert ordering("a", [2]).labels == (("a",), ("a",))


@pytest.mark.parametrize(
    ("categories", "steps", "said"),
    [
        ("abca", [2], '"a" more than once'),
        ("abcdef", [2, 3], "steps of 2 and 3 do not nest"),
        ("abcdef", [4, 2], "do not nest"),
        (["a", "b", "a - b"], [2], 'two groups would both be called "a - b"'),
        (["a", "", "b"], [2], "read as NULL"),
        (["a", "NA", "b"], [2], '"NA", which is read as NULL'),
    ],
)
def test_orderings_that_cannot_be(categories, steps, said):
    with pytest.raises(HierarchyError) as raised:
        ordering(categories, steps, missing=("", "NA"))
    assert said in str(raised.value)
    assert "policy, o" in str(raised.value)
