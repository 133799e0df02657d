"""Cloaks: regions that hold at least k people, made by a trusted anonymizer that knows where everybody is."""

from cobogo.locate.crowds.base import Cloak, Cloaked
from cobogo.locate.crowds.clique import CliqueCloak, Gathering, Met
from cobogo.locate.crowds.neighbours import Hilbert, NearestNeighbours
from cobogo.locate.crowds.tree import Casper, QuadTree

CLOAKS: dict[str, type[Cloak]] = {
    kind.name: kind for kind in (QuadTree, Casper, Hilbert, NearestNeighbours, CliqueCloak)
}
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
