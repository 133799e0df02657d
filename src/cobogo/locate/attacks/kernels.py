"""Compiled kernels of the location attacks."""

from __future__ import annotations

import numpy as np
from numba import njit

NEGLIGIBLE = 1e-8
"""A belief that is not followed any further."""


@njit(cache=True, nogil=True)
def _stepped(starts, ends, chances, anywhere, prior, now, after):  # type: ignore[no-untyped-def]
    """One step of a Markov chain whose rows are sparse, and which now and then begins anew: after = now · P."""
    after[:] = anywhere * prior
    for cell in range(len(now)):
        mass = now[cell]
        if mass > NEGLIGIBLE:
            for place in range(starts[cell], starts[cell + 1]):
                after[ends[place]] += (1.0 - anywhere) * mass * chances[place]


@njit(cache=True, nogil=True)
def _foreseen(starts, ends, chances, anywhere, prior, later, before, wanted):  # type: ignore[no-untyped-def]
    """The same backwards: before = P · later, for cells in which somebody is believed to be."""
    new = 0.0
    for cell in range(len(later)):
        new += anywhere * prior[cell] * later[cell]
    for cell in range(len(later)):
        total = 0.0
        if wanted[cell] > NEGLIGIBLE:
            for place in range(starts[cell], starts[cell + 1]):
                total += chances[place] * later[ends[place]]
        before[cell] = new + (1.0 - anywhere) * total


@njit(cache=True, nogil=True)
def smoothed(starts, ends, chances, anywhere, prior, seen, steps):  # type: ignore[no-untyped-def]
    """Pr(x_t | all reports) by forward–backward, scaled at each report.

    ``seen[t, x]`` is the likelihood of report t in cell x up to a factor of its own; ``steps[t]`` how many steps of
    the chain lie between reports t − 1 and t; at each of them, one is ``anywhere`` with that chance.
    """
    count, cells = seen.shape
    belief = np.empty((count, cells))
    one, two = np.empty(cells), np.empty(cells)
    for t in range(count):
        if t == 0:
            one[:] = prior
        else:
            one[:] = belief[t - 1]
            for _ in range(steps[t]):
                _stepped(starts, ends, chances, anywhere, prior, one, two)
                one, two = two, one
        total = 0.0
        for cell in range(cells):
            one[cell] *= seen[t, cell]
            total += one[cell]
        if total > 0.0:
            for cell in range(cells):
                belief[t, cell] = one[cell] / total
        else:  # the chain holds it to be impossible: the report alone is believed
            total = 0.0
            for cell in range(cells):
                one[cell] = prior[cell] * seen[t, cell]
                total += one[cell]
            for cell in range(cells):
                belief[t, cell] = one[cell] / total if total > 0.0 else prior[cell]
    later, everywhere = np.ones(cells), np.ones(cells)
    for t in range(count - 2, -1, -1):
        top = 0.0
        for cell in range(cells):
            one[cell] = later[cell] * seen[t + 1, cell]
            top = max(top, one[cell])
        if top > 0.0:
            for cell in range(cells):
                one[cell] /= top
        for step in range(steps[t + 1]):
            last = step == steps[t + 1] - 1
            _foreseen(starts, ends, chances, anywhere, prior, one, two, belief[t] if last else everywhere)
            one, two = two, one
        total = 0.0
        for cell in range(cells):
            total += belief[t, cell] * one[cell]
        if total > 0.0:
            later[:] = one
            for cell in range(cells):
                belief[t, cell] = belief[t, cell] * one[cell] / total
        else:
            later[:] = 1.0
    return belief


@njit(cache=True, nogil=True)
def pair_risks(starts, places, here, people, order, risk, alone):  # type: ignore[no-untyped-def]
    """For each person, over all pairs of their places: the sum of 1 / (people with both), and how many pairs are theirs
    alone. Person p has ``places[starts[p]:starts[p + 1]]``, ascending; place q has the people
    ``people[here[q]:here[q + 1]]``, in whose lists it stands at ``order``.

    This is B'B of the person–place matrix B one row at a time, so that memory is one number for each place."""
    count = np.zeros(len(here) - 1, dtype=np.int64)
    for place in range(len(here) - 1):
        first, last = here[place], here[place + 1]
        if last - first == 1:
            one = people[first]
            rest = starts[one + 1] - order[first] - 1
            risk[one] += rest
            alone[one] += rest
            continue
        for entry in range(first, last):
            one = people[entry]
            for other in range(order[entry] + 1, starts[one + 1]):
                count[places[other]] += 1
        for entry in range(first, last):
            one = people[entry]
            for other in range(order[entry] + 1, starts[one + 1]):
                both = count[places[other]]
                risk[one] += 1.0 / both
                alone[one] += both == 1
        for entry in range(first, last):
            one = people[entry]
            for other in range(order[entry] + 1, starts[one + 1]):
                count[places[other]] = 0


@njit(cache=True, nogil=True)
def _has(places, low, high, wanted):  # type: ignore[no-untyped-def]
    while low < high:
        middle = (low + high) // 2
        if places[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def subset_sizes(starts, places, here, people, chosen):  # type: ignore[no-untyped-def]
    """How many people have all the places of each row of ``chosen``."""
    found = np.zeros(len(chosen), dtype=np.int64)
    for row in range(len(chosen)):
        rarest = chosen[row, 0]
        for place in chosen[row]:
            if here[place + 1] - here[place] < here[rarest + 1] - here[rarest]:
                rarest = place
        for entry in range(here[rarest], here[rarest + 1]):
            one = people[entry]
            has_all = True
            for place in chosen[row]:
                at = _has(places, starts[one], starts[one + 1], place)
                if at >= starts[one + 1] or places[at] != place:
                    has_all = False
                    break
            found[row] += has_all
    return found
