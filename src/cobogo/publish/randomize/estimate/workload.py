"""Counting queries drawn at random, answered by a randomized release and, at equal privacy, by its rivals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.table.frequency import FrequencyTable
from cobogo.floor.arrays import Floats, Ints, Mask

SANITY = 0.001
"""Errors are relative to the true count, but to no less than this share of the records."""


@dataclass(frozen=True, eq=False, repr=False)
class Query:
    """How many records have these values of some quasi-identifiers (masks over each one's values, by its place) and
    these values of the sensitive attribute."""

    quasi: dict[int, Mask]
    sensitive: Mask

    def matching(self, codes: NDArray[Any]) -> Mask:
        """The tuples that meet its conditions on quasi-identifiers."""
        found = np.ones(len(codes), dtype=np.bool_)
        for column, mask in self.quasi.items():
            found &= mask[codes[:, column]]
        return found


def queries(table: FrequencyTable, attribute: str, many: int, selectivity: float, seed: int) -> Iterator[Query]:
    """Runs of neighbouring values of one or two quasi-identifiers and of the sensitive attribute, each around the
    values of a record, as wide as makes a share ``selectivity`` of independent attributes."""
    random = np.random.default_rng(seed)
    histogram = table.histograms[attribute]
    ends = np.cumsum(histogram.counts)
    width = len(table.quasi_identifiers)
    for _ in range(many):
        entry = int(np.searchsorted(ends, random.integers(ends[-1]), side="right"))
        tuple_ = table.codes[histogram.owners[entry]]
        some = random.choice(width, size=min(width, int(random.integers(1, 3))), replace=False).tolist()
        share = selectivity ** (1 / (len(some) + 1))
        quasi = {c: _run(table.marginal(c), int(tuple_[c]), share, random) for c in some}
        yield Query(quasi, _run(histogram.domain.total, int(histogram.values[entry]), share, random))


def _run(counts: Ints, anchor: int, share: float, random: np.random.Generator) -> Mask:
    """Neighbouring values around one, with about a share of the records."""
    wanted, low, high = share * counts.sum(), anchor, anchor + 1
    while counts[low:high].sum() < wanted and (low > 0 or high < len(counts)):
        if low > 0 and (high == len(counts) or random.random() < 0.5):
            low -= 1
        else:
            high += 1
    chosen = np.zeros(len(counts), dtype=np.bool_)
    chosen[low:high] = True
    return chosen


def true_count(table: FrequencyTable, attribute: str, query: Query) -> float:
    """What the table itself answers."""
    histogram = table.histograms[attribute]
    inside = query.matching(table.codes)[histogram.owners] & query.sensitive[histogram.values]
    return float(histogram.counts[inside].sum())


def errors(table: FrequencyTable, attribute: str, asked: Sequence[Query], answer: Callable[[Query], float]) -> Floats:
    """The relative error of each answer."""
    true = np.array([true_count(table, attribute, query) for query in asked])
    given = np.array([answer(query) for query in asked])
    return np.asarray(abs(given - true) / np.maximum(true, SANITY * table.records))
