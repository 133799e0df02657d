"""A secret rotation and translation of the map: who holds the key goes back, who knows two places does, too."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from math import pi

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released, free
from cobogo.locate.places.cells import vectors
from cobogo.locate.places.geometry import Frame, moved
from cobogo.locate.places.grid import World
from cobogo.locate.places.points import Points


class MapKey:
    """A secret that never shows itself.

    >>> MapKey(b"0123456789abcdef")
    Key(…)
    """

    __slots__ = ("secret",)

    def __init__(self, secret: bytes) -> None:
        if len(secret) < 16:
            raise ValueError(f"The 'secret' parameter of a key must be of 16 bytes or more. Got {len(secret)} instead")
        self.secret = secret

    @classmethod
    def fresh(cls) -> MapKey:
        """A new one, from the operating system's entropy."""
        return cls(os.urandom(32))

    def __repr__(self) -> str:
        return "Key(…)"

    def shares(self, purpose: str, count: int) -> Floats:
        """Numbers from 0 to 1 that the key determines."""
        digest = hashlib.shake_256(f"cobogo {purpose} ".encode() + self.secret).digest(8 * count)
        return np.asarray((np.frombuffer(digest, dtype="<u8") >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


@card("keyed-transform", title="Turned map")
@dataclass(frozen=True)
class KeyedTransform(Mechanism):
    r"""The map turned about a public ``centre`` and moved, both by a secret key.

    Distances are kept, so that a service can answer who is near whom without knowing where; `inverted` goes back with
    the key.

    Formula: $z = R_{\phi}\,(x - c) + c + t$ with the angle $\phi$ and the shift $t$ that the key determines, in metres
        about the centre $c$
    Example: Two places stay as far apart as they were.
        >>> from cobogo.locate.places.geometry import Frame
        >>> from cobogo.floor.randomness import Entropy
        >>> two = Points.of([-38.52, -38.50], [-3.73, -3.73])
        >>> turned = KeyedTransform(MapKey(b"0123456789abcdef"), Frame(-38.5, -3.7)).apply(two, Entropy()).points
        >>> ratio = turned.take([0]).distance(turned.take([1])) / two.take([0]).distance(two.take([1]))
        >>> ratio.round(2).tolist()
        [1.0]

    Guarantee: None: anyone who can match two places of the turned map with true ones has the key in effect.
    Limits: The shape of the traces of many people on streets tells the key, too.
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
        return LocationGuarantee("none", note="distances are kept: two known places give all others away")

    @cached_property
    def _turn(self) -> Floats:
        """The globe turned about the centre by an angle, then so that the centre comes to lie within reach."""
        angle, away, towards = self.key.shares("rotation and translation", 3)
        lon, lat = moved(self.centre.lon, self.centre.lat, self.reach * np.sqrt(away), towards * 2 * pi)
        there = _axes(float(lon), float(lat))
        c, s = np.cos(angle * 2 * pi), np.sin(angle * 2 * pi)
        about = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        return np.asarray(there @ about @ _axes(self.centre.lon, self.centre.lat).T)

    def apply(self, points: Points, source: Source) -> Released:  # noqa: ARG002 - nothing is drawn
        return Released(points.at(*World().snapped(*_rotate(points, self._turn))), cost=free(points))

    def inverted(self, reports: Points) -> Points:
        """Where the points were, to within the metre that reports are snapped to."""
        return reports.at(*_rotate(reports, self._turn.T))


def _axes(lon: float, lat: float) -> Floats:
    """Outwards, eastwards and northwards of a point, in columns."""
    a, b = np.radians(lon), np.radians(lat)
    east = np.array([-np.sin(a), np.cos(a), 0.0])
    out = vectors(lon, lat)
    return np.stack([out, east, np.array([-np.sin(b) * np.cos(a), -np.sin(b) * np.sin(a), np.cos(b)])], axis=1)


def _rotate(points: Points, turn: Floats) -> tuple[Floats, Floats]:
    x, y, z = turn @ vectors(points.lon, points.lat).T
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))
