"""How far flows between areas are from the truth, beside simpler ways: ``python -m benchmarks.flows``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cobogo.floor.arrays import Ints
from cobogo.locate.mobility import AreaTree, Journeys, count_flows
from cobogo.locate.mobility.areas import add_up
from cobogo.locate.mobility.sample import draw_commuters
from cobogo.studies.fortaleza import people

RUNS = 5


def wrong_shares(true: Sequence[Ints], made: Sequence[Ints]) -> list[float]:
    """The share of journeys in wrong pairs, on each level."""
    return [float(np.abs(one - other).sum() / (one.sum() + other.sum())) for one, other in zip(true, made, strict=True)]


def clipped(journeys: Journeys, epsilon: float) -> list[Ints]:
    """Noisy counts of the finest level alone, without negative numbers, and their sums."""
    flat = Journeys(journeys.person, journeys.origin, journeys.destination, AreaTree.from_columns(journeys.tree.places))
    fine = np.maximum(count_flows(flat, epsilon).noisy[0], 0)
    return [fine, add_up(fine, journeys.tree.pair_parents[0])]


WAYS: dict[str, Callable[[Journeys, float], Sequence[Ints]]] = {
    "even shares": lambda journeys, epsilon: count_flows(journeys, epsilon).table,
    "shares 3,1": lambda journeys, epsilon: count_flows(journeys, epsilon, shares=[3, 1]).table,
    "clipped": clipped,
    "OnTheMap": lambda journeys, epsilon: draw_commuters(journeys, epsilon).counts(),
}


def main(sizes: Sequence[int] = (20_000, 100_000), runs: int = RUNS) -> None:
    """Print the table of the page about flows."""
    print(f"| commuters | ε | level | {' | '.join(WAYS)} |")
    print("|---" * (3 + len(WAYS)) + "|")
    for number in sizes:
        journeys = people(number, days=1).commutes()
        true = journeys.counts()
        for epsilon in (0.1, 1.0):
            means = [
                np.mean([wrong_shares(true, way(journeys, epsilon)) for _ in range(runs)], axis=0)
                for way in WAYS.values()
            ]
            for level, shares in zip(("bairro", "zone"), zip(*means, strict=True), strict=True):
                cells = " | ".join(f"{100 * share:.2g} %" for share in shares)
                print(f"| {len(journeys):,} | {epsilon:g} | {level} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
