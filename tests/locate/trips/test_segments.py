"""Trajectories that are released keep what they promise, whatever went in."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.errors import BudgetSpent, DataError, NoSolution
from cobogo.floor.randomness import Seeded
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.points import Points
from cobogo.locate.trips import KDelta, TripSynthesis, anonymize, closeness, fit
from cobogo.locate.trips.kdelta import tube
from cobogo.locate.trips.kernels import bridges, walk
from cobogo.locate.trips.segments import bound_walks, moves_of, on_clock, split, walks_of
from cobogo.locate.trips.synthesis import SHARES, WAYS, count_walks, make_consistent, neighbours_inside, sensitivity
from support.stand_ins import HERE, scattered, square, walkers


def plain_crowd(released: Points, delta: float) -> list[int]:
    """How many trajectories are within δ of each at every moment, one pair after the other."""
    traces = released.traces()
    return [
        sum(
            len(one) == len(other)
            and bool((one.time == other.time).all())
            and bool((one.distance(other) <= delta + 1e-6).all())
            for other in traces
        )
        for one in traces
    ]


def joined(*parts: Points) -> Points:
    return Points.of(
        np.concatenate([part.lon for part in parts]),
        np.concatenate([part.lat for part in parts]),
        time=np.concatenate([part.time for part in parts]),
        user=np.concatenate([[f"{number} {one}" for one in part.user] for number, part in enumerate(parts)]),
    )


# Trips


def test_a_pause_ends_a_trip_and_clocks_are_full_minutes() -> None:
    points = Points.of(np.arange(6) * 1e-3, [0.0] * 6, time=[30, 90, 150, 5000, 5060, 5121], user=["a"] * 6)
    trips = split(points, gap=600)
    assert trips.number.tolist() == [3, 3]
    clocked = on_clock(trips, 60)
    assert clocked.time.tolist() == [60, 120, 5040, 5100]
    lon, _ = clocked.frame.degrees(clocked.east, clocked.north)
    assert lon == pytest.approx([0.5e-3, 1.5e-3, 3e-3 + 40 / 60 * 1e-3, 4e-3 + 40 / 61 * 1e-3])
    assert on_clock(trips, 60, period=3600).number.tolist() == []


def test_a_stay_ends_a_trip_and_is_not_part_of_one() -> None:
    walk, rest = np.arange(5) * 1e-3, np.full(30, 4e-3)
    lon = np.concatenate([walk, rest, 4e-3 + walk])
    points = Points.of(lon, np.zeros(40), time=np.arange(40) * 60, user=["a"] * 40)
    assert split(points).number.tolist() == [40]
    assert split(points, stay=3600).number.tolist() == [40]
    trips = split(points, stay=1200)
    assert trips.number.tolist() == [5, 5]
    assert trips.begins.tolist() == [0, 35 * 60]
    still = Points.of(np.zeros(9), np.zeros(9), time=np.arange(9) * 600, user=["a"] * 9)
    assert len(split(still, stay=1200)) == 0


def test_dates_are_forgotten_and_midnight_is_passed() -> None:
    points = Points.of([0, 0, 0, 0], [0] * 4, time=[86_390, 86_410, 86_400 * 9 + 5, 86_400 * 9 + 65], user=["a"] * 4)
    assert split(points, daily=True).time.tolist() == [86_390, 86_410, 5, 65]


def test_trips_need_people_and_times() -> None:
    with pytest.raises(DataError, match="no column for user and time"):
        split(Points.of([0.0], [0.0]))


# (k, δ)-anonymity


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 1000),
    st.integers(4, 25),
    st.integers(2, 4),
    st.sampled_from([1.0, 30.0, 500.0]),
    st.sampled_from(["nwa", "w4m"]),
)
def test_every_released_trajectory_has_company(seed: int, people: int, k: int, delta: float, method) -> None:
    points = walkers(people, 40, seed)
    found = anonymize(points, KDelta(k, delta, method, trash=0.5), Seeded(seed))
    assert min(plain_crowd(found.points, delta)) >= k
    assert found.measured.crowd.tolist() == plain_crowd(found.points, delta)
    assert found.suppressed <= 0.5 * found.trips
    assert found.points.users == found.trips - found.suppressed
    assert found.clusters.min() >= k


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.floats(10, 2000))
def test_the_check_counts_what_plain_counting_does(seed: int, delta: float) -> None:
    points = walkers(12, 8, seed)
    assert closeness(points, delta).crowd.tolist() == plain_crowd(points, delta)


def test_the_check_sees_one_moment_and_one_time_that_differ() -> None:
    one = Points.of([0, 1e-3, 2e-3], [0] * 3, time=[0, 60, 120], user=["a"] * 3)
    pair = joined(one, one)
    assert closeness(pair, 5).crowd.tolist() == [2, 2]
    strayed = Points(pair.lon + np.array([0, 0, 0, 0, 1e-3, 0]), pair.lat, pair.time, pair.user)
    assert closeness(strayed, 5).k == 1
    late = Points(pair.lon, pair.lat, pair.time + np.array([0, 0, 0, 0, 0, 1]), pair.user)
    assert closeness(late, 5).k == 1
    assert not closeness(late, 5).holds(2)


def test_people_are_counted_not_trips() -> None:
    one = walkers(1, 30, 1)
    again = [Points(one.lon, one.lat, one.time + 86_400 * day, one.user, one.names) for day in range(5)]
    alone = Points.of(
        np.concatenate([part.lon for part in again]),
        np.concatenate([part.lat for part in again]),
        time=np.concatenate([part.time for part in again]),
        user=["a"] * 150,
    )
    with pytest.raises(NoSolution, match="5 trips of 5"):
        anonymize(alone, KDelta(2, 100, daily=True))
    assert anonymize(joined(*again), KDelta(5, 100, daily=True)).suppressed == 0


def test_people_who_walk_together_are_hardly_moved_and_numbers_are_not_theirs() -> None:
    one = walkers(10, 40, 3)
    near = [Points(one.lon + 1e-5 * shift, one.lat, one.time, one.user, one.names) for shift in range(4)]
    points = joined(*near)
    for method in ("nwa", "w4m"):
        found = anonymize(points, KDelta(4, 50, method, period=60))
        assert found.moved.max() < 25 + 3  # from one side of the tube to its middle, and what they are apart
        assert found.suppressed == 0
        orders = {tuple(trace.lon[:1]) for trace in found.points.traces()}
        assert len(orders) > 10
    assert found.points.names == ()
    first = [round(float(trace.lon[0]), 6) for trace in found.points.traces()]
    assert first != [round(float(trace.lon[0]), 6) for trace in points.traces()]  # 40! orders: never by chance


def test_one_known_place_does_not_tell_which_of_k_trips_is_whose() -> None:
    """An attacker who knows where somebody was at one moment takes the nearest of the k: right once in k times. Of
    2,000 guesses one in five, 0.2 ± 6 standard deviations of 0.009; where trips keep their shape it is 99 in 100."""
    rng, right = np.random.default_rng(1), []
    for seed in range(400):
        way = np.cumsum(rng.normal(0, 80, (2, 1, 30)), axis=2) + rng.normal(0, 300, (2, 5, 30)).cumsum(axis=2) / 10
        lon, lat = HERE.degrees(*way)
        placed = tube(lon, lat, 500.0, Seeded(seed))
        moment = rng.integers(30)
        away = distance(lon[:, moment, None], lat[:, moment, None], placed[0][:, moment], placed[1][:, moment])
        right.append(away.argmin(axis=1) == np.arange(5))
        apart = distance(placed[0][:, None], placed[1][:, None], placed[0], placed[1])
        assert apart.max() <= 500
    assert abs(np.mean(right) - 0.2) < 0.054


def test_waiting_moves_times_where_never_walking_alone_cannot() -> None:
    one = walkers(1, 40, 3)
    later = Points(one.lon, one.lat, one.time + 1000, one.user, one.names)
    points = joined(one, later)
    with pytest.raises(NoSolution, match="--method w4m"):
        anonymize(points, KDelta(2, 20, "nwa", trash=0.0, period=60, gap=100_000))
    found = anonymize(points, KDelta(2, 20, "w4m", trash=0.0))
    assert found.suppressed == 0


def test_across_the_date_line_and_far_north() -> None:
    for lon, lat in ((179.999, 0.0), (25.0, 70.0)):
        rng = np.random.default_rng(1)
        x = lon + rng.normal(0, 0.002, (8, 1)) + np.arange(10) * 2e-4
        y = lat + rng.normal(0, 0.002, (8, 1)) + np.zeros(10)
        points = Points.of(x.ravel(), y.ravel(), time=np.tile(np.arange(10) * 60, 8), user=np.repeat(np.arange(8), 10))
        found = anonymize(points, KDelta(4, 100, trash=0.0))
        assert min(plain_crowd(found.points, 100)) >= 4
        assert found.points.distance(Points(np.full(80, lon), np.full(80, lat))).max() < 2000


@pytest.mark.parametrize(
    "wrong", [{"k": 1}, {"delta": 0.5}, {"trash": 1.0}, {"method": "x"}, {"step": 0}], ids=lambda one: next(iter(one))
)
def test_what_cannot_be_asked_for_is_refused(wrong) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        KDelta(**{"k": 2, "delta": 10, **wrong})


# Synthesis


def test_walks_touch_and_begin_and_end_where_trips_do() -> None:
    grid = square(30, 150.0)
    points = walkers(10, 50, 5, speed=400)
    trips = split(points)
    walks = walks_of(trips, grid)
    for one in range(len(walks)):
        cells = walks.cells[walks.starts[one] : walks.starts[one + 1]]
        row, column = np.divmod(cells, grid.columns)
        steps = np.maximum(np.abs(np.diff(row)), np.abs(np.diff(column)))
        assert (steps == 1).all()
        trace = points.traces()[one]
        assert cells[[0, -1]].tolist() == grid.nearest_cell(trace.lon[[0, -1]], trace.lat[[0, -1]]).tolist()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 4), st.integers(2, 12), st.integers(1, 20))
def test_nobody_changes_a_part_by_more_than_its_sensitivity(seed: int, trips: int, longest: int, moves: int) -> None:
    """Whatever somebody's trips are, the counts with and without them differ by the sensitivity at most."""
    grid = square(8, 300.0)
    asked = TripSynthesis(Fraction(1), grid, trips=trips, longest=longest, moves=moves, gap=100)
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.choice([20, 60, 5000], 60, p=[0.5, 0.4, 0.1]))
    place = scattered(60, square(9, 300.0), seed)
    points = Points.of(place.lon, place.lat, time=times, user=["one"] * 60)
    walks = bound_walks(walks_of(split(points, gap=100, frame=grid.frame), grid), trips, longest, Seeded(seed))
    for name, counts in count_walks(walks, asked, Seeded(seed)).items():
        assert 0 < counts.sum() + (name == "moves") <= sensitivity(name, asked) + (name == "moves")
    assert walks.number.max() <= longest
    assert len(moves_of(walks, moves, Seeded(seed))[0]) <= moves


