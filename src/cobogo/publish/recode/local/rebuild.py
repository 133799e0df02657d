"""Solving a region again: a draft opens candidates, by prices and at random, and is committed if it is better."""

from __future__ import annotations

from typing import NamedTuple

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.kernels import kernel
from cobogo.publish.recode.local.region import covers

INFINITE = 1.0e300
"""What a region costs that has no solution: above any cost, and finite, so that sums stay numbers."""


class RegionDraft(NamedTuple):
    """A new solution of a region. New class ``o`` is candidate ``candidate[o]``; a row's parcels are a linked list.

    A parcel's owner is a new class, or −2 − c for class ``c`` that reaches beyond the region.
    """

    candidate: Ints
    size: Ints
    cost: Floats
    left: Ints  # by row: free records without a class
    head: Ints  # by row
    after: Ints  # by parcel
    owner: Ints
    amount: Ints
    taken: Ints  # by row and slot: records taken out of classes beyond the region
    change: Ints  # by class beyond the region: records more than it had
    loan_row: Ints
    loan_from: Ints
    loan_count: Ints
    made: Ints  # 0: new classes, 1: parcels


@kernel()
def _add(draft, i, owner, count):  # type: ignore[no-untyped-def]
    parcel = draft.made[1]
    draft.owner[parcel] = owner
    draft.amount[parcel] = count
    draft.after[parcel] = draft.head[i]
    draft.head[i] = parcel
    draft.made[1] += 1


@kernel()
def _spare(ground, state, work, draft, i, slot):  # type: ignore[no-untyped-def]
    """The records of a slot that a class beyond the region can do without."""
    home = state.home[work.rows[i], slot]
    if home < 0 or work.inside[home]:
        return 0
    spare = state.size[home] + draft.change[home] - ground.least
    return min(state.held[work.rows[i], slot] - draft.taken[i, slot], spare)


@kernel()
def _borrow(ground, state, work, draft, candidate, missing, gain):  # type: ignore[no-untyped-def]
    """Bring a candidate to the least size with records that other classes can spare, the dearest first.

    Returns how many loans there are and what the candidate gains with them; where it gains nothing, all are given back.
    """
    cost = work.cost[candidate]
    loans = 0
    while missing > 0:
        dearest, best, source, most = -1.0, -1, 0, 0
        for place in range(work.begin[candidate], work.end[candidate]):
            i = work.members[place]
            for slot in range(state.home.shape[1]):
                home = state.home[work.rows[i], slot]
                if home >= 0 and not work.inside[home] and state.cost[home] > dearest:
                    spare = _spare(ground, state, work, draft, i, slot)
                    if spare > 0:
                        dearest, best, source, most = state.cost[home], i, slot, spare
            parcel = draft.head[i]
            while parcel >= 0:
                owner = draft.owner[parcel]
                spare = min(draft.amount[parcel], draft.size[owner] - ground.least)
                if spare > 0 and draft.cost[owner] > dearest:
                    dearest, best, source, most = draft.cost[owner], i, -1 - parcel, spare
                parcel = draft.after[parcel]
        if best < 0 or loans == len(draft.loan_row):
            break
        count = min(most, missing)
        missing -= count
        gain += count * (dearest - cost)
        draft.loan_row[loans], draft.loan_from[loans], draft.loan_count[loans] = best, source, count
        loans += 1
        _lend(state, work, draft, best, source, count)
        if gain <= 0:
            break
    if missing > 0 or gain <= 0:
        for loan in range(loans):
            _lend(state, work, draft, draft.loan_row[loan], draft.loan_from[loan], -draft.loan_count[loan])
        return 0, 0.0
    return loans, gain


@kernel()
def _lend(state, work, draft, i, source, count):  # type: ignore[no-untyped-def]
    if source >= 0:
        draft.taken[i, source] += count
        draft.change[state.home[work.rows[i], source]] -= count
    else:
        draft.amount[-1 - source] -= count
        draft.size[draft.owner[-1 - source]] -= count


