"""What a release costs at any size: a model of the cost, fitted to releases that are measured, and what it foresees.

    CPU seconds = start + a · rows · columns + b · combinations · columns + c · combinations · nodes checked

The engine does what grows with the rows, on as many cores as there are; the driver does the rest on one.
``docs/scale.md``
quotes what this prints.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmarks import tables
from benchmarks.commands import _toml
from benchmarks.measure import PYTHON, Result, Spent, of_process

SIZES = ((100_000, 4), (1_000_000, 4), (3_000_000, 4), (100_000, 8), (300_000, 8), (1_000_000, 8), (3_000_000, 8))
"""Rows and quasi-identifiers of the tables that the model is fitted to."""

FORESEEN = (
    (10**8, 8, 3_000_000, 100, 2),
    (10**9, 8, 5_000_000, 100, 2),
    (10**9, 8, 5_000_000, 100, 200),
    (10**11, 8, 40_000_000, 100, 200),
    (10**11, 8, 40_000_000, 100, 2_000),
)
"""Rows, quasi-identifiers, combinations, nodes checked, cores."""


@dataclass(frozen=True)
class Release:
    """What decides about the cost of a release."""

    rows: int
    columns: int
    combinations: int
    checked: int

    @property
    def features(self) -> tuple[float, ...]:
        """What the model's coefficients are for."""
        return (
            1.0,
            float(self.rows) * self.columns,
            float(self.combinations) * self.columns,
            float(self.combinations) * self.checked,
        )


def scale(directory: Path) -> Iterator[Result]:
    """Measure, fit, tell how well that fits, and foresee."""
    measured = [_measure(directory, rows, width) for rows, width in SIZES]
    coefficients = fit([release for release, _ in measured], [spent.cpu for _, spent in measured])
    start, *slopes = coefficients
    told = ", ".join(f"{name} = {slope:.3g} s" for name, slope in zip("abc", slopes, strict=True))
    yield Result("scale: the start of any release", Spent(start, start), note=told)
    for release, spent in measured:
        expected = float(np.dot(coefficients, release.features))
        yield Result(
            f"scale: {release.rows:,} rows, {release.columns} columns",
            spent,
            "the model",
            Spent(expected, expected),
            f"{release.combinations:,} combinations, {release.checked} nodes checked",
        )
    for rows, columns, combinations, checked, cores in FORESEEN:
        release = Release(rows, columns, combinations, checked)
        cpu, wall = foresee(coefficients, release, cores)
        what = f"scale, foreseen: {rows:,} rows on {cores:,} cores"
        yield Result(what, Spent(wall, cpu), note=f"{combinations:,} combinations, {checked} nodes checked")


def fit(releases: list[Release], seconds: list[float]) -> NDArray[np.float64]:
    """Coefficients that are not negative, and whose relative errors are smallest."""
    from scipy.optimize import nnls

    weights = 1 / np.array(seconds)
    features = np.array([release.features for release in releases])
    scaled = features.max(axis=0)
    found, _ = nnls(features / scaled * weights[:, None], np.ones(len(releases)))
    return np.asarray(found / scaled)


def foresee(coefficients: NDArray[np.float64], release: Release, cores: int) -> tuple[float, float]:
    """CPU seconds of all cores, and seconds of the clock where the engine's work is spread over all of them."""
    parts = coefficients * release.features
    return float(parts.sum()), float(parts[1] / cores + parts[0] + parts[2] + parts[3])


def _measure(directory: Path, rows: int, width: int) -> tuple[Release, Spent]:
    data = tables.write(directory, rows, width)
    policy = directory / "scale.toml"
    policy.write_text(_toml(tables.policy(data, width)), encoding="utf-8")
    out = directory / "scale"
    spent = of_process([PYTHON, "-m", "benchmarks.commands", "ours", str(policy), str(out)])
    names = ", ".join(f"q{number}" for number in range(width))
    source = f"read_csv('{data}', delim=';', header=true, all_varchar=true)"
    (combinations,) = duckdb.sql(f"SELECT count(*) FROM (SELECT DISTINCT {names} FROM {source})").fetchone() or (0,)
    report = json.loads((out / "evidence" / "report.json").read_bytes())
    return Release(rows, width, combinations, report["search"]["checked"]), spent
