"""Mechanisms: each adds noise to whole numbers or selects a candidate, and states its privacy loss and its error."""

from __future__ import annotations

from typing import Any

from cobogo.floor.catalogue import Registry
from cobogo.promises.mechanisms.noise import Gaussian, Laplace
from cobogo.promises.mechanisms.selection import ExponentialMechanism, NoisyMax, SparseVector

MECHANISMS: Registry[Any] = Registry(
    "mechanism",
    {
        "laplace": ".noise:Laplace",
        "gaussian": ".noise:Gaussian",
        "exponential": ".selection:ExponentialMechanism",
        "noisy-max": ".selection:NoisyMax",
        "sparse-vector": ".selection:SparseVector",
    },
    home=__name__,
    listed="mechanisms",
    guide="curator",
)
"""Every mechanism by its name."""

__all__ = ["MECHANISMS", "ExponentialMechanism", "Gaussian", "Laplace", "NoisyMax", "SparseVector"]
