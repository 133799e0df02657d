"""A device at home."""

from __future__ import annotations

from cobogo.floor.randomness import Seeded
from cobogo.locate.device import DeviceClient
from cobogo.locate.mechanisms import PlanarLaplace

HOME = (-38.52, -3.74)


def client(**options: object) -> DeviceClient:
    chosen: dict[str, object] = {"budget": 0.03, "window": 3600.0, "source": Seeded(4), **options}
    return DeviceClient(PlanarLaplace(0.01), **chosen)  # type: ignore[arg-type]
