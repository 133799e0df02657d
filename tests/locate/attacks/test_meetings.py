"""Who meets whom."""

from __future__ import annotations

import numpy as np

from cobogo.locate.attacks import (
    AggregatedPresence,
)
from cobogo.locate.places.points import Points
from support.location_scenes import scene
from support.stand_ins import Noise, Nothing, walkers


def test_friends_are_told_by_their_meetings() -> None:
    truth = walkers(20, 60, 7, minutes=15)
    friend = truth.take(slice(0, 60))
    together = Points.of(
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
