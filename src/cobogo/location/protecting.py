"""A file of points through a device mechanism, as a release: each report as the device itself would have sent it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cobogo.errors import PolicyError
from cobogo.location.base import Mechanism
from cobogo.location.geometry import distance
from cobogo.location.grid import Grid, World
from cobogo.location.points import Points
from cobogo.location.writing import Package, read_released
from cobogo.models.arguments import number
from cobogo.models.check import ModelVerdict
from cobogo.models.promise import Promise
from cobogo.randomness import Entropy, keys
from cobogo.transform.base import ENTROPY, Findings, Written

WHOSE = "pseudonym"

ON_TRUST = "that the noise stated was really drawn cannot be seen in the reports; the guarantee follows from it"


@dataclass(frozen=True)
class GeoIndistinguishability(Promise):
    """Each report is at most e^(ε·d) times as likely from one place as from another d metres away (Andrés et al. 2013).
    Measured: what one report cost, per metre; several reports of a person add up."""

    epsilon: float

    name: ClassVar[str] = "geo-indistinguishability"

    def __post_init__(self) -> None:
        number(self.name, "epsilon", self.epsilon, above=0)


def protected(points: Points, mechanism: Mechanism, options: str) -> Package:
    """Reports of a mechanism that promises something and sends positions, under pseudonyms."""
    promised = mechanism.guarantee
    if promised.kind != "geo-indistinguishability" or promised.epsilon is None:
        raise PolicyError(
            f"{mechanism.name} has {promised}",
            where="--mechanism",
            remedy="Only what promises geo-indistinguishability is released from a file. `cobogo location evaluate` "
            "tells what the others do.",
        )
    released = mechanism.apply(points, Entropy())
    if released.members is not None or released.box is not None or released.radius is not None:
        raise PolicyError(f"{mechanism.name} sends no single positions", where="--mechanism")
    reports = released.points
    names = np.argsort(keys(max(points.users, 1)))
    shown = Points(
        np.round(reports.lon, 7),
        np.round(reports.lat, 7),
        reports.time,
        None if points.user is None else names[points.user],
    )
    spent = _spent(released.cost, points)
    stated = {
        "entropy": ENTROPY,
        "mechanism": options,
        "epsilon_per_metre": promised.epsilon,
        "unit": "one report; n reports of a person cost n times as much",
        "grid": _grid_of(mechanism),
    }
    meanings = {
        "lon": "longitude in degrees (WGS 84), with noise",
        "lat": "latitude in degrees (WGS 84), with noise",
    }
    if reports.time is not None:
        meanings = {"time": "when the report was made, in UTC", **meanings}
    if points.user is not None:
        meanings = {WHOSE: "a number for the person, drawn by chance", **meanings}
    explained = f"## How it was made\n\nEvery position has noise of its own: {promised}. Times are true."
    loss = points.distance(reports)
    report = {
        "mechanism": options,
        "guarantee": str(promised),
        "quality_loss_metres": {"mean": float(loss.mean()), "median": float(np.median(loss))} if len(loss) else None,
        "most_spent_by_a_person_per_metre": spent,
    }
    promise = GeoIndistinguishability(promised.epsilon)
    return Package("location-reports", shown, WHOSE, meanings, [promise], stated, explained, report)


def _spent(cost: Any, points: Points) -> float:
    person = np.zeros(len(points), dtype=np.int64) if points.user is None else points.user
    return float(np.bincount(person, cost).max(initial=0.0)) if len(points) else 0.0


def _grid_of(mechanism: Mechanism) -> dict[str, Any] | None:
    """The public grid that reports lie on, as far as the mechanism tells it."""
    world = getattr(mechanism, "world", None)
    if isinstance(world, World) and getattr(mechanism, "region", None) is None:
        return {"world": world.size}
    grid = getattr(mechanism, "grid", None)
    if isinstance(grid, Grid):
        return {
            "lon": grid.frame.lon,
            "lat": grid.frame.lat,
            "columns": grid.columns,
            "rows": grid.rows,
            "size": grid.size,
        }
    return None


def check(written: Written) -> Findings:
    """All that can be seen: every report is a place of the public grid, and the cost is the one promised."""
    points = read_released(written, WHOSE)
    stated = written.stated
    problems = []
    grid = stated["grid"]
    if grid is not None and "world" in grid:
        lon, lat = World(float(grid["world"])).snapped(points.lon, points.lat)
        if (distance(points.lon, points.lat, lon, lat) > 0.1).any():
            problems.append("some reports are not cells of the public grid: their last digits could tell the truth")
    verdicts = []
    for entry in written.asked:
        promise = GeoIndistinguishability(float(entry["epsilon"]))
        cost = float(stated["epsilon_per_metre"])
        verdicts.append(ModelVerdict(promise, cost <= promise.epsilon * (1 + 1e-12), cost, None, 0))
    if not verdicts:
        problems.append("the manifest promises nothing")
    return Findings(tuple(verdicts), tuple(problems), (ON_TRUST,))
