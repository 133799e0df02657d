"""Policies built of typed parts are the policies of files: they say the same, are saved, compared and pickled."""

from __future__ import annotations

import inspect
import pickle
import tomllib
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import cobogo as cb
from cobogo.data.policy import BUILDERS, HierarchySpec
from cobogo.errors import PolicyError
from support.paths import ROOT

FILE = """
[data]
decimal = ","

[attributes]
name = { role = "identifier" }
birth = { role = "quasi-identifier", hierarchy = { dates = "%d/%m/%Y", levels = ["%m/%Y", "%Y"], top = true } }
pay = { role = "quasi-identifier", hierarchy = { intervals = [10, 20], open-ends = true, lower = 0 }, weight = 2.0 }
cep = { role = "quasi-identifier", hierarchy = { mask = "right", keep = 3 }, max-level = 2 }
size = { role = "quasi-identifier", hierarchy = { ordering = ["S", "M", "L", "XL"], steps = [2] } }
place = { role = "quasi-identifier", hierarchy = { path = "/", lenient = true } }
job = { role = "quasi-identifier", hierarchy = { tree = { "a b" = ["c", "d"] } } }
town = { role = "quasi-identifier", hierarchy = { csv = "towns.csv", separator = ";" } }
disease = { role = "sensitive" }
note = { role = "non-sensitive", publish-unique = true }

[privacy]
models = [
  { model = "k-anonymity", k = 5 },
  { model = "t-closeness", attribute = "disease", t = 0.2, distance = "equal" },
]

[recoding]
suppression-limit = 0.1
"""

BUILT = cb.Policy(
    attributes={
        "name": cb.identifier(),
        "birth": cb.quasi(cb.dates("%d/%m/%Y", "%m/%Y", "%Y", top=True)),
        "pay": cb.quasi(cb.intervals(10, 20, open_ends=True, lower=0), weight=2),
        "cep": cb.quasi(cb.masked("right", keep=3), max_level=2),
        "size": cb.quasi(cb.ordering(["S", "M", "L", "XL"], [2])),
        "place": cb.quasi(cb.path("/", lenient=True)),
        "job": cb.quasi(cb.tree({"a b": ["c", "d"]})),
        "town": cb.quasi(cb.csv("towns.csv", separator=";")),
        "disease": cb.sensitive(),
        "note": cb.non_sensitive(publish_unique=True),
    },
    models=[cb.KAnonymity(5), cb.TCloseness("disease", 0.2)],
    data={"decimal": ","},
    recoding={"suppression-limit": 0.1},
)


def test_typed_parts_say_what_a_file_says() -> None:
    assert cb.Policy.of(tomllib.loads(FILE)) == BUILT
    assert BUILT.differences(cb.Policy.of(tomllib.loads(FILE))) == {}


def test_what_is_saved_is_read_again() -> None:
    assert cb.Policy.of(tomllib.loads(BUILT.to_toml())) == BUILT
    assert 'hierarchy = { mask = "right", keep = 3 }' in BUILT.to_toml()
    assert pickle.loads(pickle.dumps(BUILT)) == BUILT
    for file in (ROOT / "examples").rglob("policy*.toml"):
        policy = cb.Policy.load(file)
        assert cb.Policy.of(tomllib.loads(policy.to_toml())) == policy


def test_two_policies_differ_in_keys_with_both_values() -> None:
    other = cb.Policy.of(
        tomllib.loads(FILE.replace("keep = 3", "keep = 4").replace("[recoding]\n", "[recoding]\nlabel = 'note'\n"))
    )
    assert BUILT.differences(other) == {
        "attributes.cep.hierarchy.keep": (3, 4),
        "recoding.label": (None, "note"),
    }
    assert other != BUILT


def test_every_table_of_a_policy_is_an_argument() -> None:
    """An editor completes what a signature names."""
    tables = set(cb.Policy.model_fields) - {"privacy"}
    assert set(inspect.signature(cb.Policy).parameters) == {*tables, "models"}


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: cb.Policy({"age": {"role": "quasi"}}), "attributes.age.role"),
        (lambda: cb.Policy({"age": cb.quasi()}, [cb.KAnonymity]), "privacy.models"),
        (lambda: cb.Policy({"age": cb.quasi()}, recoding={"suppresion-limit": 0.1}), "suppression-limit"),
        (lambda: cb.Policy({"age": cb.quasi()}, recoding={"label": "age"}), "recoding.label"),
        (lambda: cb.quasi(cb.intervals()), "must not be empty"),
        (lambda: cb.Policy({"age": "quasi-identifier"}), r"attributes.age: is the text [^\n]*\nWrite cobogo.quasi\(\)"),
        (lambda: cb.quasi("age.csv"), "hierarchy"),
        (lambda: cb.hierarchy(masks="right"), "hierarchy"),
        (lambda: cb.quasi(weight=-1), "weight"),
    ],
)
def test_a_wrong_part_is_refused_with_its_place(build: Callable[[], Any], said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        build()


def test_a_preview_shows_each_level_of_values_as_a_job_would_read_them() -> None:
    shown = cb.intervals(10, 20, top=True).preview(pd.Series([31, 58, 31], name="age"))
    assert shown.to_numpy().tolist() == [["31", "30-39", "20-39", "*"], ["58", "50-59", "40-59", "*"]]
    dates = pd.to_datetime(pd.Series(["2024-02-29"]))
    assert cb.dates("%Y-%m-%d %H:%M:%S", "%Y").preview(dates).to_numpy().tolist() == [["2024-02-29 00:00:00", "2024"]]
    assert len(cb.masked("right").preview([f"{n:05}" for n in range(50)], rows=7)) == 7
    assert list(cb.hierarchy(mask="left", keep=1).preview(pd.Series(["ab", "cb"]))["1"]) == ["*b", "*b"]


def test_every_kind_of_hierarchy_knows_its_key_and_shows_none_of_its_values() -> None:
    made = {one.hierarchy.key: one.hierarchy for one in BUILT.attributes.values() if one.hierarchy is not None}
    assert {"csv", "dates", "intervals", "mask", "ordering", "path", "tree"} == set(made) <= set(BUILDERS)
    assert all(isinstance(one, HierarchySpec) and "XL" not in f"{one!r}{one}" for one in made.values())
