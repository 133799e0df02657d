"""The lives and days of made-up people: where they sleep, work or study, which places they visit, when and how they go.

A day is six stays with five trips between them: home, the day's place, a stop on the way back, home, an evening out,
home. A stay that does not take place is spent where the person already is. A trip bends once, as streets do, along the
grid of Fortaleza's avenues; it is slower by bus than by car, and slower for all at the hours when everybody travels.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cobogo.examples.places import BAIRROS, SITES
from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.mobility.sample import draw_columns
from cobogo.studies.fortaleza.land import FRAME, centres, jobs, move_to_land, on_land, random_places, residents

WORKS, STUDIES, STAYS = 0, 1, 2
"""What fills a person's weekdays."""

SHARES = (0.55, 0.25, 0.20)
"""Shares of workers, of pupils and students, and of those who do neither."""

NIGHT = 0.05
"""The share of workers who work by night."""

COMMUTE = 6_500.0
"""Metres of distance for which a job attracts a person e times less."""

HABITS = 3
"""Places besides home and work that each person goes to."""

PUPILS_OF_A_SCHOOL = 6_000
"""Residents for whom there is one school (and for each third school a small clinic)."""


class Lives(NamedTuple):
    """People, as arrays of one entry each; places in metres on the ground's `FRAME`."""

    bairro: Ints
    occupation: Ints
    by_night: NDArray[np.bool_]
    home: Floats
    """Two columns: east and north."""
    daily: Floats
    """Where they work or study; their home, for those who do neither."""
    habits: Floats
    """For each person `HABITS` places, two columns each."""
    clinic: Floats
    car: NDArray[np.bool_]


class Sites(NamedTuple):
    """Points of interest, real ones and made-up schools and small clinics: kind, name and metres."""

    kind: list[str]
    name: list[str]
    place: Floats

    def numbers_of(self, *kinds: str) -> Ints:
        """The numbers of the sites of some kinds."""
        return np.flatnonzero(np.isin(self.kind, kinds))


@cache
def sites() -> Sites:
    """Every point of interest. The made-up ones are always at the same places."""
    kind, name, lon, lat = map(list, zip(*SITES, strict=True))
    random = np.random.default_rng(85)  # the area code: the map of the example does not change with its people
    schools = np.repeat(np.arange(len(BAIRROS)), 1 + (residents() / PUPILS_OF_A_SCHOOL).astype(np.int64))
    health = schools[::3]
    bairros = list(BAIRROS)
    kinds = [*kind, *["school"] * len(schools), *["clinic"] * len(health)]
    names = [*name, *(f"School in {bairros[at]}" for at in schools), *(f"Clinic in {bairros[at]}" for at in health)]
    made = np.column_stack(random_places(np.concatenate((schools, health)), random))
    return Sites(kinds, names, np.concatenate((np.column_stack(FRAME.metres(np.array(lon), np.array(lat))), made)))


@cache
def commutes() -> Floats:
    """For each bairro of residence, the probability of each bairro to be that of work: jobs that distance discounts."""
    demand = 900 * jobs() + 0.12 * residents()
    place = np.column_stack(FRAME.metres(*centres()))
    away = np.linalg.norm(place[:, np.newaxis] - place[np.newaxis], axis=2)
    weights = demand * np.exp(-away / COMMUTE)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def lives(number: int, random: np.random.Generator) -> Lives:
    """That many people."""
    bairro = random.choice(len(BAIRROS), number, p=residents() / residents().sum()).astype(np.int64)
    occupation = random.choice(3, number, p=SHARES).astype(np.int64)
    home = np.column_stack(random_places(bairro, random))
    daily = home.copy()
    works = np.flatnonzero(occupation == WORKS)
    daily[works] = np.column_stack(random_places(draw_columns(commutes(), bairro[works], random), random))
    studies = np.flatnonzero(occupation == STUDIES)
    grown = random.random(len(studies)) < 0.2
    daily[studies[grown]] = _near(home[studies[grown]], "university", reach=9_000.0, random=random)
    daily[studies[~grown]] = _near(home[studies[~grown]], "school", reach=900.0, random=random)
    daily += np.where((occupation != STAYS)[:, np.newaxis], random.normal(0.0, 25.0, daily.shape), 0.0)
    ordinary = ("shops", "park", "culture", "stadium", "school", "transport")
    habits = [_near(home, *ordinary, reach=1_500.0, random=random)]
    habits += [
        _near(home, "shops", "beach", "park", "culture", reach=5_000.0, random=random) for _ in range(HABITS - 1)
    ]
    return Lives(
        bairro=bairro,
        occupation=occupation,
        by_night=(occupation == WORKS) & (random.random(number) < NIGHT),
        home=home,
        daily=daily,
        habits=np.stack(habits, axis=1),
        clinic=_near(home, "clinic", reach=2_500.0, random=random),
        car=random.random(number) < 0.4,
    )


