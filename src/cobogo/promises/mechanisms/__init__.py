"""Mechanisms: each adds noise to whole numbers, or chooses, and knows what it costs and how far off it may be."""

from __future__ import annotations

from cobogo.promises.mechanisms.exponential import ExponentialMechanism
from cobogo.promises.mechanisms.gaussian import Gaussian
from cobogo.promises.mechanisms.laplace import Laplace
from cobogo.promises.mechanisms.noisy_max import NoisyMax
from cobogo.promises.mechanisms.sparse_vector import SparseVector

MECHANISMS: dict[str, type] = {
    "laplace": Laplace,
    "gaussian": Gaussian,
    "exponential": ExponentialMechanism,
    "noisy-max": NoisyMax,
    "sparse-vector": SparseVector,
}
"""Every mechanism by its name."""

__all__ = ["MECHANISMS", "ExponentialMechanism", "Gaussian", "Laplace", "NoisyMax", "SparseVector"]
