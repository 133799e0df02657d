"""Estimation, sampling and domains: what is done to noisy figures, against plain computation."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.policy import Policy
from cobogo.floor.randomness import Seeded
from cobogo.publish.synthesize.domains import LEFT_OUT, bound_rows_per_person, declared_domains, read_domain
from cobogo.publish.synthesize.model import calibrate, draw_systematic
from support.effort import examples

SIZES = (2, 3, 2, 2)
FORESTS = [
    ([(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2)]),
    ([(0, 1, 2), (3,)], []),
    ([(0, 1), (1, 2), (1, 3)], [(1, 0), (0, 2)]),
    ([(0,), (1,), (2, 3)], []),
]


@pytest.mark.parametrize("forest", range(len(FORESTS)))
def test_a_tree_s_marginals_are_those_of_its_joint_distribution(forest: int) -> None:
    pytest.importorskip("opt_einsum")
    nodes, edges = FORESTS[forest]
    random = np.random.default_rng(forest)
    logs = {node: random.normal(0, 1, [SIZES[a] for a in node]) for node in nodes}
    joint = np.zeros(SIZES)
    for cell in product(*map(range, SIZES)):
        joint[cell] = np.exp(sum(float(logs[node][tuple(cell[a] for a in node)]) for node in nodes))
    joint /= joint.sum()
    tree = calibrate(SIZES, nodes, edges, logs)
    for several in range(5):
        for chosen in combinations(range(4), several):
            others = tuple(a for a in range(4) if a not in chosen)
            assert np.allclose(tree.marginal(chosen), joint.sum(axis=others), atol=1e-12)
    drawn = tree.draw(20_000, Seeded(forest))
    for chosen in combinations(range(4), 2):
        table = np.zeros([SIZES[a] for a in chosen])
        np.add.at(table, tuple(drawn[a] for a in chosen), 1 / 20_000)
        assert np.abs(table - tree.marginal(chosen)).sum() / 2 < 0.05


@given(
    shares=st.lists(st.lists(st.floats(0, 5), min_size=3, max_size=3), min_size=2, max_size=2),
    group=st.lists(st.integers(0, 1), max_size=40),
)
@settings(max_examples=examples(60))
def test_systematic_sampling_is_off_by_one_at_most(shares: list[list[float]], group: list[int]) -> None:
    table, which = np.array(shares), np.array(group, dtype=np.int64)
    drawn = draw_systematic(table, which, Seeded(1))
    for place in set(group):
        weights = table[place] / table[place].sum() if table[place].sum() > 0 else np.full(3, 1 / 3)
        rows = which == place
        found = np.bincount(drawn[rows], minlength=3)
        assert (np.abs(found - weights * rows.sum()) < 1 + 1e-6).all()


def domain(spec: Any, hierarchy: Any = None, **data: Any) -> Any:
    attribute = {"role": "quasi-identifier"} | ({"hierarchy": hierarchy} if hierarchy else {})
    rules = Policy.of({
        "data": data, "attributes": {"x": attribute}, "synthesis": {"domains": {} if spec is None else {"x": spec}}
    })  # fmt: skip
    return declared_domains(rules, ["x"])[0]


def test_listed_values_and_what_is_none_of_them() -> None:
    found = domain(["a", "b"])
    assert found.encode(pa.array(["b", None, "a", "c"]), ".").tolist() == [1, 2, 0, 2]
    assert found.draw_column(np.array([0, 1, 2]), Seeded(1), ".", None).to_pylist() == ["a", "b", None]
    strict = domain({"values": ["a", "b"], "null": False})
    assert strict.encode(pa.array(["b", None, "c"]), ".").tolist() == [1, LEFT_OUT, LEFT_OUT]


@given(
    numbers=st.lists(st.decimals(-50, 150, places=2, allow_nan=False), min_size=1, max_size=20),
    bins=st.integers(1, 12),
    decimal=st.sampled_from([".", ","]),
)
@settings(max_examples=examples(60))
def test_numbers_come_back_in_their_bins(numbers: list[Any], bins: int, decimal: str) -> None:
    found = domain({"bounds": [0.5, 100], "bins": bins, "decimals": 1})
    texts = [str(number).replace(".", decimal) for number in numbers]
    codes = found.encode(pa.array(texts), decimal)
    width = (100 - 0.5) / bins
    for number, code in zip(numbers, codes, strict=True):
        held = min(max(float(number), 0.5), 100)
        assert 0.5 + width * code - 1e-9 <= held <= 0.5 + width * (code + 1) + 1e-9
    drawn = found.draw_column(codes, Seeded(2), decimal, None)
    assert found.encode(drawn, decimal).tolist() == codes.tolist()
    again = read_domain("x", found.statement())
    assert all(again.holds(text, decimal) for text in drawn.to_pylist())
    assert not again.holds("100.1".replace(".", decimal), decimal)
    assert not again.holds("50.55".replace(".", decimal), decimal)
    assert not again.holds("many", decimal)


def test_leaves_and_levels_of_a_hierarchy_that_lists_them() -> None:
    tree = {"tree": {"any": {"north": ["Sobral"], "south": ["Crato", "Icó"]}}}
    assert domain(None, tree).values == ("Sobral", "Crato", "Icó")
    coarse = domain({"level": 1}, tree)
    assert coarse.values == ("north", "south")
    assert coarse.encode(pa.array(["Icó", "Sobral", "Oz"]), ".").tolist() == [1, 0, 2]
    assert read_domain("x", coarse.statement()).encode(pa.array(["south", None]), ".").tolist() == [1, 2]


@given(people=st.lists(st.integers(0, 5), max_size=40), most=st.integers(1, 4))
@settings(max_examples=examples(40))
def test_of_each_person_so_many_rows_count(people: list[int], most: int) -> None:
    kept = np.array(people, dtype=np.int64)[bound_rows_per_person(np.array(people, dtype=np.int64), most)]
    for person in set(people):
        assert (kept == person).sum() == min(most, people.count(person))


def test_which_rows_count_is_drawn_anew() -> None:
    people = np.zeros(1000, dtype=np.int64)
    assert bound_rows_per_person(people, 20).tolist() != bound_rows_per_person(people, 20).tolist()
