"""Rectangles that hide people among k, and what they tell all the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.attacks.base import Attack, Findings, Scene, share
from cobogo.locate.attacks.hearing import metres_to
from cobogo.locate.attacks.tracking import stretches
from cobogo.locate.crowds.cells import within
from cobogo.locate.mechanisms.base import Released
from cobogo.locate.metrics import region_area
from cobogo.locate.places.geometry import DEGREE, distance, wrapped
from cobogo.locate.places.points import Points

SNAPPED = 2.0
"""Metres from a true position within which it was snapped to the public grid, at most, and a little more."""


def centres(released: Released) -> tuple[Floats, Floats]:
    """The middles of rectangles."""
    assert released.box is not None
    west, south, east, north = released.box
    return wrapped(west + wrapped(east - west) / 2), (south + north) / 2


def inside(released: Released, row: int, points: Points) -> np.ndarray:
    """Which points lie in what was sent: in a rectangle, in a disc, or within a metre or two of a position of a set."""
    if released.box is not None:
        west, south, east, north = (float(side[row]) for side in released.box)
        return np.asarray(within(west, south, east, north, points.lon, points.lat))
    if released.radius is not None:
        middle = released.points
        return np.asarray(distance(middle.lon[row], middle.lat[row], points.lon, points.lat) <= released.radius[row])
    return np.asarray(metres_to(released, np.full(len(points), row), points) <= SNAPPED)


class Crowd:
    """Who is in each cloak, of everybody who reports in the same stretch of so many minutes."""

    def __init__(self, scene: Scene, minutes: float) -> None:
        self.released = scene.released
        self.everyone = scene.truth if scene.everyone is None else scene.everyone
        self.own = np.arange(len(scene.truth)) if scene.own is None else scene.own
        time = self.everyone.time
        slot = np.zeros(len(self.everyone)) if time is None else np.floor(time / (60 * minutes))
        self._order = np.argsort(slot, kind="stable")
        self._slot, self._line = slot, slot[self._order]

    def __call__(self, row: int) -> Ints:
        """The rows of everybody who was in the cloak of a report, its own among them."""
        mine = self.own[row]
        first, last = (int(np.searchsorted(self._line, self._slot[mine], side)) for side in ("left", "right"))
        there = self._order[first:last]
        return np.asarray(there[inside(self.released, row, self.everyone.take(there)) | (there == mine)])

    def people(self, rows: Ints) -> Ints:
        """Whose some rows are."""
        return rows if self.everyone.user is None else np.unique(self.everyone.user[rows])


@dataclass(frozen=True)
class CentreOfCloak(Attack):
    r"""Is the person in the middle of the cloak? Cloaks that are grown around who asks have them at their centre.

    The attacker sees where everybody is and who may have asked (the k of the cloak), and takes the one nearest to the
    middle of the rectangle. People who report in the same stretch of ``minutes`` are there together.

    Formula: $\arg\min_{u \in C} d(x_u, \mathrm{middle}(C))$; a safe cloak lets it be right once in k times
    Example: Cloaks of five, which should be right once in five times.
        >>> from cobogo.locate.crowds import NearestNeighbours
        >>> from cobogo.studies.worked import city, observed
        >>> found = observed(CentreOfCloak(), NearestNeighbours(k=5), city(30))
        >>> found.success > found.baseline
        True

    Guarantee: None: an attack finds, it does not protect. Reciprocal cloaks help: hilbert, and quad-tree with
        reciprocal.
    Limits: Needs to know where everybody is.
    Cost: $O(n\,p)$ for n cloaks and p people.
    Paper: P. Kalnis, G. Ghinita, K. Mouratidis and D. Papadias, Preventing location-based identity inference in
        anonymous spatial queries, IEEE Transactions on Knowledge and Data Engineering, 2007.
    """

    minutes: float = 15.0

    name: ClassVar[str] = "centre-of-cloak"
    knows: ClassVar[str] = "where everybody is"
    measures: ClassVar[str] = "cloaks whose nearest person to the middle is the one who asked"
    needs: ClassVar[frozenset[str]] = frozenset({"boxes"})

    def run(self, scene: Scene) -> Findings:
        """Guess who asked, cloak by cloak."""
        lon, lat = centres(scene.released)
        truth, crowd = scene.truth, Crowd(scene, self.minutes)
        hit, sizes = [], []
        for row in range(len(truth)):
            there = crowd(row)
            away = distance(lon[row], lat[row], crowd.everyone.lon[there], crowd.everyone.lat[there])
            nearest = away <= away.min() + 1e-6
            hit.append(float(nearest[there == crowd.own[row]][0]) / nearest.sum())
            sizes.append(len(crowd.people(there)))
        guesses = truth.at(lon, lat)
        return self.found(
            share(hit),
            len(truth),
            error=truth.distance(guesses),
            guesses=guesses,
            baseline=share(1 / np.array(sizes)),
            figures={
                "smallest_crowd": min(sizes),
                "mean_crowd": share(sizes),
                "mean_area": float(region_area(scene.released).mean()),
            },
        )


@dataclass(frozen=True)
class IntersectionOfCloaks(Attack):
    r"""Who was in all of them? One pseudonym's cloaks have few people in common.

    The attacker sees where everybody is at each moment and links a pseudonym's cloaks. Keeps the people who were in
    every one: in the rectangle, in the disc, or at one of the positions of a set, where dummies are nobody. Success is
    that only the person is left. Also tells how small the rectangles' common part is, for somebody who does not move.

    Formula: $\bigcap_i \{u : x_u(t_i) \in C_i\}$ over the cloaks $C_i$ of a pseudonym
    Example: Cloaks of five hide nobody who is followed for two days.
        >>> from cobogo.locate.crowds import Hilbert
        >>> from cobogo.studies.worked import city, observed
        >>> observed(IntersectionOfCloaks(), Hilbert(k=5), city(30)).success > 0.5
        True

    Guarantee: None: an attack finds, it does not protect. Pseudonyms that change help, or none: see mix-zone.
    Limits: Needs to know where everybody is, and that the cloaks are of one pseudonym.
    Cost: $O(n\,p)$ for n cloaks and p people.
    Paper: C. Bettini, X. S. Wang and S. Jajodia, Protecting privacy against location-based personal identification,
        2005 (historical k-anonymity).
    """

    minutes: float = 15.0

    name: ClassVar[str] = "intersection-of-cloaks"
    knows: ClassVar[str] = "where everybody is at each moment, and which cloaks are of one pseudonym"
    measures: ClassVar[str] = "people who alone were in all of their cloaks"
    needs: ClassVar[frozenset[str]] = frozenset({"regions or sets", "users", "times"})

    def run(self, scene: Scene) -> Findings:
        """Intersect everybody's cloaks."""
        truth, crowd = scene.truth, Crowd(scene, self.minutes)
        assert truth.user is not None
        assert truth.time is not None
        hit, left, areas = [], [], []
        for rows in stretches(truth.user, truth.time, longest=len(truth)):
            if len(rows) < 2:
                continue
            crowds = [crowd.people(crowd(int(row))) for row in rows]
            common = crowds[0]
            for other in crowds[1:]:
                common = np.intersect1d(common, other, assume_unique=True)
            left.append(len(common))
            hit.append(len(common) == 1)
            if scene.released.box is not None:
                areas.append(common_area(scene.released, rows))
        return self.found(
            share(hit),
            len(hit),
            baseline=1 / max(len(crowd.people(np.arange(len(crowd.everyone)))), 1),
            figures={"people_left": share(left), "common_area": share(areas) if areas else None},
            notes=() if hit else ("no pseudonym has two cloaks",),
        )


def common_area(released: Released, rows: Ints) -> float:
    """Square metres that some rectangles have in common."""
    assert released.box is not None
    west, south, east, north = (side[rows] for side in released.box)
    left = wrapped(west - west[0]).max()
    right = (wrapped(west - west[0]) + wrapped(east - west)).min()
    bottom, top = south.max(), north.min()
    if right <= left or top <= bottom:
        return 0.0
    return float((right - left) * (top - bottom) * DEGREE**2 * np.cos(np.radians((bottom + top) / 2)))
