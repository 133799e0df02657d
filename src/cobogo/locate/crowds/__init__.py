"""Cloaks: regions that hold at least k people, made by a trusted anonymizer that knows where everybody is."""

from typing import Any

from cobogo.floor.catalogue import Registry
from cobogo.locate.crowds.base import Cloak, Cloaked
from cobogo.locate.crowds.clique import CliqueCloak, GatheredCloaks, Gathering
from cobogo.locate.crowds.neighbours import Hilbert, NearestNeighbours
from cobogo.locate.crowds.tree import Casper, QuadTree

CLOAKS: Registry[type[Cloak]] = Registry(
    "cloak",
    {
        "quad-tree": ".tree:QuadTree",
        "casper": ".tree:Casper",
        "hilbert": ".neighbours:Hilbert",
        "nearest-neighbours": ".neighbours:NearestNeighbours",
        "clique": ".clique:CliqueCloak",
    },
    home="cobogo.locate.crowds",
    listed="mechanisms",
    guide="location-service",
    remark="cloak of an anonymizer",
)
"""Every cloak by its name."""

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
    "ZONES",
    "Casper",
    "CliqueCloak",
    "Cloak",
    "Cloaked",
    "GatheredCloaks",
    "Gathering",
    "Hilbert",
    "NearestNeighbours",
    "QuadTree",
]
