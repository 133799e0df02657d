"""Beliefs are those of Bayes' rule.

Attackers hear what was sent, not a middle that nobody said.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.floor.randomness import Seeded
from cobogo.locate.attacks import (
    ContextLinking,
    HomeAndWork,
    Identification,
    IntersectionOfCloaks,
    LongObservation,
    Scene,
    Trilateration,
)
from cobogo.locate.attacks.inference import (
    expected_distances,
    guess,
    learn_likelihood,
    likelihood_of,
    metres_to,
    posterior,
    prior_of,
)
from cobogo.locate.mechanisms import Dummies
from cobogo.locate.mechanisms.base import Released, no_cost
from cobogo.locate.places.points import Points
from support.effort import examples
from support.location_scenes import lives, scene
from support.stand_ins import HERE, Noise, Ring, scattered, square


def test_the_posterior_is_bayes_rule_cell_by_cell() -> None:
    grid = square(5)
    prior = np.random.default_rng(1).dirichlet(np.ones(grid.cells))
    truth = scattered(7, grid, 2)
    mechanism = Noise(0.01)
    found = posterior(likelihood_of(mechanism.apply(truth, Seeded(3)), grid, mechanism), prior)
    reports = mechanism.apply(truth, Seeded(3)).points
    east, north = grid.metres()
    for row in range(len(truth)):
        x, y = (float(part) for part in grid.frame.metres(reports.lon[row], reports.lat[row]))
        weights = [
            prior[cell] * np.exp(-0.01 * np.hypot(x - east[cell], y - north[cell])) for cell in range(grid.cells)
        ]
        assert found[row] == pytest.approx(np.array(weights) / sum(weights), rel=1e-9)


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(1, 7), st.integers(1, 9), st.integers(0, 1000))
def test_expected_distances_by_transform_are_sums_over_all_pairs(columns: int, rows: int, seed: int) -> None:
    from cobogo.locate.places.grid import Grid

    grid = Grid(HERE, columns, rows, 130.0)
    chances = np.random.default_rng(seed).dirichlet(np.ones(grid.cells), 3)
    plain = chances @ grid.distances()
    assert expected_distances(chances, grid) == pytest.approx(plain, abs=1e-6)
    lon, lat = guess(chances, grid, "median")
    chosen = grid.cell_of(lon, lat)
    assert plain[np.arange(3), chosen] == pytest.approx(plain.min(axis=1), abs=1e-6)


def test_a_law_that_nobody_wrote_down_is_learned_by_trying() -> None:
    grid = square(16, 100.0)
    ring = Ring(400.0)
    truth = Points.from_columns(*grid.centres(np.full(300, 136)))
    law = learn_likelihood(ring.apply(truth, Seeded(1)), grid, ring, Seeded(2))
    chances = posterior(law, np.full(grid.cells, 1 / grid.cells))
    metres = law.metres(slice(0, 300))
    assert ((chances * (np.abs(metres - 400) < 110)).sum(axis=1) > 0.9).all()


def test_the_distance_of_a_mechanism_that_never_varies_is_learned_too() -> None:
    grid = square(4)
    truth = Points.from_columns(*grid.centres(np.array([5])))
    law = learn_likelihood(Ring(0.0).apply(truth, Seeded(1)), grid, Ring(0.0), Seeded(2), truth)
    assert posterior(law, np.full(grid.cells, 1 / grid.cells)).argmax() == 5


def test_what_lies_in_a_set_a_disc_or_a_box_is_all_that_is_believed() -> None:
    grid = square(6)
    prior = np.full(grid.cells, 1 / grid.cells)
    lon, lat = grid.centres([0, 7, 35])
    middle = Points.from_columns(lon[:1], lat[:1])
    sets = Released(middle, no_cost(middle), members=Points.from_columns(lon, lat), report=np.zeros(3, dtype=np.int64))
    assert np.flatnonzero(posterior(likelihood_of(sets, grid, None), prior)[0]).tolist() == [0, 7, 35]
    disc = Released(middle, no_cost(middle), radius=np.array([201.0]))
    assert np.flatnonzero(posterior(likelihood_of(disc, grid, None), prior)[0]).tolist() == [0, 1, 6]
    edges = (lon[:1] - 1e-5, lat[:1] - 1e-5, lon[1:2] + 1e-5, lat[1:2] + 1e-5)
    box = Released(middle, no_cost(middle), box=edges)
    assert np.flatnonzero(posterior(likelihood_of(box, grid, None), prior)[0]).tolist() == [0, 1, 6, 7]
    tiny = Released(middle, no_cost(middle), radius=np.array([0.0]))
    assert posterior(likelihood_of(tiny, grid, None), prior)[0].argmax() == 0


def test_a_prior_counts_visits() -> None:
    grid = square(4)
    points = Points.from_columns(*grid.centres([3, 3, 5]))
    assert prior_of(points, grid, smoothing=0)[[3, 5]] == pytest.approx([2 / 3, 1 / 3])
    assert (prior_of(points, grid) > 0).all()


def test_a_set_is_heard_position_by_position_and_not_by_its_middle() -> None:
    """Dummies do not repeat, the truth does: two requests from one place have nothing else in common."""
    grid = square(20, 1000.0)
    homes = scattered(20, grid, 1)
    for requests in (2, 24):
        time = np.tile(np.arange(requests) // 6 * 86400.0 + np.arange(requests) % 6 * 3600.0, 20)  # by night
        truth = Points.from_columns(homes.lon.repeat(requests), homes.lat.repeat(requests), time=time,
                          user=np.arange(20).repeat(requests))  # fmt: skip
        case = scene(truth, Dummies(5, grid, "uniform"), grid=grid)
        assert case.quality_loss < 1
        found = LongObservation().run(case)
        assert (found.success, found.attacked) == (1.0, 20)
        assert found.error.max() < 1
    assert HomeAndWork(within=1.0).run(case).success == 1.0
    assert Identification(points=1).run(case).success == 1.0
    book = Points.from_columns(np.concatenate([homes.lon, homes.lon + 1e-4]), np.concatenate([homes.lat, homes.lat]))
    assert ContextLinking().run(scene(truth, Dummies(5, grid), grid=grid, places=book)).success == 1.0
    assert IntersectionOfCloaks().run(case).success == 1.0
    told = Trilateration(rounding=0, within=2.0).run(case)  # one of five, by whoever does not compare requests
    assert told.success == pytest.approx(0.2, abs=0.02)


def test_a_region_is_heard_by_its_edges_and_not_by_its_middle() -> None:
    """Boxes of one home lie about it in all ways: what most of them have in common is where it is."""
    rng = np.random.default_rng(1)
    grid, hours = square(40, 50.0), 30
    home, other = grid.metres([820]), grid.metres([305])
    near = rng.uniform(0, 700, (4, hours))
    west, south = HERE.degrees(home[0] - near[0], home[1] - near[1] ** 2 / 700)
    east, north = HERE.degrees(home[0] + near[2] ** 2 / 700, home[1] + near[3])
    lon, lat = (np.full(hours, part[0]) for part in grid.centres([820]))
    truth = Points.from_columns(lon, lat, time=np.arange(hours) * 600.0, user=np.zeros(hours, dtype=int))
    case = Scene(truth, Released(truth, no_cost(truth), box=(west, south, east, north)), grid)
    for attack in (LongObservation(), HomeAndWork()):
        assert attack.run(case).error[0] < 100
    known = truth.take([3])
    assert metres_to(case.released, np.array([3]), known)[0] < 0.01
    away = metres_to(case.released, np.array([3]), Points.from_columns(*HERE.degrees(other[0], other[1])))
    assert away[0] > 100


def test_people_are_heard_when_they_report_and_not_when_they_asked() -> None:
    """Requests that wait for company tell the hour at which it was there: a nap at noon is no night."""
    truth, _ = lives(people=4)
    later = Points(truth.lon, truth.lat, truth.time + 12 * 3600, truth.user, truth.names)
    asked, told = (
        Scene(truth, Released(truth, no_cost(truth)), square()),
        Scene(truth, Released(later, no_cost(truth)), square()),
    )
    assert HomeAndWork(within=1.0).run(asked).success == 1.0
    assert HomeAndWork(within=1.0).run(told).success < 1.0
