"""The generalization lattice, as the search walks it: cheapest nodes first, with what is known of each.

A lattice of moderate size is held whole (`DenseWalk`). A larger one is divided into boxes, and what is known of each
box is kept (`SparseWalk`).
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Floats, Ints
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.lattice import kernels
from cobogo.publish.recode.lattice.blocks import Block, Shape
from cobogo.publish.recode.lattice.bounds import LARGEST, Yardstick

DENSE_AT_MOST = 1 << 24
"""Nodes of a lattice that is held in memory whole; a larger one is walked without a map."""

NODES_AT_ONCE = 1 << 18
"""Nodes whose bounds are computed together: limits the memory of intermediate results, a few numbers for each node and
attribute."""

SMALL = 1e-9
"""Divides a box by some attribute where no attribute costs more, or tells people apart."""

Stop = Callable[[], bool]


@dataclass(frozen=True, eq=False, repr=False)
class Ascent:
    """Nodes, each above the one before it: how much detail is left at each, and which one it is. It holds until the
    next path is asked for."""

    details: Floats
    node: Callable[[int], Levels]

    def __len__(self) -> int:
        return len(self.details)


class Walk(Protocol):
    """What is known of the nodes, and the order to visit them in. A node is open unless it was checked or ruled out."""

    ceiling: float  # a node with a bound above it cannot be best

    @property
    def least(self) -> float:
        """The least bound of the open nodes; infinite where there are none."""
        ...

    def cheapest_first(self, stop: Stop) -> Iterator[tuple[int, Levels]]:
        """Open nodes that may be best, lowest bound first, each with the number of those settled before it.

        Ends early when ``stop`` says so.
        """
        ...

    def settled(self, levels: Levels) -> bool:
        """Whether a node was checked, was ruled out, or cannot be best any more."""
        ...

    def path(self, levels: Levels) -> Ascent:
        """From a node upwards, by the cheapest step each time, through open nodes."""
        ...

    def close(self, levels: Levels, *, hopeful: bool) -> None:
        """Note that a node was checked; where it is hopeful, no node above it is hopeless."""
        ...

    def rule_out(self, levels: Levels) -> None:
        """Note that a node fails, and everything below it."""
        ...

    def raise_below(self, levels: Levels, terms: Floats) -> None:
        """Note what every attribute contributes at least, at each level, to the cost of this node and all below it."""
        ...

    def bracket(self, levels: Levels, bound: float, surplus: float) -> None:
        """Note a bound of this node and all above it, and by how much all below it exceed theirs."""
        ...


def node_count(lowest: Levels, highest: Levels) -> int:
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
        self._bracketed = yardstick.bracketed
        self._through_hopeful = yardstick.bracketed or (
            yardstick.separable and 10 * problem.limit > problem.scale.records
        )
        self._lowest = np.array(problem.lowest, dtype=np.int64)
        shape = [high - low + 1 for low, high in zip(problem.lowest, problem.highest, strict=True)]
        self._shape = np.array(shape or [1], dtype=np.int64)  # of one node where there is nothing to recode
        self._strides = np.append(np.cumprod(self._shape[:0:-1])[::-1], 1).astype(np.int64)
        self._heads, self._tails = _halves(problem.lowest, problem.highest)
        self._bottom, self._top = np.zeros_like(self._shape), self._shape - 1
        self._bounds = np.minimum(self._first_bounds(yardstick), LARGEST)  # infinite only when closed
        self._surplus = np.zeros(len(self._bounds))
        self._hopeful = np.zeros(len(self._bounds), dtype=np.bool_)
        self._last = problem.lowest, np.zeros_like(self._shape)
        self._path = np.empty(int(self._shape.sum()), dtype=np.int64)
        self._details = _details(problem, self._shape)
        self._details_left = np.empty(len(self._path))

    def _first_bounds(self, yardstick: Yardstick) -> Floats:
        if yardstick.separable and len(self._lowest):
            terms = yardstick.terms()
            found = np.zeros(1)
            for column, low in enumerate(self._lowest.tolist()):
                found = np.add.outer(found, terms[column, low : low + int(self._shape[column])]).reshape(-1)
            return found
        total = int(self._shape.prod())
        found = np.empty(total)
        for begin in range(0, total, NODES_AT_ONCE):
            end = min(begin + NODES_AT_ONCE, total)
            found[begin:end] = yardstick.bounds(self._places(np.arange(begin, end)) + self._lowest)
        return found

    def _places(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.stack(np.unravel_index(numbers, tuple(self._shape.tolist()))[: len(self._lowest)]).T

    def _levels(self, number: int) -> Levels:
        head, tail = divmod(number, len(self._tails))
        return self._heads[head] + self._tails[tail]

    def _place(self, levels: Levels) -> Ints:
        if levels != self._last[0]:  # what follows from a check is noted in several steps
            place = np.array(levels, dtype=np.int64) - self._lowest if levels else np.zeros(1, dtype=np.int64)
            self._last = levels, place
        return self._last[1]

    def _number(self, levels: Levels) -> int:
        return int(self._place(levels) @ self._strides)

    def cheapest_first(self, stop: Stop) -> Iterator[tuple[int, Levels]]:
        order = np.argsort(self._bounds, kind="stable").astype(np.int32)
        position = 0
        while not stop():
            position = kernels.next_open(order, position, self._bounds, self._surplus, self.ceiling)
            if position >= len(order):
                return
            yield position, self._levels(int(order[position]))
            position += 1

    @property
    def least(self) -> float:
        return float((self._bounds + self._surplus).min(initial=math.inf))

    def settled(self, levels: Levels) -> bool:
        number = self._number(levels)
        bound = self._bounds[number] + self._surplus[number]
        return bool(bound > self.ceiling or bound == math.inf)

    def path(self, levels: Levels) -> Ascent:
        length = kernels.climb(
            self._number(levels), self._shape, self._strides, self._bounds, self._surplus, self._hopeful,
            self._through_hopeful, self.ceiling if self._bracketed else math.inf, self._details, self._path,
            self._details_left,
        )  # fmt: skip
        return Ascent(self._details_left[:length], lambda step: self._levels(int(self._path[step])))

    def close(self, levels: Levels, *, hopeful: bool) -> None:
        place = self._place(levels)
        self._bounds[int(place @ self._strides)] = math.inf
        if hopeful and not self._through_hopeful:
            kernels.raise_box(place, self._top, self._strides, True, self._hopeful)

    def rule_out(self, levels: Levels) -> None:
        kernels.raise_box(self._bottom, self._place(levels), self._strides, math.inf, self._bounds)

    def raise_below(self, levels: Levels, terms: Floats) -> None:
        if levels:
            kernels.raise_below(self._place(levels), self._lowest, self._strides, terms, self._bounds)

    def bracket(self, levels: Levels, bound: float, surplus: float) -> None:
        place = self._place(levels)
        kernels.raise_box(place, self._top, self._strides, bound, self._bounds)
        if surplus > 0:
            kernels.raise_box(self._bottom, place, self._strides, surplus, self._surplus)

    def open_levels(self, levels: Levels, shape: Shape) -> Ints:
        """Of the nodes of a node's block, the levels of those that may still be best."""
        numbers = self._block(levels, shape) + self._offsets(shape)
        still = self._bounds[numbers] + self._surplus[numbers] <= min(self.ceiling, LARGEST)
        return np.asarray(shape.levels[still])

    def note_block(self, levels: Levels, block: Block, bound: Floats, surplus: Floats) -> None:
        """`close`, `rule_out` and `bracket` for nodes of a node's block, with the bound and the surplus of each."""
        outer = np.ones(len(self._shape), dtype=np.bool_)
        outer[block.shape.columns] = False
        kernels.note_block(
            self._place(levels), self._top, self._strides, np.flatnonzero(outer), self._offsets(block.shape),
            block.hopeless, bound, surplus, self._bounds, self._surplus,
        )  # fmt: skip

    def _block(self, levels: Levels, shape: Shape) -> int:
        """The number that a node has with its block's attributes at their lowest."""
        return self._number(levels) - int(self._place(levels)[shape.columns] @ self._strides[shape.columns])

    def _offsets(self, shape: Shape) -> Ints:
        """By how much the numbers of a block's nodes are above that."""
        return np.asarray((shape.levels - self._lowest[shape.columns]) @ self._strides[shape.columns])


