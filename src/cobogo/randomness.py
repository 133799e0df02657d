"""The source of random bits: the operating system's entropy, never a seeded generator."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray


def keys(count: int) -> NDArray[np.int64]:
    """Independent, uniform 64-bit keys: rows sorted by them stand in a random order.

    >>> len(set(keys(1000).tolist()))
    1000
    """
    return np.frombuffer(os.urandom(8 * count), dtype=np.int64)
