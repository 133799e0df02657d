"""Trajectories that may be released: (k, δ)-anonymous ones, and made-up ones with differential privacy."""

from __future__ import annotations

from typing import Any

from cobogo.floor.catalogue import Registry
from cobogo.locate.trips.kdelta import AnonymizedTrips, KDelta, anonymize_trips, closeness
from cobogo.locate.trips.synthesis import TripModel, TripSynthesis, fit_trips

TRAJECTORIES: Registry[Any] = Registry(
    "method for trajectories",
    {
        "k-delta-anonymity": ".trips.kdelta:KDelta",
        "trip-synthesis": ".trips.synthesis:TripSynthesis",
        "dp-where": ".mobility.sample:dp_where",
        "flows": ".mobility.flows:count_flows",
        "on-the-map": ".mobility.sample:draw_commuters",
    },
    home="cobogo.locate",
    listed="mechanisms",
    guide="trajectories",
    remark="trajectories",
)
"""The methods of ``cobogo locate anonymize``, ``synthesize``, ``where`` and ``flows``."""

__all__ = [
    "TRAJECTORIES",
    "AnonymizedTrips",
    "KDelta",
    "TripModel",
    "TripSynthesis",
    "anonymize_trips",
    "closeness",
    "fit_trips",
]
