"""Made-up people, drawn from a model: their homes, works, outings and calls. Post-processing: it costs no ε.

A person gets a home; a distance to work, by the home's area; a work at about that distance; how much and when they
call; a few places to go to, by their distance from home. Every call gets an hour and is made from home, from work or
from the day's outing: a day has one, as most have.

A cell is chosen among those at a drawn distance. With the counts as weights, cells that many people can reach would get
too many: so the weights are scaled until the cells get what the counts say (iterative proportional fitting). It uses
nothing but the released model.

For comparison there are OnTheMap's synthetic commuters: for each destination, origins drawn from a Dirichlet posterior.
Such a draw is one from Pólya's urn, which needs whole numbers only: a ball is drawn, and put back with another of its
kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, expm1

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.randomness import Entropy, Source, source
from cobogo.locate.mobility.areas import Journeys
from cobogo.locate.mobility.counts import (
    AT_HOME,
    AT_WORK,
    BUSIEST_HOURS,
    CALLS,
    PATTERNS,
    PERIODS,
    SPREADS,
    STATES,
    Space,
    period_of,
    reach_of,
)
from cobogo.locate.mobility.model import MobilityModel, fit_model
from cobogo.locate.places.cells import Calls
from cobogo.promises.accounting import Amount, loss_of


def draw_columns(weights: Floats, row: Ints, random: np.random.Generator) -> Ints:
    """Draw a column for each entry of ``row``, in proportion to that row's weights; uniformly where all are zero.

    One search in all rows laid end to end. The draws are floats: for made-up people and for post-processing, never for
    noise that privacy rests on.

    >>> draw_columns(np.array([[0.0, 1.0], [3.0, 0.0]]), np.array([0, 1, 1]), np.random.default_rng(1)).tolist()
    [1, 0, 0]
    """
    bounds = np.cumsum(weights, axis=1, dtype=np.float64)
    nothing = bounds[:, -1] <= 0
    bounds[nothing] = np.arange(1, weights.shape[1] + 1)
    bounds /= bounds[:, -1:]
    line = (bounds + np.arange(len(bounds))[:, np.newaxis]).ravel()
    found = np.searchsorted(line, row + random.random(len(row)), side="right") - row * weights.shape[1]
    # At the end of a row a rounded draw may fall beyond the last column with a weight.
    last = weights.shape[1] - 1 - np.argmax(np.where(nothing[:, np.newaxis], 1, weights)[:, ::-1] > 0, axis=1)
    return np.asarray(np.minimum(found, last[row]))


ROUNDS = 12
"""Rounds of scaling: the error that is left after them is far below the noise."""

FASTEST = 1e3
"""By how much a round may raise a weight. Where next to nobody's distances lead to a cell, it cannot get what is
wanted, and its weight would grow until it is no number."""

MOST_CELLS = 3_000
"""Cells up to which weights are fitted: memory and time grow with their square."""


def attraction(space: Space, home: Floats, probabilities: Floats, wanted: Floats) -> Floats:
    """Weights of cells with which people end up in cells in the proportions ``wanted``, when they start at ``home``
    (counts by cell) and draw a bin of distance by ``probabilities`` (a row a cell)."""
    cells, bins = len(space.cells), space.distances
    if cells > MOST_CELLS or wanted.sum() <= 0 or home.sum() <= 0:
        return wanted
    every = np.arange(cells)
    slot = (space.distance_bin(every[:, np.newaxis], every[np.newaxis]) + every[:, np.newaxis] * bins).ravel()
    leaves = (home[:, np.newaxis] / home.sum() * probabilities).ravel()
    goal = wanted / wanted.sum()
    weights = goal
    for _ in range(ROUNDS):
        reach = np.bincount(slot, np.tile(weights, cells), cells * bins)
        sent = np.divide(leaves, reach, out=np.zeros_like(leaves), where=reach > 0)
        found = weights * sent[slot].reshape(cells, cells).sum(axis=0)
        total = found.sum()
        if total <= 0:
            return wanted
        share = np.maximum(found / total, goal / FASTEST)
        weights = weights * np.divide(goal, share, out=np.zeros_like(goal), where=found > 0)
        weights /= weights.sum()
    return np.asarray(weights)


OUTINGS = 3
"""Places, for each period of the day, that a person goes to in turn."""

UNEVEN = (0.5, 1.0, 2.0)
"""√(variance / mean) of calls a day for each class of `SPREADS`."""

AT_ONCE = 1 << 22
"""Weights that are in memory at a time: 32 MB."""


def sample(model: MobilityModel, people: int | None = None, *, seed: int | None = None) -> Calls:
    """Calls of so many made-up people (the model's estimate, unless given) on the declared days.

    Draws depend on the model alone, so that privacy does not depend on them; the generator starts with the system's
    entropy unless a seed is given.
    """
    number = model.people if people is None else people
    if number < 0:
        raise ValueError(f"The 'people' parameter of sample must not be negative. Got {number!r} instead")
    random = _generator(source(seed))
    space, counts = model.space, model.counts
    home = draw_columns(counts["home"][np.newaxis], np.zeros(number, np.int64), random)
    commute = _fill_empty_rows(counts["commute"])
    apart = draw_columns(commute, space.area_of[home], random)
    draw = attraction(space, counts["home"], _shares(commute)[space.area_of], counts["work"])
    work = draw_at_distance(space, home, apart, draw, random)
    activity = draw_columns(counts["activity"].reshape(1, -1), np.zeros(number, np.int64), random)
    kind, rate, spread = np.unravel_index(activity, (len(BUSIEST_HOURS), len(space.rates), len(SPREADS) + 1))
    user, day, calls = _days(space, rate, spread, random)
    free = space.free[day]
    hour = draw_columns(_fill_empty_rows(counts["times"].reshape(-1, 24)), kind[user] * 2 + free, random)
    state = _states(model, reach_of(apart)[user], free, calls, user * space.days + day, hour, random)
    cell = np.select([state == AT_HOME, state == AT_WORK], [home[user], work[user]], -1)
    away = np.flatnonzero(cell < 0)
    going = _outings(model, home, random)
    cell[away] = going[user[away], _period_of_day(user[away] * space.days + day[away], hour[away]), day[away] % OUTINGS]
    second = random.integers(0, 3_600, len(user))
    time = np.asarray(space.start + day * 86_400.0 + hour * 3_600.0 + second, dtype=np.float64)
    return Calls(user, time, cell.astype(np.int64), space.cells, tuple(map(str, range(1, number + 1)))).sort()


def draw_at_distance(space: Space, start: Ints, apart: Ints, weights: Floats, random: np.random.Generator) -> Ints:
    """Draw for each start a cell whose distance lies in a bin, in proportion to its weight. Where the bin has no cells,
    the nearest bin with cells is taken; where none of its cells has a weight, all are equally likely."""
    wanted, member = np.unique(start * space.distances + apart, return_inverse=True)
    found = np.empty(len(start), dtype=np.int64)
    order = np.argsort(member, kind="stable")
    step = max(1, AT_ONCE // len(space.cells))
    every = np.arange(len(space.cells))
    bounds = np.searchsorted(member[order], np.arange(0, len(wanted) + step, step))
    for number, first in enumerate(range(0, len(wanted), step)):
        here, bin_ = np.divmod(wanted[first : first + step], space.distances)
        off = np.abs(space.distance_bin(here[:, np.newaxis], every[np.newaxis]) - bin_[:, np.newaxis])
        ring = off == off.min(axis=1, keepdims=True)
        probabilities = ring * weights
        bare = probabilities.sum(axis=1) <= 0
        probabilities[bare] = ring[bare]
        rows = order[bounds[number] : bounds[number + 1]]
        found[rows] = draw_columns(probabilities, member[rows] - first, random)
    return found


def _generator(words: Source) -> np.random.Generator:
    return np.random.default_rng(words.words(4).tolist())


def _fill_empty_rows(counts: Floats) -> Floats:
    """Rows of counts; an empty row is replaced by the sum of all."""
    nobody = counts.sum(axis=1) <= 0
    return np.asarray(np.where(nobody[:, np.newaxis], counts.sum(axis=0), counts))


def _shares(counts: Floats) -> Floats:
    """Rows of counts as probabilities."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.full_like(counts, 1 / counts.shape[1]), where=total > 0))


def _days(space: Space, rate: Ints, spread: Ints, random: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Draw each person's number of calls for each day. Returns the person and the day of each call, and the number of
    calls of that day."""
    ends = np.concatenate(([min(1 / space.days, space.rates[0] / 2)], space.rates))
    mean = ends[rate] * (ends[rate + 1] / ends[rate]) ** random.random(len(rate))
    mean = np.broadcast_to(mean[:, np.newaxis], (len(rate), space.days))
    uneven = np.array(UNEVEN)[spread][:, np.newaxis]
    even = random.binomial(np.floor(mean / 0.75 + random.random(mean.shape)).astype(np.int64), 0.75)
    bursty = random.poisson(mean * random.gamma(np.maximum(mean, 1e-9) / 3, 3 / np.maximum(mean, 1e-9)))
    made = np.select([uneven < 1, uneven > 1], [even, bursty], random.poisson(mean))
    made = np.minimum(made, space.most_a_day)
    user = np.repeat(np.arange(len(rate), dtype=np.int64), made.sum(axis=1))
    day = np.repeat(np.tile(np.arange(space.days, dtype=np.int64), len(rate)), made.ravel())
    return user, day, np.repeat(made.ravel(), made.ravel())


def _states(
    model: MobilityModel, reach: Ints, free: Ints, calls: Ints, day: Ints, hour: Ints, random: np.random.Generator
) -> Ints:
    """Draw where each call is made from: first which of home, work and elsewhere its day has, then by the hour."""
    days = model.counts["days"].reshape(-1, PATTERNS)
    row = (reach * 2 + free) * (len(CALLS) + 1) + np.searchsorted(np.array(CALLS), calls)
    first = np.flatnonzero(np.diff(day, prepend=-1))
    pattern = np.repeat(draw_columns(_fill_empty_rows(days), row[first], random), np.diff(np.append(first, len(day))))
    holds = (np.arange(1, PATTERNS + 1)[:, np.newaxis] >> np.arange(len(STATES))) & 1
    probabilities = model.counts["presence"] * holds[:, np.newaxis]
    nothing = probabilities.sum(axis=2) <= 0
    probabilities[nothing] = np.broadcast_to(holds[:, np.newaxis], probabilities.shape)[nothing]
    probabilities = probabilities.reshape(-1, len(STATES))
    moment = pattern * 24 + hour
    number = np.cumsum(np.diff(day, prepend=-1) > 0) - 1
    return _complete_days(
        draw_columns(probabilities, moment, random), holds[pattern], number, probabilities[moment], random
    )


def _complete_days(state: Ints, wanted: Ints, day: Ints, probabilities: Floats, random: np.random.Generator) -> Ints:
    """Change some states so that each day has all that it should have, as far as its calls go: a call whose state
    another call of the day has as well, drawn by how likely it is in the missing state."""
    states = len(STATES)
    seen = np.bincount(day * states + state, minlength=(int(day.max(initial=-1)) + 1) * states).reshape(-1, states)
    for missing in range(states):
        spare = seen[day, state] > 1
        able = np.flatnonzero(spare & (wanted[:, missing] > 0) & (seen[day, missing] == 0))
        score = probabilities[able, missing] / random.standard_exponential(len(able))
        able = able[np.lexsort((score, day[able]))]
        last = able[np.flatnonzero(np.diff(day[able], append=-1))]
        seen[day[last], state[last]] -= 1
        seen[day[last], missing] += 1
        state[last] = missing
    return state


def _period_of_day(day: Ints, hour: Ints) -> Ints:
    """The period of the day by which the outing of a day is chosen: that of its first call."""
    first = np.flatnonzero(np.diff(day, prepend=-1))
    return np.repeat(period_of(hour[first]), np.diff(np.append(first, len(day))))


def _outings(model: MobilityModel, home: Ints, random: np.random.Generator) -> Ints:
    """Draw for each person and period of the day the cells that they go to in turn."""
    space, counts = model.space, model.counts
    going = np.empty((len(home), len(PERIODS), OUTINGS), dtype=np.int64)
    outings = _shares(_fill_empty_rows(counts["outings"]))
    for period in range(len(PERIODS)):
        probabilities = np.broadcast_to(outings[period], (len(space.cells), space.distances))
        places = attraction(space, counts["home"], probabilities, counts["places"][period])
        for turn in range(OUTINGS):
            far = draw_columns(outings[period][np.newaxis], np.zeros(len(home), np.int64), random)
            going[:, period, turn] = draw_at_distance(space, home, far, places, random)
    return going


@dataclass(frozen=True, eq=False)
class ModelAndCalls:
    """A released model and the calls of made-up people drawn from it."""

    model: MobilityModel
    calls: Calls


@card("dp-where", title="DP-WHERE", guide="where")
def dp_where(
    calls: Calls, space: Space, epsilon: Amount, *, people: int | None = None, seed: int | None = None
) -> ModelAndCalls:
    r"""DP-WHERE: a private model of how a city moves, learned from call records, and invented people who move by it.

    The unit of privacy is a person with all their records. Two data sets are neighbours if one has one person more.
    What a person can contribute is bounded by the declaration of the public ``space``. ``seed`` repeats the invented
    people, never the noise.

    Formula: $\tilde{h}_p = h_p + \mathrm{Lap}(\Delta_p / \varepsilon_p)$ for the histograms $p$ (homes, works by
        distance, calls a day, hours, places), $\sum_p \varepsilon_p = \varepsilon$
    Example:
        >>> from datetime import date
        >>> from cobogo.studies import fortaleza
        >>> calls = fortaleza.people(50, days=2, seed=1).calls()
        >>> made = dp_where(calls, Space(calls.cells, date(2024, 3, 4), 2, utc_offset=-3), epsilon=1, people=5, seed=1)
        >>> set(made.calls.user.tolist()) <= set(range(5))
        True

    Guarantee: ε-differential privacy for a person with all their records.
    Limits: The figures that compare invented with true people are not private. Cells, days and bounds must be declared
        without looking at the data.
    Cost: $O(r + c\,b)$ for r records, c cells and b bins.
    Paper: D. J. Mir, S. Isaacman, R. Cáceres, M. Martonosi and R. N. Wright, DP-WHERE: differentially private modeling
        of human mobility, IEEE Big Data 2013; after WHERE, S. Isaacman and others 2012.
    """
    model = fit_model(calls, space, loss_of(epsilon).amount)
    return ModelAndCalls(model, sample(model, people, seed=seed))


@card("on-the-map", title="OnTheMap’s synthetic commuters", guide="flows")
def draw_commuters(journeys: Journeys, epsilon: Amount, source: Source | None = None) -> Journeys:
    r"""Invented commuters: as many for each destination as go there, with origins from a Dirichlet posterior.

    To the people of a destination α invented ones are added in every origin. The more people go to a destination, the
    more invented ones it needs. Of a person with several journeys one counts, chosen at random.

    Formula: $p \sim \mathrm{Dirichlet}(n + \alpha)$ and $m$ draws from $p$ for the $m$ people of a destination, with
        $\alpha \ge \frac{m}{e^{\varepsilon} - 1}$
    Example: Every destination keeps its number of people.
        >>> from cobogo.studies import fortaleza
        >>> true = fortaleza.people(500, days=1).commutes()
        >>> made = draw_commuters(true, epsilon=2)
        >>> bool((np.bincount(made.destination) == np.bincount(true.destination)).all())
        True

    Guarantee: ε-differential privacy for the origin of each person, between tables in which one person has another
        origin. How many people go to each destination is published exactly.
    Limits: For comparison: with enough invented people for ε, the true ones hardly show. The paper therefore promises
        less, (ε, δ)-probabilistic differential privacy, with fewer invented people, and leaves out origins that are far
        away; neither is built here, because such a promise is lost when the release is processed further. `flows`
        promises more, and errs less unless there is little but noise.
    Cost: $O(n \log n)$ for n people.
    Paper: A. Machanavajjhala, D. Kifer, J. Abowd, J. Gehrke and L. Vilhuber, Privacy: theory meets practice on the map,
        ICDE 2008.
    """
    source = source or Entropy()
    one = journeys.bound(1, source)
    order = np.argsort(one.destination, kind="stable")
    people = np.bincount(one.destination, minlength=len(one.tree.places))
    made_up = np.array([pseudo_people(int(number), float(loss_of(epsilon).amount)) for number in people])
    destination = one.destination[order]
    first = (np.cumsum(people) - people)[destination]
    place, balls = np.arange(len(order)) - first, people + made_up * len(one.tree.places)
    drawn = below_each(balls[destination] + place, source)
    drawn = _follow_copies(drawn, balls[destination], first)
    true = drawn < people[destination]
    origin = one.origin[order][np.where(true, first + drawn, 0)]
    origin = np.where(true, origin, (drawn - people[destination]) // np.maximum(made_up[destination], 1))
    return Journeys(np.arange(len(order)), origin, destination, one.tree)


def pseudo_people(drawn: int, epsilon: float) -> int:
    """α: the least whole number of invented people in every origin with which so many draws reveal no more than ε about
    one person, m/(e^ε − 1).

    >>> pseudo_people(1000, 1.0)
    582
    """
    return ceil(drawn / expm1(epsilon) * (1 + 1e-12))


def below_each(bounds: Ints, source: Source) -> Ints:
    """Independent whole numbers, each below a bound of its own, all exactly equally likely."""
    limit = bounds.astype(np.uint64)
    words = np.array(source.words(len(limit)))
    last = np.uint64(2**64 - 1) - (np.uint64(2**64 - 1) % limit + np.uint64(1)) % limit
    while (beyond := np.flatnonzero(words > last)).size:
        words[beyond] = source.words(beyond.size)
    return (words % limit).astype(np.int64)


def _follow_copies(drawn: Ints, balls: Ints, first: Ints) -> Ints:
    """The ball of each draw. The number of a draw that is not below ``balls`` is a copy: of an earlier draw of the same
    urn, which begins at ``first``."""
    while (copies := np.flatnonzero(drawn >= balls)).size:
        drawn[copies] = drawn[first[copies] + drawn[copies] - balls[copies]]
    return drawn
