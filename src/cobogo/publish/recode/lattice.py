"""The generalization lattice, as the search walks it: cheapest nodes first, with what is known of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Floats, Ints
from cobogo.publish.recode import walks
from cobogo.publish.recode.bounds import Yardstick, bounds
from cobogo.publish.recode.problem import Levels, Problem

__all__ = ["DENSE_AT_MOST", "DenseWalk", "Walk", "bounds", "predecessors", "size", "successors"]

DENSE_AT_MOST = 1 << 24
"""Nodes of a lattice that is held in memory whole; a larger one is walked without a map."""

Stop = Callable[[], bool]


class Walk(Protocol):
    """What is known of the nodes, and the order to visit them in. A node is open unless it was checked or ruled out."""

    ceiling: float  # a node with a bound above it cannot be best

    def cheapest_first(self, stop: Stop) -> Iterator[tuple[int, Levels]]:
        """Open nodes that may be best, lowest bound first, each with the number of those settled before it.

        Ends early when ``stop`` says so.
        """
        ...

    def settled(self, levels: Levels) -> bool:
        """Whether a node was checked, was ruled out, or cannot be best any more."""
        ...

    def path(self, levels: Levels, stop: Stop) -> list[Levels]:
        """From a node upwards, by the cheapest step each time, through open nodes."""
        ...

    def cheapest(self, nodes: list[Levels]) -> Levels | None:
        """Of the nodes that are not settled, that of the lowest bound; the smallest of those that tie."""
        ...

    def close(self, levels: Levels) -> None:
        """Note that a node was checked."""
        ...

    def rule_out(self, levels: Levels) -> None:
        """Note that a node fails, and everything below it."""
        ...

    def leave_hope(self, levels: Levels) -> None:
        """Note that a node is not hopeless, so neither is anything above it."""
        ...

    def raise_below(self, levels: Levels, terms: Floats) -> None:
        """Note what every attribute contributes at least, at each level, at this node and below."""
        ...


def size(lowest: Levels, highest: Levels) -> int:
    """How many nodes there are."""
    total = 1
    for low, high in zip(lowest, highest, strict=True):
        total *= high - low + 1
    return total


def successors(levels: Levels, highest: Levels) -> Iterator[Levels]:
    """The nodes one step up."""
    for column, level in enumerate(levels):
        if level < highest[column]:
            yield (*levels[:column], level + 1, *levels[column + 1 :])


def predecessors(levels: Levels, lowest: Levels) -> Iterator[Levels]:
    """The nodes one step down."""
    for column, level in enumerate(levels):
        if level > lowest[column]:
            yield (*levels[:column], level - 1, *levels[column + 1 :])


class DenseWalk:
    """A lattice held whole: a bound for every node, infinite once it is closed."""

    def __init__(self, problem: Problem, yardstick: Yardstick) -> None:
        self.ceiling = math.inf
        # A node that is not hopeless can be settled from above only by its bound, and that rises with what is lost.
        self._through_hopeful = yardstick.separable and 10 * problem.limit > problem.scale.records
        self._lowest = np.array(problem.lowest, dtype=np.int64)
        shape = [high - low + 1 for low, high in zip(problem.lowest, problem.highest, strict=True)]
        self._shape = np.array(shape or [1], dtype=np.int64)  # of one node where there is nothing to recode
        self._strides = np.append(np.cumprod(self._shape[:0:-1])[::-1], 1).astype(np.int64)
        self._bounds = np.minimum(self._first_bounds(yardstick), np.finfo(float).max)  # infinite only when closed
        self._hopeful = np.zeros(len(self._bounds), dtype=np.bool_)
        self._path = np.empty(int(self._shape.sum()), dtype=np.int64)

    def _first_bounds(self, yardstick: Yardstick) -> Floats:
        if yardstick.separable and len(self._lowest):
            terms = yardstick.terms()
            found = np.zeros(1)
            for column, low in enumerate(self._lowest.tolist()):
                found = np.add.outer(found, terms[column, low : low + int(self._shape[column])]).reshape(-1)
            return found
        total = int(self._shape.prod())
        found = np.empty(total)
        for begin in range(0, total, 1 << 18):
            end = min(begin + (1 << 18), total)
            found[begin:end] = yardstick.bounds(self._places(np.arange(begin, end)) + self._lowest)
        return found

    def _places(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        places = np.stack(np.unravel_index(numbers, tuple(self._shape.tolist())), axis=1).astype(np.int64)
        return places[:, : len(self._lowest)]

    def _levels(self, number: int) -> Levels:
        found = []
        for low, stride in zip(self._lowest.tolist(), self._strides.tolist(), strict=False):
            step, number = divmod(number, stride)
            found.append(low + step)
        return tuple(found)

    def _place(self, levels: Levels) -> Ints:
        return np.array(levels, dtype=np.int64) - self._lowest if levels else np.zeros(1, dtype=np.int64)

    def _number(self, levels: Levels) -> int:
        return int(self._place(levels) @ self._strides)

    def cheapest_first(self, stop: Stop) -> Iterator[tuple[int, Levels]]:
        """See `Walk`."""
        order = np.argsort(self._bounds, kind="stable").astype(np.int32)
        position = 0
        while not stop():
            position = walks.next_open(order, position, self._bounds, self.ceiling)
            if position >= len(order):
                return
            yield position, self._levels(int(order[position]))
            position += 1

    def settled(self, levels: Levels) -> bool:
        """See `Walk`."""
        bound = self._bounds[self._number(levels)]
        return bool(bound > self.ceiling or bound == math.inf)

    def path(self, levels: Levels, stop: Stop) -> list[Levels]:  # noqa: ARG002
        """See `Walk`."""
        length = walks.climb(
            self._number(levels), self._shape, self._strides, self._bounds, self._hopeful, self._through_hopeful,
            self._path,
        )  # fmt: skip
        return [self._levels(number) for number in self._path[:length].tolist()]

    def cheapest(self, nodes: list[Levels]) -> Levels | None:
        """See `Walk`."""
        found = [(float(self._bounds[self._number(node)]), node) for node in nodes if not self.settled(node)]
        return min(found)[1] if found else None

    def close(self, levels: Levels) -> None:
        """See `Walk`."""
        self._bounds[self._number(levels)] = math.inf

    def rule_out(self, levels: Levels) -> None:
        """See `Walk`."""
        box = tuple(slice(0, step + 1) for step in self._place(levels).tolist())
        self._bounds.reshape(self._shape)[box] = math.inf

    def leave_hope(self, levels: Levels) -> None:
        """See `Walk`."""
        if not self._through_hopeful:
            walks.mark_above(self._place(levels), self._shape, self._strides, self._hopeful)

    def raise_below(self, levels: Levels, terms: Floats) -> None:
        """See `Walk`."""
        if levels:
            walks.raise_below(self._place(levels), self._lowest, self._strides, terms, self._bounds)
