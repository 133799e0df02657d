"""Calls of a few people at a few cells."""

from __future__ import annotations

from datetime import date

import numpy as np

from cobogo.locate.mobility import Space
from cobogo.locate.mobility.counts import bound_calls, counts, habits, histogram_shapes
from cobogo.locate.mobility.model import coarsen
from cobogo.locate.places.cells import Calls, Cells

FIRST = date(2024, 3, 4)


START = 1_709_510_400.0
"""Monday, 4 March 2024, 00:00 UTC."""


CELLS = Cells.from_columns(
    list("abcde"), [-38.50, -38.505, -38.52, -38.56, -38.60], [-3.73, -3.731, -3.74, -3.75, -3.80]
)


SPACE = Space(CELLS, FIRST, 3, most_a_day=4)


def calls_of(people: list[list[tuple[int, int]]]) -> Calls:
    rows = [(number, hour, cell) for number, person in enumerate(people) for hour, cell in person]
    user, hour, cell = (np.array([row[at] for row in rows], dtype=np.int64) for at in range(3))
    return Calls(user, np.asarray(START + hour * 3_600.0 + 60.0, np.float64), cell, CELLS)


def reaches_the_noise(calls: Calls, space: Space = SPACE) -> dict[str, np.ndarray]:
    """Both levels of every part, as they are before noise."""
    records = bound_calls(calls, space)
    forms = histogram_shapes(space)
    exact = counts(records, habits(records, space), space)
    return {
        **exact,
        **{f"{name}, coarse": coarsen(fine, forms[name]) for name, fine in exact.items()},
    }
