"""The optimal search: the best node of the generalization lattice, and the proof that it is the best.

Nodes are visited from the lowest bound of their cost up, so the search may stop when no bound is left that is not worse
than the best node found. A node is approached from above, by halving a path from it to the top: what must fail at a
node must fail below it, so the node either rules out everything below it or raises the bounds there.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from cobogo.errors import NoSolution
from cobogo.examine.metrics import Outcome
from cobogo.floor.arrays import Floats
from cobogo.floor.catalogue import card
from cobogo.floor.language import Text, tr
from cobogo.floor.progress import Steps
from cobogo.publish.recode.contract.problem import Levels, Problem
from cobogo.publish.recode.contract.solution import RUNNERS_UP, Checked, Solution, cost, rank_nodes, slack
from cobogo.publish.recode.lattice.blocks import Block, Blocks
from cobogo.publish.recode.lattice.bounds import Yardstick
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.explain import no_solution
from cobogo.publish.recode.lattice.groups import GROUP, can_be_grouped, deal_attributes, only_group, share_of_group
from cobogo.publish.recode.lattice.neighbours import LocalSearch
from cobogo.publish.recode.lattice.walk import DENSE_AT_MOST, Ascent, DenseWalk, SparseWalk, Walk, node_count

LARGE_LATTICE_SECONDS = 60.0
"""The time limit of a lattice too large to hold, where the policy has none. On most invented tables of 16 to 50
attributes the best node known was found within ten seconds; the rest of a minute goes into the bound, which rises ever
more slowly."""

IMPROVING = 2 / 3
"""Of the time, what is spent at most on finding a good node before bounding all others: a better release is worth more
than a better bound."""

GROUPED = 0.95
"""Of the time, when attributes are no longer bounded in groups. With 24 and 50 attributes, the rest would hardly raise
the bound; with 16, groups are bounded in less than a second."""

DENSE_A_SECOND = 200_000
"""Nodes of a lattice whose bounds are held for all nodes, for each second of the time limit: to make them takes a
microsecond a node and more, which must leave time to search."""

SOON_SEARCHED = 1 << 16
"""Nodes of a lattice that is likely to be searched whole before any time limit."""

BREEDING = 1 / 5
"""Of the time, what a genetic search has for the first good node. Local search alone, from the highest node, ended at
nodes worse than that by discernibility, and now and then by loss."""

MANY = 10**9
"""Nodes from which on their number is written as a power of ten."""

PROBES = 3
"""Nodes of a path that are chosen by their detail before the rest of it is halved. With 3 instead of 2, a few checks
less on two lattices of 4,320 and 45,000 nodes; with 1, a sixth more."""

LEARNED = 0.5
"""How far the tipping point moves towards a node on the wrong side of it. From 0.3 to 0.6, the checks change by a few
in a hundred; with 0.1, by a tenth."""

KEPT = 64
"""Satisfied nodes that are remembered: enough for the runners-up (10), whatever ties are found later."""


@card("optimal", group="lattice", guide="search", recodings=("full-domain",))
def optimal(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Solution:
    r"""Searches the generalization lattice for the full-domain recoding that is best by the metric, and proves that it
    is.

    A node is one level for each quasi-identifier. Nodes are visited from the best bound to the worst. A node that fails
    rules out the nodes below it that must fail too, and raises the bounds there. With a time limit, the result is the
    best node found by then, with a statement of whether it is proven.

    Formula: $\arg\min_{g} m(g)$ over the nodes $g \in \prod_A \{0, \ldots, H_A\}$ whose failing records are at most
        $\lfloor \ell N \rfloor$, for the metric $m$ and the suppression limit $\ell$
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> release = anonymize_patients("optimal")
        >>> release.levels, classes(release)
        ({'age': 3, 'sex': 0}, {('*', 'f'): 4, ('*', 'm'): 4})

    Guarantee: Every model of the policy holds, and is checked again on the written release. No other node within the
        allowed levels is better by the metric.
    Limits: It is the best of the full-domain recodings with these hierarchies, by this metric; local recodings often
        lose less. A lattice of more than 16,777,216 nodes is searched for a minute, unless the policy has a time
        limit; what is found may not be proven, and a bound says by how much it can be improved at most.
    Cost: $O(\prod_A (H_A + 1))$ nodes in the worst case, few of which are examined; each examination is a roll-up of n
        distinct tuples.
    Paper: None for the whole, which is our own; the lattice is that of P. Samarati 2001, pruning by monotone models as
        in F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper and K. A. Kuhn, Flash: efficient, stable and optimal
        k-anonymity, 2012.
    """
    nodes = node_count(problem.lowest, problem.highest)
    if nodes <= DENSE_AT_MOST or time_limit is not None:
        return _Search(problem, nodes, time_limit, progress).run()
    found = _Search(problem, nodes, LARGE_LATTICE_SECONDS, progress).run()
    return found if found.optimal else replace(found, notes=(*found.notes, _ended_by_itself(nodes)))


def _ended_by_itself(nodes: int) -> Text:
    return tr(
        "the lattice has {nodes} nodes, too many to go through: without a time-limit, the search ended after {seconds} "
        "seconds; set time-limit to search longer",
        nodes=f"{nodes:,}" if nodes < MANY else f"{nodes:.1e}",
        seconds=f"{LARGE_LATTICE_SECONDS:.0f}",
    )


def better_node(problem: Problem, than: Outcome | None, *, time_limit: float) -> Checked | None:
    """The best node that is found in the time and is no worse than an outcome; None where there is none."""
    search = _Search(problem, node_count(problem.lowest, problem.highest), time_limit, None)
    if than is not None:
        search.walk.ceiling = search.yardstick.ceiling(than)
    return next(iter(search.find_nodes()), None)


class _Search:
    """One search: the walk, the evaluator, and the satisfied nodes worth remembering."""

    def __init__(self, problem: Problem, nodes: int, time_limit: float | None, progress: Steps | None) -> None:
        self.problem = problem
        self.nodes = nodes
        self.started = time.monotonic()
        self.seconds = math.inf if time_limit is None else time_limit
        self.progress = progress or (lambda *_: None)
        self.yardstick = Yardstick(problem)
        walk = DenseWalk if nodes <= min(DENSE_AT_MOST, DENSE_A_SECOND * self.seconds) else SparseWalk
        to_the_end = walk is DenseWalk and self.seconds == math.inf  # without looking at neighbours and their sums
        self.evaluator = Evaluator(problem, lean=to_the_end)
        self.walk: Walk = walk(problem, self.yardstick)
        self.blocks = self.evaluator.blocks
        self.counted: dict[Levels, Block] = {}  # by the lowest node
        self.worst = math.inf  # the cost of a node that is not worth remembering
        self.found: list[Checked] = []
        self.cut_short = False
        self.least = -math.inf  # a bound of the cost of every node, from groups of its attributes
        # Where every suppression is allowed, nodes fail only by suppressing all, and only bounds can be raised.
        self.from_above = self.evaluator.can_prune and (
            self.yardstick.separable
            or (self.yardstick.bracketed and isinstance(self.walk, DenseWalk))
            or problem.limit < problem.scale.records
        )
        # Where classes count and some may be lost, a node far above the others often says more than one that fails.
        self.tipping_point = None if self.yardstick.bracketed and not self.evaluator.strict else _TippingPoint()

    def find_nodes(self) -> list[Checked]:
        """Search, and return the satisfied nodes worth remembering, best first."""
        if isinstance(self.walk, SparseWalk) or (self.seconds < math.inf and self.nodes > SOON_SEARCHED):
            self._improve(IMPROVING)
        if isinstance(self.walk, SparseWalk) and can_be_grouped(self.problem):
            self._bound_by_groups(GROUPED)
        self._go_through()
        if isinstance(self.walk, SparseWalk) and self.walk.overflowed:
            self._improve(1.0)
            self.cut_short = True
        self.progress(self.nodes, self.nodes)
        return self._rank()

    def _go_through(self) -> None:
        """Visit the nodes from the lowest bound up, until none is left that could be best, or the time is over."""
        for settled, levels in self.walk.cheapest_first(self._out_of_time):
            self._report(settled)
            if self.from_above:
                self._halve(self.walk.path(levels))
            else:
                self._check(levels)

    def _bound_by_groups(self, share: float) -> None:
        """Bound all nodes by groups of their attributes, small groups first, until a share of the time is over."""
        for number in range(-(-len(self.problem.highest) // GROUP), 1, -1):
            least = 0.0
            for group, attributes in enumerate(deal_attributes(self.problem, number)):
                left = share - self._spent()
                if left <= 0:
                    return
                least += self._bound_group(attributes, left * self.seconds / (number - group))
                self.least = max(self.least, least)

    def _bound_group(self, attributes: Sequence[int], seconds: float) -> float:
        """What a group of attributes costs at least, as far as a search finds out in the time."""
        alone = only_group(self.problem, attributes)
        search = _Search(alone, node_count(alone.lowest, alone.highest), seconds, None)
        search._go_through()
        least = min(search.walk.ceiling, search.walk.least if search.cut_short else math.inf)
        return 0.0 if least == math.inf else share_of_group(alone, attributes, least)

    def _improve(self, share: float) -> None:
        """Look for a good node in the neighbourhood of the best one known, in a share of the time. The first comes from
        a genetic search, which looks at many nodes far from each other."""
        if not self.found and self.seconds < math.inf:
            from cobogo.publish.recode.lattice.classic.genetic import genetic

            with suppress(NoSolution):
                self._check(genetic(self.problem, time_limit=BREEDING * self.seconds).chosen.levels)
        found = self._rank()
        start = found[0].levels if found else self.problem.highest
        LocalSearch(self.evaluator, self.yardstick, self._check, lambda: self._spent() > share).run(start)

    def run(self) -> Solution:
        found = self.find_nodes()
        if not found and self.cut_short and self._check(self.problem.highest).satisfied:  # coarse, and better than none
            found = self._rank()
        if not found:
            if self.cut_short:
                raise NoSolution(
                    tr("no solution was found within the time limit"),
                    remedy=tr("Raise time-limit, or make the policy easier to satisfy."),
                )
            raise no_solution(self.problem, self.evaluator)
        best, *rest = found
        return Solution(
            algorithm="optimal",
            chosen=self.evaluator.complete(best),
            optimal=not self.cut_short,
            nodes=self.nodes,
            checked=self.evaluator.checked,
            runners_up=tuple(rest[:RUNNERS_UP]),
            bound=self._bound(best.value),
        )

    def _bound(self, value: float) -> float:
        """What no node can beat: the value itself, once nothing is left that could."""
        if not self.cut_short or self.walk.least == math.inf:
            return value
        bound = self.yardstick.value(max(self.walk.least, self.least))
        return (max if self.problem.metric.maximize else min)(value, bound)

    def _rank(self) -> list[Checked]:
        return rank_nodes(self.found, maximize=self.problem.metric.maximize)

    def _out_of_time(self) -> bool:
        """Whether the time is up; from then on no open node counts as settled."""
        self.cut_short = self.cut_short or self._spent() > 1
        return self.cut_short

    def _spent(self) -> float:
        """The share of the time that is over."""
        return (time.monotonic() - self.started) / self.seconds

    def _report(self, settled: int) -> None:
        self.progress(min(settled, self.nodes), self.nodes)

    def _check(self, levels: Levels) -> Checked:
        """Check a node and note what follows."""
        if self.blocks is not None:
            return self._check_in_block(levels, self.blocks)
        checked = self.evaluator.check(levels)
        if checked.hopeless:
            self.walk.rule_out(levels)
        else:
            self.walk.close(levels, hopeful=self.evaluator.can_prune)
        self._raise_bounds(checked)
        self._remember(checked)
        return checked

    def _remember(self, checked: Checked) -> None:
        """Keep a node that satisfies the policy, as one of the best so far."""
        if checked.outcome is None:
            return
        self.found.append(checked)
        self.walk.ceiling = min(self.walk.ceiling, self.yardstick.ceiling(checked.outcome))
        if len(self.found) > 2 * KEPT:
            self.found = self._rank()[:KEPT]
            worst = max(cost(node, maximize=self.problem.metric.maximize) for node in self.found)
            self.worst = worst + slack(worst)

    def _check_in_block(self, levels: Levels, blocks: Blocks) -> Checked:
        """Check a node with those of its block that are open, and note what follows, unless that was done before."""
        assert isinstance(self.walk, DenseWalk)
        place, inner = blocks.lowest(levels), blocks.inner_levels(levels)
        block = self.counted.get(place)
        if block is None or inner not in block.shape.numbers:
            base = np.min([inner, *self.walk.open_levels(levels, blocks.shape())], axis=0)
            block = self.counted[place] = blocks.count(levels, tuple(base.tolist()))
            self.evaluator.checked += len(block.kept)
            self.walk.note_block(levels, block, *self.yardstick.bracket(block.spread, block.floor))
            for number in np.flatnonzero(~block.hopeless & (block.costs <= self.worst)).tolist():
                self._remember(blocks.checked(block, levels, number))
        return blocks.checked(block, levels, block.shape.numbers[inner])

    def _raise_bounds(self, checked: Checked) -> None:
        """Note what a node says about the cost of those below it and above it."""
        if self.yardstick.bracketed and checked.spread is not None:
            bound, surplus = self.yardstick.bracket(checked.spread, checked.floor)
            self.walk.bracket(checked.levels, float(bound), float(surplus))
        elif self.yardstick.separable and checked.floor is not None and checked.floor.suppressed:
            self.walk.raise_below(checked.levels, self.yardstick.terms(checked.floor))

    def _halve(self, path: Ascent) -> None:
        """Settle the lowest node of a path by halving the path: a failing node above rules it out."""
        low, high, probes = 0, len(path), 0
        while low < high and not self._out_of_time():
            middle = low + int(self.yardstick.first_look * (high - low))
            if self.tipping_point is not None and probes < PROBES:
                middle = self.tipping_point.find(path.details, low, high)
            found, probes = self._check(path.node(middle)), probes + 1
            if self.tipping_point is not None:
                self.tipping_point.learn(float(path.details[middle]), hopeless=found.hopeless)
            if found.hopeless:
                low = middle + 1
            elif middle and self.walk.settled(path.node(0)):
                break
            else:
                high = middle


class _TippingPoint:
    """How much detail nodes have where they stop failing, as far as the nodes checked so far say."""

    def __init__(self) -> None:
        self._detail = math.nan
        self._first: dict[bool, float] = {}  # the detail of a hopeless node and of another one

    def find(self, details: Floats, low: int, high: int) -> int:
        """Which node of a part of a path is likely to be the first that is not hopeless; the middle one as long as
        nothing is known."""
        if math.isnan(self._detail):
            return (low + high) // 2
        return min(low + int((details[low:high] > self._detail).sum()), high - 1)

    def learn(self, detail: float, *, hopeless: bool) -> None:
        """Take note of a node."""
        if len(self._first) < 2:
            self._first[hopeless] = detail
            self._detail = sum(self._first.values()) / 2 if len(self._first) == 2 else math.nan
        elif hopeless == (detail <= self._detail):
            self._detail += LEARNED * (detail - self._detail)
