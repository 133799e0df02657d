"""Planar Laplace noise, which gives geo-indistinguishability for one report, and its remapping to a public prior.

Its random numbers are drawn from random words and exact in their tails. A uniform number of 53 bits has no logarithm
below −37, so that noise made of it ends at an edge, and a report near the edge of one place rules other places out.
Here small words are followed by more bits.

On a machine bearings are steps apart and positions are rounded, so that the law of reports is not quite the planar
Laplace. Snapped to a grid of step u, from locations on the grid, within r_max (Andrés et al. 2013, theorem on the
discretized mechanism): noise of ε′ gives ε-geo-indistinguishability when

    ε′ + 1/u · ln((q + 2·e^(ε′u)) / (q − 2·e^(ε′u))) ≤ ε,    q = u / (r_max · δθ).

r_max·δθ is how far finite digits may misplace a report. Here the rounding of positions is added to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, e, exp, inf, log, log1p, pi, sin
from typing import Any

import numpy as np

from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints, Words
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import AT_ONCE, Source
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released
from cobogo.locate.mechanisms.discrete import check_prior
from cobogo.locate.places.cells import PublicPlaces
from cobogo.locate.places.geometry import HALFWAY, RADIUS
from cobogo.locate.places.grid import Grid, World
from cobogo.locate.places.points import Points

BEARING_STEP = 2 * pi * 2.0**-53
"""Radians between neighbouring bearings."""


def uniforms(count: int, source: Source) -> Floats:
    """Uniform numbers strictly between 0 and 1, of 53 bits."""
    return (np.right_shift(source.words(count), np.uint64(11)) + 0.5) * 2.0**-53


def exponentials(words: Words, source: Source) -> Floats:
    """Exponential numbers with mean 1, from words; more words are drawn where needed.

    The first word holds a uniform number's first 64 bits. Where they leave fewer than 53 after its leading zeros, a
    second word is drawn; where all are zero, the number is 2⁻⁶⁴ times that of another draw.
    """
    found = np.empty(len(words))
    first, rest, zeros = np.array(words), np.arange(len(words)), 0
    while rest.size:
        small = np.flatnonzero(first < 2**53)
        value = first.astype(np.float64) + 0.5
        value[small] = first[small] + uniforms(small.size, source)
        found[rest] = (64 * (zeros + 1)) * log(2) - np.log(value)
        again = np.flatnonzero(first == 0)
        rest, first, zeros = rest[again], np.array(source.words(again.size)), zeros + 1
    return found


def bearings(words: Words) -> Floats:
    """Uniform bearings in radians, from the first 53 bits of words."""
    return np.right_shift(words, np.uint64(11)) * BEARING_STEP


def is_kept(turned: Floats, chance: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which steps, drawn as on a plane, are kept on a sphere, where rings are shorter by the ratio of the sine of the
    angle to the angle, and end at the other side. Kept steps have a density of e^(−ε·metres) on the sphere."""
    return (turned < np.pi) & (chance * turned < np.sin(turned))


def laplace_steps(words: Words, epsilon: float, source: Source) -> tuple[Floats, Floats]:
    """Planar Laplace noise on the globe, of three words a step: the angle that it spans at the centre of the globe in
    radians, and its bearing. More words are drawn where three are not enough.

    >>> from cobogo.floor.randomness import Seeded
    >>> turned, bearing = laplace_steps(Seeded(1).words(3000).reshape(-1, 3), 0.01, Seeded(2))
    >>> bool(150 < turned.mean() * RADIUS < 250)
    True
    """
    turned, bearing, rest = np.empty(len(words)), np.empty(len(words)), np.arange(len(words))
    while rest.size:
        gamma = exponentials(words[:, 0], source) + exponentials(words[:, 1], source)
        turned[rest], bearing[rest] = gamma / (epsilon * RADIUS), bearings(words[:, 2])
        chance = ((words[:, 2] & np.uint64(2047)) + uniforms(len(words), source)) / 2048
        rest = rest[~is_kept(turned[rest], chance)]
        words = source.words(3 * rest.size).reshape(-1, 3)
    return turned, bearing


