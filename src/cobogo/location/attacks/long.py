"""Many reports of one place, seen together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.location.attacks.base import Attack, Findings, Scene, share
from cobogo.location.attacks.spots import Ground
from cobogo.location.geometry import Floats, Frame
from cobogo.location.points import Points

Way = Literal["frequency", "mean", "median"]

ROUNDS = 60


def place_of(points: Points, how: Way, grid: Ground | None = None) -> tuple[float, float]:
    """Where reports that are all of one place say that it is: the cell that they name most often, their mean, or their
    geometric median, which for planar Laplace is the likeliest place (Weiszfeld's iteration)."""
    if how == "frequency":
        assert grid is not None
        cells = grid.nearest_cell(points.lon, points.lat)
        lon, lat = grid.centres([np.bincount(cells, minlength=grid.cells).argmax()])
        return float(lon[0]), float(lat[0])
    frame = Frame.about(points.lon, points.lat)
    east, north = frame.metres(points.lon, points.lat)
    x, y = float(east.mean()), float(north.mean())
    if how == "median":
        x, y = geometric_median(east, north)
    lon, lat = frame.degrees([x], [y])
    return float(lon[0]), float(lat[0])


def geometric_median(east: Floats, north: Floats) -> tuple[float, float]:
    """The place whose distances to all points have the least sum."""
    x, y = float(np.median(east)), float(np.median(north))
    for _ in range(ROUNDS):
        weight = 1 / np.maximum(np.hypot(east - x, north - y), 1e-3)
        after = float((weight * east).sum() / weight.sum()), float((weight * north).sum() / weight.sum())
        if np.hypot(after[0] - x, after[1] - y) < 1e-3:
            return after
        x, y = after
    return x, y


@dataclass(frozen=True)
class LongObservation(Attack):
    r"""Where is the place that somebody reports from again and again? Noise averages out.

    The attacker knows which reports of a person were sent from their most visited place (as by the hour), not where it
    is. Takes their median, mean, or most frequent cell.

    Formula: the mean of $n$ planar Laplace reports is off by about $\frac{\sqrt{3 \pi / 2}}{\varepsilon \sqrt{n}}$
        metres
    Example:
        >>> from cobogo.location.mechanisms import PlanarLaplace
        >>> from cobogo.reference.worked import observed
        >>> observed(LongObservation(), PlanarLaplace(1.0)).success
        1.0

    Guarantee: None: an attack finds, it does not protect. One noisy report of a place, sent for good, does not average
        out.
    Limits: Takes noise to be drawn anew each time.
    Cost: $O(n)$ for n reports.
    Paper: None in particular: the law of large numbers; described in the surveys of location privacy.
    """

    how: Way = "median"
    within: float = 100.0
    fewest: int = 2  # reports of a place, for it to count as one that is reported from again and again

    name: ClassVar[str] = "long-observation"
    knows: ClassVar[str] = "which reports were sent from the person's most visited place, as by their hour"
    measures: ClassVar[str] = "people whose most visited place is found within a hundred metres, or `within`"
    needs: ClassVar[frozenset[str]] = frozenset({"users"})

    def run(self, scene: Scene) -> Findings:
        """Find everybody's most visited place."""
        truth = scene.truth
        assert truth.user is not None
        cells = scene.grid.nearest_cell(truth.lon, truth.lat)
        found, real, numbers, people = [], [], [], []
        for rows in _by_person(truth.user):
            favourite = np.bincount(cells[rows]).argmax()
            there = rows[cells[rows] == favourite]
            if len(there) < self.fewest:
                continue
            found.append(place_of(scene.reports.take(there), self.how, scene.grid))
            real.append(place_of(truth.take(there), "mean"))
            numbers.append(len(there))
            people.append(int(truth.user[there[0]]))
        guesses = _points(found, people, truth.names)
        error = guesses.distance(_points(real, people, truth.names))
        return self.found(
            share(error <= self.within),
            len(found),
            error=error,
            guesses=guesses,
            figures={"reports_of_a_place": share(numbers), "quality_loss": scene.quality_loss},
            notes=() if found else ("nobody reports twice from one place",),
        )


def _by_person(user: np.ndarray) -> list[np.ndarray]:
    order = np.argsort(user, kind="stable")
    bounds = np.flatnonzero(np.diff(user[order], prepend=-1))
    return np.split(order, bounds[1:]) if len(order) else []


def _points(places: list[tuple[float, float]], people: list[int], names: tuple[str, ...]) -> Points:
    lon = np.array([place[0] for place in places])
    lat = np.array([place[1] for place in places])
    return Points(lon, lat, None, np.array(people, dtype=np.int64), names)
