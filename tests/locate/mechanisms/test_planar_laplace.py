"""Planar Laplace noise: its law everywhere on the globe, its tail, its grid, and the inequality that it promises."""

from __future__ import annotations

from math import exp, log, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from cobogo.errors import NoSolution
from cobogo.floor.randomness import Entropy, Seeded
from cobogo.locate.mechanisms import Adaptive, PlanarLaplace, Predictive, Remap, Remapped, SeveralPlaces
from cobogo.locate.mechanisms.planar_laplace import (
    BEARING_STEP,
    GRAIN,
    ROUNDING,
    epsilon_to_draw,
    exponentials,
    laplace_steps,
)
from cobogo.locate.places.cells import PublicPlaces
from cobogo.locate.places.geometry import DEGREE, HALFWAY, RADIUS, distance, move
from cobogo.locate.places.grid import Grid, World
from cobogo.locate.places.kernels import walk, walk_all
from cobogo.locate.places.points import Points
from support.effort import examples
from support.location_laws import a_prior, square

MANY = 40_000
PLACES = {
    "equator": (-38.5, 0.0), "Fortaleza": (-38.5267, -3.7319), "Lisbon": (-9.14, 38.7), "Helsinki": (24.9, 60.0),
    "near the north pole": (10.0, 89.0), "near the south pole": (-70.0, -89.0), "Fiji": (179.9995, -17.0),
}  # fmt: skip


def offsets(lon: float, lat: float, reports: Points) -> tuple[np.ndarray, np.ndarray]:
    """Metres to the east and north by the azimuthal projection, computed in space without the code under test."""
    a, b, c, d = map(np.radians, (lon, lat, reports.lon, reports.lat))
    there = np.stack([np.cos(d) * np.cos(c), np.cos(d) * np.sin(c), np.sin(d)])
    east = np.array([-np.sin(a), np.cos(a), 0])
    north = np.array([-np.sin(b) * np.cos(a), -np.sin(b) * np.sin(a), np.cos(b)])
    x, y = east @ there, north @ there
    span = np.arcsin(np.hypot(x, y)) / np.maximum(np.hypot(x, y), 1e-300) * RADIUS
    return x * span, y * span


@pytest.mark.parametrize("place", PLACES)
def test_the_noise_is_the_same_in_all_directions_everywhere(place: str) -> None:
    lon, lat = PLACES[place]
    here = Points.from_columns(np.full(MANY, lon), np.full(MANY, lat))
    reports = PlanarLaplace(0.01).apply(here, Seeded(11)).points
    x, y = offsets(lon, lat, reports)
    sd = 3**0.5 / 0.01
    # Of n draws of this law the standard deviation of an axis is off by about 1.12·sd/√n; five of these are < 1e-6.
    bound = 5.2 * 1.2 * sd / MANY**0.5
    assert abs(x.std() - sd) < bound
    assert abs(y.std() - sd) < bound
    assert abs(x.mean()) < 5.2 * sd / MANY**0.5 + 1
    assert abs(y.mean()) < 5.2 * sd / MANY**0.5 + 1
    turned = np.arctan2(y, x) / (2 * pi) % 1
    assert stats.kstest(turned, "uniform").pvalue > 1e-6
    assert stats.kstest(np.hypot(x, y), stats.gamma(2, scale=100).cdf).pvalue > 1e-6


def test_the_radius_follows_its_law_with_the_systems_entropy_too() -> None:
    here = Points.from_columns(np.full(MANY, -38.5), np.full(MANY, -3.7))
    reports = PlanarLaplace(0.001).apply(here, Entropy()).points
    radius = distance(here.lon, here.lat, reports.lon, reports.lat)
    assert stats.kstest(radius, stats.gamma(2, scale=1000).cdf).pvalue > 1e-6


def test_noise_as_wide_as_the_world_has_the_density_of_the_sphere() -> None:
    # At ε = 1/R a ring's share is e^(−r/R)·sin(r/R), with no plane anywhere near: cdf by hand.
    turned, _ = laplace_steps(Seeded(3).words(3 * MANY).reshape(-1, 3), 1 / RADIUS, Seeded(4))
    whole = (1 + exp(-pi)) / 2

    def cdf(x: np.ndarray) -> np.ndarray:
        return (1 - np.exp(-x) * (np.sin(x) + np.cos(x))) / 2 / whole

    assert stats.kstest(turned, cdf).pvalue > 1e-6
    assert turned.max() < pi


