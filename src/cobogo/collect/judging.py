"""Which values a sketch really shows: frequent values are taken into account where others share their cells.

On average over hash functions, collisions only add variance. But the functions are fixed and public, and a value that
happens to share a cell with a very frequent one looks frequent itself, far more often than a normal error of the same
variance would say. So what the sketch shows of frequent values is worked out first, all of them together; then every
value is judged by how many reports support it beyond what chance and those in the same cells explain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cobogo.collect.base import Estimate, Oracle
from cobogo.collect.families import cells, read
from cobogo.collect.sketch import Sketch
from cobogo.collect.tails import tail
from cobogo.floor.arrays import Floats, Ints

HEAVY = 512
"""So many of the most frequent values are worked out together."""

SURE = 3.0
"""Standard errors above nothing from which on a value counts as frequent, at first."""

ROUNDS = 12
"""Each round takes what frequent values do to each other into account once more: errors shrink at least tenfold."""


@dataclass(frozen=True, eq=False)
class Judged(Estimate):
    """Estimates, and for each value how likely its support would be as high if nobody held it."""

    chances: Floats


def judged(oracle: Sketch, sketch: Ints, keys: Ints, support: Ints | None = None) -> Judged:
    """What a sketch shows of some values, which must be different ones; ``support`` is what `Sketch.read` tells of
    them, where it is known already."""
    users = int(sketch[:, 0].sum())
    keys = np.ascontiguousarray(keys, dtype=np.int64)
    if not users or not len(keys):
        nothing = np.zeros(len(keys))
        return Judged(nothing, nothing, users, np.ones(len(keys)))
    own, other, width = float(oracle.supports_own), float(oracle.supports_other), oracle.width
    support = oracle.read(sketch, keys) if support is None else support
    pairs = oracle.pairs(sketch)
    at_first = oracle.estimate(support, users, pairs)
    frequent = np.flatnonzero(at_first.counts > SURE * at_first.errors)
    frequent = frequent[np.argsort(-at_first.counts[frequent], kind="stable")[:HEAVY]]
    shown = (support - users * other) / (own - other)  # by the value itself, and by whatever shares its cells
    places = _cells(oracle, keys[frequent])
    held = np.clip(at_first.counts[frequent], 0, users)
    for _ in range(ROUNDS):
        beside = _beside(oracle, places, held, keys[frequent]) - held
        spread = (users - (held.sum() - held)) / width
        held = np.clip((shown[frequent] - beside - spread) * width / (width - 1), 0, users)
    beside = _beside(oracle, places, held, keys)
    beside[frequent] -= held
    taken = np.full(len(keys), held.sum())
    taken[frequent] -= held
    spread = (users - taken) / width
    counts = (shown - beside - spread) * width / (width - 1)
    rest = max(pairs - float((held**2).sum()), 0.0) / (oracle.rows * (width - 1))
    noise = Oracle.variance(oracle, np.clip(counts, 0, users), users)
    expected = users * other + (own - other) * (beside + spread)
    disturbed = ((own - other) * (1 - 1 / width)) ** 2 * rest
    return Judged(counts, np.sqrt(noise + rest), users, tail(support, expected, users, disturbed))


def _cells(oracle: Sketch, keys: Ints) -> Ints:
    """The cells of keys: [row, key]."""
    rows = np.repeat(np.arange(oracle.rows), len(keys))
    found = cells(rows, np.tile(keys, oracle.rows), oracle.rows, oracle.width, oracle.seed)
    return found.reshape(oracle.rows, len(keys))


def _beside(oracle: Sketch, places: Ints, held: Floats, keys: Ints) -> Floats:
    """How many holders of frequent values share the cells of each key, on average over the rows."""
    sums = np.zeros((oracle.rows, oracle.width))
    np.add.at(sums, (np.arange(oracle.rows)[:, None], places), held / oracle.rows)
    found: Floats = read(sums, keys, oracle.seed)
    return found
