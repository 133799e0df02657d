"""Cloaks of what was recorded over time: of each span of time its own, from the people who reported in it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cobogo.errors import DataError
from cobogo.locate.crowds.base import Cloak, Cloaked, people_of
from cobogo.locate.crowds.cells import Box
from cobogo.locate.places.points import Points


def over_time(cloak: Cloak, points: Points, *, every: float) -> Cloaked:
    """A cloak for each report, among those who reported in the same span of ``every`` seconds since 1970. Reports of a
    span with fewer than k people are refused.

    >>> points = Points.of([-38.5] * 5, [-3.7] * 5, time=[0, 1, 2, 70, 71], user=["a", "b", "c", "a", "b"])
    >>> from cobogo.locate.crowds import QuadTree
    >>> over_time(QuadTree(3), points, every=60).refused.tolist()
    [False, False, False, True, True]
    """
    if points.time is None:
        raise DataError("have no times, and are to be cloaked span by span", where="points")
    if not every > 0:
        raise ValueError(f"The 'every' parameter of over_time must be above 0. Got {every!r} instead")
    span = np.floor(points.time / every)
    order = np.argsort(span, kind="stable")
    bounds = np.append(np.flatnonzero(np.diff(span[order], prepend=np.nan) != 0), len(order))
    edges = np.full((4, len(points)), np.nan)
    for start, end in pairwise(bounds.tolist()):
        rows = order[start:end]
        some = points.take(rows)
        if people_of(some)[1] >= cloak.k:
            edges[:, rows] = cloak.regions(some).box
    box: Box = (edges[0], edges[1], edges[2], edges[3])
    return Cloaked(box)