class Scripted:
    """Words that were written down before."""

    safe = False

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def words(self, count: int) -> np.ndarray:
        given, self.left = self.left[:count], self.left[count:]
        return np.array([*given, *[2**63] * (count - len(given))], dtype=np.uint64)


def test_the_tail_has_no_edge() -> None:
    # 2⁻⁶⁴ and below: a word of zeros is followed by another, however often.
    assert exponentials(np.array([2**63], dtype=np.uint64), Scripted())[0] == pytest.approx(log(2))
    assert exponentials(np.array([0], dtype=np.uint64), Scripted(0, 2**63))[0] == pytest.approx(65 * log(2))
    far = exponentials(np.array([0], dtype=np.uint64), Scripted(0, 0, 0, 2**62))[0]
    assert far == pytest.approx(130 * log(2))
    # Small words get more bits: the same first word and different second ones are different numbers.
    low, high = (exponentials(np.array([1], dtype=np.uint64), Scripted(w))[0] for w in (0, 2**64 - 1))
    assert (low, high) == pytest.approx((64 * log(2), 63 * log(2)))


def test_a_report_can_be_as_far_away_as_the_bits_say() -> None:
    # The first exponential's word is zero, so that 2⁻⁶⁴ goes before the next one, 1/2; the other is of 1/2.
    here = Points.from_columns([-38.5], [-3.7])
    report = PlanarLaplace(0.01).apply(here, Scripted(0, 2**63, 0)).points
    assert here.distance(report)[0] == pytest.approx(66 * log(2) / 0.01, rel=1e-3)


def test_the_tail_is_as_heavy_as_it_should_be() -> None:
    gamma = laplace_steps(Seeded(8).words(3_000_000).reshape(-1, 3), 0.01, Seeded(9))[0] * RADIUS * 0.01
    beyond = int((gamma > 12).sum())
    expected = 1_000_000 * 13 * exp(-12)
    assert abs(beyond - expected) < 5.5 * expected**0.5


@settings(deadline=None, max_examples=examples(40))
@given(st.floats(-180, 180), st.floats(-90, 90), st.floats(0, 3.1), st.floats(0, 2 * pi))
def test_the_compiled_walk_is_that_of_more_digits(lon: float, lat: float, turned: float, bearing: float) -> None:
    world = World(1e-3)  # finer than any grid in use, so that what is left is the walk's own error
    out = np.empty(1), np.empty(1)
    walk_all(*(np.array([v]) for v in (lon, lat, turned, bearing)), True, float(world.rows), world.size, *out)
    start = world.snap(lon, lat)
    there = move(*start, turned * RADIUS, bearing)
    assert distance(*there, out[0][0], out[1][0]) < 2e-3


def test_floats_misplace_a_position_by_less_than_what_is_allowed_for() -> None:
    rng = np.random.default_rng(5)
    n = 20_000
    lon, lat = rng.uniform(-180, 180, n), np.where(rng.random(n) < 0.5, rng.uniform(-90, 90, n), 0)
    lat = np.where(lat == 0, rng.choice([-1, 1], n) * (90 - 10 ** rng.uniform(-7, 0, n)), lat)
    turned, bearing = 10 ** rng.uniform(-7, 0.49, n), rng.uniform(0, 2 * pi, n)
    got = np.array([walk(*one) for one in zip(lon, lat, turned, bearing, strict=True)]).T
    turn = np.arctan(np.longdouble(1)) / 45
    a, b, c, d = (np.asarray(v, dtype=np.longdouble) * turn for v in (lon, lat, *got))
    t, w = np.asarray(turned, dtype=np.longdouble), np.asarray(bearing, dtype=np.longdouble)
    there = np.stack([np.cos(d) * np.cos(c), np.cos(d) * np.sin(c), np.sin(d)])
    up = np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)])
    east = np.stack([-np.sin(a), np.cos(a), 0 * a])
    north = np.stack([-np.sin(b) * np.cos(a), -np.sin(b) * np.sin(a), np.cos(b)])
    exact = up * np.cos(t) + (north * np.cos(w) + east * np.sin(w)) * np.sin(t)
    assert np.sqrt(((exact - there) ** 2).sum(axis=0)).max() * RADIUS < ROUNDING / 2


@pytest.mark.parametrize("size", [1.0, 250.0])
def test_reports_are_cells_of_the_public_grid_and_nothing_else(size: float) -> None:
    rng = np.random.default_rng(2)
    here = Points.from_columns(rng.uniform(-180, 180, 2000), rng.uniform(-90, 90, 2000))
    reports = PlanarLaplace(0.01, grid=World(size)).apply(here, Seeded(1)).points
    lon, lat = World(size).snap(reports.lon, reports.lat)
    assert (lon == reports.lon).all()
    assert (lat == reports.lat).all()


