"""Grids, priors and laws that mechanisms on cells are tried with."""

from __future__ import annotations

import numpy as np

from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.grid import Grid


def square(side: int, size: float = 100.0, lat: float = -3.7) -> Grid:
    return Grid(Frame(-38.5, lat), side, side, size)


def a_prior(cells: int, seed: int = 0) -> np.ndarray:
    weights = np.random.default_rng(seed).random(cells)
    return weights / weights.sum()
