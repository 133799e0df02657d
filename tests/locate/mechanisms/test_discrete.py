"""Mechanisms on cells: what they promise holds in whole numbers, for every pair; what they lose is the least."""

from __future__ import annotations

import json
import os
import subprocess
from decimal import Decimal, localcontext
from math import exp
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.errors import NoSolution
from cobogo.floor.randomness import STEPS, Seeded
from cobogo.locate.mechanisms import Elastic, GridExponential, Optimal, PlanarLaplace, Remap, Remapped
from cobogo.locate.mechanisms.discrete import CellPairs, Discrete, globe_distances, keeps, whole_weights
from cobogo.locate.mechanisms.elastic import REACH
from cobogo.locate.mechanisms.optimal import dilation, spanner
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.grid import Grid
from cobogo.locate.places.points import Points
from support.paths import ROOT

ORACLES = Path(os.environ.get("COBOGO_ORACLES", ROOT / ".venv-oracles"))
PYTHON = ORACLES / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def square(side: int, size: float = 100.0, lat: float = -3.7) -> Grid:
    return Grid(Frame(-38.5, lat), side, side, size)


def a_prior(cells: int, seed: int = 0) -> np.ndarray:
    weights = np.random.default_rng(seed).random(cells)
    return weights / weights.sum()


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

    with pytest.raises(NoSolution, match="does not keep"):
        Careless(0.02, square(3)).weights


def test_of_two_cells_the_optimum_is_randomized_response() -> None:
    grid = Grid(Frame(0, 0), 2, 1, 100.0)
    apart = float(globe_distances(grid)[0, 1])
    found = Optimal(0.01, grid, spanner=1.0)
    assert found.expected_loss() == pytest.approx(apart / (1 + exp(0.01 * apart)), rel=1e-6)


def test_the_optimum_is_the_one_of_qif() -> None:
    if not PYTHON.exists() or subprocess.run([PYTHON, "-c", "import qif"], capture_output=True).returncode:
        pytest.skip(f"no qif at {ORACLES}: .venv-oracles/bin/pip install -r tests/oracles/qif.txt (or COBOGO_ORACLES)")
    grid, prior = square(5), a_prior(25, 3)
    task = {"prior": prior.tolist(), "distances": globe_distances(grid).tolist(), "epsilon": 0.008}
    said = subprocess.run(
        [PYTHON, ROOT / "tests/oracles/qif_optimum.py"],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=True,
    )
    ours = Optimal(0.008, grid, prior, spanner=1.0).expected_loss()
    assert ours == pytest.approx(json.loads(said.stdout)["loss"], rel=1e-5)


def test_a_wider_spanner_loses_more_and_none_as_much_as_the_exponential_mechanism() -> None:
    grid, prior = square(4), a_prior(16)
    losses = [Optimal(0.008, grid, prior, dilation).expected_loss() for dilation in (1.0, 1.1, 1.5)]
    assert losses == sorted(losses)
    assert losses[0] < losses[-1] < GridExponential(0.008, grid).loss(prior)


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 14), st.sampled_from([1.0, 1.1, 1.5, 2.0]), st.integers(0, 10_000))
def test_a_spanner_has_a_short_path_for_every_pair(count: int, dilation: float, seed: int) -> None:
    from scipy.sparse.csgraph import shortest_path

    places = np.random.default_rng(seed).random((count, 2))
    away = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    one, other = spanner(away, dilation)
    graph = np.zeros_like(away)
    graph[one, other] = away[one, other]
    assert (shortest_path(graph, directed=False) <= dilation * away * (1 + 1e-9)).all()


def test_cells_are_drawn_as_often_as_their_law_says() -> None:
    mechanism = Optimal(0.008, square(3), a_prior(9))
    lon, lat = mechanism.grid.centres(np.full(60_000, 4))
    reports = mechanism.apply(Points(lon, lat), Seeded(4)).points
    seen = np.bincount(mechanism.grid.cell_of(reports.lon, reports.lat), minlength=9)
    assert stats.chisquare(seen, 60_000 * mechanism.matrix[4]).pvalue > 1e-6


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4).filter(lambda r: sum(r) > 1e-3), min_size=1))
def test_whole_weights_sum_to_the_whole_and_are_near(rows: list[list[float]]) -> None:
    law = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
    whole = whole_weights(law)
    assert (whole.sum(axis=1) == STEPS).all()
    assert (whole >= 0).all()
    assert np.abs(whole / STEPS - law).max() < 1e-15 * 8


@pytest.fixture(scope="module")
def town() -> Elastic:
    """A crowded middle in an empty country."""
    grid = square(13)
    east, north = grid.metres()
    return Elastic(0.03, grid, np.where(np.hypot(east, north) < 310, 10.0, 0.2), reference=10.0)


def test_within_every_level_of_every_cell_lies_as_much_as_is_asked_for(town: Elastic) -> None:
    mass = np.asarray(town.mass)
    for level in np.linspace(0.05, REACH, 60):
        within = (town.levels() <= level) @ mass
        assert (within >= np.minimum(town.required(level), mass.sum()) * (1 - 1e-9)).all()


