"""The clique cloak: who goes out together, who waits, who is refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import DataError
from cobogo.floor.randomness import Seeded
from cobogo.locate.crowds import CliqueCloak, Gathering
from cobogo.locate.crowds.cells import are_inside, area
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.points import Points
from support.effort import examples

CENTRE = Frame(-38.5, -3.7)


@st.composite
def requests(draw: st.DrawFn) -> tuple[Points, dict[str, np.ndarray]]:
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    size = draw(st.integers(2, 24))
    lon, lat = CENTRE.degrees(*rng.uniform(0, 300, (2, size)))
    points = Points.from_columns(lon, lat, time=np.sort(rng.uniform(0, 100, size)), user=rng.integers(0, 14, size))
    demands = {"k": rng.integers(2, 5, size), "dx": rng.uniform(50, 300, size), "dy": rng.uniform(50, 300, size)}
    return points, {**demands, "dt": rng.uniform(10, 80, size)}


def near(points: Points, demands: dict[str, np.ndarray], a: int, b: int) -> bool:
    assert points.time is not None
    for one in (a, b):
        frame = Frame(float(points.lon[one]), float(points.lat[one]))
        east, north = frame.metres(points.lon[[a, b]], points.lat[[a, b]])
        if np.ptp(east) > demands["dx"][one] or np.ptp(north) > demands["dy"][one]:
            return False
        if abs(points.time[a] - points.time[b]) > demands["dt"][one]:
            return False
    return True


@settings(max_examples=examples(40), deadline=None)
@given(requests(), st.sampled_from([0.0, 5000.0]))
def test_a_crowd_suits_all_its_members(asked: tuple[Points, dict[str, np.ndarray]], least: float) -> None:
    points, demands = asked
    assert points.time is not None
    assert points.user is not None
    met = CliqueCloak(2, least).gather_requests(points, **demands)
    for crowd in range(met.crowd.max(initial=-1) + 1):
        rows = np.flatnonzero(met.crowd == crowd)
        assert len(set(points.user[rows].tolist())) == len(rows) >= demands["k"][rows].max()
        assert all(near(points, demands, int(a), int(b)) for a, b in combinations(rows, 2))
        assert (met.when[rows] <= points.time[rows] + demands["dt"][rows]).all()
        assert len({tuple(edge[row] for edge in met.box) for row in rows}) == 1
        assert are_inside(met.box, points.lon, points.lat)[rows].all()
        assert (area(met.box)[rows] >= least).all()
    assert (met.refused == (met.crowd < 0)).all()


@settings(max_examples=examples(25), deadline=None)
@given(requests())
def test_nobody_waits_who_could_have_gone(asked: tuple[Points, dict[str, np.ndarray]]) -> None:
    """Replayed: whenever a request was told to wait, no crowd with it existed among those that waited."""
    points, demands = asked
    assert points.time is not None
    assert points.user is not None
    met = CliqueCloak(2).gather_requests(points, **demands)
    for new in range(len(points)):
        if met.when[new] == points.time[new]:
            continue
        waiting = [
            row for row in range(new)
            if points.time[row] + demands["dt"][row] >= points.time[new] and not met.when[row] < points.time[new]
            and near(points, demands, row, new) and points.user[row] != points.user[new]
        ]  # fmt: skip
        for size in range(1, len(waiting) + 1):
            for others in combinations(waiting, size):
                crowd = [*others, new]
                wide = (
                    size + 1 >= demands["k"][crowd].max() and len({int(points.user[row]) for row in crowd}) == size + 1
                )
                assert not (wide and all(near(points, demands, a, b) for a, b in combinations(others, 2)))


@settings(max_examples=examples(25), deadline=None)
@given(requests())
def test_one_by_one_is_the_same_as_all_at_once(asked: tuple[Points, dict[str, np.ndarray]]) -> None:
    points, demands = asked
    assert points.time is not None
    assert points.user is not None
    met = CliqueCloak(2).gather_requests(points, **demands)
    gathering = Gathering(CliqueCloak(2))
    boxes: dict[tuple[str, float], tuple[float, ...]] = {}
    for row in range(len(points)):
        own = {"k": int(demands["k"][row]), **{key: float(demands[key][row]) for key in ("dx", "dy", "dt")}}
        for gone in gathering.ask(
            str(points.user[row]), float(points.lon[row]), float(points.lat[row]), float(points.time[row]), **own
        ):
            boxes[gone["user"], gone["time"]] = gone["box"]
    for row in range(len(points)):
        box = boxes.get((str(points.user[row]), float(points.time[row])))
        assert (box is None) == met.refused[row]
        assert box is None or box == tuple(float(edge[row]) for edge in met.box)
    assert len(gathering.drop_expired(1e9)) <= met.refused.sum()
    assert gathering.waiting == 0


def test_who_asks_for_more_waits_for_more() -> None:
    points = Points.from_columns([-38.5] * 4, [-3.7] * 4, time=[0, 1, 2, 3], user=["a", "b", "c", "d"])
    met = CliqueCloak(2, dt=60).gather_requests(points, k=[4, 2, 2, 2])
    assert met.crowd.tolist() == [-1, 0, 0, -1]  # b and c do not wait for a
    assert CliqueCloak(4).gather_requests(points).when.tolist() == [3.0] * 4


def test_one_person_is_no_company_for_themselves() -> None:
    points = Points.from_columns([-38.5] * 3, [-3.7] * 3, time=[0, 1, 2], user=["a", "a", "a"])
    assert CliqueCloak(2).gather_requests(points).refused.all()


def test_what_goes_out_goes_out_when_the_crowd_is_complete() -> None:
    points = Points.from_columns([-38.5] * 3, [-3.7, -3.7001, -3.9], time=[0, 7, 8], user=["a", "b", "c"])
    released = CliqueCloak(2).apply(points, Seeded(1))
    assert released.points.time is not None
    assert released.points.time[:2].tolist() == [7.0, 7.0]
    assert np.isnan(released.points.time[2])
    assert np.isnan(released.points.lon[2])


def test_crowds_have_an_end() -> None:
    points = Points.from_columns([-38.5] * 90, [-3.7] * 90, time=np.arange(90), user=np.arange(90))
    assert (np.bincount(CliqueCloak(61).gather_requests(points).crowd + 1)).tolist() == [29, 61]
    for wrong in (1, 62):
        with pytest.raises(ValueError, match="'k' parameter"):
            CliqueCloak(2).gather_requests(points, k=wrong)
        with pytest.raises(ValueError, match="'k' parameter"):
            Gathering(CliqueCloak(2)).ask("a", 0.0, 0.0, 0.0, k=wrong)
    with pytest.raises(ValueError, match="'k' parameter"):
        CliqueCloak(62)


def test_requests_without_times_are_refused() -> None:
    with pytest.raises(DataError, match="have no times"):
        CliqueCloak(2).regions(Points.from_columns([1.0], [1.0]))
