"""Compiled kernels of the cloaks: cells of a quad-tree, crowds along a curve, requests that wait for each other.

The tree's kernels get reports sorted by Morton code. A code has two bits a level, the coarsest first, so ``code >>
2·(LEVELS − level)`` is the cell of a level, and the reports of any cell are a run of neighbours. ``order[i]`` is the
report that has the i-th code.

A person counts once in a run, however often they report there: ``stamps[person]`` is the number of the last run in
which the person was counted, and every run has a number of its own, so that nothing is cleared in between.
"""

from __future__ import annotations

import numpy as np

from cobogo.floor.kernels import kernel
from cobogo.locate.crowds.cells import LEVELS, area_of
from cobogo.locate.places.geometry import DEGREE


@kernel()
def _people(users, start, end, stamps, stamp, single):  # type: ignore[no-untyped-def]
    """How many people without this stamp have a report in a run; they get it. ``single``: everybody reports once."""
    if single:
        return end - start
    found = 0
    for place in range(start, end):
        if stamps[users[place]] != stamp:
            stamps[users[place]] = stamp
            found += 1
    return found


@kernel()
def _common_level(one, other):  # type: ignore[no-untyped-def]
    """The deepest level at which two codes are in one cell."""
    apart, level = one ^ other, LEVELS
    while apart:
        apart >>= 2
        level -= 1
    return level


@kernel()
def _end_of_cell(codes, start, end, shift):  # type: ignore[no-untyped-def]
    """Where the run of the first code's cell ends, by bisection; ``shift``: the bits below that cell's level."""
    last = codes[start] >> shift
    low, high = start + 1, end
    while low < high:
        middle = (low + high) // 2
        if codes[middle] >> shift > last:
            high = middle
        else:
            low = middle + 1
    return low


@kernel()
def descend(codes, row, order, user, people, k, least):  # type: ignore[no-untyped-def]
    """The level of the cell that each report gets, from the world downwards. Reports in a quarter with fewer than k
    people, or with an area below ``least``, stay with the cell above it."""
    n = len(codes)
    levels = np.empty(n, np.int8)
    if n == 0:
        return levels
    single = people == n
    users = user if single else user[order]
    stamps, stamp = np.zeros(people if not single else 1, np.int64), 0
    # A stack of cells that are large enough, as runs. Each level leaves at most three siblings on it.
    room = 4 * LEVELS + 4
    starts, ends, above = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    starts[0], ends[0], above[0] = 0, n, 0
    waiting = 1
    while waiting:
        waiting -= 1
        start, end = starts[waiting], ends[waiting]
        # While only one quarter is in use, descending loses nobody: go at once to where the run first parts.
        deepest = _common_level(codes[start], codes[end - 1])
        level = deepest
        if least > 0:
            while level > above[waiting] and area_of(row[order[start]], level) < least:
                level -= 1
        shift = 2 * (LEVELS - level - 1)
        while start < end:
            last, fits = end, False
            if level == deepest and level < LEVELS:  # else the area stopped the descent: all keep this cell
                last = _end_of_cell(codes, start, end, shift)
                stamp += 1
                large = least <= 0 or area_of(row[order[start]], level + 1) >= least
                fits = large and _people(users, start, last, stamps, stamp, single) >= k
            if fits:
                starts[waiting], ends[waiting], above[waiting] = start, last, level + 1
                waiting += 1
            else:
                for place in range(start, last):
                    levels[order[place]] = level
            start = last
    return levels


@kernel()
def pool(codes, row, order, user, people, k, least):  # type: ignore[no-untyped-def]
    """The level of the cell that each report shares with k people: from the finest cells up, those without a crowd make
    one as soon as they are k people in a cell. Those who are left in the end join the crowd with the largest cell."""
    n = len(codes)
    levels, left = np.full(n, -1, np.int8), np.arange(n)  # ``left``: the places without a crowd, still in order
    stamps, stamp = np.zeros(people, np.int64), 0
    for level in range(LEVELS, -1, -1):
        shift, start, kept = 2 * (LEVELS - level), 0, 0
        while start < len(left):
            # One cell: the run of those who are left in it, and how many people they are.
            cell, end, found = codes[left[start]] >> shift, start, 0
            stamp += 1
            while end < len(left) and codes[left[end]] >> shift == cell:
                person = user[order[left[end]]]
                if stamps[person] != stamp:
                    stamps[person] = stamp
                    found += 1
                end += 1
            crowd = found >= k and (least <= 0 or area_of(row[order[left[start]]], level) >= least)
            for place in range(start, end):
                if crowd:
                    levels[left[place]] = level
                else:
                    left[kept] = left[place]  # moved to the front: ``kept`` never overtakes ``place``
                    kept += 1
            start = end
        left = left[:kept]
    if 0 < len(left) < n:
        host = -1
        for place in range(n):
            if levels[place] >= 0 and (host < 0 or levels[place] < levels[host]):
                host = place
        # Codes are in order: the first and the last of all these reports decide which cell holds them all.
        level, shift = levels[host], 2 * (LEVELS - levels[host])
        first, last = min(left[0], host), max(left[-1], host)
        common = min(_common_level(codes[first], codes[last]), level)
        for place in range(n):
            if levels[place] < 0 or (levels[place] == level and codes[place] >> shift == codes[host] >> shift):
                levels[place] = common
    out = np.empty(n, np.int8)
    out[order] = levels
    return out


