"""The towers of a made-up mobile network in Fortaleza: public places, denser where more people live and work."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cobogo.examples.fortaleza.bairros import CENTRES, JOBS
from cobogo.examples.fortaleza.land import FRAME, SIDE, ground, residents
from cobogo.locate.places.cells import Cells


@lru_cache(maxsize=8)
def towers(number: int = 300) -> Cells:
    """That many towers; each serves the land nearer to it than to any other. They follow from public facts alone:
    residents and jobs of the bairros.

    >>> towers(5).names
    ('T1', 'T2', 'T3', 'T4', 'T5')
    """
    from scipy.spatial import cKDTree

    here = ground()
    if not 1 <= number <= len(here.x):
        raise ValueError(f"The 'number' parameter of towers must be of 1 to {len(here.x)}. Got {number!r} instead")
    squares = np.array([len(of) for of in here.of_bairro])
    demand = residents() + 900 * np.array([JOBS.get(name, 0) for name in CENTRES])
    weight = np.sqrt(demand / squares)[here.bairro]  # towers reach far where people are few
    place = np.column_stack((here.x, here.y)) + SIDE / 2
    # Start at even steps through the weight along a boustrophedon, then settle to the middles of what is served.
    along = np.lexsort((np.where(here.y // 1_000 % 2 == 0, here.x, -here.x), here.y // 1_000))
    steps = np.cumsum(weight[along]) / weight.sum()
    towers = place[along[np.searchsorted(steps, (np.arange(number) + 0.5) / number)]]
    for _ in range(12):
        served = cKDTree(towers).query(place)[1]
        total = np.bincount(served, weight, number)
        middle = np.column_stack([np.bincount(served, weight * place[:, axis], number) for axis in (0, 1)])
        towers = np.where(total[:, np.newaxis] > 0, middle / np.maximum(total, 1e-12)[:, np.newaxis], towers)
    lon, lat = FRAME.degrees(towers[:, 0], towers[:, 1])
    width = len(str(number))
    return Cells(tuple(f"T{at:0{width}}" for at in range(1, number + 1)), lon.round(5), lat.round(5))