def _halves(lowest: Levels, highest: Levels) -> tuple[list[Levels], list[Levels]]:
    """The levels of the first attributes and those of the others, each in their order: about as many of both."""
    ranges = [range(low, high + 1) for low, high in zip(lowest, highest, strict=True)]
    total = node_count(lowest, highest)
    middle = next(n for n in range(len(ranges) + 1) if node_count(lowest[:n], highest[:n]) ** 2 >= total)
    return list(itertools.product(*ranges[:middle])), list(itertools.product(*ranges[middle:]))


SPREAD = 1 / 3
"""How far the detail of a level follows the entropy of its values instead of their number. Nodes that have more detail
than some threshold mostly fail, and the others do not: with a third, 1 to 5 % of the nodes of two tables were on the
wrong side of the best threshold, for limits from 1 to 5 %; with the entropy or the number alone, up to three times as
many."""


def _details(problem: Problem, shape: Ints) -> Floats:
    """How much each attribute tells people apart at each level, in nats. The sum over the attributes predicts well how
    many records are in small classes."""
    found = np.zeros((len(shape), int(shape.max())))
    for column, (low, nats, distinct) in enumerate(
        zip(problem.lowest, problem.value_nats, problem.distinct, strict=True)
    ):
        levels = slice(low, low + int(shape[column]))
        found[column, : shape[column]] = SPREAD * nats[levels] + (1 - SPREAD) * np.log(np.maximum(distinct[levels], 1))
    return found


NUMBERS_HELD = 1 << 25
"""Numbers that all boxes hold together, levels and terms: a quarter of a gigabyte. Fifty attributes with nine levels
have room for sixty thousand boxes, more than can be checked in a minute."""


