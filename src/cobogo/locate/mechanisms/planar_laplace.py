"""Planar Laplace noise, which gives geo-indistinguishability for one report, and its remapping to a public prior."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, e, exp, log1p, pi, sin
from typing import Any

import numpy as np

from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import AT_ONCE, Source
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released
from cobogo.locate.mechanisms.discrete import check_prior
from cobogo.locate.mechanisms.draws import epsilon_to_draw, laplace_steps
from cobogo.locate.places.cells import PublicPlaces
from cobogo.locate.places.geometry import HALFWAY, RADIUS
from cobogo.locate.places.grid import Grid, World
from cobogo.locate.places.points import Points

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