def _near(home: Floats, *kinds: str, reach: float, random: np.random.Generator) -> Floats:
    """For each home a site of some kinds: the nearer the likelier, e times less for every ``reach`` metres.

    The probabilities are those of the middle of the home's square kilometre, so that they are computed once for each.
    """
    place = sites().place[sites().numbers_of(*kinds)]
    block, member = np.unique((home // 1_000.0).astype(np.int64), axis=0, return_inverse=True)
    away = np.linalg.norm((block + 0.5)[:, np.newaxis] * 1_000.0 - place[np.newaxis], axis=2)
    weights = np.exp(-(away - away.min(axis=1, keepdims=True)) / reach)
    return np.asarray(place[draw_columns(weights / weights.sum(axis=1, keepdims=True), member.ravel(), random)])


HOUR = 3_600.0
DAY = 24 * HOUR
WALK, BUS, CAR = 4.6 / 3.6, 15.0 / 3.6, 27.0 / 3.6
"""Metres in a second. Waiting for the bus comes on top."""

WALKABLE = 1_000.0
"""Metres up to which everybody walks."""

INLAND = np.column_stack(FRAME.metres([-38.489], [-3.745]))[0]
"""Where trips turn that would otherwise cross the bay of Mucuripe: in the Cocó."""

AVENUES = np.radians(12.0)
"""How far the streets' grid is turned from the points of the compass."""


class Itineraries(NamedTuple):
    """Where each person's path bends, and when: a row a person, times not falling along it."""

    time: Floats
    """Seconds since the first midnight."""
    x: Floats
    y: Floats

    def positions_at(self, person: Ints, time: Floats) -> tuple[Floats, Floats]:
        """Metres east and north of each of the people at each of the times.

        All paths lie end to end on one line of time, each long enough not to reach into the next, so that one
        interpolation answers for everybody.
        """
        if not len(person):
            return np.empty(0), np.empty(0)
        length = float(self.time[:, -1].max(initial=0.0)) + DAY
        line = (self.time + np.arange(len(self.time))[:, np.newaxis] * length).ravel()
        moment = np.clip(time, self.time[person, 0], self.time[person, -1]) + person * length
        return move_to_land(np.interp(moment, line, self.x.ravel()), np.interp(moment, line, self.y.ravel()))


def itineraries(people: Lives, days: int, first_weekday: int, random: np.random.Generator) -> Itineraries:
    """The paths of people over days, of which the first is a Monday for ``first_weekday`` 0."""
    places, leave = _plans(people, days, first_weekday, random)
    number = len(people.home)
    start, end = places[:, :, :-1], places[:, :, 1:]
    corner = _corner(start, end, random)
    first = np.linalg.norm(corner - start, axis=-1)
    length = first + np.linalg.norm(end - corner, axis=-1)
    took = _duration(length, leave, people.car, random)
    arrive, leave = _order_trips(leave, took)
    bend = leave + (arrive - leave) * np.divide(first, length, out=np.zeros_like(first), where=length > 0)
    midnight = np.arange(days)[np.newaxis, :, np.newaxis] * DAY
    shift = np.where(people.by_night, 12 * HOUR, 0.0)[:, np.newaxis]
    time = (np.stack((leave, bend, arrive), axis=-1) + midnight[..., np.newaxis]).reshape(number, 15 * days) + shift
    path = np.stack((start, corner, end), axis=3).reshape(number, 15 * days, 2)
    # A night worker's first morning, and everybody's night before the first trip, are spent where that trip begins.
    time = np.concatenate((np.zeros((number, 1)), time, np.full((number, 1), (days + 1) * DAY)), axis=1)
    path = np.concatenate((path[:, :1], path, path[:, -1:]), axis=1)
    return Itineraries(np.maximum.accumulate(time, axis=1), path[:, :, 0].copy(), path[:, :, 1].copy())


def _plans(people: Lives, days: int, first_weekday: int, random: np.random.Generator) -> tuple[Floats, Floats]:
    """For each person and day the places of six stays and the hours at which five of them are meant to end."""
    number = len(people.home)
    shape = (number, days)
    weekday = (np.arange(days) + first_weekday) % 7
    saturday, sunday = weekday == 5, weekday == 6
    does = people.occupation[:, np.newaxis]
    usual = random.normal(0.0, 0.7, (number, 1))  # whoever rises early does so every day
    at_work = (does == WORKS) & (random.random(shape) < np.select([saturday, sunday], [0.35, 0.12], 0.94))
    at_school = (does == STUDIES) & (random.random(shape) < np.where(saturday | sunday, 0.0, 0.92))
    in_the_morning = random.random((number, 1)) < 0.6
    habit = people.habits[np.arange(number)[:, np.newaxis, np.newaxis], random.integers(0, 3, (*shape, 3))]
    out = random.random(shape) < np.where(saturday | sunday, 0.7, np.where(does == STAYS, 0.75, 0.45))
    ill = random.random(shape) < 0.012
    busy = at_work | at_school
    home = np.broadcast_to(people.home[:, np.newaxis], (*shape, 2))
    daily = np.where(busy[..., np.newaxis], people.daily[:, np.newaxis], home)
    daily = np.where((out & ~busy)[..., np.newaxis], habit[:, :, 0], daily)
    daily = np.where(ill[..., np.newaxis], people.clinic[:, np.newaxis], daily)
    stop = np.where((random.random(shape) < np.where(busy, 0.25, 0.1))[..., np.newaxis], habit[:, :, 1], daily)
    evening = random.random(shape) < np.select([saturday, sunday], [0.4, 0.25], 0.16)
    places = np.stack((home, daily, stop, home, np.where(evening[..., np.newaxis], habit[:, :, 2], home), home), axis=2)
    begin = np.select([at_work, at_school], [7.3, np.where(in_the_morning, 6.7, 12.4)], 9.5) + usual
    stays = np.select([at_work, at_school], [9.2, 4.8], 2.2)
    begin = begin + random.normal(0.0, 0.35, shape)
    leave = np.stack(
        (
            begin,
            begin + stays + random.normal(0.0, 0.6, shape),
            begin + stays + 1.2 + random.normal(0.0, 0.3, shape),
            19.3 + random.normal(0.0, 0.5, shape),
            21.6 + random.normal(0.0, 0.6, shape),
        ),
        axis=2,
    )
    return places, np.clip(leave, 4.0, 22.5) * HOUR


def _corner(start: Floats, end: Floats, random: np.random.Generator) -> Floats:
    """Where a trip turns: along one direction of the avenues first, then along the other; over land if either way is,
    and else by the bridges inland of the port."""
    along = np.array([np.cos(AVENUES), np.sin(AVENUES)])
    across = np.array([-np.sin(AVENUES), np.cos(AVENUES)])
    swapped = random.random((*start.shape[:-1], 1)) < 0.5
    go = end - start
    one = start + (go * along).sum(axis=-1, keepdims=True) * along
    two = start + (go * across).sum(axis=-1, keepdims=True) * across
    corner = np.where(swapped, two, one)
    other = np.where(swapped, one, two)
    for instead in (other, np.broadcast_to(INLAND, start.shape)):
        wet = _wet(start, corner, end)
        corner[wet] = instead[wet]
    return np.asarray(corner)


def _wet(start: Floats, corner: Floats, end: Floats) -> NDArray[np.bool_]:
    """Which trips leave the land somewhere on their way."""
    wet = np.zeros(start.shape[:-1], dtype=np.bool_)
    moves = (start != end).any(axis=-1)
    a, b, c = start[moves], corner[moves], end[moves]
    found = np.zeros(len(a), dtype=np.bool_)
    for part in np.linspace(0.1, 1.0, 10):
        found |= ~on_land(*(a + (b - a) * part).T) | ~on_land(*(b + (c - b) * (1 - part)).T)
    wet[moves] = found
    return wet


def _duration(length: Floats, leave: Floats, car: NDArray[np.bool_], random: np.random.Generator) -> Floats:
    """Seconds that trips take."""
    hour = leave / HOUR
    crowded = 1 + 0.45 * np.exp(-(((hour - 7.5) / 1.1) ** 2)) + 0.5 * np.exp(-(((hour - 18.0) / 1.3) ** 2))
    by_car = 120.0 + length / CAR * crowded
    by_bus = 480.0 + length / BUS * crowded
    ride = np.where(car[:, np.newaxis, np.newaxis], by_car, by_bus) * random.uniform(0.9, 1.2, length.shape)
    return np.where(length == 0, 0.0, np.where(length < WALKABLE, length / WALK, ride))


def _order_trips(leave: Floats, took: Floats) -> tuple[Floats, Floats]:
    """Arrivals and departures, where nobody leaves before having arrived."""
    arrive = np.empty_like(leave)
    left = np.empty_like(leave)
    earliest = np.zeros(leave.shape[:2])
    for trip in range(leave.shape[2]):
        left[:, :, trip] = np.maximum(leave[:, :, trip], earliest)
        arrive[:, :, trip] = left[:, :, trip] + took[:, :, trip]
        earliest = arrive[:, :, trip] + np.where(took[:, :, trip] > 0, 15 * 60.0, 0.0)
    return arrive, left
