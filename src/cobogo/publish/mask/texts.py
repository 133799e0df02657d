"""Texts of which something is left: nothing, the ends, or the shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cobogo.floor.catalogue import card


@card("null", title="nothing")
def nothing(values: Sequence[str]) -> list[None]:
    r"""No value at all; the column stays.

    Formula: $y = \text{NULL}$
    Example:
        >>> nothing(["Ana", "Rui"])
        [None, None]

    Guarantee: The column tells nothing but its name.
    Limits: Says nothing of the other columns.
    Cost: $O(1)$ a value.
    Paper: None.
    """
    return [None] * len(values)


@card("truncate", title="the first characters")
def cut(values: Sequence[str], count: int, end: Literal["right", "left"] = "right") -> list[str]:
    r"""The first characters, or the last.

    ``end`` says where characters are cut off.

    Formula: $y = x_1 \ldots x_c$, or $x_{n-c+1} \ldots x_n$
    Example:
        >>> cut(["60020-270", "61"], 5), cut(["60020-270"], 3, end="left")
        (['60020', '61'], ['270'])

    Guarantee: None: what is left may still be rare. As a hierarchy (``mask``) with k-anonymity it can be bounded.
    Limits: Short values stay whole.
    Cost: $O(v)$ for v distinct values.
    Paper: None.
    """
    return [value[:count] if end == "right" else value[max(len(value) - count, 0) :] for value in values]


@card("mask", title="masked characters")
def masked(value: str, character: str, keep_first: int = 0, keep_last: int = 0) -> str:
    r"""Letters and digits replaced by one character, but for the first and the last few; other signs stay.

    A value with no more letters and digits than would be kept is masked whole.

    Formula: $y_i = \ast$ if $x_i$ is a letter or digit beyond the first $f$ and the last $l$ of them, else $x_i$
    Example:
        >>> masked("529.982.247-25", "*", keep_last=2)
        '***.***.***-25'

    Guarantee: None: the length and what is kept may still tell.
    Limits: The last digits of a number narrow it down to one in a hundred.
    Cost: $O(v)$ for v distinct values.
    Paper: None.
    """
    places = [place for place, one in enumerate(value) if one.isalnum()]
    kept = keep_first + keep_last
    hidden = set(places if len(places) <= kept else places[keep_first : len(places) - keep_last])
    return "".join(character if place in hidden else one for place, one in enumerate(value))
