"""Local search in a lattice that is too large to go through: from a good node to better ones beside it.

A *step* moves one attribute to another level, an *exchange* lowers one attribute and raises another by a level. When
neither finds a better node, a *kick* moves a few attributes at random, and the search goes on from there
(H. R. Lourenço, O. C. Martin and T. Stützle, Iterated local search, 2003).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

import numpy as np

from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import Checked, cost
from cobogo.publish.recode.lattice.bounds import Yardstick
from cobogo.publish.recode.lattice.evaluate import Evaluator

KICKED = 8
"""Attributes that a kick moves at most. Two or three stay near a good node; on a table of 24 attributes only kicks of
more than three found the best node known."""

KICKS = 40
"""Kicks in a row that find nothing better, after which the search ends and leaves its time to the bound. Not tuned: in
ten seconds, most tables of 16 to 50 attributes have time for fewer."""

EXCHANGES = 1
"""Exchanges that are looked at, for each attribute: those that cost least by a guess. Looking at all pairs found no
better nodes, and left time for fewer kicks."""

SEED = 2003
"""The same data and policy give the same kicks; nothing private rests on these draws."""

Step = tuple[float, int, int, int]
"""The loss that a step is guessed to cause, negative for a gain; after how many steps taken it was computed; and what
it does: an attribute, and its level."""

Fitness = tuple[bool, float]
"""Less is fitter: what satisfies the policy, by its cost; what does not, by the records that fail."""


class LocalSearch:
    """Improves a node until the time is up or kicks no longer help. Nodes are checked by ``check``, which remembers the
    solutions."""

    def __init__(
        self, evaluator: Evaluator, yardstick: Yardstick, check: Callable[[Levels], Checked], stop: Callable[[], bool]
    ) -> None:
        self.problem: Problem = evaluator.problem
        self._evaluator, self._yardstick = evaluator, yardstick
        self._check, self._stop = check, stop
        self._known: dict[Levels, Checked] = {}
        self._draws = np.random.default_rng(SEED)

    def run(self, start: Levels) -> Levels:
        """The best node found from a start on."""
        if self._stop():
            return start
        best, kicks = self._improve(start), 0
        while kicks < KICKS and not self._stop():
            reached = self._improve(self._kick(best))
            if reached not in self._known:
                break
            kicks = 0 if self._fitness(reached) < self._fitness(best) else kicks + 1
            best = min(best, reached, key=self._fitness)
        return best

    def _improve(self, levels: Levels) -> Levels:
        """Steps and exchanges, as long as they find better nodes."""
        while not self._stop():
            levels = self._steps(levels)
            better = self._exchange(levels)
            if better is None:
                break
            levels = better
        return levels

    def _look(self, levels: Levels) -> Checked:
        if levels not in self._known:
            self._known[levels] = self._check(levels)
        return self._known[levels]

    def _fitness(self, levels: Levels) -> Fitness:
        node = self._look(levels)
        if node.satisfied:
            return False, cost(node, maximize=self.problem.metric.maximize)
        return True, float(node.failing_records)

    def _gain(self, levels: Levels, other: Levels) -> float:
        """By how much another node is fitter; infinite where it is the first of the two to satisfy the policy."""
        (fails, here), (still_fails, there) = self._fitness(levels), self._fitness(other)
        return here - there if fails == still_fails else np.inf if fails else -np.inf

    def _steps(self, levels: Levels) -> Levels:
        """Take the best step, again and again. A gain computed at an earlier node is a good guess of the gain now, so
        only steps whose guess is the largest are looked at again (M. Minoux, Accelerated greedy algorithms, 1978);
        before the search ends, all of them are."""
        self._look(levels)
        self._evaluator.stand_on(levels)
        queue = self._guesses(levels)
        taken = 0
        while queue and not self._stop():
            less, when, column, level = heapq.heappop(queue)
            other = (*levels[:column], level, *levels[column + 1 :])
            if when < taken:
                heapq.heappush(queue, (-self._gain(levels, other), taken, column, level))
            elif less < 0:
                heapq.heappush(queue, (0.0, -1, column, levels[column]))
                levels, taken = other, taken + 1
                self._evaluator.stand_on(levels)
            elif stale := [(-np.inf, -1, c, l) for _, when, c, l in queue if when < taken]:
                queue = stale + [entry for entry in queue if entry[1] == taken] + [(less, when, column, level)]
                heapq.heapify(queue)
            else:
                break
        return levels

    def _guesses(self, levels: Levels) -> list[Step]:
        """Steps with what they would cost if nothing were suppressed; guesses are nearer to 0 for values that tell many
        people apart."""
        lowest, highest = self.problem.lowest, self.problem.highest
        steps = [
            (column, level)
            for column, here in enumerate(levels)
            for level in range(lowest[column], highest[column] + 1)
            if level != here
        ]
        nodes = np.tile(np.array(levels, dtype=np.int64), (len(steps) + 1, 1))
        nodes[np.arange(len(steps)), [column for column, _ in steps]] = [level for _, level in steps]
        bounds = self._yardstick.bounds(nodes)
        spread = np.array([self.problem.value_nats[column][level] for column, level in steps])
        guesses = ((bounds[:-1] - bounds[-1]) / (1 + spread)).tolist()
        queue = [(guess, -1, *step) for guess, step in zip(guesses, steps, strict=True)]
        heapq.heapify(queue)
        return queue

    def _exchange(self, levels: Levels) -> Levels | None:
        """A better node in which one attribute is a level lower and another one a level higher."""
        by_column: dict[int, list[Levels]] = {}
        for _, column, node in heapq.nsmallest(EXCHANGES * len(levels), self._exchanges(levels)):
            by_column.setdefault(column, []).append(node)
        for column, nodes in by_column.items():
            self._evaluator.table(_move(levels, column, -1))  # for the others to start from
            for node in nodes:
                if self._stop():
                    return None
                if self._fitness(node) < self._fitness(levels):
                    return node
        return None

    def _exchanges(self, levels: Levels) -> Iterator[tuple[float, int, Levels]]:
        """The exchanges that may be better than a node: what the node above suppresses, which an exchange is below, is
        lost. Each with its lowered attribute and a guess of what it costs, from what the two steps cost."""
        outcome = self._look(levels).outcome
        ceiling = np.inf if outcome is None else self._yardstick.ceiling(outcome)
        lower = [column for column, level in enumerate(levels) if level > self.problem.lowest[column]]
        raisable = [column for column, level in enumerate(levels) if level < self.problem.highest[column]]
        for raised in raisable:
            above = _move(levels, raised, 1)
            columns = [column for column in lower if column != raised]
            if self._stop() or self._look(above).hopeless or not columns:
                continue
            nodes = [_move(above, column, -1) for column in columns]
            gain = self._gain(levels, above)
            for bound, column, node in zip(self._bounds(nodes, above), columns, nodes, strict=True):
                if bound <= ceiling and not self._stop():
                    yield -gain - self._gain(levels, _move(levels, column, -1)), column, node

    def _bounds(self, nodes: list[Levels], above: Levels) -> list[float]:
        """Lower bounds of nodes that are all below one that was checked."""
        rows, floor = np.array(nodes, dtype=np.int64).reshape(len(nodes), len(above)), self._look(above).floor
        if floor is None or not (floor.suppressed and self._yardstick.separable and self._evaluator.can_prune):
            return list(self._yardstick.bounds(rows).tolist())
        terms = self._yardstick.terms(floor)
        return list(terms[np.arange(len(above)), rows].sum(axis=1).tolist())

    def _kick(self, levels: Levels) -> Levels:
        """The node with a few attributes at levels drawn at random."""
        kicked, many = list(levels), self._draws.integers(2, KICKED + 1)
        for column in self._draws.permutation(len(levels))[:many].tolist():
            kicked[column] = int(self._draws.integers(self.problem.lowest[column], self.problem.highest[column] + 1))
        return tuple(kicked)


def _move(levels: Levels, column: int, steps: int) -> Levels:
    """The node with one attribute so many levels higher."""
    return (*levels[:column], levels[column] + steps, *levels[column + 1 :])
