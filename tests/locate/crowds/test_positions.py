"""A request that carries the positions of k people: what it hides, and what it shows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import NoSolution
from cobogo.floor.randomness import Seeded
from cobogo.locate.crowds import CrowdPositions
from cobogo.locate.places.points import Points


def crowd(people: int, reports: int = 1, seed: int = 1) -> Points:
    draws = np.random.default_rng(seed)
    count = people * reports
    users = [f"u{number % people}" for number in range(count)]
    return Points.from_columns(draws.uniform(-38.6, -38.4, count), draws.uniform(-3.8, -3.7, count), user=users)


@settings(max_examples=30, deadline=None)
@given(people=st.integers(4, 60), k=st.integers(2, 4), reports=st.integers(1, 3), seed=st.integers(0, 99))
def test_a_request_holds_the_asker_and_others_at_their_true_positions(people, k, reports, seed):
    points = crowd(people, reports, seed)
    released = CrowdPositions(k).apply(points, Seeded(seed))
    sizes = np.bincount(released.report, minlength=len(points))
    assert (sizes >= k).all()
    own = points.take(released.report).distance(released.members) < 1.0
    assert np.bincount(released.report, own, len(points)).min() >= 1  # the asker is among them
    near = np.hypot(
        released.members.lon[:, None] - points.lon[None, :], released.members.lat[:, None] - points.lat[None, :]
    ).min(axis=1)
    assert near.max() < 1e-5  # a metre of the grid: nothing is invented


def test_everybody_of_a_crowd_sends_the_same_positions():
    points = crowd(50)
    released = CrowdPositions(5).apply(points, Seeded(1))
    sets = [
        tuple(sorted(zip(released.members.lon[own], released.members.lat[own], strict=True)))
        for own in (released.report == number for number in range(50))
    ]
    assert all(sets.count(one) >= 5 for one in sets)


def test_the_order_does_not_show_who_asked():
    points = crowd(4)
    places = [
        int(np.argmin(points.take([0] * 4).distance(released.members.take(released.report == 0))))
        for released in (CrowdPositions(4).apply(points, Seeded(seed)) for seed in range(200))
    ]
    assert np.bincount(places, minlength=4).min() > 20


def test_too_few_people_are_refused():
    with pytest.raises(NoSolution, match="only 3 people"):
        CrowdPositions(4).apply(crowd(3), Seeded(1))
    with pytest.raises(ValueError, match="at least 2"):
        CrowdPositions(1)


def test_a_request_has_the_positions_of_its_own_moment() -> None:
    """Each hour everybody is a degree further east; only three of the hours have enough people."""
    hours, people = np.repeat(np.arange(4), 5), np.tile(np.arange(5), 4)
    there = (hours != 2) | (people < 2)
    moving = Points.from_columns(
        (-40.0 + hours + people / 1000)[there],
        np.full(20, -3.7)[there],
        time=(hours * 3600.0)[there],
        user=people[there],
    )
    wanted = np.flatnonzero(people[there] < 2)  # of those two, others are only company
    answered, released = CrowdPositions(3).apply_by_span(moving, wanted, Seeded(1), every=900.0)
    hour = hours[there][wanted][answered]
    assert hour.tolist() == [0, 0, 1, 1, 3, 3]
    assert released.members is not None
    assert released.report is not None
    assert np.array_equal(np.floor(released.members.lon + 40).astype(int), hour[released.report])
    assert (np.bincount(released.report) >= 3).all()
    own = moving.take(wanted[answered])
    assert all(
        np.isclose(released.members.lon[released.report == at], own.lon[at], atol=1e-6).any() for at in range(len(own))
    )
    with pytest.raises(NoSolution):
        CrowdPositions(6).apply_by_span(moving, wanted, Seeded(1), every=900.0)
