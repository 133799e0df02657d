"""Swapping pairs records up: within a window and a stratum, and never into a combination that is forbidden.

Noise on numbers keeps what it says it keeps.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.publish.perturb import steps
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


SEED = np.random.default_rng(7)


def draw(count: int) -> np.ndarray:
    return 1 - SEED.random(count)


LAWS = {
    "gaussian": stats.norm(),
    "laplace": stats.laplace(scale=1 / np.sqrt(2)),
    "uniform": stats.uniform(-np.sqrt(3), 2 * np.sqrt(3)),
}


@pytest.mark.parametrize("name", sorted(steps.DISTRIBUTIONS))
def test_each_distribution_is_the_one_it_is_called(name):
    found = steps.DISTRIBUTIONS[name](20_001, draw)
    assert len(found) == 20_001
    assert stats.kstest(found, LAWS[name].cdf).pvalue > 1e-6


@settings(max_examples=examples(30), deadline=None)
@given(
    records=st.integers(2, 60),
    width=st.integers(1, 4),
    share=st.floats(0, 1),
    twin=st.booleans(),
    constant=st.booleans(),
    scale=st.sampled_from([1e-6, 1.0, 1e9]),
)
def test_correlated_noise_preserves_means_and_covariances(records, width, share, twin, constant, scale):
    table = SEED.normal(size=(records, width)) * scale + 5 * scale
    if twin:
        table = np.column_stack([table, table[:, 0] * 2])
    if constant:
        table = np.column_stack([table, np.full(records, 3.0)])
    found = steps.add_correlated(table, share, draw)
    if records > 2 * table.shape[1] + 1:
        assert np.allclose(found.mean(axis=0), table.mean(axis=0), rtol=1e-9)
        bound = 1e-9 * np.outer(table.std(axis=0), table.std(axis=0)) + 1e-9 * scale**2
        assert (np.abs(np.cov(found.T) - np.cov(table.T)) <= bound).all()
    if share > 0.01 and records > 5:
        assert not np.allclose(found[:, 0], table[:, 0], rtol=1e-6)


def test_missing_values_stay_missing_and_the_rest_changes():
    table = SEED.normal(size=(50, 2))
    table[3, 0] = np.nan
    table[:, 1] = np.where(np.arange(50) % 7 == 0, np.nan, table[:, 1])
    for found in (
        steps.add_correlated(table, 0.3, draw),
        steps.add_independent(table, np.array([0.1, 0.2]), "laplace", draw),
        steps.multiply(table, np.array([0.1, 0.2]), "uniform", draw),
    ):
        assert (np.isnan(found) == np.isnan(table)).all()
        assert (found != table)[~np.isnan(table)].all()


def test_additive_noise_has_the_deviation_asked_for():
    table = np.zeros((20_000, 2))
    found = steps.add_independent(table, np.array([2.0, 0.0]), "laplace", draw)
    assert found[:, 0].std() == pytest.approx(2, rel=0.1)
    assert (found[:, 1] == 0).all()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.floats(-100, 0), st.floats(0, 100))
def test_bounds_are_respected(values, lower, upper):
    found = steps.reflect(np.array(values), lower, upper)
    assert ((found >= lower) & (found <= upper)).all()
    inside = [(value, after) for value, after in zip(values, found, strict=True) if lower <= value <= upper]
    assert all(value == after for value, after in inside)


def test_reflection_piles_nothing_up_on_a_bound():
    found = steps.reflect(np.array([-3.0, -1.0, 4.0, np.nan]), 0, None)
    assert found[:3].tolist() == [3, 1, 4]
    assert np.isnan(found[3])
