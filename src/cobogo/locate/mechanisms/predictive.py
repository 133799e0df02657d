"""The predictive mechanism: what was said before is said again while it is near enough."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.floor.randomness import Source
from cobogo.locate.mechanisms.base import Guarantee, Mechanism, Released
from cobogo.locate.mechanisms.draws import UnitSteps, laplaces
from cobogo.locate.mechanisms.history import NOTHING, Past, Rows
from cobogo.locate.mechanisms.planar_laplace import PlanarLaplace
from cobogo.locate.places.grid import World
from cobogo.locate.places.points import Points

ROOM = 1e-6
"""The share of the test's ε that is not used: more than what the rounding of distances may add, cell to cell."""


@dataclass(frozen=True)
class Predictive(Mechanism):
    r"""The last report is sent again while a noisy test finds it near enough, which costs little; else a fresh report
    is made, which costs the rest.

    The test asks whether the truth is within ``threshold`` metres (unless given, 4/ε_noise: twice the mean error of a
    fresh report); ε_test is ``test_share`` of ``epsilon``, and ε_noise the rest. What a whole trace spent is the sum of
    ``cost``: that is less than ε a report, and how much less tells how one moved, so it is for the owner's eyes only.

    Formula: $d(x, z_{\text{last}}) \le \theta + \mathrm{Lap}(1/\varepsilon_{\text{test}})$: yes costs
        $\varepsilon_{\text{test}}$, no costs $\varepsilon_{\text{test}} + \varepsilon_{\text{noise}}$ and a fresh
        planar Laplace report
    Example: Somebody who does not move.
        >>> from cobogo.floor.randomness import Entropy
        >>> still = Points.of([-38.52] * 200, [-3.73] * 200, time=range(0, 200 * 60, 60), user=["ana"] * 200)
        >>> spent = float(Predictive(0.01).apply(still, Entropy()).cost.sum())
        >>> 200 * 0.002 <= spent < 200 * 0.01
        True

    Guarantee: ε-geo-indistinguishability for each report, given those before it; a trace costs the sum of what its
        reports did.
    Limits: The service sees when a report is repeated; that is part of what was paid for. For who moves all the time it
        saves nothing.
    Cost: $O(n)$ for n points, one after the other.
    Paper: K. Chatzikokolakis, C. Palamidessi and M. Stronati, A predictive differentially-private mechanism for
        mobility traces, PETS 2014; here with the last report as the prediction.
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

    @property
    def memory(self) -> int:
        return 1

    def apply(self, points: Points, source: Source) -> Released:
        return self.resume(NOTHING, points, source)

    def resume(self, past: Past, points: Points, source: Source) -> Released:
        from cobogo.locate.mechanisms.history_kernels import predictive

        rows = Rows.of(past, points)
        count = len(rows)
        steps, tests = UnitSteps.drawn(count, source), laplaces(count, source)
        test = self.epsilon * self.test_share
        threshold = 4 / self._noise.epsilon if self.threshold is None else self.threshold
        lon, lat, fresh = rows.filled(past.reports.lon), rows.filled(past.reports.lat), np.zeros(count, dtype=np.bool_)
        start = 0
        while start < count:
            start = predictive(
                start, rows.known, rows.first, rows.points.lon, rows.points.lat, steps.gamma, steps.bearing,
                steps.chance, tests, self._noise.drawn, test * (1 - ROOM), float(threshold), float(self.world.rows),
                float(self.world.size), lon, lat, fresh,
            )  # fmt: skip
            if start < count:
                steps.redraw(start, source)
        cost: Floats = test * (np.arange(count) > rows.first) + self._noise.epsilon * fresh
        return Released(
            points.at(rows.present(lon), rows.present(lat)),
            cost=rows.present(cost),
            of_owner={"fresh": rows.present(fresh)},
        )
