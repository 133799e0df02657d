"""Withholding sensitive values: a class that fails for them keeps its records, and its values are released as ``*``.

Withheld values must not follow from released ones. An attacker who knows how often each value occurs in the whole table
subtracts the released values and learns those of all other records, withheld or suppressed. Those together, as one
class, must therefore satisfy the attribute's models. Where they do not, more classes are withheld, chosen greedily so
that few records are affected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cobogo.data.classes import Classes, Histogram
from cobogo.floor.arrays import Ints, Mask
from cobogo.promises.models.base import Model

CELLS_AT_ONCE = 400_000
"""Classes times values that are tried at once as additions to the withheld ones: bounds the memory of a try."""


@dataclass(frozen=True, eq=False, repr=False)
class Withholding:
    """``gone`` are the classes whose records are suppressed, ``withheld`` those whose values of an attribute are."""

    gone: Mask
    withheld: Mapping[str, Mask]

    @property
    def touched(self) -> Mask:
        """The classes that lose something."""
        return np.asarray(np.logical_or.reduce([self.gone, *self.withheld.values()]), dtype=np.bool_)

    def records(self, sizes: Ints) -> int:
        """How many records lose something: what the suppression limit is about."""
        return int(sizes[self.touched].sum())


def withhold_values(
    models: Sequence[Model],
    classes: Classes,
    gone: Mask,
    failing: Mapping[str, Mask],
    *,
    limit: int,
    order: Callable[[], Ints],
) -> Withholding | None:
    """Withhold the values of classes that fail; None where that exceeds the limit.

    ``gone`` are the classes that are suppressed anyway, ``failing`` those whose values fail, by attribute. ``order``
    ranks classes of equal size. Some class must keep its values of each attribute.
    """
    there = classes.sizes > 0
    found = Withholding(gone, {name: failed & ~gone & there for name, failed in failing.items()})
    if found.records(classes.sizes) > limit or gone[there].all():
        return None
    withheld = dict(found.withheld)
    for name, hidden in found.withheld.items():
        if hidden.any():
            room = limit - Withholding(gone, withheld).records(classes.sizes)
            own = [model for model in models if model.attributes == (name,)]
            more = _complete_withholding(own, name, classes, hidden, gone, room, order)
            if more is None or (more | gone)[there].all():
                return None
            withheld[name] = more
    return Withholding(gone, {name: hidden for name, hidden in withheld.items() if hidden.any()})


def _complete_withholding(
    models: Sequence[Model],
    name: str,
    classes: Classes,
    hidden: Mask,
    gone: Mask,
    room: int,
    order: Callable[[], Ints],
) -> Mask | None:
    """Withhold more classes until the withheld and the suppressed ones satisfy the models as one class; None where that
    exceeds the limit."""
    histogram, domain = classes.histograms[name], len(classes.histograms[name].domain)
    outside = (hidden | gone)[histogram.owners]
    rest = np.bincount(histogram.values[outside], histogram.counts[outside], domain).astype(np.int64)
    while not _rows_that_hold(models, classes.with_counts(name, rest[None, :])).all():
        free = np.flatnonzero(~hidden & ~gone & (classes.sizes > 0) & (classes.sizes <= room))
        if not len(free):
            return None
        rank = order()[free]
        free = free[np.lexsort((rank, classes.sizes[free]))][: max(1, CELLS_AT_ONCE // max(domain, 1))]
        joined = rest + _dense_counts(histogram, free)
        taken = _best_row(models, classes.with_counts(name, joined))
        hidden = hidden.copy()
        hidden[free[taken]] = True
        rest = joined[taken]
        room -= int(classes.sizes[free[taken]])
    return hidden


def _best_row(models: Sequence[Model], tried: Classes) -> int:
    """The first row that satisfies all models, or else the one nearest to the first model that fails everywhere."""
    holds = _rows_that_hold(models, tried)
    if holds.any():
        return int(holds.argmax())
    for model in models:
        measured = model.measure(tried)
        if not model.holds(tried, measured).any():
            return int(measured.argmax() if model.more_is_safer else measured.argmin())
    return 0


def _rows_that_hold(models: Sequence[Model], tried: Classes) -> Mask:
    holds = np.ones(len(tried), dtype=np.bool_)
    for model in models:
        holds &= model.holds(tried, model.measure(tried))
    return holds


def _dense_counts(histogram: Histogram, chosen: Ints) -> Ints:
    """Some classes' counts of every value."""
    place = np.full(len(histogram.offsets) - 1, -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    rows = place[histogram.owners]
    inside = rows >= 0
    found = np.zeros((len(chosen), len(histogram.domain)), dtype=np.int64)
    found[rows[inside], histogram.values[inside]] = histogram.counts[inside]
    return found
