"""Numbers among a hierarchy's leaves, and ranges of them: 17, 21, 25 as [17-25]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cobogo.data.classes import parse_number
from cobogo.data.hierarchy import SUPPRESSED, Hierarchy
from cobogo.floor.arrays import Floats, Ints


def is_numeric(hierarchy: Hierarchy, decimal: str) -> bool:
    """Whether every leaf but NULL is a number."""
    known = [leaf for leaf in hierarchy.leaves if leaf is not None]
    return bool(known) and not np.isnan(numbers(hierarchy, decimal)[[hierarchy.index[leaf] for leaf in known]]).any()


def numbers(hierarchy: Hierarchy, decimal: str) -> Floats:
    """The leaves as numbers."""
    return np.array([parse_number(leaf, decimal) for leaf in hierarchy.leaves], dtype=float)


def places(hierarchy: Hierarchy, decimal: str) -> Ints:
    """Each leaf's place in the order of the numbers; −1 for NULL.

    >>> places(Hierarchy.from_columns("age", [["30", "7", None, "7.0"]]), ".").tolist()
    [1, 0, -1, 0]
    """
    values = numbers(hierarchy, decimal)
    known = ~np.isnan(values)
    found = np.full(len(values), -1, dtype=np.int64)
    found[known] = np.unique(values[known], return_inverse=True)[1]
    return found


def bounds(hierarchy: Hierarchy, decimal: str, leaf: Ints, owners: Ints, groups: int) -> Ints:
    """For each group its first and its last place; (−1, beyond the last) where NULL is among numbers, for no range has
    both."""
    own = places(hierarchy, decimal)
    found = np.stack([np.full(groups, np.iinfo(np.int64).max), np.full(groups, -2)], axis=1)
    np.minimum.at(found[:, 0], owners, own[leaf])
    np.maximum.at(found[:, 1], owners, own[leaf])
    found[(found[:, 0] < 0) & (found[:, 1] >= 0)] = (-1, len(hierarchy.leaves))
    return found


def widths(hierarchy: Hierarchy, decimal: str, found: Ints) -> Ints:
    """How many leaves lie within each range."""
    ordered = np.sort(places(hierarchy, decimal))
    inside = np.searchsorted(ordered, found[:, 1], side="right") - np.searchsorted(ordered, found[:, 0])
    return np.asarray(inside, dtype=np.int64)


def labels(hierarchy: Hierarchy, decimal: str, found: Ints) -> NDArray[np.object_]:
    """What each range is released as: [17-25], a single number as it is, ``*`` where NULL is among numbers."""
    own = places(hierarchy, decimal)
    text = {int(place): leaf for place, leaf in zip(own[::-1], hierarchy.leaves[::-1], strict=True)}
    negative = numbers(hierarchy, decimal).min(initial=0.0, where=own >= 0) < 0
    names: list[str | None] = []
    for low, high in found.tolist():
        if low < 0 <= high:
            names.append(SUPPRESSED)
        elif low == high:
            names.append(text[low])
        else:
            names.append(f"[{text[low]} to {text[high]}]" if negative else f"[{text[low]}-{text[high]}]")
    return np.array([*names, None], dtype=object)[:-1]
