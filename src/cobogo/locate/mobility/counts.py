"""Habits of each person from their own records (home, work, how much and when they call), and histograms of people.

A person counts as one in every histogram. In histograms of calls a person's calls share one whole: each bin gets its
part in units of 1/`WHOLE`, rounded down. So the sensitivity (L1, one person more or less) is 1 or `WHOLE` for any
records.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr
from cobogo.locate.mobility.space import (
    BUSIEST_HOURS,
    CALLS,
    NIGHT,
    PERIODS,
    REACHES,
    SPREADS,
    WORK,
    BoundedCalls,
    Space,
    in_window,
    period_of,
    reach_of,
)

AT_HOME, AT_WORK, AWAY = 0, 1, 2
"""Where a call is made from."""

STATES = ("home", "work", "away")

PATTERNS = 7
"""Which of the three a day has: any combination but none."""


class Habits(NamedTuple):
    """One entry a person, and for each record where it was made from."""

    home: Ints
    """The cell most used by night; of all, for those who never call by night."""
    work: Ints
    """The cell most used in working hours of weekdays; their home, for those who never call then."""
    kind: Ints
    """When they call most: a number of `BUSIEST_HOURS`."""
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


def habits(records: BoundedCalls, space: Space) -> Habits:
    """The habits of everybody who has a record."""
    by_night = in_window(records.hour, NIGHT)
    at_work = in_window(records.hour, WORK) & (space.free[records.day] == 0)
    home = _favourite(records, by_night, space)
    work = np.where(np.bincount(records.user, at_work, records.people) > 0, _favourite(records, at_work, space), home)
    day_of = records.user * space.days + records.day
    own_home, own_work = home[records.user] == records.cell, work[records.user] == records.cell
    by_kind = [
        np.bincount(records.user, in_window(records.hour, window), records.people) for window in BUSIEST_HOURS.values()
    ]
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


def _favourite(records: BoundedCalls, counted: NDArray[np.bool_], space: Space) -> Ints:
    """Each person's most used cell in the ``counted`` records; ties go to the most used in all, then to the lowest
    number."""
    pair, member = np.unique(records.user * len(space.cells) + records.cell, return_inverse=True)
    user, cell = np.divmod(pair, len(space.cells))
    often = np.bincount(member, counted, len(pair))
    ever = np.bincount(member, minlength=len(pair))
    order = np.lexsort((cell, -ever, -often, user))
    first = np.flatnonzero(np.diff(user[order], prepend=-1))
    return np.asarray(cell[order][first], dtype=np.int64)


WHOLE = 10_080
"""Units of one person in histograms of calls: divisible by most numbers of calls, so that rounding down loses
little."""

SHARES: dict[str, Fraction] = {
    "home": Fraction(4, 24), "work": Fraction(3, 24), "commute": Fraction(4, 24), "activity": Fraction(2, 24),
    "times": Fraction(2, 24), "days": Fraction(2, 24), "presence": Fraction(3, 24), "outings": Fraction(2, 24),
    "places": Fraction(2, 24),
}  # fmt: skip
"""The parts of the model and their shares of ε, which sum to 1. Homes and commutes get most: errors in them move people
by kilometres."""

ABOUT = {
    "home": tr("people by the cell in which they live"),
    "work": tr("people by the cell in which they work"),
    "commute": tr("people by the area of their home and the distance to their work"),
    "activity": tr("people by when they call, how often a day, and how regularly"),
    "times": tr("calls by kind of caller, kind of day and hour"),
    "days": tr(
        "days by the distance from home to work, kind of day, number of calls, and whether there were calls from home, "
        "from work and from elsewhere"
    ),
    "presence": tr("calls by the places of their day, the hour, and whether from home, from work or from elsewhere"),
    "outings": tr("calls from elsewhere by period of the day and distance from home"),
    "places": tr("calls from elsewhere by period of the day and cell"),
}


class HistogramShape(NamedTuple):
    """The public form of a histogram: its axes, and a coarser histogram that is released beside it.

    ``parent`` is the coarse bin of each bin; ``alike`` says that the bins of a coarse bin are similar a priori, as
    places are, so that differences no larger than the noise are reduced.
    """

    axes: tuple[int, ...]
    parent: Ints
    sensitivity: int
    alike: bool = False

    @property
    def bins(self) -> int:
        """How many bins there are."""
        return len(self.parent)

    @property
    def parents(self) -> int:
        """How many coarse bins there are."""
        return int(self.parent.max()) + 1


def histogram_shapes(space: Space) -> dict[str, HistogramShape]:
    """The shape of every part: it follows from the declarations, never from the data."""
    cells, areas, far = len(space.cells), space.areas, space.distances
    kinds, times = len(BUSIEST_HOURS), len(PERIODS)
    activity = (kinds, len(space.rates), len(SPREADS) + 1)
    days = (len(REACHES) + 1, 2, len(CALLS) + 1, PATTERNS)
    presence = (PATTERNS, 24, len(STATES))
    pattern, hour, state = np.indices(presence).reshape(3, -1)
    return {
        "home": HistogramShape((cells,), space.area_of, 1, alike=True),
        "work": HistogramShape((cells,), space.area_of, 1, alike=True),
        "commute": HistogramShape((areas, far), np.tile(np.arange(far), areas), 1, alike=True),
        "activity": HistogramShape(activity, np.tile(np.repeat(np.arange(activity[1]), activity[2]), kinds), 1),
        "times": HistogramShape((kinds, 2, 24), np.tile(np.arange(2 * 24), kinds), WHOLE),
        "days": HistogramShape(days, np.tile(np.arange(days[2] * days[3]), days[0] * 2), WHOLE),
        "presence": HistogramShape(
            presence, (pattern * times + period_of(hour)) * len(STATES) + state, WHOLE, alike=True
        ),
        "outings": HistogramShape((times, far), np.tile(np.arange(far), times), WHOLE),
        "places": HistogramShape(
            (times, cells), (np.arange(times)[:, None] * areas + space.area_of[None]).ravel(), WHOLE, alike=True
        ),
    }


def counts(records: BoundedCalls, found: Habits, space: Space) -> dict[str, Ints]:
    """The exact histograms. They are only used to add noise to them."""
    forms = histogram_shapes(space)
    user, hour = records.user, records.hour
    apart = space.distance_bin(found.home, found.work)
    reach = reach_of(apart)[user]
    free = space.free[records.day]
    first = np.flatnonzero(np.diff(user * space.days + records.day, prepend=-1))  # the first record of each day
    away = np.flatnonzero(found.state == AWAY)
    caller, cell, time = user[away], records.cell[away], period_of(hour[away])
    far = space.distance_bin(found.home[caller], cell)
    return {
        "home": _people(forms["home"], found.home),
        "work": _people(forms["work"], found.work),
        "commute": _people(forms["commute"], space.area_of[found.home], apart),
        "activity": _people(forms["activity"], found.kind, found.rate, found.spread),
        "times": _wholes(forms["times"], user, found.kind[user], free, hour),
        "days": _wholes(
            forms["days"], user[first], reach[first], free[first], found.calls[first], found.pattern[first]
        ),
        "presence": _wholes(forms["presence"], user, found.pattern, hour, found.state),
        "outings": _wholes(forms["outings"], caller, time, far),
        "places": _wholes(forms["places"], caller, time, cell),
    }


def _people(shape: HistogramShape, *axes: Ints) -> Ints:
    """One person in one bin."""
    return np.bincount(np.ravel_multi_index(axes, shape.axes), minlength=shape.bins).astype(np.int64)


def _wholes(shape: HistogramShape, user: Ints, *axes: Ints) -> Ints:
    """Each person's calls as parts of one whole, rounded down."""
    total = np.zeros(shape.bins, dtype=np.int64)
    if not len(user):
        return total
    pair, times = np.unique(user * shape.bins + np.ravel_multi_index(axes, shape.axes), return_counts=True)
    whose, at = np.divmod(pair, shape.bins)
    np.add.at(total, at, WHOLE * times // np.bincount(user)[whose])
    return total
