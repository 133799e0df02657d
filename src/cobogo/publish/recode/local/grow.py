"""Solving a few classes again: their records are given back, and new classes are grown of them, one by one.

A class grows from one record. The record that makes it lose least joins it, until it is large enough and its sensitive
values are as the conditions ask: where they are not, only values that help may join. Then records move to classes where
they cost less, and change places. Compiled; one ``GrowthWork`` is reused for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Small
from cobogo.floor.kernels import kernel
from cobogo.publish.recode.local.conditions import add_value, violation
from cobogo.publish.recode.local.rebuild import INFINITE

FARTHEST = 0.7
"""How often a class grows from the record farthest from the class before, and not from any: as in k-member clustering,
so that no class is left with the outliers. Always, and the tries of a group would differ too little."""
WHOLE = 0.3
"""How often a class takes all records of a tuple of which it needs a part: together they are sometimes better."""
PATIENCE = 40
"""Records that join a class without bringing it nearer to the conditions, before it is given up. Under t-closeness a
class of ten may need some records that do not help until others come."""
HALF = 0.5
"""Values may join that help at least half as much as the one that helps most: the nearest of them does."""
REFINED = 2
"""Rounds of moving and changing places at the end of a try; a third gains next to nothing."""
MOST_SWAPPED = 120
"""Parts of a group up to which they change places: each is compared with each."""
ROUNDING = 1e-12
"""By this much a move must gain, so that rounding never passes for a gain."""
PARTS_PER_ITEM = 4
"""Parts that there is room for. A tuple's records are seldom divided at all; a try that divides more is given up."""


class GrowthWork(NamedTuple):
    """Room for one group of items (records of one tuple and one combination of sensitive values) and its classes.

    Part ``p`` is ``amount[p]`` records of item ``item[p]``, in class ``owner[p]``. Classes count from 1; class 0 is the
    records left over, which are suppressed.
    """

    left: Ints  # by item: records without a class
    latest: Ints  # by item: the part that was made last
    score: Floats
    item: Ints
    owner: Ints
    amount: Ints
    level: Ints
    leaf: Small
    size: Ints
    cost: Floats
    counts: Ints  # by class, condition and value
    made: Ints  # 0: parts, 1: classes with class 0, 2: records that are suppressed
    available: Ints  # by combination of values: records left
    after: Floats  # by combination of values: the violation with one more record of it
    now: Ints
    then: Ints


def growth_work(items: int, width: int, conditions: int, values: int, combinations: int) -> GrowthWork:
    """Room for groups of up to so many items."""

    def whole(*size: int) -> Ints:
        return np.zeros(size, dtype=np.int64)

    parts, classes = PARTS_PER_ITEM * items, items + 2
    return GrowthWork(
        left=whole(items), latest=whole(items), score=np.zeros(items),
        item=whole(parts), owner=whole(parts), amount=whole(parts),
        level=whole(classes, width), leaf=np.zeros((classes, width), dtype=np.int32), size=whole(classes),
        cost=np.zeros(classes), counts=whole(classes, conditions, values), made=whole(3),
        available=whole(combinations), after=np.zeros(combinations), now=whole(width), then=whole(width),
    )  # fmt: skip


@kernel()
def widened_cost(ground, levels, leaf, row):  # type: ignore[no-untyped-def]
    """What a record costs where levels are raised until a tuple is covered; −1 where they cannot be."""
    cost = 0.0
    for column in range(len(levels)):
        level = levels[column]
        other = ground.leaves[row, column]
        own = leaf[column]
        start = ground.starts[column, level]
        while ground.names[start + other] != ground.names[start + own]:
            level += 1
            if level > ground.highest[column]:
                return -1.0
            start = ground.starts[column, level]
        cost += ground.costs[start + own]
    return cost


@kernel()
def widen(ground, levels, leaf, row):  # type: ignore[no-untyped-def]
    """Raise levels until a tuple is covered."""
    for column in range(len(levels)):
        other = ground.leaves[row, column]
        own = leaf[column]
        start = ground.starts[column, levels[column]]
        while ground.names[start + other] != ground.names[start + own]:
            levels[column] += 1
            start = ground.starts[column, levels[column]]


@kernel()
def _put(asked, work, i, value, c, number):  # type: ignore[no-untyped-def]
    """Put so many records of an item into a class."""
    part = work.latest[i]
    if part < work.made[0] and work.item[part] == i and work.owner[part] == c:
        work.amount[part] += number
    else:
        part = work.made[0]
        work.item[part], work.owner[part], work.amount[part] = i, c, number
        work.latest[i] = part
        work.made[0] += 1
    work.left[i] -= number
    work.size[c] += number
    work.available[value] -= number
    add_value(asked, work.counts[c], value, number)


