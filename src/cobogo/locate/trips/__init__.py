"""Trajectories that may be released: (k, δ)-anonymous ones, and ones that nobody made, with differential privacy."""

from __future__ import annotations

from cobogo.locate.trips.check import closeness
from cobogo.locate.trips.kdelta import Anonymized, KDelta, anonymize
from cobogo.locate.trips.synthesis import Model, Synthesis, fit

__all__ = ["Anonymized", "KDelta", "Model", "Synthesis", "anonymize", "closeness", "fit"]
