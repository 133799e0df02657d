"""Indirect locations: the nearest public place instead of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cobogo.floor.randomness import Source
from cobogo.locate.mechanisms.base import Guarantee, Mechanism, Released, free
from cobogo.locate.places.nearest import Places
from cobogo.locate.places.points import Points


@dataclass(frozen=True)
class Indirect(Mechanism):
    r"""The nearest of some public points of interest is reported instead of the position.

    Everyone nearer to it than to any other reports the same. ``PlanarLaplace(ε) >> places`` reports the place nearest
    to a noisy position instead, and keeps the noise's guarantee.

    Formula: $z = \arg\min_{p \in P} d(x, p)$
    Example:
        >>> from cobogo.floor.randomness import Entropy
        >>> theatre, lighthouse = (-38.5285, -3.7278), (-38.4847, -3.7086)
        >>> places = Places(Points.of(*zip(theatre, lighthouse)))
        >>> Indirect(places).apply(Points.of([-38.53], [-3.73]), Entropy()).points.lon.round(4).tolist()
        [-38.5285]

    Guarantee: None: where places are dense the report is as good as the position.
    Limits: A clinic as the nearest place says more than a street corner.
    Cost: $O(n \log p)$ for n points and p places.
    Paper: None: described in the surveys of location privacy as indirect information.
    """

    name: ClassVar[str] = "indirect"

    places: Places

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(
            "none", note="a report tells the area that is nearest to its place, and the place's own meaning"
        )

    def named(self, points: Points) -> list[str]:
        """The names of the places that are reported.

        >>> town = Places(Points.of([-38.5285, -38.4847], [-3.7278, -3.7086]), ("theatre", "lighthouse"))
        >>> Indirect(town).named(Points.of([-38.49], [-3.71]))
        ['lighthouse']
        """
        if not self.places.names:
            raise ValueError("The 'places' parameter of indirect must have names. Got none instead")
        return [self.places.names[place] for place in self.places.nearest(points.lon, points.lat)]

    def apply(self, points: Points, source: Source) -> Released:  # noqa: ARG002 - nothing is drawn
        return Released(self.places(points), cost=free(points))
