"""Four requests near clinics: what a service learns from somebody who asks for the nearest bus stop, and what helps.

Bob is made up, as is everybody in this Fortaleza. On four days of a week he asks a service for something near him, each
time at a clinic: the service infers from the places alone that he is ill.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.floor.randomness import Source
from cobogo.locate.attacks.presence import log_evidence, probability
from cobogo.locate.crowds import Hilbert
from cobogo.locate.device import PRESETS
from cobogo.locate.mechanisms import Dummies, PlanarLaplace
from cobogo.locate.mechanisms.base import Mechanism
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from cobogo.locate.reports import Report
from cobogo.studies.fortaleza.land import FRAME
from cobogo.studies.fortaleza.lives import sites
from cobogo.studies.fortaleza.people import FIRST_MIDNIGHT, people

VISITS = (
    (0, 10, "Oncology clinic"),
    (1, 15, "Instituto Dr. José Frota"),
    (2, 9, "Dialysis clinic"),
    (3, 16, "Oncology clinic"),
)
"""Day of the week (0 is Monday), hour, and where Bob is."""

CROWD = 4000
"""People in the city who use the same service; one in so many hundred of the real ones."""

PRIOR = 0.02
"""The service's belief, before any request, that somebody visits clinics."""


@dataclass(frozen=True)
class Ending:
    """How the story ends under one protection."""

    protection: str
    reports: tuple[Report, ...]
    evidence: tuple[float, ...]

    @property
    def linked(self) -> float:
        """The service's belief about Bob in the end, if the four requests come under one name."""
        return probability(PRIOR, self.evidence)

    @property
    def unlinked(self) -> float:
        """Its belief about the sender of the most revealing request, if they come without a name."""
        return probability(PRIOR, (max(self.evidence),))


def bob() -> Points:
    """Where Bob is at his four requests: thirty metres from a door."""
    names = sites().name
    rows = [names.index(place) for _, _, place in VISITS]
    x, y = sites().place[rows].T
    times = [FIRST_MIDNIGHT + 86400 * day + 3600 * hour for day, hour, _ in VISITS]
    return Points(*FRAME.degrees(x + 25, y - 15), np.array(times), np.full(4, CROWD))


@cache
def crowds() -> tuple[Points, ...]:
    """Where everybody is at each of the four times, Bob last."""
    crowd, him = people(CROWD, days=4, seed=31), bob()
    assert him.time is not None
    found = []
    for row in range(4):
        others = crowd.positions_at(np.arange(CROWD), np.full(CROWD, him.time[row]))
        one = him.take(slice(row, row + 1))
        parts = [np.concatenate([getattr(others, part), getattr(one, part)]) for part in ("lon", "lat", "time", "user")]
        found.append(Points(parts[0], parts[1], parts[2], parts[3].astype(np.int64)))
    return tuple(found)


def clinics() -> Points:
    """Every clinic that the service knows of."""
    x, y = sites().place[sites().numbers_of("clinic")].T
    return Points(*FRAME.degrees(x, y))


def endings(source: Source) -> list[Ending]:
    """The story without protection, with cloaks, with noise and among dummies."""
    coarse = PRESETS["recommendation"].mechanism
    grid = Grid.from_bounds(-38.63, -3.88, -38.42, -3.69, size=500)
    decoys = Dummies(10, grid, prior=_prior(grid))
    return [
        _ending("precise positions", _report_position),
        _ending("cloak of 20 people", lambda row: _report_cloak(20, row)),
        _ending("cloak of 100 people", lambda row: _report_cloak(100, row)),
        _ending("noise, 95 % within 500 m", lambda row: _report_through(coarse, row, source), coarse),
        _ending("ten dummies", lambda row: _report_through(decoys, row, source)),
    ]


def beliefs(source: Source, draws: int = 20) -> dict[str, tuple[float, float]]:
    """For each protection the service's mean belief in the end, with linked and with unlinked requests, over so many
    draws of noise and dummies."""
    told = [endings(source) for _ in range(draws)]
    return {
        one[0].protection: (
            float(np.mean([ending.linked for ending in one])),
            float(np.mean([ending.unlinked for ending in one])),
        )
        for one in zip(*told, strict=True)
    }


def _ending(protection: str, told: Callable[[int], Report], noise: PlanarLaplace | None = None) -> Ending:
    reports = tuple(told(row) for row in range(4))
    epsilon = None if noise is None else noise.epsilon
    pairs = zip(reports, crowds(), strict=True)
    weighed = tuple(log_evidence(report, clinics(), crowd, epsilon=epsilon) for report, crowd in pairs)
    return Ending(protection, reports, weighed)


def _report_position(row: int) -> Report:
    him = bob()
    return Report(((float(him.lon[row]), float(him.lat[row])),))


def _report_cloak(k: int, row: int) -> Report:
    west, south, east, north = (float(edge[-1]) for edge in Hilbert(k).regions(crowds()[row]).box)
    return Report((((west + east) / 2, (south + north) / 2),), box=(west, south, east, north))


def _report_through(mechanism: Mechanism, row: int, source: Source) -> Report:
    return Report.from_released(mechanism.apply(bob().take(slice(row, row + 1)), source))


@cache
def _prior(grid: Grid) -> Floats:
    """How often people of the city are in each cell, from another week than Bob's."""
    seen = people(CROWD // 4, days=2, seed=32).trajectories(step=3600)
    return np.asarray(np.bincount(grid.nearest_cell(seen.lon, seen.lat), minlength=grid.cells) + 0.1, np.float64)
