"""Mechanisms: each adds noise to whole numbers or selects a candidate, and states its privacy loss and its error."""

from __future__ import annotations

from typing import Any

from cobogo.floor.catalogue import Registry
from cobogo.promises.mechanisms.exponential import ExponentialMechanism
from cobogo.promises.mechanisms.gaussian import Gaussian
from cobogo.promises.mechanisms.laplace import Laplace
from cobogo.promises.mechanisms.noisy_max import NoisyMax
from cobogo.promises.mechanisms.sparse_vector import SparseVector

MECHANISMS: Registry[Any] = Registry(
    "mechanism",
    {
        "laplace": ".laplace:Laplace",
        "gaussian": ".gaussian:Gaussian",
        "exponential": ".exponential:ExponentialMechanism",
        "noisy-max": ".noisy_max:NoisyMax",
        "sparse-vector": ".sparse_vector:SparseVector",
    },
    home=__name__,
    listed="mechanisms",
    guide="curator",
)
"""Every mechanism by its name."""

__all__ = ["MECHANISMS", "ExponentialMechanism", "Gaussian", "Laplace", "NoisyMax", "SparseVector"]
