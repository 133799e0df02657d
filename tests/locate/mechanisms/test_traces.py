"""Mechanisms that look back: what they report again, what they spend, and what that follows from."""

from __future__ import annotations

from math import exp, pi

import numpy as np
import pytest
from scipy import stats

from cobogo.floor.randomness import Seeded, Source
from cobogo.locate.device import DeviceClient
from cobogo.locate.mechanisms import Adaptive, PlanarLaplace, Predictive
from cobogo.locate.mechanisms.base import Course, Mechanism
from cobogo.locate.places.geometry import DEGREE, RADIUS, distance, move, wrap
from cobogo.locate.places.points import Points


def pairs(count: int, apart: float) -> Points:
    """People seen twice, so many metres apart."""
    here = np.full(count, -38.5), np.full(count, -3.7)
    there = move(*here, apart, np.linspace(0, 2 * pi, count))
    lon, lat = (np.stack(both, axis=1).ravel() for both in zip(here, there, strict=True))
    return Points.from_columns(lon, lat, time=np.tile([0.0, 60.0], count), user=np.repeat(np.arange(count), 2))


@pytest.mark.parametrize("apart", [0.0, 300.0, 900.0])
def test_a_report_is_repeated_as_often_as_the_noisy_test_says(apart: float) -> None:
    points = pairs(20_000, apart)
    mechanism = Predictive(0.02, test_share=0.4, threshold=200.0)
    released = mechanism.apply(points, Seeded(7))
    lon, lat = released.points.lon.reshape(-1, 2), released.points.lat.reshape(-1, 2)
    repeated = (lon[:, 0] == lon[:, 1]) & (lat[:, 0] == lat[:, 1])
    away = distance(points.lon[1::2], points.lat[1::2], lon[:, 0], lat[:, 0])
    chance = stats.laplace(scale=1 / 0.008).sf(away - 200)
    error = abs(repeated.sum() - chance.sum()) / np.sqrt((chance * (1 - chance)).sum())
    assert error < 5.2
    cost = released.cost.reshape(-1, 2)
    assert cost[:, 0] == pytest.approx(0.012)
    assert cost[repeated, 1] == pytest.approx(0.008)
    assert cost[~repeated, 1] == pytest.approx(0.02)
    assert (released.owner_only["fresh"].reshape(-1, 2)[:, 1] == ~repeated).all()


def test_who_stays_spends_little_and_who_moves_fast_spends_all() -> None:
    still = Points.from_columns(np.full(500, -38.5), np.full(500, -3.7))
    fast = Points.from_columns(-38.5 + 0.05 * np.arange(500), np.full(500, -3.7))
    spent = [Predictive(0.01).apply(points, Seeded(1)).cost.mean() for points in (still, fast)]
    assert spent[0] < 0.006
    assert spent[1] > 0.0098


def test_people_do_not_see_each_other() -> None:
    """Mixed or one after the other, with the same words in the same order, reports are the same."""
    rng = np.random.default_rng(0)
    lon, lat = -38.5 + rng.normal(0, 0.01, 60), -3.7 + rng.normal(0, 0.01, 60)
    user = np.repeat([0, 1, 2], 20)
    time = np.tile(np.arange(20) * 30.0, 3)
    apart = Points.from_columns(lon, lat, time=time, user=user)
    mixed = apart.take(np.argsort(time, kind="stable"))
    for mechanism in (Predictive(0.01), Adaptive(0.01), Adaptive(0.01, judge="reports")):
        one, other = mechanism.apply(apart, Seeded(3)), mechanism.apply(mixed, Seeded(3))
        back = np.argsort(np.argsort(time, kind="stable"), kind="stable")
        assert (one.points.lon == other.points.lon[back]).all()
        assert (one.cost == other.cost[back]).all()


def test_steps_that_the_sphere_does_not_keep_are_drawn_again() -> None:
    count = 3000
    points = Points.from_columns(np.full(count, 20.0), np.full(count, 50.0), user=np.arange(count))
    mechanism = Predictive(1.25 / RADIUS)
    turned = points.distance(mechanism.apply(points, Seeded(5)).points) / RADIUS

    def cdf(x: np.ndarray) -> np.ndarray:
        return (1 - np.exp(-x) * (np.sin(x) + np.cos(x))) / (1 + exp(-pi))

    assert stats.kstest(turned, cdf).pvalue > 1e-6


def line(count: int, seconds: float = 10.0, speed: float = 12.0) -> Points:
    lon, lat = move(np.full(count, 179.99), np.full(count, -17.0), np.arange(count) * seconds * speed, 1.0)
    return Points.from_columns(lon, lat, time=np.arange(count) * seconds)


def judged(of: Points, to: Points, window: int, lag: int) -> np.ndarray:
    """How far lines miss, by polyfit: the ``window`` points that end ``lag`` before each, against it."""
    found = np.full(len(to), np.nan)
    assert of.time is not None
    for i in range(window + lag, len(to)):
        rows = slice(i - lag - window, i - lag)
        east = wrap(of.lon[rows] - of.lon[rows][-1]) * DEGREE * np.cos(np.radians(of.lat[rows][-1]))
        when, target = of.time[rows] - of.time[i - lag], i - lag
        x = np.polyfit(when, east, 1)[1]
        y = np.polyfit(when, of.lat[rows] * DEGREE, 1)[1]
        to_x = wrap(to.lon[target] - of.lon[rows][-1]) * DEGREE * np.cos(np.radians(of.lat[rows][-1]))
        found[i] = np.hypot(x - to_x, y - to.lat[target] * DEGREE)
    return found


