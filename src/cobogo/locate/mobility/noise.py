"""Releasing histograms with noise, and making the most of what was released.

Each part is released twice, in fine and in coarse bins, for half of its ε each: where bins are many and people few, the
coarse counts tell how many there are together (Hay, Rastogi, Miklau & Suciu 2010). What is made of them afterwards is
post-processing and costs nothing: the two are brought into agreement, then no count is left below zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.mobility.counts import SHARES, Shape
from cobogo.promises.mechanisms import Laplace


class Noisy(NamedTuple):
    """A part as it was released: whole numbers with noise, and the ε that each level cost (None: exact, no noise)."""

    fine: Ints
    coarse: Ints
    epsilon: Fraction | None


def budget(epsilon: Fraction) -> dict[str, Fraction]:
    """The ε of each part; they sum to the whole, exactly."""
    return {name: share * epsilon for name, share in SHARES.items()}


def release(exact: Mapping[str, Ints], forms: Mapping[str, Shape], epsilon: Fraction | None) -> dict[str, Noisy]:
    """Every part with noise of the operating system's entropy. Without ε there is none: for comparison, never out."""
    spent = dict.fromkeys(exact) if epsilon is None else budget(epsilon)
    return {name: _part(exact[name], forms[name], spent[name]) for name in exact}


def mechanism(shape: Shape, epsilon: Fraction) -> Laplace:
    """The noise of one level of a part."""
    return Laplace(shape.sensitivity, epsilon / 2)


def _part(fine: Ints, shape: Shape, epsilon: Fraction | None) -> Noisy:
    coarse = coarsened(fine, shape)
    if epsilon is None:
        return Noisy(fine, coarse, None)
    noise = mechanism(shape, epsilon)
    return Noisy(_with(noise, fine), _with(noise, coarse), epsilon)


def _with(noise: Laplace, values: Ints) -> Ints:
    return np.array(noise.release(values.tolist()), dtype=np.int64)


def coarsened(fine: Ints, shape: Shape) -> Ints:
    """A histogram in its coarse bins."""
    total = np.zeros(shape.parents, dtype=np.int64)
    np.add.at(total, shape.parent, fine)
    return total


def estimate(noisy: Noisy, shape: Shape) -> Floats:
    """The counts of a part, in people: consistent, none below zero, in the shape of its axes.

    Both levels have the same noise, so a coarse bin of m fine ones is known by its own count and, m times less well,
    by their sum; what the two agree on is shared out evenly. Where fine bins should be alike, and differ no more than
    noise would make them, their differences are reduced (James & Stein 1961). Then coarse counts, and within each the
    fine ones, are moved to the nearest counts that are not negative and have the same sum.
    """
    variance = 0.0 if noisy.epsilon is None or not shape.alike else mechanism(shape, noisy.epsilon).variance()
    size = np.bincount(shape.parent, minlength=shape.parents)
    told = np.bincount(shape.parent, noisy.fine, shape.parents)
    agreed = (size * noisy.coarse + told) / (size + 1)
    apart = _reduced(noisy.fine - (told / size)[shape.parent], variance * (shape.bins - shape.parents))
    fine = apart + (agreed / size)[shape.parent]
    coarse = _not_negative(agreed, np.zeros(shape.parents, dtype=np.int64), np.array([max(agreed.sum(), 0.0)]))
    return (_not_negative(fine, shape.parent, coarse) / shape.sensitivity).reshape(shape.axes)


def _reduced(differences: Floats, noise: float) -> Floats:
    """Differences, each smaller by the share of their squares that is expected of the noise alone."""
    squares = float((differences**2).sum())
    return differences * max(0.0, 1 - noise / squares) if squares > 0 else differences


def _not_negative(values: Floats, group: Ints, total: Floats) -> Floats:
    """The nearest values, by squares, that are not negative and sum to a total in each group.

    In a group the largest values are lowered by the same amount and the rest are 0 (projection on a simplex); the
    groups are laid out as rows of a table, padded.
    """
    order = np.lexsort((-values, group))
    grouped, ranked = group[order], values[order]
    starts = np.searchsorted(grouped, np.arange(len(total)))
    place = np.arange(len(values)) - starts[grouped]
    table = np.full((len(total), int(place.max()) + 1), -np.inf)
    table[grouped, place] = ranked
    filled = np.isfinite(table)
    upto = np.cumsum(np.where(filled, table, 0.0), axis=1)
    lowered = (upto - total[:, np.newaxis]) / np.arange(1, table.shape[1] + 1)
    kept = np.maximum((filled & (table > lowered)).sum(axis=1), 1)
    amount = lowered[np.arange(len(total)), kept - 1]
    result = np.empty_like(values)
    result[order] = np.maximum(ranked - amount[grouped], 0.0)
    return result
