"""Releases of trajectories: what each promises and states, and how `cobogo verify` checks it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from cobogo.floor.arguments import number
from cobogo.floor.language import join, tr
from cobogo.floor.untrusted import fraction
from cobogo.locate.places.geometry import Frame, distance
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from cobogo.locate.release import ReleasedPoints, judge_privacy, read_released
from cobogo.locate.trips.kdelta import AnonymizedTrips, Closeness, closeness
from cobogo.locate.trips.synthesis import SHARES, TripModel, TripSynthesis, sensitivity
from cobogo.promises.models.check import ModelVerdict
from cobogo.promises.models.differential_privacy import DifferentialPrivacy
from cobogo.promises.models.promise import Promise
from cobogo.release.contract import ENTROPY, CheckResult, Written

WHOSE = "trajectory"

ON_TRUST = tr("the released rows do not show whose trips they are, nor whether the stated noise was really drawn")


@dataclass(frozen=True)
class KDeltaAnonymity(Promise):
    """Every trajectory has at least k − 1 others within δ metres of it at all times (Abul, Bonchi & Nanni 2008).
    Measured: the least number of trajectories that stay within δ of one, itself counted."""

    k: int
    delta: float

    name: ClassVar[str] = "k-delta-anonymity"
    drawn: ClassVar[bool] = False

    def __post_init__(self) -> None:
        number(self.name, "k", self.k, above=1)
        number(self.name, "delta", self.delta, above=0)

    def check(self, measured: Closeness) -> ModelVerdict:
        """The verdict on what was measured."""
        short = int((measured.crowd < self.k).sum())
        return ModelVerdict(self, not short, float(measured.k), None, short)


class AnonymousTrips(ReleasedPoints):
    """(k, δ)-anonymous trajectories."""

    kind = "trajectories"
    whose = WHOSE


class MadeUpTrips(ReleasedPoints):
    """Made-up trips."""

    kind = "trip-synthesis"
    whose = WHOSE


def anonymous_trips(found: AnonymizedTrips) -> AnonymousTrips:
    """(k, δ)-anonymous trajectories, to be released."""
    asked = found.asked
    stated = {
        "method": asked.method,
        "step_seconds": asked.step,
        "dates_forgotten": asked.daily,
        "unit": "a trip; clusters are of k people at least",
    }
    moved = (
        tr(
            "Trips were put into groups of at least {k} people, and moved in space and in time until all trips of a "
            "group are within {delta:g} m of each other at every moment.",
            k=asked.k,
            delta=asked.delta,
        )
        if asked.method == "w4m"
        else tr(
            "Trips were put into groups of at least {k} people, and moved until all trips of a group are within "
            "{delta:g} m of each other at every moment.",
            k=asked.k,
            delta=asked.delta,
        )
    )
    placed = tr(
        "They lie side by side along the mean of the group, in a random order, so the positions are not those "
        "that were "
        "collected. Each trip has its own number: two trips of one person have different numbers."
    )
    meanings = {
        WHOSE: tr("a random number for the trip"),
        "time": tr("a full step of the clock, in UTC, without the date")
        if asked.daily
        else tr("a full step of the clock, in UTC"),
        "lon": tr("longitude in degrees (WGS 84), moved"),
        "lat": tr("latitude in degrees (WGS 84), moved"),
    }
    explained = join([tr("## How it was made"), join([moved, placed])], "\n\n")
    promise = KDeltaAnonymity(asked.k, asked.delta)
    return AnonymousTrips(found.points, meanings, [promise], stated, explained, found.figures())


def made_up_trips(model: TripModel, made: Points, report: dict[str, Any]) -> MadeUpTrips:
    """Made-up trips, to be released."""
    asked = model.asked
    grid = asked.grid
    stated = {
        "entropy": ENTROPY,
        "epsilon": str(asked.epsilon),
        "unit": "a person with all trips",
        "neighbours": "with one person more or less",
        "trips_of_a_person": asked.trips,
        "cells_of_a_trip": asked.longest,
        "moves_of_a_person": asked.moves,
        "grid": {"lon": grid.frame.lon, "lat": grid.frame.lat, "columns": grid.columns, "rows": grid.rows,
                 "size": grid.size},
        "parts": costs(asked),
    }  # fmt: skip
    about = tr(
        "No person in this table exists. A model of a public grid was learned from counts with discrete Laplace noise, "
        "and trips were drawn from it, on the first of January 1970. What one real person did changes the probability "
        "of anything here by a factor of at most e^{epsilon:g}.",
        epsilon=float(asked.epsilon),
    )
    explained = join([tr("## How it was made"), about], "\n\n")
    meanings = {
        WHOSE: tr("the number of an invented trip"),
        "time": tr("the time of day at which it enters the cell"),
        "lon": tr("longitude of the middle of a cell of the public grid"),
        "lat": tr("latitude of the middle of a cell of the public grid"),
    }
    promise = DifferentialPrivacy(float(asked.epsilon))
    return MadeUpTrips(made, meanings, [promise], stated, explained, report)


def costs(asked: TripSynthesis) -> list[dict[str, Any]]:
    """What each part of the model costs, and the noise that follows."""
    from cobogo.promises.mechanisms import Laplace

    rows = []
    for name, share in SHARES.items():
        noise = Laplace(sensitivity(name, asked), asked.epsilon * share)
        rows.append(
            {"part": name, "epsilon": str(noise.epsilon), "sensitivity": noise.sensitivity, "scale": noise.scale}
        )
    return rows


def check(written: Written) -> CheckResult:
    """Verify a release of either kind from its rows."""
    points = read_released(written, WHOSE)
    if written.manifest.kind == "trajectories":
        measured: dict[float, Closeness] = {}
        verdicts = []
        for entry in written.model_entries:
            promise = KDeltaAnonymity(int(entry["k"]), float(entry["delta"]))
            measured.setdefault(promise.delta, closeness(points, promise.delta))
            verdicts.append(promise.check(measured[promise.delta]))
        problems = () if verdicts else (tr("the manifest states no guarantee"),)
        return CheckResult(tuple(verdicts), problems, (ON_TRUST,))
    spent = sum((fraction(row["epsilon"]) for row in written.statement["parts"]), Fraction(0))
    return judge_privacy(written, spent, list(_problems(written, points, spent)), ON_TRUST)


def _problems(written: Written, points: Points, spent: Fraction) -> Iterator[str]:
    """Problems with the statements of a release of made-up trips, and with its rows."""
    stated = written.statement
    grid = Grid(
        Frame(stated["grid"]["lon"], stated["grid"]["lat"]),
        int(stated["grid"]["columns"]),
        int(stated["grid"]["rows"]),
        float(stated["grid"]["size"]),
    )
    asked = TripSynthesis(
        fraction(stated["epsilon"]),
        grid,
        int(stated["trips_of_a_person"]),
        int(stated["cells_of_a_trip"]),
        int(stated["moves_of_a_person"]),
    )
    if stated.get("entropy") != ENTROPY:
        yield tr("the manifest does not say that the noise came from the operating system")
    if spent != asked.epsilon:
        yield tr("the costs of the parts do not sum to the cost that the manifest states")
    for row, true in zip(stated["parts"], costs(asked), strict=True):
        less = int(row["sensitivity"]) < true["sensitivity"] or float(row["scale"]) < true["scale"] * (1 - 1e-12)
        if row["part"] != true["part"] or less:
            yield tr("the part {part} states less noise than one person requires", part=true["part"])
    cells = grid.cell_of(points.lon, points.lat)
    lon, lat = grid.centres(np.maximum(cells, 0))
    if (cells < 0).any() or (distance(points.lon, points.lat, lon, lat) > 1.0).any():
        yield tr("some released positions are not on the public grid")
