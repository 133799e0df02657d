"""Operators for the table's own distribution: the notes' figures, and every property by brute force.

The front of operators: none of them is beaten, and their errors are those of simulations.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution, SearchTooLarge
from cobogo.promises.guarantees import Exposure
from cobogo.promises.guarantees.prior_posterior import RhoPrivacy, worst_posterior
from cobogo.promises.operators import Uniform, largest_retention
from cobogo.publish.randomize.optimal_operators import (
    error,
    linear_programme,
    privacy,
    search_operators,
    temper,
    value_dependent,
)
from support.effort import examples

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
    assert round(uniform.expected_unchanged(F), 2) == 0.55
    upward = linear_programme(F, 0.12, 0.6, downward=False)
    both = linear_programme(F, 0.12, 0.6)
    assert round(upward.expected_unchanged(F), 3) == 0.844
    assert round(both.expected_unchanged(F), 3) == 0.761
    posterior = both.posterior(F)
    assert worst(posterior, F, 0.12) == pytest.approx(0.6, abs=1e-6)
    assert worst(posterior, F, 0.4) <= 0.88 + 1e-6  # downward: from 1 − ρ2 to 1 − ρ1
    identifiable = linear_programme(F, 0.06, 0.3, margin=0.2)
    assert round(identifiable.expected_unchanged(F), 3) == 0.679
    assert round(identifiable.condition, 1) == 7.5
    capped = linear_programme(F, 0.12, 0.6, cap=20)
    assert capped.amplification <= 20 * (1 + 1e-6)
    assert uniform.expected_unchanged(F) < capped.expected_unchanged(F) < both.expected_unchanged(F)


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


@settings(deadline=None, max_examples=examples(25))
@given(st.lists(st.integers(1, 60), min_size=3, max_size=7), st.integers(5, 30), st.integers(35, 60))
def test_tempered_operators_hold_for_every_property_in_both_directions(counts, low: int, high: int) -> None:
    prior = np.array(counts) / sum(counts)
    rho1, rho2 = low / 100, high / 100
    operator = temper(value_dependent(prior, rho1, rho2), prior, rho1, rho2)
    assert RhoPrivacy("x", rho1, rho2, "table").check(Exposure(operator, prior=prior)).satisfied
    posterior = operator.posterior(prior)
    for allowed, bound in ((rho1, rho2), (1 - rho2, 1 - rho1)):
        for q in properties(prior, allowed):
            assert posterior[q].sum(axis=0).max() <= bound + 1e-9


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
