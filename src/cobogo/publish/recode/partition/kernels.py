"""Compiled kernels of the clustering algorithms. A parcel is a point, or a tuple of leaves, with a number of records.

Sizes of arrays: a group divides at most one parcel, the last it takes, so n parcels and g groups make at most n + g
pieces; what is added to that is slack. `tests/publish/recode/test_kernels.py` runs all kernels with checked indices.
"""

from __future__ import annotations

import numpy as np

from cobogo.floor.kernels import kernel


# Distances only order parcels, so sums may be reassociated (fastmath): the inner loop of MDAV becomes vectors.
@kernel(fastmath=True)
def _apart(one, other):  # type: ignore[no-untyped-def]
    total = np.float32(0.0)
    for axis in range(len(one)):
        gap = one[axis] - other[axis]
        total += gap * gap
    return total


@kernel()
def _farthest(points, active, many, centre):  # type: ignore[no-untyped-def]
    best, place = np.float32(-1.0), -1  # below any squared distance
    for position in range(many):
        apart = _apart(points[active[position]], centre)
        if apart > best:
            best, place = apart, active[position]
    return place


@kernel()
def _take(points, left, active, many, centre, wanted, near, gaps, taken):  # type: ignore[no-untyped-def]
    """Choose the ``wanted`` records nearest to a centre. Returns how many parcels they are of; ``near`` has those
    parcels and ``taken`` how many records of each. ``left`` is not changed.

    ``near`` is kept sorted by insertion: k is small, and most parcels are farther than the last.
    """
    known = 0
    for position in range(many):
        parcel = active[position]
        apart = _apart(points[parcel], centre)
        if known == wanted and apart >= gaps[known - 1]:
            continue
        place = known if known < wanted else wanted - 1
        while place > 0 and gaps[place - 1] > apart:
            gaps[place] = gaps[place - 1]
            near[place] = near[place - 1]
            place -= 1
        gaps[place] = apart
        near[place] = parcel
        if known < wanted:
            known += 1
    rest = wanted
    touched = 0
    while touched < known and rest > 0:
        parcel = near[touched]
        moved = min(rest, left[parcel])
        taken[touched] = moved
        rest -= moved
        touched += 1
    return touched


