"""Dates moved by days, in bulk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cobogo.data.table.times import read_times, write_times
from cobogo.floor.catalogue import card

Days = NDArray[np.int64]


def keeps_days(form: str) -> bool:
    """Whether texts in the format tell the day, so that days between them can be counted.

    >>> keeps_days("%d/%m/%Y"), keeps_days("%m/%Y")
    (True, False)
    """
    day = np.array(["2004-02-29"], dtype="datetime64[us]")
    return bool((read_times(write_times(day, form).tolist(), form).astype("datetime64[D]") == day).all())


@card("days", title="shifted dates")
def shifts(words: NDArray[np.uint64], most: int) -> Days:
    r"""Dates, moved by up to so many days, forth or back, never by none.

    With ``per`` all dates of a person, in every column and table with the same ``days``, move alike, so that the days
    between them stay.

    Formula: $y = x + s$ with $s$ uniform in $\{-d, \ldots, -1, 1, \ldots, d\}$, or $s = s(H_K(\text{person}))$
    Example:
        >>> sorted(set(shifts(np.arange(100, dtype=np.uint64), 2).tolist()))
        [-2, -1, 1, 2]

    Guarantee: None: the month mostly stays, and so do the days between a person's dates.
    Limits: A date that is known of somebody tells all their others. For test data.
    Cost: $O(v)$ for v distinct dates.
    Paper: None: as HIPAA's expert determinations describe date shifting; no paper of its own.
    """
    drawn = (words % np.uint64(2 * most)).astype(np.int64) - most
    return np.where(drawn >= 0, drawn + 1, drawn)