@kernel()
def draft_solution(ground, state, work, draft, price, count, found, order, threshold, generous):  # type: ignore[no-untyped-def]
    """Draft a solution: open candidates in an order, first those wanted at least as often as ``threshold``, until every
    record has a class.

    Returns the cost of the free records, with the extra cost of loans; infinite where there is no solution.
    """
    draft.made[0] = 0
    draft.made[1] = 0
    unplaced = 0
    for i in range(count):
        draft.left[i] = work.free[i]
        unplaced += work.free[i]
        draft.head[i] = -1
        for slot in range(state.home.shape[1]):
            draft.taken[i, slot] = 0
            home = state.home[work.rows[i], slot]
            if home >= 0:
                draft.change[home] = 0
    total = 0.0
    room = len(draft.amount)
    for turn in range(2 * found):
        if unplaced == 0:
            break
        candidate = order[turn % found]
        if turn < found and work.wanted[candidate] < threshold:
            continue
        cost = work.cost[candidate]
        size, gain = 0, 0.0
        for place in range(work.begin[candidate], work.end[candidate]):
            i = work.members[place]
            if draft.left[i] > 0:
                size += draft.left[i]
                gain += draft.left[i] * (generous * price[i] - cost)
        if size == 0 or draft.made[1] + 2 * (work.end[candidate] - work.begin[candidate]) + ground.least > room:
            continue
        new = draft.made[0]
        if size < ground.least:
            if gain <= 0:
                continue
            loans, gain = _borrow(ground, state, work, draft, candidate, ground.least - size, gain)
            if loans == 0:
                continue
            for loan in range(loans):
                i, source = draft.loan_row[loan], draft.loan_from[loan]
                was = (
                    state.cost[state.home[work.rows[i], source]]
                    if source >= 0
                    else draft.cost[draft.owner[-1 - source]]
                )
                total += draft.loan_count[loan] * (cost - was)
                _add(draft, i, new, draft.loan_count[loan])
            draft.size[new] = ground.least
        else:
            draft.size[new] = size
        draft.candidate[new] = candidate
        draft.cost[new] = cost
        draft.made[0] += 1
        for place in range(work.begin[candidate], work.end[candidate]):
            i = work.members[place]
            if draft.left[i] > 0:
                _add(draft, i, new, draft.left[i])
                draft.left[i] = 0
        total += size * cost
        unplaced -= size
    if unplaced:
        total += _place_rest(ground, state, work, draft, count)
    if total < INFINITE:
        total += _cheaper_homes(ground, state, work, draft, count)
        if not _fits(state, work, draft, count):
            return INFINITE
    return total


@kernel()
def _cheapest_new(ground, work, draft, row, below):  # type: ignore[no-untyped-def]
    """The cheapest new class that covers a tuple and costs less than ``below``; −1 where there is none."""
    best = -1
    for new in range(draft.made[0]):
        if draft.cost[new] < below:
            candidate = draft.candidate[new]
            first = work.rows[work.members[work.begin[candidate]]]
            if covers(ground, work.node_levels[work.node[candidate]], first, row):
                best, below = new, draft.cost[new]
    return best


@kernel()
def _place_rest(ground, state, work, draft, count):  # type: ignore[no-untyped-def]
    """Put each record that no new class took into the cheapest class met in the region that covers it."""
    total = 0.0
    for i in range(count):
        if draft.left[i] == 0:
            continue
        row = work.rows[i]
        new = _cheapest_new(ground, work, draft, row, INFINITE)
        below = draft.cost[new] if new >= 0 else INFINITE
        old = -1
        for near in range(count):
            for slot in range(state.home.shape[1]):
                home = state.home[work.rows[near], slot]
                if home < 0 or work.inside[home] or state.cost[home] >= below:
                    continue
                if covers(ground, state.levels[home], state.first[home], row):
                    old, below = home, state.cost[home]
        if below == INFINITE or draft.made[1] == len(draft.amount):
            return INFINITE
        if old >= 0:
            draft.change[old] += draft.left[i]
            _add(draft, i, -2 - old, draft.left[i])
        else:
            draft.size[new] += draft.left[i]
            _add(draft, i, new, draft.left[i])
        total += draft.left[i] * below
        draft.left[i] = 0
    return total