def test_two_places_in_one_cell_have_the_same_reports() -> None:
    world = World(100)
    a, b = Points.from_columns([-38.50001], [-3.70001]), Points.from_columns([-38.50002], [-3.70002])
    assert world.snap(a.lon, a.lat) == world.snap(b.lon, b.lat)
    one, other = (PlanarLaplace(0.01, grid=world).apply(p, Seeded(3)).points for p in (a, b))
    assert (one.lon, one.lat) == (other.lon, other.lat)


def test_the_theorem_gives_what_was_computed_by_hand() -> None:
    drawn = epsilon_to_draw(0.01, 1.0, 100_000 * BEARING_STEP)
    assert drawn is not None
    # ε − ε′ ≈ 4·r_max·δθ·e^ε/u², to first order.
    assert 0.01 - drawn == pytest.approx(4 * 100_000 * BEARING_STEP * exp(0.01), rel=1e-3)
    assert epsilon_to_draw(0.01, 1.0, 100_000 * 2 * pi * 2**-24) is None
    assert epsilon_to_draw(0.01, 0.01, 100_000 * 2 * pi * 2**-32) is None
    assert epsilon_to_draw(50.0, 1.0, 1e-3) is not None
    with pytest.raises(ValueError, match="floating-point numbers can hold on a grid of 1 m"):
        PlanarLaplace(1e-7, grid=World(1))
    with pytest.raises(ValueError, match="cells of 1 m or more"):
        PlanarLaplace(0.01, grid=World(0.5))
    assert PlanarLaplace(1e-7).world.size == 10_000


@pytest.mark.parametrize("epsilon", [0.02, 0.004])
def test_the_law_of_cells_keeps_the_inequality_with_room_for_the_digits(epsilon: float) -> None:
    """Every cell's exact probability, by integration of the density that noise is drawn with, from every pair of cells:
    even with all that the digits may carry over its borders, none is more than e^(ε·d) times another."""
    size, reach = 50.0, 4
    drawn = PlanarLaplace(epsilon, grid=World(size)).noise_epsilon

    def share(i: int, j: int, wider: float) -> float:
        """Of the cell i columns and j rows away, made wider (or narrower) by so much on each side."""
        half = size / 2 + wider
        return float(
            integrate.dblquad(
                lambda y, x: drawn**2 / (2 * pi) * exp(-drawn * np.hypot(x, y)),
                i * size - half, i * size + half, j * size - half, j * size + half, epsabs=1e-13, epsrel=1e-9,
            )[0]
        )  # fmt: skip

    steps = range(-reach, reach + 1)
    ring = {(i, j): (share(i, j, GRAIN), share(i, j, -GRAIN)) for i in range(reach + 1) for j in range(reach + 1)}
    law = {(i, j): ring[abs(i), abs(j)] for i in steps for j in steps}
    for (i, j), (most, _) in law.items():
        for (k, l), (_, least) in law.items():
            apart = np.hypot(i - k, j - l) * size
            assert most <= exp(epsilon * apart) * least * (1 + 2e-8), (i, j, k, l)


@pytest.mark.parametrize("lat", [-3.7, 60.0])
def test_cells_are_reported_as_often_as_their_exact_law_says(lat: float) -> None:
    """Every cell of the world about a true one: its border in degrees, and the density integrated over it."""
    mechanism = PlanarLaplace(0.01, grid=World(100))
    world = mechanism.world
    lon0, lat0 = (float(part) for part in world.snap(-38.5, lat))
    height, count = 180 / world.rows, 300_000
    nodes, weights = np.polynomial.legendre.leggauss(24)
    chances, centres = [], []
    for row in range(-3, 4):
        middle = lat0 + row * height
        cells = round(360 * DEGREE * np.cos(np.radians(middle)) / world.size)
        for column in range(-3, 4):
            lon, _ = world.snap(lon0 + column * 360 / cells, middle)
            centres.append((float(lon), middle))
            a, b = (float(lon) + nodes * 180 / cells), (middle + nodes * height / 2)
            away = distance(lon0, lat0, a[:, None], b)
            area = (360 / cells * DEGREE * np.cos(np.radians(b))) * height * DEGREE / 4
            density = mechanism.noise_epsilon**2 / (2 * pi) * np.exp(-mechanism.noise_epsilon * away)
            chances.append(float(weights @ (density * area) @ weights))
    reports = mechanism.apply(Points.from_columns(np.full(count, -38.5), np.full(count, lat)), Seeded(12)).points
    column = np.round(np.stack([reports.lon, reports.lat]), 9)
    seen = [int(((column[0] == round(x, 9)) & (column[1] == round(y, 9))).sum()) for x, y in centres]
    expected = np.array([*chances, 1 - sum(chances)]) * count
    assert stats.chisquare([*seen, count - sum(seen)], expected).pvalue > 1e-6


