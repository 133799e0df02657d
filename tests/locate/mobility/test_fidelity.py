"""How near made-up movement is to the true."""

import numpy as np
import pytest

from cobogo.locate.mobility import Space
from cobogo.locate.mobility.counts import bound_calls
from cobogo.locate.mobility.fidelity import daily_ranges, line_distance, map_distance
from cobogo.studies import fortaleza
from support.location_calls import FIRST


def test_earth_mover_s_distances_are_those_of_scipy_and_of_brute_force() -> None:
    from scipy.stats import wasserstein_distance

    random = np.random.default_rng(4)
    one, other = random.normal(0, 3, 40), random.normal(1, 2, 70)
    assert line_distance(one, other) == pytest.approx(wasserstein_distance(one, other))
    place = np.column_stack((np.arange(12.0), np.zeros(12)))  # on a line both must agree
    left, right = random.random(12), random.random(12)
    line = wasserstein_distance(np.arange(12), np.arange(12), left, right)
    assert map_distance(left, right, place) == pytest.approx(line)
    assert map_distance(left, left * 3, place) == 0
    calls = fortaleza.people(40, days=2, seed=3).calls(fortaleza.towers(30))
    space = Space(calls.cells, FIRST, 2, utc_offset=-3)
    records = bound_calls(calls, space)
    days: dict[tuple[int, int], set[int]] = {}
    for user, day, cell in zip(records.user.tolist(), records.day.tolist(), records.cell.tolist(), strict=True):
        days.setdefault((user, day), set()).add(cell)
    spread = [max(calls.cells.distances[a, b] for a in cells for b in cells) for _, cells in sorted(days.items())]
    assert daily_ranges(records, space).tolist() == pytest.approx(spread)
