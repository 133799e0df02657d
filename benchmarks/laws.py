"""What mechanisms of one ε lose for one prior, and how long their laws take: ``python -m benchmarks.laws``."""

from __future__ import annotations

import time

import numpy as np

from cobogo.floor.arrays import Floats
from cobogo.floor.randomness import Seeded
from cobogo.locate.mechanisms import GridExponential, Optimal, PlanarLaplace, Remapped
from cobogo.locate.mechanisms.base import Mechanism
from cobogo.locate.places.cells import PublicPlaces
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points

EPSILON, SIZE, DRAWS = 0.004, 200.0, 200_000


def towns(grid: Grid) -> Floats:
    """A made-up prior: three places where people are, and a little everywhere."""
    east, north = grid.metres()
    wide = grid.columns * grid.size
    weights = np.full(grid.cells, 0.02)
    for x, y, share in ((-0.3, -0.2, 1.0), (0.25, 0.3, 0.6), (0.3, -0.3, 0.3)):
        weights += share * np.exp(-((east - x * wide) ** 2 + (north - y * wide) ** 2) / (2 * (0.1 * wide) ** 2))
    return np.asarray(weights / weights.sum())


def mechanisms(grid: Grid, prior: Floats) -> dict[str, Mechanism]:
    """Each with the same guarantee on the same cells."""
    found: dict[str, Mechanism] = {
        "planar-laplace, in the region": PlanarLaplace(EPSILON, region=PublicPlaces.from_grid(grid)),
        "remapped-laplace": Remapped(EPSILON, grid, prior),
        "grid-exponential": GridExponential(EPSILON, grid),
    }
    for dilation in (1.5, 1.1, 1.0):
        if dilation > 1.2 or grid.cells <= (90 if dilation > 1 else 50):
            found[f"optimal, spanner {dilation:g}"] = Optimal(EPSILON, grid, prior, dilation)
    return found


def main() -> None:
    """Print the table of the page about mechanisms."""
    print("| cells | mechanism | off by | seconds of CPU for its law |")
    print("|---|---|---|---|")
    for side in (5, 7, 9):
        grid = Grid(Frame(-38.5, -3.75), side, side, SIZE)
        prior = towns(grid)
        cells = np.random.default_rng(1).choice(grid.cells, DRAWS, p=prior)
        people = Points(*grid.centres(cells))
        for name, mechanism in mechanisms(grid, prior).items():
            start = time.process_time()
            mechanism.apply(people.take(slice(0, 1)), Seeded(1))
            spent = time.process_time() - start
            off = people.distance(mechanism.apply(people, Seeded(2)).points).mean()
            print(f"| {grid.cells} | {name} | {off:.0f} m | {spent:.2f} |", flush=True)


if __name__ == "__main__":
    main()