@dataclass(frozen=True, eq=False, repr=False)
class NodeBox:
    """The nodes between a lowest and a highest one. ``terms`` is what every attribute contributes at least, at each
    level; None where the metric has no terms."""

    lowest: Levels
    highest: Levels
    terms: Floats | None
    checked: bool  # its highest node

    def narrow(self, column: int, low: int, high: int) -> NodeBox:
        """The part in which an attribute is between two levels. It keeps what its highest node says, unless that node
        is another one."""
        lowest = (*self.lowest[:column], low, *self.lowest[column + 1 :])
        highest = (*self.highest[:column], high, *self.highest[column + 1 :])
        return NodeBox(lowest, highest, self.terms, self.checked and highest == self.highest)


class SparseWalk:
    """A lattice too large to hold, divided into boxes (branch and bound).

    No node of a box is below its lowest one, which says what the values cost at least; and every node is below its
    highest one, whose failing records are lost at every node. Both together bound the cost of all nodes of the box. The
    box with the least bound is looked at first: its highest node is checked, then one attribute divides it, into the
    part where that attribute is at its highest level and the rest. The least bound of all boxes bounds the whole
    lattice, however early the walk ends.
    """

    def __init__(self, problem: Problem, yardstick: Yardstick) -> None:
        self.ceiling = math.inf
        self.least = -math.inf
        self.overflowed = False  # there were more boxes than could be held
        self._problem = problem
        self._yardstick = yardstick
        self._columns = np.arange(len(problem.highest))
        self._terms: Floats | None = None  # of the box whose highest node is being checked
        self._ruled_out = False
        self._spread = [np.sqrt(nats) for nats in problem.value_nats]

    def cheapest_first(self, stop: Stop) -> Iterator[tuple[int, Levels]]:
        """The highest nodes of boxes, each of which is checked before the next is asked for."""
        whole = NodeBox(
            self._problem.lowest,
            self._problem.highest,
            self._yardstick.terms() if self._yardstick.separable else None,
            checked=False,
        )
        held = 2 * len(whole.lowest) + (0 if whole.terms is None else whole.terms.size)
        self.least = self._bound(whole)
        heap: list[tuple[float, int, NodeBox]] = []
        numbers = itertools.count(1)
        entries: list[NodeBox] = [whole]
        while not stop():
            for box in entries:
                heapq.heappush(heap, (self._bound(box), next(numbers), box))
            if not heap:
                self.least = math.inf
                return
            self.least, number, box = heapq.heappop(heap)
            self.overflowed = number * held > NUMBERS_HELD
            if self.least > self.ceiling or self.overflowed:
                return
            if box.checked:
                entries = self._divide(box)
                continue
            self._terms, self._ruled_out = box.terms, False
            yield number, box.highest
            entries = [] if self._ruled_out else [replace(box, terms=self._terms, checked=True)]

    def _bound(self, box: NodeBox) -> float:
        return float(self._bounds(box, np.array([box.lowest], dtype=np.int64))[0])

    def _bounds(self, box: NodeBox, nodes: NDArray[np.int64]) -> Floats:
        if box.terms is None:
            return self._yardstick.bounds(nodes)
        return np.asarray(box.terms[self._columns, nodes].sum(axis=1))

    def _divide(self, box: NodeBox) -> list[NodeBox]:
        """The part in which an attribute is at its highest level, and the rest. The attribute is the one whose highest
        level costs most, compared with its lowest, and whose other levels tell most people apart: so both parts have
        a much higher bound. Of five products tried on one table, that with the root of the entropy gave the highest
        bound."""
        low, high = np.array(box.lowest, dtype=np.int64), np.array(box.highest, dtype=np.int64)
        if (low == high).all():
            return []
        raised = np.where(np.eye(len(low), dtype=np.bool_), high, low)
        dearer = self._bounds(box, raised) - self._bound(box)
        spread = [self._spread[column][max(level - 1, 0)] for column, level in enumerate(box.highest)]
        column = int(np.where(low < high, (dearer + SMALL) * (np.array(spread) + SMALL), -1.0).argmax())
        top = box.highest[column]
        return [box.narrow(column, top, top), box.narrow(column, box.lowest[column], top - 1)]

    def settled(self, levels: Levels) -> bool:  # noqa: ARG002
        """Not remembered: a path has one node."""
        return False

    def path(self, levels: Levels) -> Ascent:
        """The node alone: it is a highest node already."""
        return Ascent(np.zeros(1), lambda _: levels)

    def close(self, levels: Levels, *, hopeful: bool) -> None:
        """Nothing to note: no other box has the same highest node, unchecked; and boxes are divided from above."""

    def rule_out(self, levels: Levels) -> None:  # noqa: ARG002
        """The box has no solution."""
        self._ruled_out = True

    def bracket(self, levels: Levels, bound: float, surplus: float) -> None:
        """Not remembered."""

    def raise_below(self, levels: Levels, terms: Floats) -> None:  # noqa: ARG002
        """The box has these terms."""
        self._terms = terms
