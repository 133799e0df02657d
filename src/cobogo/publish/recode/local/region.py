"""A region of the table, and the classes that could be made of its records. Compiled; the state is shared arrays.

A region is all tuples under one generalized tuple. The classes wholly inside it are dissolved and their records are
free; classes that reach beyond it may lend the records that they have beyond the least size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Mask, Small
from cobogo.floor.kernels import kernel

Tokens = np.ndarray[tuple[int, ...], np.dtype[np.uint64]]


class AssignmentState(NamedTuple):
    """An assignment that is being improved. Slot ``j`` of tuple ``t`` holds ``held[t, j]`` of its records, in class
    ``home[t, j]`` (−1: empty). Class ``c`` is what tuple ``first[c]`` becomes at ``levels[c]``."""

    home: Ints
    held: Ints
    levels: Ints
    first: Ints
    size: Ints
    cost: Floats  # of one record in each class
    unused: Ints  # numbers for new classes: the first ``vacant[0]`` of them
    vacant: Ints
    price: Floats  # of each tuple: what its records are thought to have to pay


class RegionGround(NamedTuple):
    """What stays the same: the terrain, the least size of a class, and tuples by their value at each level.

    The tuples whose value at ``starts[a, l] + v`` has the same name stand in ``under[begin[…] : end[…]]``.
    """

    least: int
    lowest: Ints
    highest: Ints
    leaves: Small
    starts: Ints
    names: Small
    costs: Floats
    tokens: Tokens  # a random number for each name of an attribute; sums of them tell classes apart
    begin: Ints
    end: Ints
    under: Ints


class RegionWork(NamedTuple):
    """Room for one region: its rows and candidate classes. Candidate ``q`` has ``members[begin[q] : end[q]]``."""

    rows: Ints
    free: Ints  # records of each row that are free
    paid: Floats  # what they paid on average
    seen: Ints  # by class: the step in which it was last met
    inside: Mask  # by class: whether it is dissolved
    node: Ints  # by candidate
    begin: Ints
    end: Ints
    cost: Floats
    wanted: Floats  # how often the prices asked for a candidate lately
    members: Ints
    node_levels: Ints
    sums: Tokens  # by attribute and row: tokens of the attributes up to this one
    table_key: Tokens
    table_step: Ints
    table_group: Ints
    set_key: Tokens
    set_step: Ints
    set_candidate: Ints
    group: Ints  # by row
    group_size: Ints
    group_rows: Ints
    group_first: Ints
    group_set: Tokens
    counters: Ints  # 0: rounds of the hash table


MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: multiplicative hashing (Knuth)
MORE = np.uint64(0xD6E8FEB86659FD93)  # another odd multiplier, of 64-bit mixers, so that sums of hashes do not cancel


@kernel()
def covers(ground, levels, first, row):  # type: ignore[no-untyped-def]
    """Whether a tuple may be released as what another becomes at some levels."""
    for column in range(ground.leaves.shape[1]):
        start = ground.starts[column, levels[column]]
        if ground.names[start + ground.leaves[row, column]] != ground.names[start + ground.leaves[first, column]]:
            return False
    return True


@kernel()
def collect(ground, levels, row, rows):  # type: ignore[no-untyped-def]
    """Collect the tuples that equal ``row`` at some levels; returns how many, one more than fit if there are too
    many."""
    best, fewest = 0, 1 << 60
    for column in range(len(levels)):
        place = ground.starts[column, levels[column]] + ground.leaves[row, column]
        if ground.end[place] - ground.begin[place] < fewest:
            best, fewest = place, ground.end[place] - ground.begin[place]
    found = 0
    for position in range(ground.begin[best], ground.end[best]):
        other = ground.under[position]
        if covers(ground, levels, row, other):
            if found == len(rows):
                return found + 1
            rows[found] = other
            found += 1
    return found


@kernel()
def nodes_below(ground, levels, most):  # type: ignore[no-untyped-def]
    """How many nodes lie at or below some levels; ``most + 1`` where they are more, for with many attributes the
    product would exceed 64 bits."""
    nodes = 1
    for column in range(len(levels)):
        nodes *= levels[column] - ground.lowest[column] + 1
        if nodes > most:
            return most + 1
    return nodes


@kernel()
def choose_region(ground, work, row, levels, raises, budget):  # type: ignore[no-untyped-def]
    """Widen a class's levels at random into a region within the budget; returns its number of rows, 0 for no region."""
    count = collect(ground, levels, row, work.rows)
    if count > len(work.rows) or nodes_below(ground, levels, budget) * count > budget:
        return 0
    for _ in range(raises):
        column = np.random.randint(len(levels))
        if levels[column] >= ground.highest[column]:
            continue
        levels[column] += 1
        nodes = nodes_below(ground, levels, budget)
        wider = count if nodes * count > budget else collect(ground, levels, row, work.rows)
        if wider > len(work.rows) or nodes * wider > budget:
            levels[column] -= 1
        else:
            count = wider
    return collect(ground, levels, row, work.rows)


