"""Hierarchies written as nested tables."""

import tomllib

import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.tree import tree_hierarchy
from cobogo.data.policy import TreeHierarchy
from cobogo.errors import HierarchyError


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
            ["ragged", '"Any > IT > Data"'],
        ),
        ('tree = {Any = {Health = ["Doctor"]}, IT = ["Analyst"]}', ["ragged", '"IT"', "1 table"]),
        ('tree = {x = ["a"], y = ["a"]}', ['"a"', "two parents"]),
        ('tree = {p = {x = ["a"]}, q = {x = ["b"]}}', ["do not nest", '"x"']),
        ('tree = {x = "a"}', ['"x"', "neither a table nor a list"]),
        ("tree = {x = []}", ['"x" is empty']),
        ("tree = {x = {}}", ['"x" is empty']),
        ("tree = {}", ["the tree is empty"]),
        ('tree = {"" = ["a"]}', ["without name"]),
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
