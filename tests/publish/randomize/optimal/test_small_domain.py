"""Operators and partitions for the table's own distribution: the notes' figures, and every property by brute force."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution, SearchTooLarge
from cobogo.promises.guarantees import Exposure
from cobogo.promises.guarantees.prior_posterior import RhoPrivacy, UpwardRhoPrivacy, worst_posterior
from cobogo.promises.operators.uniform import Uniform, largest_retention
from cobogo.publish.randomize.optimal.fine_grain import linear_programme, tempered, value_dependent
from cobogo.publish.randomize.optimal.opt_rr import error, privacy, search_operators
from cobogo.publish.randomize.optimal.small_domain import partitioned

F = np.array([30, 25, 20, 5, 5, 5, 4, 3, 2, 1]) / 100


def properties(prior: np.ndarray, rho1: float) -> list[list[int]]:
    return [
        list(q)
        for length in range(1, len(prior) + 1)
        for q in itertools.combinations(range(len(prior)), length)
        if prior[list(q)].sum() <= rho1 + 1e-12
    ]


def worst(posterior: np.ndarray, prior: np.ndarray, rho1: float) -> float:
    return max(posterior[q].sum(axis=0).max() for q in properties(prior, rho1))


def test_the_linear_programme_of_the_notes() -> None:
    uniform = Uniform(10, largest_retention(RhoPrivacy("x", 0.12, 0.6).largest_amplification, 10))
    assert round(uniform.kept(F), 2) == 0.55
    upward = linear_programme(F, 0.12, 0.6, downward=False)
    both = linear_programme(F, 0.12, 0.6)
    assert round(upward.kept(F), 3) == 0.844
    assert round(both.kept(F), 3) == 0.761
    posterior = both.posterior(F)
    assert worst(posterior, F, 0.12) == pytest.approx(0.6, abs=1e-6)
    assert worst(posterior, F, 0.4) <= 0.88 + 1e-6  # downward: from 1 − ρ2 to 1 − ρ1
    identifiable = linear_programme(F, 0.06, 0.3, margin=0.2)
    assert round(identifiable.kept(F), 3) == 0.679
    assert round(identifiable.condition, 1) == 7.5
    capped = linear_programme(F, 0.12, 0.6, cap=20)
    assert capped.amplification <= 20 * (1 + 1e-6)
    assert uniform.kept(F) < capped.kept(F) < both.kept(F)


def test_what_cannot_be_solved_is_said() -> None:
    with pytest.raises(NoSolution):
        linear_programme(F, 0.12, 0.6, margin=0.9, cap=2)
    with pytest.raises(SearchTooLarge):
        linear_programme(np.full(200, 1 / 200), 0.12, 0.6)


def test_the_fast_form_meets_the_bound_for_single_values_and_retains_as_much_as_it_can() -> None:
    from scipy.optimize import linprog

    operator = value_dependent(F, 0.12, 0.6)
    posterior = operator.posterior(F)
    rare = np.flatnonzero(F <= 0.12)
    assert max(posterior[x].max() for x in rare) <= 0.6 + 1e-9
    m = len(F)
    retention = (operator.diagonal - 1 / m) / (1 - 1 / m)
    rows, limits = [], []
    for x in rare:  # f(p + (1 − p)/m) ≤ ρ2·(f·p + (1 − Σf·p)/m), linear in p
        row = 0.6 * F / m
        row[x] += F[x] * (1 - 1 / m) - 0.6 * F[x]
        rows.append(row)
        limits.append(0.6 / m - F[x] / m)
    best = linprog(-F, A_ub=rows, b_ub=limits, bounds=(0, 1))
    assert (F * retention).sum() == pytest.approx(-best.fun, abs=1e-9)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(1, 60), min_size=3, max_size=7), st.integers(5, 30), st.integers(35, 60))
def test_tempered_operators_hold_for_every_property_in_both_directions(counts, low: int, high: int) -> None:
    prior = np.array(counts) / sum(counts)
    rho1, rho2 = low / 100, high / 100
    operator = tempered(value_dependent(prior, rho1, rho2), prior, rho1, rho2)
    assert RhoPrivacy("x", rho1, rho2, "table").check(Exposure(operator, prior=prior)).satisfied
    posterior = operator.posterior(prior)
    for allowed, bound in ((rho1, rho2), (1 - rho2, 1 - rho1)):
        for q in properties(prior, allowed):
            assert posterior[q].sum(axis=0).max() <= bound + 1e-9


@pytest.mark.parametrize(("zipf", "average"), [(0, 0.265), (0.5, 0.268), (1, 0.388), (1.5, 0.569)])
def test_parts_pay_where_values_are_skewed(zipf: float, average: float) -> None:
    counts = (1e6 / np.arange(1, 51) ** zipf).astype(np.int64)
    parts = partitioned(counts, 0.05, 0.5)
    assert sorted(np.concatenate([part.codes for part in parts]).tolist()) == list(range(50))
    assert round(sum(float(part.retention) * part.records for part in parts) / counts.sum(), 3) == average
    assert (len(parts) == 1) == (zipf == 0)
    fair = partitioned(counts, 0.05, 0.5, objective="maximin")
    assert min(part.retention for part in fair) >= min(part.retention for part in parts)
    floored = partitioned(counts, 0.05, 0.5, min_retention=0.2)
    assert min(float(part.retention) for part in floored) >= 0.2 - 1e-9


@pytest.mark.parametrize("both", [False, True])
@settings(deadline=None, max_examples=30)
@given(counts=st.lists(st.integers(1, 200), min_size=3, max_size=8), low=st.integers(5, 20), high=st.integers(40, 80))
def test_parts_tell_no_more_than_was_allowed_on_the_whole(counts, low: int, high: int, both: bool) -> None:
    numbers = np.array(counts)
    rho1, rho2 = low / 100, high / 100
    prior = numbers / numbers.sum()
    try:
        parts = partitioned(numbers, rho1, rho2, both=both)
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
    parts = partitioned(np.array([250] * 3 + [5] * 50), 0.12, 0.6)
    assert [part.records for part in parts] == [750, 250]
    shown = [Exposure(part.operator, share=part.records / 1000) for part in parts]
    assert [UpwardRhoPrivacy("x", 0.12, 0.6, "table").check(one).satisfied for one in shown] == [True, True]
    assert not any(RhoPrivacy("x", 0.12, 0.6, "table").check(one).satisfied for one in shown)
    assert not any(RhoPrivacy("x", 0.12, 0.6).check(one).satisfied for one in shown), "known parts rule values out"


def test_the_front_of_operators_is_one_and_beats_uniform_perturbation() -> None:
    front = search_operators(F, 1000, rounds=60)
    hidden, wrong = [p.privacy for p in front], [p.error for p in front]
    assert hidden == sorted(hidden)
    assert wrong == sorted(wrong)
    for p in (0.3, 0.5, 0.7):
        matrix = p * np.eye(10) + (1 - p) / 10
        assert min(x.error for x in front if x.privacy >= privacy(matrix, F)) < error(matrix, F, 1000)
    for point in front[::10]:
        assert privacy(point.operator.matrix(), F) == pytest.approx(point.privacy, abs=1e-9)
    bounded = search_operators(F, 1000, rounds=10, largest_posterior=0.6)
    assert max(point.operator.posterior(F).max() for point in bounded) <= 0.6 + 1e-9


def test_the_error_of_an_operator_is_that_of_simulations() -> None:
    random = np.random.default_rng(5)
    operator = Uniform(3, Fraction(1, 2))
    prior, n = np.array([0.5, 0.3, 0.2]), 300
    seen = random.multinomial(n, operator.spread(prior), size=20_000)
    found = np.array([operator.inverse(row / n) for row in seen])
    assert ((found - prior) ** 2).mean() == pytest.approx(error(operator.matrix(), prior, n), rel=0.05)
    assert worst_posterior(operator.matrix(), prior, 0.2) == pytest.approx(operator.posterior(prior)[2, 2])
