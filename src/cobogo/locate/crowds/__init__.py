"""Cloaks: regions that hold at least k people, made by a trusted anonymizer that knows where everybody is."""

from typing import Any

from cobogo.floor.catalogue import Registry
from cobogo.locate.crowds.base import Cloak, Cloaked
from cobogo.locate.crowds.clique import CliqueCloak, GatheredCloaks, Gathering
from cobogo.locate.crowds.cloaks import Casper, CrowdPositions, Hilbert, NearestNeighbours, QuadTree
from cobogo.locate.mechanisms.base import Mechanism

CLOAKS: Registry[type[Cloak]] = Registry(
    "cloak",
    {
        "quad-tree": ".cloaks:QuadTree",
        "casper": ".cloaks:Casper",
        "hilbert": ".cloaks:Hilbert",
        "nearest-neighbours": ".cloaks:NearestNeighbours",
        "clique": ".clique:CliqueCloak",
    },
    home="cobogo.locate.crowds",
    listed="mechanisms",
    guide="location-service",
    remark="cloak of an anonymizer",
)
"""Every cloak by its name."""

REQUESTS: Registry[type[Mechanism]] = Registry(
    "request",
    {"crowd-positions": ".cloaks:CrowdPositions"},
    home="cobogo.locate.crowds",
    listed="mechanisms",
    guide="location-service",
    remark="request of an anonymizer",
)
"""Requests that are no regions; the server does not send them."""

ZONES: Registry[Any] = Registry(
    "mix zone",
    {"mix-zone": ".crowds.mix_zones:MixZone"},
    home="cobogo.locate",
    listed="mechanisms",
    guide="location-service",
    remark="of an anonymizer",
)
"""What else an anonymizer does."""

__all__ = [
    "CLOAKS",
    "REQUESTS",
    "ZONES",
    "Casper",
    "CliqueCloak",
    "Cloak",
    "Cloaked",
    "CrowdPositions",
    "GatheredCloaks",
    "Gathering",
    "Hilbert",
    "NearestNeighbours",
    "QuadTree",
]
