"""The local search: a peel of the lattice, a full-domain recoding where that is better, then region after region."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from cobogo.examine.metrics import METRICS, Metric
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr, trn
from cobogo.floor.progress import Steps
from cobogo.promises.models.base import Scope
from cobogo.promises.models.check import check
from cobogo.publish.recode.cells.recovery import count_recoverable, hide_recoverable
from cobogo.publish.recode.contract.assignment import Assignment, leaf_tuples, node_assignment
from cobogo.publish.recode.contract.problem import Problem, least_size, refuse_beyond_classes
from cobogo.publish.recode.contract.solution import Assigned, slack
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.explain import no_solution
from cobogo.publish.recode.lattice.search import better_node
from cobogo.publish.recode.lattice.walk import node_count
from cobogo.publish.recode.local.conditions import Conditions, compile_conditions
from cobogo.publish.recode.local.exchange import Exchanger
from cobogo.publish.recode.local.improve import Improver, region_ground
from cobogo.publish.recode.local.peel import peel, settle
from cobogo.publish.recode.local.reshape import Reshaper
from cobogo.publish.recode.local.terrain import STEERED, Terrain
from cobogo.publish.recode.partition.groups import generalize_groups, parcels
from cobogo.publish.recode.partition.mondrian import divide_records

Clock = Callable[[], float]
Way = Callable[[Terrain, Assignment], Improver | Exchanger]

SECONDS, CELLS_A_SECOND, SECONDS_AT_MOST = 4.0, 20_000, 40.0
"""Computing time where the policy has no time limit: longer for more distinct tuples and for more quasi-identifiers,
since a sweep goes through all cells and about a hundred of them bring most of the gain. The Adult extract gets nine
seconds, a table of a million rows forty, which leaves a third of a minute for reading and writing it."""
VALUES_TAKE = 2.5
"""So many times as long where models look at sensitive values: a group then has more items, and each is checked. Adult
with t = 0.2 loses 0.474 in ten seconds, 0.429 in 24."""
SHARE = 0.2
"""The share of the time left that the peel may take, and then the comparison with full-domain recodings. Where both use
it up, nearly two thirds of the time (0.8 · 0.8) are left for improving."""
TURN = 0.25
"""The share of the time that one way of improving gets at a turn: in short turns regions do not cool down well (Adult,
k = 50: 0.0916 with 0.1, 0.0914 with 0.3), and with long ones the worse way takes too much."""
RESHAPED = 0.4
"""The share of the time left in which whole tuples are moved, under models of sensitive values, before tuples are
divided: regions of whole tuples find the coarse shape of a release that sweeps over a few classes do not."""
OTHERS_TURN = 4
"""Every so many turns, the way that gained less is tried again: what it cannot improve now it may after the other."""
SKIPPED = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""The share of the cheapest nodes that a peel leaves out, one peel after another while that is better; finely at first,
since the cheapest nodes matter most."""
PAUSE = 0.7
"""Seconds that a turn takes at least, after which costs are worked out anew. Loss is a product over the attributes, so
what a cell costs drifts as the table improves; working it out costs a pass over the table."""
PARTS = 1000
"""Progress is reported in so many parts of the time."""


