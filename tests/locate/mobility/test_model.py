"""DP-WHERE: what one person can change, what it costs, and what is drawn from it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.locate.mobility import Space, sample
from cobogo.locate.mobility.counts import SHARES, WHOLE, histogram_shapes
from cobogo.locate.mobility.fidelity import fidelity
from cobogo.locate.mobility.model import NoisyHistogram, budget, coarsen, estimate, fit_model, mechanism, project_counts
from cobogo.studies import fortaleza
from support.effort import examples
from support.location_calls import FIRST, SPACE, calls_of, reaches_the_noise


def test_parts_cost_what_the_whole_costs() -> None:
    for epsilon in (Fraction(1), Fraction(1, 10), Fraction(1, 3), Fraction(10**9)):
        assert sum(budget(epsilon).values()) == epsilon
        assert budget(epsilon).keys() == SHARES.keys() == histogram_shapes(SPACE).keys()
    for name, shape in histogram_shapes(SPACE).items():
        cost = budget(Fraction(1))[name]
        noise = mechanism(shape, cost)
        assert 2 * noise.loss.amount == cost  # one for each level
        assert noise.scale >= shape.sensitivity / (cost / 2)
        assert shape.sensitivity == (WHOLE if name in ("times", "days", "presence", "outings", "places") else 1)


def test_with_next_to_no_noise_the_exact_counts_are_released_and_with_some_they_are_not() -> None:
    people = [[(9, 0), (20, 1), (33, 0), (50, 2)], [(10, 3), (34, 3)]] * 40
    calls = calls_of(people)
    exact = reaches_the_noise(calls)
    loud = fit_model(calls, SPACE, Fraction(10**6))
    assert all(
        (part.fine == exact[name]).all()
        for name, part in loud.parts.items()
        if histogram_shapes(SPACE)[name].sensitivity == 1
    )
    quiet = fit_model(calls, SPACE, Fraction(1, 100))
    assert any((part.fine != exact[name]).any() for name, part in quiet.parts.items())
    assert all((part.fine != exact[name]).mean() > 0.5 for name, part in quiet.parts.items())


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.lists(st.integers(-20, 30), min_size=1, max_size=5), min_size=1, max_size=4), st.data())
def test_counts_are_moved_to_the_nearest_that_areproject_counts(groups: list[list[int]], data: st.DataObject) -> None:
    total = np.array([data.draw(st.integers(0, 40)) for _ in groups], dtype=np.float64)
    values = np.array([value for group in groups for value in group], dtype=np.float64)
    member = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    found = project_counts(values, member, total)
    assert (found >= 0).all()
    assert np.allclose(np.bincount(member, found, len(groups)), total)
    for number, group in enumerate(groups):
        low, high = -100.0, 100.0  # an oracle: the one amount by which all are lowered
        for _ in range(80):
            middle = (low + high) / 2
            too_much = np.maximum(np.array(group) - middle, 0).sum() > total[number]
            low, high = (middle, high) if too_much else (low, middle)
        assert np.allclose(found[member == number], np.maximum(np.array(group) - high, 0), atol=1e-6)


def test_both_levels_together_know_more_than_either() -> None:
    """Against the truth, by squares: noise is drawn from a seed, and the levels' own errors are the measure."""
    random = np.random.default_rng(5)
    shape = histogram_shapes(Space(fortaleza.towers(), FIRST, 7))["home"]
    truth = random.poisson(30, shape.bins)
    worst, best = [], []
    for _ in range(20):
        noisy = NoisyHistogram(
            np.round(truth + random.laplace(0, 40, shape.bins)).astype(np.int64),
            np.round(coarsen(truth, shape) + random.laplace(0, 40, shape.parents)).astype(np.int64),
            Fraction(1),
        )
        found = coarsen(np.round(estimate(noisy, shape)).astype(np.int64), shape) - coarsen(truth, shape)
        worst.append(float((coarsen(noisy.fine, shape) - coarsen(truth, shape)).std()))
        best.append(float(found.std()))
    assert np.mean(best) < 0.6 * np.mean(worst)
    exact = NoisyHistogram(truth, coarsen(truth, shape), None)
    assert np.allclose(estimate(exact, shape), truth)


@pytest.mark.slow
def test_utility_survives_at_the_scale_of_a_city() -> None:
    """The noise is fresh each time; the bounds are far from what is found (see docs/where.md)."""
    calls = fortaleza.people(4_000, days=7, seed=11).calls(fortaleza.towers(80))
    space = Space(calls.cells, FIRST, 7, utc_offset=-3)
    near, far = (
        fidelity(calls, sample(fit_model(calls, space, epsilon), seed=2), space)
        for epsilon in (Fraction(10), Fraction(1, 100))
    )
    assert near["population by hour"]["mean"] < 0.6 * near["population by hour"]["of calls from anywhere"]
    assert near["daily range"]["earth mover's metres"] < 400
    assert near["population by hour"]["mean"] < 0.7 * far["population by hour"]["mean"]
