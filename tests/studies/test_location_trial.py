"""A trial of a mechanism on people who move: what is told of it is what was released."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.errors import DataError
from cobogo.locate.places.points import Points
from cobogo.studies.fortaleza import people
from cobogo.studies.location_trial import FRAMES, TrialGround, try_mechanism


def test_reports_are_found_by_person_and_moment() -> None:
    ground = TrialGround.from_points(people(4, days=1).trajectories(3600), hours_from_utc=-3)
    found = try_mechanism(ground, "planar-laplace", {"epsilon": 0.01}, "home-and-work")
    assert found.truth.user is not None
    assert found.truth.time is not None
    for person in ground.people:
        for moment in ground.moments[[0, 7, -1]]:
            mine = np.flatnonzero((found.truth.user == person) & (found.truth.time <= moment))
            assert found.rows_until(int(person), float(moment)).tolist() == mine.tolist()
            assert found.row(int(person), float(moment)) == mine[-1]
    assert found.row(0, float(ground.moments[0]) - 1) is None
    assert found.run.quality_loss == pytest.approx(float(found.truth.distance(found.released.points).mean()))
    assert found.highest_spending == pytest.approx(0.01 * found.reports_each)
    assert found.one_guess_each
    assert found.guess(0, 0) == found.guess(0, 5)


def test_reports_that_a_cloak_refuses_have_no_truth_beside_them() -> None:
    points = Points.from_columns(
        [-38.5, -38.5, -38.5, -38.4], [-3.7] * 4, time=[0, 1, 2, 5000], user=["a", "b", "c", "a"]
    )
    found = try_mechanism(TrialGround.from_points(points, every=0), "quad-tree", {"k": 3}, "centre-of-cloak")
    assert found.run.answered == 0.75
    assert found.truth.lon.tolist() == [-38.5] * 3
    assert found.row(0, 9999.0) == 0


def test_many_moments_become_few_and_points_without_time_are_refused() -> None:
    many = Points.from_columns(np.linspace(-38.5, -38.4, 900), np.full(900, -3.7), time=np.arange(900) * 61.0)
    ground = TrialGround.from_points(many)
    assert len(ground.moments) == FRAMES
    assert ground.people.tolist() == [0]
    with pytest.raises(DataError):
        TrialGround.from_points(Points.from_columns([-38.5], [-3.7]))
