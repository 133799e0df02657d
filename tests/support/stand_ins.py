"""Mechanisms and scenes that tests of attacks are run on: plain ones, whose laws are known by heart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.floor.randomness import Source
from cobogo.locate.mechanisms.base import LocationGuarantee, Mechanism, Released, no_cost
from cobogo.locate.places.geometry import Frame, move
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points

HERE = Frame(-38.5, -3.75)


@dataclass(frozen=True)
class Noise(Mechanism):
    """Planar Laplace noise and nothing else."""

    epsilon: float
    name: ClassVar[str] = "planar-laplace"

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee("geo-indistinguishability", self.epsilon)

    def apply(self, points: Points, source: Source) -> Released:
        rng = np.random.default_rng(int(source.words(1)[0]))
        away = rng.gamma(2, 1 / self.epsilon, len(points))
        there = move(points.lon, points.lat, away, rng.uniform(0, 2 * np.pi, len(points)))
        return Released(points.move_to(*there), np.full(len(points), self.epsilon))


@dataclass(frozen=True)
class Nothing(Mechanism):
    """Says where one is."""

    name: ClassVar[str] = "nothing"

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee("none")

    def apply(self, points: Points, source: Source) -> Released:
        return Released(points, no_cost(points))


@dataclass(frozen=True)
class Ring(Mechanism):
    """Always the same way off, in a direction drawn by chance: a law that nobody wrote down."""

    metres: float
    name: ClassVar[str] = "ring"

    @property
    def guarantee(self) -> LocationGuarantee:
        return LocationGuarantee("none")

    def apply(self, points: Points, source: Source) -> Released:
        rng = np.random.default_rng(int(source.words(1)[0]))
        there = move(points.lon, points.lat, self.metres, rng.uniform(0, 2 * np.pi, len(points)))
        return Released(points.move_to(*there), no_cost(points))


def square(side: int = 10, size: float = 200.0) -> Grid:
    """A grid about the middle of Fortaleza."""
    return Grid(HERE, side, side, size)


def scattered(count: int, grid: Grid, seed: int, **more: object) -> Points:
    """Points all over a grid."""
    rng = np.random.default_rng(seed)
    half = grid.columns * grid.size / 2
    lon, lat = grid.frame.degrees(rng.uniform(-half, half, count), rng.uniform(-half, half, count))
    return Points.from_columns(lon, lat, **more)


def walkers(people: int, steps: int, seed: int, *, minutes: float = 1.0, speed: float = 80.0) -> Points:
    """People who walk about, each their own way, ``speed`` metres between two points."""
    rng = np.random.default_rng(seed)
    angle = np.cumsum(rng.normal(0, 0.4, (people, steps)), axis=1) + rng.uniform(0, 2 * np.pi, (people, 1))
    x = np.cumsum(np.cos(angle) * speed, axis=1) + rng.uniform(-1500, 1500, (people, 1))
    y = np.cumsum(np.sin(angle) * speed, axis=1) + rng.uniform(-1500, 1500, (people, 1))
    lon, lat = HERE.degrees(x.ravel(), y.ravel())
    clock = np.tile(np.arange(steps) * minutes * 60, people)
    return Points.from_columns(lon, lat, time=clock, user=[f"{one:04}" for one in range(people) for _ in range(steps)])