@dataclass(frozen=True, eq=False)
class UnitSteps:
    """Steps of planar Laplace noise for ε = 1, for mechanisms that choose the ε of each step as they go."""

    gamma: Floats  # ε times metres
    bearing: Floats
    uniform: Floats  # decides whether the sphere keeps the step: see `is_kept`

    @classmethod
    def draw(cls, count: int, source: Source) -> UnitSteps:
        """Draw new steps."""
        words = source.words(3 * count).reshape(-1, 3)
        gamma = exponentials(words[:, 0], source) + exponentials(words[:, 1], source)
        return cls(gamma, bearings(words[:, 2]), uniforms(count, source))

    def redraw(self, number: int, source: Source) -> None:
        """Draw another step in place of one that was not kept."""
        new = UnitSteps.draw(1, source)
        self.gamma[number], self.bearing[number], self.uniform[number] = new.gamma[0], new.bearing[0], new.uniform[0]


def laplaces(count: int, source: Source) -> Floats:
    """Laplace numbers with scale 1: exponential numbers with a random sign."""
    sign = 1.0 - 2.0 * (source.words(count) & np.uint64(1))
    return np.asarray(sign * exponentials(source.words(count), source))


ROUNDING = 1e-7
"""Metres by which floats may misplace a position on the globe: ten times the most that was measured."""

GRAIN = HALFWAY * BEARING_STEP + ROUNDING
"""Metres by which finite digits may misplace a report at the other side of the world."""


def epsilon_to_draw(epsilon: float, step: float, grain: float = GRAIN) -> float | None:
    """The largest ε′ that the theorem allows, to draw the noise with; None where there is none, and the grid must be
    coarser (or, where ε·u is large, finer).

    >>> f"{epsilon_to_draw(0.01, 1.0, 100_000 * BEARING_STEP) / 0.01:.8f}"
    '0.99999997'
    >>> epsilon_to_draw(0.01, 1.0, 100_000 * 2**-24) is None
    True
    """
    quotient = step / grain

    def promised(drawn: float) -> float:
        edge = 2 * exp(min(drawn * step, 700.0))
        return inf if edge >= quotient else drawn + log1p(2 * edge / (quotient - edge)) / step * (1 + 1e-9)

    low, high = 0.0, epsilon
    if promised(low) >= epsilon:
        return None
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if promised(middle) <= epsilon else (low, middle)
    return low or None


LEAST = 1e-7
"""The least ε per metre: places on opposite sides of the globe then differ by a factor of e² at most."""

WIDE = 1e-4
"""The ε per metre below which noise reaches so far that radii are computed on the sphere, not on a plane."""

FINEST = 1.0
"""The smallest cells of a grid, in metres."""