@pytest.mark.parametrize(("judge", "of"), [("truth", "reports"), ("truth", "truth"), ("reports", "reports")])
def test_epsilon_follows_how_far_the_line_misses(judge: str, of: str) -> None:
    rng = np.random.default_rng(4)
    points = line(400)
    points = points.move_to(*move(points.lon, points.lat, rng.exponential(150, 400), rng.uniform(0, 6.28, 400)))
    mechanism = Adaptive(0.01, window=4, judge=judge, of=of)  # type: ignore[arg-type]
    released = mechanism.apply(points, Seeded(6))
    window = points if of == "truth" else released.points
    error = judged(window, released.points if judge == "reports" else points, 4, 1 if judge == "reports" else 0)
    expected = np.where(error < 96, 0.001, np.where(error > 270, 0.05, 0.01))
    assert released.cost == pytest.approx(expected, rel=1e-12)
    assert len(set(released.cost.tolist())) == 3


def test_a_straight_way_foretold_by_true_places_gets_more_noise() -> None:
    released = Adaptive(0.01, of="truth").apply(line(300), Seeded(1))
    assert released.cost[:5] == pytest.approx(0.01)
    assert released.cost[5:] == pytest.approx(0.001)
    off = line(300).distance(released.points)[5:]
    assert stats.kstest(off, stats.gamma(2, scale=1000).cdf).pvalue > 1e-6


def test_only_the_variant_judged_by_reports_promises_anything() -> None:
    heuristic, kept = Adaptive(0.01), Adaptive(0.01, judge="reports")
    assert heuristic.guarantee.kind == "none"
    assert "no ε bounds" in heuristic.guarantee.note
    assert kept.guarantee.epsilon == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"factor_high_corr": 2.0}, "factor_high_corr"), ({"factor_low_corr": 0.5}, "factor_low_corr"),
        ({"window": 1}, "window"), ({"delta1": 300.0}, "delta1"), ({"judge": "me"}, "judge"),
        ({"judge": "reports", "of": "truth"}, "of"),
    ],
)  # fmt: skip
def test_the_wrong_direction_is_refused(options: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=f"'{named}' parameter of adaptive"):
        Adaptive(0.01, **options)  # type: ignore[arg-type]


def one_by_one(mechanism: Mechanism, points: Points, source: Source) -> tuple[Points, np.ndarray]:
    """Reports as a device makes them: it sees a point only when it comes."""
    course = Course(mechanism, source)
    made = [course.report(points.take(slice(i, i + 1))) for i in range(len(points))]
    lon, lat = (np.concatenate([getattr(one.points, part) for one in made]) for part in ("lon", "lat"))
    return points.move_to(lon, lat), np.concatenate([one.cost for one in made])


@pytest.mark.parametrize("judge", ["truth", "reports"])
def test_report_by_report_it_looks_back_as_it_does_at_once(judge: str) -> None:
    rng = np.random.default_rng(4)
    points = line(200)
    points = points.move_to(*move(points.lon, points.lat, rng.exponential(150, 200), rng.uniform(0, 6.28, 200)))
    reports, cost = one_by_one(Adaptive(0.01, window=4, judge=judge), points, Seeded(6))  # type: ignore[arg-type]
    error = judged(reports, reports if judge == "reports" else points, 4, 1 if judge == "reports" else 0)
    assert cost == pytest.approx(np.where(error < 96, 0.001, np.where(error > 270, 0.05, 0.01)), rel=1e-12)


def test_report_by_report_the_last_one_is_sent_again() -> None:
    still = Points.from_columns(np.full(300, -38.5), np.full(300, -3.7))
    reports, cost = one_by_one(Predictive(0.01), still, Seeded(1))
    again = np.r_[False, (np.diff(reports.lon) == 0) & (np.diff(reports.lat) == 0)]
    assert 0.5 < again.mean() < 1
    assert cost == pytest.approx(np.where(again, 0.002, np.r_[0.008, np.full(299, 0.01)]))


def test_a_course_keeps_people_apart() -> None:
    """Of two people, one far away: each is compared with their own last report."""
    course = Course(Predictive(0.01), Seeded(2))
    both = Points.from_columns([-38.5, 10.0], [-3.7, 50.0], user=[0, 1])
    costs = np.stack([course.report(both).cost for _ in range(60)])
    assert costs[0] == pytest.approx(0.008)
    assert (costs[1:].mean(axis=0) < 0.007).all()


def test_a_device_with_a_mechanism_that_looks_back_spends_less_where_it_stays() -> None:
    client = DeviceClient(Predictive(0.01), budget=0.2, window=3600.0, source=Seeded(4))
    for minute in range(30):
        client.report(-38.5, -3.7, 60.0 * minute)


def test_all_reports_are_of_one_grid() -> None:
    mechanism = Adaptive(0.01)
    reports = mechanism.apply(line(200), Seeded(2)).points
    lon, lat = mechanism.world.snap(reports.lon, reports.lat)
    assert (lon == reports.lon).all()
    assert (lat == reports.lat).all()
    assert mechanism.world == PlanarLaplace(0.01).world
