"""Edits of single values: texts cut or masked, numbers blurred, dates moved by days."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cobogo.data.table.columns import read_times, write_times
from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card


@card("null", title="no value")
def nulls(values: Sequence[str]) -> list[None]:
    r"""No value at all; the column stays in the table.

    Formula: $y = \text{NULL}$
    Example:
        >>> nulls(["Ana", "Rui"])
        [None, None]

    Guarantee: The column reveals nothing except its name.
    Limits: It does not protect the other columns.
    Cost: $O(1)$ for each value.
    Paper: None.
    """
    return [None] * len(values)


@card("truncate", title="the first characters")
def truncate(values: Sequence[str], count: int, end: Literal["right", "left"] = "right") -> list[str]:
    r"""The first characters, or the last.

    ``end`` says at which end characters are cut off.

    Formula: $y = x_1 \ldots x_c$, or $x_{n-c+1} \ldots x_n$
    Example:
        >>> truncate(["60020-270", "61"], 5), truncate(["60020-270"], 3, end="left")
        (['60020', '61'], ['270'])

    Guarantee: None: what is left may still be rare. The same cut as a hierarchy (``mask``) under k-anonymity bounds the
        risk.
    Limits: Short values stay unchanged.
    Cost: $O(v)$ for v distinct values.
    Paper: None.
    """
    return [value[:count] if end == "right" else value[max(len(value) - count, 0) :] for value in values]


@card("mask", title="masked characters")
def mask_characters(value: str, character: str, keep_first: int = 0, keep_last: int = 0) -> str:
    r"""Letters and digits are replaced by one character, except for the first and the last few; other signs stay.

    A value that has no more letters and digits than would be kept is masked completely.

    Formula: $y_i = \ast$ if $x_i$ is a letter or digit beyond the first $f$ and the last $l$ of them, else $x_i$
    Example:
        >>> mask_characters("529.982.247-25", "*", keep_last=2)
        '***.***.***-25'

    Guarantee: None: the length and the characters that are kept may still reveal the value.
    Limits: The last two digits of a number narrow it down to one in a hundred.
    Cost: $O(v)$ for v distinct values.
    Paper: None.
    """
    places = [place for place, one in enumerate(value) if one.isalnum()]
    kept = keep_first + keep_last
    hidden = set(places if len(places) <= kept else places[keep_first : len(places) - keep_last])
    return "".join(character if place in hidden else one for place, one in enumerate(value))


PLAIN = r"^[+-]?\d{1,15}(\.\d{1,9})?$"
"""Numbers that are blurred: up to 15 digits before the point and 9 after it."""


def read_numbers(column: Any, decimal: str) -> tuple[Floats, NDArray[np.int64]]:
    """Read an Arrow column of texts as numbers (NaN for other texts), and how many decimals each has."""
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(column)
    texts = texts if decimal == "." else pc.replace_substring(texts, decimal, ".")
    usable = pc.if_else(pc.match_substring_regex(texts, PLAIN), texts, None)
    numbers = pc.replace_substring_regex(usable, r"^\+", "").cast("float64").to_numpy(zero_copy_only=False)
    whole = pc.find_substring(usable, ".")
    decimals = pc.if_else(pc.less(whole, 0), 0, pc.subtract(pc.subtract(pc.utf8_length(usable), whole), 1))
    return numbers.astype(np.float64), decimals.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)


@card("blur", title="blurred numbers")
def blur(numbers: Floats, words: NDArray[np.uint64], share: float) -> Floats:
    r"""Numbers, each multiplied by a random factor.

    They keep their number of decimals. Zero stays zero, and small whole numbers may stay the same.

    Formula: $y = x\,(1 + b\,u)$ with $u$ uniform in $[-1, 1)$ and the share $b$
    Example:
        >>> blur(np.array([1000.0, 1000.0]), np.array([0, 2**63], dtype=np.uint64), 0.1).tolist()
        [900.0, 1000.0]

    Guarantee: None: a very large number stays the largest, and the order of magnitude is visible.
    Limits: An attacker who sees several blurred versions of one number takes their mean: see the attack `averaging`.
        For test data.
    Cost: $O(n)$ for n numbers.
    Paper: None: multiplicative noise, see noise.
    """
    even = words.astype(np.float64) / 2.0**64
    return numbers * (1 + share * (2 * even - 1))


def write_numbers(numbers: Floats, decimals: NDArray[np.int64], decimal: str) -> Any:
    """Write numbers as an Arrow column of texts; NaN becomes NULL."""
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


Days = NDArray[np.int64]


def keeps_days(form: str) -> bool:
    """Whether the format includes the day, so that the days between two dates can be counted.

    >>> keeps_days("%d/%m/%Y"), keeps_days("%m/%Y")
    (True, False)
    """
    day = np.array(["2004-02-29"], dtype="datetime64[us]")
    return bool((read_times(write_times(day, form).tolist(), form).astype("datetime64[D]") == day).all())


@card("days", title="shifted dates")
def shifts(words: NDArray[np.uint64], most: int) -> Days:
    r"""Dates, moved forward or back by at least one day and at most a given number of days.

    With ``per``, all dates of a person move by the same number of days, in every column and table with the same
    ``days``, so that the days between them stay the same.

    Formula: $y = x + s$ with $s$ uniform in $\{-d, \ldots, -1, 1, \ldots, d\}$, or $s = s(H_K(\text{person}))$
    Example:
        >>> sorted(set(shifts(np.arange(100, dtype=np.uint64), 2).tolist()))
        [-2, -1, 1, 2]

    Guarantee: None: the month mostly stays the same, and with ``per`` so do the days between a person's dates.
    Limits: With ``per``, an attacker who knows one date of a person learns all their others. For test data.
    Cost: $O(v)$ for v distinct dates.
    Paper: None: as HIPAA's expert determinations describe date shifting; no paper of its own.
    """
    drawn = (words % np.uint64(2 * most)).astype(np.int64) - most
    return np.where(drawn >= 0, drawn + 1, drawn)
