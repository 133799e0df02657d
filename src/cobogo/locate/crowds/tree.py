"""Cloaks that are cells of a quad-tree: Gruteser and Grunwald's, and the pyramid of Casper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.locate.crowds.base import Cloak, Cloaked, people_of
from cobogo.locate.crowds.cells import boxes, cells, morton, sort_codes
from cobogo.locate.crowds.kernels import climb, descend, pool
from cobogo.locate.mechanisms.base import LocationGuarantee
from cobogo.locate.places.points import Points


@card("quad-tree", start={"k": 4, "reciprocal": False})
@dataclass(frozen=True)
class QuadTree(Cloak):
    r"""The smallest cell of a quad-tree around a person that has k people in it.

    The world is cut into quarters as long as the quarter with the person in it has k people. With ``reciprocal`` it
    works the other way, from the smallest cells up: people who are not yet in a group form one as soon as k of them are
    in a cell, and at least k people share each cloak. Those who are left at the end join the group with the largest
    cell.

    Formula: the smallest cell $C \ni x$ of the tree with $\lvert\{u : u \in C\}\rvert \ge k$ and at least the minimum
        area
    Example:
        >>> from cobogo.studies.worked_examples import city
        >>> crowd = city(100)
        >>> noon = crowd.take(crowd.time == crowd.time[12])
        >>> bool((QuadTree(k=10, reciprocal=True).regions(noon).sharing(noon) >= 10).all())
        True

    Guarantee: At least k people are in the region. With ``reciprocal`` at least k people have the same region, so an
        attacker who knows where all people are finds the person with probability at most $1/k$, for one request.
    Limits: Without ``reciprocal``, people in a quarter with fewer than k people get the larger cell above it, while
        their neighbours in fuller quarters get smaller cells. So the larger cell reveals that the person is in one of
        its emptier quarters. The cloaks of one person at different times can be intersected. All k people may be in one
        building: see the minimum area.
    Cost: $O(n \log n)$ for n people.
    Paper: M. Gruteser and D. Grunwald, Anonymous usage of location-based services through spatial and temporal
        cloaking, MobiSys 2003.
    """

    reciprocal: bool = False

    @property
    def guarantee(self) -> LocationGuarantee:
        """See `Cloak`."""
        return reciprocal_guarantee(self.k) if self.reciprocal else one_way_guarantee(self.k)

    def regions(self, points: Points) -> Cloaked:
        """Sort by Morton code, in which a cell of any level is a run of reports, and find each report's level."""
        self._check_crowd(points)
        codes, people = people_of(points)
        column, row = cells(points.lon, points.lat)
        code, order = sort_codes(morton(column, row))
        work = pool if self.reciprocal else descend
        level = work(code, row, order, codes, people, self.k, self.min_area)
        alone = np.zeros(len(level), dtype=np.int8)
        return Cloaked(boxes(column, row, level, alone, alone))


@card("casper", title="Casper", start={"k": 4})
@dataclass(frozen=True)
class Casper(Cloak):
    r"""The first cell on the way up a pyramid, alone or with one sibling, that has k people and the minimum area.

    A cell with the sibling beside it, or with the one above or below it on the map, is tried before the next larger
    cell. If both pairs would do, the one with fewer people is taken.

    Formula: the first of $C$, $C \cup C_{\text{beside}}$, $C \cup C_{\text{atop}}$ and the cell above, on the way up,
        with $n \ge k$ people and area $\ge A_{\min}$
    Example:
        >>> from cobogo.studies.worked_examples import city
        >>> crowd = city(100)
        >>> noon = crowd.take(crowd.time == crowd.time[12])
        >>> bool((Casper(k=10).regions(noon).people(noon) >= 10).all())
        True

    Guarantee: At least k people are in the region. It is not reciprocal: an attacker who knows where all people are may
        learn more.
    Limits: The same as for `quad-tree`: neighbours may have other cloaks.
    Cost: $O(n \log n + n\,h)$ for n people and h levels.
    Paper: M. F. Mokbel, C.-Y. Chow and W. G. Aref, The new Casper: query processing for location services without
        compromising privacy, VLDB 2006.
    """

    @property
    def guarantee(self) -> LocationGuarantee:
        """See `Cloak`."""
        return one_way_guarantee(self.k)

    def regions(self, points: Points) -> Cloaked:
        """Sort by Morton code, and go through all levels from the finest up."""
        self._check_crowd(points)
        codes, people = people_of(points)
        column, row = cells(points.lon, points.lat)
        code, order = sort_codes(morton(column, row))
        level, wide, high = climb(code, row[order], codes[order], people, self.k, self.min_area)
        back = np.empty(len(order), dtype=np.int64)
        back[order] = np.arange(len(order))
        return Cloaked(boxes(column, row, level[back], wide[back], high[back]))


def one_way_guarantee(k: int) -> LocationGuarantee:
    """What holds where not everybody in a cloak has the same cloak."""
    return LocationGuarantee(
        "none",
        k=k,
        note=tr(
            "every cloak has at least {k} people, but not all of them would get the same cloak: an attacker who knows "
            "where all people are can rule some of them out",
            k=k,
        ),
    )


def reciprocal_guarantee(k: int) -> LocationGuarantee:
    """What holds where everybody in a cloak's crowd has the same cloak."""
    return LocationGuarantee(
        "k-anonymity",
        k=k,
        note=tr(
            "for one request, even against an attacker who knows where all people are; not when requests of one person "
            "are linked over time, and not for what the place itself reveals about everybody in it"
        ),
    )
