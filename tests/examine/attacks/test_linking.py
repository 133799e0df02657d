"""Linking against a plain comparison of every person with every record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.data.classes import Domain
from cobogo.examine.attacks.case import open_case
from cobogo.examine.attacks.kernels import number_lists
from cobogo.examine.attacks.linking import link
from cobogo.examine.attacks.record_linkage import maps
from cobogo.examine.attacks.suspects import Suspects
from support.attack_tables import policy, table
from support.effort import examples

pytestmark = pytest.mark.slow

TREES: dict[str, Any] = {
    "a": {"tree": {"low": ["1", "2"], "high": ["3", "4"]}, "top": True},
    "b": {"mask": "right", "top": True},
    "c": None,
}
COVERS = {
    "a": {"low": {"1", "2"}, "high": {"3", "4"}},
    "b": {"1*": {"11", "12"}, "2*": {"21", "22"}, "**": {"11", "12", "21", "22"}},
    "c": {},
}
KNOWN = {"a": ["1", "2", "3", "4", None], "b": ["11", "12", "21", "22"], "c": ["x", "y", None]}
RELEASED = {
    "a": ["1", "3", "low", "high", "*", None],
    "b": ["11", "22", "1*", "2*", "**", "*"],
    "c": ["x", "y", "*", None],
}


def agree(name: str, known: str | None, released: str | None) -> bool:
    """By the definition: equal, suppressed, or below it."""
    return released in (known, "*") or known in COVERS[name].get(released or "", set())


def rows(values: dict[str, list[str | None]], most: int) -> st.SearchStrategy[list[tuple[str | None, ...]]]:
    return st.lists(st.tuples(*(st.sampled_from(values[name]) for name in "abc")), min_size=1, max_size=most)


def as_table(content: list[tuple[str | None, ...]]) -> pa.Table:
    return pa.table({name: pa.array([row[n] for row in content], pa.string()) for n, name in enumerate("abc")})


@settings(max_examples=examples(30), deadline=None)
@given(rows(KNOWN, 12), rows(RELEASED, 15), st.integers(0, 3))
def test_links_are_those_of_every_pair(people: Any, records: Any, misses: int) -> None:
    case = open_case([as_table(records)], knowledge=as_table(people), policy=policy(TREES))
    assert case.knowledge is not None
    links = link(case.knowledge, case.release, misses=misses)
    wrong = np.array([
        [sum(not agree(name, one[n], other[n]) for n, name in enumerate("abc")) for other in records] for one in people
    ])  # fmt: skip
    fits = wrong <= misses
    assert links.records[links.known.ids].tolist() == fits.sum(axis=1).tolist()
    assert links.people[links.released.ids].tolist() == fits.sum(axis=0).tolist()
    found = {
        (int(owner), int(target)): bin(int(bits)).count("1")
        for owner, target, bits in zip(links.owners, links.targets, links.missed, strict=True)
    }
    for one in range(len(people)):
        for other in range(len(records)):
            pair = int(links.known.ids[one]), int(links.released.ids[other])
            assert found.get(pair, 9) == (wrong[one, other] if fits[one, other] else 9)


@settings(max_examples=10, deadline=None)
@given(rows(KNOWN, 12), rows(RELEASED, 15))
def test_the_values_among_a_person_s_suspects_are_those_of_the_records_that_fit(people: Any, records: Any) -> None:
    ills = ["flu", "cold", "flu", None, "gout"]
    released = as_table(records).append_column("ill", pa.array([ills[n % 5] for n in range(len(records))], pa.string()))
    rules = policy(TREES, "ill")
    found = cb.attack("homogeneity", released, knowledge=as_table(people), policy=rules)
    for row, sure in zip(found.rows.tolist(), found.confidence.tolist(), strict=True):
        fitting = [
            ills[n % 5]
            for n, other in enumerate(records)
            if all(agree(name, people[row - 1][place], other[place]) for place, name in enumerate("abc"))
            and ills[n % 5] is not None
        ]
        assert sure == pytest.approx(max(fitting.count(ill) for ill in fitting) / len(fitting))
    exact = cb.attack("record-linkage", released, knowledge=as_table(people), policy=rules, matching="exact")
    for row, sure in zip(exact.rows.tolist(), exact.confidence.tolist(), strict=True):
        assert sure == 1 / sum(tuple(other) == tuple(people[row - 1]) for other in records)


def test_two_coarse_values_agree_where_something_lies_under_both() -> None:
    """What is known may be coarser than what was released: born in 1965, and released with the month."""
    rules = policy({"born": {"dates": "%d/%m/%Y", "levels": ["%m/%Y", "%Y"]}})
    known = table("born", "1965", "20/09/1965", "1966")
    released = table("born", "20/09/1965", "09/1965", "1966")
    found = cb.attack("record-linkage", released, knowledge=known, policy=rules)
    assert dict(zip(found.rows.tolist(), found.confidence.tolist(), strict=True)) == {1: 0.5, 2: 0.5, 3: 1.0}


def test_numbers_with_decimals_match_intervals_of_whole_numbers_and_the_other_way_round() -> None:
    rules = policy({"age": {"intervals": [10]}})
    whole, parts = pa.table({"age": ["30-39", "40-49"]}), pa.table({"age": ["[30, 40)", "[40, 50)"]})
    found = cb.attack("record-linkage", whole, knowledge=table("age", "31", "44.5"), policy=rules)
    assert found.rows.tolist() == [1]
    found = cb.attack("record-linkage", parts, knowledge=table("age", "31"), policy=rules)
    assert (found.rows.tolist(), found.highest) == ([1], 1.0)


def test_null_map_and_wrong_map_are_those_of_the_definition() -> None:
    """A swap leads astray, noise leads nowhere (Sweeney 2002)."""
    known = table("who sex zip", "Ann f 60", "Bob m 60", "Eve f 71", "Joe m -")
    released = table("who sex zip", "Ann m 60", "Bob f 60", "Eve x 99", "Joe m -", "Zoe f 71")
    found = cb.attack("record-linkage", released, knowledge=known, truth="who", matching="exact")
    external = {"Ann": ("f", "60"), "Bob": ("m", "60"), "Eve": ("f", "71"), "Joe": ("m", None)}
    rows = [("m", "60"), ("f", "60"), ("x", "99"), ("m", None), ("f", "71")]
    expected = maps(rows, ["Ann", "Bob", "Eve", "Joe", "Zoe"], external)
    assert (found.measures["null-map"], found.measures["wrong-map"]) == (expected.null, expected.wrong) == (0.2, 0.6)
    coarse = table("sex zip", "f 6*", "m 8*")
    found = cb.attack("record-linkage", coarse, knowledge=known, policy=policy({"sex": None, "zip": {"mask": "right"}}))
    assert found.measures["null-map"] == 0.5
    assert "wrong-map" not in found.measures
    with pytest.raises(cb.CobogoError, match='has no column "name"'):
        cb.attack("record-linkage", released, knowledge=known, truth="name")


class TestProbabilistic:
    """Three of a hundred values are misspelt; most people are found all the same."""

    def tables(self) -> tuple[pa.Table, pa.Table]:
        random = np.random.default_rng(11)
        columns = {name: random.integers(0, 30, 600).astype(str) for name in ("zip", "born", "job", "street")}
        original = pa.table(columns)
        wrong = {
            name: np.where(random.random(600) < 0.03, random.integers(0, 30, 600).astype(str), values)
            for name, values in columns.items()
        }
        return original.slice(0, 400), pa.table(wrong)

    def test_it_finds_who_is_misspelt_and_says_how_sure(self) -> None:
        original, known = self.tables()
        rules = policy("zip born job street")
        strict = cb.attack("record-linkage", original, knowledge=known, policy=rules)
        found = cb.attack("record-linkage", original, knowledge=known, policy=rules, matching="probabilistic")
        assert len(strict.rows) < 380
        right = found.rows <= 400
        assert found.confidence[right].sum() > 385
        assert found.measures["estimated share of the people who are in the release"] == pytest.approx(2 / 3, abs=0.03)
        for name in ("zip", "born", "job", "street"):
            assert found.measures[f"estimated share of right values of {name}"] == pytest.approx(0.97, abs=0.02)
        # Of those it is sure of, as many are really in the release as it says.
        sure = found.confidence > 0.5
        assert (found.rows[sure] <= 400).mean() == pytest.approx(found.confidence[sure].mean(), abs=0.03)

    def test_without_mistakes_it_is_as_sure_as_a_plain_comparison(self) -> None:
        original, _ = self.tables()
        rules = policy("zip born job street")
        plain = cb.attack("record-linkage", original, knowledge=original, policy=rules)
        found = cb.attack("record-linkage", original, knowledge=original, policy=rules, matching="probabilistic")
        assert found.confidence == pytest.approx(plain.confidence, abs=1e-3)


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=12))
def test_equal_lists_have_one_number_in_the_order_of_the_first_of_each(lists: list[list[int]]) -> None:
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    numbers, first = np.empty(len(lists), dtype=np.int64), np.empty(len(lists), dtype=np.int64)
    items = np.array([item for one in lists for item in one], dtype=np.int64)
    many = number_lists(offsets, items, numbers, first)
    distinct = list(dict.fromkeys(map(tuple, lists)))
    assert [distinct.index(tuple(one)) for one in lists] == numbers.tolist()
    assert [lists.index([*one]) for one in distinct] == first[:many].tolist()


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=6), st.integers(0, 3))
def test_the_best_entries_of_each_group_are_the_first_of_its_highest_scores(groups: Any, count: int) -> None:
    offsets = np.cumsum([0, *map(len, groups)]).astype(np.int64)
    scores = np.array([score for group in groups for score in group], dtype=np.float64)
    nothing = np.zeros(0, dtype=np.int64)
    found = Suspects("release", nothing, np.ones(len(groups)), offsets, nothing, scores, Domain("a", (), nothing), None)
    best = [offsets[n] + group.index(max(group)) if group else -1 for n, group in enumerate(groups)]
    assert found.best(scores).tolist() == best
    ranked = [offsets[n] + p for n, g in enumerate(groups) for p in sorted(range(len(g)), key=lambda p: -g[p])[:count]]
    assert np.flatnonzero(found.among_best(scores, count)).tolist() == sorted(ranked)


def test_what_attacks_share_belongs_to_the_release_and_not_to_a_changed_copy() -> None:
    case = open_case([as_table([("low", "11", "x")])], knowledge=as_table([("1", "11", "x")]), policy=policy(TREES))
    assert case.knowledge is not None
    links = link(case.knowledge, case.release)
    assert link(case.knowledge, replace(case, releases=case.releases).release) is links
    assert link(case.knowledge, replace(case.release, policy=None)) is not links
