"""Mending: groups that were made with a look at their sizes alone are joined until every model holds."""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Ints, Mask
from cobogo.publish.recode.partition.groups import Groups, Parcels
from cobogo.publish.recode.partition.space import Centres, Points


def mended(parcels: Parcels, where: Points, owners: Ints, regions: Ints, least: int) -> Groups:
    """Each group that fails a model joins the nearest of its region, again and again; one that is alone in its region
    and fails is suppressed. Two at a time: in every round some do."""
    there = owners >= 0
    numbers, inverse = np.unique(owners[there], return_inverse=True)
    owners = np.full(len(owners), -1, dtype=np.int64)
    owners[there] = inverse
    count, looked_at = len(numbers), 0
    while True:
        kept = np.flatnonzero(owners >= 0)
        fit = parcels.fit(kept, owners[kept], count, least)
        looked_at += count
        if fit.all():
            return Groups(parcels, owners, count, looked_at)
        region = np.zeros(count, dtype=np.int64)
        region[owners[kept]] = regions[kept]
        joined = _joined(Centres.of(where, owners, parcels.counts, count), ~fit, region)
        names, numbers = np.unique(joined[joined >= 0], return_inverse=True)
        joined[joined >= 0] = numbers
        owners = np.where(owners >= 0, joined[owners], -1)
        count = len(names)


def _joined(centres: Centres, failed: Mask, region: Ints) -> Ints:
    """The group that each becomes part of: its own number, another's, or −1 where it fails and is alone."""
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
