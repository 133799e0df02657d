"""Adaptive geo-indistinguishability beside plain noise on real trajectories: ``python -m benchmarks.adaptive``.

It needs the sample of GPS trajectories at ``../shared/data/geolife``, which is not part of the project.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from cobogo.floor.arrays import Floats
from cobogo.floor.randomness import Seeded
from cobogo.locate.mechanisms import Adaptive, PlanarLaplace, Predictive
from cobogo.locate.mechanisms.base import Mechanism, Released
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.points import Points

SAMPLE = Path(__file__).resolve().parents[2] / "shared" / "data" / "geolife" / "geolife_sample.txt.gz"
EPSILON = 0.01
GAP, LEAST, MOST, TRIPS, SEEDS = 300.0, 40, 120, 60, 5
BANDWIDTHS = (0.7, 1.5, 3.0, 6.0, 12.0, 24.0)

RULES: dict[str, Mechanism] = {
    "plain": PlanarLaplace(EPSILON),
    "adaptive, judged by the truth": Adaptive(EPSILON),
    "adaptive, lines through true places": Adaptive(EPSILON, of="truth"),
    "adaptive, judged by reports": Adaptive(EPSILON, judge="reports"),
    "predictive": Predictive(EPSILON),
}


@dataclass(frozen=True)
class Row:
    """What a rule did: metres off, metres that an attacker is off, mean ε a report over ε, plain noise as far off."""

    step: float
    rule: str
    loss: float
    attacked: float
    spent: float
    plain_attacked: float


def trips(step: float, sample: Path = SAMPLE) -> Points:
    """Trips of the sample, a point every ``step`` seconds at most, each as if of a person of its own."""
    rows = pd.read_csv(sample, dtype={"uid": str}, parse_dates=["datetime"]).sort_values(["uid", "datetime"])
    seconds = rows["datetime"].to_numpy().astype("datetime64[s]").astype(np.int64)
    _, user = np.unique(rows["uid"].to_numpy(str), return_inverse=True)
    slot = seconds // int(step)
    keep = np.r_[True, (np.diff(slot) != 0) | (np.diff(user) != 0)]
    rows, seconds, user = rows[keep], seconds[keep], user[keep]
    trip = np.cumsum(np.r_[True, (np.diff(seconds) > max(GAP, 2 * step)) | (np.diff(user) != 0)]) - 1
    place = np.arange(len(trip)) - np.flatnonzero(np.diff(trip, prepend=-1))[trip]
    long = np.flatnonzero(np.bincount(trip) >= LEAST)
    chosen = long[np.linspace(0, len(long) - 1, min(TRIPS, len(long))).astype(int)]
    wanted = np.isin(trip, chosen) & (place < MOST)
    return Points.from_columns(rows["lng"][wanted], rows["lat"][wanted], time=seconds[wanted], user=trip[wanted])


def smoothed(reports: Points, weights: Floats, bandwidth: float, step: float) -> tuple[Floats, Floats, Frame]:
    """Where one was, by local lines through the reports of a whole trip, each with its weight (by ε, or all alike):
    after the fact, and by someone who knows every ε. In metres of a frame."""
    assert reports.time is not None
    frame = Frame.from_points(reports.lon, reports.lat)
    east, north = frame.metres(reports.lon, reports.lat)
    away = (reports.time[None] - reports.time[:, None]) / (bandwidth * step)
    kernel = np.exp(-(away**2) / 2) * weights
    zero, one, two = kernel.sum(axis=1), (kernel * away).sum(axis=1), (kernel * away**2).sum(axis=1)
    local = kernel * (two[:, None] - one[:, None] * away)
    whole = zero * two - one**2
    flat = whole <= 1e-9 * zero * two
    local = np.where(flat[:, None], kernel, local)
    total = np.where(flat, zero, whole)
    return local @ east / total, local @ north / total, frame


def attacked(truth: Points, released: Released, step: float) -> float:
    """Metres that the best of several smoothers is off, the attacker's choice of which having been a good one."""
    assert truth.user is not None
    weightings = (released.cost**2, np.ones(len(truth)))
    found = np.zeros((len(weightings), len(BANDWIDTHS), len(truth)))
    for user in np.unique(truth.user):
        rows = np.flatnonzero(truth.user == user)
        for which, weights in enumerate(weightings):
            for number, bandwidth in enumerate(BANDWIDTHS):
                east, north, frame = smoothed(released.points.take(rows), weights[rows], bandwidth, step)
                x, y = frame.metres(truth.lon[rows], truth.lat[rows])
                found[which, number, rows] = np.hypot(east - x, north - y)
    return float(found.mean(axis=2).min())


def table(steps: tuple[float, ...] = (10.0, 60.0), sample: Path = SAMPLE, seeds: int = SEEDS) -> Iterator[Row]:
    """Every rule at every step, averaged over seeds; and plain noise that is as far off as the rule was."""
    for step in steps:
        truth = trips(step, sample)
        for name, mechanism in RULES.items():
            found = []
            for seed in range(seeds):
                released = mechanism.apply(truth, Seeded(seed))
                loss = float(truth.distance(released.points).mean())
                same = PlanarLaplace(2 / loss).apply(truth, Seeded(seed + 100))
                error = attacked(truth, released, step)
                found.append((loss, error, released.cost.mean() / EPSILON, attacked(truth, same, step)))
            yield Row(step, name, *(float(value) for value in np.mean(found, axis=0)))


def main() -> None:
    """Print the table of the page about mechanisms."""
    if not SAMPLE.is_file():
        sys.exit(f"the sample of trajectories is not at {SAMPLE}")
    print("| step | rule | off by | attacker off by | mean ε a report | attacker of plain noise that is as far off |")
    print("|---|---|---|---|---|---|")
    for row in table():
        print(
            f"| {row.step:.0f} s | {row.rule} | {row.loss:.0f} m | {row.attacked:.0f} m | {row.spent:.2f} ε "
            f"| {row.plain_attacked:.0f} m |",
            flush=True,
        )


if __name__ == "__main__":
    main()
