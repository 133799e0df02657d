"""A chain of movement, and all reports of a person seen together."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.floor.randomness import Seeded
from cobogo.locate.attacks import (
    ShortObservation,
    Tracking,
)
from cobogo.locate.attacks.inference import (
    grid_for,
    likelihood_of,
    posterior,
)
from cobogo.locate.attacks.tracking import WALK, Markov, smooth, track, usual_speed
from cobogo.locate.places.points import Points
from support.location_scenes import scene
from support.stand_ins import Noise, square, walkers


def plain_chain(prior, chain, seen, steps):
    """All paths of a Markov chain, one by one."""
    count, cells = seen.shape
    total = np.zeros((count, cells))
    powers = [np.linalg.matrix_power(chain, step) for step in steps]
    for path in product(range(cells), repeat=count):
        weight = prior[path[0]] * seen[0, path[0]]
        for t in range(1, count):
            weight *= powers[t][path[t - 1], path[t]] * seen[t, path[t]]
        for t, cell in enumerate(path):
            total[t, cell] += weight
    return total / total.sum(axis=1, keepdims=True)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5))
def test_forward_backward_is_the_sum_over_all_paths(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    cells = 4
    chain = rng.dirichlet(np.ones(cells), cells)
    chain[0, 2] = 0
    chain /= chain.sum(axis=1, keepdims=True)
    prior, seen = rng.dirichlet(np.ones(cells)), rng.uniform(0.01, 1, (count, cells))
    steps = rng.integers(0, 3, count)
    rows, ends = np.nonzero(chain)
    starts = np.searchsorted(rows, np.arange(cells + 1))
    found = smooth(starts.astype(np.int64), ends.astype(np.int64), chain[rows, ends], 0.01, prior, seen, steps)
    chain = 0.99 * chain + 0.01 * prior
    assert found == pytest.approx(plain_chain(prior, chain, seen, steps), abs=1e-6)


def test_a_wanderer_s_chances_are_chances_and_a_learned_road_is_followed() -> None:
    grid = square(8)
    wander = Markov.assume(grid)
    assert np.add.reduceat(wander.probabilities, wander.starts[:-1]) == pytest.approx(1)
    lon, lat = grid.centres(np.arange(8))
    road = Points.from_columns(
        np.tile(lon, 50), np.tile(lat, 50), time=np.tile(np.arange(8) * 60, 50), user=np.repeat(np.arange(50), 8)
    )
    chain = Markov.learn(road, grid)
    first = slice(chain.starts[2], chain.starts[3])
    assert chain.ends[first][chain.probabilities[first].argmax()] == 3


def test_people_s_speed_is_read_off_their_points() -> None:
    assert usual_speed(walkers(5, 50, 1, speed=240)) == pytest.approx(4.0, rel=0.01)
    assert usual_speed(Points.from_columns([0.0], [0.0])) == WALK


def test_tracking_is_better_than_one_report_at_a_time() -> None:
    truth = walkers(8, 120, 3)
    case = scene(truth, Noise(0.01), grid=grid_for(truth))
    alone, followed = ShortObservation().run(case), Tracking(speed=80 / 60).run(case)
    assert followed.error.mean() < 0.75 * alone.error.mean()
    assert followed.figures["uncertainty_bits"] < alone.figures["uncertainty_bits"]


def test_tracking_one_report_is_the_posterior() -> None:
    grid = square(5)
    prior = np.random.default_rng(1).dirichlet(np.ones(grid.cells))
    truth = Points.from_columns(*grid.centres([7]), time=[0.0], user=["a"])
    law = likelihood_of(Noise(0.01).apply(truth, Seeded(1)), grid, Noise(0.01))
    found = track(law, Markov.assume(grid), prior, np.array([0]), np.zeros(1))
    assert found == pytest.approx(posterior(law, prior))
