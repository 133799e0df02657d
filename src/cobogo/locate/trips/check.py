"""(k, δ)-anonymity of trajectories, checked from what is released and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.places.geometry import RADIUS, distance
from cobogo.locate.places.points import Points

SLACK = 1e-6
"""Metres: what the last digits of a float may be off by."""


@dataclass(frozen=True, eq=False)
class Closeness:
    """For each released trajectory, how many are within δ of it at all times, itself included."""

    delta: float
    crowd: Ints

    @property
    def k(self) -> int:
        """The least of them; 0 where nothing was released."""
        return int(self.crowd.min(initial=np.iinfo(np.int64).max)) if len(self.crowd) else 0

    def holds(self, k: int) -> bool:
        """Whether every trajectory has at least k − 1 others."""
        return not len(self.crowd) or self.k >= k


def closeness(released: Points, delta: float) -> Closeness:
    """Count for each trajectory (``user``) those that exist at the same times and are never more than δ metres away.

    Two trajectories that are given at the same moments are farthest apart at one of these, wherever straight lines are
    drawn between: so moments are all that need to be looked at.
    """
    assert released.user is not None
    assert released.time is not None
    order = np.lexsort((released.time, released.user))
    user, time = released.user[order], released.time[order]
    lon, lat = released.lon[order], released.lat[order]
    starts = np.append(np.flatnonzero(np.diff(user, prepend=-1)), len(user))
    groups: dict[bytes, list[int]] = {}
    for number in range(len(starts) - 1):
        groups.setdefault(time[starts[number] : starts[number + 1]].tobytes(), []).append(number)
    crowd = np.ones(len(starts) - 1, dtype=np.int64)
    for members in groups.values():
        some = np.array(members)
        rows = starts[some][:, None] + np.arange(starts[some[0] + 1] - starts[some[0]])
        crowd[some] += _neighbours(lon[rows], lat[rows], delta)
    return Closeness(delta, crowd)


def _neighbours(lon: Floats, lat: Floats, delta: float) -> Ints:
    """How many other rows are within δ in every column."""
    from scipy.spatial import cKDTree

    up, east = np.radians(lat[:, 0]), np.radians(lon[:, 0])
    globe = RADIUS * np.column_stack([np.cos(up) * np.cos(east), np.cos(up) * np.sin(east), np.sin(up)])
    pairs = cKDTree(globe).query_pairs(delta + 1.0, output_type="ndarray")  # a chord is no longer than its arc
    for moment in range(lon.shape[1]):
        if not len(pairs):
            break
        one, other = pairs[:, 0], pairs[:, 1]
        away = distance(lon[one, moment], lat[one, moment], lon[other, moment], lat[other, moment])
        pairs = pairs[away <= delta + SLACK]
    return np.asarray(np.bincount(pairs.ravel(), minlength=len(lon)), dtype=np.int64)
