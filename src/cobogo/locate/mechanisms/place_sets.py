"""All places of a person together: reported one by one, or by their centre."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cobogo.errors import NoSolution
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.randomness import Source
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released
from cobogo.locate.mechanisms.planar_laplace import LEAST, PlanarLaplace, add_noise
from cobogo.locate.places.geometry import DEGREE
from cobogo.locate.places.grid import Grid, World
from cobogo.locate.places.points import Points


@card("several", title="Several places at once", start={"epsilon": 0.01})
@dataclass(frozen=True)
class SeveralPlaces(Mechanism):
    r"""All places of a person, each with its own noise: n reports of ε/n each cost ε together.

    ε pays for all places of a person: with n places the noise is n times as wide as with one.

    Formula: $\Pr[z_1 \ldots z_n \mid x_1 \ldots x_n] \le e^{\varepsilon \max_i d(x_i, x'_i)} \Pr[z_1 \ldots z_n \mid
        x'_1 \ldots x'_n]$, with noise of $\varepsilon / n$ on each
    Example:
        >>> from cobogo.floor.randomness import Entropy
        >>> home_and_work = Points.from_columns([-38.52, -38.49], [-3.73, -3.74], user=["ana", "ana"])
        >>> SeveralPlaces(0.01).apply(home_and_work, Entropy()).cost.tolist()
        [0.005, 0.005]

    Guarantee: ε-geo-indistinguishability for all places of a person together. The distance between two sets of places
        is the largest distance between places with the same number.
    Limits: With ten places the noise is ten times as wide. The number of places is not hidden.
    Cost: $O(n)$ for n points.
    Paper: M. E. Andrés, N. E. Bordenabe, K. Chatzikokolakis and C. Palamidessi, Geo-indistinguishability: differential
        privacy for location-based systems, CCS 2013.
    """

    epsilon: float

    def __post_init__(self) -> None:
        self._check_positive("epsilon")
        PlanarLaplace(self.epsilon)

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "geo-indistinguishability",
            epsilon=self.epsilon,
            note=tr(
                "for all places of a person together; the largest distance between two places with the same "
                "number counts"
            ),
        )

    def apply(self, points: Points, source: Source) -> Released:
        many = sizes(points)
        lon, lat = np.empty(len(points)), np.empty(len(points))
        for size in np.unique(many):
            rows = np.flatnonzero(many == size)
            if self.epsilon / int(size) < LEAST:
                raise NoSolution(
                    tr(
                        "ε = {epsilon:g} for the {size:,} places of one person together needs noise that is "
                        "wider than the globe",
                        epsilon=self.epsilon,
                        size=size,
                    ),
                    where=self.name,
                    remedy=tr("Take fewer places of each person, or a larger ε."),
                )
            noise = PlanarLaplace(self.epsilon / int(size))
            lon[rows], lat[rows] = add_noise(points.take(rows), noise.noise_epsilon, noise.world, source)
        return Released(points.move_to(lon, lat), cost=self.epsilon / np.maximum(many, 1))


@card("centroid", title="Centre of a person's places", start={"epsilon": 0.01})
@dataclass(frozen=True)
class Centroid(Mechanism):
    r"""The centre of a person's places, with noise: one report for all of them.

    The centre moves by no more than the places do: on a flat map by at most Δ = 1 times the largest of their moves, and
    on the globe, over the public ``area`` to which places are confined, by a little more. All rows of a person get the
    same report, which is paid for once.

    Formula: $K(f(x))$ with planar Laplace noise of $\varepsilon / \Delta$, $f(x) = \frac{1}{n} \sum_i x_i$ and $d(f(x),
        f(x')) \le \Delta \max_i d(x_i, x'_i)$
    Example:
        >>> from cobogo.floor.randomness import Entropy
        >>> area = Grid.from_bounds(-38.64, -3.90, -38.40, -3.68, size=1000)
        >>> places = Points.from_columns([-38.52, -38.49], [-3.73, -3.74], user=["ana", "ana"])
        >>> noise = Centroid(0.01, area)
        >>> noise.apply(places, Entropy()).cost.tolist(), round(noise.sensitivity, 3)
        ([0.01, 0.0], 1.0)

    Guarantee: ε-geo-indistinguishability for all places of a person together, however many they are.
    Limits: One position for all places: of little use if they are far apart. Places outside of the area count as places
        at its edge.
    Cost: $O(n)$ for n points.
    Paper: M. E. Andrés, N. E. Bordenabe, K. Chatzikokolakis and C. Palamidessi, Geo-indistinguishability: differential
        privacy for location-based systems, CCS 2013.
    """

    epsilon: float
    area: Grid

    def __post_init__(self) -> None:
        self._check_positive("epsilon")
        if abs(self.area.frame.lat) + self.area.rows * self.area.size / 2 / DEGREE > 85:
            raise ValueError(
                tr("The 'area' parameter of {name} must not reach the poles, where maps are not flat", name=self.name)
            )
        self._noise  # noqa: B018 - refuse now what cannot be promised

    @property
    def sensitivity(self) -> float:
        """Δ: metres that the centre can move on the globe when each place moves by a metre. The flat map of the area is
        too wide or too narrow towards its north and south; both count."""
        half, wide = self.area.rows * self.area.size / 2 / DEGREE, self.area.columns * self.area.size / 2
        middle = self.area.frame.lat
        spread = np.radians(min(wide / (DEGREE * np.cos(np.radians(middle))), 89.0))
        edges = np.radians([middle - half, middle, middle + half])
        bent = np.arctan(np.tan(edges) / np.cos(spread))  # great circles between places bulge towards a pole
        scale = np.cos(np.concatenate([edges, bent])) / np.cos(np.radians(middle))
        crossed = 1 / np.cos(np.radians(middle)) if edges[0] * edges[2] < 0 else 1.0
        return float(max(scale.max(), crossed) / min(scale.min(), 1.0))

    @cached_property
    def _noise(self) -> PlanarLaplace:
        return PlanarLaplace(self.epsilon / self.sensitivity)

    @property
    def world(self) -> World:
        """The grid of reports."""
        return self._noise.world

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "geo-indistinguishability",
            epsilon=self.epsilon,
            note=tr(
                "for all places of a person together; the largest distance between two cells with the same "
                "number counts"
            ),
        )

    def apply(self, points: Points, source: Source) -> Released:
        person = np.zeros(len(points), dtype=np.int64) if points.user is None else points.user
        people, first, which = np.unique(person, return_index=True, return_inverse=True)
        half_width, half_height = self.area.columns * self.area.size / 2, self.area.rows * self.area.size / 2
        east, north = self.area.frame.metres(*self.world.snap(points.lon, points.lat))
        many = np.bincount(which, minlength=len(people))
        centre = [
            np.bincount(which, weights=np.clip(values, -half, half), minlength=len(people)) / np.maximum(many, 1)
            for values, half in ((east, half_width), (north, half_height))
        ]
        middle = Points(*self.area.frame.degrees(*centre))
        # Not snapped before the noise: centres of sets that differ by a cell would be up to a cell farther apart.
        lon, lat = add_noise(middle, self._noise.noise_epsilon, self.world, source, from_cells=False)
        cost: Floats = np.zeros(len(points))
        cost[first] = self.epsilon
        return Released(points.move_to(lon[which], lat[which]), cost=cost)


def sizes(points: Points) -> Ints:
    """For each point, the number of points of its person."""
    if points.user is None:
        return np.full(len(points), len(points), dtype=np.int64)
    return np.asarray(np.bincount(points.user)[points.user] if len(points) else points.user, dtype=np.int64)
