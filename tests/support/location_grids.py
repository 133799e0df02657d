"""A grid of Fortaleza and people on it."""

from __future__ import annotations

import numpy as np

from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points

FORTALEZA = Grid.from_bounds(-38.62, -3.85, -38.42, -3.69, size=500)


def here(count: int, seed: int = 0) -> Points:
    rng = np.random.default_rng(seed)
    return Points.from_columns(rng.uniform(-38.6, -38.45, count), rng.uniform(-3.84, -3.70, count))
