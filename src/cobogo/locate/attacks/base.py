"""The contract of a location attack: what its attacker sees and knows, and what it finds.

To add one: one frozen dataclass that extends `LocationAttack`, whose fields are its options, and one line in
`cobogo.locate.attacks.ATTACKS`. It is then run by ``cobogo locate evaluate``, and the conformance suite tests it. The
true points of a scene serve to measure success; an attack that uses them for anything else says so in ``knows``.

The places that an attacker considers are `Spots`, the cells of a fine grid where people are ever seen: a city is mostly
empty. A grid that is fine enough to show what noise does not hide would have hundreds of thousands of cells, of which
people visit a few thousand. `Spots` can be used in place of a `Grid`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from cobogo.errors import DataError
from cobogo.examine.attacks.base import AnyAttack, round_figure
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import join, tr
from cobogo.locate.mechanisms.base import Mechanism, Released
from cobogo.locate.metrics import quality_loss
from cobogo.locate.places.geometry import Frame, distance
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points

if TYPE_CHECKING:
    from cobogo.locate.attacks.crowds import Crossings


FINEST = 10.0
"""Metres of a cell, at least: the error of GPS."""

GROWTH = 1.3
"""By which cells grow until there are few enough: a smaller step leaves them finer and takes more tries."""


@dataclass(frozen=True, eq=False, repr=False)
class Spots:
    """Some cells of a grid, numbered anew from 0."""

    grid: Grid
    numbers: Ints  # of the grid's cells, ascending

    @classmethod
    def from_visits(cls, points: Points, most: int = 2500, elsewhere: int = 0) -> Spots:
        """The cells that hold points, as fine as ``most`` of them allow; with ``elsewhere``, about so many more evenly
        over the area, for people who go where nobody was seen."""
        east, north = points.frame.metres(points.lon, points.lat)
        extent = max(float(np.ptp(east)), float(np.ptp(north)), FINEST) if len(points) else FINEST
        size = FINEST
        while True:
            key = np.unique(np.stack([np.floor(east / size), np.floor(north / size)]), axis=1)
            if key.shape[1] + elsewhere <= most or size > extent:
                break
            size *= GROWTH
        grid = _grid(points, size)
        numbers = grid.nearest_cell(points.lon, points.lat)
        if elsewhere:
            side = max(int(np.sqrt(elsewhere)), 1)
            rows = np.linspace(0, grid.rows - 1, min(side, grid.rows)).astype(np.int64)
            columns = np.linspace(0, grid.columns - 1, min(side, grid.columns)).astype(np.int64)
            numbers = np.concatenate([numbers, (rows[:, None] * grid.columns + columns).ravel()])
        return cls(grid, np.unique(numbers))

    @property
    def frame(self) -> Frame:
        """The frame of the grid."""
        return self.grid.frame

    @property
    def size(self) -> float:
        """Metres of a cell."""
        return self.grid.size

    @property
    def cells(self) -> int:
        """The number of spots."""
        return len(self.numbers)

    @cached_property
    def tree(self) -> Any:
        """A tree of the centres, to find near ones."""
        from scipy.spatial import cKDTree

        return cKDTree(np.column_stack(self.metres()))

    def metres(self, cells: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Their centres in metres to the east and north of the middle of the grid."""
        chosen = self.numbers if cells is None else self.numbers[np.asarray(cells, dtype=np.int64)]
        return self.grid.metres(chosen)

    def centres(self, cells: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Their centres in degrees."""
        return self.frame.degrees(*self.metres(cells))

    def cell_of(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        """The spots that points lie in; −1 elsewhere."""
        cell = self.grid.cell_of(lon, lat)
        place = np.minimum(np.searchsorted(self.numbers, cell), len(self.numbers) - 1)
        return np.where(self.numbers[place] == cell, place, -1)

    def nearest_cell(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        """The nearest spots."""
        return np.asarray(self.tree.query(np.column_stack(self.frame.metres(lon, lat)))[1], dtype=np.int64)

    @cached_property
    def apart(self) -> Floats:
        """Metres between all pairs."""
        east, north = self.metres()
        return np.hypot(east[:, None] - east, north[:, None] - north)


Ground = Grid | Spots
"""The places that an attacker considers: a whole grid, or some of its cells."""


def _grid(points: Points, size: float) -> Grid:
    east, north = points.frame.metres(points.lon, points.lat)
    west, south = points.frame.degrees(east.min() - size, north.min() - size)
    right, top = points.frame.degrees(east.max() + size, north.max() + size)
    return Grid.from_bounds(float(west), float(south), float(right), float(top), size=size)


BLOCK = 1 << 21
"""Numbers that are worked on at once: 16 MB, which stay in a processor's cache or near it."""


@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """What was released, how, and what else the attacker has."""

    truth: Points
    released: Released
    grid: Ground  # the places that the attacker considers
    mechanism: Mechanism | None = None  # attackers know it (Kerckhoffs); None where reports are true positions
    prior: Floats | None = None  # over the cells of the grid; uniform unless given
    background: Points | None = None  # movements known from elsewhere, of other days or other people
    places: Points | None = None  # known places: an address book, clinics, stops
    crossings: Crossings | None = None  # of a mix zone
    hours_from_utc: float = 0.0  # of the people's clock
    everyone: Points | None = None  # also of people who are not attacked; the truth unless given
    own: Ints | None = None  # the rows of ``everyone`` that the reports are of

    def __post_init__(self) -> None:
        if len(self.truth) != len(self.released.points):
            raise DataError(
                tr(
                    "there are {points:,} true points and {reports:,} reports",
                    points=len(self.truth),
                    reports=len(self.released.points),
                ),
                where="attack",
                remedy=tr("Give one report for each point."),
            )
        if self.prior is not None and len(self.prior) != self.grid.cells:
            raise DataError(
                tr("the prior has {prior:,} cells and the grid {grid:,}", prior=len(self.prior), grid=self.grid.cells),
                where="attack",
                remedy=tr("Give a prior for each cell of the grid."),
            )

    @property
    def reports(self) -> Points:
        """One point for each report. For a set or a region it is the middle, which nobody reported: see
        `cobogo.locate.attacks.inference`."""
        return self.released.points

    @property
    def known(self) -> Points:
        """Movements that the attacker knows: the background or, without one, the true points, of which attacks use
        statistics only."""
        return self.truth if self.background is None else self.background

    @property
    def takes_reports_as_true(self) -> bool:
        """Whether reports are single positions of no known mechanism: the attacker's best guess is the report
        itself."""
        released = self.released
        return self.mechanism is None and released.box is None and released.radius is None and released.members is None

    @cached_property
    def probabilities(self) -> Floats:
        """The prior as probabilities."""
        if self.prior is None:
            return np.full(self.grid.cells, 1 / self.grid.cells)
        return np.asarray(self.prior / self.prior.sum(), dtype=np.float64)

    @cached_property
    def quality_loss(self) -> float:
        """The mean distance in metres from the truth to the nearest position of its report."""
        return float(quality_loss(self.truth, self.released).mean()) if len(self.truth) else 0.0

    def blind_success(self, places: Points, within: float) -> float:
        """The share of places that an attacker without any report finds to within so many metres, by guessing the spot
        with the most visits around it for everybody."""
        lon, lat = self._busiest(within)
        return share(distance(lon, lat, places.lon, places.lat) <= within)

    def _busiest(self, within: float) -> tuple[float, float]:
        east, north = self.grid.metres()
        visits = np.empty(len(east))
        step = max(BLOCK // len(east), 1)
        for start in range(0, len(east), step):
            some = slice(start, start + step)
            near = np.hypot(east[some, None] - east, north[some, None] - north) <= within
            visits[some] = near @ self.probabilities
        lon, lat = self.grid.centres([visits.argmax()])
        return float(lon[0]), float(lat[0])


@dataclass(frozen=True, eq=False, repr=False)
class LocationFindings:
    """What an attack found. ``success`` is the share of its targets that it found; ``baseline`` the share that an
    attacker finds without the reports; ``error`` how far off each guess is."""

    attack: str
    success: float
    attacked: int
    baseline: float
    error: Floats = field(default_factory=lambda: np.empty(0))  # metres, one for each guess
    figures: Mapping[str, float | int | None] = field(default_factory=dict)
    guesses: Points | None = None
    knows: str = ""
    measures: str = ""  # what success means, as part of a sentence
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``: figures only, no positions."""
        error = self.error[np.isfinite(self.error)]
        return {
            "attack": self.attack,
            "knows": self.knows,
            "attacked": self.attacked,
            "success": brief_figure(self.success),
            "success_means": self.measures,
            "baseline": brief_figure(self.baseline),
            "error_metres": None
            if not len(error)
            else {"mean": brief_figure(float(error.mean())), "median": brief_figure(float(np.median(error)))},
            "figures": {name: brief_figure(value) for name, value in self.figures.items()},
            "notes": list(self.notes),
        }


def brief_figure(value: float | int | None) -> float | int | None:
    """A figure to six digits, for JSON: attacks only estimate."""
    return round_figure(value, 6)


NEEDS = {
    "users": tr("the person of each point"),
    "times": tr("times"),
    "boxes": tr("rectangles"),
    "regions or sets": tr("regions or sets of positions"),
    "places": tr("known places"),
    "crossings": tr("crossings of a mix zone"),
    "positions": tr("reports that are positions"),
}
"""What an attack may need, in words."""


@dataclass(frozen=True)
class LocationAttack(AnyAttack):
    """A way to learn where people were, or who they are, from what was released."""

    measures: ClassVar[str]  # what success means: part of a sentence
    needs: ClassVar[frozenset[str]] = frozenset()
    """Of "users", "times", "boxes", "regions or sets", "places", "crossings" and "positions" (reports that are places,
    not regions)."""

    @abstractmethod
    def run(self, scene: Scene) -> LocationFindings:
        """Run the attack on a scene that `lacks` nothing."""

    def lacks(self, scene: Scene) -> str | None:
        """What this attack needs and the scene does not have, as part of a sentence; None where it can be run."""
        released = scene.released
        there = {
            "users": scene.truth.user is not None,
            "times": scene.truth.time is not None,
            "boxes": released.box is not None,
            "regions or sets": any(part is not None for part in (released.box, released.radius, released.members)),
            "places": scene.places is not None,
            "crossings": scene.crossings is not None,
            "positions": released.box is None,
        }
        missing = sorted(need for need in self.needs if not there[need])
        if missing:
            *others, last = (NEEDS[need] for need in missing)
            if not others:
                return tr("needs {what}", what=last)
            return tr("needs {what} and {last}", what=join(others, ", "), last=last)
        return tr("needs at least one point") if not len(scene.truth) else None

    def findings(self, success: float, attacked: int, *, baseline: float, **more: Any) -> LocationFindings:
        """Findings of this attack; ``baseline`` is the success without the reports."""
        return LocationFindings(
            self.name, float(success), int(attacked), float(baseline), knows=self.knows, measures=self.measures, **more
        )


def share(hits: Any) -> float:
    """The share of hits, 0 where there was nothing to hit."""
    array = np.asarray(hits, dtype=np.float64)
    return float(array.mean()) if array.size else 0.0
