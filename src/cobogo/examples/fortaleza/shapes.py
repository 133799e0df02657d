"""The outlines of Fortaleza's bairros, for maps: the land nearer to one centre than to any other, as polygons."""

from __future__ import annotations

from functools import cache

import numpy as np

from cobogo.examples.fortaleza.bairros import CENTRES, OUTLINE
from cobogo.examples.fortaleza.land import FRAME, centres
from cobogo.floor.arrays import Floats


@cache
def shapes() -> dict[str, Floats]:
    """Each bairro's ring of longitudes and latitudes: the outline, cut by the lines halfway to all other centres.

    >>> len(shapes()), bool(all(len(ring) >= 3 for ring in shapes().values()))
    (121, True)
    """
    place = np.column_stack(FRAME.metres(*centres()))
    land = np.column_stack(FRAME.metres(*np.array(OUTLINE).T))
    rings = {}
    for number, name in enumerate(CENTRES):
        ring = land
        away = np.linalg.norm(place - place[number], axis=1)
        for other in np.argsort(away)[1:]:
            reach = np.linalg.norm(ring - place[number], axis=1).max()
            if away[other] > 2 * reach:
                break
            ring = _cut(ring, (place[number] + place[other]) / 2, place[other] - place[number])
        rings[name] = np.column_stack(FRAME.degrees(ring[:, 0], ring[:, 1]))
    return rings


def _cut(ring: Floats, through: Floats, normal: Floats) -> Floats:
    """The part of a ring on the side of a line that the normal points away from (Sutherland & Hodgman 1974)."""
    side = (ring - through) @ normal
    after, after_side = np.roll(ring, -1, axis=0), np.roll(side, -1)
    kept: list[Floats] = []
    for here, there, a, b in zip(ring, after, side, after_side, strict=True):
        if a <= 0:
            kept.append(here)
        if (a < 0 < b) or (b < 0 < a):
            kept.append(here + (there - here) * (a / (a - b)))
    return np.array(kept)
