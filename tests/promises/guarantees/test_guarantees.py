"""The closed forms of the literature, and their claims against brute force on small domains."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cobogo.promises.guarantees import GUARANTEES, Exposure, Guarantee
from cobogo.promises.guarantees.prior_posterior import (
    DeltaGrowth,
    RhoPrivacy,
    UpwardRhoPrivacy,
    largest_growth,
    ownership_probability,
    worst_posterior,
)
from cobogo.promises.guarantees.ratios import Amplification, DGammaPrivacy, LocalPrivacy
from cobogo.promises.operators import Uniform, largest_retention, operator_from_matrix, warner
from cobogo.publish.randomize.alpha_beta import AlphaBeta
from cobogo.publish.randomize.perturbed_generalization import exposure, largest_group_retention
from support.effort import examples

some = settings(deadline=None, max_examples=examples(50))
shares = st.lists(st.integers(1, 50), min_size=2, max_size=6).map(lambda n: np.array(n) / sum(n))


def all_properties(size: int) -> list[list[int]]:
    return [list(q) for length in range(1, size) for q in itertools.combinations(range(size), length)]


@pytest.mark.parametrize(("m", "expected"), [(2, 0.90), (10, 0.643), (50, 0.265), (1000, 0.018)])
def test_the_largest_retention_at_5_and_50_percent(m: int, expected: float) -> None:
    promise = RhoPrivacy("disease", 0.05, 0.5)
    assert promise.largest_amplification == pytest.approx(19)
    retention = largest_retention(promise.largest_amplification, m)
    assert round(float(retention), 3 if m > 2 else 2) == expected
    assert float(retention) == pytest.approx((0.5 - 0.05) / (0.45 + m * 0.05 * 0.5), abs=1e-9)
    assert promise.check(Exposure(Uniform(m, retention))).satisfied
    assert not promise.check(Exposure(Uniform(m, retention + Fraction(1, 10**6)))).satisfied


def test_the_numbers_of_uniform_perturbation_agree() -> None:
    operator = Uniform(10, Fraction(1, 2))
    gamma = operator.amplification
    assert gamma == 1 + 0.5 * 10 / 0.5
    assert float(operator.retention) == pytest.approx((gamma - 1) / (10 - 1 + gamma))
    assert float(operator.other) == pytest.approx(1 / (10 - 1 + gamma))
    assert operator.diagonal[0] == pytest.approx(0.5 + 0.05)  # the diagonal is not the retention
    assert np.linalg.cond(operator.matrix()) == pytest.approx(1 / 0.5)  # (γ + N − 1)/(γ − 1) = 1/p
    assert warner(0.75).matrix() == pytest.approx(np.array([[0.75, 0.25], [0.25, 0.75]]))


@some
@given(shares, st.integers(1, 30), st.integers(31, 95))
def test_no_property_rises_above_rho2_or_sinks_below_rho1_whatever_the_prior(prior, low: int, high: int) -> None:
    rho1, rho2 = low / 100, high / 100
    m = len(prior)
    operator = Uniform(m, largest_retention(RhoPrivacy("x", rho1, rho2).largest_amplification, m))
    posterior = operator.posterior(prior)
    for q in all_properties(m):
        for y in range(m):
            after = posterior[q, y].sum()
            if prior[q].sum() <= rho1:
                assert after <= rho2 + 1e-9
            if prior[q].sum() >= rho2:
                assert after >= rho1 - 1e-9


def test_the_bound_is_attained() -> None:
    operator = Uniform(4, largest_retention(19, 4))
    posterior = operator.posterior(np.array([0.05, 0.95, 0, 0]))
    assert posterior[0, 0] == pytest.approx(0.5)


@some
@given(st.floats(1.01, 500), st.floats(0.001, 0.999))
def test_growth_is_never_larger_than_its_closed_form(gamma: float, prior: float) -> None:
    posterior = gamma * prior / (1 - prior + gamma * prior)
    assert posterior - prior <= largest_growth(gamma) + 1e-12
    root = math.sqrt(gamma)
    assert largest_growth(gamma) == pytest.approx((root - 1) / (root + 1))
    assert largest_growth(gamma, prior) <= largest_growth(gamma) + 1e-12


@pytest.mark.parametrize(
    "promise",
    [
        RhoPrivacy("x", 0.05, 0.5), DeltaGrowth("x", 0.3), DeltaGrowth("x", 0.3, 0.1), DGammaPrivacy("x", 0.1, 0.4),
        Amplification("x", 7.0), LocalPrivacy("x", 1.5),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("m", [2, 7, 40])
def test_the_largest_retention_is_the_largest(promise: Guarantee, m: int) -> None:
    best = largest_retention(promise.largest_amplification, m)
    assert promise.check(Exposure(Uniform(m, best))).satisfied
    assert not promise.check(Exposure(Uniform(m, best + Fraction(1, 10**6)))).satisfied
    twice = Uniform(m, best)
    assert not promise.check(Exposure(twice, others=twice.amplification)).satisfied, "two draws tell more than one"


@pytest.mark.parametrize(("rho1", "rho2"), [(0.05, 0.5), (0.5, 0.95), (0.3, 0.9), (0.4, 0.6)])
@pytest.mark.parametrize("k", [2, 20])
def test_one_record_of_a_group_makes_nothing_likely_unlikely(rho1: float, rho2: float, k: int) -> None:
    operator = Uniform(10, largest_group_retention([RhoPrivacy("x", rho1, rho2)], 10, k))
    gamma, mine = operator.amplification, exposure(operator, k).owned
    risen = mine * rho1 * gamma / (1 - rho1 + rho1 * gamma) + (1 - mine) * rho1
    sunk = mine * rho2 / (rho2 + (1 - rho2) * gamma) + (1 - mine) * rho2
    assert risen <= rho2 + 1e-8
    assert sunk >= rho1 - 1e-8
    assert operator.retention <= largest_group_retention([UpwardRhoPrivacy("x", rho1, rho2)], 10, k)


@some
@given(st.floats(0.01, 0.3), st.floats(0.31, 0.9), st.floats(0.0001, 1))
def test_d_gamma_bounds_both_sides(d: float, gamma: float, share: float) -> None:
    promise = DGammaPrivacy("x", d, gamma)
    ratio, prior = promise.largest_amplification, d * share
    assert ratio * prior / (1 - prior + ratio * prior) <= gamma + 1e-9
    assert (prior / ratio) / (prior / ratio + 1 - prior) >= d / gamma * prior - 1e-12


@pytest.mark.parametrize("name", GUARANTEES)
def test_parameters_that_make_no_sense_are_refused(name: str) -> None:
    wrong = {
        "rho1-rho2-privacy": {"rho1": 0.5, "rho2": 0.1}, "upward-rho1-rho2-privacy": {"rho1": 0.5, "rho2": 0.1},
        "delta-growth": {"delta": 1.0},
        "d-gamma-privacy": {"d": 0.5, "gamma": 0.4}, "gamma-amplification": {"gamma": 0.5},
        "local-differential-privacy": {"epsilon": 0},
    }  # fmt: skip
    with pytest.raises(ValueError, match=name):
        GUARANTEES[name]("x", **wrong[name])


@some
@given(shares, st.integers(5, 40), st.randoms(use_true_random=False))
def test_the_worst_posterior_is_no_less_than_any_property_s(prior, low: int, random) -> None:
    m = len(prior)
    matrix = np.array([[random.random() + 0.01 for _ in range(m)] for _ in range(m)])
    operator = operator_from_matrix(matrix / matrix.sum(axis=0))
    rho1 = low / 100
    found = worst_posterior(operator.matrix(), prior, rho1)
    posterior = operator.posterior(prior)
    inside = [posterior[q].sum(axis=0).max() for q in all_properties(m) if prior[q].sum() <= rho1 + 1e-12]
    assume(inside)
    assert found >= max(inside) - 1e-9


def test_one_record_of_a_group_of_k() -> None:
    """Perturbed generalization: the chance that the record is the victim's, by hand and by simulation."""
    p, m, k, prior = 0.3, 5, 6, 0.4
    u = (1 - p) / m
    h = (p * prior + u) / (p * prior + k * u)
    assert ownership_probability(p, m, k, prior) == pytest.approx(h)
    random = np.random.default_rng(1)
    runs = 400_000
    mine = np.where(random.random(runs) < prior, 0, 1)
    shown = np.where(random.random(runs) < p, mine, random.integers(0, m, runs))
    other = np.where(random.random(runs) < p, 2, random.integers(0, m, runs))  # all others have another value
    owner = random.integers(0, k, runs) == 0
    released = np.where(owner, shown, other)
    seen = released == 0
    found = owner[seen].mean()
    assert abs(found - h) < 5.5 * math.sqrt(h * (1 - h) / seen.sum())


