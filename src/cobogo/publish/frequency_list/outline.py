"""The rim of a list of counts: straight runs of steps, of which the long ones are cut in their middle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """A list of counts, each with the number of items that have it: counts above 0, falling."""

    counts: Whole
    items: Whole

    def __post_init__(self) -> None:
        falling = bool((np.diff(self.counts) < 0).all())
        if not falling or len(self.counts) != len(self.items) or (self.counts < 1).any() or (self.items < 1).any():
            raise ValueError("counts must fall and be above 0, and each must have an item")

    @classmethod
    def from_each(cls, listed: Whole) -> Counts:
        """From one count for each item, in any order; an item that does not occur is none.

        >>> Counts.from_each(np.array([1, 3, 0, 1])).items.tolist()
        [1, 2]
        """
        counts, items = np.unique(np.asarray(listed, dtype=np.int64), return_counts=True)
        there = counts > 0
        return cls(counts[there][::-1].copy(), items[there][::-1].astype(np.int64))

    @property
    def accounts(self) -> int:
        """All counts together; about so many, where they are more than 64 bits can tell."""
        about = float(self.counts.astype(np.float64) @ self.items.astype(np.float64))
        return int(self.counts @ self.items) if about < 2.0**62 else int(about)

    @property
    def distinct(self) -> int:
        """The number of items."""
        return int(self.items.sum())

    def distance(self, other: Counts) -> int:
        """‖f − g‖₁ of the two sorted lists: the area between their rims, by the number of items that reach a count.

        >>> Counts.from_each(np.array([3, 1])).distance(Counts.from_each(np.array([2, 1, 1])))
        2
        """
        levels = np.unique(np.concatenate([[0], self.counts, other.counts]))[::-1]
        area, heights = 0, -np.diff(levels)
        for level, height in zip(levels[:-1], heights, strict=True):
            area += int(height) * abs(self._reaching(level) - other._reaching(level))
        return area

    def _reaching(self, level: int) -> int:
        return int(self.items[: np.searchsorted(-self.counts, -level, side="right")].sum())


@dataclass(frozen=True, eq=False, repr=False)
class Outline:
    """Steps of the rim from its first point (0, ``top``) to its last.

    ``downs`` tells of each step whether it goes down (else right); ``pinned`` of each point whether the drawn rim must
    meet it; ``skipped`` how many steps after a point were left out, all in the direction of the step that follows.
    """

    top: int
    downs: NDArray[np.bool_]
    pinned: NDArray[np.bool_]
    skipped: dict[int, int]


def outline(counts: Counts, run: int) -> Outline:
    """The rim, its runs of more than 2·``run`` steps cut to that, and its endless ends to ``run`` steps."""
    lower = np.append(counts.counts[1:], 0)
    lengths = np.empty(2 * len(counts.counts), dtype=np.int64)
    lengths[0::2], lengths[1::2] = counts.items, counts.counts - lower
    lengths = np.concatenate([[run], lengths, [run]])
    top = int(counts.counts[0]) + run if len(counts.counts) else run
    directions = np.arange(len(lengths)) % 2 == 0  # down, right, down, … and right at the end
    kept = np.minimum(lengths, 2 * run)
    starts = np.concatenate([[0], np.cumsum(kept)])
    pinned = np.zeros(int(starts[-1]) + 1, dtype=np.bool_)
    pinned[[0, -1]] = True
    cut = np.flatnonzero(lengths > kept)
    middles = starts[cut] + run
    pinned[middles] = True
    skipped = dict(zip(middles.tolist(), (lengths - kept)[cut].tolist(), strict=True))
    return Outline(top, np.repeat(directions, kept), pinned, skipped)
