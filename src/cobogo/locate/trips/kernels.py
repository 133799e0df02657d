"""Compiled kernels of the clustering and of the walks of synthetic trips."""

from __future__ import annotations

import numpy as np

from cobogo.floor.kernels import kernel


@kernel()
def _far(east, north, span, weight, one, other, limit):  # type: ignore[no-untyped-def]
    """The mean distance of two trips at equal stages plus their weighted difference in time; ∞ where it exceeds a
    limit."""
    stages = east.shape[1]
    total = weight * (abs(span[one, 0] - span[other, 0]) + abs(span[one, 1] - span[other, 1])) / 2
    most = limit * stages
    total *= stages
    for stage in range(stages):
        total += np.hypot(east[one, stage] - east[other, stage], north[one, stage] - north[other, stage])
        if total > most:
            return np.inf
    return total / stages


@kernel()
def cluster_greedily(east, north, span, weight, person, k, radius, first):  # type: ignore[no-untyped-def]
    """Clusters of trips of at least k people, within a radius of a pivot; −1 for trips that found none.

    The trip that starts farthest from the last pivot is the next one. A pivot takes the nearest free trips until they
    are of k people; one that cannot is set aside. The trips that are left join the nearest pivot within the radius.
    """
    count = len(person)
    cluster = np.full(count, -1)
    free = np.ones(count, dtype=np.bool_)
    aside = np.zeros(count, dtype=np.bool_)
    pivots = np.empty(count, dtype=np.int64)
    away = np.empty(count)
    seen = np.full(person.max() + 1 if count else 1, -1)
    made = 0
    pivot = first
    while pivot >= 0:
        near = np.empty(count, dtype=np.int64)
        many = 0
        for other in range(count):
            if free[other] and other != pivot:
                away[other] = _far(east, north, span, weight, pivot, other, radius)
                if away[other] < np.inf:
                    near[many] = other
                    many += 1
        order = near[:many][np.argsort(away[near[:many]])]
        people = 1
        seen[person[pivot]] = pivot
        taken = 0
        while taken < many and people < k:
            who = person[order[taken]]
            if seen[who] != pivot:
                seen[who] = pivot
                people += 1
            taken += 1
        if people >= k:
            cluster[pivot] = made
            free[pivot] = False
            for place in range(taken):
                cluster[order[place]] = made
                free[order[place]] = False
            pivots[made] = pivot
            made += 1
        else:
            aside[pivot] = True
        last = pivot
        pivot = -1
        farthest = -1.0
        for other in range(count):
            if free[other] and not aside[other]:
                here = np.hypot(east[last, 0] - east[other, 0], north[last, 0] - north[other, 0])
                if here > farthest:
                    farthest = here
                    pivot = other
    for other in range(count):
        if free[other]:
            best = radius
            for number in range(made):
                here = _far(east, north, span, weight, pivots[number], other, best)
                if here <= best:
                    best = here
                    cluster[other] = number
    return cluster, pivots[:made]


@kernel()
def bridges(chances, moves, inside, goal, longest):  # type: ignore[no-untyped-def]
    """How likely a walk from each cell is to be at the goal after each number of moves, up to a factor for each
    number."""
    cells = chances.shape[0]
    reach = np.zeros((longest + 1, cells))
    reach[0, goal] = 1.0
    for number in range(1, longest + 1):
        top = 0.0
        for cell in range(cells):
            total = 0.0
            for way in range(len(moves)):
                if inside[cell, way]:
                    total += chances[cell, way] * reach[number - 1, cell + moves[way]]
            reach[number, cell] = total
            top = max(top, total)
        if top > 0.0:
            for cell in range(cells):
                reach[number, cell] /= top
    return reach


@kernel()
def walk(chances, moves, inside, reach, start, number, uniform, path):  # type: ignore[no-untyped-def]
    """Draw a walk of so many moves from a cell to the goal of ``reach``, by its probability in the chain given both
    ends. Writes its cells into ``path`` and returns their number: fewer where no walk leads on."""
    cell = start
    path[0] = cell
    for step in range(number):
        left = number - step - 1
        total = 0.0
        for way in range(len(moves)):
            if inside[cell, way]:
                total += chances[cell, way] * reach[left, cell + moves[way]]
        if total <= 0.0:
            return step + 1
        wanted = uniform[step] * total
        chosen = -1
        for way in range(len(moves)):
            if inside[cell, way]:
                share = chances[cell, way] * reach[left, cell + moves[way]]
                if share > 0.0:
                    chosen = way
                    wanted -= share
                    if wanted < 0.0:
                        break
        cell += moves[chosen]
        path[step + 1] = cell
    return number + 1
