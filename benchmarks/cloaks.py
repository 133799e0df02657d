"""Cloaks for a hundred thousand people, beside a bare sort of the same codes; and requests to an anonymizer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import Result, of_call
from cobogo.locate.anonymizer.cloaking import Anonymizer
from cobogo.locate.crowds import CLOAKS, CliqueCloak, Hilbert, QuadTree
from cobogo.locate.crowds.cells import cells, morton
from cobogo.locate.places.points import Points

PEOPLE = 100_000
K = 20


def cloaks(directory: Path, people: int = PEOPLE) -> Iterator[Result]:  # noqa: ARG001
    """Each cloak for everybody at once; then one request after the other."""
    points = crowd(people)
    codes = morton(*cells(points.lon, points.lat))
    note = f"{people:,} people, k = {K}"
    others = [QuadTree(K, reciprocal=True)]
    for cloak in (*(kind(K) for kind in CLOAKS.values() if kind is not CliqueCloak), *others):
        name = f"cloak: {cloak.name}" + (", reciprocal" if cloak in others else "")
        sort = of_call(lambda: np.sort(codes), times=9)
        spent = of_call(lambda cloak=cloak: cloak.regions(points), times=5)  # type: ignore[misc]
        area = float(np.median(cloak.regions(points).area))
        yield Result(name, spent, "np.sort", sort, f"{note}; median {area:,.0f} m²")
    requests = Points(points.lon, points.lat, np.arange(people) * 0.01, np.arange(people))
    sort = of_call(lambda: np.sort(codes), times=9)
    clique = CliqueCloak(5, dx=500, dy=500, dt=60)
    spent = of_call(lambda: clique.gather_requests(requests.take(slice(0, people // 10))), times=2)
    share = float((~clique.gather_requests(requests.take(slice(0, people // 10))).refused).mean())
    yield Result("cloak: clique", spent, "np.sort", sort, f"{people // 10:,} requests, k = 5; {share:.0%} answered")
    anonymizer = Anonymizer(Hilbert(K))
    for row in range(people):
        anonymizer.update(str(row), float(points.lon[row]), float(points.lat[row]), 0.0)
    spent = of_call(lambda: [anonymizer.cloak(str(row), 0.5) for row in range(1000)], times=2)
    yield Result("cloak: 1,000 requests to the anonymizer", spent, "np.sort", sort, note)


def crowd(people: int) -> Points:
    """A city: people about sixty centres."""
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(60, 2)) * (0.08, 0.06)
    east, north = (centres[rng.integers(0, 60, people)] + rng.normal(size=(people, 2)) * 0.01).T
    return Points.from_columns(-38.5 + east, -3.75 + north)