@kernel()
def _open(ground, work, c, row):  # type: ignore[no-untyped-def]
    """Begin a class that covers one tuple."""
    for column in range(work.level.shape[1]):
        work.level[c, column] = ground.lowest[column]
        work.leaf[c, column] = ground.leaves[row, column]
    work.size[c] = 0
    work.counts[c] = 0
    work.cost[c] = widened_cost(ground, work.level[c], work.leaf[c], row)


@kernel()
def choose_seed(ground, work, rows, classes):  # type: ignore[no-untyped-def]
    """An item at random, or the farthest from the last class."""
    m = len(rows)
    pick = -1
    if classes > 1 and np.random.random() < FARTHEST:
        far = -1.0
        for i in range(m):
            if work.left[i] > 0:
                cost = widened_cost(ground, work.level[classes - 1], work.leaf[classes - 1], rows[i])
                cost = cost if cost >= 0 else INFINITE
                if cost > far:
                    far, pick = cost, i
        return pick
    begin = np.random.randint(m)
    for i in range(m):
        if work.left[(begin + i) % m] > 0:
            return (begin + i) % m
    return pick


@kernel()
def _weigh_values(asked, work, c, amiss):  # type: ignore[no-untyped-def]
    """For each combination of values that is left, the violation of class c with one more record of it; returns the
    highest with which a record may join."""
    best = INFINITE
    for value in range(len(work.available)):
        if work.available[value] > 0:
            add_value(asked, work.counts[c], value, 1)
            work.after[value] = violation(asked, work.counts[c], work.size[c] + 1)
            add_value(asked, work.counts[c], value, -1)
            best = min(best, work.after[value])
    return best + HALF * max(0.0, amiss - best)


@kernel()
def _nearest(work, values, c, missing, bound):  # type: ignore[no-untyped-def]
    """The item that makes class c lose least for each record that joins, of those whose values may; −1 for none."""
    pick, lowest = -1, INFINITE
    for i in range(len(values)):
        if work.left[i] > 0 and work.score[i] >= 0:
            if bound < INFINITE and work.after[values[i]] > bound + ROUNDING:
                continue
            take = min(work.left[i], missing)
            score = work.score[i] + work.size[c] * (work.score[i] - work.cost[c]) / take
            if score < lowest:
                lowest, pick = score, i
    return pick


@kernel()
def grow(ground, asked, work, rows, values, c, pick):  # type: ignore[no-untyped-def]
    """Grow class c from an item until it is large enough and holds; whether it does."""
    m = len(rows)
    _open(ground, work, c, rows[pick])
    least = ground.least
    number = work.left[pick] if len(asked.kind) == 0 else min(work.left[pick], least)
    _put(asked, work, pick, values[pick], c, number)
    fresh = True
    nearest, waited = INFINITE, 0
    while True:
        amiss = violation(asked, work.counts[c], work.size[c])
        if amiss <= 0.0 and work.size[c] >= least:
            return True
        waited = 0 if amiss < nearest else waited + 1
        nearest = min(nearest, amiss)
        bound = _weigh_values(asked, work, c, amiss) if amiss > 0 else INFINITE
        if fresh:
            for i in range(m):
                if work.left[i] > 0:
                    work.score[i] = widened_cost(ground, work.level[c], work.leaf[c], rows[i])
            fresh = False
        missing = max(least - work.size[c], 1)
        pick = _nearest(work, values, c, missing, bound)
        if pick < 0 or waited > PATIENCE + least or work.made[0] >= len(work.item) - 2 * m:
            return False  # there must be room for what is left over
        take = min(work.left[pick], missing)
        if len(asked.kind):
            take = 1
        elif take < work.left[pick] and np.random.random() < WHOLE:
            take = work.left[pick]
        if work.score[pick] > work.cost[c]:
            widen(ground, work.level[c], work.leaf[c], rows[pick])
            work.cost[c] = work.score[pick]
            fresh = True
        _put(asked, work, pick, values[pick], c, take)


@kernel()
def undo(work, values, c):  # type: ignore[no-untyped-def]
    """Give the records of a class back."""
    stay = 0
    for part in range(work.made[0]):
        if work.owner[part] == c:
            work.left[work.item[part]] += work.amount[part]
            work.available[values[work.item[part]]] += work.amount[part]
        else:
            work.item[stay], work.owner[stay] = work.item[part], work.owner[part]
            work.amount[stay] = work.amount[part]
            work.latest[work.item[stay]] = stay
            stay += 1
    work.made[0] = stay


