"""Trajectories that may be released: (k, δ)-anonymous ones, and ones that nobody made, with differential privacy."""

from __future__ import annotations

from cobogo.location.trajectories.check import closeness
from cobogo.location.trajectories.kdelta import Anonymized, KDelta, anonymize
from cobogo.location.trajectories.synthesis import Model, Synthesis, fit

__all__ = ["Anonymized", "KDelta", "Model", "Synthesis", "anonymize", "closeness", "fit"]
