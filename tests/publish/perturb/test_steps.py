"""Swapping pairs records up: within a window and a stratum, and never into a combination that is forbidden."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.publish.perturb.steps import Forbidden, choose_partners
from support.effort import examples

some = settings(max_examples=examples(60), deadline=None)


def keys(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)


@some
@given(
    values=st.lists(st.integers(0, 9), max_size=60),
    strata=st.integers(1, 4),
    window=st.integers(0, 60),
    rules=st.integers(0, 3),
    seed=st.integers(0, 10**6),
)
def test_partners(values, strata, window, rules, seed):
    random = np.random.default_rng(seed)
    held = np.array(values, dtype=np.int64)
    stratum = random.integers(0, strata, len(held))
    order = np.lexsort([held, stratum])
    part = random.random(len(held)) < 0.8
    other = random.integers(0, 4, len(held))
    receives = sum(
        ((other == rule).astype(np.uint64) << np.uint64(rule) for rule in range(rules)), np.zeros(len(held), np.uint64)
    )
    gives = sum(
        ((held == rule).astype(np.uint64) << np.uint64(rule) for rule in range(rules)), np.zeros(len(held), np.uint64)
    )
    source = choose_partners(order, stratum, window, part, keys(len(held), seed), Forbidden(receives, gives))
    place = np.empty(len(held), dtype=np.int64)
    place[order] = np.arange(len(held))
    moved = source != np.arange(len(held))
    assert (source[source] == np.arange(len(held))).all()
    assert sorted(held[source]) == sorted(held)
    assert (stratum[source] == stratum).all()
    assert (np.abs(place[source] - place) <= window).all()
    assert part[moved].all()
    for rule in range(rules):
        after, before = (other == rule) & (held[source] == rule), (other == rule) & (held == rule)
        assert not (after & ~before).any()


def test_most_records_find_a_partner():
    records = 10_000
    order = np.arange(records)
    source = choose_partners(
        order, np.zeros(records, np.int64), 500, np.ones(records, bool), keys(records, 1), Forbidden.none(records)
    )
    assert (source != order).mean() > 0.97


def test_a_wall_of_rules_leaves_records_as_they_are():
    (everyone,) = (np.ones(6, np.uint64),)
    source = choose_partners(
        np.arange(6),
        np.zeros(6, np.int64),
        5,
        np.ones(6, bool),
        keys(6, 2),
        Forbidden(everyone, np.array([1, 0, 0, 0, 0, 0], np.uint64)),
    )
    assert source[0] == 0
    assert (source != np.arange(6)).sum() == 4
