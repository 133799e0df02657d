"""Everybody's records within the declared bounds: the declared days, and at most so many calls a day.

It comes before anything is counted. What is kept of a person follows from that person's records alone, whatever their
order, so that no two people's records are entangled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cobogo.floor.arrays import Ints
from cobogo.locate.mobility.calls import Calls
from cobogo.locate.mobility.space import Space


class Bounded(NamedTuple):
    """Records that count, person by person: people are numbered anew from 0, each has one record at least."""

    user: Ints
    cell: Ints
    day: Ints
    hour: Ints
    people: int


def bounded(calls: Calls, space: Space) -> Bounded:
    """The first calls of each day, up to the cap; ties in time go to the cell of the lower number."""
    since = calls.time - space.start
    inside = np.flatnonzero((since >= 0) & (since < space.days * 86_400.0))
    order = inside[np.lexsort((calls.cell[inside], since[inside], calls.user[inside]))]
    user, cell, second = calls.user[order], calls.cell[order], since[order]
    day = (second // 86_400.0).astype(np.int64)
    key = user * space.days + day
    fresh = np.flatnonzero(np.diff(key, prepend=-1))
    rank = np.arange(len(key)) - np.repeat(fresh, np.diff(np.append(fresh, len(key))))
    kept = rank < space.most_a_day
    known, number = np.unique(user[kept], return_inverse=True)
    hour = (second[kept] % 86_400.0 // 3_600.0).astype(np.int64)
    return Bounded(number.astype(np.int64), cell[kept], day[kept], hour, len(known))
