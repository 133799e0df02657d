"""Means of bounded numbers: ε by enumeration, reports by their law, estimates without bias, variances as published."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.collect.means import Hybrid, OneBit, Piecewise
from cobogo.floor.randomness import Entropy, Seeded
from support.asked import MEANS
from support.effort import examples

each = pytest.mark.parametrize("name", MEANS)
some = settings(max_examples=examples(15), deadline=None)
epsilons = st.sampled_from([0.01, 0.5, 0.61, 0.62, 1.0, log(3), 4.0, 10.0, 20.0])


@each
@some
@given(epsilon=epsilons, steps=st.integers(1, 12))
def test_no_report_tells_more_than_epsilon(name, epsilon, steps):
    mean = MEANS[name](-1, 1, epsilon, steps)
    laws = [mean.law(point) for point in range(steps + 1)]
    for law in laws:
        assert sum(law.values()) == 1
        assert law.keys() == laws[0].keys()
        assert len(law) == len(mean.worth)
    sent = [report for report in laws[0] if laws[0][report]]
    worst = max(max(law[report] for law in laws) / min(law[report] for law in laws) for report in sent)
    assert worst <= Fraction(exp(epsilon))
    if epsilon <= 10:
        assert log(worst) == pytest.approx(epsilon, rel=1e-3)


@each
@some
@given(epsilon=epsilons, steps=st.integers(1, 12), low=st.integers(-1000, 1000), width=st.integers(1, 1000))
def test_worth_has_the_number_held_as_its_mean_and_the_variance_stated(name, epsilon, steps, low, width):
    mean = MEANS[name](low, low + width, epsilon, steps)
    for point in range(steps + 1):
        law = np.array([float(chance) for chance in mean.law(point).values()])
        held = mean.numbers(np.array([point]))[0]
        scale = np.abs(mean.worth).max()
        assert law @ mean.worth == pytest.approx(held, abs=1e-9 * scale)
        assert mean.variance(np.array([point]))[0] == pytest.approx(law @ (mean.worth - held) ** 2, abs=1e-9 * scale**2)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("v", [-1.0, -0.5, 0.0, 1.0])
def test_variances_are_the_published_ones(epsilon, v):
    """Of numbers from −1 to 1: Wang et al. 2019, equations 4 and following."""
    e, h = exp(epsilon), exp(epsilon / 2)
    duchi = ((e + 1) / (e - 1)) ** 2 - v**2
    piecewise = v**2 / (h - 1) + (h + 3) / (3 * (h - 1) ** 2)
    share = 0 if epsilon <= 0.61 else 1 - exp(-epsilon / 2)
    for kind, published in (
        (OneBit, duchi),
        (Piecewise, piecewise),
        (Hybrid, share * piecewise + (1 - share) * duchi),
    ):
        mean = kind(-1, 1, epsilon, steps=2**14)
        assert mean.variance(mean.points(np.array([v])))[0] == pytest.approx(published, rel=2e-3)


@each
@pytest.mark.parametrize(("steps", "point"), [(1, 0), (1, 1), (5, 0), (5, 2), (5, 5), (8, 8)])
def test_reports_follow_their_law(name, steps, point):
    mean = MEANS[name](0, 1, 1.5, steps)
    reports = Counter(mean.encode(np.full(50_000, point), Seeded(3)).tolist())
    law = mean.law(point)
    assert reports.keys() <= law.keys()
    expected = [50_000 * float(chance) for chance in law.values()]
    assert stats.chisquare([reports[report] for report in law], expected).pvalue > 1e-6


@each
def test_estimates_come_with_their_errors(name):
    mean = MEANS[name](18, 90, 1.0)
    ages = np.clip(np.random.default_rng(5).normal(41, 15, 2_000), 18, 90)
    points = mean.points(ages)
    source = Seeded(6)
    found = [mean.estimate(mean.tally(mean.encode(points, source))) for _ in range(300)]
    true, variance = mean.numbers(points).mean(), mean.variance(points).mean() / len(points)
    assert abs(np.mean([one.mean for one in found]) - true) < 5.2 * np.sqrt(variance / 300)
    statistic = sum((one.mean - true) ** 2 for one in found) / variance
    low, high = stats.chi2(300).ppf([1e-7, 1 - 1e-7])
    assert low < statistic < high
    stated = np.mean([one.error for one in found]) ** 2
    assert variance * 0.97 < stated < variance + ages.var() / len(ages) * 1.1
    inside = sum(one.interval()[0] < true < one.interval()[1] for one in found)
    assert stats.binomtest(inside, 300, 0.95).pvalue > 1e-6


@each
def test_tallies_of_parts_add_up(name):
    mean = MEANS[name](0, 10, 1.0, steps=10)
    reports = mean.encode(np.arange(1000) % 11, Seeded(1))
    assert (mean.tally(reports[:100]) + mean.tally(reports[100:]) == mean.tally(reports)).all()
    assert mean.tally(reports).dtype.kind == "i"
    nothing = mean.estimate(mean.tally(reports[:0]))
    assert nothing.users == 0
    assert nothing.error == float("inf")


def test_hybrid_is_never_worse_than_both():
    for epsilon in np.linspace(0.1, 8, 40):
        worst = {name: MEANS[name](-1, 1, epsilon).variance(np.arange(4097)).max() for name in MEANS}
        assert worst["hybrid"] <= 1.001 * min(worst["duchi"], worst["piecewise"])


@each
def test_points_of_the_grid(name):
    mean = MEANS[name](0.1, 0.7, 1.0, steps=6)
    assert mean.points(np.array([-np.inf, 0.1, 0.149, 0.151, 0.7, 0.70001, 5, np.inf])).tolist() == [
        0,
        0,
        0,
        1,
        6,
        6,
        6,
        6,
    ]
    assert mean.points(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])).tolist() == list(range(7))
    assert mean.points(mean.numbers(np.arange(7))).tolist() == list(range(7))
    with pytest.raises(ValueError, match="NaN"):
        mean.points(np.array([0.2, np.nan]))


@each
def test_users_needed(name):
    mean = MEANS[name](0, 100, 1.0)
    needed = mean.required_users(0.5)
    assert np.sqrt(mean.variance(np.arange(4097)).max() / needed) == pytest.approx(0.5, rel=1e-3)
    with pytest.raises(ValueError, match="must be"):
        mean.required_users(0)


@each
@pytest.mark.parametrize(
    "wrong",
    [
        (1, 1, 1.0),
        (2, 1, 1.0),
        (0, float("inf"), 1.0),
        (float("nan"), 1, 1.0),
        (-1e308, 1e308, 1.0),
        (0, 1, 0.0),
        (0, 1, float("nan")),
        (0, 1, 30.0),
        (0, 1, 1.0, 0),
        (0, 1, 1.0, 2**21),
    ],
)
def test_parameters_that_make_no_sense(name, wrong):
    with pytest.raises(ValueError, match="must be"):
        MEANS[name](*wrong)


@pytest.mark.parametrize("name", MEANS)
@pytest.mark.parametrize("steps", [1, 2, 3, 4096])
def test_numbers_at_the_bounds_have_reports_within_them(name, steps):
    mean = MEANS[name](0, 1, 0.5, steps)
    for point in (0, steps):
        reports = mean.encode(np.full(20_000, point), Entropy())
        assert reports.dtype.kind == "i"
        assert 0 <= reports.min() <= reports.max() < len(mean.worth)


def test_floats_that_tie_are_settled_before_anything_is_drawn():
    """Numbers half-way between points, or a unit of the last place apart, give the very same reports from one seed: no
    bit of a float is left to tell them apart."""
    for kind in MEANS.values():
        mean = kind(0.0, 1.0, 1.0, 10)
        for number in (0.25, 0.35, 0.1 + 0.2, 0.7):
            point = mean.points(np.array([number]))
            near = mean.points(np.nextafter([number, number], [0, 1]))
            assert set(near - point) <= {-1, 0, 1}
        same = mean.points(np.array([0.3, np.nextafter(0.3, 1), np.nextafter(0.3, 0), 0.1 + 0.2]))
        assert len(set(same.tolist())) == 1
        one, other = (mean.encode(np.repeat(point, 100), Seeded(4)) for point in same[:2])
        assert (one == other).all()
