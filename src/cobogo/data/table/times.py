"""Columns of dates in a format of the data: each distinct text is read once, each distinct time written once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_times(texts: Sequence[Any], form: str) -> NDArray[np.datetime64]:
    """Texts as times; NaT for a text that is not in the format.

    >>> read_times(["01/02/2020", "30/02/2020", None], "%d/%m/%Y").tolist()[0].isoformat()
    '2020-02-01T00:00:00'
    """
    import pandas as pd

    times = pd.to_datetime(pd.Series(list(texts), dtype=object), format=form, errors="coerce", exact=True)
    return times.to_numpy().astype("datetime64[us]")


def write_times(times: NDArray[np.datetime64], form: str) -> NDArray[np.object_]:
    """Times as texts in the format, None for NaT."""
    import pandas as pd

    codes, distinct = pd.factorize(times)
    texts = np.array([*pd.DatetimeIndex(distinct).strftime(form), None], dtype=object)
    return np.asarray(texts[codes])
