"""Made-up trips with differential privacy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import BudgetSpent, DataError
from cobogo.floor.randomness import Seeded
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.locate.trips import KDelta, TripSynthesis, anonymize_trips, fit_trips
from cobogo.locate.trips.kernels import bridges, walk
from cobogo.locate.trips.segments import bound_walks, moves_of, split_trips, walks_of
from cobogo.locate.trips.synthesis import SHARES, WAYS, count_walks, make_consistent, neighbours_inside, sensitivity
from support.effort import examples
from support.stand_ins import HERE, scattered, square, walkers


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(0, 1000), st.integers(1, 4), st.integers(2, 12), st.integers(1, 20))
def test_nobody_changes_a_part_by_more_than_its_sensitivity(seed: int, trips: int, longest: int, moves: int) -> None:
    """Whatever somebody's trips are, the counts with and without them differ by the sensitivity at most."""
    grid = square(8, 300.0)
    asked = TripSynthesis(Fraction(1), grid, trips=trips, longest=longest, moves=moves, gap=100)
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.choice([20, 60, 5000], 60, p=[0.5, 0.4, 0.1]))
    place = scattered(60, square(9, 300.0), seed)
    points = Points.from_columns(place.lon, place.lat, time=times, user=["one"] * 60)
    walks = bound_walks(walks_of(split_trips(points, gap=100, frame=grid.frame), grid), trips, longest, Seeded(seed))
    for name, counts in count_walks(walks, asked, Seeded(seed)).items():
        assert 0 < counts.sum() + (name == "moves") <= sensitivity(name, asked) + (name == "moves")
    assert walks.number.max() <= longest
    assert len(moves_of(walks, moves, Seeded(seed))[0]) <= moves


def test_the_parts_of_the_budget_are_the_whole() -> None:
    assert sum(SHARES.values()) == 1


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.floats(-50, 100), min_size=1, max_size=12), st.floats(0.5, 200))
def test_consistent_counts_are_the_nearest_that_fit(noisy: list[float], total: float) -> None:
    found = make_consistent(np.array(noisy), total)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(total)
    lowered = np.array(noisy) - found
    kept = found > 1e-9
    assert np.ptp(lowered[kept]) == pytest.approx(0, abs=1e-6)
    assert (np.array(noisy)[~kept] <= lowered[kept].max() + 1e-6).all()


def test_walks_between_two_ends_are_drawn_by_their_chances() -> None:
    """All ways of four moves on a small grid, counted out: a χ² of 60,000 walks stays below its 1 − 10⁻⁷ quantile."""
    from scipy.stats import chi2

    grid = square(3, 100.0)
    moves = np.array([dy * 3 + dx for dy, dx in WAYS])
    possible = neighbours_inside(grid)
    rng = np.random.default_rng(4)
    chances = np.where(possible, rng.uniform(0.2, 1, possible.shape), 0)
    chances /= chances.sum(axis=1, keepdims=True)
    ways: dict[tuple[int, ...], float] = {}

    def grown(path: tuple[int, ...], weight: float) -> None:
        if len(path) == 5:
            if path[-1] == 8:
                ways[path] = weight
            return
        for way in np.flatnonzero(possible[path[-1]]):
            grown((*path, int(path[-1] + moves[way])), weight * chances[path[-1], way])

    grown((0,), 1.0)
    reach = bridges(chances, moves, possible, 8, 4)
    path, draws = np.empty(5, dtype=np.int64), 60_000
    seen: dict[tuple[int, ...], int] = dict.fromkeys(ways, 0)
    uniform = rng.random((draws, 4))
    for one in range(draws):
        assert walk(chances, moves, possible, reach, 0, 4, uniform[one], path) == 5
        seen[tuple(path.tolist())] += 1
    expected = np.array(list(ways.values())) / sum(ways.values()) * draws
    large = expected >= 5
    statistic = ((np.array(list(seen.values())) - expected) ** 2 / expected)[large].sum()
    assert statistic < chi2.isf(1e-7, int(large.sum()))


def test_much_budget_tells_the_city_and_little_does_not() -> None:
    """Everybody is within a kilometre of the middle of twelve by twelve: noise alone would be all over the grid."""
    grid = square(12, 400.0)
    wide = walkers(400, 40, 2)
    points = Points(
        HERE.lon + 0.15 * (wide.lon - HERE.lon), HERE.lat + 0.15 * (wide.lat - HERE.lat), wide.time, wide.user
    )
    real = np.bincount(grid.nearest_cell(points.lon, points.lat), minlength=grid.cells) / len(points)
    off = {}
    for epsilon in (Fraction(1, 1000), Fraction(10_000)):
        model = fit_trips(points, TripSynthesis(epsilon, grid, trips=1, moves=60))
        made = model.sample(400)
        share = np.bincount(grid.nearest_cell(made.lon, made.lat), minlength=grid.cells) / len(made)
        off[epsilon] = np.abs(share - real).sum() / 2
        assert made.users == 400
    assert off[Fraction(10_000)] < 0.28
    assert off[Fraction(1, 1000)] > 0.5
    assert model.size == pytest.approx(400, abs=2)


def test_made_up_trips_lie_on_the_centres_of_a_public_grid() -> None:
    grid = square(6, 500.0)
    made = fit_trips(walkers(30, 20, 1), TripSynthesis(Fraction(1), grid)).sample(50)
    lon, lat = grid.centres(grid.cell_of(made.lon, made.lat))
    assert distance(made.lon, made.lat, lon, lat).max() < 0.2
    for trace in made.traces():
        assert (np.diff(trace.time) > 0).all()


def test_nobody_s_trips_cost_and_look_like_anybody_s() -> None:
    """That a file is empty must not show either: noise is all that is left of it."""
    nobody = Points.from_columns([], [], time=[], user=[])
    made = fit_trips(nobody, TripSynthesis(Fraction(1), square(5, 500.0))).sample(7)
    assert made.users == 7
    with pytest.raises(DataError, match="no trips"):
        anonymize_trips(nobody, KDelta(2, 100))


def test_a_ledger_is_debited_before_anything_is_counted(tmp_path) -> None:
    from cobogo.promises.accounting import PrivacyLoss
    from cobogo.promises.ledger import Ledger

    books = Ledger(tmp_path / "ledger.db")
    books.open("trips", PrivacyLoss("epsilon", Fraction(3, 2)))
    books.grant("trips", "ana", PrivacyLoss("epsilon", Fraction(3, 2)))
    asked = TripSynthesis(Fraction(1), square(4, 500.0))
    points = walkers(5, 10, 1)
    fit_trips(points, asked, ledger=books, dataset="trips", analyst="ana")
    with pytest.raises(BudgetSpent):
        fit_trips(points, asked, ledger=books, dataset="trips", analyst="ana")
    assert len(books.entries("trips")) == 1
    books.close()
