"""Remapping: reports moved to where people are, at no cost in privacy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released
from cobogo.locate.mechanisms.discrete import checked_prior
from cobogo.locate.mechanisms.planar_laplace import PlanarLaplace
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points

NUMBERS = 1 << 22

EXACTLY = 4096
"""Reports that are each remapped from where they are. More are put together, an eighth of a cell wide or more."""


@dataclass(frozen=True, eq=False)
class Remap:
    """Moves each report to the cell with the least expected distance from the truth, for one who knows the ``prior``
    and the noise of ``epsilon``: argmin_y Σ_x π(x)·e^(−ε·d(x,z))·d(x,y) (Chatzikokolakis et al. 2017).

    It looks at reports and at the prior only, so that whatever was promised still holds if the prior is public. It may
    follow any mechanism: ``PlanarLaplace(0.01) >> Remap(0.01, grid, prior)``.
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
        return reports.at(*self.grid.centres(self.best(places[0], places[1])[which.ravel()]))

    @cached_property
    def _chances(self) -> Floats:
        return checked_prior(self.prior, self.grid, "remap")

    def best(self, x: Floats, y: Floats) -> Ints:
        """The cells that reports from these places are moved to, in metres of the grid."""
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
    r"""Planar Laplace noise, remapped to a public prior over a grid: the same guarantee, and reports nearer the truth.

    How much nearer depends on the prior: nothing where people may be anywhere, a good deal where they keep to few
    places.

    Formula: $y(z) = \arg\min_y \sum_x \pi(x)\,e^{-\varepsilon\,d(x, z)}\,d(x, y)$
    Example:
        >>> from cobogo.locate.places.grid import Grid
        >>> grid = Grid.over(-38.55, -3.75, -38.54, -3.74, size=250)
        >>> Remapped(0.01, grid, prior=[1.0] * grid.cells).guarantee.epsilon
        0.01

    Guarantee: ε-geo-indistinguishability for one report, as of planar-laplace: nothing about the truth is used twice.
    Limits: A prior made of the very people who report is not public, and voids the guarantee.
    Cost: one convolution for every cell that is reported: $O(c \log c)$ for c cells.
    Paper: K. Chatzikokolakis, E. ElSalamouny and C. Palamidessi, Efficient utility improvement for location privacy,
        Proceedings on Privacy Enhancing Technologies, 2017.
    """

    epsilon: float
    grid: Grid
    prior: Any

    def __post_init__(self) -> None:
        self._check_positive("epsilon")
        checked_prior(self.prior, self.grid, self.name)

    @cached_property
    def _parts(self) -> Mechanism:
        noise = PlanarLaplace(self.epsilon)
        return noise >> Remap(noise.drawn, self.grid, self.prior)

    @property
    def guarantee(self) -> LocationGuarantee:
        return self._parts.guarantee

    def apply(self, points: Points, source: Source) -> Released:
        return self._parts.apply(points, source)
