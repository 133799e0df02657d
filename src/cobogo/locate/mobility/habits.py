"""What a person's own records tell of them: home, work, how much and when they call. Nobody else's records matter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Ints
from cobogo.locate.mobility.bounded import Bounded
from cobogo.locate.mobility.space import CALLS, KINDS, NIGHT, SPREADS, WORK, Space, between

AT_HOME, AT_WORK, AWAY = 0, 1, 2
"""Where a call is made from."""

STATES = ("home", "work", "away")

PATTERNS = 7
"""What a day can have seen of the three: any but none."""


class Habits(NamedTuple):
    """One entry a person, and for each record where it was made from."""

    home: Ints
    """The cell most used by night; of all, for those who never call by night."""
    work: Ints
    """The cell most used in working hours of weekdays; their home, for those who never call then."""
    kind: Ints
    """When they call most: a number of `KINDS`."""
    rate: Ints
    """The bin of their calls a day."""
    spread: Ints
    """How uneven their days are."""
    state: Ints
    """Of each record: `AT_HOME`, `AT_WORK` or `AWAY`."""
    pattern: Ints
    """Of each record, which of the three its day saw: 1 for home, 2 for work and 4 for away, added up, less 1."""
    calls: Ints
    """Of each record, the bin of the number of calls of its day."""


def habits(records: Bounded, space: Space) -> Habits:
    """The habits of everybody who has a record."""
    by_night = between(records.hour, NIGHT)
    at_work = between(records.hour, WORK) & (space.free[records.day] == 0)
    home = _favourite(records, by_night, space)
    work = np.where(np.bincount(records.user, at_work, records.people) > 0, _favourite(records, at_work, space), home)
    day_of = records.user * space.days + records.day
    own_home, own_work = home[records.user] == records.cell, work[records.user] == records.cell
    by_kind = [np.bincount(records.user, between(records.hour, window), records.people) for window in KINDS.values()]
    daily = np.bincount(day_of, minlength=records.people * space.days)
    daily = daily.reshape(records.people, space.days)
    mean = daily.mean(axis=1)
    state = np.select([own_home, own_work], [AT_HOME, AT_WORK], AWAY).astype(np.int64)
    seen = np.zeros(daily.size, dtype=np.int64)
    for which in (AT_HOME, AT_WORK, AWAY):
        seen[day_of[state == which]] |= 1 << which
    uneven = np.sqrt(daily.var(axis=1) / np.maximum(mean, 1e-9))
    return Habits(
        home=home,
        work=work,
        kind=np.argmax(np.stack(by_kind, axis=1), axis=1).astype(np.int64),
        rate=np.minimum(np.searchsorted(space.rates, mean), len(space.rates) - 1).astype(np.int64),
        spread=np.searchsorted(np.array(SPREADS), uneven).astype(np.int64),
        state=state,
        pattern=seen[day_of] - 1,
        calls=np.searchsorted(np.array(CALLS), daily.ravel()[day_of]).astype(np.int64),
    )


def _favourite(records: Bounded, counted: NDArray[np.bool_], space: Space) -> Ints:
    """Each person's most used cell in the records that count; then in all; then the one of the lowest number."""
    pair, member = np.unique(records.user * len(space.cells) + records.cell, return_inverse=True)
    user, cell = np.divmod(pair, len(space.cells))
    often = np.bincount(member, counted, len(pair))
    ever = np.bincount(member, minlength=len(pair))
    order = np.lexsort((cell, -ever, -often, user))
    first = np.flatnonzero(np.diff(user[order], prepend=-1))
    return np.asarray(cell[order][first], dtype=np.int64)