@card("planar-laplace", title="Planar Laplace", start={"epsilon": 0.01})
@dataclass(frozen=True)
class PlanarLaplace(Mechanism):
    r"""Noise around the true place, with a density that falls by a factor of e for every 1/ε metres.

    True places and reports are cells of a public ``grid`` (1 m, or 1 % of 1/ε if that is more), and the noise uses the
    ε′ that the grid requires. With a ``region``, which must be public, a report outside of it is moved to the nearest
    place inside. On average a report is 2/ε metres off.

    Formula: $f(z \mid x) = \frac{\varepsilon^2}{2 \pi} e^{-\varepsilon\,d(x, z)}$; the radius $r$ has $\Pr[r \le R] = 1
        - (1 + \varepsilon R)\,e^{-\varepsilon R}$

        The guarantee: $\Pr[z \mid x] \le e^{\varepsilon\,d(x, x')} \Pr[z \mid x']$
    Example:
        >>> noise = PlanarLaplace(0.01)
        >>> noise.guarantee.epsilon, round(noise.radius(0.95))
        (0.01, 474)

    Guarantee: ε-geo-indistinguishability for one report: whatever is reported is at most $e^{\varepsilon d}$ times as
        probable from one place as from another d metres away, whatever else the attacker knows.
    Limits: ε is per metre and per report: each further report of the same place costs ε again, and the noise averages
        out. It hides the house, not the city.
    Cost: $O(n)$ for n points, 0.12 s for a million of them.
    Paper: M. E. Andrés, N. E. Bordenabe, K. Chatzikokolakis and C. Palamidessi, Geo-indistinguishability: differential
        privacy for location-based systems, CCS 2013.
    """

    epsilon: float
    grid: World | None = None
    region: PublicPlaces | None = None

    def __post_init__(self) -> None:
        self._check_positive("epsilon")
        if self.epsilon < LEAST:
            wanted = tr("{least:g} per metre or more: with less, the noise is wider than the globe", least=LEAST)
            raise ValueError(refusal(self.name, "epsilon", wanted, self.epsilon))
        if self.grid is not None and self.grid.size < FINEST:
            wanted = tr("of cells of {least:g} m or more", least=FINEST)
            raise ValueError(refusal(self.name, "grid", wanted, self.grid.size))
        self.noise_epsilon  # noqa: B018 - refuse now what cannot be promised

    @classmethod
    def from_level(cls, metres: float, level: float) -> PlanarLaplace:
        """The noise with which a report is at most e^level times as likely from one place as from another up to so many
        metres away."""
        return cls(level / metres)

    @property
    def world(self) -> World:
        """The grid of true places and reports."""
        return self.grid or World(min(max(FINEST, 0.01 / self.epsilon), 10_000.0))

    @cached_property
    def noise_epsilon(self) -> float:
        """ε′, with which the noise is drawn; the step of the grid is taken as half the size of a cell, which no two are
        nearer."""
        found = epsilon_to_draw(self.epsilon, self.world.size / 2)
        if found is None:
            wanted = tr("one that floating-point numbers can hold on a grid of {size:g} m", size=self.world.size)
            raise ValueError(refusal(self.name, "epsilon", wanted, self.epsilon))
        return found

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "geo-indistinguishability",
            epsilon=self.epsilon,
            note=tr(
                "for one report, between cells of {size:g} m; n reports cost n times as much", size=self.world.size
            ),
        )

    def apply(self, points: Points, source: Source) -> Released:
        lon, lat = add_noise(points, self.noise_epsilon, self.world, source)
        reports = points.move_to(lon, lat)
        return Released(
            reports if self.region is None else self.region(reports), cost=np.full(len(points), self.epsilon)
        )

    def radius(self, share: float) -> float:
        """The radius in metres that holds a share of the reports, before snapping, which moves them by a cell at most.

        On a plane −(W₋₁((p − 1)/e) + 1)/ε′, with W₋₁ the lower branch of Lambert's function; on the sphere by bisection
        of `share_within`.
        """
        from scipy.special import lambertw

        if not 0 <= share < 1:
            raise ValueError(f"The 'share' parameter of radius must be from 0 to below 1. Got {share!r} instead")
        if self.noise_epsilon < WIDE:
            low, high = 0.0, HALFWAY
            for _ in range(80):
                middle = (low + high) / 2
                low, high = (middle, high) if self.share_within(middle) < share else (low, middle)
            return high
        return float(-(lambertw((share - 1) / e, -1).real + 1) / self.noise_epsilon)

    def share_within(self, metres: float) -> float:
        """The share of reports within so many metres: 1 − (1 + ε′r)·e^(−ε′r). On the sphere, with a = ε′·R and θ = r/R:
        (1 − (cos θ + a·sin θ)·e^(−aθ)) / (1 + e^(−aπ))."""
        if self.noise_epsilon < WIDE:
            bend, angle = self.noise_epsilon * RADIUS, min(metres / RADIUS, pi)
            return (1 - (cos(angle) + bend * sin(angle)) * exp(-bend * angle)) / (1 + exp(-bend * pi))
        scaled = self.noise_epsilon * metres
        return 1 - exp(log1p(scaled) - scaled)


