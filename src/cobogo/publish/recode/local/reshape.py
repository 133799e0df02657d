"""Improving an assignment of whole tuples under any models: regions are dissolved and their classes chosen again.

Regions and candidates are those of `improve`, but the models themselves check all candidates of a region at once.
"""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.kernels import kernel
from cobogo.promises.models.base import Scope
from cobogo.promises.models.check import failing_classes
from cobogo.publish.recode.contract.assignment import Assignment
from cobogo.publish.recode.contract.problem import tally
from cobogo.publish.recode.local.improve import ROUNDING, Improver
from cobogo.publish.recode.local.region import RegionGround, choose_region, covers, dissolve, find_candidates
from cobogo.publish.recode.local.terrain import Terrain

# Set when the search was written; no sweep of them is on record (see `improve`).

ROWS, BUDGET = 300, 6_000
"""Rows of a region, and rows times nodes, where classes need only few records: the latter less than in `improve`, since
the models check all candidates."""
RAISES = 3
"""How often a region is widened: as in `improve`."""
NOISE = 0.3
"""How far candidates are shuffled out of the order of their costs: as in `improve`."""
LEFT_AT_MOST = 8
"""Tuples without a class, after all candidates, for which an open class is still searched. Each costs a check of the
models for every open class; with more, another region is the better use of the time."""
STEPS = 10
"""Of one run: bounds the time between two looks at the clock. A step takes longer than one of `improve`."""


@kernel()
def _seed(number):  # type: ignore[no-untyped-def]
    np.random.seed(number)


class Reshaper(Improver):
    """An assignment in the making, each tuple's records together."""

    rows, budget = ROWS, BUDGET

    def __init__(self, terrain: Terrain, ground: RegionGround, assignment: Assignment) -> None:
        super().__init__(terrain, ground, assignment)
        self.models = [model for model in terrain.problem.models if model.scope is Scope.CLASS]
        self.random = np.random.default_rng(0)
        _seed(0)

    def warm_up(self) -> None:
        """Compile what is not compiled yet."""
        self.run(1, heat=0.0)

    def run(self, steps: int = STEPS, *, heat: float) -> None:  # noqa: ARG002 - only better ones are taken
        """Some more steps."""
        for _ in range(steps):
            self.steps += 1
            self.idle = 0 if self._step() else self.idle + 1

    def _step(self) -> bool:
        state, work, ground = self.state, self.work, self.ground
        dear = np.flatnonzero(state.size * state.cost > 0)
        if not len(dear):
            self.idle = 1 << 40
            return False
        number = int(self.random.choice(dear))
        levels = state.levels[number].copy()
        count = choose_region(ground, work, int(state.first[number]), levels, RAISES, self.budget)
        if count == 0:
            return False
        paid, records = dissolve(state, work, levels, count, self.steps)
        if records < 2 * ground.least or paid == 0:
            return False
        found = find_candidates(ground, work, levels, count, self.steps)
        owners = self._choose_classes(count, found)
        opened, places = np.unique(owners[work.free[:count] > 0], return_inverse=True)
        if not len(opened) or opened[0] < 0:
            return False
        total = float((work.cost[opened][places] * work.free[:count][work.free[:count] > 0]).sum())
        if total >= paid - ROUNDING or len(opened) > state.vacant[0]:
            return False
        self._commit(count, opened, places)
        return True

    def _choose_classes(self, count: int, found: int) -> Ints:
        """Choose each row's candidate: the cheapest that hold and share no rows; then again for the remaining rows."""
        work = self.work
        lengths = work.end[:found] - work.begin[:found]
        members = work.members[: int(lengths.sum())]
        owners = np.repeat(np.arange(found), lengths)
        score = work.cost[:found] * np.exp(NOISE * self.random.random() * self.random.standard_normal(found))
        homes = np.where(work.free[:count] > 0, -1, found)  # rows without free records need none
        while (homes < 0).any():
            open_now = homes[members] < 0
            members, owners = members[open_now], owners[open_now]
            holds = self._holds(work.rows[members], owners, found)
            opened = _disjoint(members, owners, holds, score, homes)
            if not opened:
                self._join_open(homes, count, found)
                break
        return homes

    def _holds(self, rows: Ints, ids: Ints, groups: int) -> Mask:
        """Which groups of tuples would hold as classes; an empty one does not."""
        problem = self.terrain.problem
        numbers, places = np.unique(ids, return_inverse=True)
        holds = np.zeros(groups, dtype=np.bool_)
        if len(numbers):
            part = tally(problem, rows, places, len(numbers), problem.histograms_needed)
            holds[numbers] = ~failing_classes(self.models, part)
        return holds

    def _join_open(self, homes: Ints, count: int, found: int) -> None:
        """Put rows without a class into the cheapest open class that covers them and holds with them."""
        work = self.work
        left = np.flatnonzero(homes < 0)
        if len(left) > LEFT_AT_MOST:
            return
        opened = np.unique(homes[(homes >= 0) & (homes < found)])
        for i in left.tolist():
            for candidate in opened[np.argsort(work.cost[opened])].tolist():
                first = work.rows[work.members[work.begin[candidate]]]
                if not covers(self.ground, work.node_levels[work.node[candidate]], first, work.rows[i]):
                    continue
                rows = np.append(work.rows[:count][homes == candidate], work.rows[i])
                if self._holds(rows, np.zeros(len(rows), dtype=np.int64), 1)[0]:
                    homes[i] = candidate
                    break

    def _commit(self, count: int, opened: Ints, places: Ints) -> None:
        state, work = self.state, self.work
        rows = work.rows[:count][work.free[:count] > 0]
        gone = np.unique(state.home[rows, 0])
        state.size[gone] = 0
        state.unused[state.vacant[0] : state.vacant[0] + len(gone)] = gone
        state.vacant[0] += len(gone)
        numbers = state.unused[state.vacant[0] - len(opened) : state.vacant[0]].copy()
        state.vacant[0] -= len(opened)
        state.levels[numbers] = work.node_levels[work.node[opened]]
        state.first[numbers] = work.rows[work.members[work.begin[opened]]]
        state.cost[numbers] = work.cost[opened]
        state.home[rows, 0] = numbers[places]
        np.add.at(state.size, numbers[places], state.held[rows, 0])


def _disjoint(members: Ints, owners: Ints, holds: Mask, score: Floats, homes: Ints) -> bool:
    """Open candidates that hold, the best first, each only if none of its rows was taken; whether any held."""
    good = np.flatnonzero(holds)
    bounds = np.searchsorted(owners, np.arange(len(holds) + 1))
    for candidate in good[np.argsort(score[good], kind="stable")].tolist():
        own = members[bounds[candidate] : bounds[candidate + 1]]
        if (homes[own] < 0).all():
            homes[own] = candidate
    return bool(len(good))