def test_quantiles_and_shares_are_inverse_and_right() -> None:
    mechanism = PlanarLaplace.from_level(200, log(4))
    law = stats.gamma(2, scale=1 / mechanism.noise_epsilon)
    for share in (0.01, 0.25, 0.5, 0.95, 0.999):
        assert mechanism.radius(share) == pytest.approx(law.ppf(share), rel=1e-7)
        assert mechanism.share_within(mechanism.radius(share)) == pytest.approx(share)
    assert mechanism.epsilon == pytest.approx(log(4) / 200)
    with pytest.raises(ValueError, match="from 0 to below 1"):
        mechanism.radius(1.0)


def test_a_region_holds_all_reports_and_each_is_at_its_nearest_place() -> None:
    grid = Grid.from_bounds(-38.60, -3.85, -38.45, -3.70, size=1000)
    region = PublicPlaces.from_grid(grid, np.arange(grid.cells) % 3 > 0)
    rng = np.random.default_rng(6)
    here = Points.from_columns(rng.uniform(-38.6, -38.45, 300), rng.uniform(-3.85, -3.7, 300))
    free = PlanarLaplace(0.002).apply(here, Seeded(5)).points
    bound = PlanarLaplace(0.002, region=region).apply(here, Seeded(5)).points
    away = distance(free.lon[:, None], free.lat[:, None], region.points.lon, region.points.lat)
    assert distance(free.lon, free.lat, bound.lon, bound.lat) == pytest.approx(away.min(axis=1))
    assert set(zip(bound.lon, bound.lat, strict=True)) <= set(zip(region.points.lon, region.points.lat, strict=True))


@pytest.mark.parametrize("epsilon", [1e-7, 5e-7, 1e-5])
def test_noise_as_wide_as_the_globe_stays_on_it(epsilon: float) -> None:
    """Radii are those of a sphere: of 4,000 reports the share within a radius is off by 0.05 once in 10⁶ at most."""
    noise = PlanarLaplace(epsilon)
    here = Points.from_columns(np.full(4000, -38.5), np.full(4000, -3.7))
    away = here.distance(noise.apply(here, Seeded(1)).points)
    for share in (0.2, 0.5, 0.95):
        assert noise.radius(share) < HALFWAY
        assert abs((away <= noise.radius(share)).mean() - share) < 0.05
        assert noise.share_within(noise.radius(share)) == pytest.approx(share)
    assert noise.share_within(HALFWAY) == pytest.approx(1)


@pytest.mark.parametrize("epsilon", [1e-8, 1e-12, 1e-300])
def test_noise_wider_than_the_globe_is_refused_at_once(epsilon: float) -> None:
    for kind in (PlanarLaplace, Predictive, Adaptive, SeveralPlaces):
        with pytest.raises(ValueError, match="wider than the globe"):
            kind(epsilon)
    crowd = Points.from_columns(np.full(30, -38.5), np.full(30, -3.7), user=["ana"] * 30)
    with pytest.raises(NoSolution, match="30 places"):
        SeveralPlaces(1e-6).apply(crowd, Seeded(1))


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


def test_a_report_is_remapped_from_where_it_is_and_not_from_the_middle_of_its_cell() -> None:
    """Two reports at the two ends of a cell between two crowds go to the crowd that each is nearer to."""
    grid = square(3, 500.0)
    prior = np.array([0, 0, 0, 1, 0, 1, 0, 0, 0])
    lon, lat = grid.frame.degrees([-200.0, 200.0], [0.0, 0.0])
    remap = Remap(0.01, grid, prior)
    assert grid.cell_of(*_lonlat(remap(Points.from_columns(lon, lat)))).tolist() == [3, 5]
    many = Points.from_columns(np.linspace(lon[0], lon[1], 6001), np.full(6001, lat[0]))  # too many to be exact of each
    found = grid.cell_of(*_lonlat(remap(many)))
    assert (found[:2500] == 3).all()
    assert (found[-2500:] == 5).all()


def _lonlat(points: Points) -> tuple[np.ndarray, np.ndarray]:
    return points.lon, points.lat