@kernel()
def _cheaper_homes(ground, state, work, draft, count):  # type: ignore[no-untyped-def]
    """Move records that classes can spare to cheaper new classes; returns the saving, as a number below 0."""
    saved = 0.0
    for i in range(count):
        row = work.rows[i]
        for slot in range(state.home.shape[1]):
            spare = _spare(ground, state, work, draft, i, slot)
            if spare > 0 and draft.made[1] < len(draft.amount):
                home = state.home[row, slot]
                new = _cheapest_new(ground, work, draft, row, state.cost[home])
                if new >= 0:
                    _lend(state, work, draft, i, slot, spare)
                    draft.size[new] += spare
                    saved += spare * (draft.cost[new] - state.cost[home])
                    _add(draft, i, new, spare)
        parcel = draft.head[i]
        while parcel >= 0:
            owner = draft.owner[parcel]
            if owner >= 0 and draft.made[1] < len(draft.amount):
                spare = min(draft.amount[parcel], draft.size[owner] - ground.least)
                if spare > 0:
                    new = _cheapest_new(ground, work, draft, row, draft.cost[owner])
                    if new >= 0:
                        draft.amount[parcel] -= spare
                        draft.size[owner] -= spare
                        draft.size[new] += spare
                        saved += spare * (draft.cost[new] - draft.cost[owner])
                        _add(draft, i, new, spare)
            parcel = draft.after[parcel]
    return saved


@kernel()
def _fits(state, work, draft, count):  # type: ignore[no-untyped-def]
    """Whether no tuple has more parcels than there are slots."""
    slots = state.home.shape[1]
    for i in range(count):
        row = work.rows[i]
        needed = 0
        for slot in range(slots):
            home = state.home[row, slot]
            if home >= 0 and not work.inside[home] and state.held[row, slot] > draft.taken[i, slot]:
                needed += 1
        parcel = draft.head[i]
        while parcel >= 0:
            needed += draft.amount[parcel] > 0
            parcel = draft.after[parcel]
        if needed > slots:
            return False
    return draft.made[0] <= state.vacant[0]


@kernel()
def commit(state, work, draft, count):  # type: ignore[no-untyped-def]
    """Write the draft into the state."""
    for i in range(count):
        row = work.rows[i]
        for slot in range(state.home.shape[1]):
            home = state.home[row, slot]
            if home < 0:
                continue
            gone = state.held[row, slot] if work.inside[home] else draft.taken[i, slot]
            state.size[home] -= gone
            state.held[row, slot] -= gone
            if state.held[row, slot] == 0:
                state.home[row, slot] = -1
            if gone and state.size[home] == 0:
                state.unused[state.vacant[0]] = home
                state.vacant[0] += 1
    for new in range(draft.made[0]):
        if draft.size[new] == 0:
            draft.candidate[new] = -1
            continue
        state.vacant[0] -= 1
        number = state.unused[state.vacant[0]]
        candidate = draft.candidate[new]
        for column in range(state.levels.shape[1]):
            state.levels[number, column] = work.node_levels[work.node[candidate], column]
        state.first[number] = work.rows[work.members[work.begin[candidate]]]
        state.cost[number] = draft.cost[new]
        state.size[number] = 0
        draft.candidate[new] = number
    for i in range(count):
        parcel = draft.head[i]
        while parcel >= 0:
            if draft.amount[parcel] > 0:
                owner = draft.owner[parcel]
                number = -2 - owner if owner < 0 else draft.candidate[owner]
                _hold(state, work.rows[i], number, draft.amount[parcel])
            parcel = draft.after[parcel]


@kernel()
def _hold(state, row, number, count):  # type: ignore[no-untyped-def]
    place = -1
    for slot in range(state.home.shape[1]):
        if state.home[row, slot] == number:
            place = slot
            break
        if state.home[row, slot] < 0 and place < 0:
            place = slot
    state.home[row, place] = number
    state.held[row, place] += count
    state.size[number] += count
