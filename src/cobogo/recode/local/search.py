"""The local search: a peel to begin with, and never worse than a full-domain recoding that the time allows to find."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from cobogo.errors import PolicyError
from cobogo.metrics import METRICS, Metric
from cobogo.models.check import check
from cobogo.recode import lattice
from cobogo.recode.assignment import Assignment, leaf_tuples, of_node
from cobogo.recode.evaluate import Evaluator
from cobogo.recode.explain import why_none
from cobogo.recode.local.peel import least_size, peel, settle
from cobogo.recode.local.terrain import STEERED, Terrain
from cobogo.recode.problem import Problem
from cobogo.recode.search import better_node
from cobogo.recode.solution import Assigned, slack

Progress = Callable[[int, int], None]

SECONDS = 6.0
"""How long it looks for something better, where the policy does not say."""


def local(problem: Problem, *, time_limit: float | None = None, progress: Progress | None = None) -> Assigned:
    """Recodes each record on its own: groups of similar records share the finest values that protect them.

    Steers by loss, iloss, precision or height; by loss where another metric is asked for.
    """
    refuse(problem)
    start = time.monotonic()
    limit = SECONDS if time_limit is None else time_limit
    tell = progress or (lambda *_: None)
    search = _Search(problem, start, limit, tell)
    return search.run()


def refuse(problem: Problem) -> None:
    """Some models can be asked of global recodings only."""
    for model in problem.models:
        if model.populations or model.needs_members:
            why = "looks at a population" if model.populations else "looks at the tuples behind each class"
            raise PolicyError(
                f"{model} {why}, which can be told for recodings that treat equal values alike only",
                where="recoding.algorithm",
                remedy='Say algorithm = "optimal", or leave out the model.',
            )


class _Search:
    """One search, and the best assignment so far."""

    def __init__(self, problem: Problem, start: float, limit: float, progress: Progress) -> None:
        self.problem = problem
        self.metric: Metric = problem.metric if problem.metric.name in STEERED else METRICS["loss"]
        self.deadline = start + limit
        self.progress = progress
        self.best: Assignment | None = None
        self.value = math.inf
        self.checked = 0
        self.nodes = lattice.size(problem.lowest, problem.highest)

    def run(self) -> Assigned:
        terrain = Terrain.of(self.problem)
        least = least_size(self.problem)
        found = peel(terrain, least=least, deadline=self.deadline, progress=self.progress, total=self.nodes)
        settle(terrain, found)
        self._offer(found.assignment(terrain))
        self._full_domain()
        if self.best is None:
            raise why_none(self.problem, Evaluator(self.problem))
        return Assigned(
            algorithm="local",
            assignment=self.best,
            value=float(self.problem.metric.value(self.best.outcome(), self.problem.scale)),
            nodes=self.nodes,
            checked=self.checked,
        )

    def _offer(self, assignment: Assignment) -> bool:
        """Keep an assignment if it is the best so far and the plain reference finds that every model holds."""
        self.checked += 1
        if assignment.suppressed > self.problem.limit or not len(assignment):
            return False
        value = self._cost(assignment)
        if value >= self.value - slack(self.value) or assignment.faults() or not self._holds(assignment):
            return False
        self.best, self.value = assignment, value
        return True

    def _cost(self, assignment: Assignment) -> float:
        value = float(self.metric.value(assignment.outcome(), self.problem.scale))
        return -value if self.metric.maximize else value

    def _holds(self, assignment: Assignment) -> bool:
        if any(model.needs_every_class for model in self.problem.models) and assignment.suppressed:
            return False
        classes = assignment.allotted().classes(self.problem.histograms_needed)
        return all(verdict.satisfied for verdict in check(self.problem.models, classes))

    def _full_domain(self) -> None:
        """A node of the lattice that is better than what was found: most often there is none."""
        if self.metric is not self.problem.metric:
            return
        left = max(self.deadline - time.monotonic(), 0.0)
        node = better_node(self.problem, None if self.best is None else self.best.outcome(), time_limit=left)
        if node is not None:
            self._offer(self._of_node(Evaluator(self.problem), node.levels))

    def _of_node(self, evaluator: Evaluator, levels: tuple[int, ...]) -> Assignment:
        rolled = evaluator.table(levels)
        failed = evaluator.failing(rolled)
        index = {tuple(row): number for number, row in enumerate(rolled.codes.tolist())}
        steps = [h.maps[level] for h, level in zip(self.problem.hierarchies, levels, strict=True)]
        columns = [step[leaf].tolist() for step, leaf in zip(steps, leaf_tuples(self.problem).T, strict=True)]
        owners = np.array([index[row] for row in zip(*columns, strict=True)], dtype=np.int64)
        return of_node(self.problem, levels, failed, owners)
