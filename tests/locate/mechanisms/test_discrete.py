"""Mechanisms on cells: what they promise holds in whole numbers, for every pair; what they lose is the least."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.errors import NoSolution
from cobogo.floor.randomness import STEPS, Seeded
from cobogo.locate.mechanisms import Elastic, GridExponential, Optimal
from cobogo.locate.mechanisms.discrete import CellPairs, Discrete, globe_distances, keeps, whole_weights
from cobogo.locate.places.points import Points
from support.effort import examples
from support.location_laws import a_prior, square


def holds_exactly(weights: np.ndarray, levels: np.ndarray) -> bool:
    """Every pair of cells and every report, in fifty digits."""
    with localcontext() as context:
        context.prec = 50
        for x in range(len(weights)):
            for y in range(x + 1, len(weights)):
                factor = Decimal(float(levels[x, y])).exp()
                for one, other in zip(weights[x].tolist(), weights[y].tolist(), strict=True):
                    if one > other * factor or other > one * factor:
                        return False
    return True


MADE = {
    "optimal": lambda: Optimal(0.008, square(4), a_prior(16), spanner=1.0),
    "optimal, spanner": lambda: Optimal(0.008, square(4), a_prior(16), spanner=1.5),
    "optimal, one certain place": lambda: Optimal(0.02, square(3), [0, 0, 0, 0, 1, 0, 0, 0, 0]),
    "optimal, far apart": lambda: Optimal(0.02, square(4, 400.0), a_prior(16)),
    "exponential, as good as exact": lambda: GridExponential(1.0, square(3, 1000.0)),
    "exponential": lambda: GridExponential(0.02, square(4, 400.0)),
}


@pytest.mark.parametrize("name", MADE)
def test_the_whole_numbers_keep_the_inequality_for_every_pair_and_report(name: str) -> None:
    mechanism: Discrete = MADE[name]()
    assert (mechanism.weights.sum(axis=1) == STEPS).all()
    assert (mechanism.weights >= 0).all()
    assert holds_exactly(mechanism.weights, mechanism.epsilon * globe_distances(mechanism.grid))


def test_numbers_that_break_a_promise_are_found_out_by_one_unit() -> None:
    third = STEPS // 3
    pairs = CellPairs(np.array([0]), np.array([1]), np.array([np.log(2)]))
    fair = np.array([[2 * third, STEPS - 2 * third], [STEPS - 2 * third, 2 * third]])
    assert not keeps(fair, CellPairs(pairs.one, pairs.other, pairs.level - 1e-6))
    assert not keeps(fair, CellPairs(pairs.one, pairs.other, np.array([0.0])))
    assert keeps(fair, CellPairs(pairs.one, pairs.other, pairs.level + 1e-9))
    assert not keeps(np.array([[STEPS, 0], [STEPS - 1, 1]]), CellPairs(pairs.one, pairs.other, np.array([30.0])))


def test_a_law_that_cannot_be_kept_is_refused() -> None:
    class Careless(GridExponential):
        def _solve(self) -> tuple[np.ndarray, CellPairs]:
            law, pairs = super()._solve()
            return law, CellPairs(pairs.one, pairs.other, pairs.level / 4)

    with pytest.raises(NoSolution, match="do not keep the guarantee"):
        Careless(0.02, square(3)).weights


def test_cells_are_drawn_as_often_as_their_law_says() -> None:
    mechanism = Optimal(0.008, square(3), a_prior(9))
    lon, lat = mechanism.grid.centres(np.full(60_000, 4))
    reports = mechanism.apply(Points(lon, lat), Seeded(4)).points
    seen = np.bincount(mechanism.grid.cell_of(reports.lon, reports.lat), minlength=9)
    assert stats.chisquare(seen, 60_000 * mechanism.matrix[4]).pvalue > 1e-6


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4).filter(lambda r: sum(r) > 1e-3), min_size=1))
def test_whole_weights_sum_to_the_whole_and_are_near(rows: list[list[float]]) -> None:
    law = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
    whole = whole_weights(law)
    assert (whole.sum(axis=1) == STEPS).all()
    assert (whole >= 0).all()
    assert np.abs(whole / STEPS - law).max() < 1e-15 * 8


def test_a_prior_that_fits_no_grid_and_a_program_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match="each of the grid's 9 cells"):
        Optimal(0.01, square(3), [1, 2, 3])
    with pytest.raises(ValueError, match="at most 150 cells"):
        Optimal(0.01, square(13))
    with pytest.raises(ValueError, match="dilation from 1 to 10"):
        Optimal(0.01, square(3), spanner=0.9)
    with pytest.raises(ValueError, match="at most 1,024 cells"):
        GridExponential(0.01, square(33))
    with pytest.raises(ValueError, match="at most 4,096 cells"):
        Elastic(0.01, square(65))


@pytest.mark.parametrize("kind", [GridExponential, Elastic, Optimal])
def test_one_cell_is_always_reported(kind: type[Discrete]) -> None:
    reports = kind(0.01, square(1)).apply(Points.from_columns([0.0, -38.5], [80.0, -3.7]), Seeded(1)).points
    assert reports.lon == pytest.approx(-38.5)
