"""Classes made of whole tuples of a frequency table, however they were put together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from cobogo.data.classes import Classes, Histogram
from cobogo.floor.arrays import Ints
from cobogo.publish.recode import kernels
from cobogo.publish.recode.problem import Problem


def tally(problem: Problem, rows: Ints, ids: Ints, groups: int, attributes: Collection[str]) -> Classes:
    """The classes of the tuples ``rows``, row ``i`` being in class ``ids[i]``; a tuple may be in several."""
    table = problem.table
    histograms = {name: merged(table.histograms[name], rows, ids, groups) for name in attributes}
    if table.people is not None:
        sets = merged(table.people.sets, rows, ids, groups)
        return table.people.classes(sets, histograms)
    sizes = np.zeros(groups, dtype=np.int64)
    np.add.at(sizes, ids, table.counts[rows])
    return Classes(sizes, histograms, problem.scale.records)


def merged(histogram: Histogram, rows: Ints, ids: Ints, groups: int) -> Histogram:
    """The histogram of groups of a histogram's rows."""
    lengths = histogram.distinct[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entries = np.repeat(histogram.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
    found = kernels.merge_histograms(
        ids, groups, offsets, histogram.values[entries], histogram.counts[entries], len(histogram.domain)
    )
    return replace(histogram, offsets=found[0], values=found[1], counts=found[2])