def add_noise(
    points: Points, epsilon: float, world: World, source: Source, *, from_cells: bool = True
) -> tuple[Floats, Floats]:
    """Snap points to the grid (unless not ``from_cells``), move them by noise, and snap them again."""
    from cobogo.locate.places.kernels import noise_all, walk_all

    rows, size = float(world.rows), float(world.size)
    lon, lat = np.empty(len(points)), np.empty(len(points))
    for start in range(0, len(points), AT_ONCE // 4):
        part = slice(start, start + AT_ONCE // 4)
        here = points.lon[part], points.lat[part]
        words = source.words(3 * len(here[0])).reshape(-1, 3)
        left: Ints = np.empty(len(words), dtype=np.int64)
        rest = left[: noise_all(*here, words, epsilon, from_cells, rows, size, lon[part], lat[part], left)]
        if rest.size:
            lon_rest, lat_rest = np.empty(rest.size), np.empty(rest.size)
            steps = laplace_steps(words[rest], epsilon, source)
            walk_all(here[0][rest], here[1][rest], *steps, from_cells, rows, size, lon_rest, lat_rest)
            lon[part][rest], lat[part][rest] = lon_rest, lat_rest
    return lon, lat


NUMBERS = 1 << 22
"""Beliefs that are in memory at a time: 32 MB."""

EXACTLY = 4096
"""Distinct positions that are each remapped exactly; more are first rounded to an eighth of a cell or coarser, since
each takes a convolution of the grid."""


@dataclass(frozen=True, eq=False)
class Remap:
    """Moves each report to the cell with the least expected distance from the truth, given the ``prior`` and the noise
    of ``epsilon``: argmin_y Σ_x π(x)·e^(−ε·d(x,z))·d(x,y) (Chatzikokolakis et al. 2017).

    It depends on reports and on the prior only, so that a guarantee still holds if the prior is public. It may follow
    any mechanism: ``PlanarLaplace(0.01) >> Remap(0.01, grid, prior)``.
    """

    epsilon: float
    grid: Grid
    prior: Any

    def __call__(self, reports: Points) -> Points:
        east, north = self.grid.frame.metres(reports.lon, reports.lat)
        for step in (0.0, *(self.grid.size / parts for parts in (8, 4, 2, 1))):
            x, y = (east, north) if not step else (np.rint(part / step) * step for part in (east, north))
            places, which = np.unique(np.stack([x, y]), axis=1, return_inverse=True)
            if places.shape[1] <= EXACTLY:
                break
        return reports.move_to(*self.grid.centres(self.best(places[0], places[1])[which.ravel()]))

    @cached_property
    def _chances(self) -> Floats:
        return check_prior(self.prior, self.grid, "remap")

    def best(self, x: Floats, y: Floats) -> Ints:
        """The cells to which reports at some places, in metres of the grid, are moved."""
        from scipy.signal import fftconvolve

        rows, columns, size = self.grid.rows, self.grid.columns, self.grid.size
        across, up = np.arange(1 - columns, columns) * size, np.arange(1 - rows, rows) * size
        kernel = np.hypot(across, up[:, None])
        east, north = self.grid.metres()
        found = np.empty(len(x), dtype=np.int64)
        step = max(NUMBERS // (4 * self.grid.cells), 1)
        for start in range(0, len(x), step):
            part = slice(start, start + step)
            away = np.hypot(x[part, None] - east, y[part, None] - north)
            with np.errstate(divide="ignore"):
                logs = np.log(self._chances) - self.epsilon * away
            beliefs = np.exp(logs - logs.max(axis=1, keepdims=True)).reshape(-1, rows, columns)
            expected = fftconvolve(beliefs, kernel[None], mode="same", axes=(1, 2))
            found[part] = expected.reshape(len(away), -1).argmin(axis=1)
        return found


@card("remapped-laplace", title="Planar Laplace, remapped", start={"epsilon": 0.01})
@dataclass(frozen=True, eq=False)
class Remapped(Mechanism):
    r"""Planar Laplace noise, remapped to a public prior over a grid: the same guarantee, and reports nearer to the true
    place.

    How much nearer depends on the prior: not at all if people may be anywhere, a good deal if they are only in a few
    places.

    Formula: $y(z) = \arg\min_y \sum_x \pi(x)\,e^{-\varepsilon\,d(x, z)}\,d(x, y)$
    Example:
        >>> from cobogo.locate.places.grid import Grid
        >>> grid = Grid.from_bounds(-38.55, -3.75, -38.54, -3.74, size=250)
        >>> Remapped(0.01, grid, prior=[1.0] * grid.cells).guarantee.epsilon
        0.01

    Guarantee: ε-geo-indistinguishability for one report, the same as for `planar-laplace`: the remapping does not use
        the true place.
    Limits: A prior that is computed from the people who report is not public, and voids the guarantee.
    Cost: one convolution for every cell that is reported: $O(c \log c)$ for c cells.
    Paper: K. Chatzikokolakis, E. ElSalamouny and C. Palamidessi, Efficient utility improvement for location privacy,
        Proceedings on Privacy Enhancing Technologies, 2017.
    """

    epsilon: float
    grid: Grid
    prior: Any

    def __post_init__(self) -> None:
        self._check_positive("epsilon")
        check_prior(self.prior, self.grid, self.name)

    @cached_property
    def _parts(self) -> Mechanism:
        noise = PlanarLaplace(self.epsilon)
        return noise >> Remap(noise.noise_epsilon, self.grid, self.prior)

    @property
    def guarantee(self) -> LocationGuarantee:
        return self._parts.guarantee

    def apply(self, points: Points, source: Source) -> Released:
        return self._parts.apply(points, source)
