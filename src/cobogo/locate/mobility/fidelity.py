"""How near made-up movement is to the true: earth mover's distances, in metres. The data holder's eyes only.

These figures look at the true records without noise. They belong into the evidence; who shows them has told more than
ε allows for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.locate.mobility.bounded import Bounded, bounded
from cobogo.locate.mobility.calls import Calls
from cobogo.locate.mobility.habits import habits
from cobogo.locate.mobility.space import Space


def daily_ranges(records: Bounded, space: Space) -> Floats:
    """For each person and day with a call, the metres between the two farthest cells they called from."""
    key = records.user * space.days + records.day
    pair = np.unique(key * len(space.cells) + records.cell)
    whose, cell = np.divmod(pair, len(space.cells))
    _, start, size = np.unique(whose, return_index=True, return_counts=True)
    left = np.repeat(np.arange(len(pair)), np.repeat(size, size))
    first = np.repeat(start, size * size)
    inner = np.arange(len(left)) - np.repeat(np.cumsum(size * size) - size * size, size * size)
    right = first + inner % np.repeat(size, size * size)
    apart = np.linalg.norm(space.cells.metres[cell[left]] - space.cells.metres[cell[right]], axis=1)
    return np.asarray(np.maximum.reduceat(apart, np.cumsum(size * size) - size * size)) if len(pair) else np.empty(0)


def on_a_line(one: Floats, other: Floats) -> float:
    """The earth mover's distance between two samples of numbers: the area between their distributions.

    >>> on_a_line(np.array([0.0, 2.0]), np.array([1.0, 3.0]))
    1.0
    """
    points = np.sort(np.concatenate((one, other)))
    shares = [np.searchsorted(np.sort(part), points[:-1], side="right") / len(part) for part in (one, other)]
    return float((np.abs(shares[0] - shares[1]) * np.diff(points)).sum())


def on_a_map(one: Floats, other: Floats, place: Floats) -> float:
    """The earth mover's distance between two distributions over places: what it takes, at least, to carry one to the
    other, in metres for each unit of it. Exact, by a linear program over what the two do not share.

    >>> on_a_map(np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([[0.0, 0.0], [3.0, 4.0]]))
    5.0
    """
    from scipy.optimize import linprog
    from scipy.sparse import eye, kron, vstack

    gap = one / one.sum() - other / other.sum()
    much, little = np.flatnonzero(gap > 1e-12), np.flatnonzero(gap < -1e-12)
    if not len(much) or not len(little):
        return 0.0
    cost = np.linalg.norm(place[much][:, np.newaxis] - place[little][np.newaxis], axis=2)
    out = kron(eye(len(much)), np.ones((1, len(little))))
    into = kron(np.ones((1, len(much))), eye(len(little)))
    given, taken = gap[much], -gap[little]
    # All but one of the equations: the last follows from the others, up to rounding that would make them contradict.
    rows, right = vstack([out, into]).tocsr()[:-1], np.concatenate((given, taken * given.sum() / taken.sum()))[:-1]
    found = linprog(cost.ravel(), A_eq=rows, b_eq=right, method="highs-ds")
    return float(found.fun)


def by_hour(records: Bounded, space: Space) -> Floats:
    """Calls in each hour of the day (rows) from each cell (columns)."""
    cells = len(space.cells)
    return np.bincount(records.hour * cells + records.cell, minlength=24 * cells).reshape(24, cells).astype(np.float64)


def fidelity(true: Calls | Bounded, made: Calls | Bounded, space: Space) -> dict[str, Any]:
    """How far made-up records are from the true ones, and for scale how far calls from anywhere would be."""
    real, drawn = (part if isinstance(part, Bounded) else bounded(part, space) for part in (true, made))
    if not len(real.user) or not len(drawn.user):
        return {"daily range": None, "population by hour": None, "note": "one of the two has no records on these days"}
    ranges = [daily_ranges(part, space) for part in (real, drawn)]
    hours = [by_hour(part, space) for part in (real, drawn)]
    place, even = space.cells.metres, np.ones(len(space.cells))
    both = [hour for hour in range(24) if hours[0][hour].sum() and hours[1][hour].sum()]
    apart = {hour: on_a_map(hours[0][hour], hours[1][hour], place) for hour in both}
    homes, works = zip(*(_homes_and_works(part, space) for part in (real, drawn)), strict=True)
    return {
        "daily range": {
            "earth mover's metres": on_a_line(*ranges),
            "mean metres": [float(part.mean()) for part in ranges],
            "median metres": [float(np.median(part)) for part in ranges],
        },
        "population by hour": {
            "earth mover's metres": apart,
            "mean": float(np.mean(list(apart.values()))) if apart else None,
            "of calls from anywhere": on_a_map(hours[0].sum(axis=0), even, place),
        },
        "home": on_a_map(homes[0], homes[1], place) if all(part.sum() for part in homes) else None,
        "work": on_a_map(works[0], works[1], place) if all(part.sum() for part in works) else None,
        "calls a person and day": [len(part.user) / part.people / space.days for part in (real, drawn)],
    }


def _homes_and_works(records: Bounded, space: Space) -> tuple[Floats, Floats]:
    found = habits(records, space)
    return tuple(np.bincount(part, minlength=len(space.cells)).astype(np.float64) for part in (found.home, found.work))  # type: ignore[return-value]
