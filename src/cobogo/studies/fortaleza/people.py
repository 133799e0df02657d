"""People who move about in Fortaleza: made up, from a seed, for examples and tests.

They live where residents do, work where jobs are, study, shop, go to the beach at weekends and now and then to a
clinic. Nobody real was followed: what is learnt from them about Fortaleza is what was put in.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.examples.places import BAIRROS
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.files import holds_only, stage_directory
from cobogo.locate.mobility.areas import AreaTree, Journeys
from cobogo.locate.places.cells import Calls, Cells
from cobogo.locate.places.points import Points
from cobogo.studies.fortaleza.land import FRAME, move_to_land, towers
from cobogo.studies.fortaleza.lives import DAY, Itineraries, Lives, itineraries, lives

UTC_OFFSET = -3
"""Hours of Fortaleza's clock from UTC, summer and winter: there is no daylight saving time."""

FIRST_MIDNIGHT = 1_709_521_200.0
"""Monday, 4 March 2024, 00:00 in Fortaleza, in seconds since 1970 (UTC)."""

BY_HOUR = (1, 1, 0.5, 0.5, 0.5, 1.5, 5, 9, 12, 13, 13, 14, 15, 13, 13, 13, 14, 16, 17, 15, 12, 9, 5, 2)
"""How likely a call is in each hour of the day."""

FILES = ("points.csv", "calls.csv", "cells.csv", "commutes.csv", "areas.csv")
"""Trajectories (user, time, lon, lat), call records (user, time, cell), cells (cell, lon, lat), commutes (person,
origin, destination) and areas (area, zone, lon, lat). Times are UTC."""

ZONE = 4_000.0
"""Metres of the squares in which bairros are put together: about twenty zones."""


@dataclass(frozen=True, eq=False)
class CityPeople:
    """Made-up people and all they did. What attackers look for is known: `home`, `work` and `lives`."""

    lives: Lives
    itineraries: Itineraries
    days: int
    seed: int

    def __len__(self) -> int:
        return len(self.lives.home)

    @property
    def home(self) -> Points:
        """Where each person lives."""
        return _points(self.lives.home)

    @property
    def work(self) -> Points:
        """Where each person works or studies; their home, for those who do neither (`lives.occupation`)."""
        return _points(self.lives.daily)

    @property
    def bairro(self) -> list[str]:
        """The name of the bairro where each person lives."""
        names = list(BAIRROS)
        return [names[at] for at in self.lives.bairro]

    def positions_at(self, person: Ints, time: Floats, *, error: float = 0.0, stream: int = 0) -> Points:
        """Where people were, each at a time (seconds since 1970, UTC), as a receiver that errs by so many metres
        (standard deviation, each way) would say it."""
        x, y = self.itineraries.positions_at(person, np.asarray(time) - FIRST_MIDNIGHT)
        if error:
            random = np.random.default_rng([self.seed, 2, stream])
            x, y = move_to_land(x + random.normal(0.0, error, x.shape), y + random.normal(0.0, error, y.shape))
        return Points(*FRAME.degrees(x, y), np.asarray(time, dtype=np.float64), np.asarray(person, dtype=np.int64))

    def trajectories(self, step: float = 600.0, *, error: float = 8.0) -> Points:
        """Everybody's position every ``step`` seconds, person by person, as a receiver of that error gives it."""
        if not step > 0:
            raise ValueError(f"The 'step' parameter of trajectories must be above 0. Got {step!r} instead")
        times = FIRST_MIDNIGHT + np.arange(0.0, self.days * DAY, step)
        person = np.repeat(np.arange(len(self), dtype=np.int64), len(times))
        return self.positions_at(person, np.tile(times, len(self)), error=error)

    def calls(self, cells: Cells | None = None, *, a_day: float = 8.0) -> Calls:
        """Call records: about ``a_day`` calls of a person a day, some people's many and most people's few, by the hours
        of the day. ``cells`` are the network's towers unless given."""
        network = towers() if cells is None else cells
        random = np.random.default_rng([self.seed, 1])
        talkative = random.lognormal(np.log(a_day) - 0.32, 0.8, len(self))
        number = random.poisson(talkative[:, np.newaxis], (len(self), self.days))
        person = np.repeat(np.arange(len(self), dtype=np.int64), number.sum(axis=1))
        day = np.repeat(np.tile(np.arange(self.days), len(self)), number.ravel())
        bounds = np.cumsum(BY_HOUR) / np.sum(BY_HOUR)
        hour = np.searchsorted(bounds, random.random(len(person)), side="right")
        hour = (hour + 12 * self.lives.by_night[person]) % 24
        second = np.floor(random.random(len(person)) * 3_600)
        time = np.asarray(FIRST_MIDNIGHT + day * DAY + hour * 3_600 + second, np.float64)
        rows = Calls(person, time, np.zeros(len(person), np.int64), network).sort()
        place = self.positions_at(rows.user, rows.time)
        return Calls(rows.user, rows.time, network.nearest(place.lon, place.lat), network)

    def commutes(self) -> Journeys:
        """From the bairro where each person lives to the one where they work or study, for those who do."""
        tree = bairro_areas()
        going = np.flatnonzero((self.lives.home != self.lives.daily).any(axis=1))
        origin, destination = (tree.places.nearest(place.lon, place.lat)[going] for place in (self.home, self.work))
        return Journeys(going, origin, destination, tree)


