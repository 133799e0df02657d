"""Mechanisms of location privacy that run on a device, each in a file of its own."""

from __future__ import annotations

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
