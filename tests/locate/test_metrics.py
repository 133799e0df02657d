"""Figures of location privacy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.locate.mechanisms.base import Released, no_cost
from cobogo.locate.metrics import (
    area_of_interest,
    correctness,
    crowd,
    entropy,
    overlap,
    quality_loss,
    region_area,
)
from cobogo.locate.places.points import Points
from support.effort import examples
from support.stand_ins import HERE, scattered, square


def test_a_sure_attacker_is_as_wrong_as_their_guess_and_an_unsure_one_on_average() -> None:
    grid = square(4)
    truth = Points.from_columns(*grid.centres([0, 0]))
    sure = np.zeros((2, grid.cells))
    sure[0, 3] = 1
    sure[1, [0, 3]] = 0.5
    assert correctness(sure, grid, truth) == pytest.approx([600, 300], abs=1e-3)
    assert entropy(sure).tolist() == [0, 1]
    there = Points.from_columns(*grid.centres([3, 0]))
    assert quality_loss(truth, Released(truth, no_cost(truth))).tolist() == [0, 0]
    assert quality_loss(truth, Released(there, no_cost(truth))) == pytest.approx([600, 0], rel=1e-3)


def test_a_set_that_holds_the_truth_loses_nothing() -> None:
    grid = square(4)
    truth = Points.from_columns(*grid.centres([0, 5]))
    members = Points.from_columns(*grid.centres([3, 0, 5, 6]))
    middle = truth.move_to(np.full(2, HERE.lon), np.full(2, HERE.lat))
    sets = Released(middle, no_cost(truth), members=members, report=np.array([0, 0, 1, 1]))
    assert quality_loss(truth, sets).tolist() == [0, 0]
    other = Released(middle, no_cost(truth), members=members.take([0, 0, 3, 3]), report=np.array([0, 0, 1, 1]))
    assert quality_loss(truth, other) == pytest.approx([600, 200], rel=1e-3)


@settings(max_examples=examples(20), deadline=None)
@given(st.floats(0, 900), st.floats(50, 400), st.floats(50, 400))
def test_overlaps_are_areas(apart: float, one: float, other: float) -> None:
    x, y = np.meshgrid(np.linspace(-400, 400, 401), np.linspace(-400, 400, 401))
    both = (np.hypot(x, y) <= one) & (np.hypot(x - apart, y) <= other)
    assert overlap(np.array([apart]), one, other)[0] == pytest.approx(both.sum() * 4, abs=25 * (one + other))


def test_asking_for_more_finds_all_and_much_else() -> None:
    truth = scattered(50, square(), 1)
    east, north = HERE.metres(truth.lon, truth.lat)
    reported = Points.from_columns(*HERE.degrees(east + 200, north))
    found = area_of_interest(truth, reported, wanted=300, asked=500.5)
    assert found.recall == pytest.approx(np.ones(50), abs=1e-3)
    assert found.precision == pytest.approx(np.full(50, 0.36), abs=1e-2)
    assert (area_of_interest(truth, reported, wanted=90, asked=90).recall == 0).all()


def test_regions_have_areas_and_sets_have_crowds() -> None:
    grid = square(6)
    middle = Points.from_columns(*grid.centres([0]))
    box = tuple(np.array([side]) for side in (*HERE.degrees(-500, -250), *HERE.degrees(500, 250)))
    assert region_area(Released(middle, no_cost(middle), box=box))[0] == pytest.approx(500_000, rel=1e-3)
    assert region_area(Released(middle, no_cost(middle), radius=np.array([10.0])))[0] == pytest.approx(100 * np.pi)
    assert region_area(Released(middle, no_cost(middle))).tolist() == [0]
    members = Points.from_columns(*grid.centres([0, 1, 2, 3]))
    sets = Released(middle, no_cost(middle), members=members, report=np.zeros(4, dtype=np.int64))
    assert (crowd(sets).k.tolist(), crowd(sets).entropy.tolist()) == ([4], [2])
    prior = np.zeros(grid.cells)
    prior[[0, 1]] = 0.5
    assert crowd(sets, grid, prior).entropy.tolist() == [1]  # two of them stand where nobody ever is
