"""Discs, secret maps, nearest places and dummies: what they do, and what breaks them."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.floor.randomness import Seeded
from cobogo.locate.mechanisms import Disc, Indirect, KeyedTransform, MapKey
from cobogo.locate.metrics import overlap
from cobogo.locate.places.cells import PublicPlaces, vectors
from cobogo.locate.places.geometry import Frame, distance
from cobogo.locate.places.points import Points
from support.location_grids import here


def relevance(one: float, other: float, apart: float) -> float:
    """The overlap's share of one disc, times its share of the other."""
    shared = float(overlap(np.array(apart), one, other))
    return shared**2 / (np.pi * one**2 * np.pi * other**2)


@pytest.mark.parametrize(("one", "other", "apart"), [(1, 1, 0.7), (1, 2, 1.5), (3, 1, 2.2), (1, 1, 1.9), (2, 5, 1)])
def test_relevance_is_that_of_drawn_discs(one: float, other: float, apart: float) -> None:
    shapely = pytest.importorskip("shapely")
    a = shapely.Point(0, 0).buffer(one, 400)
    b = shapely.Point(apart, 0).buffer(other, 400)
    shared = a.intersection(b).area
    assert relevance(one, other, apart) == pytest.approx(shared / a.area * shared / b.area, rel=1e-4)
    assert relevance(one, other, one + other) == 0


@pytest.mark.parametrize("how", ["enlarge", "reduce", "shift"])
@pytest.mark.parametrize("wanted", [0.05, 0.4, 0.9])
def test_discs_have_the_relevance_that_was_asked_for(how: str, wanted: float) -> None:
    disc = Disc(250.0, wanted, how)  # type: ignore[arg-type]
    assert relevance(disc.radius, disc.released_radius, disc.shift) == pytest.approx(wanted, rel=1e-6)


def test_an_enlarged_disc_holds_the_person_and_a_reduced_one_as_often_as_it_should() -> None:
    people = here(20_000)
    for how, share in (("enlarge", 1.0), ("reduce", 0.3), ("shift", np.sqrt(0.3))):
        released = Disc(250.0, 0.3, how).apply(people, Seeded(2))  # type: ignore[arg-type]
        assert released.radius is not None
        inside = (people.distance(released.points) <= released.radius + 1).mean()
        assert abs(inside - share) < 5.2 * 0.5 / 20_000**0.5 + 0.01


@pytest.mark.parametrize("radius", [0.01, 1.0, 10.0, 100.0])
def test_a_disc_that_was_not_made_smaller_always_holds_its_person(radius: float) -> None:
    points = here(20_000)
    for relevance_wanted in (1.0, 0.9):
        released = Disc(radius, relevance_wanted).apply(points, Seeded(1))
        assert released.radius is not None
        assert (points.distance(released.points) <= released.radius).all()
    with pytest.raises(ValueError, match="radius"):
        Disc(1e-4)


def test_the_nearest_place_is_reported_across_the_date_line_too() -> None:
    rng = np.random.default_rng(5)
    places = PublicPlaces(
        Points.from_columns(rng.uniform(-180, 180, 200), np.degrees(np.arcsin(rng.uniform(-1, 1, 200))))
    )
    people = Points.from_columns(rng.uniform(-180, 180, 300), rng.uniform(-90, 90, 300))
    reports = Indirect(places).apply(people, Seeded(1)).points
    away = distance(people.lon[:, None], people.lat[:, None], places.points.lon, places.points.lat)
    assert people.distance(reports) == pytest.approx(away.min(axis=1), abs=1e-3)
    with pytest.raises(ValueError, match="must have names"):
        Indirect(places).place_names(people)
    with pytest.raises(ValueError, match="1 names and 200 places"):
        PublicPlaces(places.points, ("one",))
    with pytest.raises(ValueError, match="at least one place"):
        PublicPlaces(Points.from_columns([], []))


def test_a_secret_map_keeps_distances_and_goes_back_with_its_key() -> None:
    people = here(300)
    secret = KeyedTransform(MapKey(b"a secret of the house"), Frame(-38.5, -3.75))
    reports = secret.apply(people, Seeded(1)).points
    assert people.distance(secret.invert(reports)).max() < 1
    assert people.distance(reports).mean() > 100
    a, b = np.arange(150), np.arange(150, 300)
    assert reports.take(a).distance(reports.take(b)) == pytest.approx(people.take(a).distance(people.take(b)), abs=3)
    wrong = KeyedTransform(MapKey(b"another one of 16"), Frame(-38.5, -3.75))
    assert people.distance(wrong.invert(reports)).mean() > 100
    assert "secret" not in repr(secret)
    with pytest.raises(ValueError, match="16 bytes or more"):
        MapKey(b"short")


def test_two_known_places_give_a_secret_map_away() -> None:
    people = here(200)
    reports = KeyedTransform(MapKey.fresh(), Frame(-38.5, -3.75)).apply(people, Seeded(1)).points
    known = int(people.distance(people.take(np.zeros(200, dtype=int))).argmax())

    def axes(points: Points) -> np.ndarray:
        """A frame in space of the two known places."""
        one, other = vectors(points.lon[[0, known]], points.lat[[0, known]])
        up = np.cross(one, other)
        return np.stack([one, up / np.linalg.norm(up), np.cross(one, up / np.linalg.norm(up))], axis=1)

    back = axes(people) @ axes(reports).T
    x, y, z = back @ vectors(reports.lon, reports.lat).T
    guessed = people.move_to(np.degrees(np.arctan2(y, x)), np.degrees(np.arcsin(z)))
    assert people.distance(guessed).max() < 20