def test_sampling_lets_more_be_retained() -> None:
    promise = DeltaGrowth("x", 0.2)
    alone, grouped = largest_retention(promise.largest_amplification, 10), largest_group_retention([promise], 10, 8)
    assert grouped > alone
    assert promise.check(exposure(Uniform(10, grouped), 8, promise)).satisfied
    assert not promise.check(exposure(Uniform(10, grouped + Fraction(1, 1000)), 8, promise)).satisfied


@some
@given(st.floats(0.01, 0.3), st.floats(0.31, 0.9))
def test_alpha_and_beta_meet_both_bounds_and_no_more_can_be_kept(d: float, gamma: float) -> None:
    best = AlphaBeta.best(d, gamma)
    assert best.posterior(d) <= gamma + 1e-9
    assert 1 / best.fall >= d / gamma - 1e-9
    assert best.posterior(d) == pytest.approx(gamma, abs=1e-6)
    assert 1 / best.fall == pytest.approx(d / gamma, abs=1e-6)


def test_whoever_knows_that_a_person_has_one_value_learns_more_than_gamma() -> None:
    """Exhaustively: a person with one of ten values, a prior of 0.1 each, of which only one is released."""
    d, gamma, m = 0.1, 0.4, 10
    best = AlphaBeta.best(d, gamma)
    kept, beta = float(best.retention), float(best.beta)
    seen = [True] + [False] * (m - 1)
    likelihood = []
    for mine in range(m):
        chances = [kept if x == mine else beta for x in range(m)]
        likelihood.append(math.prod(c if s else 1 - c for c, s in zip(chances, seen, strict=True)))
    posterior = likelihood[0] / sum(likelihood)
    assert round(posterior, 3) == 0.727
    assert best.person_posterior(d) == pytest.approx(posterior)
    assert best.posterior(d) == pytest.approx(gamma, abs=1e-9)
