"""Prices of the records of a region, by Lagrangian relaxation.

Relax the rule that a record is in one class, and charge each record its price wherever it is: then a class is worth
opening if its records' prices pay for it. Prices rise where no class wants a record and fall where several do
(subgradient ascent, Held, Wolfe and Crowder 1974). The best prices give a lower bound of what any solution of the
region costs, and the classes that are wanted most often on the way make a good solution (Barahona and Anbil 2000).
"""

from __future__ import annotations

from cobogo.floor.kernels import kernel

# Set when the search was written; no sweep of them is on record (see `improve`).

MEMORY = 0.12
"""The weight of the latest prices in what is wanted: an average over about the last eight of twenty rounds. Single
rounds swing (the volume algorithm averages for the same reason); a longer memory holds the first, bad prices."""
NEARLY_ALL = 0.995
"""Where the bound is within half a percent of what is paid, the region is as good as solved: time is better spent
elsewhere."""
PATIENCE, SHORTER = 4, 0.7
"""After so many rounds without a better bound the steps of the ascent become shorter by this factor: the usual rule of
subgradient methods, with a shorter wait since there are only twenty rounds."""
LEAST_GAP = 0.001
"""Of what is paid: the gap that a step aims at when bound and costs already meet, so that steps never become 0."""


@kernel()
def bid(work, price, least, candidate, extra):  # type: ignore[no-untyped-def]
    """The gain of a candidate at these prices, as a number below 0, or 0 where it does not pay. Its members are those
    that pay more than it costs, and as many others, the dearest first, as make it large enough; ``extra``, all 0
    before, takes the others' records."""
    cost = work.cost[candidate]
    size, gain = 0, 0.0
    begin, end = work.begin[candidate], work.end[candidate]
    for place in range(begin, end):
        i = work.members[place]
        if price[i] > cost:
            size += work.free[i]
            gain += work.free[i] * (cost - price[i])
    if gain >= 0:
        return 0.0
    missing = least - size
    while missing > 0:
        best, dearest = -1, -1.0
        for place in range(begin, end):
            i = work.members[place]
            if extra[i] == 0 and work.free[i] > 0 and price[i] <= cost and price[i] > dearest:
                best, dearest = i, price[i]
        if best < 0:
            return 0.0
        extra[best] = min(missing, work.free[best])
        missing -= extra[best]
        gain += extra[best] * (cost - dearest)
        if gain >= 0:
            return 0.0
    return gain


@kernel()
def settle_prices(work, price, best_price, cover, extra, least, count, found, rounds, paid):  # type: ignore[no-untyped-def]
    """Improve the prices of a region's rows and return the bound; ends early when little can be gained on ``paid``."""
    best = -1.0e300  # below any bound
    stride, stalled = 1.0, 0
    for candidate in range(found):
        work.wanted[candidate] = 0.0
    for turn in range(rounds):
        bound = 0.0
        for i in range(count):
            cover[i] = 0.0
            bound += work.free[i] * price[i]
        memory = MEMORY if turn else 1.0
        for candidate in range(found):
            gain = bid(work, price, least, candidate, extra)
            work.wanted[candidate] *= 1 - memory
            if gain < 0:
                bound += gain
                work.wanted[candidate] += memory
            for place in range(work.begin[candidate], work.end[candidate]):
                i = work.members[place]
                if gain < 0:
                    cover[i] += work.free[i] if price[i] > work.cost[candidate] else extra[i]
                extra[i] = 0
        if bound > best:
            best, stalled = bound, 0
            for i in range(count):
                best_price[i] = price[i]
            if best > NEARLY_ALL * paid:
                break
        else:
            stalled += 1
            if stalled > PATIENCE:
                stride *= SHORTER
                stalled = 0
        length = 0.0
        for i in range(count):
            length += (work.free[i] - cover[i]) ** 2
        if length == 0:
            break
        scale = stride * max(paid - bound, LEAST_GAP * paid) / length
        for i in range(count):
            price[i] = max(0.0, price[i] + scale * (work.free[i] - cover[i]))
    for i in range(count):
        price[i] = best_price[i]
    return best
