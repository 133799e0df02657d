"""Whether somebody was at a place."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.locate.attacks import (
    AggregatedPresence,
    LocationPresence,
)
from cobogo.locate.attacks.presence import auc
from cobogo.locate.places.points import Points
from support.location_scenes import scene
from support.stand_ins import Noise, Nothing, scattered, square, walkers


def test_presence_is_told_without_noise_and_hardly_with_much() -> None:
    grid = square(40, 50.0)
    truth = scattered(1000, grid, 4)
    clinic = Points.from_columns(*grid.centres([820]))
    clear = LocationPresence().run(scene(truth, Nothing(), grid=grid, places=clinic))
    blurred = LocationPresence().run(scene(truth, Noise(0.0005), grid=grid, places=clinic))
    assert clear.success > 0.99
    assert clear.figures["accuracy"] > 0.97
    assert blurred.success < 0.75


def test_the_area_under_the_curve_is_the_share_of_pairs_in_order() -> None:
    rng = np.random.default_rng(2)
    score, positive = rng.integers(0, 6, 60).astype(float), rng.random(60) < 0.4
    pairs = [(a > b) + (a == b) / 2 for a in score[positive] for b in score[~positive]]
    assert auc(score, positive) == pytest.approx(np.mean(pairs))
    assert auc(score, np.zeros(60, dtype=bool)) == 0.5


def test_friends_are_told_by_their_meetings() -> None:
    truth = walkers(20, 60, 7, minutes=15)
    friend = truth.take(slice(0, 60))
    together = Points.from_columns(
        np.concatenate([truth.lon, friend.lon]),
        np.concatenate([truth.lat, friend.lat]),
        time=np.concatenate([truth.time, friend.time]),
        user=np.concatenate([truth.user, np.full(60, 20)]),
    )
    clear = AggregatedPresence().run(scene(together, Nothing()))
    assert clear.figures["pairs_who_meet"] >= 1
    assert clear.success == 1.0
    assert clear.figures["precision"] == 1.0
    assert AggregatedPresence().run(scene(together, Noise(0.002))).success < 1.0
