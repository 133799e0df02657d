"""What the locating door can do by name, apart from mechanisms, cloaks and attacks."""

from __future__ import annotations

from typing import Any

from cobogo.floor.catalogue import Registry

TRAJECTORIES: Registry[Any] = Registry(
    "method for trajectories",
    {
        "k-delta-anonymity": ".trips.kdelta:KDelta",
        "trip-synthesis": ".trips.synthesis:TripSynthesis",
        "dp-where": ".mobility.fit:where",
    },
    home="cobogo.locate",
    listed="mechanisms",
    guide="trajectories",
    remark="trajectories",
)
"""What the commands ``cobogo locate anonymize``, ``synthesize`` and ``where`` do."""

ZONES: Registry[Any] = Registry(
    "mix zone",
    {"mix-zone": ".crowds.mix_zones:MixZone"},
    home="cobogo.locate",
    listed="mechanisms",
    guide="location-service",
    remark="of an anonymizer",
)