def test_the_parts_of_the_budget_are_the_whole() -> None:
    assert sum(SHARES.values()) == 1


@settings(max_examples=30, deadline=None)
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
        model = fit(points, TripSynthesis(epsilon, grid, trips=1, moves=60))
        made = model.sample(400)
        share = np.bincount(grid.nearest_cell(made.lon, made.lat), minlength=grid.cells) / len(made)
        off[epsilon] = np.abs(share - real).sum() / 2
        assert made.users == 400
    assert off[Fraction(10_000)] < 0.28
    assert off[Fraction(1, 1000)] > 0.5
    assert model.size == pytest.approx(400, abs=2)


def test_made_up_trips_lie_on_the_centres_of_a_public_grid() -> None:
    grid = square(6, 500.0)
    made = fit(walkers(30, 20, 1), TripSynthesis(Fraction(1), grid)).sample(50)
    lon, lat = grid.centres(grid.cell_of(made.lon, made.lat))
    assert distance(made.lon, made.lat, lon, lat).max() < 0.2
    for trace in made.traces():
        assert (np.diff(trace.time) > 0).all()


def test_nobody_s_trips_cost_and_look_like_anybody_s() -> None:
    """That a file is empty must not show either: noise is all that is left of it."""
    nobody = Points.of([], [], time=[], user=[])
    made = fit(nobody, TripSynthesis(Fraction(1), square(5, 500.0))).sample(7)
    assert made.users == 7
    with pytest.raises(DataError, match="no trips"):
        anonymize(nobody, KDelta(2, 100))


def test_a_ledger_is_debited_before_anything_is_counted(tmp_path) -> None:
    from cobogo.promises.accounting import Loss
    from cobogo.promises.ledger import Ledger

    books = Ledger(tmp_path / "ledger.db")
    books.open("trips", Loss("epsilon", Fraction(3, 2)))
    books.grant("trips", "ana", Loss("epsilon", Fraction(3, 2)))
    asked = TripSynthesis(Fraction(1), square(4, 500.0))
    points = walkers(5, 10, 1)
    fit(points, asked, ledger=books, dataset="trips", analyst="ana")
    with pytest.raises(BudgetSpent):
        fit(points, asked, ledger=books, dataset="trips", analyst="ana")
    assert len(books.entries("trips")) == 1
    books.close()
