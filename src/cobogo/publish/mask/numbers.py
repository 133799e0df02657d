"""Numbers multiplied by a random factor, in bulk, with as many decimals as they had."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card

PLAIN = r"^[+-]?\d{1,15}(\.\d{1,9})?$"
"""Numbers that are blurred: up to 15 digits before the point and 9 after it."""


def read(column: Any, decimal: str) -> tuple[Floats, NDArray[np.int64]]:
    """An Arrow column of texts as numbers, NaN for what is none, and how many decimals each has."""
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(column)
    texts = texts if decimal == "." else pc.replace_substring(texts, decimal, ".")
    usable = pc.if_else(pc.match_substring_regex(texts, PLAIN), texts, None)
    numbers = pc.replace_substring_regex(usable, r"^\+", "").cast("float64").to_numpy(zero_copy_only=False)
    whole = pc.find_substring(usable, ".")
    decimals = pc.if_else(pc.less(whole, 0), 0, pc.subtract(pc.subtract(pc.utf8_length(usable), whole), 1))
    return numbers.astype(np.float64), decimals.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)


@card("blur", title="blurred numbers")
def blurred(numbers: Floats, words: NDArray[np.uint64], share: float) -> Floats:
    r"""Numbers, each multiplied by a random factor.

    They keep the decimals that they had. Zero stays zero, and small whole numbers may stay what they are.

    Formula: $y = x\,(1 + b\,u)$ with $u$ uniform in $[-1, 1)$ and the share $b$
    Example:
        >>> blurred(np.array([1000.0, 1000.0]), np.array([0, 2**63], dtype=np.uint64), 0.1).tolist()
        [900.0, 1000.0]

    Guarantee: None: a large number stays the largest, and the order of magnitude shows.
    Limits: Whoever sees several blurs of one number averages them: see the attack averaging. For test data.
    Cost: $O(n)$ for n numbers.
    Paper: None: multiplicative noise, see noise.
    """
    even = words.astype(np.float64) / 2.0**64
    return numbers * (1 + share * (2 * even - 1))


def write(numbers: Floats, decimals: NDArray[np.int64], decimal: str) -> Any:
    """Numbers as an Arrow column of texts; NaN is NULL."""
    import pyarrow as pa

    texts = np.full(len(numbers), None, dtype=object)
    known = np.isfinite(numbers)
    for places in np.unique(decimals[known]).tolist():
        rows = np.flatnonzero(known & (decimals == places))
        form = f"%.{places}f"
        texts[rows] = np.char.mod(form, numbers[rows] + 0.0)
    column = pa.array(texts, pa.string())
    if decimal == ".":
        return column
    import pyarrow.compute as pc

    return pc.replace_substring(column, ".", decimal)
