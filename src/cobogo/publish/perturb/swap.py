"""Swapping: two records exchange the values of some attributes. What each column holds stays the same.

Swapping gives no formal guarantee: a record that was not swapped is released as it is, and whoever knows the window
knows about where a value came from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cobogo.floor.arrays import Ints, Words

TRIES = 64
"""Partners looked at before a record is left as it is."""


@dataclass(frozen=True, eq=False, repr=False)
class Forbidden:
    """Combinations that no swap may make: bit r of ``receives`` says that a record holds all that rule r asks of the
    attributes that stay, and of ``gives``, all that it asks of those that are swapped."""

    receives: Words
    gives: Words

    @classmethod
    def none(cls, records: int) -> Forbidden:
        """No rule at all."""
        return cls(np.zeros(records, dtype=np.uint64), np.zeros(records, dtype=np.uint64))


def choose_partners(
    order: Ints, strata: Ints, window: int, taking_part: NDArray[np.bool_], keys: Words, forbidden: Forbidden
) -> Ints:
    """For each record, the one whose values it receives: itself, or its partner.

    ``order``: the records sorted by stratum and, within, by rank; ``window``: how far apart partners may stand in
    it (Moore 1996); ``keys``: 64 random bits a record. Partners are of one stratum, and neither gets a combination
    that is forbidden unless it held it before.
    """
    found: Ints = _partners(order, strata, window, taking_part, keys, forbidden.receives, forbidden.gives)
    return found


@njit(cache=True)
def _partners(order, strata, window, taking_part, keys, receives, gives):  # type: ignore[no-untyped-def]
    source = np.arange(len(order))
    free = taking_part.copy()
    end = 0
    for place in range(len(order)):
        record = order[place]
        if end <= place:
            end = place + 1
            while end < len(order) and strata[order[end]] == strata[record]:
                end += 1
        if not free[record]:
            continue
        reach = min(window, end - 1 - place)
        if reach <= 0:
            continue
        state = keys[record]
        for _ in range(TRIES):
            state = state + np.uint64(0x9E3779B97F4A7C15)
            mixed = state
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mixed = mixed ^ (mixed >> np.uint64(31))
            partner = order[place + 1 + np.int64(mixed % np.uint64(reach))]
            if not free[partner]:
                continue
            if (
                receives[record] & gives[partner] & ~gives[record]
                or receives[partner] & gives[record] & ~gives[partner]
            ):
                continue
            source[record], source[partner] = partner, record
            free[record] = free[partner] = False
            break
    return source
