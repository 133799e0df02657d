"""A location mechanism."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.arguments import whole
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Source
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released
from cobogo.locate.places.points import Points


@card("rounding", title="Rounded degrees", start={"decimals": 2})
@dataclass(frozen=True)
class Rounding(Mechanism):
    r"""A position with so many decimals of a degree: with two, within about 800 metres of the truth.

    Formula: $(\lfloor 10^d x + \frac{1}{2} \rfloor / 10^d, \lfloor 10^d y + \frac{1}{2} \rfloor / 10^d)$
    Example:
        >>> from cobogo.floor.randomness import Seeded
        >>> Rounding(1).apply(Points.from_columns([-38.52], [-3.73]), Seeded(1)).points.lon.tolist()
        [-38.5]

    Guarantee: None: a cell in which nobody else lives tells who it is.
    Limits: Several reports of one person tell where the border of a cell was crossed.
    Cost: $O(n)$ for n points.
    Paper: None: made up for the guide of contributors.
    """

    decimals: int = 2

    def __post_init__(self) -> None:
        whole(self.name, "decimals", self.decimals, least=0)

    @property
    def guarantee(self) -> LocationGuarantee:
        """None."""
        return LocationGuarantee("none", note="a cell in which nobody else lives tells who it is")

    def apply(self, points: Points, source: Source) -> Released:
        """The middle of the cell; where that is the 180th meridian, its western name."""
        lon = np.round(points.lon, self.decimals)
        return Released(
            points.move_to(np.where(lon >= 180, -180.0, lon), np.round(points.lat, self.decimals)),
            np.zeros(len(points)),
        )