@kernel()
def _join(ground, asked, work, rows, values, classes, price):  # type: ignore[no-untyped-def]
    """Put each record that is left over into the class where it costs least and that holds with it, unless the price of
    suppressing it is lower; how many remain."""
    remaining = 0
    for i in range(len(rows)):
        number = work.left[i]
        if number == 0:
            continue
        pick, lowest, there = -1, number * price, 0.0
        for c in range(1, classes):
            cost = widened_cost(ground, work.level[c], work.leaf[c], rows[i])
            if cost < 0:
                continue
            s = (work.size[c] + number) * cost - work.size[c] * work.cost[c]
            if s < lowest and _holds_with(ground, asked, work, c, values[i], number):
                lowest, pick, there = s, c, cost
        if pick < 0:
            remaining += number
            continue
        if there > work.cost[pick]:
            widen(ground, work.level[pick], work.leaf[pick], rows[i])
            work.cost[pick] = there
        _put(asked, work, i, values[i], pick, number)
    return remaining


@kernel()
def _close_rest(ground, asked, work, rows, values, classes):  # type: ignore[no-untyped-def]
    """Make a class of what is left over, with as many of the last classes as it needs; the number of classes then, 0
    where nothing holds."""
    while True:
        total = 0
        work.counts[0] = 0
        for i in range(len(rows)):
            if work.left[i] > 0:
                total += work.left[i]
                add_value(asked, work.counts[0], values[i], work.left[i])
        if total >= ground.least and violation(asked, work.counts[0], total) <= 0.0:
            break
        if classes == 1:
            return 0
        classes -= 1
        undo(work, values, classes)
    first = True
    for i in range(len(rows)):
        if work.left[i] > 0:
            if first:
                _open(ground, work, classes, rows[i])
                first = False
            cost = widened_cost(ground, work.level[classes], work.leaf[classes], rows[i])
            if cost < 0:
                return 0
            widen(ground, work.level[classes], work.leaf[classes], rows[i])
            work.cost[classes] = cost
            _put(asked, work, i, values[i], classes, work.left[i])
    return classes + 1


@kernel()
def _without(ground, work, rows, part, level):  # type: ignore[no-untyped-def]
    """The levels of a part's class without it; an item that it still has, or −1."""
    there = -1
    for column in range(len(level)):
        level[column] = ground.lowest[column]
    for other in range(work.made[0]):
        if other != part and work.owner[other] == work.owner[part] and work.amount[other] > 0:
            if there < 0:
                there = work.item[other]
            widen(ground, level, ground.leaves[rows[there]], rows[work.item[other]])
    return there


@kernel()
def _set_levels(ground, work, c, level, row):  # type: ignore[no-untyped-def]
    """Let a class have other levels."""
    for column in range(len(level)):
        work.level[c, column] = level[column]
        work.leaf[c, column] = ground.leaves[row, column]
    work.cost[c] = widened_cost(ground, level, work.leaf[c], row)


@kernel()
def _holds_with(ground, asked, work, c, value, number):  # type: ignore[no-untyped-def]
    """Whether a class would hold with so many more records of a value (fewer, where the number is below 0)."""
    size = work.size[c] + number
    if size < ground.least:
        return False
    if len(asked.kind) == 0:
        return True
    add_value(asked, work.counts[c], value, number)
    amiss = violation(asked, work.counts[c], size)
    add_value(asked, work.counts[c], value, -number)
    return amiss <= 0.0


@kernel()
def _move_parts(ground, asked, work, rows, values, classes, price, allowed):  # type: ignore[no-untyped-def]
    """Move parts that a class can spare to where they cost less, or suppress them; whether any was moved."""
    moved = False
    for part in range(work.made[0]):
        a, i, number = work.owner[part], work.item[part], work.amount[part]
        if number == 0 or work.cost[a] == 0.0 or not _holds_with(ground, asked, work, a, values[i], -number):
            continue
        there = _without(ground, work, rows, part, work.now)
        if there < 0:
            continue
        without = widened_cost(ground, work.now, ground.leaves[rows[there]], rows[there])
        gain = work.size[a] * work.cost[a] - (work.size[a] - number) * without
        pick, lowest = -1, gain - ROUNDING
        if number * price < lowest and work.made[2] + number <= allowed:
            pick, lowest = 0, number * price
        for c in range(1, classes):
            if c == a:
                continue
            cost = widened_cost(ground, work.level[c], work.leaf[c], rows[i])
            if cost < 0:
                continue
            s = (work.size[c] + number) * cost - work.size[c] * work.cost[c]
            if s < lowest and _holds_with(ground, asked, work, c, values[i], number):
                lowest, pick = s, c
        if pick < 0:
            continue
        moved = True
        _set_levels(ground, work, a, work.now, rows[there])
        work.size[a] -= number
        add_value(asked, work.counts[a], values[i], -number)
        if pick == 0:
            work.amount[part] = 0
            work.left[i] += number
            work.made[2] += number
            continue
        work.cost[pick] = widened_cost(ground, work.level[pick], work.leaf[pick], rows[i])
        widen(ground, work.level[pick], work.leaf[pick], rows[i])
        work.size[pick] += number
        add_value(asked, work.counts[pick], values[i], number)
        work.owner[part] = pick
    return moved


