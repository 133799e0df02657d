"""Mechanisms for traces, which look back at earlier reports.

`Predictive` repeats a report while it is near enough. `Adaptive` adds more noise where the next place can be predicted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source
from cobogo.locate.mechanisms.base import NO_PAST, LocationGuarantee, Mechanism, Past, Released, TraceRows
from cobogo.locate.mechanisms.planar_laplace import PlanarLaplace, UnitSteps, laplaces
from cobogo.locate.places.grid import World
from cobogo.locate.places.points import Points

ROOM = 1e-6
"""The share of the test's ε that is left unused: more than the rounding of distances between cells may cost."""


@card("predictive", title="Predictive", start={"epsilon": 0.01, "test-share": 0.2})
@dataclass(frozen=True)
class Predictive(Mechanism):
    r"""The last report is sent again as long as a noisy test finds it near enough, which costs little; otherwise a
    fresh report is made, which costs the rest.

    The test asks whether the true place is within ``threshold`` metres (by default 4/ε_noise: twice the mean error of a
    fresh report). ε_test is the share ``test_share`` of ``epsilon``, and ε_noise is the rest. A whole trace spends the
    sum of ``cost``, which is less than ε for each report. How much less reveals how the person moved, so only the owner
    may see it.

    Formula: $d(x, z_{\text{last}}) \le \theta + \mathrm{Lap}(1/\varepsilon_{\text{test}})$: yes costs
        $\varepsilon_{\text{test}}$, no costs $\varepsilon_{\text{test}} + \varepsilon_{\text{noise}}$ and a fresh
        planar Laplace report
    Example: A person who does not move.
        >>> from cobogo.floor.randomness import Entropy
        >>> still = Points.from_columns([-38.52] * 200, [-3.73] * 200, time=range(0, 200 * 60, 60), user=["ana"] * 200)
        >>> spent = float(Predictive(0.01).apply(still, Entropy()).cost.sum())
        >>> 200 * 0.002 <= spent < 200 * 0.01
        True

    Guarantee: ε-geo-indistinguishability for each report, given those before it; a trace costs the sum of the costs of
        its reports.
    Limits: The service sees when a report is repeated; that is included in the cost. For a person who moves all the
        time it saves nothing.
    Cost: $O(n)$ for n points, one after the other.
    Paper: K. Chatzikokolakis, C. Palamidessi and M. Stronati, A predictive differentially-private mechanism for
        mobility traces, PETS 2014; here with the last report as the prediction.
    """

    epsilon: float
    test_share: float = 0.2
    threshold: float | None = None

    def __post_init__(self) -> None:
        self._check_positive("epsilon")
        if not 0 < self.test_share < 1:
            raise ValueError(refusal(self.name, "test_share", tr("between 0 and 1"), self.test_share))
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
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "geo-indistinguishability",
            epsilon=self.epsilon,
            note=tr("at most, for one report; a report that repeats the last one costs only the test"),
        )

    @property
    def memory(self) -> int:
        return 1

    def apply(self, points: Points, source: Source) -> Released:
        return self.resume(NO_PAST, points, source)

    def resume(self, past: Past, points: Points, source: Source) -> Released:
        from cobogo.locate.mechanisms.kernels import report_predictively

        rows = TraceRows.join(past, points)
        count = len(rows)
        steps, tests = UnitSteps.draw(count, source), laplaces(count, source)
        test = self.epsilon * self.test_share
        threshold = 4 / self._noise.epsilon if self.threshold is None else self.threshold
        lon, lat, fresh = (
            rows.fill_column(past.reports.lon),
            rows.fill_column(past.reports.lat),
            np.zeros(count, dtype=np.bool_),
        )
        start = 0
        while start < count:
            start = report_predictively(
                start, rows.known, rows.first, rows.points.lon, rows.points.lat, steps.gamma, steps.bearing,
                steps.uniform, tests, self._noise.noise_epsilon, test * (1 - ROOM), float(threshold),
                float(self.world.rows), float(self.world.size), lon, lat, fresh,
            )  # fmt: skip
            if start < count:
                steps.redraw(start, source)
        cost: Floats = test * (np.arange(count) > rows.first) + self._noise.epsilon * fresh
        return Released(
            points.move_to(rows.present_part(lon), rows.present_part(lat)),
            cost=rows.present_part(cost),
            owner_only={"fresh": rows.present_part(fresh)},
        )


LOW, HIGH = 0.96, 2.7
"""Default thresholds in units of 1/ε: the quartiles of the length of planar Laplace noise, so that pure noise counts as
high correlation a quarter of the time, and as low as often."""


