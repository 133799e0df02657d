"""Improving an assignment whose classes only need to be large enough: regions are dissolved and solved again."""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.kernels import kernel
from cobogo.publish.recode.contract.assignment import Assignment
from cobogo.publish.recode.local.prices import NEARLY_ALL, settle_prices
from cobogo.publish.recode.local.rebuild import RegionDraft, commit, draft_solution
from cobogo.publish.recode.local.region import (
    AssignmentState,
    RegionGround,
    RegionWork,
    choose_region,
    dissolve,
    find_candidates,
)
from cobogo.publish.recode.local.terrain import Terrain

# The numbers below were set when the search was written; `benchmarks.local` measures what they yield on the Adult
# extract. No sweep of them is on record, so the comments say what each trades or bounds. None of them touches what is
# promised: every result is checked by the plain reference before it is kept.

SLOTS = 12
"""Classes that one tuple's records may be spread over. Bounds memory (two whole numbers a slot and tuple) and the inner
loops; a solution that would need more is thrown away (`rebuild._fits`). There are more where the start needs them."""
ROWS, ROWS_PER_RECORD, MOST_ROWS = 250, 10, 2500
"""The rows of a region: the more the larger its classes must be, for a region of a few classes leaves nothing to
choose. Larger regions find better solutions and take longer; the last bounds what one step may take."""
BUDGET, BUDGET_PER_RECORD, MOST_BUDGET = 20_000, 500, 1_000_000
"""Of a region's rows times the nodes of its lattice: bounds the candidate classes, and so the time of a step and the
memory of `RegionWork`."""
RAISES, ROUNDS, TRIES = 3, 20, 3
"""How often a region is widened, its prices are corrected, and it is solved by them. More of each makes a step better,
and leaves time for fewer steps."""
SEEDS = 1000
"""Tuples that are looked at for one that is not released as it is: bounds a step where nearly all are."""
STEPS = 200
"""Of one call of the compiled loop: bounds the time between two looks at the clock."""
HEAT = 0.003
"""What a region may become worse by at first: about a tenth of what one record costs. As in simulated annealing, it
falls to 0 as the time runs out: worse steps at first lead out of local optima, and at the end none is taken."""
IDLE, IDLE_PER_CLASS = 400, 20
"""Steps without a better region after which the search ends, so that a small table does not use up its time in vain: by
then each class has been the seed of twenty regions on average."""
NOISE = 0.3
"""Candidates are opened in the order of their costs, each times exp(noise · normal), the noise itself drawn from 0 to
this: from strictly greedy to a shuffle by a third, so that the tries of one region differ."""
THRESHOLD, THRESHOLD_SPAN = 0.1, 0.7
"""How often the prices must have wanted a candidate (`RegionWork.wanted`) to be opened first, drawn from 0.1 to 0.8:
low, and the order of costs decides; high, and the prices do. Each try draws its own, so that tries differ."""
GENEROUS, GENEROUS_SPAN = 1.0, 0.6
"""How much more than its price a record is counted to pay where a class that is too small asks whether loans are worth
while, drawn from 1 to 1.6: at 1, a class opens only if the prices alone pay for it, and they are those of a lower
bound."""
ROUNDING = 1e-12
"""By this much a solution must be cheaper, so that rounding never passes for a gain."""


@kernel()
def sort(score, order, count):  # type: ignore[no-untyped-def]
    """Sort the numbers up to ``count`` by their scores (Shell 1959; NumPy's sort takes seconds to compile)."""
    for i in range(count):
        order[i] = i
    gap = count // 2
    while gap > 0:
        for i in range(gap, count):
            number = order[i]
            place = i
            while place >= gap and score[order[place - gap]] > score[number]:
                order[place] = order[place - gap]
                place -= gap
            order[place] = number
        gap //= 2


