"""Mechanisms of location privacy that run on a device, each in a file of its own."""

from __future__ import annotations

from cobogo.locate.mechanisms.base import Mechanism
from cobogo.locate.mechanisms.dummies import Dummies
from cobogo.locate.mechanisms.elastic import Elastic, GridExponential
from cobogo.locate.mechanisms.keyed import KeyedTransform, MapKey
from cobogo.locate.mechanisms.obfuscation import Disc, Indirect
from cobogo.locate.mechanisms.optimal import Optimal
from cobogo.locate.mechanisms.place_sets import Centroid, SeveralPlaces
from cobogo.locate.mechanisms.planar_laplace import PlanarLaplace
from cobogo.locate.mechanisms.remap import Remap, Remapped
from cobogo.locate.mechanisms.traces import Adaptive, Predictive

MECHANISMS: dict[str, type[Mechanism]] = {
    one.name: one
    for one in (
        PlanarLaplace, Remapped, Optimal, GridExponential, Elastic, Predictive, Adaptive, SeveralPlaces, Centroid,
        Disc, KeyedTransform, Indirect, Dummies,
    )
}  # fmt: skip
"""Every mechanism by its name."""

__all__ = [
    "MECHANISMS",
    "Adaptive",
    "Centroid",
    "Disc",
    "Dummies",
    "Elastic",
    "GridExponential",
    "Indirect",
    "KeyedTransform",
    "MapKey",
    "Optimal",
    "PlanarLaplace",
    "Predictive",
    "Remap",
    "Remapped",
    "SeveralPlaces",
]  # fmt: skip
