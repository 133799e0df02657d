"""Cloaks: regions that hold at least k people, made by a trusted anonymizer that knows where everybody is."""

from cobogo.floor.catalogue import Registry
from cobogo.locate.crowds.base import Cloak, Cloaked
from cobogo.locate.crowds.clique import CliqueCloak, Gathering, Met
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

__all__ = [
    "CLOAKS",
    "Casper",
    "CliqueCloak",
    "Cloak",
    "Cloaked",
    "Gathering",
    "Hilbert",
    "Met",
    "NearestNeighbours",
    "QuadTree",
]
