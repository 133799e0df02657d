"""The peel: go through the lattice from its cheapest node up and release, at each node, every class that holds.

The records left at the end join a class that can take them, or are suppressed as far as the policy allows.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.kernels import kernel
from cobogo.promises.models.base import Scope
from cobogo.promises.models.check import failing_classes
from cobogo.publish.recode.contract.assignment import Assignment
from cobogo.publish.recode.contract.problem import Levels, Problem, looks_at_sizes, tally
from cobogo.publish.recode.local.terrain import Terrain

PARTNERS = 512
"""Classes, the cheapest first, that the remaining records are tried with. Bounds the table that the models check; where
no such class holds with them, several classes are joined instead."""


@dataclass(eq=False, repr=False)
class Peeling:
    """Classes found so far: each tuple's class (−1 while it has none), and each class's levels and first tuple."""

    owners: Ints
    levels: list[Levels] = field(default_factory=list)
    first: list[int] = field(default_factory=list)

    def assignment(self, terrain: Terrain) -> Assignment:
        """What was found, as an assignment."""
        problem = terrain.problem
        there = np.flatnonzero(problem.table.counts > 0)
        levels = np.array(self.levels, dtype=np.int32).reshape(len(self.levels), len(problem.hierarchies))
        return Assignment(
            problem, levels, terrain.leaves[self.first], there, self.owners[there], problem.table.counts[there]
        ).canonical()


def peel(
    terrain: Terrain,
    *,
    least: int,
    skipped: float = 0.0,
    deadline: float = math.inf,
    clock: Callable[[], float] = time.monotonic,
    report: Callable[[], None] = lambda: None,
) -> Peeling:
    """Release, at each node, the classes that hold and have at least ``least`` records; the share ``skipped`` of the
    nodes, the cheapest ones, is left out.

    Where the time is too short for all nodes, more are left out, but never the last one.
    """
    problem = terrain.problem
    counts = problem.table.counts
    others = [m for m in problem.models if m.scope is Scope.CLASS and not looks_at_sizes(problem, m)]
    found = Peeling(np.full(len(counts), -1, dtype=np.int64))
    rows = np.flatnonzero(counts > 0)
    slots, numbers, first = _room(len(rows))
    nodes = terrain.nodes
    place = int(skipped * (len(nodes) - 1))
    half = (clock() + deadline) / 2  # until then none is left out: the first are the best, and take longest
    group(rows[:0], terrain.leaves, terrain.starts, terrain.names, nodes[0], slots, numbers, first)  # compile
    while len(rows) and place < len(nodes):
        begin = clock()
        ids = numbers[: len(rows)]
        groups = group(rows, terrain.leaves, terrain.starts, terrain.names, nodes[place], slots, ids, first)
        good = np.bincount(ids, counts[rows], groups) >= least
        if others and good.any():
            inside = good[ids]
            part_ids = (np.cumsum(good) - 1)[ids[inside]]
            part = tally(problem, rows[inside], part_ids, int(good.sum()), problem.histograms_needed)
            good[good] = ~failing_classes(others, part)
        if good.any():
            rows = _release(found, rows, ids, first[:groups], good, tuple(nodes[place].tolist()))
        report()
        ahead, now = len(nodes) - 1 - place, clock()
        place += 1 if now < half else _stride(ahead, now - begin, deadline - now)
    return found


def _stride(ahead: int, each: float, left: float) -> int:
    """How many nodes to advance, when ``each`` takes so long and ``left`` is the time for all those ``ahead``.

    >>> _stride(100, 0.001, 1.0), _stride(100, 0.1, 1.0), _stride(100, 0.1, -1.0)
    (1, 10, 100)
    """
    if left <= 0:
        return max(ahead, 1)
    return max(1, min(ahead, math.ceil(each * ahead / left)))


def _room(rows: int) -> tuple[Ints, Ints, Ints]:
    """A hash table for so many rows, and room for each one's class and each class's first row."""
    slots = np.full(1 << max(4, (2 * rows).bit_length()), -1, dtype=np.int64)
    return slots, np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)


def _release(found: Peeling, rows: Ints, ids: Ints, first: Ints, good: Mask, node: Levels) -> Ints:
    """Make classes of the groups that hold; returns the remaining rows."""
    numbers = np.cumsum(good) - 1 + len(found.levels)
    inside = good[ids]
    found.owners[rows[inside]] = numbers[ids[inside]]
    found.levels += [node] * int(good.sum())
    found.first += first[good].tolist()
    return rows[~inside]


def settle(terrain: Terrain, found: Peeling) -> None:
    """Find classes for the remaining records: per class of the highest node, the cheapest class that holds with them.

    Where no single class does, several are joined, and at last all records under that highest class become one. Where
    that does not hold either, the records stay without a class and are to be suppressed.
    """
    problem = terrain.problem
    left = np.flatnonzero((found.owners < 0) & (problem.table.counts > 0))
    if not len(left):
        return
    top = np.array(problem.highest, dtype=np.int64)
    rows = np.flatnonzero(problem.table.counts > 0)
    slots, ids, first = _room(len(rows))
    group(rows, terrain.leaves, terrain.starts, terrain.names, top, slots, ids, first)
    place = np.full(len(problem.table.counts), -1, dtype=np.int64)
    place[rows] = ids
    for region in np.unique(place[left]).tolist():
        inside = rows[place[rows] == region]
        _settle_region(terrain, found, inside)


def _settle_region(terrain: Terrain, found: Peeling, inside: Ints) -> None:
    lonely = inside[found.owners[inside] < 0]
    settled = inside[found.owners[inside] >= 0]
    if len(settled) and (_join_one(terrain, found, lonely, settled) or _join_several(terrain, found, lonely, settled)):
        return
    if _holds(terrain.problem, inside, np.zeros(len(inside), dtype=np.int64), 1)[0]:
        _merge(terrain, found, inside)


def _join_one(terrain: Terrain, found: Peeling, lonely: Ints, settled: Ints) -> bool:
    """Put the records without a class into the cheapest class that holds with them; whether there is one."""
    problem = terrain.problem
    classes = np.unique(found.owners[settled])
    firsts = np.array([found.first[c] for c in classes.tolist()])
    levels = np.array([found.levels[c] for c in classes.tolist()])
    joined = _join(terrain, lonely, levels, firsts)
    sizes = np.bincount(np.searchsorted(classes, found.owners[settled]), problem.table.counts[settled])
    more = problem.table.counts[lonely].sum()
    added = _cost(terrain, joined, firsts) * (sizes + more) - _cost(terrain, levels, firsts) * sizes
    order = np.argsort(added, kind="stable")[:PARTNERS]
    numbers = np.full(len(found.levels), -1, dtype=np.int64)
    numbers[classes[order]] = np.arange(len(order))
    members = settled[numbers[found.owners[settled]] >= 0]
    rows = np.concatenate([members, np.tile(lonely, len(order))])
    ids = np.concatenate([numbers[found.owners[members]], np.repeat(np.arange(len(order)), len(lonely))])
    holds = _holds(problem, rows, ids, len(order))
    if not holds.any():
        return False
    best = int(order[int(np.flatnonzero(holds)[0])])
    found.owners[lonely] = classes[best]
    found.levels[int(classes[best])] = tuple(joined[best].tolist())
    return True


def _join_several(terrain: Terrain, found: Peeling, lonely: Ints, settled: Ints) -> bool:
    """Merge the records without a class with existing classes, first those that lose least by it, until the merged
    class holds; whether it does before all classes are merged."""
    problem = terrain.problem
    classes = np.unique(found.owners[settled])
    firsts = np.array([found.first[c] for c in classes.tolist()])
    levels = np.array([found.levels[c] for c in classes.tolist()])
    place = np.searchsorted(classes, found.owners[settled])
    sizes = np.bincount(place, problem.table.counts[settled])
    top = np.tile(np.array(problem.highest), (len(classes), 1))
    loses = (_cost(terrain, top, firsts) - _cost(terrain, levels, firsts)) * sizes
    rank = np.empty(len(classes), dtype=np.int64)
    rank[np.argsort(loses, kind="stable")] = np.arange(len(classes))
    low, high = 0, 1  # so many classes are too few; so many may do
    while high < len(classes) and not _holds_with(problem, lonely, settled[rank[place] < high]):
        low, high = high, 2 * high
    if high >= len(classes):
        return False
    while high - low > 1:
        middle = (low + high) // 2
        if _holds_with(problem, lonely, settled[rank[place] < middle]):
            high = middle
        else:
            low = middle
    _merge(terrain, found, np.concatenate([lonely, settled[rank[place] < high]]))
    return True


def _holds_with(problem: Problem, lonely: Ints, others: Ints) -> bool:
    rows = np.concatenate([lonely, others])
    return bool(_holds(problem, rows, np.zeros(len(rows), dtype=np.int64), 1)[0])


def _merge(terrain: Terrain, found: Peeling, rows: Ints) -> None:
    """Make one class of some tuples."""
    first = int(rows[0])
    lowest = np.array([terrain.problem.lowest])
    found.levels.append(tuple(_join(terrain, rows, lowest, rows[:1])[0].tolist()))
    found.first.append(first)
    found.owners[rows] = len(found.levels) - 1


def _holds(problem: Problem, rows: Ints, ids: Ints, groups: int) -> Mask:
    return ~failing_classes(problem.models, tally(problem, rows, ids, groups, problem.histograms_needed))


def _join(terrain: Terrain, rows: Ints, levels: Ints, firsts: Ints) -> Ints:
    """For each of some classes, the lowest levels, from its own up, at which it and all of some tuples are equal."""
    joined = np.array(levels)
    for column, h in enumerate(terrain.problem.hierarchies):
        others = np.unique(terrain.leaves[rows, column])
        own = terrain.leaves[firsts, column]
        alike = 0
        while (h.maps[alike][others] != h.maps[alike][others[0]]).any():
            alike += 1
        joined[:, column] = np.maximum(joined[:, column], alike)
        for level in range(h.height):
            apart = (joined[:, column] == level) & (h.maps[level][own] != h.maps[level][others[0]])
            joined[apart, column] += 1
    return joined


def _cost(terrain: Terrain, levels: Ints, firsts: Ints) -> Floats:
    """What a record costs in each of some classes."""
    columns = np.arange(levels.shape[1])
    return np.asarray(terrain.costs[terrain.starts[columns, levels] + terrain.leaves[firsts]].sum(axis=1))


MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: multiplicative hashing (Knuth)


@kernel()
def _place(leaves, starts, names, levels, mask):  # type: ignore[no-untyped-def]
    """The place in a hash table where the search for a tuple, as it is at a node, begins."""
    key = np.uint64(0)
    for column in range(len(leaves)):
        name = names[starts[column, levels[column]] + leaves[column]]
        key = (key ^ np.uint64(name)) * MIX
        key ^= key >> np.uint64(29)
    return np.int64(key & np.uint64(mask))


@kernel()
def group(rows, leaves, starts, names, levels, slots, ids, first):  # type: ignore[no-untyped-def]
    """Number the classes of some tuples at a node; ``slots`` is a table of 2^n places, all −1 before and after.

    Tuples are compared, not only their hashes, so no class is ever a mixture.
    """
    mask = len(slots) - 1
    width = leaves.shape[1]
    found = 0
    for position in range(len(rows)):
        row = rows[position]
        place = _place(leaves[row], starts, names, levels, mask)
        while True:
            other = slots[place]
            if other < 0:
                slots[place] = found
                first[found] = row
                ids[position] = found
                found += 1
                break
            same = True
            for column in range(width):
                start = starts[column, levels[column]]
                if names[start + leaves[first[other], column]] != names[start + leaves[row, column]]:
                    same = False
                    break
            if same:
                ids[position] = other
                break
            place = (place + 1) & mask
    if found * 4 < len(slots):  # few classes: their places are found again faster than the whole table is cleared
        for position in range(found):
            row = first[position]
            place = _place(leaves[row], starts, names, levels, mask)
            while slots[place] >= 0:
                slots[place] = -1
                place = (place + 1) & mask
    else:
        slots[:] = -1
    return found
