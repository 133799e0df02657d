"""Reading back a release in which the values of a sensitive attribute are withheld in some classes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from cobogo.data.classes import Histogram
from cobogo.data.hierarchy import SUPPRESSED
from cobogo.data.table.frequency import FrequencyTable
from cobogo.errors import DataError


def told(table: FrequencyTable, names: Iterable[str], where: str) -> FrequencyTable:
    """The same table, in which ``*`` of some attributes is no value: it says that a class's values are withheld.

    They are so for a whole class or not at all: one value beside others that are withheld could be anybody's.
    """
    histograms, withheld = dict(table.histograms), {}
    for name in names:
        if name not in histograms or SUPPRESSED not in histograms[name].domain.labels:
            continue
        known = histograms[name]
        code = known.domain.labels.index(SUPPRESSED)
        hidden = np.zeros(len(table.counts), dtype=np.bool_)
        hidden[known.owners[known.values == code]] = True
        if (known.distinct[hidden] > 1).any():
            raise DataError(f'shows some values of "{name}" in a class in which others are withheld', where=where)
        rest = known.without(hidden)
        labels = tuple(label for label in known.domain.labels if label != SUPPRESSED)
        domain = replace(known.domain, labels=labels, total=np.delete(known.domain.total, code))
        values = (rest.values - (rest.values > code)).astype(np.int32)
        histograms[name] = Histogram(rest.offsets, values, rest.counts, domain)
        withheld[name] = hidden
    return replace(table, histograms=histograms, withheld=withheld)