def bairro_areas() -> AreaTree:
    """The bairros by the middle of each, in zones: squares of `ZONE` metres."""
    places = Cells.from_columns(
        list(BAIRROS), [one.lon for one in BAIRROS.values()], [one.lat for one in BAIRROS.values()]
    )
    column, row = np.floor(np.stack(FRAME.metres(places.lon, places.lat)) / ZONE).astype(np.int64)
    zones = [
        f"{chr(ord('A') + north)}{east + 1}" for north, east in zip(row - row.min(), column - column.min(), strict=True)
    ]
    return AreaTree.from_columns(places, {"zone": zones})


def people(number: int, *, days: int = 7, seed: int = 2024) -> CityPeople:
    """So many people over so many days from Monday, 4 March 2024 on. The seed decides on everything.

    >>> crowd = people(2, days=1, seed=1)
    >>> points = crowd.trajectories(step=3600)
    >>> len(points), points.users
    (48, 2)
    """
    if number < 0 or days < 1 or seed < 0:
        raise ValueError(
            f"people needs a number and a seed of 0 or more and 1 day at least. Got {number}, {seed}, {days}"
        )
    random = np.random.default_rng([seed, 0])
    who = lives(number, random)
    return CityPeople(who, itineraries(who, days, 0, random), days, seed)


def _points(place: Floats) -> Points:
    return Points(*FRAME.degrees(place[:, 0], place[:, 1]), user=np.arange(len(place), dtype=np.int64))


def write_people(
    directory: Path, number: int, *, days: int = 7, step: float = 600.0, seed: int = 2024
) -> dict[str, int]:
    """Write the files of so many people, all or none; how many rows each has."""
    import pyarrow.csv

    crowd = people(number, days=days, seed=seed)
    calls = crowd.calls()
    commutes = crowd.commutes()
    rows = (
        crowd.trajectories(step).to_arrow(), calls.to_arrow(), calls.cells.to_arrow(), commutes.to_arrow(),
        commutes.tree.to_arrow(),
    )  # fmt: skip
    tables = dict(zip(FILES, rows, strict=True))
    options = pyarrow.csv.WriteOptions(quoting_style="needed", quoting_header="none")
    with stage_directory(directory, replaceable=holds_only(FILES)) as stage:
        for name, table in tables.items():
            pyarrow.csv.write_csv(_round_values(table), stage / name, options)
    return {name: table.num_rows for name, table in tables.items()}


def _round_values(table: Any) -> Any:
    """Degrees to a tenth of a metre, times to the second, as texts: no digits that mean nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for at, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            table = table.set_column(at, field.name, pc.round(table.column(at), 6))
        elif pa.types.is_timestamp(field.type):
            seconds = table.column(at).cast(pa.timestamp("s"), safe=False)
            table = table.set_column(at, field.name, pc.strftime(seconds, "%Y-%m-%d %H:%M:%S"))
    return table
