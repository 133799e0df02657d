"""Cloaks that are cells of a quad-tree: Gruteser and Grunwald's, and the pyramid of Casper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.location.base import Guarantee
from cobogo.location.cloaks.base import Cloak, Cloaked, people_of
from cobogo.location.cloaks.cells import boxes, cells, morton, ordered
from cobogo.location.cloaks.kernels import climb, descend, pool
from cobogo.location.points import Points


@dataclass(frozen=True)
class QuadTree(Cloak):
    """The smallest cell of a quad-tree about a person that holds k people (Gruteser and Grunwald, MobiSys 2003).

    The world is cut into four while the quarter with the person in it keeps k people. A quarter with fewer sends its
    people up to the cell above, which its neighbours may not need: so who knows where everybody is, knows that the
    cloak is somebody's in the poor quarters of it. With ``reciprocal`` it goes the other way: from the finest cells up,
    those who have no crowd yet make one as soon as they are k in a cell, and k people share every cloak; who is left in
    the end joins the crowd with the largest cell.
    """

    name: ClassVar[str] = "quad-tree"

    reciprocal: bool = False

    @property
    def guarantee(self) -> Guarantee:
        """See `Cloak`."""
        return shared(self.k) if self.reciprocal else one_way(self.k)

    def regions(self, points: Points) -> Cloaked:
        """Sorted by Morton code, a cell is a run of reports, whatever its level."""
        self._check_crowd(points)
        codes, people = people_of(points)
        column, row = cells(points.lon, points.lat)
        code, order = ordered(morton(column, row))
        work = pool if self.reciprocal else descend
        level = work(code, row, order, codes, people, self.k, self.min_area)
        alone = np.zeros(len(level), dtype=np.int8)
        return Cloaked(boxes(column, row, level, alone, alone))


@dataclass(frozen=True)
class Casper(Cloak):
    """The first cell on the way up a pyramid, alone or with one sibling, that holds k people and has the minimum area
    (Mokbel, Chow and Aref, VLDB 2006).

    Two siblings side by side or atop each other are tried before the cell above them: of two pairs that would do, the
    one with fewer people is taken.
    """

    name: ClassVar[str] = "casper"

    @property
    def guarantee(self) -> Guarantee:
        """See `Cloak`."""
        return one_way(self.k)

    def regions(self, points: Points) -> Cloaked:
        """All levels from the finest up; a cell's people are done with together."""
        self._check_crowd(points)
        codes, people = people_of(points)
        column, row = cells(points.lon, points.lat)
        code, order = ordered(morton(column, row))
        level, wide, high = climb(code, row[order], codes[order], people, self.k, self.min_area)
        back = np.empty(len(order), dtype=np.int64)
        back[order] = np.arange(len(order))
        return Cloaked(boxes(column, row, level[back], wide[back], high[back]))


def one_way(k: int) -> Guarantee:
    """What is left of k where cloaks are not reciprocal."""
    return Guarantee(
        "none",
        k=k,
        note=f"there are {k} people or more in every cloak, but not all of them would be given the same one: "
        "who knows where everybody is can rule some of them out",
    )


def shared(k: int) -> Guarantee:
    """What holds where everybody in a cloak's crowd has the same cloak."""
    return Guarantee(
        "k-anonymity",
        k=k,
        note="for one request, even against one who knows where everybody is; not when requests of one person are "
        "linked over time, nor about what the place itself tells of all who are there",
    )
