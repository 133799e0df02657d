"""Hierarchies written in the policy: ordered categories, trees, labels of codes."""

import tomllib

import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.declared import labels_hierarchy, ordering_hierarchy, tree_hierarchy
from cobogo.data.policy import LabelsHierarchy, OrderingHierarchy, TreeHierarchy
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


def tree(toml: str, missing=("",)) -> Hierarchy:
    spec = TreeHierarchy.model_validate(tomllib.loads(toml))
    return tree_hierarchy("profession", spec, missing=missing, where="policy, profession")


def test_professions():
    h = tree('tree = {Qualquer = {"Saúde" = ["Dentista", "Médico"], TI = ["Analista", "Gerente"]}}')
    assert h.labels == (("Dentista", "Médico", "Analista", "Gerente"), ("Saúde", "TI"), ("Qualquer",))
    assert h.generalize("Gerente", 1) == "TI"


def test_a_tree_may_have_several_roots_and_one_level():
    assert tree('tree = {x = ["a", "b"], y = ["c"]}').labels == (("a", "b", "c"), ("x", "y"))


def test_numbers_become_text():
    assert tree("tree = {odd = [1, 3, 4.5], even = [2]}").leaves == ("1", "3", "4.5", "2")


def test_a_leaf_twice_under_one_parent_is_one_leaf():
    assert tree('tree = {x = ["a", "a"]}').leaves == ("a",)


def test_a_missing_text_is_the_place_of_null():
    h = tree('tree = {x = ["a"], unknown = ["", "NA"]}', missing=("", "NA"))
    assert h.leaves == ("a", None)
    assert h.generalize(None, 1) == "unknown"


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (
            'tree = {Any = {Health = ["Doctor"], IT = {Data = ["Analyst"]}}}',
            ['"Any > IT > Data" are at depth 3, the first ones at depth 2'],
        ),
        ('tree = {Any = {Health = ["Doctor"]}, IT = ["Analyst"]}', ['"IT" are at depth 1, the first ones at depth 2']),
        ('tree = {x = ["a"], y = ["a"]}', ['"a"', "two parents"]),
        ('tree = {p = {x = ["a"]}, q = {x = ["b"]}}', ["do not nest", '"x"']),
        ('tree = {x = "a"}', ['"x"', "neither a table nor a list"]),
        ("tree = {x = []}", ['"x" is empty']),
        ("tree = {x = {}}", ['"x" is empty']),
        ("tree = {}", ["the tree is empty"]),
        ('tree = {"" = ["a"]}', ["the tree has a branch without a name"]),
        ("tree = {x = [true]}", ["True", "not a text"]),
        ('tree = {x = [{y = ["a"]}]}', ["not a text"]),
        ('tree = {x = [["a"]]}', ["not a text"]),
    ],
)
def test_broken_trees_name_the_branch(toml, said):
    with pytest.raises(HierarchyError) as raised:
        tree(toml)
    for part in ["policy, profession", *said]:
        assert part in str(raised.value)


def test_codes_become_their_labels() -> None:
    spec = LabelsHierarchy(labels={"1": "Male", "2": "Female", "9": "unknown", "99": "unknown", "": "missing"})
    h = labels_hierarchy("sex", spec, where="policy")
    assert h.generalize("9", 1) == h.generalize("99", 1) == "unknown"
    assert h.generalize(None, 1) == "missing"
    with pytest.raises(HierarchyError, match="a label is empty"):
        labels_hierarchy("sex", LabelsHierarchy(labels={"1": ""}), where="policy")