@kernel()
def dissolve(state, work, levels, count, step):  # type: ignore[no-untyped-def]
    """Free the records of the classes inside the region; returns what they cost so far, and how many they are."""
    paid_in_all = 0.0
    in_all = 0
    for i in range(count):
        row = work.rows[i]
        free, paid = 0, 0.0
        for slot in range(state.home.shape[1]):
            home = state.home[row, slot]
            if home < 0:
                continue
            if work.seen[home] != step:
                work.seen[home] = step
                work.inside[home] = True
                for column in range(len(levels)):
                    if state.levels[home, column] > levels[column]:
                        work.inside[home] = False
                        break
            if work.inside[home]:
                free += state.held[row, slot]
                paid += state.held[row, slot] * state.cost[home]
        work.free[i] = free
        work.paid[i] = paid / free if free else 0.0
        paid_in_all += paid
        in_all += free
    return paid_in_all, in_all


@kernel()
def find_candidates(ground, work, levels, count, step):  # type: ignore[no-untyped-def]
    """Find every class of enough free records, at any levels up to the region's; of equal sets of rows the cheapest.

    The levels advance like an odometer, so that the sums of tokens change in the last attributes only. Rows whose
    tokens have equal sums form a class; the tokens are random 63-bit numbers, so that sums collide next to never, and a
    result with a collision would fail the plain check at the end.
    """
    width = len(levels)
    now = np.empty(width, np.int64)
    for column in range(width):
        now[column] = ground.lowest[column]
    changed = 0
    found, filled, nodes = 0, 0, 0
    while True:
        for column in range(changed, width):
            start = ground.starts[column, now[column]]
            for i in range(count):
                before = work.sums[column - 1, i] if column else np.uint64(0)
                work.sums[column, i] = before + ground.tokens[start + ground.leaves[work.rows[i], column]]
        groups = _number(work, width - 1, count)
        for column in range(width):
            work.node_levels[nodes, column] = now[column]
        for group in range(groups):
            candidate = -1
            if work.group_size[group] >= ground.least:
                first = work.rows[work.group_first[group]]
                cost = 0.0
                for column in range(width):
                    cost += ground.costs[ground.starts[column, now[column]] + ground.leaves[first, column]]
                place = np.int64((work.group_set[group] * MORE) >> np.uint64(30)) & (len(work.set_key) - 1)
                while work.set_step[place] == step and work.set_key[place] != work.group_set[group]:
                    place = (place + 1) & (len(work.set_key) - 1)
                if work.set_step[place] == step:
                    known = work.set_candidate[place]
                    if cost < work.cost[known]:
                        work.cost[known] = cost
                        work.node[known] = nodes
                elif found < len(work.cost) and filled + work.group_rows[group] <= len(work.members):
                    work.set_step[place] = step
                    work.set_key[place] = work.group_set[group]
                    work.set_candidate[place] = found
                    work.node[found] = nodes
                    work.cost[found] = cost
                    work.begin[found] = filled
                    work.end[found] = filled
                    filled += work.group_rows[group]
                    candidate = found
                    found += 1
            work.group_rows[group] = candidate
        for i in range(count):
            candidate = work.group_rows[work.group[i]]
            if candidate >= 0:
                work.members[work.end[candidate]] = i
                work.end[candidate] += 1
        nodes += 1
        changed = width - 1
        while changed >= 0:
            if now[changed] < levels[changed]:
                now[changed] += 1
                break
            now[changed] = ground.lowest[changed]
            changed -= 1
        if changed < 0:
            return found


@kernel()
def _number(work, last, count):  # type: ignore[no-untyped-def]
    """Give rows of equal sums one group number, and sum up the groups."""
    work.counters[0] += 1
    turn = work.counters[0]
    mask = len(work.table_key) - 1
    groups = 0
    for i in range(count):
        key = work.sums[last, i]
        place = np.int64((key * MIX) >> np.uint64(30)) & mask
        while work.table_step[place] == turn and work.table_key[place] != key:
            place = (place + 1) & mask
        if work.table_step[place] != turn:
            work.table_step[place] = turn
            work.table_key[place] = key
            work.table_group[place] = groups
            work.group_size[groups] = 0
            work.group_rows[groups] = 0
            work.group_first[groups] = i
            work.group_set[groups] = np.uint64(0)
            groups += 1
        group = work.table_group[place]
        work.group[i] = group
        work.group_size[group] += work.free[i]
        work.group_rows[group] += 1
        token = np.uint64(i + 1) * MIX
        work.group_set[group] += (token ^ (token >> np.uint64(31))) * MORE
    return groups
