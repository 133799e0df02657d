"""Mechanisms of location privacy that run on a device, each in a file of its own."""

from __future__ import annotations

from cobogo.floor.catalogue import Registry
from cobogo.locate.mechanisms.base import Mechanism
from cobogo.locate.mechanisms.dummies import Dummies
from cobogo.locate.mechanisms.elastic import Elastic, GridExponential
from cobogo.locate.mechanisms.obfuscation import Disc, Indirect, KeyedTransform, MapKey
from cobogo.locate.mechanisms.optimal import Optimal
from cobogo.locate.mechanisms.place_sets import Centroid, SeveralPlaces
from cobogo.locate.mechanisms.planar_laplace import PlanarLaplace, Remap, Remapped
from cobogo.locate.mechanisms.reuse import CachedDummies, Eclipse
from cobogo.locate.mechanisms.traces import Adaptive, Predictive

MECHANISMS: Registry[type[Mechanism]] = Registry(
    "mechanism",
    {
        "planar-laplace": ".planar_laplace:PlanarLaplace",
        "remapped-laplace": ".planar_laplace:Remapped",
        "optimal": ".optimal:Optimal",
        "grid-exponential": ".elastic:GridExponential",
        "elastic": ".elastic:Elastic",
        "predictive": ".traces:Predictive",
        "adaptive": ".traces:Adaptive",
        "several": ".place_sets:SeveralPlaces",
        "centroid": ".place_sets:Centroid",
        "disc": ".obfuscation:Disc",
        "keyed-transform": ".obfuscation:KeyedTransform",
        "indirect": ".obfuscation:Indirect",
        "dummies": ".dummies:Dummies",
        "eclipse": ".reuse:Eclipse",
        "cached-dummies": ".reuse:CachedDummies",
    },
    home="cobogo.locate.mechanisms",
    listed="mechanisms",
    guide="location-mechanisms",
    remark="location",
    plugins="cobogo.mechanisms",
    base=".base:Mechanism",
)
"""Every mechanism by its name."""

__all__ = [
    "MECHANISMS",
    "Adaptive",
    "CachedDummies",
    "Centroid",
    "Disc",
    "Dummies",
    "Eclipse",
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
