"""The predictive mechanism: what was said before is said again while it is near enough."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cobogo.location.base import Guarantee, Mechanism, Released
from cobogo.location.draws import UnitSteps, laplaces
from cobogo.location.grid import Ints, World
from cobogo.location.mechanisms.planar_laplace import PlanarLaplace
from cobogo.location.points import Points
from cobogo.randomness import Source

ROOM = 1e-6
"""The share of the test's ε that is not used: more than what the rounding of distances may add, cell to cell."""


@dataclass(frozen=True)
class Predictive(Mechanism):
    """The last report is sent again while a noisy test finds it near enough, which costs little; else a fresh report is
    made, which costs the rest (Chatzikokolakis, Palamidessi & Stronati 2014, with the last report as prediction).

    The test asks whether the truth is within ``threshold`` metres (unless given, 4/ε_noise: twice the mean error
    of a fresh report), plus Laplace noise of 1/ε_test; ε_test is ``test_share`` of ``epsilon``, and ε_noise the rest.
    Every report keeps ε-geo-indistinguishability, given those before it. What a whole trace spent is the sum of
    ``cost``: that is less than ε a report, and how much less tells how one moved, so it is for the owner's eyes only.
    """

    name: ClassVar[str] = "predictive"

    epsilon: float
    test_share: float = 0.2
    threshold: float | None = None

    def __post_init__(self) -> None:
        self._check_positive("epsilon")
        if not 0 < self.test_share < 1:
            raise ValueError(
                f"The 'test_share' parameter of {self.name} must be between 0 and 1. Got {self.test_share!r} instead"
            )
        if self.threshold is not None:
            self._check_positive("threshold")
        self._noise  # noqa: B018 - refuse now what cannot be promised

    @cached_property
    def _noise(self) -> PlanarLaplace:
        return PlanarLaplace(self.epsilon * (1 - self.test_share))

    @property
    def world(self) -> World:
        """The grid of true places and reports."""
        return self._noise.world

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(
            "geo-indistinguishability",
            epsilon=self.epsilon,
            note="for one report at most; reports that repeat the last one cost the test only",
        )

    def apply(self, points: Points, source: Source) -> Released:
        from cobogo.location.backward_kernels import predictive

        count, order = len(points), by_person(points)
        person = np.zeros(count, dtype=np.int64) if points.user is None else points.user[order]
        steps, tests = UnitSteps.drawn(count, source), laplaces(count, source)
        test = self.epsilon * self.test_share
        threshold = 4 / self._noise.epsilon if self.threshold is None else self.threshold
        lon, lat, fresh = np.empty(count), np.empty(count), np.empty(count, dtype=np.bool_)
        start = 0
        while start < count:
            start = predictive(
                start, person, points.lon[order], points.lat[order], steps.gamma, steps.bearing, steps.chance, tests,
                self._noise.drawn, test * (1 - ROOM), float(threshold), float(self.world.rows), float(self.world.size),
                lon, lat, fresh,
            )  # fmt: skip
            if start < count:
                steps.redraw(start, source)
        tested = np.r_[False, person[1:] == person[:-1]][:count]
        cost = np.empty(count)
        cost[order] = test * tested + self._noise.epsilon * fresh
        return Released(points.at(*in_place(order, lon, lat)), cost=cost, of_owner={"fresh": in_place(order, fresh)[0]})


def by_person(points: Points) -> Ints:
    """The rows, person by person, each in the order given."""
    return np.arange(len(points)) if points.user is None else np.argsort(points.user, kind="stable")


def in_place(order: Ints, *columns: Any) -> list[Any]:
    """Columns in the order that the rows had before."""
    back = np.argsort(order, kind="stable")
    return [column[back] for column in columns]
