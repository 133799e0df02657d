"""A survey of a lattice that is held whole: which nodes are known to satisfy the policy, and which to fail."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import NoSolution, SearchTooLarge
from cobogo.floor.arrays import Mask
from cobogo.floor.progress import Steps
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import Solution, ranked
from cobogo.publish.recode.lattice.evaluate import Checked, Evaluator
from cobogo.publish.recode.lattice.explain import why_none
from cobogo.publish.recode.lattice.walk import DENSE_AT_MOST, node_count

UNKNOWN, FAILS, HOLDS = 0, 1, 2

NODES_AT_MOST = DENSE_AT_MOST
"""Of a lattice whose tags (three bytes a node) are held in memory."""
RUNNERS_UP = 10
"""Satisfied nodes that a report shows beside the best."""


class Tags:
    """What is known of each node. A node is told by its levels; ``state`` has one axis a quasi-identifier."""

    def __init__(self, lowest: Levels, highest: Levels) -> None:
        self._lowest = lowest
        self.shape = tuple(high - low + 1 for low, high in zip(lowest, highest, strict=True))
        self.state: NDArray[np.int8] = np.zeros(self.shape, dtype=np.int8)
        steps = [np.arange(size, dtype=np.int16) for size in self.shape]
        self.heights: NDArray[np.int16] = np.asarray(reduce(np.add.outer, steps, np.zeros((), dtype=np.int16)))

    @property
    def height(self) -> int:
        """Steps from the lowest node to the highest."""
        return sum(self.shape) - len(self.shape)

    def levels(self, nodes: Mask) -> Iterator[Levels]:
        """The nodes of a mask, in lexicographic order."""
        for place in np.argwhere(nodes).tolist():
            yield tuple(low + step for low, step in zip(self._lowest, place, strict=True))

    def unknown(self, levels: Levels) -> bool:
        """Whether nothing is known of a node."""
        return bool(self.state[self._place(levels)] == UNKNOWN)

    def mark(self, levels: Levels, state: int) -> None:
        """Note what a node does."""
        self.state[self._place(levels)] = state

    def mark_below(self, levels: Levels, state: int) -> None:
        """Note that a node does so, and everything below it."""
        self.state[tuple(slice(0, step + 1) for step in self._place(levels))] = state

    def mark_above(self, levels: Levels, state: int) -> None:
        """Note that a node does so, and everything above it."""
        self.state[tuple(slice(step, None) for step in self._place(levels))] = state

    def minimal(self) -> Mask:
        """The nodes that hold while none below them is known to."""
        holds = self.state == HOLDS
        below = np.zeros_like(holds)
        reached = holds
        for axis in range(holds.ndim):
            reached = np.logical_or.accumulate(reached, axis=axis)
        for axis in range(holds.ndim):
            upper = [slice(None)] * holds.ndim
            lower = [slice(None)] * holds.ndim
            upper[axis], lower[axis] = slice(1, None), slice(None, -1)
            below[tuple(upper)] |= reached[tuple(lower)]
        return np.asarray(holds & ~below)

    def _place(self, levels: Levels) -> tuple[int, ...]:
        return tuple(level - low for level, low in zip(levels, self._lowest, strict=True))


class TaggedSearch:
    """One search: the tags, the evaluator that fills them, and the nodes that were found to satisfy the policy."""

    def __init__(self, problem: Problem, algorithm: str, time_limit: float | None, progress: Steps | None) -> None:
        self.problem, self.algorithm = problem, algorithm
        self.nodes = node_count(problem.lowest, problem.highest)
        refuse_if_larger(self.nodes, algorithm)
        self.evaluator = Evaluator(problem)
        self.tags = Tags(problem.lowest, problem.highest)
        self.found: dict[Levels, Checked] = {}
        self.cut_short = False
        self._deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self._progress = progress or (lambda *_: None)

    def out_of_time(self) -> bool:
        """Whether the time is up."""
        self.cut_short = self.cut_short or time.monotonic() > self._deadline
        return self.cut_short

    def settle(self, levels: Levels) -> None:
        """Check a node, unless that is needless or too late, and note what follows for others."""
        if not self.tags.unknown(levels) or self.out_of_time():
            return
        checked = self.evaluator.check(levels)
        self._progress(self.evaluator.checked, self.nodes)
        if checked.satisfied:
            self.found[levels] = checked
            (self.tags.mark_above if self.evaluator.closed_upwards else self.tags.mark)(levels, HOLDS)
        elif checked.hopeless or self.evaluator.closed_upwards:
            self.tags.mark_below(levels, FAILS)
        else:
            self.tags.mark(levels, FAILS)

    def settle_height(self, height: int, *, first: bool = False) -> None:
        """Check the nodes of a height about which nothing is known; with ``first``, until one satisfies the policy."""
        for levels in self.tags.levels((self.tags.heights == height) & (self.tags.state == UNKNOWN)):
            self.settle(levels)
            if self.cut_short or (first and levels in self.found):
                return

    def holds_at(self, height: int) -> bool:
        """Whether a node of a height is known to satisfy the policy."""
        return bool(((self.tags.heights == height) & (self.tags.state == HOLDS)).any())

    def minimal(self) -> list[Checked]:
        """The nodes found below which there is none."""
        return [self.found[levels] for levels in self.tags.levels(self.tags.minimal())]

    @property
    def best_is_minimal(self) -> bool:
        """Whether the best node of all is a minimal one: it is where nothing may be suppressed, for then every metric
        gets worse upwards."""
        return self.evaluator.closed_upwards and self.evaluator.strict

    def answer(self, candidates: list[Checked], *, proven: bool, notes: tuple[str, ...] = ()) -> Solution:
        """The best of the candidates by the policy's metric, or the reason why there is none."""
        best = ranked(candidates, maximize=self.problem.metric.maximize)
        if not best:
            raise none_found(self.problem, self.evaluator, self.algorithm, cut_short=self.cut_short)
        return Solution(
            algorithm=self.algorithm,
            chosen=best[0],
            optimal=proven and not self.cut_short,
            nodes=self.nodes,
            checked=self.evaluator.checked,
            runners_up=tuple(best[1 : RUNNERS_UP + 1]),
            notes=notes,
        )


def refuse_if_larger(nodes: int, algorithm: str) -> None:
    """A lattice must fit into memory."""
    if nodes > NODES_AT_MOST:
        raise SearchTooLarge(
            f"{algorithm} would have to keep {nodes:,} nodes in mind, more than it can ({NODES_AT_MOST:,})",
            where="recoding.algorithm",
            remedy='Say algorithm = "genetic", or "optimal" with a time-limit; or fix levels with min-level and '
            "max-level.",
        )


def none_found(problem: Problem, evaluator: Evaluator, algorithm: str, *, cut_short: bool = False) -> NoSolution:
    """Why there is no solution, or that an algorithm did not find one where there may be some."""
    if cut_short:
        return NoSolution("no solution was found within the time limit", remedy="Raise time-limit.")
    if evaluator.closed_upwards or evaluator.check(problem.highest).hopeless:
        return why_none(problem, evaluator)
    return NoSolution(
        f"{algorithm} found no recoding that satisfies the policy, and cannot tell whether there is one",
        remedy='Say algorithm = "optimal", which looks at all of them.',
    )
