"""Trajectories that may be released: (k, δ)-anonymous ones, and ones that nobody made, with differential privacy."""

from __future__ import annotations

from typing import Any

from cobogo.floor.catalogue import Registry
from cobogo.locate.trips.kdelta import Anonymized, KDelta, anonymize, closeness
from cobogo.locate.trips.synthesis import TripModel, TripSynthesis, fit

TRAJECTORIES: Registry[Any] = Registry(
    "method for trajectories",
    {
        "k-delta-anonymity": ".trips.kdelta:KDelta",
        "trip-synthesis": ".trips.synthesis:TripSynthesis",
        "dp-where": ".mobility.sample:where",
    },
    home="cobogo.locate",
    listed="mechanisms",
    guide="trajectories",
    remark="trajectories",
)
"""What the commands ``cobogo locate anonymize``, ``synthesize`` and ``where`` do."""

__all__ = ["TRAJECTORIES", "Anonymized", "KDelta", "TripModel", "TripSynthesis", "anonymize", "closeness", "fit"]
