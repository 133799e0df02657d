"""Trilateration: where somebody is, from distances that a service gives to several people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Entropy, below
from cobogo.locate.attacks.base import LocationAttack, LocationFindings, Scene, share
from cobogo.locate.attacks.hearing import sent_positions
from cobogo.locate.places.geometry import Frame, distance
from cobogo.locate.places.points import Points

ROUNDS = 50
"""Steps of the descent at most; ten are usual."""


def trilaterate(anchors: Points, distances: Floats, frame: Frame | None = None) -> Points:
    """The places at given distances from some anchors: one row of distances for each victim, one column for each
    anchor.

    Damped Gauss–Newton on the sum of squares, for all victims at once, started at the nearest anchor and in the middle
    of all: where anchors lie nearly on a line, the first start may end at the mirror image.
    """
    frame = frame or anchors.frame
    ax, ay = frame.metres(anchors.lon, anchors.lat)
    nearest = distances.argmin(axis=1)
    middle = np.full(len(distances), ax.mean()), np.full(len(distances), ay.mean())
    one = _descend(ax[nearest] + 1.0, ay[nearest] + 1.0, ax, ay, distances)
    other = _descend(*middle, ax, ay, distances)
    better = one[2] <= other[2]
    return Points(*frame.degrees(np.where(better, one[0], other[0]), np.where(better, one[1], other[1])))


def _descend(x: Floats, y: Floats, ax: Floats, ay: Floats, distances: Floats) -> tuple[Floats, Floats, Floats]:
    """The end of the descent from some places, and the sum of squares there."""
    damping = np.full(len(x), 1e-3)
    cost = _cost(x, y, ax, ay, distances)
    for _ in range(ROUNDS):
        dx, dy = x[:, None] - ax, y[:, None] - ay
        far = np.maximum(np.hypot(dx, dy), 1e-6)
        ux, uy, miss = dx / far, dy / far, far - distances
        gx, gy = (ux * miss).sum(axis=1), (uy * miss).sum(axis=1)
        many = damping * len(ax)
        hxx, hyy, hxy = (ux**2).sum(axis=1) + many, (uy**2).sum(axis=1) + many, (ux * uy).sum(axis=1)
        determinant = hxx * hyy - hxy**2
        step_x, step_y = (hyy * gx - hxy * gy) / determinant, (hxx * gy - hxy * gx) / determinant
        tried = _cost(x - step_x, y - step_y, ax, ay, distances)
        better = tried <= cost
        x, y = np.where(better, x - step_x, x), np.where(better, y - step_y, y)
        cost = np.where(better, tried, cost)
        damping = np.clip(np.where(better, damping / 3, damping * 4), 1e-9, 1e6)
        if np.all(np.hypot(step_x, step_y) < 1e-4):
            break
    return x, y, cost


def _cost(x: Floats, y: Floats, ax: Floats, ay: Floats, distances: Floats) -> Floats:
    return np.asarray(((np.hypot(x[:, None] - ax, y[:, None] - ay) - distances) ** 2).sum(axis=1))


@card("trilateration", knows="rounded distances to the person from several places", finds="people found within 100 m")
@dataclass(frozen=True)
class Trilateration(LocationAttack):
    r"""Where is a person whose distance a service reveals? Colluding users ask from several places and intersect the
    answers.

    The attackers are at several places around the area; ``users`` is how many. From the service they learn the distance
    to the victim's reported position, rounded to ``rounding`` metres. If the victim sent a set of positions, they learn
    the distance to each of them, and guess that the victim is at any one of those.

    Formula: $\arg\min_x \sum_i (d(x, a_i) - r_i)^2$ with the rounded distances $r_i$ from the places $a_i$
    Example: Distances are rounded to 500 m, and yet most people are found within 100 m.
        >>> from cobogo.studies.worked_examples import attack_city
        >>> attack_city(Trilateration(users=20, rounding=500.0)).success > 0.5
        True

    Guarantee: None: an attack finds people, it does not protect them. Rounding alone does not help. Noise in the
        reports helps, by as much as it moves them.
    Limits: The attack finds the position that the victim reported: if a mechanism moved it, the attack finds the moved
        one.
    Cost: $O(v\,a)$ for v victims and a colluders, with a few steps for each.
    Paper: None in particular: described in the surveys of location privacy as collusion.
    """

    users: int = 20
    rounding: float = 500.0  # metres
    within: float = 100.0
    most: int = 5000  # victims

    knows: ClassVar[str] = "rounded distances to the person from several places"
    measures: ClassVar[str] = "people found within a hundred metres, or `within`"
    needs: ClassVar[frozenset[str]] = frozenset({"positions"})

    def run(self, scene: Scene) -> LocationFindings:
        """Ask for everybody's distances and solve."""
        source, grid = Entropy(), scene.grid
        drawn = below(1 << 30, 2 * self.users, source).reshape(2, -1) / float(1 << 30)
        sides = [(side.min(), side.max() + 1.0) for side in grid.metres()]
        placed = [low + part * (high - low) for (low, high), part in zip(sides, drawn, strict=True)]
        anchors = Points(*grid.frame.degrees(*placed))
        positions, report = sent_positions(scene.released)
        positions, report = positions.take(report < self.most), report[report < self.most]
        truth = scene.truth.take(slice(0, self.most))
        ax, ay = grid.frame.metres(anchors.lon, anchors.lat)
        x, y = grid.frame.metres(positions.lon, positions.lat)
        told = np.hypot(x[:, None] - ax, y[:, None] - ay)
        if self.rounding > 0:
            told = np.round(told / self.rounding) * self.rounding
        solved = trilaterate(anchors, told, grid.frame)
        away = distance(truth.lon[report], truth.lat[report], solved.lon, solved.lat)
        each = np.bincount(report, minlength=len(truth))
        any_one = np.searchsorted(report, np.arange(len(truth)))  # the positions of a set are in random order
        return self.findings(
            share(np.bincount(report, away <= self.within, minlength=len(truth)) / each),
            len(truth),
            baseline=scene.blind_success(truth, self.within),
            error=np.bincount(report, away, minlength=len(truth)) / each,
            guesses=truth.move_to(solved.lon[any_one], solved.lat[any_one]),
            figures={
                "error_to_report": float(positions.distance(solved).mean()),
                "quality_loss": scene.quality_loss,
            },
        )