@card("local", group="local", guide="algorithms-local")
def local(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:
    r"""Gives each record its own levels: similar records share the finest values that protect them.

    The algorithm starts from the best of several cheap solutions: Mondrian's groups, the classes that satisfy the
    models at each node of the lattice from the cheapest up, the best full-domain recoding. Then it dissolves some
    classes at a time and solves them again, until nothing improves for a long time: neighbouring classes, which grow
    again from single records, and whole regions, by the prices that records would have to pay. Records are suppressed
    where that loses less and the limit allows it. It optimizes loss, iloss, precision or height; where the policy asks
    for another metric, it optimizes loss.

    Formula: $\min \sum_r c(r, g_r)$ over levels $g_r$ for each record, so that every class of equal released tuples
        satisfies the models
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> min(classes(anonymize_patients("local", **{"time-limit": 1})).values()) >= 2
        True

    Guarantee: Every model of the policy holds, and is checked again on the written release. The result is never worse
        than that of mondrian-relaxed, nor than any full-domain recoding that the algorithm had the time to examine, but
        for the cells that are suppressed at the end because they follow from the rest of the release.
    Limits: The result is not proven and not fixed: a second run may find a slightly different one. Models about a
        population or about the tuples behind a class are refused. Values at several levels are harder to analyse.
    Cost: It runs until the time limit; without one, four seconds of computing and one more for every 20,000 cells of
        distinct tuples, two and a half times as long where models look at sensitive values, forty seconds at most.
    Paper: None: our own. Cell recoding is described by B. C. M. Fung, K. Wang, R. Chen and P. S. Yu, Privacy-preserving
        data publishing: a survey of recent developments, ACM Computing Surveys, 2010.
    """
    refuse_beyond_classes(problem, "local")
    report = progress or (lambda *_: None)
    if time_limit is None:  # computing time, so that what is found does not depend on what else the machine does
        cells = len(problem.table.counts) * len(problem.hierarchies)
        by_value = VALUES_TAKE if problem.histograms_needed else 1.0
        seconds = min(by_value * (SECONDS + cells / CELLS_A_SECOND), SECONDS_AT_MOST)
        return _Search(problem, seconds, time.thread_time, report).run()
    return _Search(problem, time_limit, time.monotonic, report).run()


class _Search:
    """One search, and the best assignment so far."""

    def __init__(self, problem: Problem, seconds: float, clock: Clock, progress: Steps) -> None:
        self.problem = problem
        self.metric: Metric = problem.metric if problem.metric.name in STEERED else METRICS["loss"]
        self.seconds = seconds
        self.clock = clock
        self.begin = clock()
        self.progress = progress
        self.best: Assignment | None = None
        self.value = math.inf
        self.starts: list[tuple[float, Assignment]] = []
        self.checked = 0
        self.nodes = node_count(problem.lowest, problem.highest)

    def run(self) -> Assigned:
        self._terrain = terrain = Terrain.from_problem(self.problem)
        least = least_size(self.problem)
        on_table = any(model.scope is Scope.TABLE for model in self.problem.models)
        self._divide(least)
        self._build(terrain, least)
        while on_table and self.best is None and self.left > 0 and least < self.problem.scale.records:
            least = max(
                least + 1, least * 5 // 4
            )  # larger classes: what fails on the whole table needs them most often
            self._build(terrain, least)
        self._full_domain()
        if self.best is None:
            raise no_solution(self.problem, Evaluator(self.problem))
        self._improve(self._ways(terrain, least))
        self.progress(PARTS, PARTS)
        notes = self._hide()
        metric, value = self.best.allot_values().metric_value()
        steered = self.metric is self.problem.metric
        note = tr(
            "the local search minimized {used}, because it cannot minimize {asked}",
            used=self.metric.name,
            asked=self.problem.metric.name,
        )
        return Assigned(
            algorithm="local",
            assignment=self.best,
            value=value,
            nodes=self.nodes,
            checked=self.checked,
            metric=metric,
            notes=notes if steered else (note, *notes),
        )

    def _hide(self) -> tuple[str, ...]:
        """Suppress what follows from the rest of the release, and say so. Where that makes the best assignment worse
        than a start, the start may be better once the same was done to it."""
        assert self.best is not None
        hidden: Assignment | None = None
        notes: tuple[str, ...] = ()
        value = math.inf
        for before, assignment in [(self.value, self.best), *sorted(self.starts, key=lambda start: start[0])]:
            if before >= value:
                break
            found, remarks = hide_recoverable(assignment)
            if (cost := self._cost(found)) < value and not found.faults() and self._holds(found):
                hidden, notes, value = found, remarks, cost
        if hidden is not None:
            self.best, self.value = hidden, value
            return notes
        return tuple(
            trn(
                '{n:,} suppressed cell of "{attribute}" can be deduced from the rest of the release: hiding it '
                "would break a model",
                '{n:,} suppressed cells of "{attribute}" can be deduced from the rest of the release: hiding them '
                "would break a model",
                n=cells,
                attribute=name,
            )
            for name, cells in count_recoverable(self.best).items()
        )

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.begin + self.seconds - self.clock()

    @cached_property
    def _conditions(self) -> Conditions | None:
        """What classes must satisfy besides their size; None where only the models themselves can tell."""
        return compile_conditions(self.problem)

    @property
    def _by_size(self) -> bool:
        """Whether classes need only be large enough, and the records of a tuple are distinguishable."""
        asked = self._conditions
        sized = any(model.scope is Scope.CLASS for model in self.problem.models)
        return asked is not None and len(asked.kind) == 0 and sized

    def _ways(self, terrain: Terrain, least: int) -> list[Way]:
        """The ways of improving that the models allow: each makes an improver of an assignment."""
        assert self.best is not None
        ground, asked = region_ground(terrain, least), self._conditions
        if self._by_size:
            assert asked is not None
            return [
                lambda now, best: Exchanger(now, ground, asked, best),
                lambda now, best: Improver(now, ground, replace(best, values=None).canonical()),
            ]
        if not self.best.split:
            self._take_turn(lambda now, best: Reshaper(now, ground, best), RESHAPED * self.left)
        if asked is not None and len(asked.kind):
            return [lambda now, best: Exchanger(now, ground, asked, best)]
        return [] if self.best.split else [lambda now, best: Reshaper(now, ground, best)]

    def _report_progress(self) -> None:
        self.progress(min(PARTS, int(PARTS * (1 - max(self.left, 0) / self.seconds))), PARTS)

    def _build(self, terrain: Terrain, least: int) -> None:
        """Peel the lattice. Where a class needs more than size, the records that the finest classes leave over may fit
        nowhere; so the peel is repeated without the cheapest nodes, and with ever fewer while that is better."""
        until = self.clock() + SHARE * max(self.left, 0)
        for skipped in SKIPPED:
            found = peel(
                terrain, least=least, skipped=skipped, deadline=until, clock=self.clock, report=self._report_progress
            )
            better = self._offer(found.assignment(terrain))  # what is left over is suppressed, if it may be
            settle(terrain, found)
            better = self._offer(found.assignment(terrain)) or better
            if self._by_size or self.clock() > until or (skipped and not better):
                return

    def _divide(self, least: int) -> None:
        """Try the groups of Mondrian, those first that may lend each other records."""
        for lending in (True, False) if self._conditions is not None else (False,):
            begin = self.clock()
            groups = divide_records(parcels(self.problem, divisible=lending), least, lending=lending)
            if groups.count:
                self._offer(generalize_groups(groups), start=True)
            self._report_progress()
            if self.clock() - begin > TURN * self.seconds:
                return

    def _offer(self, assignment: Assignment, *, start: bool = False) -> bool:
        """Keep an assignment if it is the best so far and every model holds by its plain definition; a start in any
        case, for the comparison at the end."""
        self.checked += 1
        if assignment.suppressed > self.problem.limit or not len(assignment):
            return False
        value = self._cost(assignment)
        better = self.best is None or value < self.value - slack(self.value)
        if not (better or start) or assignment.faults() or not self._holds(assignment):
            return False
        if start:
            self.starts.append((value, assignment))
        if better:
            self.best, self.value = assignment, value
        return better

    def _cost(self, assignment: Assignment) -> float:
        value = float(self.metric.value(assignment.outcome(), self.problem.scale))
        return -value if self.metric.maximize else value

    def _holds(self, assignment: Assignment) -> bool:
        classes = assignment.allot_values().classes(self.problem.histograms_needed)
        return all(verdict.satisfied for verdict in check(self.problem.models, classes))

    def _full_domain(self) -> None:
        """Try the best node of the lattice that time allows: seldom better, but a solution where the peel has none."""
        if self.metric is not self.problem.metric:
            return
        seconds = SHARE * max(self.left, 0) if self.best is not None else max(self.left, self.seconds)
        than = None if self.best is None else self.best.outcome()
        node = better_node(self.problem, than, time_limit=max(seconds, 0.01))
        if node is not None:
            self._offer(self._node_assignment(node.levels), start=True)

    def _node_assignment(self, levels: tuple[int, ...]) -> Assignment:
        evaluator = Evaluator(self.problem)
        rolled = evaluator.table(levels)
        index = {tuple(row): number for number, row in enumerate(rolled.codes.tolist())}
        steps = [h.maps[level] for h, level in zip(self.problem.hierarchies, levels, strict=True)]
        columns = [step[leaf].tolist() for step, leaf in zip(steps, leaf_tuples(self.problem).T, strict=True)]
        owners = np.array([index[row] for row in zip(*columns, strict=True)], dtype=np.int64)
        return node_assignment(self.problem, levels, evaluator.failing(rolled), owners)

    def _improve(self, ways: list[Way]) -> None:
        """Improve by turns, mostly in the way that gained most in its last turn, until the time is up or no way gains
        anything."""
        rates = dict.fromkeys(range(len(ways)), math.inf)
        turn = 0
        while self.left > 0 and any(rates.values()):
            turn += 1
            rank = sorted(rates, key=lambda way: -rates[way])
            way = rank[-1 if turn % OTHERS_TURN == 0 else 0]
            begin, before = self.clock(), self.value
            self._take_turn(ways[way], max(TURN * self.seconds, PAUSE))
            rates[way] = max(before - self.value, 0.0) / max(self.clock() - begin, 1e-9)

    def _take_turn(self, way: Way, seconds: float) -> None:
        """Improve the best assignment in one way for a while."""
        assert self.best is not None
        improver = way(self._terrain.reprice(self.best.outcome()), self.best)
        before = self.clock()
        improver.warm_up()
        self.begin += self.clock() - before  # the first time on a machine it is compiled: that is not searching
        begin, seconds, longest = self.clock(), min(seconds, self.left), 0.0
        while (gone := self.clock() - begin) + longest < seconds and not improver.exhausted:
            improver.run(heat=(1 - gone / seconds) * max(self.left, 0) / self.seconds)
            longest = max(longest, self.clock() - begin - gone)
            self._report_progress()
        self.checked += improver.steps
        self._offer(improver.result())