def test_elastic_whole_numbers_keep_every_pair_though_only_edges_are_checked(town: Elastic) -> None:
    levels = town.levels()
    assert (np.abs(levels - levels.T) < 1e-12).all()
    worst = np.log(town.weights.max(axis=0) / town.weights.min(axis=0))
    assert np.isfinite(worst).all()
    for x in range(0, town.grid.cells, 5):
        with np.errstate(divide="ignore"):
            told = np.abs(np.log(town.weights / town.weights[x])).max(axis=1)
        assert (told <= levels[x] + 1e-9).all()


def test_people_are_moved_farther_where_it_is_empty(town: Elastic) -> None:
    off = (town.matrix * globe_distances(town.grid)).sum(axis=1)
    centre, corner = town.grid.cells // 2, 2 * town.grid.columns + 2
    assert off[corner] > 1.5 * off[centre]


def test_elastic_distances_are_finite_however_large_epsilon_is() -> None:
    found = Elastic(0.2, square(6))
    assert np.isfinite(found.levels()).all()
    assert (found.matrix.diagonal() > 0.99).all()


def test_elastic_is_plain_where_mass_is_the_same_everywhere() -> None:
    grid = square(9)
    found = Elastic(0.01, grid, reference=1.0).levels()
    plain = 0.01 * globe_distances(grid)
    other = plain > 0
    assert (found <= plain * (1 + 1e-9)).all()
    assert np.median(found[other] / plain[other]) > 0.9  # less at the edges, beyond which nobody is
    with pytest.raises(ValueError, match="above 0 in every cell"):
        Elastic(0.01, grid, np.r_[0.0, np.ones(80)])


def test_a_remap_is_the_best_guess_of_someone_who_knows_the_prior() -> None:
    grid, prior = square(6), a_prior(36, 2) ** 4
    east, north = grid.metres()
    away = np.hypot(east[:, None] - east, north[:, None] - north)
    expected = (prior * np.exp(-0.004 * away)) @ away
    assert Remap(0.004, grid, prior).best(*grid.metres()).tolist() == expected.argmin(axis=1).tolist()


def test_remapping_brings_reports_nearer_to_where_people_are() -> None:
    grid = square(20)
    prior = np.full(grid.cells, 1e-4)
    prior[[25, 110, 111, 290, 333]] = 1.0
    rng = np.random.default_rng(1)
    here = Points(*grid.centres(rng.choice(grid.cells, 4000, p=prior / prior.sum())))
    plain = PlanarLaplace(0.01).apply(here, Seeded(2)).points
    moved = Remapped(0.01, grid, prior).apply(here, Seeded(2)).points
    assert here.distance(moved).mean() < 0.7 * here.distance(plain).mean()
    assert Remapped(0.01, grid, prior).guarantee == PlanarLaplace(0.01).guarantee


def test_a_prior_that_fits_no_grid_and_a_program_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match="each of the grid's 9 cells"):
        Optimal(0.01, square(3), [1, 2, 3])
    with pytest.raises(ValueError, match="150 cells at most"):
        Optimal(0.01, square(13))
    with pytest.raises(ValueError, match="dilation of 1 to 10"):
        Optimal(0.01, square(3), spanner=0.9)
    with pytest.raises(ValueError, match="1,024 cells at most"):
        GridExponential(0.01, square(33))
    with pytest.raises(ValueError, match="4,096 cells at most"):
        Elastic(0.01, square(65))


@pytest.mark.parametrize("kind", [GridExponential, Elastic, Optimal])
def test_one_cell_is_always_reported(kind: type[Discrete]) -> None:
    reports = kind(0.01, square(1)).apply(Points.of([0.0, -38.5], [80.0, -3.7]), Seeded(1)).points
    assert reports.lon == pytest.approx(-38.5)


def test_the_optimum_of_a_small_grid_is_the_optimum_and_a_spanner_is_as_wide_as_it_is() -> None:
    """No dilation is paid for that the spanner does not have: 1.1 on squares is 1.082."""
    grid, prior = square(5, 500.0), a_prior(25)
    plain, exact, wide = (Optimal(0.008, grid, prior, spanner=one).expected_loss() for one in (None, 1.0, 1.1))
    assert plain == pytest.approx(exact, rel=1e-6)
    assert wide < exact * 1.36  # 1.42 times where ε is divided by 1.1
    away = globe_distances(grid)
    assert dilation(away, *spanner(away, 1.1)) == pytest.approx(1.0797, abs=1e-3)


def test_a_report_is_remapped_from_where_it_is_and_not_from_the_middle_of_its_cell() -> None:
    """Two reports at the two ends of a cell between two crowds go to the crowd that each is nearer to."""
    grid = square(3, 500.0)
    prior = np.array([0, 0, 0, 1, 0, 1, 0, 0, 0])
    lon, lat = grid.frame.degrees([-200.0, 200.0], [0.0, 0.0])
    remap = Remap(0.01, grid, prior)
    assert grid.cell_of(*_lonlat(remap(Points.of(lon, lat)))).tolist() == [3, 5]
    many = Points.of(np.linspace(lon[0], lon[1], 6001), np.full(6001, lat[0]))  # too many to be exact of each
    found = grid.cell_of(*_lonlat(remap(many)))
    assert (found[:2500] == 3).all()
    assert (found[-2500:] == 5).all()


def _lonlat(points: Points) -> tuple[np.ndarray, np.ndarray]:
    return points.lon, points.lat
