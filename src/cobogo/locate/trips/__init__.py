"""Trajectories that may be released: (k, δ)-anonymous ones, and ones that nobody made, with differential privacy."""

from __future__ import annotations

from cobogo.locate.trips.check import closeness
from cobogo.locate.trips.kdelta import Anonymized, KDelta, anonymize
from cobogo.locate.trips.synthesis import TripModel, TripSynthesis, fit

__all__ = ["Anonymized", "KDelta", "TripModel", "TripSynthesis", "anonymize", "closeness", "fit"]
