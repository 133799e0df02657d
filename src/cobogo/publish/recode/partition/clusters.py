"""What clustering algorithms share: clustering block by block, and joining groups until every model holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cobogo.floor.arrays import Ints, Mask
from cobogo.publish.recode.contract.problem import least_size
from cobogo.publish.recode.partition.groups import Parcels, RecordGroups
from cobogo.publish.recode.partition.space import Centres, Points, blocks

Pieces = tuple[Ints, Ints, Ints, int]
"""Parcels, how many records of each, the group of those records, and the number of groups."""

Cluster = Callable[[Ints, Ints, int], Pieces]
"""Clusters some parcels, each with a number of records, into groups of at least so many. Pieces refer to places among
the parcels given."""


def cluster_regions(whole: Parcels, where: Points, regions: Ints, least: int, cluster: Cluster) -> RecordGroups:
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
        places, owners = _keep_whole(places, amounts, owners, len(whole))
        amounts = whole.counts[places]
    order = np.lexsort((owners, places))
    places, amounts, owners = places[order], amounts[order], owners[order]
    pieces = replace(
        whole,
        tuples=whole.tuples[places],
        counts=amounts,
        values=None if whole.values is None else whole.values[places],
    )
    return join_failing_groups(pieces, where[places], owners, regions[places], least)


def _keep_whole(places: Ints, amounts: Ints, owners: Ints, parcels: int) -> tuple[Ints, Ints]:
    """Where equal tuples must stay together, give each parcel whole to the group that has most of it."""
    order = np.lexsort((-amounts, places))
    _, first = np.unique(places[order], return_index=True)
    found = np.empty(parcels, dtype=np.int64)
    found[places[order][first]] = owners[order][first]
    return np.arange(parcels), found


def join_failing_groups(parcels: Parcels, where: Points, owners: Ints, regions: Ints, least: int) -> RecordGroups:
    """Join each group that fails a model with the nearest one of its region, in pairs and round after round; a failing
    group that is alone in its region is suppressed."""
    there = owners >= 0
    numbers, inverse = np.unique(owners[there], return_inverse=True)
    owners = np.full(len(owners), -1, dtype=np.int64)
    owners[there] = inverse
    count, checked = len(numbers), 0
    while True:
        kept = np.flatnonzero(owners >= 0)
        fit = parcels.fit(kept, owners[kept], count, least)
        checked += count
        if fit.all():
            return RecordGroups(parcels, owners, count, checked)
        region = np.zeros(count, dtype=np.int64)
        region[owners[kept]] = regions[kept]
        joined = _choose_joins(Centres.from_groups(where, owners, parcels.counts, count), ~fit, region)
        names, numbers = np.unique(joined[joined >= 0], return_inverse=True)
        joined[joined >= 0] = numbers
        owners = np.where(owners >= 0, joined[owners], -1)
        count = len(names)


def _choose_joins(centres: Centres, failed: Mask, region: Ints) -> Ints:
    """The group that each group joins: its own number, another's, or −1 where it fails and is alone."""
    root = np.arange(len(failed))
    for place in np.unique(region[failed]).tolist():
        among = np.flatnonzero(region == place)
        wanted = among[failed[among]]
        if len(among) == 1:
            root[wanted] = -1
            continue
        busy: set[int] = set()  # joins are of two, so that groups grow no faster than they must
        for one, other in zip(wanted.tolist(), centres.nearest(wanted, among).tolist(), strict=True):
            if one not in busy and other not in busy:
                root[one] = other
                busy |= {one, other}
    return root
