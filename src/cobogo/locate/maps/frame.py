"""What part of the world a map shows, on a flat frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cobogo.locate.maps.layers import Layer
from cobogo.locate.places.geometry import Frame

EDGE = 0.04
"""The share of the map that is left free around what it shows."""

SMALLEST = 200.0
"""Metres that a map shows at least."""


@dataclass(frozen=True)
class View:
    """A rectangle of metres on a frame: its western and northern edges, its width and height."""

    frame: Frame
    west: float
    north: float
    width: float
    height: float

    @classmethod
    def of(cls, layers: Sequence[Layer]) -> View:
        """Around all marks; the backdrop counts only where there are none, or as far as its smallest outline."""
        shown = [layer for layer in layers if not layer.backdrop and len(layer.lon)]
        drawn = [layer for layer in layers if layer.backdrop and layer.color != "sea"]
        lon, lat = (
            np.concatenate([np.empty(0), *(getattr(layer, part) for layer in (*shown, *drawn))])
            for part in ("lon", "lat")
        )
        if not len(lon):
            return cls(Frame(0.0, 0.0), -500.0, 500.0, 1_000.0, 1_000.0)
        frame = Frame.about(lon, lat)
        east, north = frame.metres(lon, lat)
        reach = [np.zeros(len(lon))]
        if any(layer.radius is not None for layer in shown):
            reach = [np.zeros(len(layer.lon)) if layer.radius is None else layer.radius for layer in (*shown, *drawn)]
        far = np.concatenate(reach)
        low_x, high_x = float((east - far).min()), float((east + far).max())
        low_y, high_y = float((north - far).min()), float((north + far).max())
        edge = max(EDGE * max(high_x - low_x, high_y - low_y), SMALLEST / 2)
        return cls(frame, low_x - edge, high_y + edge, high_x - low_x + 2 * edge, high_y - low_y + 2 * edge)


def scale_bar(most: float) -> tuple[float, str]:
    """A round length of so many metres at most, and how it is called.

    >>> scale_bar(2_700), scale_bar(180)
    ((2000.0, '2 km'), (100.0, '100 m'))
    """
    power = 10.0 ** np.floor(np.log10(most))
    metres = float(next(power * times for times in (5, 2, 1) if power * times <= most))
    return metres, f"{metres / 1_000:g} km" if metres >= 1_000 else f"{metres:g} m"
