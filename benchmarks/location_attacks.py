"""Attacks on locations and releases of trajectories, beside the least that such work can take in NumPy or SciPy."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks.measure import Result, of_call
from cobogo.floor.randomness import Entropy
from cobogo.locate.attacks import Scene, ShortObservation
from cobogo.locate.attacks.identification import Visits, uniqueness
from cobogo.locate.attacks.inference import blocks
from cobogo.locate.mechanisms import PlanarLaplace
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from cobogo.locate.trips import KDelta, TripSynthesis, anonymize_trips, fit_trips

PEOPLE, VISITS, PLACES = 10_000, 100, 5_000
CITY = Frame(-38.5, -3.75)


def attacks(directory: Path, people: int = PEOPLE) -> Iterator[Result]:  # noqa: ARG001
    """Uniqueness of pairs, beliefs about single reports, clusters of trips, a private model of them."""
    from scipy import sparse

    rng = np.random.default_rng(1)
    user, place = np.repeat(np.arange(people), VISITS), rng.integers(0, PLACES, people * VISITS)
    visits = Visits.from_pairs(user, place)
    note = f"{people:,} people × {VISITS} visits, {PLACES:,} places"
    table = sparse.csr_array((np.ones(len(visits.places), dtype=np.int32), visits.places, visits.starts))
    product = of_call(lambda: table.T @ table, times=1)
    yield Result("attack: pairs that single people out", of_call(lambda: uniqueness(visits, 2)), "B'B", product, note)
    yield Result("attack: sets of four places", of_call(lambda: uniqueness(visits, 4), times=1), "B'B", product, note)

    grid, reports = Grid(CITY, 50, 50, 100.0), people
    half = grid.columns * grid.size / 2
    truth = Points.from_columns(*CITY.degrees(rng.uniform(-half, half, reports), rng.uniform(-half, half, reports)))
    noise = PlanarLaplace(0.01)
    scene = Scene(truth, noise.apply(truth, Entropy()), grid, noise)

    x, y = grid.metres()
    there = grid.frame.metres(scene.reports.lon, scene.reports.lat)

    def bare() -> None:
        for rows in blocks(reports, grid.cells):
            np.exp(-0.01 * np.hypot(there[0][rows, None] - x, there[1][rows, None] - y))

    floor = of_call(bare)
    for how in ("map", "mean", "median"):
        attack = ShortObservation(how=how)  # type: ignore[arg-type]
        spent = of_call(lambda attack=attack: attack.run(scene), times=1)  # type: ignore[misc]
        yield Result(
            f"attack: one report, {how}", spent, "hypot, exp", floor, f"{reports:,} reports, {grid.cells:,} cells"
        )

    trips = max(people // 5, 20)
    walks = walkers(trips, 60)
    east, north = (part.reshape(trips, 60) for part in CITY.metres(walks.lon, walks.lat))

    def distances() -> None:
        for one in range(0, trips, 5):
            np.hypot(east - east[one], north - north[one]).mean(axis=1)

    plain = of_call(distances, times=1)
    for method in ("nwa", "w4m"):
        asked = KDelta(5, 300, method, stay=0)  # type: ignore[arg-type]
        spent = of_call(lambda asked=asked: anonymize_trips(walks, asked), times=1)  # type: ignore[misc]
        yield Result(f"trajectories: {method}", spent, "distances", plain, f"{trips:,} trips × 60 points, k = 5")
    asked = TripSynthesis(Fraction(1), Grid(CITY, 40, 40, 500.0), stay=0)
    spent = of_call(lambda: fit_trips(walks, asked).sample(trips), times=1)
    yield Result("trajectories: synthesis", spent, "distances", plain, f"{trips:,} trips, 1,600 cells")


def walkers(people: int, steps: int) -> Points:
    """People who walk about a city, a point a minute."""
    rng = np.random.default_rng(2)
    angle = np.cumsum(rng.normal(0, 0.4, (people, steps)), axis=1) + rng.uniform(0, 2 * np.pi, (people, 1))
    east = np.cumsum(np.cos(angle) * 80, axis=1) + rng.uniform(-5000, 5000, (people, 1))
    north = np.cumsum(np.sin(angle) * 80, axis=1) + rng.uniform(-5000, 5000, (people, 1))
    lon, lat = CITY.degrees(east.ravel(), north.ravel())
    return Points(lon, lat, np.tile(np.arange(steps) * 60.0, people), np.repeat(np.arange(people), steps))
