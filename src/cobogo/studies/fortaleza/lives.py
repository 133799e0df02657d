"""Who lives in the made-up Fortaleza: where each person sleeps, works or studies, and which places are a habit."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cobogo.examples.places import BAIRROS, SITES
from cobogo.floor.arrays import Floats, Ints
from cobogo.locate.mobility.sample import draw_columns
from cobogo.studies.fortaleza.land import FRAME, centres, jobs, random_places, residents

WORKS, STUDIES, STAYS = 0, 1, 2
"""What fills a person's weekdays."""

SHARES = (0.55, 0.25, 0.20)
"""Of workers, of pupils and students, and of those whom neither calls away."""

NIGHT = 0.05
"""The share of workers who work by night."""

COMMUTE = 6_500.0
"""Metres after which a job draws a person e times less."""

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

    def of(self, *kinds: str) -> Ints:
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
    place = sites().place[sites().of(*kinds)]
    block, member = np.unique((home // 1_000.0).astype(np.int64), axis=0, return_inverse=True)
    away = np.linalg.norm((block + 0.5)[:, np.newaxis] * 1_000.0 - place[np.newaxis], axis=2)
    weights = np.exp(-(away - away.min(axis=1, keepdims=True)) / reach)
    return np.asarray(place[draw_columns(weights / weights.sum(axis=1, keepdims=True), member.ravel(), random)])
