"""Mechanisms of location privacy that run on a device, each in a file of its own."""

from __future__ import annotations

from cobogo.location.base import Mechanism
from cobogo.location.mechanisms.adaptive import Adaptive
from cobogo.location.mechanisms.disc import Disc
from cobogo.location.mechanisms.dummies import Dummies
from cobogo.location.mechanisms.elastic import Elastic, Exponential
from cobogo.location.mechanisms.indirect import Indirect
from cobogo.location.mechanisms.keyed import Key, KeyedTransform
from cobogo.location.mechanisms.optimal import Optimal
from cobogo.location.mechanisms.planar_laplace import PlanarLaplace
from cobogo.location.mechanisms.predictive import Predictive
from cobogo.location.mechanisms.remap import Remap, Remapped
from cobogo.location.mechanisms.together import Centroid, Several

MECHANISMS: dict[str, type[Mechanism]] = {
    one.name: one
    for one in (
        PlanarLaplace, Remapped, Optimal, Exponential, Elastic, Predictive, Adaptive, Several, Centroid,
        Disc, KeyedTransform, Indirect, Dummies,
    )
}  # fmt: skip
"""Every mechanism by its name."""

__all__ = [
    "MECHANISMS", "Adaptive", "Centroid", "Disc", "Dummies", "Elastic", "Exponential", "Indirect", "Key",
    "KeyedTransform", "Optimal", "PlanarLaplace", "Predictive", "Remap", "Remapped", "Several",
]  # fmt: skip
