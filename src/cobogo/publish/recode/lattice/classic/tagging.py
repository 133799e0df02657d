"""Searches that tag the nodes of a lattice held whole: what holds holds above, and what fails fails below.

`samarati` (2001) finds the lowest height with a node that satisfies the policy; `ola` (El Emam and others 2009) finds
all minimal nodes. Incognito uses the same tags.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import SearchTooLarge
from cobogo.floor.arrays import Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.progress import Steps
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import RUNNERS_UP, Checked, Solution, rank_nodes
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.explain import search_failure
from cobogo.publish.recode.lattice.walk import DENSE_AT_MOST, node_count

UNKNOWN, FAILS, HOLDS = 0, 1, 2

NODES_AT_MOST = DENSE_AT_MOST
"""Of a lattice whose tags (three bytes a node) are held in memory."""

NOT_ALWAYS_BEST = tr(
    "the best of the minimal nodes was chosen. With suppression, a node above them may lose less: "
    'algorithm = "optimal" examines those too'
)
UNTAGGED = tr(
    "with this policy, a node above a node that satisfies it may not satisfy it; so every node was checked by itself"
)


class Tags:
    """What is known of each node. ``state`` has one axis per quasi-identifier, and a node's levels are its index."""

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
        best = rank_nodes(candidates, maximize=self.problem.metric.maximize)
        if not best:
            raise search_failure(self.problem, self.evaluator, self.algorithm, cut_short=self.cut_short)
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
            tr(
                "{algorithm} would have to keep {nodes:,} nodes in memory, and the limit is {most:,}",
                algorithm=algorithm,
                nodes=nodes,
                most=NODES_AT_MOST,
            ),
            where="recoding.algorithm",
            remedy=tr(
                'Set algorithm = "genetic", or "optimal" with a time-limit; or fix levels with min-level and max-level.'
            ),
        )


@card(
    "samarati",
    title="Samarati",
    group="lattice",
    guide="algorithms-lattice",
    recodings=("full-domain",),
    study="optimal",
)
def samarati(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Solution:
    r"""Finds, by binary search, the lowest height of the lattice at which a node satisfies the models; the metric
    chooses among the nodes of that height.

    Binary search needs models that continue to hold at higher nodes. Where they may not, the heights are searched one
    by one from below.

    Formula: $\min \{ h : \exists\, g \text{ with } \sum_A g_A = h \text{ that satisfies the policy} \}$
    Example: The lowest height is 2; its node loses more here than the optimum at height 3.
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> anonymize_patients("samarati").levels
        {'age': 1, 'sex': 1}

    Guarantee: Every model of the policy holds, and is checked again on the written release. No node of a lower height
        satisfies the models. With the metric height the result is the optimum.
    Limits: Height adds up levels of hierarchies that may have nothing in common.
    Cost: $O(\log H)$ heights, and all nodes of the last one.
    Paper: P. Samarati, Protecting respondents' identities in microdata release, IEEE Transactions on Knowledge and Data
        Engineering, 2001.
    """
    survey = TaggedSearch(problem, "samarati", time_limit, progress)
    low, high = 0, survey.tags.height
    if survey.evaluator.closed_upwards:
        while low < high and not survey.cut_short:
            middle = (low + high) // 2
            survey.settle_height(middle, first=True)
            low, high = (low, middle) if survey.holds_at(middle) else (middle + 1, high)
    for height in range(low, high + 1):
        survey.settle_height(height)
        if survey.found or survey.cut_short:
            break
    least = min((sum(levels) for levels in survey.found), default=0)
    lowest = [checked for levels, checked in survey.found.items() if sum(levels) == least]
    return survey.answer(lowest, proven=problem.metric.name == "height")


@card("ola", title="OLA", group="lattice", guide="algorithms-lattice", recodings=("full-domain",), study="optimal")
def ola(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Solution:
    r"""Marks the lattice from the middle: if a node satisfies the models, so do the nodes above it; if it fails, so do
    the nodes below. The metric chooses among the lowest nodes that satisfy the models.

    Formula: $g \text{ holds} \Rightarrow g' \ge g \text{ holds}$ and $g \text{ fails} \Rightarrow g' \le g \text{
        fails}$; of the minimal nodes that hold, $\arg\min m(g)$
    Example:
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> anonymize_patients("ola").levels
        {'age': 3, 'sex': 0}

    Guarantee: Every model of the policy holds, and is checked again on the written release. If no record may be
        suppressed, the node is the best of all.
    Limits: With suppression, a node above a minimal one may lose less. It keeps the whole lattice in memory and refuses
        more than 16,777,216 nodes.
    Cost: $O(\prod_A (H_A + 1))$ marks; far fewer nodes are examined.
    Paper: K. El Emam and others, A globally optimal k-anonymity method for the de-identification of health data,
        Journal of the American Medical Informatics Association, 2009.
    """
    survey = TaggedSearch(problem, "ola", time_limit, progress)
    for height in halving_order(0, survey.tags.height):
        survey.settle_height(height)
    return survey.answer(survey.minimal(), proven=survey.best_is_minimal, notes=caveats(survey.evaluator))


def caveats(evaluator: Evaluator) -> tuple[str, ...]:
    """What a steward who asked for the best minimal node should know."""
    unsure = () if evaluator.strict else (NOT_ALWAYS_BEST,)
    return unsure if evaluator.closed_upwards else (*unsure, UNTAGGED)


def halving_order(low: int, high: int) -> Iterator[int]:
    """All numbers from one to another: the middle first, then the middles of both halves, and so on.

    >>> list(halving_order(0, 6))
    [3, 1, 5, 0, 2, 4, 6]
    """
    ranges = [(low, high)]
    for first, last in ranges:  # grows while it is gone through
        if first <= last:
            middle = (first + last) // 2
            yield middle
            ranges += [(first, middle - 1), (middle + 1, last)]
