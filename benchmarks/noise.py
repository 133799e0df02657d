"""A million noisy positions, beside NumPy's Gamma numbers added to degrees: the least that noise can take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import Result, in_turn, of_call
from cobogo.floor.randomness import Entropy
from cobogo.locate.mechanisms import Adaptive, Dummies, PlanarLaplace, Predictive
from cobogo.locate.places.geometry import RADIUS
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points

POINTS = 1_000_000
EPSILON = 0.01
AGAINST = "NumPy, plain"


def noise(_: Path, count: int = POINTS) -> Iterator[Result]:
    """Mechanisms that a device runs, each on as many points."""
    rng = np.random.default_rng(1)
    lon, lat = rng.uniform(-38.6, -38.4, count), rng.uniform(-3.9, -3.7, count)
    people = np.repeat(np.arange(-(-count // 100)), 100)[:count]
    points = Points(lon, lat, np.tile(np.arange(100) * 10.0, -(-count // 100))[:count], people)

    def plain() -> None:
        """Not what anyone should release: no grid, no safe entropy, a flat world."""
        radius, bearing = rng.gamma(2, 1 / EPSILON, count), rng.uniform(0, 2 * np.pi, count)
        away = np.degrees(radius / RADIUS)
        _ = lon + away * np.sin(bearing) / np.cos(np.radians(lat)), lat + away * np.cos(bearing)

    grid = Grid.from_bounds(-38.6, -3.9, -38.4, -3.7, size=250)
    mechanisms = [
        PlanarLaplace(EPSILON),
        Predictive(EPSILON),
        Adaptive(EPSILON),
        Dummies(10, grid, prior=rng.random(grid.cells)),
    ]
    for mechanism in mechanisms:
        many = points if not isinstance(mechanism, Dummies) else points.take(slice(0, max(count // 100, 1)))
        ours, theirs = in_turn(lambda: of_call(lambda: mechanism.apply(many, Entropy())), lambda: of_call(plain))  # noqa: B023
        yield Result(f"location: {mechanism.name}", ours, AGAINST, theirs, f"{len(many):,} points, against {count:,}")