@kernel()
def climb(codes, row, users, people, k, least):  # type: ignore[no-untyped-def]
    """The level of the cell that each report gets on the way up, and whether it comes with the sibling beside it or
    with the one above or below it. ``row`` and ``users`` are in the order of the codes, and so are the answers."""
    n = len(codes)
    levels, wide, high = np.full(n, -1, np.int8), np.zeros(n, np.int8), np.zeros(n, np.int8)
    single = people == n
    stamps, stamp = np.zeros(people, np.int64), 0
    begin, finish, waiting = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4, np.bool_)
    for level in range(LEVELS, -1, -1):
        shift = 2 * (LEVELS - level)
        start = 0
        while start < n:
            # The four children of one parent: where the run of each lies, and whether anybody in it still waits.
            parent = codes[start] >> (shift + 2)
            end = start
            begin[:], finish[:], waiting[:] = 0, 0, False
            while end < n and codes[end] >> (shift + 2) == parent:
                child = (codes[end] >> shift) & 3
                if finish[child] == 0:
                    begin[child] = end
                finish[child] = end + 1
                waiting[child] = waiting[child] or levels[end] < 0
                end += 1
            if waiting.any():
                for child in range(4):
                    if not waiting[child]:
                        continue
                    size = area_of(row[begin[child]], level)
                    # Bit 0 of a child is its column, bit 1 its row: child ^ 1 lies beside it, child ^ 2 above or below.
                    stamp += 1
                    alone = _people(users, begin[child], finish[child], stamps, stamp, single)
                    across = alone + _people(users, begin[child ^ 1], finish[child ^ 1], stamps, stamp, single)
                    stamp += 1
                    upright = _people(users, begin[child], finish[child], stamps, stamp, single)
                    upright += _people(users, begin[child ^ 2], finish[child ^ 2], stamps, stamp, single)
                    found, beside, atop = alone >= k and size >= least, 0, 0
                    if not found and level > 0:
                        # The two halves of a cell cut by a parallel differ in area: the pair is measured whole.
                        pair = size + area_of(row[begin[child]] ^ (1 << (LEVELS - level)), level)
                        side, up = across >= k and 2 * size >= least, upright >= k and pair >= least
                        if side and (not up or across <= upright):
                            found, beside = True, 1
                        elif up:
                            found, atop = True, 1
                    if found:
                        for place in range(begin[child], finish[child]):
                            if levels[place] < 0:
                                levels[place], wide[place], high[place] = level, beside, atop
            start = end
    return levels, wide, high


@kernel()
def cut_into_crowds(users, jump, people, k, size):  # type: ignore[no-untyped-def]
    """Cut a line of reports into crowds of ``size`` people and number them; the rest at the end joins the last crowd.
    Where the line jumps to another part of the world, a crowd ends if it has k people and k people are left. There are
    k people at least."""
    n = len(users)
    crowd = np.zeros(n, np.int64)
    # Backwards first: from ``late`` on there are fewer than k people, so that no new crowd may begin there.
    stamps = np.full(people, n, np.int64)
    late, left = n, 0
    while late > 0 and left < k:
        late -= 1
        if stamps[users[late]] == n:
            stamps[users[late]] = 0
            left += 1
    stamps[:] = -1
    number, found, first = 0, 0, 0  # ``first`` is the first crowd of this part of the world
    for place in range(n):
        if jump[place] and place <= late and (found >= k or number > first):
            if found >= k or number == first:
                number += 1
            else:  # too few are left here for a crowd of their own
                _join_previous(crowd, place, number)
            first, found = number, 0
        crowd[place] = number
        if stamps[users[place]] != number:
            stamps[users[place]] = number
            found += 1
        if found >= size:
            number += 1
            found = 0
    if found < k and number > 0 and found > 0:
        _join_previous(crowd, n, number)
    return crowd


