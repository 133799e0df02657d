"""Location attacks do what theory and plain counting say they do."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.floor.randomness import Seeded
from cobogo.locate.attacks import (
    ATTACKS,
    AggregatedPresence,
    CentreOfCloak,
    ContextLinking,
    HomeAndWork,
    Identification,
    IntersectionOfCloaks,
    LocationPresence,
    LongObservation,
    MixZoneLinkage,
    Scene,
    ShortObservation,
    Tracking,
    Trilateration,
)
from cobogo.locate.attacks.crowds import Crossings, weights_of
from cobogo.locate.attacks.hearing import metres_to
from cobogo.locate.attacks.homes import at_night, at_work
from cobogo.locate.attacks.identification import Visits, uniqueness
from cobogo.locate.attacks.inference import (
    expected_distances,
    grid_for,
    guess,
    learn_likelihood,
    likelihood_of,
    posterior,
    prior_of,
)
from cobogo.locate.attacks.presence import auc
from cobogo.locate.attacks.spots import Spots
from cobogo.locate.attacks.tracking import WALK, Markov, smooth, track, usual_speed
from cobogo.locate.attacks.trilateration import trilaterate
from cobogo.locate.mechanisms import Dummies
from cobogo.locate.mechanisms.base import Released, free
from cobogo.locate.places.points import Points
from support.stand_ins import HERE, Noise, Nothing, Ring, scattered, square, walkers


def scene(truth: Points, mechanism, seed: int = 1, grid=None, **more) -> Scene:
    grid = grid or square()
    return Scene(truth, mechanism.apply(truth, Seeded(seed)), grid, mechanism, **more)


# One report


def test_the_posterior_is_bayes_rule_cell_by_cell() -> None:
    grid = square(5)
    prior = np.random.default_rng(1).dirichlet(np.ones(grid.cells))
    truth = scattered(7, grid, 2)
    mechanism = Noise(0.01)
    found = posterior(likelihood_of(mechanism.apply(truth, Seeded(3)), grid, mechanism), prior)
    reports = mechanism.apply(truth, Seeded(3)).points
    east, north = grid.metres()
    for row in range(len(truth)):
        x, y = (float(part) for part in grid.frame.metres(reports.lon[row], reports.lat[row]))
        weights = [
            prior[cell] * np.exp(-0.01 * np.hypot(x - east[cell], y - north[cell])) for cell in range(grid.cells)
        ]
        assert found[row] == pytest.approx(np.array(weights) / sum(weights), rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 7), st.integers(1, 9), st.integers(0, 1000))
def test_expected_distances_by_transform_are_sums_over_all_pairs(columns: int, rows: int, seed: int) -> None:
    from cobogo.locate.places.grid import Grid

    grid = Grid(HERE, columns, rows, 130.0)
    chances = np.random.default_rng(seed).dirichlet(np.ones(grid.cells), 3)
    plain = chances @ grid.distances()
    assert expected_distances(chances, grid) == pytest.approx(plain, abs=1e-6)
    lon, lat = guess(chances, grid, "median")
    chosen = grid.cell_of(lon, lat)
    assert plain[np.arange(3), chosen] == pytest.approx(plain.min(axis=1), abs=1e-6)


def test_the_least_expected_distance_beats_the_report_itself_and_the_likeliest_cell() -> None:
    grid = square(20, 100.0)
    rng = np.random.default_rng(5)
    prior = rng.dirichlet(np.full(grid.cells, 0.05))
    lon, lat = grid.centres(rng.choice(grid.cells, 1500, p=prior))
    case = scene(Points.of(lon, lat), Noise(0.01), grid=grid, prior=prior)
    errors = {how: float(ShortObservation(how=how).run(case).error.mean()) for how in ("median", "map", "mean")}
    assert errors["median"] < case.quality_loss * 0.8
    assert errors["median"] < errors["map"]


def test_without_noise_one_report_tells_the_cell() -> None:
    grid = square(10, 100.0)
    found = ShortObservation(how="map").run(scene(scattered(200, grid, 1), Nothing(), grid=grid))
    assert found.error.mean() <= 100 / np.sqrt(2)
    assert found.success >= 0.95


def test_a_law_that_nobody_wrote_down_is_learned_by_trying() -> None:
    grid = square(16, 100.0)
    ring = Ring(400.0)
    truth = Points.of(*grid.centres(np.full(300, 136)))
    law = learn_likelihood(ring.apply(truth, Seeded(1)), grid, ring, Seeded(2))
    chances = posterior(law, np.full(grid.cells, 1 / grid.cells))
    metres = law.metres(slice(0, 300))
    assert ((chances * (np.abs(metres - 400) < 110)).sum(axis=1) > 0.9).all()


def test_what_lies_in_a_set_a_disc_or_a_box_is_all_that_is_believed() -> None:
    grid = square(6)
    prior = np.full(grid.cells, 1 / grid.cells)
    lon, lat = grid.centres([0, 7, 35])
    middle = Points.of(lon[:1], lat[:1])
    sets = Released(middle, free(middle), members=Points.of(lon, lat), report=np.zeros(3, dtype=np.int64))
    assert np.flatnonzero(posterior(likelihood_of(sets, grid, None), prior)[0]).tolist() == [0, 7, 35]
    disc = Released(middle, free(middle), radius=np.array([201.0]))
    assert np.flatnonzero(posterior(likelihood_of(disc, grid, None), prior)[0]).tolist() == [0, 1, 6]
    edges = (lon[:1] - 1e-5, lat[:1] - 1e-5, lon[1:2] + 1e-5, lat[1:2] + 1e-5)
    box = Released(middle, free(middle), box=edges)
    assert np.flatnonzero(posterior(likelihood_of(box, grid, None), prior)[0]).tolist() == [0, 1, 6, 7]
    tiny = Released(middle, free(middle), radius=np.array([0.0]))
    assert posterior(likelihood_of(tiny, grid, None), prior)[0].argmax() == 0


# Many reports


def test_averaging_falls_with_the_root_of_the_number_of_reports() -> None:
    """The mean of n planar Laplace errors has standard deviation √3/(ε√n) on each axis, so the mean error of 400
    people is √(3π/2)/(ε√n), with a relative standard deviation of 0.523/20: the bound stands at 6 of them."""
    grid = square(3, 2000.0)
    home = grid.centres([4])
    for n in (4, 64):
        users = np.repeat(np.arange(400), n)
        truth = Points.of(np.full(len(users), home[0][0]), np.full(len(users), home[1][0]), user=users)
        found = LongObservation(how="mean").run(scene(truth, Noise(0.01), grid=grid))
        expected = np.sqrt(3 * np.pi / 2) / (0.01 * np.sqrt(n))
        assert found.error.mean() == pytest.approx(expected, rel=6 * 0.523 / 20)
        assert found.attacked == 400


def test_the_geometric_median_is_better_than_the_mean_and_frequency_about_as_good() -> None:
    grid = square(9, 200.0)
    users = np.repeat(np.arange(100), 50)
    lon, lat = grid.centres([40])
    truth = Points.of(np.full(5000, lon[0]), np.full(5000, lat[0]), user=users)
    case = scene(truth, Noise(0.02), grid=grid)
    error = {how: LongObservation(how=how).run(case).error.mean() for how in ("mean", "median", "frequency")}
    assert error["median"] < error["mean"]
    assert error["frequency"] < 1.25 * error["mean"]
    assert LongObservation().run(case).success == 1.0


def test_a_set_is_heard_position_by_position_and_not_by_its_middle() -> None:
    """Dummies do not repeat, the truth does: two requests from one place have nothing else in common."""
    grid = square(20, 1000.0)
    homes = scattered(20, grid, 1)
    for requests in (2, 24):
        time = np.tile(np.arange(requests) // 6 * 86400.0 + np.arange(requests) % 6 * 3600.0, 20)  # by night
        truth = Points.of(homes.lon.repeat(requests), homes.lat.repeat(requests), time=time,
                          user=np.arange(20).repeat(requests))  # fmt: skip
        case = scene(truth, Dummies(5, grid, "uniform"), grid=grid)
        assert case.quality_loss < 1
        found = LongObservation().run(case)
        assert (found.success, found.attacked) == (1.0, 20)
        assert found.error.max() < 1
    assert HomeAndWork(within=1.0).run(case).success == 1.0
    assert Identification(points=1).run(case).success == 1.0
    book = Points.of(np.concatenate([homes.lon, homes.lon + 1e-4]), np.concatenate([homes.lat, homes.lat]))
    assert ContextLinking().run(scene(truth, Dummies(5, grid), grid=grid, places=book)).success == 1.0
    assert IntersectionOfCloaks().run(case).success == 1.0
    told = Trilateration(rounding=0, within=2.0).run(case)  # one of five, by whoever does not compare requests
    assert told.success == pytest.approx(0.2, abs=0.02)


def test_a_region_is_heard_by_its_edges_and_not_by_its_middle() -> None:
    """Boxes of one home lie about it in all ways: what most of them have in common is where it is."""
    rng = np.random.default_rng(1)
    grid, hours = square(40, 50.0), 30
    home, other = grid.metres([820]), grid.metres([305])
    near = rng.uniform(0, 700, (4, hours))
    west, south = HERE.degrees(home[0] - near[0], home[1] - near[1] ** 2 / 700)
    east, north = HERE.degrees(home[0] + near[2] ** 2 / 700, home[1] + near[3])
    truth = Points.of(*(np.full(hours, part[0]) for part in grid.centres([820])), time=np.arange(hours) * 600.0,
                      user=np.zeros(hours, dtype=int))  # fmt: skip
    case = Scene(truth, Released(truth, free(truth), box=(west, south, east, north)), grid)
    for attack in (LongObservation(), HomeAndWork()):
        assert attack.run(case).error[0] < 100
    known = truth.take([3])
    assert metres_to(case.released, np.array([3]), known)[0] < 0.01
    away = metres_to(case.released, np.array([3]), Points.of(*HERE.degrees(other[0], other[1])))
    assert away[0] > 100


def test_people_are_heard_when_they_report_and_not_when_they_asked() -> None:
    """Requests that wait for company tell the hour at which it was there: a nap at noon is no night."""
    truth, _ = lives(people=4)
    later = Points(truth.lon, truth.lat, truth.time + 12 * 3600, truth.user, truth.names)
    asked, told = (
        Scene(truth, Released(truth, free(truth)), square()),
        Scene(truth, Released(later, free(truth)), square()),
    )
    assert HomeAndWork(within=1.0).run(asked).success == 1.0
    assert HomeAndWork(within=1.0).run(told).success < 1.0


def plain_chain(prior, chain, seen, steps):
    """All paths of a Markov chain, one by one."""
    count, cells = seen.shape
    total = np.zeros((count, cells))
    powers = [np.linalg.matrix_power(chain, step) for step in steps]
    for path in product(range(cells), repeat=count):
        weight = prior[path[0]] * seen[0, path[0]]
        for t in range(1, count):
            weight *= powers[t][path[t - 1], path[t]] * seen[t, path[t]]
        for t, cell in enumerate(path):
            total[t, cell] += weight
    return total / total.sum(axis=1, keepdims=True)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5))
def test_forward_backward_is_the_sum_over_all_paths(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    cells = 4
    chain = rng.dirichlet(np.ones(cells), cells)
    chain[0, 2] = 0
    chain /= chain.sum(axis=1, keepdims=True)
    prior, seen = rng.dirichlet(np.ones(cells)), rng.uniform(0.01, 1, (count, cells))
    steps = rng.integers(0, 3, count)
    rows, ends = np.nonzero(chain)
    starts = np.searchsorted(rows, np.arange(cells + 1))
    found = smooth(starts.astype(np.int64), ends.astype(np.int64), chain[rows, ends], 0.01, prior, seen, steps)
    chain = 0.99 * chain + 0.01 * prior
    assert found == pytest.approx(plain_chain(prior, chain, seen, steps), abs=1e-6)


def test_a_wanderer_s_chances_are_chances_and_a_learned_road_is_followed() -> None:
    grid = square(8)
    wander = Markov.assume(grid)
    assert np.add.reduceat(wander.chances, wander.starts[:-1]) == pytest.approx(1)
    lon, lat = grid.centres(np.arange(8))
    road = Points.of(
        np.tile(lon, 50), np.tile(lat, 50), time=np.tile(np.arange(8) * 60, 50), user=np.repeat(np.arange(50), 8)
    )
    chain = Markov.learn(road, grid)
    first = slice(chain.starts[2], chain.starts[3])
    assert chain.ends[first][chain.chances[first].argmax()] == 3


def test_spots_are_the_places_that_are_visited_and_nothing_else() -> None:
    points = walkers(10, 40, 1)
    spots = Spots.visited(points, 150)
    assert spots.cells <= 150
    assert (spots.cell_of(points.lon, points.lat) >= 0).all()
    assert (spots.cell_of(points.lon, points.lat) == spots.nearest_cell(points.lon, points.lat)).mean() > 0.9
    lon, lat = spots.centres([3])
    assert spots.cell_of(lon, lat).tolist() == [3] == spots.nearest_cell(lon, lat).tolist()
    assert Spots.visited(points, 400).size < spots.size
    more = Spots.visited(points, 150, elsewhere=50)
    assert spots.cells < more.cells + 50
    chances = np.random.default_rng(1).dirichlet(np.ones(spots.cells), 2)
    x, y = spots.metres()
    plain = [[(row * np.hypot(x - x[at], y - y[at])).sum() for at in range(spots.cells)] for row in chances]
    assert expected_distances(chances, spots) == pytest.approx(np.array(plain))
    wander = Markov.assume(spots, step=60, speed=2)
    assert np.add.reduceat(wander.chances, wander.starts[:-1]) == pytest.approx(1)
    assert wander.starts[-1] == len(wander.ends)


def test_people_s_speed_is_read_off_their_points() -> None:
    assert usual_speed(walkers(5, 50, 1, speed=240)) == pytest.approx(4.0, rel=0.01)
    assert usual_speed(Points.of([0.0], [0.0])) == WALK


def test_tracking_is_better_than_one_report_at_a_time() -> None:
    truth = walkers(8, 120, 3)
    case = scene(truth, Noise(0.01), grid=grid_for(truth))
    alone, followed = ShortObservation().run(case), Tracking(speed=80 / 60).run(case)
    assert followed.error.mean() < 0.75 * alone.error.mean()
    assert followed.figures["uncertainty_bits"] < alone.figures["uncertainty_bits"]


def test_tracking_one_report_is_the_posterior() -> None:
    grid = square(5)
    prior = np.random.default_rng(1).dirichlet(np.ones(grid.cells))
    truth = Points.of(*grid.centres([7]), time=[0.0], user=["a"])
    law = likelihood_of(Noise(0.01).apply(truth, Seeded(1)), grid, Noise(0.01))
    found = track(law, Markov.assume(grid), prior, np.array([0]), np.zeros(1))
    assert found == pytest.approx(posterior(law, prior))


# Homes, and who is there


def lives(people: int = 12, days: int = 5, seed: int = 1) -> tuple[Points, Points]:
    """People at home by night and at work by day, from Monday to Friday, and where their homes are."""
    rng = np.random.default_rng(seed)
    homes, works = scattered(people, square(40, 100.0), seed), scattered(people, square(40, 100.0), seed + 1)
    hours = (np.arange(days * 24) + 96) * 3600.0  # 5 January 1970 was a Monday
    night, work = at_night(hours), at_work(hours)
    lon, lat, time, user = [], [], [], []
    for one in range(people):
        place = np.where(work, 1, np.where(night, 0, 2))
        lon.append(np.choose(place, [homes.lon[one], works.lon[one], homes.lon[one] + 0.01 * rng.normal()]))
        lat.append(np.choose(place, [homes.lat[one], works.lat[one], homes.lat[one] + 0.01 * rng.normal()]))
        time.append(hours)
        user.append(np.full(len(hours), f"{one:02}"))
    whole = [np.concatenate(part) for part in (lon, lat, time, user)]
    return Points.of(whole[0], whole[1], time=whole[2], user=whole[3]), homes


def test_homes_and_works_are_found_without_noise_and_seldom_with_much() -> None:
    truth, homes = lives()
    found = HomeAndWork(within=1.0).run(scene(truth, Nothing()))
    assert (found.success, found.figures["works_found"], found.attacked) == (1.0, 1.0, 12)
    assert found.guesses is not None
    assert found.guesses.distance(homes).max() < 1.0
    some = HomeAndWork().run(scene(truth, Noise(0.01)))
    much = HomeAndWork().run(scene(truth, Noise(0.0005)))
    assert some.success >= 0.75  # forty nights' reports of 200 m each
    assert much.error.mean() > 5 * some.error.mean()


def test_the_hours_follow_the_clock_that_people_live_by() -> None:
    noon = np.array([96 * 3600.0 + 12 * 3600])
    assert at_work(noon).tolist() == [True]
    assert at_work(noon, -12).tolist() == [False]
    assert at_night(noon, -12).tolist() == [True]
    assert at_work(noon + 5 * 86400).tolist() == [False]


def test_an_address_is_found_in_the_book_without_noise() -> None:
    truth, homes = lives()
    book = Points.of(np.concatenate([homes.lon, homes.lon + 0.002]), np.concatenate([homes.lat, homes.lat + 0.002]))
    sure = ContextLinking().run(scene(truth, Nothing(), places=book))
    assert (sure.success, sure.figures["candidates"]) == (1.0, 1.0)
    unsure = ContextLinking().run(scene(truth, Noise(0.0005), places=book))
    assert unsure.success < 0.5


def test_presence_is_told_without_noise_and_hardly_with_much() -> None:
    grid = square(40, 50.0)
    truth = scattered(1000, grid, 4)
    clinic = Points.of(*grid.centres([820]))
    clear = LocationPresence().run(scene(truth, Nothing(), grid=grid, places=clinic))
    blurred = LocationPresence().run(scene(truth, Noise(0.0005), grid=grid, places=clinic))
    assert clear.success > 0.99
    assert clear.figures["accuracy"] > 0.97
    assert blurred.success < 0.75


def test_the_area_under_the_curve_is_the_share_of_pairs_in_order() -> None:
    rng = np.random.default_rng(2)
    score, positive = rng.integers(0, 6, 60).astype(float), rng.random(60) < 0.4
    pairs = [(a > b) + (a == b) / 2 for a in score[positive] for b in score[~positive]]
    assert auc(score, positive) == pytest.approx(np.mean(pairs))
    assert auc(score, np.zeros(60, dtype=bool)) == 0.5


# Who it is


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 12), st.integers(1, 7), st.integers(1, 3), st.integers(0, 10_000))
def test_uniqueness_is_what_counting_every_set_finds(people: int, places: int, h: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 60))
    user, place = rng.integers(0, people, count), rng.integers(0, places, count)
    having = [set(place[user == one].tolist()) for one in range(user.max() + 1)]
    found = uniqueness(Visits.of(user, place), h, trials=300, source=Seeded(seed))
    for one, mine in enumerate(having):
        sizes = [sum(set(some) <= other for other in having) for some in combinations(sorted(mine), h)]
        if not sizes:
            assert np.isnan(found.risk[one])
        elif found.exact:
            assert found.risk[one] == pytest.approx(np.mean([1 / size for size in sizes]))
            assert found.alone[one] == pytest.approx(np.mean([size == 1 for size in sizes]))
        else:
            # Hoeffding: off by more than 0.16 once in 10^6, for 300 draws of figures between 0 and 1
            assert abs(found.risk[one] - np.mean([1 / size for size in sizes])) < 0.16


def test_a_few_points_find_a_pseudonym_until_noise_hides_it() -> None:
    truth = walkers(40, 50, 6)
    sure = Identification().run(scene(truth, Nothing(), grid=square(30, 200.0)))
    assert (sure.success, sure.figures["mean_rank"], sure.attacked) == (1.0, 1.0, 40)
    hidden = Identification().run(scene(truth, Noise(0.0002), grid=square(30, 200.0)))
    assert hidden.success < 0.5


def test_friends_are_told_by_their_meetings() -> None:
    truth = walkers(20, 60, 7, minutes=15)
    friend = truth.take(slice(0, 60))
    together = Points.of(
        np.concatenate([truth.lon, friend.lon]),
        np.concatenate([truth.lat, friend.lat]),
        time=np.concatenate([truth.time, friend.time]),
        user=np.concatenate([truth.user, np.full(60, 20)]),
    )
    clear = AggregatedPresence().run(scene(together, Nothing()))
    assert clear.figures["pairs_who_meet"] >= 1
    assert clear.success == 1.0
    assert clear.figures["precision"] == 1.0
    assert AggregatedPresence().run(scene(together, Noise(0.002))).success < 1.0


# Cloaks, mix zones, colluders


def cloaked(truth: Points, k: int) -> Released:
    """The rectangle about each person's k nearest, themselves included: the cloak that Kalnis et al. warn of, grown to
    be as far from the person on every side."""
    x, y = HERE.metres(truth.lon, truth.lat)
    away = np.hypot(x[:, None] - x, y[:, None] - y)
    reach = np.sort(away, axis=1)[:, k - 1] + 0.5
    west, south = HERE.degrees(x - reach, y - reach)
    east, north = HERE.degrees(x + reach, y + reach)
    return Released(truth, free(truth), box=(west, south, east, north))


def test_a_cloak_about_a_person_has_them_in_its_middle() -> None:
    truth = scattered(150, square(), 3, time=np.zeros(150), user=np.arange(150))
    found = CentreOfCloak().run(Scene(truth, cloaked(truth, 8), square()))
    assert found.success == 1.0
    assert found.baseline <= 1 / 8
    assert found.figures["smallest_crowd"] >= 8
    cells = square(4, 500.0)
    x, y = HERE.metres(truth.lon, truth.lat)
    west, south = HERE.degrees(np.floor(x / 500) * 500, np.floor(y / 500) * 500)
    east, north = HERE.degrees(np.floor(x / 500 + 1) * 500, np.floor(y / 500 + 1) * 500)
    fixed = CentreOfCloak().run(Scene(truth, Released(truth, free(truth), box=(west, south, east, north)), cells))
    assert fixed.success == pytest.approx(fixed.baseline)  # each cell's middle points at one of its people


def test_cloaks_of_one_who_moves_have_few_people_in_common() -> None:
    truth = walkers(60, 12, 8, minutes=15, speed=300)
    released = cloaked_by_time(truth, 5)
    found = IntersectionOfCloaks().run(Scene(truth, released, square()))
    assert found.attacked == 60
    assert found.success > 0.8
    still = Points(truth.lon[::12].repeat(12), truth.lat[::12].repeat(12), truth.time, truth.user, truth.names)
    stay = IntersectionOfCloaks().run(Scene(still, cloaked_by_time(still, 5), square()))
    assert stay.success == 0.0
    assert stay.figures["people_left"] >= 5


def cloaked_by_time(truth: Points, k: int) -> Released:
    sides = [np.empty(len(truth)) for _ in range(4)]
    for moment in np.unique(truth.time):
        rows = np.flatnonzero(truth.time == moment)
        box = cloaked(truth.take(rows), k).box
        for whole, part in zip(sides, box, strict=True):
            whole[rows] = part
    return Released(truth, free(truth), box=tuple(sides))


def crossing(n: int, seed: int, gap: float) -> Crossings:
    rng = np.random.default_rng(seed)
    angle, turned = rng.uniform(0, 2 * np.pi, n), rng.normal(np.pi, 0.2, n)
    into = HERE.degrees(200 * np.cos(angle), 200 * np.sin(angle))
    out = HERE.degrees(200 * np.cos(angle + turned), 200 * np.sin(angle + turned))
    start = np.arange(n) * gap
    metres = Points(*into).distance(Points(*out))
    entries = Points(*into, start, np.arange(n))
    shuffled = rng.permutation(n)
    exits = Points(*out, start + metres / rng.lognormal(np.log(1.4), 0.1, n), np.arange(n)).take(shuffled)
    return Crossings(entries, exits, shuffled)


def test_a_mix_zone_with_one_person_at_a_time_mixes_nothing() -> None:
    apart, close = MixZoneLinkage().link(crossing(7, 1, gap=1000)), MixZoneLinkage().link(crossing(7, 1, gap=1))
    assert (apart.success, apart.baseline) == (1.0, pytest.approx(1 / 7))
    assert apart.figures["entropy_bits"] < 0.01
    assert close.figures["entropy_bits"] > 1
    assert close.figures["entropy_bits"] <= close.figures["most_bits"] == pytest.approx(np.log2(5040))


def test_the_matching_is_the_likeliest_of_all() -> None:
    crossings = crossing(6, 2, gap=20)
    weights = weights_of(crossings, 1.4, 0.5, 0.8)
    chances = {way: np.prod(weights[np.arange(6), list(way)]) for way in permutations(range(6))}
    best = max(chances, key=chances.__getitem__)  # the exit of each entry
    linked = MixZoneLinkage().link(crossings)
    assert linked.success == np.mean([crossings.match[exit] == entry for entry, exit in enumerate(best)])
    share = np.array([*chances.values()]) / sum(chances.values())
    assert linked.figures["entropy_bits"] == pytest.approx(-(share[share > 0] * np.log2(share[share > 0])).sum())
    headed = Crossings(crossings.entries, crossings.exits, crossings.match, np.zeros(6), np.full(6, np.pi / 2))
    assert weights_of(headed, 1.4, 0.5, 0.5) == pytest.approx(weights * np.exp(-np.pi))


def test_exact_distances_give_the_place_and_rounded_ones_nearly() -> None:
    grid = square(20, 500.0)
    anchors, victims = scattered(12, grid, 1), scattered(100, grid, 2)
    ax, ay = grid.frame.metres(anchors.lon, anchors.lat)
    x, y = grid.frame.metres(victims.lon, victims.lat)
    exact = np.hypot(x[:, None] - ax, y[:, None] - ay)
    assert victims.distance(trilaterate(anchors, exact, grid.frame)).max() < 1.0
    case = scene(victims, Nothing(), grid=grid)
    told = Trilateration(rounding=500).run(case)
    assert told.error.mean() < 150
    hidden = Trilateration(rounding=0).run(scene(victims, Noise(0.005), grid=grid))
    assert hidden.figures["error_to_report"] < 1
    assert hidden.error.mean() == pytest.approx(hidden.figures["quality_loss"], rel=0.02)


# Of all


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_keeps_the_contract(name: str) -> None:
    attack = ATTACKS[name]()
    assert attack.name == name
    assert attack.__doc__
    assert attack.knows
    truth, homes = lives(people=5, days=2)
    if name == "aggregated-presence":  # two who live and work together
        twin = truth.take(truth.user == 0)
        truth = Points(
            np.concatenate([truth.lon, twin.lon]),
            np.concatenate([truth.lat, twin.lat]),
            np.concatenate([truth.time, twin.time]),
            np.concatenate([truth.user, np.full(len(twin), 5)]),
        )
    case = scene(truth, Noise(0.01), grid=square(20, 200.0), places=homes, crossings=crossing(4, 1, 10))
    regions = attack.needs & {"boxes", "regions or sets"}
    if regions:
        assert attack.lacks(case) == f"needs {next(iter(regions))}"
        case = Scene(truth, cloaked_by_time(truth, 3), square(20, 200.0))
    assert attack.lacks(case) is None
    found = attack.run(case)
    assert 0 <= found.success <= 1
    assert 0 <= found.baseline < 1
    assert found.attacked > 0
    told = found.to_dict()
    assert told["attack"] == name
    assert set(told) >= {"success", "baseline", "error_metres", "figures", "knows"}
    bare = Points.of(truth.lon, truth.lat)
    if attack.needs & {"users", "times"}:
        assert "needs" in (attack.lacks(Scene(bare, Released(bare, free(bare)), square())) or "")


def test_a_prior_counts_visits() -> None:
    grid = square(4)
    points = Points.of(*grid.centres([3, 3, 5]))
    assert prior_of(points, grid, smoothing=0)[[3, 5]] == pytest.approx([2 / 3, 1 / 3])
    assert (prior_of(points, grid) > 0).all()
