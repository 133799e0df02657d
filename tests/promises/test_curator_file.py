"""The curator's file: what is declared must make sense before anything is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cobogo.answer.plan import QueryPlan
from cobogo.answer.query import CuratorQuery
from cobogo.errors import PolicyError
from cobogo.floor.untrusted import shorten
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.curator_file import CuratorPolicy

LARGE = 10**5000
GOOD: dict[str, Any] = {
    "path": "people.csv", "unit": "person", "max-groups": 3, "max-rows": 2,
    "budget": {"epsilon": 0.1, "delta": 1e-6},
    "analysts": {"ana": {"epsilon": 0.05}},
    "columns": {"age": {"type": "integer", "bounds": [0, 110]}, "city": {"type": "text", "keys": ["b", "a"]}},
}  # fmt: skip


def test_a_file_is_read_and_its_paths_are_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "curator.toml").write_text(
        '[datasets.people]\npath = "people.csv"\nbudget = { rho = 0.5 }\n'
        '[datasets.people.columns]\nday = { type = "date", keys = [2020-01-31] }\n'
    )
    policy = CuratorPolicy.load(tmp_path / "curator.toml")
    assert policy.resolve_place(policy.ledger) == str(tmp_path / "ledger.db")
    assert policy.resolve_place("postgresql://host/db") == "postgresql://host/db"
    assert policy.datasets["people"].budget.loss() == PrivacyLoss("rho", policy.datasets["people"].budget.loss().amount)
    assert policy.datasets["people"].columns["day"].accepts(policy.datasets["people"].columns["day"].keys[0])  # type: ignore[index]


def test_declared_things_are_there() -> None:
    dataset = CuratorPolicy.of({"datasets": {"people": GOOD}}).datasets["people"]
    assert dataset.columns["city"].public_keys == ("a", "b")
    assert dataset.columns["age"].public_keys is None
    assert dataset.groups_of_a_person(()) == 1
    assert dataset.groups_of_a_person(("city",)) == 3
    assert float(dataset.budget.loss().amount) == 0.1


def changed(path: str, value: Any) -> dict[str, Any]:
    import copy

    content = copy.deepcopy(GOOD)
    *parents, last = path.split(".")
    here = content
    for parent in parents:
        here = here[parent]
    here[last] = value
    return content


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("columns.age.bounds", [110, 0], "lower bound 110 is above"),
        ("columns.age.bounds", [0, 0.5], "more than 0 decimals"),
        ("columns.age.bounds", [0, 10**16], "beyond what can be summed"),
        ("columns.age.bounds", [0, float("inf")], "two numbers"),
        ("columns.age.bounds", [0, LARGE], "a number of more than 4,000 digits is beyond what can be summed"),
        ("columns.city.bounds", [0, 1], "for numbers only"),
        ("columns.city.keys", ["a", "\ud800"], "is no text"),
        ("columns.age.edges", [0, LARGE], "beyond a whole number of 64 bits"),
        ("max-rows", LARGE, "must be at most"),
        ("columns.city.keys", ["a", "a"], "stands twice"),
        ("columns.city.keys", ["a", 1], "is no text"),
        ("columns.city.keys", [], "must not be empty"),
        ("columns.age.decimals", 2, "for a number only"),
        ("columns.age.type", "float", "must be one of: integer"),
        ("columns.age.bonds", [0, 1], "unknown key"),
        ("columns.person", {"type": "text"}, "cannot be a column that analysts may name"),
        ("columns.CITY", {"type": "text"}, "differ only in case"),
        ("columns.age.edges", [5, 5], "must rise"),
        ("columns.city.edges", [1, 2], "for numbers without keys"),
        ("columns.age.edges", [1, float("inf")], "edges are numbers"),
        ("columns", {}, "must not be empty"),
        ("budget", {"epsilon": 1, "rho": 1}, "either epsilon or rho"),
        ("budget", {"epsilon": 0}, "above 0"),
        ("budget", {"epsilon": 1, "delta": 1}, "below 1"),
        ("analysts.ana", {"rho": 1}, "not in the measure"),
        ("max-rows", 0, "at least 1"),
        ("unit", None, "name the unit"),
    ],
    ids=shorten,
)
def test_what_makes_no_sense_is_refused_where_it_stands(path: str, value: Any, words: str) -> None:
    with pytest.raises(PolicyError, match=words) as error:
        CuratorPolicy.of({"datasets": {"people": changed(path, value)}})
    assert "curator.toml, datasets.people" in str(error.value)


def test_a_plan_tells_of_no_group_twice() -> None:
    """Else one exact figure would be told with fresh noise for each time that it is in the plan, for one price."""
    declared = CuratorPolicy.of({"datasets": {"people": GOOD}}).datasets["people"]
    with pytest.raises(AssertionError, match="twice"):
        QueryPlan(CuratorQuery("people", ()), declared, (), (("a",), ("b",), ("a",)))


def test_a_file_with_a_number_of_too_many_digits(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(f"x = 1{'0' * 5000}")
    with pytest.raises(PolicyError, match="more than 4,300 digits"):
        CuratorPolicy.load(tmp_path / "c.toml")


def test_names_of_data_sets_differ_in_more_than_case() -> None:
    with pytest.raises(PolicyError, match="differ only in case"):
        CuratorPolicy.of({"datasets": {"people": GOOD, "People": GOOD}})
