"""Mechanisms of location privacy that run on a device, each in a file of its own."""

from __future__ import annotations

from cobogo.floor.catalogue import Registry
from cobogo.locate.mechanisms.adaptive import Adaptive
from cobogo.locate.mechanisms.base import Mechanism
from cobogo.locate.mechanisms.disc import Disc
from cobogo.locate.mechanisms.dummies import Dummies
from cobogo.locate.mechanisms.elastic import Elastic, Exponential
from cobogo.locate.mechanisms.indirect import Indirect
from cobogo.locate.mechanisms.keyed import Key, KeyedTransform
from cobogo.locate.mechanisms.optimal import Optimal
from cobogo.locate.mechanisms.planar_laplace import PlanarLaplace
from cobogo.locate.mechanisms.predictive import Predictive
from cobogo.locate.mechanisms.remap import Remap, Remapped
from cobogo.locate.mechanisms.together import Centroid, Several

MECHANISMS: Registry[type[Mechanism]] = Registry(
    "mechanism",
    {
        "planar-laplace": ".planar_laplace:PlanarLaplace",
        "remapped-laplace": ".remap:Remapped",
        "optimal": ".optimal:Optimal",
        "grid-exponential": ".elastic:Exponential",
        "elastic": ".elastic:Elastic",
        "predictive": ".predictive:Predictive",
        "adaptive": ".adaptive:Adaptive",
        "several": ".together:Several",
        "centroid": ".together:Centroid",
        "disc": ".disc:Disc",
        "keyed-transform": ".keyed:KeyedTransform",
        "indirect": ".indirect:Indirect",
        "dummies": ".dummies:Dummies",
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
    "MECHANISMS", "Adaptive", "Centroid", "Disc", "Dummies", "Elastic", "Exponential", "Indirect", "Key",
    "KeyedTransform", "Optimal", "PlanarLaplace", "Predictive", "Remap", "Remapped", "Several",
]  # fmt: skip
