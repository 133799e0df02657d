"""Scenes that location attacks are tried on."""

from __future__ import annotations

import numpy as np

from cobogo.floor.randomness import Seeded
from cobogo.locate.attacks import (
    Scene,
)
from cobogo.locate.attacks.crowds import Crossings
from cobogo.locate.attacks.homes import is_night, is_working_hour
from cobogo.locate.mechanisms.base import Released, no_cost
from cobogo.locate.places.points import Points
from support.stand_ins import HERE, scattered, square


def scene(truth: Points, mechanism, seed: int = 1, grid=None, **more) -> Scene:
    grid = grid or square()
    return Scene(truth, mechanism.apply(truth, Seeded(seed)), grid, mechanism, **more)


def lives(people: int = 12, days: int = 5, seed: int = 1) -> tuple[Points, Points]:
    """People at home by night and at work by day, from Monday to Friday, and where their homes are."""
    rng = np.random.default_rng(seed)
    homes, works = scattered(people, square(40, 100.0), seed), scattered(people, square(40, 100.0), seed + 1)
    hours = (np.arange(days * 24) + 96) * 3600.0  # 5 January 1970 was a Monday
    night, work = is_night(hours), is_working_hour(hours)
    lon, lat, time, user = [], [], [], []
    for one in range(people):
        place = np.where(work, 1, np.where(night, 0, 2))
        lon.append(np.choose(place, [homes.lon[one], works.lon[one], homes.lon[one] + 0.01 * rng.normal()]))
        lat.append(np.choose(place, [homes.lat[one], works.lat[one], homes.lat[one] + 0.01 * rng.normal()]))
        time.append(hours)
        user.append(np.full(len(hours), f"{one:02}"))
    whole = [np.concatenate(part) for part in (lon, lat, time, user)]
    return Points.from_columns(whole[0], whole[1], time=whole[2], user=whole[3]), homes


def cloaked(truth: Points, k: int) -> Released:
    """The rectangle about each person's k nearest, themselves included: the cloak that Kalnis et al. warn of, grown to
    be as far from the person on every side."""
    x, y = HERE.metres(truth.lon, truth.lat)
    away = np.hypot(x[:, None] - x, y[:, None] - y)
    reach = np.sort(away, axis=1)[:, k - 1] + 0.5
    west, south = HERE.degrees(x - reach, y - reach)
    east, north = HERE.degrees(x + reach, y + reach)
    return Released(truth, no_cost(truth), box=(west, south, east, north))


def cloaked_by_time(truth: Points, k: int) -> Released:
    sides = [np.empty(len(truth)) for _ in range(4)]
    for moment in np.unique(truth.time):
        rows = np.flatnonzero(truth.time == moment)
        box = cloaked(truth.take(rows), k).box
        for whole, part in zip(sides, box, strict=True):
            whole[rows] = part
    return Released(truth, no_cost(truth), box=tuple(sides))


def crossing(n: int, seed: int, gap: float) -> Crossings:
    rng = np.random.default_rng(seed)
    angle, turned = rng.uniform(0, 2 * np.pi, n), rng.normal(np.pi, 0.2, n)
    into = HERE.degrees(200 * np.cos(angle), 200 * np.sin(angle))
    out = HERE.degrees(200 * np.cos(angle + turned), 200 * np.sin(angle + turned))
    start = np.arange(n) * gap
    metres = Points(*into).distance(Points(*out))
    entries = Points(*into, start, np.arange(n))
    shuffled = rng.permutation(n)
    exits = Points(*out, start + metres / rng.lognormal(np.log(1.4), 0.1, n), np.arange(n)).take(shuffled)
    return Crossings(entries, exits, shuffled)
