"""Compiled kernels of the clique cloak: requests that tolerate each other, and the first crowd among them."""

from __future__ import annotations

import numpy as np
from numba import njit

from cobogo.locate.places.geometry import DEGREE

MOST = 60
"""Requests among which a new one looks for company: those that have waited longest. Their graph fits into words."""

STEPS = 50_000
"""Steps after which the search for one request is given up. It waits for the next one to come."""


@njit(cache=True, nogil=True)
def tolerate(lon, lat, time, dx, dy, dt, one, other):  # type: ignore[no-untyped-def]
    """Whether each of two requests lies in the other's box of space and time."""
    across = abs((lon[one] - lon[other] + 180.0) % 360.0 - 180.0) * DEGREE
    upright, between = abs(lat[one] - lat[other]) * DEGREE, abs(time[one] - time[other])
    for row in (one, other):
        if across * np.cos(np.radians(lat[row])) > dx[row] or upright > dy[row] or between > dt[row]:
            return False
    return True


@njit(cache=True, nogil=True)
def _ones(bits):  # type: ignore[no-untyped-def]
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@njit(cache=True, nogil=True)
def company(user, lon, lat, time, k, dx, dy, dt, waiting, new):  # type: ignore[no-untyped-def]
    """Requests with whom a new one makes a crowd that all of its members tolerate and that is large enough for the
    most demanding of them; none where there is no such crowd. The smallest k that will do is tried first."""
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
            if depth + _ones(left[depth]) < size - 1:
                depth -= 1
                continue
            lowest = left[depth] & -left[depth]
            left[depth] ^= lowest
            one = _ones(lowest - 1)
            chosen[depth] = one
            if depth + 1 < size - 1:
                left[depth + 1] = left[depth] & known[one]
                depth += 1
            else:
                return found[chosen[: size - 1]]
        larger = size
        for one in range(many):
            if k[found[one]] > size and (larger == size or k[found[one]] < larger):
                larger = k[found[one]]
        if larger == size:
            break
        size = larger
    return found[:0]


@njit(cache=True, nogil=True)
def meet(user, lon, lat, time, k, dx, dy, dt):  # type: ignore[no-untyped-def]
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
        members = company(user, lon, lat, time, k, dx, dy, dt, waiting[:many], new)
        if len(members):
            crowd[new], when[new] = number, time[new]
            for row in members:
                crowd[row], when[row] = number, time[new]
            number += 1
        else:
            waiting[many] = new
            many += 1
    return crowd, when