@card("adaptive", title="Adaptive", start={"epsilon": 0.01, "window": 5, "judge": "truth"})
@dataclass(frozen=True)
class Adaptive(Mechanism):
    r"""Planar Laplace noise whose ε depends on how well a line through the last reports predicts the position: a
    heuristic without a guarantee.

    If the line misses by less than ``delta1`` metres, places are highly correlated and ε is multiplied by
    ``factor_high_corr`` (below 1: more noise). If it misses by more than ``delta2``, ε is multiplied by
    ``factor_low_corr`` (above 1: less noise). The defaults are 0.96/ε and 2.7/ε. The first reports have plain noise.

    ``judge`` says whose distance from the line decides. With "truth", as in the paper, it is the true place, and ε
    depends on where the person is. With "reports" it is the last report, compared with those before it, so that ε
    follows from what is public. ``of`` "truth" draws the line through true places, for comparison only. With ``judge``
    "truth", ``cost`` reveals how the person moved: only the owner may see it.

    Formula: $\varepsilon_i = \alpha\,\varepsilon$ if $\mathrm{err} < \Delta_1$, $\beta\,\varepsilon$ if $\mathrm{err} >
        \Delta_2$, else $\varepsilon$, with $\alpha \le 1 \le \beta$ and $\mathrm{err}$ how far the line through the
        last reports misses
    Example:
        >>> Adaptive(0.01).guarantee.kind, Adaptive(0.01, judge="reports").guarantee.epsilon
        ('none', 0.05)

    Guarantee: None with ``judge`` "truth": no ε bounds what a report reveals. With "reports" each report has at most
        ε·factor_low_corr, and a trace spends the sum of the costs.
    Limits: On real trips an attacker follows it more closely than plain noise with the same mean error: see the guide.
        Use `predictive` instead.
    Cost: $O(n\,w)$ for n points and a window of w.
    Paper: R. Al-Dhubhani and J. M. Cazalas, An adaptive geo-indistinguishability mechanism for continuous LBS queries,
        Wireless Networks, 2018.
    """

    epsilon: float
    window: int = 5
    delta1: float | None = None
    delta2: float | None = None
    factor_high_corr: float = 0.1
    factor_low_corr: float = 5.0
    judge: Literal["truth", "reports"] = "truth"
    of: Literal["reports", "truth"] = "reports"

    def __post_init__(self) -> None:
        self._check_positive("epsilon", "factor_high_corr", "factor_low_corr")
        for holds, name, wanted in (
            (isinstance(self.window, int) and self.window >= 2, "window", tr("2 or more")),
            (0 < self._thresholds[0] <= self._thresholds[1], "delta1", tr("above 0 and at most delta2")),
            (
                self.factor_high_corr <= 1,
                "factor_high_corr",
                tr("at most 1, because predictable places need more noise"),
            ),
            (self.factor_low_corr >= 1, "factor_low_corr", tr("1 or more")),
            (self.judge in ("truth", "reports"), "judge", tr("one of {known}", known="truth, reports")),
            (self.of in ("truth", "reports"), "of", tr("one of {known}", known="truth, reports")),
            (self.judge == "truth" or self.of == "reports", "of", tr("reports, if judge is reports")),
        ):
            if not holds:
                raise ValueError(refusal(self.name, name, wanted, getattr(self, name)))
        self._levels  # noqa: B018 - refuse now what cannot be promised

    @property
    def _thresholds(self) -> tuple[float, float]:
        return (
            LOW / self.epsilon if self.delta1 is None else self.delta1,
            HIGH / self.epsilon if self.delta2 is None else self.delta2,
        )

    @cached_property
    def _levels(self) -> tuple[PlanarLaplace, ...]:
        """The noise of levels 0 (plain), 1 (high correlation) and 2 (low), all on the grid of the plain one."""
        plain = PlanarLaplace(self.epsilon)
        factors = self.factor_high_corr, self.factor_low_corr
        return plain, *(PlanarLaplace(self.epsilon * factor, grid=plain.world) for factor in factors)

    @property
    def world(self) -> World:
        """The grid of reports."""
        return self._levels[0].world

    @property
    def guarantee(self) -> LocationGuarantee:
        if self.judge == "truth":
            return LocationGuarantee(
                "none", note=tr("a heuristic: ε depends on where the person is, so no ε bounds what a report reveals")
            )
        return LocationGuarantee(
            "geo-indistinguishability",
            epsilon=self.epsilon * self.factor_low_corr,
            note=tr("at most, for one report, given the earlier reports; a trace spends the sum of the costs"),
        )

    @property
    def highest_cost(self) -> float:
        return self.epsilon * self.factor_low_corr

    @property
    def memory(self) -> int:
        return self.window + 1

    def apply(self, points: Points, source: Source) -> Released:
        return self.resume(NO_PAST, points, source)

    def resume(self, past: Past, points: Points, source: Source) -> Released:
        from cobogo.locate.mechanisms.kernels import report_adaptively

        rows = TraceRows.join(past, points)
        count = len(rows)
        when = np.arange(count, dtype=np.float64) if rows.points.time is None else rows.points.time
        steps = UnitSteps.draw(count, source)
        noise = np.array([level.noise_epsilon for level in self._levels])
        lon, lat, level = (
            rows.fill_column(past.reports.lon),
            rows.fill_column(past.reports.lat),
            np.zeros(count, dtype=np.int64),
        )
        start = 0
        while start < count:
            start = report_adaptively(
                start, rows.known, rows.first, when, rows.points.lon, rows.points.lat, steps.gamma, steps.bearing,
                steps.uniform, self.window, self.of == "truth", self.judge == "reports",
                *map(float, self._thresholds), noise, float(self.world.rows), float(self.world.size), lon, lat, level,
            )  # fmt: skip
            if start < count:
                steps.redraw(start, source)
        cost: Floats = np.array([one.epsilon for one in self._levels])[rows.present_part(level)]
        return Released(points.move_to(rows.present_part(lon), rows.present_part(lat)), cost=cost)
