"""Parts of a domain: they pay where values are skewed, and tell no more than was allowed on the whole."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution
from cobogo.promises.guarantees import Exposure
from cobogo.promises.guarantees.prior_posterior import RhoPrivacy, UpwardRhoPrivacy
from cobogo.publish.randomize.small_domain import partition_domain
from support.effort import examples


def properties(prior: np.ndarray, rho1: float) -> list[list[int]]:
    return [
        list(q)
        for length in range(1, len(prior) + 1)
        for q in itertools.combinations(range(len(prior)), length)
        if prior[list(q)].sum() <= rho1 + 1e-12
    ]


@pytest.mark.parametrize(("zipf", "average"), [(0, 0.265), (0.5, 0.268), (1, 0.388), (1.5, 0.569)])
def test_parts_pay_where_values_are_skewed(zipf: float, average: float) -> None:
    counts = (1e6 / np.arange(1, 51) ** zipf).astype(np.int64)
    parts = partition_domain(counts, 0.05, 0.5)
    assert sorted(np.concatenate([part.codes for part in parts]).tolist()) == list(range(50))
    assert round(sum(float(part.retention) * part.records for part in parts) / counts.sum(), 3) == average
    assert (len(parts) == 1) == (zipf == 0)
    fair = partition_domain(counts, 0.05, 0.5, objective="maximin")
    assert min(part.retention for part in fair) >= min(part.retention for part in parts)
    floored = partition_domain(counts, 0.05, 0.5, min_retention=0.2)
    assert min(float(part.retention) for part in floored) >= 0.2 - 1e-9


@pytest.mark.parametrize("both", [False, True])
@settings(deadline=None, max_examples=examples(30))
@given(counts=st.lists(st.integers(1, 200), min_size=3, max_size=8), low=st.integers(5, 20), high=st.integers(40, 80))
def test_parts_tell_no_more_than_was_allowed_on_the_whole(counts, low: int, high: int, both: bool) -> None:
    numbers = np.array(counts)
    rho1, rho2 = low / 100, high / 100
    prior = numbers / numbers.sum()
    try:
        parts = partition_domain(numbers, rho1, rho2, both=both)
    except NoSolution:
        return
    for part in parts:
        inside = prior[part.codes] / prior[part.codes].sum()
        posterior = part.operator.posterior(inside)
        for allowed, bound in [(rho1, rho2), (1 - rho2, 1 - rho1)][: 1 + both]:
            for q in properties(prior, allowed):
                mine = [place for place, code in enumerate(part.codes.tolist()) if code in q]
                assert posterior[mine].sum(axis=0).max(initial=0) <= bound + 1e-9
    promise = (RhoPrivacy if both else UpwardRhoPrivacy)("x", rho1, rho2, "table")
    shown = [Exposure(part.operator, share=part.records / numbers.sum()) for part in parts]
    assert all(promise.check(exposure).satisfied for exposure in shown)


def test_a_part_that_rules_out_what_was_likely_breaks_the_whole_promise_and_keeps_the_upward_one() -> None:
    parts = partition_domain(np.array([250] * 3 + [5] * 50), 0.12, 0.6)
    assert [part.records for part in parts] == [750, 250]
    shown = [Exposure(part.operator, share=part.records / 1000) for part in parts]
    assert [UpwardRhoPrivacy("x", 0.12, 0.6, "table").check(one).satisfied for one in shown] == [True, True]
    assert not any(RhoPrivacy("x", 0.12, 0.6, "table").check(one).satisfied for one in shown)
    assert not any(RhoPrivacy("x", 0.12, 0.6).check(one).satisfied for one in shown), "known parts rule values out"