@kernel()
def _swap_parts(ground, work, rows, values):  # type: ignore[no-untyped-def]
    """Let parts of two classes change places where both together then cost less; whether any did.

    They have equally many records of equal values, so that every condition goes on holding.
    """
    swapped = False
    for part in range(work.made[0]):
        a, i = work.owner[part], work.item[part]
        there = _without(ground, work, rows, part, work.now) if work.amount[part] > 0 else -1
        if there < 0 or widened_cost(ground, work.now, ground.leaves[rows[there]], rows[there]) >= work.cost[a]:
            continue  # the part does not make its class coarser
        pick, lowest = -1, -ROUNDING
        for other in range(work.made[0]):
            b, j = work.owner[other], work.item[other]
            if b == a or work.amount[other] != work.amount[part] or values[i] != values[j]:
                continue
            cost = widened_cost(ground, work.now, ground.leaves[rows[there]], rows[j])
            if cost < 0 or cost >= work.cost[a]:
                continue
            gain = work.size[a] * (cost - work.cost[a])
            cost = widened_cost(ground, work.level[b], work.leaf[b], rows[i])
            if cost > work.cost[b]:  # perhaps less once the other is gone
                instead = _without(ground, work, rows, other, work.then)
                instead = instead if instead >= 0 else i
                cost = widened_cost(ground, work.then, ground.leaves[rows[instead]], rows[i])
            gain += work.size[b] * (cost - work.cost[b])
            if cost >= 0 and gain < lowest:
                lowest, pick = gain, other
        if pick >= 0:
            swapped = True
            work.owner[part], work.owner[pick] = work.owner[pick], a
            _tighten(ground, work, rows, part)
            _tighten(ground, work, rows, pick)
    return swapped


@kernel()
def _tighten(ground, work, rows, part):  # type: ignore[no-untyped-def]
    """Give a part's class the lowest levels that cover its records."""
    there = _without(ground, work, rows, part, work.now)
    there = there if there >= 0 else work.item[part]
    widen(ground, work.now, ground.leaves[rows[there]], rows[work.item[part]])
    _set_levels(ground, work, work.owner[part], work.now, rows[there])


@kernel()
def begin_group(work, values, counts):  # type: ignore[no-untyped-def]
    """Give all records of a group back."""
    work.made[:] = 0
    work.available[:] = 0
    for i in range(len(values)):
        work.left[i] = counts[i]
        work.latest[i] = len(work.item)
        work.available[values[i]] += counts[i]


@kernel()
def solve_group(ground, asked, work, rows, values, counts, price, allowed):  # type: ignore[no-untyped-def]
    """Make classes of some items, and suppress at most so many records at a price; what all of it costs, infinite where
    it does not hold. ``work`` has the solution."""
    begin_group(work, values, counts)
    total = counts.sum()
    classes = 1
    while total >= ground.least:
        if not grow(ground, asked, work, rows, values, classes, choose_seed(ground, work, rows, classes)):
            undo(work, values, classes)
            break
        total -= work.size[classes]
        classes += 1
    if total > 0 and classes > 1 and (total < ground.least or np.random.random() < HALF):
        total = _join(ground, asked, work, rows, values, classes, price if total <= allowed else INFINITE)
    if total > allowed or (total >= ground.least and np.random.random() < HALF):
        classes, total = _close_rest(ground, asked, work, rows, values, classes), 0
    if classes == 0:
        return INFINITE
    work.made[2] = total
    for _ in range(REFINED):
        moved = _move_parts(ground, asked, work, rows, values, classes, price, allowed)
        if work.made[0] <= MOST_SWAPPED:
            moved = _swap_parts(ground, work, rows, values) or moved
        if not moved:
            break
    work.made[1] = classes
    cost = work.made[2] * price
    for c in range(1, classes):
        cost += work.size[c] * work.cost[c]
    return cost