@kernel()
def mdav(points, counts, k):  # type: ignore[no-untyped-def]
    """Maximum distance to average vector: the groups as lists of (parcel, records, group).

    While 3k records are left, the k nearest to the one farthest from the mean become a group, and so do the k nearest
    to the one farthest from that; then one more, if 2k are left, and the rest.
    """
    n, dims = points.shape
    left = counts.copy()
    active = np.arange(n)
    many = n
    records = left.sum()
    total = np.zeros(dims, dtype=np.float64)
    for parcel in range(n):
        for axis in range(dims):
            total[axis] += points[parcel, axis] * left[parcel]
    room = n + 2 * (records // max(k, 1)) + 4 * k + 16
    parcels, amounts, owners = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    used, group = 0, 0
    near, gaps, taken = np.empty(k, np.int64), np.empty(k, np.float32), np.empty(k, np.int64)
    centre = np.empty(dims, dtype=np.float32)
    # Fewer than 2k records are one group: divided, one half would have fewer than k.
    while records >= 2 * k:
        for axis in range(dims):
            centre[axis] = total[axis] / records
        start = _farthest(points, active, many, centre)
        other = start
        for turn in range(2):
            if turn == 1 and records < 2 * k:
                break
            if turn == 1:
                other = _farthest(points, active, many, points[start])
            touched = _take(points, left, active, many, points[other], k, near, gaps, taken)
            for position in range(touched):
                parcel, moved = near[position], taken[position]
                parcels[used], amounts[used], owners[used] = parcel, moved, group
                used += 1
                left[parcel] -= moved
                records -= moved
                for axis in range(dims):
                    total[axis] -= points[parcel, axis] * moved
            group += 1
            kept = 0
            for position in range(many):
                if left[active[position]] > 0:
                    active[kept] = active[position]
                    kept += 1
            many = kept
    for position in range(many):
        parcel = active[position]
        parcels[used], amounts[used], owners[used] = parcel, left[parcel], group
        used += 1
    if many > 0:
        group += 1
    return parcels[:used], amounts[:used], owners[:used], group


@kernel()
def join_levels(row, levels, first, leaves, starts, codes, costs, highest, found):  # type: ignore[no-untyped-def]
    """Find the lowest levels (``found``), from those of a group up, at which the group and a parcel have equal values.
    Returns what a record costs there; infinite where no level allowed makes them equal."""
    total = 0.0
    for column in range(len(levels)):
        level = levels[column]
        own, other = leaves[row, column], leaves[first, column]
        while codes[starts[column, level] + own] != codes[starts[column, level] + other]:
            level += 1
            if level > highest[column]:
                return np.inf
        found[column] = level
        total += costs[starts[column, level] + own]
    return total


@kernel()
def k_member(leaves, counts, starts, codes, costs, lowest, highest, k):  # type: ignore[no-untyped-def]
    """Grow groups one after another: each begins with the parcel that is dearest to join with the previous seed, and
    takes the cheapest record until it has k. The rest joins the groups in which it costs least."""
    n, width = leaves.shape
    left = counts.copy()
    active, many = np.arange(n), n
    records = left.sum()
    room = n + 2 * (records // max(k, 1)) + 16
    parcels, amounts, owners = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    levels = np.empty((records // max(k, 1) + 2, width), np.int64)  # of each group; what fits nowhere is one more
    firsts, sizes = np.empty(len(levels), np.int64), np.zeros(len(levels), np.int64)
    used, group, seed = 0, 0, 0
    trial, best_trial = np.empty(width, np.int64), np.empty(width, np.int64)
    while records >= k:
        best, place = -1.0, -1
        for position in range(many):
            apart = join_levels(active[position], lowest, seed, leaves, starts, codes, costs, highest, trial)
            if apart > best:
                best, place = apart, position
        seed = active[place]
        firsts[group] = seed
        levels[group] = lowest
        size = 0
        while size < k:
            if size > 0:
                best, place = np.inf, -1
                for position in range(many):
                    cost = join_levels(
                        active[position], levels[group], seed, leaves, starts, codes, costs, highest, trial
                    )
                    if cost < best:
                        best, place = cost, position
                        best_trial[:] = trial
                if place < 0:
                    break
                levels[group] = best_trial
            parcel = active[place]
            moved = min(k - size, left[parcel])
            parcels[used], amounts[used], owners[used] = parcel, moved, group
            used += 1
            size += moved
            left[parcel] -= moved
            records -= moved
            if left[parcel] == 0:
                active[place] = active[many - 1]
                many -= 1
        sizes[group] = size
        group += 1
    for position in range(many):
        parcel = active[position]
        best, chosen = np.inf, -1
        for other in range(group):
            cost = join_levels(parcel, levels[other], firsts[other], leaves, starts, codes, costs, highest, trial)
            now = 0.0
            for column in range(width):
                now += costs[starts[column, levels[other, column]] + leaves[firsts[other], column]]
            more = cost * (sizes[other] + left[parcel]) - now * sizes[other]
            if more < best:
                best, chosen = more, other
                best_trial[:] = trial
        if chosen < 0:
            chosen = group
            group += 1
            firsts[chosen], levels[chosen] = parcel, lowest
        else:
            levels[chosen] = best_trial
        sizes[chosen] += left[parcel]
        parcels[used], amounts[used], owners[used] = parcel, left[parcel], chosen
        used += 1
    return parcels[:used], amounts[:used], owners[:used], group


@kernel()
def oka(points, counts, seeds, k):  # type: ignore[no-untyped-def]
    """Assign each parcel, in one pass, to the nearest centre, which moves with it. Then groups above k give the parcels
    farthest from their centre to the nearest groups below k."""
    n, dims = points.shape
    groups = len(seeds)
    centres = points[seeds].astype(np.float64)
    sizes = np.zeros(groups, dtype=np.int64)
    owners = np.full(n, -1, dtype=np.int64)
    for turn in range(n + groups):
        parcel = seeds[turn] if turn < groups else turn - groups
        if owners[parcel] >= 0:
            continue
        best, chosen = np.inf, -1
        if turn < groups:
            chosen = turn
        else:
            for group in range(groups):
                apart = 0.0
                for axis in range(dims):
                    gap = centres[group, axis] - points[parcel, axis]
                    apart += gap * gap
                    if apart >= best:
                        break
                if apart < best:
                    best, chosen = apart, group
        owners[parcel] = chosen
        before = sizes[chosen]
        sizes[chosen] += counts[parcel]
        for axis in range(dims):
            moved = centres[chosen, axis] * before + points[parcel, axis] * counts[parcel]
            centres[chosen, axis] = moved / sizes[chosen]
    gaps = np.empty(n)
    for parcel in range(n):
        gaps[parcel] = _gap(points[parcel], centres[owners[parcel]])
    for parcel in np.argsort(-gaps):
        home = owners[parcel]
        if sizes[home] - counts[parcel] < k:
            continue
        best, chosen = np.inf, -1
        for group in range(groups):
            if sizes[group] < k and group != home:
                apart = _gap(points[parcel], centres[group])
                if apart < best:
                    best, chosen = apart, group
        if chosen >= 0:
            owners[parcel] = chosen
            sizes[home] -= counts[parcel]
            sizes[chosen] += counts[parcel]
    return owners


@kernel()
def _gap(one, other):  # type: ignore[no-untyped-def]
    total = 0.0
    for axis in range(len(one)):
        total += (one[axis] - other[axis]) ** 2
    return total


@kernel()
def best_runs(leaves, counts, starts, codes, costs, lowest, highest, k):  # type: ignore[no-untyped-def]
    """Cut a sequence of parcels into runs of at least k records at the least cost, by dynamic programming: no run needs
    2k or more unless a single parcel makes it so. Returns each parcel's run, −1 where there are fewer than k.
    """
    n, width = leaves.shape
    best = np.full(n + 1, np.inf)
    best[n] = 0.0
    ends = np.full(n, -1, dtype=np.int64)
    levels, trial = np.empty(width, np.int64), np.empty(width, np.int64)
    for start in range(n - 1, -1, -1):
        levels[:] = lowest
        size = 0
        for end in range(start, n):
            if size >= 2 * k:
                break  # two runs of at least k each cost no more than one of both
            cost = join_levels(end, levels, start, leaves, starts, codes, costs, highest, trial)
            if cost == np.inf:
                break
            levels[:] = trial
            size += counts[end]
            if size >= k and best[end + 1] < np.inf and cost * size + best[end + 1] < best[start]:
                best[start] = cost * size + best[end + 1]
                ends[start] = end + 1
    runs = np.full(n, -1, dtype=np.int64)
    place, run = 0, 0
    while place < n and ends[place] >= 0:
        for position in range(place, ends[place]):
            runs[position] = run
        place = ends[place]
        run += 1
    return runs


@kernel()
def _spanning_tree(leaves, starts, codes, costs, lowest, highest):  # type: ignore[no-untyped-def]
    """The tree that joins all parcels at the least cost (Prim): each parcel's parent, what the edge to it costs, and
    the order in which they were reached."""
    n, width = leaves.shape
    parents, edges = np.full(n, -1, dtype=np.int64), np.full(n, np.inf)
    order, reached = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    trial = np.empty(width, np.int64)
    here = 0
    for turn in range(n):
        order[turn] = here
        reached[here] = True
        best, following = np.inf, -1
        for other in range(n):
            if reached[other]:
                continue
            cost = join_levels(other, lowest, here, leaves, starts, codes, costs, highest, trial)
            if cost < edges[other]:
                edges[other], parents[other] = cost, here
            if following < 0 or edges[other] < best:
                best, following = edges[other], other
        here = following
    return parents, edges, order


@kernel()
def k_similar(leaves, counts, starts, codes, costs, lowest, highest, k):  # type: ignore[no-untyped-def]
    """Each parcel's group: the least spanning tree, cut at its dearest edges as long as both sides keep k records."""
    n = len(counts)
    parents, edges, order = _spanning_tree(leaves, starts, codes, costs, lowest, highest)
    below = counts.copy()  # records of each parcel and of all that hang on it, in its own part of the tree
    for turn in range(n - 1, 0, -1):
        below[parents[order[turn]]] += below[order[turn]]
    cut = np.zeros(n, dtype=np.bool_)
    cut[order[0]] = True
    for parcel in np.argsort(-edges):
        if cut[parcel] or below[parcel] < k:
            continue
        root = parents[parcel]
        while not cut[root]:
            root = parents[root]
        if below[root] - below[parcel] < k:
            continue
        above = parents[parcel]
        while True:
            below[above] -= below[parcel]
            if cut[above]:
                break
            above = parents[above]
        cut[parcel] = True
    owners = np.empty(n, dtype=np.int64)
    groups = 0
    for turn in range(n):
        parcel = order[turn]
        if cut[parcel]:
            owners[parcel] = groups
            groups += 1
        else:
            owners[parcel] = owners[parents[parcel]]
    return owners, groups
