"""Algorithms that put similar records together: what they have in common, and how their groups are made whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cobogo.floor.arrays import Ints
from cobogo.publish.recode.partition.groups import Groups, Parcels
from cobogo.publish.recode.partition.mend import mended
from cobogo.publish.recode.partition.sizes import least_size
from cobogo.publish.recode.partition.space import Points, blocks

Pieces = tuple[Ints, Ints, Ints, int]
"""Parcels, how many records of each, the group they go to, and how many groups there are."""

Cluster = Callable[[Ints, Ints, int], Pieces]
"""Puts some parcels, each with a number of records, in groups of at least so many; the pieces are numbered within."""


def clustered(whole: Parcels, where: Points, regions: Ints, least: int, cluster: Cluster) -> Groups:
    """Cluster each region, block by block, and join groups until every model holds."""
    size = max(least, least_size(whole.problem))
    parts: list[tuple[Ints, Ints, Ints]] = []
    groups = 0
    for block in blocks(where, regions):
        places, amounts, owners, count = cluster(block, whole.counts[block], size)
        parts.append((block[places], amounts, owners + groups))
        groups += count
    places, amounts, owners = (np.concatenate([part[n] for part in parts]) for n in range(3))
    if not whole.divisible:
        places, owners = _undivided(places, amounts, owners, len(whole))
        amounts = whole.counts[places]
    order = np.lexsort((owners, places))
    places, amounts, owners = places[order], amounts[order], owners[order]
    pieces = replace(
        whole,
        tuples=whole.tuples[places],
        counts=amounts,
        values=None if whole.values is None else whole.values[places],
    )
    return mended(pieces, where[places], owners, regions[places], least)


def _undivided(places: Ints, amounts: Ints, owners: Ints, parcels: int) -> tuple[Ints, Ints]:
    """Where equal tuples must stay together, each goes whole to the group that has most of it."""
    order = np.lexsort((-amounts, places))
    _, first = np.unique(places[order], return_index=True)
    found = np.empty(parcels, dtype=np.int64)
    found[places[order][first]] = owners[order][first]
    return np.arange(parcels), found
