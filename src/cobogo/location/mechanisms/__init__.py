"""Mechanisms of location privacy that run on a device, each in a file of its own."""

from __future__ import annotations

from cobogo.location.base import Mechanism
from cobogo.location.mechanisms.planar_laplace import PlanarLaplace

MECHANISMS: dict[str, type[Mechanism]] = {one.name: one for one in (PlanarLaplace,)}
"""Every mechanism by its name."""

__all__ = ["MECHANISMS", "PlanarLaplace"]
