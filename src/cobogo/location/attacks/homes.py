"""Where people live and work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cobogo.location.attacks.base import Attack, Findings, Scene, share
from cobogo.location.attacks.long import geometric_median
from cobogo.location.geometry import Floats, Frame
from cobogo.location.points import Ints, Points

DAY = 86_400.0
THURSDAY = 3
"""The first of January 1970."""


def at_night(time: Floats, hours_from_utc: float = 0.0) -> NDArray[np.bool_]:
    """From ten in the evening to six in the morning."""
    hour = (time / 3600 + hours_from_utc) % 24
    return np.asarray((hour >= 22) | (hour < 6))


def at_work(time: Floats, hours_from_utc: float = 0.0) -> NDArray[np.bool_]:
    """From nine to five, Monday to Friday."""
    local = time / 3600 + hours_from_utc
    hour, day = local % 24, (np.floor(local / 24) + THURSDAY) % 7
    return np.asarray((hour >= 9) & (hour < 17) & (day < 5))


def favourite_places(points: Points, rows: NDArray[np.bool_], near: float, fewest: int) -> tuple[Ints, Points]:
    """For each person with enough points among ``rows``: the median of the ``near`` metres about their densest spot.

    The densest spot is the fullest of square cells of that size, taken with the eight about it, in which time is
    counted by hours rather than by points, so that one long evening of reports does not outweigh a month of nights.
    """
    assert points.user is not None
    assert points.time is not None
    some = points.take(rows)
    if not len(some):
        return np.empty(0, dtype=np.int64), Points(np.empty(0), np.empty(0), None, np.empty(0, dtype=np.int64))
    assert some.user is not None
    assert some.time is not None
    frame = Frame.about(some.lon, some.lat)
    east, north = frame.metres(some.lon, some.lat)
    people, lon, lat = [], [], []
    order = np.argsort(some.user, kind="stable")
    bounds = np.flatnonzero(np.diff(some.user[order], prepend=-1))
    for mine in np.split(order, bounds[1:]):
        if len(mine) < fewest:
            continue
        x, y, hour = east[mine], north[mine], np.floor(some.time[mine] / 3600)
        keep = np.unique(np.stack([hour, np.floor(x / near), np.floor(y / near)]), axis=1, return_index=True)[1]
        middle = _densest(x[keep], y[keep], near)
        close = np.hypot(x - middle[0], y - middle[1]) <= 1.5 * near
        place = geometric_median(x[close], y[close]) if close.any() else middle
        there = frame.degrees([place[0]], [place[1]])
        people.append(int(some.user[mine[0]]))
        lon.append(float(there[0][0]))
        lat.append(float(there[1][0]))
    who = np.array(people, dtype=np.int64)
    return who, Points(np.array(lon), np.array(lat), None, who, points.names)


def _densest(east: Floats, north: Floats, near: float) -> tuple[float, float]:
    """The middle of the points in the fullest block of three by three cells."""
    column, row = np.floor(east / near).astype(np.int64), np.floor(north / near).astype(np.int64)
    column, row = column - column.min() + 1, row - row.min() + 1
    width = int(column.max()) + 2
    key = row * width + column
    steps = np.array([dy * width + dx for dy in (-1, 0, 1) for dx in (-1, 0, 1)])
    cells, counts = np.unique((key[:, None] + steps).ravel(), return_counts=True)
    best = cells[counts.argmax()]
    block = np.isin(key, best + steps)
    return float(east[block].mean()), float(north[block].mean())


@dataclass(frozen=True)
class HomeAndWork(Attack):
    r"""Where does somebody live, and where do they work? The places of their nights and of their working hours.

    The attacker knows the clock that people live by. Takes the densest spot of the nights and of working hours, hour by
    hour, and the median of the reports about it; a spot is as wide as the mechanism's usual noise, which is public.

    Formula: $\hat{h} = \mathrm{median}\{z_t : z_t \text{ near the densest spot},\; t \text{ at night}\}$
    Example:
        >>> from cobogo.location.mechanisms import PlanarLaplace
        >>> from cobogo.reference.worked import observed
        >>> observed(HomeAndWork(), PlanarLaplace(1.0)).success
        1.0

    Guarantee: None: an attack finds, it does not protect. One noisy report for home and one for work, sent for good,
        help.
    Limits: Takes everybody to sleep at night.
    Cost: $O(n \log n)$ for n reports.
    Paper: J. Krumm, Inference attacks on location tracks, Pervasive 2007; P. Golle and K. Partridge, On the anonymity
        of home/work location pairs, Pervasive 2009.
    """

    within: float = 250.0
    near: float = 300.0  # metres: the width of a spot
    fewest: int = 3  # reports, for a guess

    name: ClassVar[str] = "home-and-work"
    knows: ClassVar[str] = "the hours at which people sleep and work"
    measures: ClassVar[str] = "homes found within 250 metres, or `within`"
    needs: ClassVar[frozenset[str]] = frozenset({"users", "times"})

    def run(self, scene: Scene) -> Findings:
        """Compare what the reports tell with what the true points would have told."""
        assert scene.truth.time is not None
        home = self._attack(scene, at_night(scene.truth.time, scene.hours_from_utc))
        work = self._attack(scene, at_work(scene.truth.time, scene.hours_from_utc))
        return self.found(
            share(home[0] <= self.within),
            len(home[0]),
            error=home[0],
            guesses=home[1],
            figures={
                "works": len(work[0]),
                "works_found": share(work[0] <= self.within),
                "work_error": float(work[0].mean()) if len(work[0]) else None,
                "quality_loss": scene.quality_loss,
            },
            notes=() if len(home[0]) else ("nobody reports at night",),
        )

    def _attack(self, scene: Scene, rows: NDArray[np.bool_]) -> tuple[Floats, Points]:
        """Metres by which each place is missed, and the guesses."""
        real, places = favourite_places(scene.truth, rows, self.near, self.fewest)
        who, guesses = favourite_places(scene.reports, rows, max(self.near, scene.quality_loss), self.fewest)
        both, mine, theirs = np.intersect1d(real, who, return_indices=True)
        del both
        guesses = guesses.take(theirs)
        return places.take(mine).distance(guesses), guesses