@kernel()
def _join_previous(crowd, end, number):  # type: ignore[no-untyped-def]
    """The crowd of a number, which ends at ``end``, joins the one before it."""
    for place in range(end - 1, -1, -1):
        if crowd[place] < number:
            break
        crowd[place] = number - 1


MOST = 60
"""Requests among which a new one looks for company: those that have waited longest. Sets of them are the bits of one
64-bit word."""

STEPS = 50_000
"""Steps after which the search for one request is given up, and it waits for the next one to come: a millisecond or
two. Finding a clique takes exponential time in the worst case; crowds of people who are near each other take far fewer
steps."""


@kernel()
def tolerate(lon, lat, time, dx, dy, dt, one, other):  # type: ignore[no-untyped-def]
    """Whether each of two requests lies in the other's box of space and time."""
    across = abs((lon[one] - lon[other] + 180.0) % 360.0 - 180.0) * DEGREE
    upright, between = abs(lat[one] - lat[other]) * DEGREE, abs(time[one] - time[other])
    for row in (one, other):
        if across * np.cos(np.radians(lat[row])) > dx[row] or upright > dy[row] or between > dt[row]:
            return False
    return True


@kernel()
def _count_bits(bits):  # type: ignore[no-untyped-def]
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@kernel()
def find_company(user, lon, lat, time, k, dx, dy, dt, waiting, new):  # type: ignore[no-untyped-def]
    """Waiting requests with which a new one makes a crowd: all tolerate each other, and there are as many as the most
    demanding of them asks for. Empty where there is no such crowd."""
    # The candidates tolerate the new request; ``known[i]`` has the bit of every candidate that tolerates candidate i.
    found = np.empty(MOST, np.int64)
    many = 0
    for row in waiting:
        if many < MOST and user[row] != user[new] and tolerate(lon, lat, time, dx, dy, dt, row, new):
            found[many] = row
            many += 1
    known = np.zeros(MOST, np.int64)
    for one in range(many):
        for other in range(one):
            a, b = found[one], found[other]
            if user[a] != user[b] and tolerate(lon, lat, time, dx, dy, dt, a, b):
                known[one] |= np.int64(1) << other
                known[other] |= np.int64(1) << one
    # For one size after the other, the smallest first, a clique among those who are content with that size: depth
    # first, ``left[d]`` are the candidates that are not tried yet as member d and tolerate all members before it.
    chosen, left = np.empty(MOST + 1, np.int64), np.empty(MOST + 1, np.int64)
    size, steps = k[new], 0
    while size - 1 <= many:
        depth = 0
        left[0] = 0
        for one in range(many):
            if k[found[one]] <= size:
                left[0] |= np.int64(1) << one
        while depth >= 0 and steps < STEPS:
            steps += 1
            if depth + _count_bits(left[depth]) < size - 1:  # too few to complete the crowd: go back
                depth -= 1
                continue
            lowest = left[depth] & -left[depth]
            left[depth] ^= lowest
            one = _count_bits(lowest - 1)
            chosen[depth] = one
            if depth + 1 < size - 1:
                left[depth + 1] = left[depth] & known[one]
                depth += 1
            else:
                return found[chosen[: size - 1]]
        # The next size that lets somebody more demanding in.
        larger = size
        for one in range(many):
            if k[found[one]] > size and (larger == size or k[found[one]] < larger):
                larger = k[found[one]]
        if larger == size:
            break
        size = larger
    return found[:0]


@kernel()
def form_crowds(user, lon, lat, time, k, dx, dy, dt):  # type: ignore[no-untyped-def]
    """Requests in the order of time: the number of the crowd of each, −1 for those that waited in vain, and when each
    crowd was complete."""
    n = len(user)
    crowd, when = np.full(n, -1, np.int64), np.full(n, np.nan)
    waiting = np.empty(n, np.int64)
    many = number = 0
    for new in range(n):
        kept = 0
        for place in range(many):
            row = waiting[place]
            if crowd[row] < 0 and time[row] + dt[row] >= time[new]:
                waiting[kept] = row
                kept += 1
        many = kept
        members = find_company(user, lon, lat, time, k, dx, dy, dt, waiting[:many], new)
        if len(members):
            crowd[new], when[new] = number, time[new]
            for row in members:
                crowd[row], when[row] = number, time[new]
            number += 1
        else:
            waiting[many] = new
            many += 1
    return crowd, when
