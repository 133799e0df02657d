"""Trajectories that are released keep what they promise, whatever went in."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.errors import DataError
from cobogo.locate.places.points import Points
from cobogo.locate.trips.segments import resample_to_clock, split_trips, walks_of
from support.stand_ins import square, walkers


def test_a_pause_ends_a_trip_and_clocks_are_full_minutes() -> None:
    points = Points.from_columns(np.arange(6) * 1e-3, [0.0] * 6, time=[30, 90, 150, 5000, 5060, 5121], user=["a"] * 6)
    trips = split_trips(points, gap=600)
    assert trips.number.tolist() == [3, 3]
    clocked = resample_to_clock(trips, 60)
    assert clocked.time.tolist() == [60, 120, 5040, 5100]
    lon, _ = clocked.frame.degrees(clocked.east, clocked.north)
    assert lon == pytest.approx([0.5e-3, 1.5e-3, 3e-3 + 40 / 60 * 1e-3, 4e-3 + 40 / 61 * 1e-3])
    assert resample_to_clock(trips, 60, period=3600).number.tolist() == []


def test_a_stay_ends_a_trip_and_is_not_part_of_one() -> None:
    walk, rest = np.arange(5) * 1e-3, np.full(30, 4e-3)
    lon = np.concatenate([walk, rest, 4e-3 + walk])
    points = Points.from_columns(lon, np.zeros(40), time=np.arange(40) * 60, user=["a"] * 40)
    assert split_trips(points).number.tolist() == [40]
    assert split_trips(points, stay=3600).number.tolist() == [40]
    trips = split_trips(points, stay=1200)
    assert trips.number.tolist() == [5, 5]
    assert trips.begins.tolist() == [0, 35 * 60]
    still = Points.from_columns(np.zeros(9), np.zeros(9), time=np.arange(9) * 600, user=["a"] * 9)
    assert len(split_trips(still, stay=1200)) == 0


def test_dates_are_forgotten_and_midnight_is_passed() -> None:
    points = Points.from_columns(
        [0, 0, 0, 0], [0] * 4, time=[86_390, 86_410, 86_400 * 9 + 5, 86_400 * 9 + 65], user=["a"] * 4
    )
    assert split_trips(points, daily=True).time.tolist() == [86_390, 86_410, 5, 65]


def test_trips_need_people_and_times() -> None:
    with pytest.raises(DataError, match="no columns of users and times"):
        split_trips(Points.from_columns([0.0], [0.0]))


def test_walks_touch_and_begin_and_end_where_trips_do() -> None:
    grid = square(30, 150.0)
    points = walkers(10, 50, 5, speed=400)
    trips = split_trips(points)
    walks = walks_of(trips, grid)
    for one in range(len(walks)):
        cells = walks.cells[walks.starts[one] : walks.starts[one + 1]]
        row, column = np.divmod(cells, grid.columns)
        steps = np.maximum(np.abs(np.diff(row)), np.abs(np.diff(column)))
        assert (steps == 1).all()
        trace = points.traces()[one]
        assert cells[[0, -1]].tolist() == grid.nearest_cell(trace.lon[[0, -1]], trace.lat[[0, -1]]).tolist()
