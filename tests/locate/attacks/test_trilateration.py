"""Distances told to several people."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.locate.attacks import (
    Trilateration,
)
from cobogo.locate.attacks.trilateration import trilaterate
from support.location_scenes import scene
from support.stand_ins import Noise, Nothing, scattered, square


def test_exact_distances_give_the_place_and_rounded_ones_nearly() -> None:
    grid = square(20, 500.0)
    anchors, victims = scattered(12, grid, 1), scattered(100, grid, 2)
    ax, ay = grid.frame.metres(anchors.lon, anchors.lat)
    x, y = grid.frame.metres(victims.lon, victims.lat)
    exact = np.hypot(x[:, None] - ax, y[:, None] - ay)
    assert victims.distance(trilaterate(anchors, exact, grid.frame)).max() < 1.0
    case = scene(victims, Nothing(), grid=grid)
    told = Trilateration(rounding=500).run(case)
    assert told.error.mean() < 150
    hidden = Trilateration(rounding=0).run(scene(victims, Noise(0.005), grid=grid))
    assert hidden.figures["error_to_report"] < 1
    assert hidden.error.mean() == pytest.approx(hidden.figures["quality_loss"], rel=0.02)