@kernel()
def improve_steps(ground, state, work, draft, offset, steps, budget, heat):  # type: ignore[no-untyped-def]
    """Dissolve a region and solve it again, so many times; how many became better."""
    np.random.seed(offset)
    changed = 0
    price = np.zeros(len(work.rows))
    best_price = np.zeros(len(work.rows))
    cover = np.zeros(len(work.rows))
    extra = np.zeros(len(work.rows), np.int64)
    score = np.zeros(len(work.cost))
    order = np.zeros(len(work.cost), np.int64)
    levels = np.zeros(state.levels.shape[1], np.int64)
    for number in range(steps):
        step = offset + number + 1
        row, slot = -1, -1
        for _ in range(SEEDS):
            one = np.random.randint(len(state.home))
            for other in range(state.home.shape[1]):
                home = state.home[one, other]
                if home >= 0 and state.cost[home] > 0:
                    row, slot = one, other
            if row >= 0:
                break
        if row < 0:
            continue
        for column in range(len(levels)):
            levels[column] = state.levels[state.home[row, slot], column]
        count = choose_region(ground, work, row, levels, RAISES, budget)
        if count == 0:
            continue
        paid, records = dissolve(state, work, levels, count, step)
        if records < 2 * ground.least or paid == 0:
            continue
        found = find_candidates(ground, work, levels, count, step)
        for i in range(count):
            price[i] = state.price[work.rows[i]]
        bound = settle_prices(work, price, best_price, cover, extra, ground.least, count, found, ROUNDS, paid)
        for i in range(count):
            state.price[work.rows[i]] = price[i]
        if bound > NEARLY_ALL * paid:
            continue  # no solution of this region gains more than half a percent
        # Worse by an exponentially distributed amount is accepted, as by Metropolis: −heat · ln u.
        best, best_seed = paid - ROUNDING - heat * np.log(np.random.random()), -1
        best_threshold, best_generous = 0.0, 0.0
        # The draft has room for one solution: the best try is remembered by its seed, and drawn once more at the end.
        for attempt in range(TRIES + 1):
            last = attempt == TRIES
            if last:
                if best_seed < 0:
                    break
                np.random.seed(best_seed)
                threshold, generous = best_threshold, best_generous
            else:
                this_seed = np.random.randint(1 << 30)
                threshold = THRESHOLD + THRESHOLD_SPAN * np.random.random()
                generous = GENEROUS + GENEROUS_SPAN * np.random.random()
                np.random.seed(this_seed)
            noise = NOISE * np.random.random()
            for candidate in range(found):
                score[candidate] = work.cost[candidate] * np.exp(noise * np.random.normal())
            sort(score, order, found)
            total = draft_solution(ground, state, work, draft, price, count, found, order, threshold, generous)
            if not last and total < best:
                best, best_seed, best_threshold, best_generous = total, this_seed, threshold, generous
        if best_seed >= 0:
            commit(state, work, draft, count)
            changed += best < paid - ROUNDING
        np.random.seed(step)  # so that the next region does not depend on how many tries this one took
    return changed


class Improver:
    """An assignment in the making."""

    rows, budget = ROWS, BUDGET  # of a region, for the smallest classes

    def __init__(self, terrain: Terrain, ground: RegionGround, assignment: Assignment) -> None:
        least = ground.least
        rows = min(self.rows + ROWS_PER_RECORD * least, MOST_ROWS)
        budget = min(self.budget + BUDGET_PER_RECORD * least, MOST_BUDGET)
        self.terrain, self.assignment = terrain, assignment
        self.state = _state(terrain, assignment)
        self.ground = ground
        self.work = _work(len(self.state.size), terrain.leaves.shape[1], rows, budget)
        self.draft = _draft(self.state, len(self.work.rows), least)
        self.budget = budget
        self.steps = 0
        self.idle = 0
        self.reprice(terrain)
        self.state.price[:] = _mean_costs(self.state)

    @property
    def exhausted(self) -> bool:
        """Whether so many steps changed nothing that another is not worth its time."""
        return self.idle > IDLE + IDLE_PER_CLASS * int((self.state.size > 0).sum())

    def warm_up(self) -> None:
        """Compile what is not compiled yet."""
        self.run(0, heat=0.0)

    def reprice(self, terrain: Terrain) -> None:
        """Go on with other costs."""
        self.terrain = terrain
        self.ground = self.ground._replace(costs=terrain.costs)
        columns = np.arange(terrain.leaves.shape[1])
        cells = terrain.starts[columns, self.state.levels] + terrain.leaves[self.state.first]
        self.state.cost[:] = np.where(self.state.size > 0, terrain.costs[cells].sum(axis=1), 0.0)

    def run(self, steps: int = STEPS, *, heat: float) -> None:
        """Some more steps. ``heat``, from 1 to 0: how willingly something slightly worse is taken."""
        changed = improve_steps(
            self.ground, self.state, self.work, self.draft, self.steps, steps, self.budget, HEAT * heat
        )
        self.steps += steps
        self.idle = 0 if changed else self.idle + steps

    def result(self) -> Assignment:
        """What there is now."""
        tuples, slots = np.nonzero(self.state.home >= 0)
        state, lost = self.state, self.assignment.owners < 0
        return Assignment(
            self.terrain.problem,
            state.levels.astype(np.int32),
            self.terrain.leaves[state.first],
            np.concatenate([tuples, self.assignment.tuples[lost]]),
            np.concatenate([state.home[tuples, slots], self.assignment.owners[lost]]),
            np.concatenate([state.held[tuples, slots], self.assignment.counts[lost]]),
        ).canonical()


def _mean_costs(state: AssignmentState) -> Floats:
    held = state.held.sum(axis=1)
    cost = np.where(state.home >= 0, state.cost[state.home], 0.0)
    return np.where(held > 0, (state.held * cost).sum(axis=1) / np.maximum(held, 1), 0.0)


