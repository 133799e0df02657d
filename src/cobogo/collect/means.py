"""The mean of a bounded number, from reports that reveal little of each.

A number between ``low`` and ``high`` is first moved to the nearest point of a public grid of ``steps`` equal steps (a
whole number on a grid of its own keeps its value; else the mean is off by at most half a step). All that is random is
then a choice among finitely many reports with probabilities that are fractions: the bits of floats reveal nothing. Each
report stands for a number, its *worth*. The expected worth is the number held, so the mean of the worths is the
estimate.

To add one: one class that extends `Mean`, and its name in `MeanCollection.randomizers`. As with frequency
oracles, a server counts whole numbers (how often each report came) that add up over parts of the reports.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, isfinite, sqrt
from statistics import NormalDist
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from cobogo.collect.collection import Collection
from cobogo.collect.layout import Layout, Rows, unpack_reports
from cobogo.collect.oracle import Reports, fraction_below
from cobogo.collect.protocol import (
    BONFERRONI,
    LEVEL,
    CollectionFindings,
    PermanentReports,
    Protocol,
    UnknownValue,
    text_array,
)
from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr, trn
from cobogo.floor.randomness import Source, below, coins


@dataclass(frozen=True)
class Average:
    """The mean of the users' numbers, with its standard error."""

    mean: float
    error: float
    users: int

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Where the mean lies, with that confidence (normal approximation)."""
        reach = NormalDist().inv_cdf((1 + confidence) / 2) * self.error
        return self.mean - reach, self.mean + reach


@dataclass(frozen=True)
class Mean(ABC):
    """A way to answer for a number from ``low`` to ``high``, at a privacy loss of at most ``epsilon`` a report."""

    low: float
    high: float
    epsilon: float
    steps: int = 4096

    name: ClassVar[str]

    def __post_init__(self) -> None:
        if not (isfinite(self.low) and isfinite(self.high - self.low) and self.low < self.high):
            raise ValueError(
                tr(
                    "The 'low' parameter of {name} must be below 'high', and both must be finite numbers",
                    name=self.name,
                )
            )
        if not 0 < self.epsilon <= 20:
            raise ValueError(refusal(self.name, "epsilon", tr("above 0 and at most 20"), self.epsilon))
        if not (isinstance(self.steps, int) and 1 <= self.steps <= 2**20):
            raise ValueError(refusal(self.name, "steps", tr("from 1 to 2**20"), self.steps))

    @property
    @abstractmethod
    def worth(self) -> Floats:
        """The number that each report stands for; as many as there are different reports, numbered from 0."""

    @abstractmethod
    def encode(self, points: Ints, source: Source) -> Reports:
        """One report for each client, who holds a point of the grid (from 0 to ``steps``)."""

    @abstractmethod
    def law(self, point: int) -> Mapping[int, Fraction]:
        """The exact probability of every report of a client who holds a point."""

    @abstractmethod
    def _square(self, points: Ints) -> Floats:
        """The expected square of the worth, for each point."""

    def points(self, numbers: Floats) -> Ints:
        """The nearest points of the grid. Numbers beyond the bounds count as the bounds."""
        given = np.asarray(numbers, dtype=np.float64)
        if np.isnan(given).any():
            raise ValueError(f"The 'numbers' parameter of {self.name} must be numbers. Got NaN instead")
        scaled = (np.clip(given, self.low, self.high) - self.low) / (self.high - self.low) * self.steps
        return np.clip(np.rint(scaled), 0, self.steps).astype(np.int64)

    def numbers(self, points: Ints) -> Floats:
        """The numbers that points of the grid stand for."""
        return self.low + np.asarray(points, dtype=np.float64) / self.steps * (self.high - self.low)

    def tally(self, reports: Reports) -> Ints:
        """How often each report came. The counts of several parts of the reports add up."""
        return np.bincount(reports, minlength=len(self.worth))

    def estimate(self, tally: Ints) -> Average:
        """The mean of the numbers. Its standard error is computed from the worths of the reports, so it includes how
        the numbers themselves vary: it is right for the population that the users are a sample of, and a little too
        large for the users themselves."""
        users = int(tally.sum())
        if not users:
            return Average(float("nan"), float("inf"), 0)
        mean = float(tally @ self.worth) / users
        spread = float(tally @ (self.worth - mean) ** 2) / max(users - 1, 1)
        return Average(mean, sqrt(spread / users) if users > 1 else float("inf"), users)

    def variance(self, points: Ints) -> Floats:
        """The variance of the worth of one report, for each point."""
        points = np.asarray(points, dtype=np.int64)
        return self._square(points) - self.numbers(points) ** 2

    def required_users(self, error: float) -> int:
        """The number of users with which the standard error is at most ``error``, whatever they hold.

        >>> Piecewise(0, 100, epsilon=1.0).required_users(1.0)
        13060
        """
        if not error > 0:
            raise ValueError(f"The 'error' parameter of {self.name} must be above 0. Got {error!r} instead")
        return ceil(float(self.variance(np.arange(self.steps + 1)).max()) / error**2)


@card("duchi", title="one bit for a mean", group="numbers")
@dataclass(frozen=True)
class OneBit(Mean):
    r"""One bit for a number: heads with a probability that rises with the number.

    Heads are at most e^ε times as probable for one number as for another, and so are tails. In the worst case it has
    the least variance for ε below about 1.3; above that, `piecewise` has less.

    Formula: $\Pr[\text{heads}] = \frac{1}{2} + \frac{v}{2} \cdot \frac{e^{\varepsilon} - 1}{e^{\varepsilon} + 1}$ for
        $v$ scaled to $[-1, 1]$; heads and tails are worth $\pm \frac{e^{\varepsilon} + 1}{e^{\varepsilon} - 1}$, with
        variance $\left(\frac{e^{\varepsilon} + 1}{e^{\varepsilon} - 1}\right)^2 - v^2$
    Example:
        >>> mean = OneBit(low=0, high=100, epsilon=1.0)
        >>> mean.worth.round(1).tolist(), round(float(mean.law(4096)[1] / mean.law(0)[1]), 6)
        ([-58.2, 158.2], 2.718282)

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: The bounds are public, and numbers outside of them count as the bounds. It estimates only the mean, not the
        distribution.
    Cost: $O(1)$ for a client, one bit; $O(n)$ for the server.
    Paper: J. C. Duchi, M. I. Jordan and M. J. Wainwright, Minimax optimal procedures for locally private estimation,
        Journal of the American Statistical Association, 2018.
    """

    @cached_property
    def truth(self) -> Fraction:
        """The probability that a report depends on the number at all: (e^ε − 1) / (e^ε + 1)."""
        return 2 * fraction_below(exp(self.epsilon) / (exp(self.epsilon) + 1)) - 1

    @cached_property
    def worth(self) -> Floats:
        """Both lie beyond the bounds."""
        reach = (self.high - self.low) / float(self.truth) / 2
        middle = (self.low + self.high) / 2
        return np.array([middle - reach, middle + reach])

    def encode(self, points: Ints, source: Source) -> Reports:
        """0 or 1: heads for the share of the grid that lies below the point; else a fair coin."""
        heads = below(self.steps, len(points), source) < points
        return np.where(
            coins(self.truth, len(points), source), heads, coins(Fraction(1, 2), len(points), source)
        ).astype(np.int64)

    def law(self, point: int) -> Mapping[int, Fraction]:
        """Tails and heads."""
        heads = self.truth * Fraction(point, self.steps) + (1 - self.truth) / 2
        return {0: 1 - heads, 1: heads}

    def _square(self, points: Ints) -> Floats:
        heads = float(self.truth) * points / self.steps + (1 - float(self.truth)) / 2
        squares = self.worth**2
        found: Floats = squares[0] * (1 - heads) + squares[1] * heads
        return found


@card("piecewise", title="piecewise mechanism", group="numbers")
@dataclass(frozen=True)
class Piecewise(Mean):
    r"""A number from a range wider than that of the true numbers; numbers in a window around the true one are e^ε times
    as probable as others.

    Reports are points of a grid: a window of about steps·e^(−ε/2) points moves with the true number. The variance is
    least near the middle of the range.

    Formula: for $v$ scaled to $[-1, 1]$ the variance of a report's worth is $\frac{v^2}{e^{\varepsilon/2} - 1} +
        \frac{e^{\varepsilon/2} + 3}{3\,(e^{\varepsilon/2} - 1)^2}$, but for the grid
    Example:
        >>> Piecewise(low=0, high=100, epsilon=1.0).required_users(error=1.0)
        13060

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: The bounds are public, and numbers outside of them count as the bounds. At a small ε `duchi` is better.
    Cost: $O(1)$ for a client; $O(n + s)$ for the server with s steps of the grid.
    Paper: N. Wang, X. Xiao, Y. Yang, J. Zhao, S. C. Hui, H. Shin, J. Shin and G. Yu, Collecting and analyzing
        multidimensional data with local differential privacy, ICDE 2019.
    """

    @cached_property
    def window(self) -> int:
        """How many points are near."""
        return max(1, round(self.steps * exp(-self.epsilon / 2)))

    @cached_property
    def outcomes(self) -> int:
        """How many points there are to report: a window for every point of the grid."""
        return self.steps + self.window

    @cached_property
    def truth(self) -> Fraction:
        """The probability that a report is drawn from the window, and else from all points. Points of the window are
        then e^ε times as likely as others."""
        favour = (exp(self.epsilon) - 1) * self.window
        return fraction_below(favour / (self.outcomes + favour))

    @cached_property
    def worth(self) -> Floats:
        """A straight line over the points: the expected report rises by ``truth`` with each point of the grid."""
        truth = float(self.truth)
        at_zero = (1 - truth) * (self.outcomes - 1) / 2 + truth * (self.window - 1) / 2
        return self.low + (np.arange(self.outcomes) - at_zero) / truth / self.steps * (self.high - self.low)

    def encode(self, points: Ints, source: Source) -> Reports:
        """The number of a point."""
        near = points + below(self.window, len(points), source)
        return np.where(coins(self.truth, len(points), source), near, below(self.outcomes, len(points), source))

    def law(self, point: int) -> Mapping[int, Fraction]:
        """Every point, those of the window more likely."""
        far = (1 - self.truth) / self.outcomes
        near = far + self.truth / self.window
        return {report: near if 0 <= report - point < self.window else far for report in range(self.outcomes)}

    def _square(self, points: Ints) -> Floats:
        summed = np.concatenate([[0.0], np.cumsum(self.worth**2)])
        near = (summed[points + self.window] - summed[points]) / self.window
        found: Floats = float(self.truth) * near + (1 - float(self.truth)) * summed[-1] / self.outcomes
        return found


@card("hybrid", title="hybrid mechanism", group="numbers")
@dataclass(frozen=True)
class Hybrid(Mean):
    r"""Either `piecewise` or `duchi`, chosen at random; at a small ε always `duchi`.

    In the worst case its variance is never larger than that of either, at any ε.

    Formula: `piecewise` with probability $1 - e^{-\varepsilon/2}$ if $\varepsilon > 0.61$, else never
    Example:
        >>> [round(float(Hybrid(low=0, high=1, epsilon=e).first), 3) for e in (0.5, 1.0, 4.0)]
        [0.0, 0.393, 0.865]

    Guarantee: ε-local differential privacy for one report; no party needs to be trusted.
    Limits: The bounds are public, and numbers outside of them count as the bounds.
    Cost: $O(1)$ for a client; $O(n + s)$ for the server with s steps of the grid.
    Paper: N. Wang, X. Xiao, Y. Yang, J. Zhao, S. C. Hui, H. Shin, J. Shin and G. Yu, Collecting and analyzing
        multidimensional data with local differential privacy, ICDE 2019.
    """

    @cached_property
    def parts(self) -> tuple[Piecewise, OneBit]:
        """Both answers; the reports of the second are numbered after those of the first."""
        given = (self.low, self.high, self.epsilon, self.steps)
        return Piecewise(*given), OneBit(*given)

    @cached_property
    def first(self) -> Fraction:
        """The probability of the first."""
        return Fraction(0) if self.epsilon <= 0.61 else Fraction(1 - exp(-self.epsilon / 2))

    @cached_property
    def worth(self) -> Floats:
        """Those of both."""
        return np.concatenate([part.worth for part in self.parts])

    def encode(self, points: Ints, source: Source) -> Reports:
        """Both are drawn, and one is sent."""
        piecewise, one_bit = self.parts
        sent = coins(self.first, len(points), source)
        other = piecewise.outcomes + one_bit.encode(points, source)
        return np.where(sent, piecewise.encode(points, source), other)

    def law(self, point: int) -> Mapping[int, Fraction]:
        """The reports of both."""
        piecewise, one_bit = self.parts
        found = {report: self.first * chance for report, chance in piecewise.law(point).items()}
        for report, chance in one_bit.law(point).items():
            found[piecewise.outcomes + report] = (1 - self.first) * chance
        return found

    def _square(self, points: Ints) -> Floats:
        piecewise, one_bit = self.parts
        share = float(self.first)
        return share * piecewise._square(points) + (1 - share) * one_bit._square(points)


class MeanProtocol(PermanentReports):
    """Reports that each stand for a number; their mean is that of the numbers held."""

    rules: ClassVar[tuple[str, ...]] = (BONFERRONI,)

    def __init__(self, mean: Mean) -> None:
        super().__init__(mean)
        self.mean = mean

    @property
    def layout(self) -> Layout:
        """The number of a report."""
        return Layout((("report", len(self.mean.worth)),))

    @property
    def shape(self) -> tuple[int, ...]:
        """How often each report came."""
        return (len(self.mean.worth),)

    def read(self, values: Sequence[str | None]) -> Ints:
        """Points of the grid; numbers beyond the bounds count as the bounds."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = text_array(values)
        plain = pc.match_substring_regex(texts, r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*$")
        known = pc.fill_null(plain, False).to_numpy(zero_copy_only=False)
        if not known.all():
            wrong = np.flatnonzero(~known)
            raise UnknownValue(
                int(wrong[0]),
                trn(
                    "{n:,} of {all:,} is not a number",
                    "{n:,} of {all:,} are not numbers",
                    n=wrong.size,
                    all=len(texts),
                ),
            )
        return self.mean.points(pc.utf8_trim_whitespace(texts).cast(pa.float64()).to_numpy(zero_copy_only=False))

    def canonical_value(self, value: str) -> str:
        """The point of the grid: a number that moves by less than a step is the same."""
        return str(int(self.read([value])[0]))

    def tally(self, rows: Rows) -> Ints:
        """How often each report came."""
        return np.asarray(self.mean.tally(unpack_reports(rows, self.layout)), dtype=np.int64)

    def findings(self, counts: Ints, users: int, *, level: float = LEVEL, rule: str = BONFERRONI) -> CollectionFindings:
        """One figure."""
        if not users:
            nothing = np.zeros(0)
            return CollectionFindings((), nothing, nothing, nothing, 0, 1, level, counted=False, rule=rule)
        found = self.mean.estimate(counts)
        return CollectionFindings(
            ("mean",),
            np.array([found.mean]),
            np.array([found.error]),
            np.zeros(1),
            users,
            1,
            level,
            counted=False,
            rule=rule,
        )


class MeanCollection(Collection):
    """A question for a number between bounds, of which the mean is wanted."""

    mechanism: Literal["duchi", "piecewise", "hybrid"]
    epsilon: Annotated[float, Field(gt=0, le=20)]
    low: Annotated[float, Field(allow_inf_nan=False)]
    high: Annotated[float, Field(allow_inf_nan=False)]
    steps: Annotated[int, Field(ge=1, le=2**20)] = 4096

    randomizers: ClassVar[Mapping[str, type[Mean]]] = {mean.name: mean for mean in (OneBit, Piecewise, Hybrid)}

    def build(self) -> Protocol:
        """The mechanism over the grid."""
        try:
            return MeanProtocol(self.randomizers[self.mechanism](self.low, self.high, self.epsilon, self.steps))
        except ValueError as error:
            raise self.refuse_parameter(error, ("low", "epsilon", "steps")) from None
