"""Obfuscation without a guarantee: an area, the nearest public place, or a place on a secretly turned map."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from math import acos, pi, sqrt
from typing import Literal

import numpy as np

from cobogo.floor.arguments import refusal
from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr, trn
from cobogo.floor.randomness import Source
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released, no_cost
from cobogo.locate.mechanisms.planar_laplace import bearings, uniforms
from cobogo.locate.places.cells import PublicPlaces, vectors
from cobogo.locate.places.geometry import Frame, distance, move
from cobogo.locate.places.grid import World
from cobogo.locate.places.points import Points

SMALLEST = 0.01
"""Metres: the smallest radius of a disc."""


@card("disc", title="Disc", start={"radius": 500.0, "relevance": 0.25, "how": "enlarge"})
@dataclass(frozen=True)
class Disc(Mechanism):
    r"""A disc in which the person may be, made larger, smaller or moved until it has the relevance that is asked for.

    A position measured to within ``radius`` metres is a disc of that radius around a place of the public grid, and the
    person is always somewhere in it. "enlarge" makes the area of the disc 1/relevance times as large. "reduce" makes it
    relevance times as large, so that the person may be outside. "shift" moves the disc in a random direction until the
    overlap is the one that is asked for.

    Formula: $R = \frac{\lvert A \cap A'\rvert^2}{\lvert A\rvert \cdot \lvert A'\rvert}$ for the disc $A$ and what is
        released of it, $A'$; so $r' = r / \sqrt{R}$, or $r' = r \sqrt{R}$, or a shift by $d$ with $\lvert A \cap
        A'\rvert = \sqrt{R}\,\pi r^2$
    Example:
        >>> from cobogo.floor.randomness import Entropy
        >>> released = Disc(100, relevance=0.25).apply(Points.from_columns([-38.52], [-3.73]), Entropy())
        >>> released.radius.round(6).tolist()
        [200.0]

    Guarantee: None: relevance bounds neither what an attacker who knows the map can infer, nor what several discs of
        one person have in common.
    Limits: A disc that covers the sea and one house reveals that house.
    Cost: $O(n)$ for n points; a shift solves one equation, once.
    Paper: C. A. Ardagna, M. Cremonini, S. De Capitani di Vimercati and P. Samarati, An obfuscation-based approach for
        protecting location privacy, IEEE Transactions on Dependable and Secure Computing, 2011.
    """

    radius: float
    relevance: float = 0.25
    how: Literal["enlarge", "reduce", "shift"] = "enlarge"

    def __post_init__(self) -> None:
        self._check_positive("radius")
        if self.radius < SMALLEST:
            raise ValueError(refusal(self.name, "radius", tr("{least:g} m or more", least=SMALLEST), self.radius))
        if not 0 < self.relevance <= 1:
            raise ValueError(refusal(self.name, "relevance", tr("above 0 and at most 1"), self.relevance))
        if self.how not in ("enlarge", "reduce", "shift"):
            raise ValueError(refusal(self.name, "how", tr("one of {known}", known="enlarge, reduce, shift"), self.how))

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "none", note=tr("an attacker who knows the map, or sees several discs of a person, may learn more")
        )

    @property
    def released_radius(self) -> float:
        """The radius of released discs, in metres."""
        scale = {"enlarge": 1 / sqrt(self.relevance), "reduce": sqrt(self.relevance), "shift": 1.0}[self.how]
        return self.radius * scale

    @cached_property
    def shift(self) -> float:
        """Metres by which discs are moved, so that the overlap with the original is √relevance of either."""
        if self.how != "shift":
            return 0.0
        low, high = 0.0, 2.0  # in radii; the overlap falls monotonically
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if overlap(middle) > sqrt(self.relevance) else (low, middle)
        return low * self.radius

    def apply(self, points: Points, source: Source) -> Released:
        count = len(points)
        lon, lat = self._draw_centres(points, source)
        if self.how == "shift":
            lon, lat = self._world.snap(*move(lon, lat, self.shift, bearings(source.words(count))))
        return Released(points.move_to(lon, lat), cost=no_cost(points), radius=np.full(count, self.released_radius))

    @property
    def _world(self) -> World:
        """The public grid of centres: cells of a metre, or finer for small discs."""
        return World(min(1.0, self.radius / 2))

    def _draw_centres(self, points: Points, source: Source) -> tuple[Floats, Floats]:
        """Centres of the measured discs on the grid, drawn again until each disc holds its person."""
        lon, lat, rest = np.empty(len(points)), np.empty(len(points)), np.arange(len(points))
        while rest.size:
            far, turn = self.radius * np.sqrt(uniforms(rest.size, source)), bearings(source.words(rest.size))
            lon[rest], lat[rest] = self._world.snap(*move(points.lon[rest], points.lat[rest], far, turn))
            rest = rest[distance(points.lon[rest], points.lat[rest], lon[rest], lat[rest]) > self.radius]
        return lon, lat


def overlap(apart: float) -> float:
    """The share of a disc that another of the same size covers, with their centres so many radii apart.

    >>> overlap(0), overlap(2), round(overlap(1), 4)
    (1.0, 0.0, 0.391)
    """
    half = apart / 2
    return (2 * acos(half) - apart * sqrt(1 - half**2)) / pi


@card("indirect", title="Nearest public place")
@dataclass(frozen=True)
class Indirect(Mechanism):
    r"""The nearest public point of interest is reported instead of the position.

    All people who are nearer to it than to any other report the same. ``PlanarLaplace(ε) >> places`` reports the place
    nearest to a noisy position instead, and keeps the noise's guarantee.

    Formula: $z = \arg\min_{p \in P} d(x, p)$
    Example:
        >>> from cobogo.floor.randomness import Entropy
        >>> theatre, lighthouse = (-38.5285, -3.7278), (-38.4847, -3.7086)
        >>> places = PublicPlaces(Points.from_columns(*zip(theatre, lighthouse)))
        >>> Indirect(places).apply(Points.from_columns([-38.53], [-3.73]), Entropy()).points.lon.round(4).tolist()
        [-38.5285]

    Guarantee: None: where places are dense, the report reveals as much as the position.
    Limits: A clinic as the nearest place reveals more than a street corner.
    Cost: $O(n \log p)$ for n points and p places.
    Paper: None: described in the surveys of location privacy as indirect information.
    """

    places: PublicPlaces

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee(
            "none", note=tr("a report reveals the area around its place, and what kind of place it is")
        )

    def place_names(self, points: Points) -> list[str]:
        """The names of the places that are reported.

        >>> places = Points.from_columns([-38.5285, -38.4847], [-3.7278, -3.7086])
        >>> town = PublicPlaces(places, ("theatre", "lighthouse"))
        >>> Indirect(town).place_names(Points.from_columns([-38.49], [-3.71]))
        ['lighthouse']
        """
        if not self.places.names:
            raise ValueError("The 'places' parameter of indirect must have names. Got none instead")
        return [self.places.names[place] for place in self.places.nearest(points.lon, points.lat)]

    def apply(self, points: Points, source: Source) -> Released:  # noqa: ARG002 - nothing is drawn
        return Released(self.places(points), cost=no_cost(points))


class MapKey:
    """A secret key that is never printed.

    >>> MapKey(b"0123456789abcdef")
    Key(…)
    """

    __slots__ = ("secret",)

    def __init__(self, secret: bytes) -> None:
        if len(secret) < 16:
            raise ValueError(
                trn(
                    "The key must have 16 bytes or more. Got {n:,} byte instead",
                    "The key must have 16 bytes or more. Got {n:,} bytes instead",
                    n=len(secret),
                )
            )
        self.secret = secret

    @classmethod
    def fresh(cls) -> MapKey:
        """A new key, from the operating system's entropy."""
        return cls(os.urandom(32))

    def __repr__(self) -> str:
        return "Key(…)"

    def shares(self, purpose: str, count: int) -> Floats:
        """Numbers from 0 to 1 that follow from the key."""
        digest = hashlib.shake_256(f"cobogo {purpose} ".encode() + self.secret).digest(8 * count)
        return np.asarray((np.frombuffer(digest, dtype="<u8") >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


@card("keyed-transform", title="Rotated map")
@dataclass(frozen=True)
class KeyedTransform(Mechanism):
    r"""The map is rotated around a public centre and shifted, both by a secret key.

    ``centre`` is the public centre. Distances stay the same, so that a service can answer who is near whom without
    knowing where they are. `invert` undoes it with the key.

    Formula: $z = R_{\phi}\,(x - c) + c + t$ with the angle $\phi$ and the shift $t$ that the key determines, in metres
        about the centre $c$
    Example: The distance between two places does not change.
        >>> from cobogo.locate.places.geometry import Frame
        >>> from cobogo.floor.randomness import Entropy
        >>> two = Points.from_columns([-38.52, -38.50], [-3.73, -3.73])
        >>> turned = KeyedTransform(MapKey(b"0123456789abcdef"), Frame(-38.5, -3.7)).apply(two, Entropy()).points
        >>> ratio = turned.take([0]).distance(turned.take([1])) / two.take([0]).distance(two.take([1]))
        >>> ratio.round(2).tolist()
        [1.0]

    Guarantee: None: an attacker who can match two places of the rotated map with true ones can undo the transformation.
    Limits: The shape of many people's traces along streets reveals the key, too.
    Cost: $O(n)$ for n points.
    Paper: A. Gutscher, Coordinate transformation: a solution for the privacy problem of location based services?, 2006.
    """

    key: MapKey
    centre: Frame
    reach: float = 20_000.0

    def __post_init__(self) -> None:
        self._check_positive("reach")

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee("none", note=tr("distances are unchanged, so two known places reveal all others"))

    @cached_property
    def _turn(self) -> Floats:
        """The rotation of the globe: about the centre by a secret angle, then of the centre to a secret place within
        reach."""
        angle, away, towards = self.key.shares("rotation and translation", 3)
        lon, lat = move(self.centre.lon, self.centre.lat, self.reach * np.sqrt(away), towards * 2 * pi)
        there = _axes(float(lon), float(lat))
        c, s = np.cos(angle * 2 * pi), np.sin(angle * 2 * pi)
        about = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        return np.asarray(there @ about @ _axes(self.centre.lon, self.centre.lat).T)

    def apply(self, points: Points, source: Source) -> Released:  # noqa: ARG002 - nothing is drawn
        return Released(points.move_to(*World().snap(*_rotate(points, self._turn))), cost=no_cost(points))

    def invert(self, reports: Points) -> Points:
        """The true places of reports, to within the metre that reports are snapped to."""
        return reports.move_to(*_rotate(reports, self._turn.T))


def _axes(lon: float, lat: float) -> Floats:
    """The unit vectors outward, eastward and northward at a point, in columns."""
    a, b = np.radians(lon), np.radians(lat)
    east = np.array([-np.sin(a), np.cos(a), 0.0])
    out = vectors(lon, lat)
    return np.stack([out, east, np.array([-np.sin(b) * np.cos(a), -np.sin(b) * np.sin(a), np.cos(b)])], axis=1)


def _rotate(points: Points, turn: Floats) -> tuple[Floats, Floats]:
    x, y, z = turn @ vectors(points.lon, points.lat).T
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))