def _state(terrain: Terrain, assignment: Assignment) -> AssignmentState:
    rows, width = terrain.leaves.shape
    kept = assignment.owners >= 0
    tuples, owners, counts = assignment.tuples[kept], assignment.owners[kept], assignment.counts[kept]
    order = np.argsort(tuples, kind="stable")
    tuples, owners, counts = tuples[order], owners[order], counts[order]
    slot = np.arange(len(tuples)) - np.searchsorted(tuples, tuples)
    slots = max(SLOTS, int(slot.max(initial=0)) + 1)
    home = np.full((rows, slots), -1, dtype=np.int64)
    held = np.zeros((rows, slots), dtype=np.int64)
    home[tuples, slot], held[tuples, slot] = owners, counts
    classes = len(assignment)
    room = max(rows, classes) + 1024  # a region may open more classes than it dissolves, for a while
    levels = np.zeros((room, width), dtype=np.int64)
    levels[:classes] = assignment.levels
    first = np.zeros(room, dtype=np.int64)
    first[owners] = tuples
    size = np.zeros(room, dtype=np.int64)
    size[:classes] = assignment.sizes
    unused = np.arange(room, dtype=np.int64)
    vacant = room - classes
    unused[:vacant] = np.arange(classes, room)
    return AssignmentState(
        home, held, levels, first, size, np.zeros(room), unused, np.array([vacant], dtype=np.int64), np.zeros(rows)
    )


def region_ground(terrain: Terrain, least: int) -> RegionGround:
    """The ground of a terrain for classes of at least so many records."""
    problem = terrain.problem
    random = np.random.default_rng(0)
    tokens = np.zeros(len(terrain.names), dtype=np.uint64)
    begin = np.zeros(len(terrain.names), dtype=np.int64)
    end = np.zeros(len(terrain.names), dtype=np.int64)
    under = []
    place = 0
    for column, h in enumerate(problem.hierarchies):
        own = random.integers(1, 2**63, sum(len(labels) for labels in h.labels) + 1, dtype=np.uint64)
        for level in range(h.height + 1):
            start = terrain.starts[column, level]
            names = terrain.names[start : start + len(h.leaves)]
            tokens[start : start + len(h.leaves)] = own[names]
            here = names[terrain.leaves[:, column]]
            order = np.argsort(here, kind="stable")
            begin[start : start + len(h.leaves)] = place + np.searchsorted(here[order], names, side="left")
            end[start : start + len(h.leaves)] = place + np.searchsorted(here[order], names, side="right")
            under.append(order)
            place += len(order)
    return RegionGround(
        least, np.array(problem.lowest, dtype=np.int64), np.array(problem.highest, dtype=np.int64),
        terrain.leaves, terrain.starts, terrain.names, terrain.costs, tokens, begin, end, np.concatenate(under),
    )  # fmt: skip


def _work(classes: int, width: int, rows: int, budget: int) -> RegionWork:
    def whole(size: int) -> Ints:
        return np.zeros(size, dtype=np.int64)

    table = 1 << (4 * rows).bit_length()  # hash tables at most a quarter full: probes stay short
    found = budget // 2  # a candidate has at least two members, so there are no more in the budget
    sets = 1 << (2 * found).bit_length()
    return RegionWork(
        rows=whole(rows), free=whole(rows), paid=np.zeros(rows), seen=whole(classes),
        inside=np.zeros(classes, dtype=np.bool_), node=whole(found), begin=whole(found), end=whole(found),
        cost=np.zeros(found), wanted=np.zeros(found), members=whole(budget + rows),
        node_levels=np.zeros((budget + 1, width), dtype=np.int64), sums=np.zeros((width, rows), dtype=np.uint64),
        table_key=np.zeros(table, dtype=np.uint64), table_step=whole(table), table_group=whole(table),
        set_key=np.zeros(sets, dtype=np.uint64), set_step=whole(sets), set_candidate=whole(sets),
        group=whole(rows), group_size=whole(rows), group_rows=whole(rows), group_first=whole(rows),
        group_set=np.zeros(rows, dtype=np.uint64), counters=whole(1),
    )  # fmt: skip


def _draft(state: AssignmentState, rows: int, least: int) -> RegionDraft:
    classes, slots = len(state.size), state.home.shape[1]

    def whole(size: int) -> Ints:
        return np.zeros(size, dtype=np.int64)

    room = 8 * rows + 4 * least  # parcels of a draft; one that needs more is not made
    return RegionDraft(
        candidate=whole(2 * rows), size=whole(2 * rows), cost=np.zeros(2 * rows), left=whole(rows), head=whole(rows),
        after=whole(room), owner=whole(room), amount=whole(room), taken=np.zeros((rows, slots), dtype=np.int64),
        change=whole(classes), loan_row=whole(least), loan_from=whole(least), loan_count=whole(least), made=whole(2),
    )  # fmt: skip
