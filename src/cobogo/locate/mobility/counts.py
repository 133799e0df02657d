"""People added up: the histograms of the model, each with the most that one person can change of it.

A person is one person in every histogram. Where a histogram is of a person's many calls, these share one whole: each
bin gets its part in units of 1/`WHOLE`, rounded down, so that nobody counts for more than one whole however much they
call. So the sensitivity (L1, one person more or less) is 1 or `WHOLE`, for any records whatever.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from cobogo.floor.arrays import Ints
from cobogo.locate.mobility.bounded import Bounded
from cobogo.locate.mobility.habits import AWAY, PATTERNS, STATES, Habits
from cobogo.locate.mobility.space import CALLS, KINDS, PERIODS, REACHES, SPREADS, Space, period_of, reach_of

WHOLE = 10_080
"""Units of one person in histograms of calls."""

SHARES: dict[str, Fraction] = {
    "home": Fraction(4, 24), "work": Fraction(3, 24), "commute": Fraction(4, 24), "activity": Fraction(2, 24),
    "times": Fraction(2, 24), "days": Fraction(2, 24), "presence": Fraction(3, 24), "outings": Fraction(2, 24),
    "places": Fraction(2, 24),
}  # fmt: skip
"""The parts of the model and what share of ε each is given. They sum to 1."""

ABOUT = {
    "home": "people by the cell they live in",
    "work": "people by the cell they work in",
    "commute": "people by the area of their home and the distance to their work",
    "activity": "people by when they call, how much a day, and how unevenly",
    "times": "calls by kind of caller, kind of day and hour",
    "days": "days by how far one works from home, kind of day, calls, and which of home, work and elsewhere they saw",
    "presence": "calls by what their day saw, the hour, and whether from home, from work or from elsewhere",
    "outings": "calls from elsewhere by period of the day and distance from home",
    "places": "calls from elsewhere by period of the day and cell",
}


class Shape(NamedTuple):
    """The public form of a histogram: its axes, and a coarser histogram that is released beside it.

    ``parent`` numbers, for each bin, the coarse bin that it lies in; ``alike`` says that, before anything is known,
    the bins of a coarse one are taken to be alike, as places are: they are when noise is all that tells them apart.
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


def shapes(space: Space) -> dict[str, Shape]:
    """The form of every part: it follows from what is declared, never from the data."""
    cells, areas, far = len(space.cells), space.areas, space.distances
    kinds, times = len(KINDS), len(PERIODS)
    activity = (kinds, len(space.rates), len(SPREADS) + 1)
    days = (len(REACHES) + 1, 2, len(CALLS) + 1, PATTERNS)
    presence = (PATTERNS, 24, len(STATES))
    pattern, hour, state = np.indices(presence).reshape(3, -1)
    return {
        "home": Shape((cells,), space.area_of, 1, alike=True),
        "work": Shape((cells,), space.area_of, 1, alike=True),
        "commute": Shape((areas, far), np.tile(np.arange(far), areas), 1, alike=True),
        "activity": Shape(activity, np.tile(np.repeat(np.arange(activity[1]), activity[2]), kinds), 1),
        "times": Shape((kinds, 2, 24), np.tile(np.arange(2 * 24), kinds), WHOLE),
        "days": Shape(days, np.tile(np.arange(days[2] * days[3]), days[0] * 2), WHOLE),
        "presence": Shape(presence, (pattern * times + period_of(hour)) * len(STATES) + state, WHOLE, alike=True),
        "outings": Shape((times, far), np.tile(np.arange(far), times), WHOLE),
        "places": Shape(
            (times, cells), (np.arange(times)[:, None] * areas + space.area_of[None]).ravel(), WHOLE, alike=True
        ),
    }


def counts(records: Bounded, found: Habits, space: Space) -> dict[str, Ints]:
    """The exact histograms. They go nowhere but into noise."""
    forms = shapes(space)
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


def _people(shape: Shape, *axes: Ints) -> Ints:
    """One person in one bin."""
    return np.bincount(np.ravel_multi_index(axes, shape.axes), minlength=shape.bins).astype(np.int64)


def _wholes(shape: Shape, user: Ints, *axes: Ints) -> Ints:
    """Each person's calls as parts of one whole, rounded down."""
    total = np.zeros(shape.bins, dtype=np.int64)
    if not len(user):
        return total
    pair, times = np.unique(user * shape.bins + np.ravel_multi_index(axes, shape.axes), return_counts=True)
    whose, at = np.divmod(pair, shape.bins)
    np.add.at(total, at, WHOLE * times // np.bincount(user)[whose])
    return total
