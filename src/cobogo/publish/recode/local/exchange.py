"""Improving an assignment by sweeps: a few neighbouring classes at a time are dissolved and grown again.

A sweep sorts the classes into cells of near ones, joins each with those of its cell that it would lose least with, and
solves each such group again (`grow`). Every sweep draws other cells. A step takes time in proportion to the number of
quasi-identifiers, so that this serves tables whose regions (`region`) have too many nodes; and since a class keeps its
sensitive values in sight, equal tuples of different values may go to different classes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.kernels import kernel
from cobogo.publish.recode.contract.assignment import Assignment
from cobogo.publish.recode.local.conditions import Conditions, violation
from cobogo.publish.recode.local.grow import (
    PARTS_PER_ITEM,
    ROUNDING,
    GrowthWork,
    begin_group,
    choose_seed,
    grow,
    growth_work,
    solve_group,
    undo,
    widened_cost,
)
from cobogo.publish.recode.local.rebuild import INFINITE
from cobogo.publish.recode.local.region import RegionGround
from cobogo.publish.recode.local.terrain import Terrain

# Found on the Adult extract and on made-up tables of 7 to 24 quasi-identifiers (`benchmarks.local`).

FAN, CELL = 8, 48
"""Classes are sorted by the nearest of 8, again and again, into cells of at most 48: larger cells find nearer partners,
and take longer to look through."""
TOGETHER = 4
"""Classes of a group. With 2 there is too little to choose (Adult, k = 5: 0.0276 after twelve seconds), with 6 a try
seldom gains (0.0268); 4 is best (0.0264)."""
TRIES = 3
"""Of one group in one sweep. One and eight are as good: the next sweep tries again."""
MOST_ITEMS = 1500
"""Of a group: a larger one takes too long. Classes of more items are carved instead."""
CARVED, FAILURES = 200, 4
"""Items of a cell of a class that is carved, and how often it may fail to yield a class that holds."""
CARVE_EVERY = 5
"""Sweeps between two carvings: a sweep changes what a large class can spare, but slowly."""
IDLE = 25
"""Sweeps in a row without a gain after which there is none to expect: each class has met its neighbours by then."""


@kernel()
def _nearest(ground, pivot, row):  # type: ignore[no-untyped-def]
    """Which of a few tuples loses least together with another; any where none can be released with it."""
    best, at = INFINITE, np.random.randint(len(pivot))
    for p in range(len(pivot)):
        distance = widened_cost(ground, ground.lowest, ground.leaves[pivot[p]], row)
        if 0 <= distance < best:
            best, at = distance, p
    return at


@kernel()
def arrange(ground, first, order, cell, most, seed):  # type: ignore[no-untyped-def]
    """Sort classes into cells of near ones: each joins the nearest of a few drawn ones, again and again.

    ``order`` is sorted in place, and ``cell`` gets the cell of each place; returns how many there are.
    """
    np.random.seed(seed)
    stack = np.empty((len(order) + 1, 2), np.int64)
    stack[0, 0] = 0
    stack[0, 1] = len(order)
    depth, cells = 1, 0
    nearest = np.empty(len(order), np.int64)
    other = np.empty(len(order), np.int64)
    pivot = np.empty(FAN, np.int64)
    amount = np.empty(FAN + 1, np.int64)
    while depth > 0:
        depth -= 1
        low, high = stack[depth, 0], stack[depth, 1]
        if high - low > most:
            for p in range(FAN):
                pivot[p] = first[order[np.random.randint(low, high)]]
            amount[:] = 0
            for place in range(low, high):
                nearest[place] = _nearest(ground, pivot, first[order[place]])
                amount[nearest[place] + 1] += 1
            whole = False
            for p in range(FAN):
                whole = whole or amount[p + 1] == high - low
                amount[p + 1] += amount[p]
            if not whole:
                for p in range(FAN):
                    if amount[p + 1] > amount[p]:
                        stack[depth, 0] = low + amount[p]
                        stack[depth, 1] = low + amount[p + 1]
                        depth += 1
                for place in range(low, high):
                    p = nearest[place]
                    other[low + amount[p]] = order[place]
                    amount[p] += 1
                for place in range(low, high):
                    order[place] = other[place]
                continue
        for place in range(low, high):
            cell[place] = cells
        cells += 1
    return cells


@kernel()
def gather(ground, order, cell, levels, first, cost, group):  # type: ignore[no-untyped-def]
    """Number groups of classes: each class with those ahead of it in its cell, that lose least."""
    groups = 0
    width = levels.shape[1]
    near = np.empty(CELL, np.int64)
    score = np.empty(CELL)
    now = np.empty(width, np.int64)
    for place in range(len(order)):
        one = order[place]
        if group[one] >= 0:
            continue
        count = 0
        ahead = place + 1
        while ahead < len(order) and cell[ahead] == cell[place] and count < CELL:
            other = order[ahead]
            ahead += 1
            if group[other] >= 0 or (cost[one] == 0.0 and cost[other] == 0.0):
                continue
            for column in range(width):
                now[column] = max(levels[one, column], levels[other, column])
            joint = widened_cost(ground, now, ground.leaves[first[one]], first[other])
            if joint < 0:
                continue
            near[count] = other
            score[count] = joint - max(cost[one], cost[other])
            count += 1
        group[one] = groups
        for _ in range(min(TOGETHER - 1, count)):
            best = -1
            for i in range(count):
                if near[i] >= 0 and (best < 0 or score[i] < score[best]):
                    best = i
            group[near[best]] = groups
            near[best] = -1
        groups += 1
    return groups


@kernel()
def sweep(ground, asked, work, items, begin, paid, lost, seed, price, allowed, out, new, changed):  # type: ignore[no-untyped-def]
    """Solve each group of items again, and write what became better; returns how many parcels and classes there are.

    ``items`` are the rows, values and counts; ``lost`` the records of each group that are suppressed, ``allowed`` how
    many more may be. ``out`` gets parcels (item, records, class; −1 for suppressed ones), ``new`` the classes.
    """
    rows, values, counts = items
    written, made = 0, 0
    for group in range(len(begin) - 1):
        low, high = begin[group], begin[group + 1]
        if high - low > len(work.left) or paid[group] <= 0.0:
            continue
        np.random.seed(seed + group)
        best, best_seed = paid[group] - ROUNDING, -1
        for attempt in range(TRIES + 1):
            this_seed = np.random.randint(1 << 30)
            if attempt == TRIES:  # there is room for one solution: the best is remembered by its seed
                if best_seed < 0:
                    break
                this_seed = best_seed
            np.random.seed(this_seed)
            cost = solve_group(
                ground, asked, work, rows[low:high], values[low:high], counts[low:high], price, lost[group] + allowed
            )
            if cost < best:
                best, best_seed = cost, this_seed
        if best_seed < 0:
            continue
        changed[group] = True
        allowed += lost[group] - work.made[2]
        written, made = _write(work, rows, low, high, out, new, written, made)
    return written, made


@kernel()
def _write(work, rows, low, high, out, new, written, made):  # type: ignore[no-untyped-def]
    """Write down the classes of a group and their parcels, and what is suppressed."""
    levels, first, size, cost = new
    for c in range(1, work.made[1]):
        levels[made + c - 1] = work.level[c]
        size[made + c - 1] = work.size[c]
        cost[made + c - 1] = work.cost[c]
    for part in range(work.made[0]):
        if work.amount[part] > 0:
            number = made + work.owner[part] - 1
            out[0, written], out[1, written], out[2, written] = low + work.item[part], work.amount[part], number
            first[number] = rows[low + work.item[part]]
            written += 1
    for i in range(high - low if work.made[2] else 0):
        if work.left[i] > 0:
            out[0, written], out[1, written], out[2, written] = low + i, work.left[i], -1
            written += 1
    return written, made + work.made[1] - 1


@kernel()
def carve(ground, asked, work, items, begin, base, size, seed, out, new):  # type: ignore[no-untyped-def]
    """Grow classes out of the cells of one large class, as long as what remains of it holds.

    ``base`` counts the values of the class, ``size`` its records; the rest is as in `sweep`.
    """
    np.random.seed(seed)
    rows, values, counts = items
    written, made = 0, 0
    for cell in range(len(begin) - 1):
        low, high = begin[cell], begin[cell + 1]
        begin_group(work, values[low:high], counts[low:high])
        classes, failed = 1, 0
        total = counts[low:high].sum()
        while failed < FAILURES and total >= ground.least:
            pick = choose_seed(ground, work, rows[low:high], 1)
            good = grow(ground, asked, work, rows[low:high], values[low:high], classes, pick)
            left = size - work.size[classes]
            if good and left >= ground.least and violation(asked, base - work.counts[classes], left) <= 0.0:
                base -= work.counts[classes]
                size = left
                total -= work.size[classes]
                classes += 1
            else:
                undo(work, values[low:high], classes)
                failed += 1
        work.made[1] = classes
        written, made = _write(work, rows, low, high, out, new, written, made)
    return written, made


class Exchanger:
    """An assignment in the making: parcels of one tuple and one combination of values, each in a class or suppressed.

    Class ``c`` is what the tuple ``first[c]`` becomes at ``levels[c]``; the owner of suppressed parcels is −1.
    """

    def __init__(self, terrain: Terrain, ground: RegionGround, asked: Conditions, assignment: Assignment) -> None:
        self.ground, self.asked, self.problem = ground, asked, terrain.problem
        if len(asked.kind):
            assignment = _deal_values(assignment)
        self.random = np.random.default_rng(0)
        self.steps = self.idle = 0
        self.rows, self.counts = assignment.tuples.astype(np.int64), assignment.counts.astype(np.int64)
        self.owners = assignment.owners.astype(np.int64)
        self.values = (
            np.zeros_like(self.rows)
            if assignment.values is None or not len(asked.kind)
            else assignment.values.astype(np.int64)
        )
        self.levels, self.size = assignment.levels.astype(np.int64), assignment.sizes
        self.first = np.zeros(len(assignment), dtype=np.int64)
        self.cost = np.zeros(len(assignment))
        self._choose_firsts()
        self.reprice(terrain)

    @property
    def exhausted(self) -> bool:
        """Whether so many sweeps changed nothing that another is not worth its time."""
        return self.idle > IDLE

    def reprice(self, terrain: Terrain) -> None:
        """Go on with other costs."""
        self.terrain = terrain
        self.ground = self.ground._replace(costs=terrain.costs)
        columns = np.arange(terrain.leaves.shape[1])
        self.cost = terrain.costs[terrain.starts[columns, self.levels] + terrain.leaves[self.first]].sum(axis=1)

    def warm_up(self) -> None:
        """Compile what is not compiled yet."""
        none = np.zeros(0, dtype=np.int64)
        out, new = self._room(1)
        items, work, begin = (none, none, none), self._work(1), np.zeros(1, dtype=np.int64)
        gather(self.ground, none, none, self.levels, self.first, self.cost, none)
        arrange(self.ground, none, none, none, CELL, 0)
        sweep(
            self.ground, self.asked, work, items, begin, self.cost[:0], none, 0, 0.0, 0, out, new, none.astype(np.bool_)
        )
        if len(self.asked.kind):
            carve(self.ground, self.asked, work, items, begin, work.counts[0], 0, 0, out, new)

    def run(self, *, heat: float = 0.0) -> None:  # noqa: ARG002 - only better ones are taken
        """One sweep."""
        if len(self.asked.kind) and self.steps % CARVE_EVERY == 0:
            self._carve()
        self._choose_firsts()
        lonely = np.flatnonzero(self.owners < 0)  # each is sorted in as if it were a class
        firsts = np.concatenate([self.first, self.rows[lonely]])
        lowest = np.tile(self.ground.lowest, (len(lonely), 1))
        size = np.concatenate([self.size, self.counts[lonely]])
        price = self.terrain.suppression
        cost = np.concatenate([self.cost, np.full(len(lonely), price)])
        order, cell = self._cells(firsts, CELL)
        group = np.full(len(firsts), -1, dtype=np.int64)
        groups = gather(self.ground, order, cell, np.concatenate([self.levels, lowest]), firsts, cost, group)
        own = group[self.owners]
        own[lonely] = group[len(self.first) :]
        lost = np.bincount(own[lonely], self.counts[lonely], groups).astype(np.int64)
        paid = np.bincount(group, size * cost, groups).astype(np.float64)
        self._solve_groups(own, group[: len(self.first)], paid, lost)

    def _solve_groups(self, own: Ints, group: Ints, paid: Floats, lost: Ints) -> None:
        """Let each group of parcels be solved again, and take over those that became better."""
        keep = np.lexsort((self.values, self.rows, own))
        own, rows, values, counts, owners = (x[keep] for x in (own, self.rows, self.values, self.counts, self.owners))
        fresh = np.ones(len(rows), dtype=np.bool_)
        fresh[1:] = (rows[1:] != rows[:-1]) | (own[1:] != own[:-1]) | (values[1:] != values[:-1])
        place = np.flatnonzero(fresh)
        items = rows[place], values[place], np.add.reduceat(counts, place)
        begin = np.searchsorted(own[place], np.arange(len(paid) + 1)).astype(np.int64)
        changed = np.zeros(len(paid), dtype=np.bool_)
        out, new = self._room(len(place))
        work = self._work(min(MOST_ITEMS, int(np.diff(begin).max(initial=1))))
        allowed = self.problem.limit - int(lost.sum())
        written, made = sweep(
            self.ground, self.asked, work, items, begin, paid, lost, int(self.random.integers(1 << 30)),
            self.terrain.suppression, allowed, out, new, changed,
        )  # fmt: skip
        stay = ~changed[group]
        number = np.append(np.cumsum(stay) - 1, -1)
        old = ~changed[own]
        self.rows, self.values, self.counts = rows[old], values[old], counts[old]
        self.owners = number[owners[old]]
        self.levels, self.first = self.levels[stay], self.first[stay]
        self.size, self.cost = self.size[stay], self.cost[stay]
        self._append(items, out[:, :written], new, made)
        self.steps += 1
        self.idle = 0 if changed.any() else self.idle + 1

    def _append(
        self, items: tuple[Ints, Ints, Ints], out: Ints, new: tuple[Ints, Ints, Ints, Floats], made: int
    ) -> None:
        """Add new classes and their parcels."""
        self.rows = np.concatenate([self.rows, items[0][out[0]]])
        self.values = np.concatenate([self.values, items[1][out[0]]])
        self.counts = np.concatenate([self.counts, out[1]])
        self.owners = np.concatenate([self.owners, np.where(out[2] < 0, -1, out[2] + len(self.size))])
        levels, first, size, cost = new
        self.levels, self.first = (
            np.concatenate([self.levels, levels[:made]]),
            np.concatenate([self.first, first[:made]]),
        )
        self.size, self.cost = np.concatenate([self.size, size[:made]]), np.concatenate([self.cost, cost[:made]])

    def _carve(self) -> None:
        """Divide the classes that have too many items for a sweep."""
        items = np.bincount(self.owners[self.owners >= 0], minlength=len(self.size))
        for number in np.flatnonzero((items > MOST_ITEMS) & (self.cost > 0)).tolist():
            self._carve_class(number)

    def _carve_class(self, number: int) -> None:
        own = np.flatnonzero(self.owners == number)
        order, cell = self._cells(self.rows[own], CARVED)
        own = own[order]
        begin = np.searchsorted(cell, np.arange(cell[-1] + 2)).astype(np.int64)
        items = self.rows[own], self.values[own], self.counts[own]
        base = np.zeros((len(self.asked.kind), self.asked.groups.shape[2]), dtype=np.int64)
        for one, codes in enumerate(self.asked.codes):
            np.add.at(base[one], codes[items[1]], items[2])
        out, new = self._room(len(own))
        written, made = carve(
            self.ground, self.asked, self._work(int(np.diff(begin).max())), items, begin, base, int(self.size[number]),
            int(self.random.integers(1 << 30)), out, new,
        )  # fmt: skip
        np.subtract.at(self.counts, own[out[0, :written]], out[1, :written])
        self.size[number] -= int(out[1, :written].sum())
        there = self.counts > 0
        self.rows, self.values, self.counts = self.rows[there], self.values[there], self.counts[there]
        self.owners = self.owners[there]
        self._append(items, out[:, :written], new, made)
        self._choose_firsts()

    def _choose_firsts(self) -> None:
        """Let any of its records stand for each class."""
        kept = np.flatnonzero(self.owners >= 0)
        kept = kept[self.random.permutation(len(kept))]
        self.first[self.owners[kept]] = self.rows[kept]

    def _cells(self, firsts: Ints, most: int) -> tuple[Ints, Ints]:
        """An order of tuples in which near ones are together, and the cell of each place."""
        order, cell = self.random.permutation(len(firsts)), np.zeros(len(firsts), dtype=np.int64)
        arrange(self.ground, firsts, order, cell, most, int(self.random.integers(1 << 30)))
        return order, cell

    def _work(self, items: int) -> GrowthWork:
        conditions, combinations = self.asked.codes.shape
        return growth_work(items, self.levels.shape[1], conditions, self.asked.groups.shape[2], combinations)

    def _room(self, items: int) -> tuple[Ints, tuple[Ints, Ints, Ints, Floats]]:
        """Room for the parcels and classes that a kernel writes."""
        whole = np.zeros(items, dtype=np.int64)
        new = np.zeros((items, self.levels.shape[1]), dtype=np.int64), whole, whole.copy(), np.zeros(items)
        return np.zeros((3, PARTS_PER_ITEM * items), dtype=np.int64), new

    def result(self) -> Assignment:
        """What there is now."""
        return Assignment(
            self.problem,
            self.levels.astype(np.int32),
            self.terrain.leaves[self.first],
            self.rows,
            self.owners,
            self.counts,
            self.values.astype(np.int32) if len(self.asked.kind) else None,
        ).canonical()


def _deal_values(assignment: Assignment) -> Assignment:
    """The assignment with its parcels divided by their combinations of sensitive values."""
    if assignment.values is not None or assignment.split:
        return assignment.allot_values()
    joint = assignment.problem.table.joint
    assert joint is not None
    known = joint.histogram
    owner = np.full(len(known.offsets) - 1, -1, dtype=np.int64)
    owner[assignment.tuples] = assignment.owners
    return replace(
        assignment, tuples=known.owners, owners=owner[known.owners], counts=known.counts, values=known.values
    )
