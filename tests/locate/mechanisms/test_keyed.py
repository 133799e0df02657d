"""A secret map goes back with its key, and with two known places."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.floor.randomness import Seeded
from cobogo.locate.mechanisms import KeyedTransform, MapKey
from cobogo.locate.places.cells import vectors
from cobogo.locate.places.geometry import Frame
from cobogo.locate.places.points import Points
from support.location_grids import here


def test_a_secret_map_keeps_distances_and_goes_back_with_its_key() -> None:
    people = here(300)
    secret = KeyedTransform(MapKey(b"a secret of the house"), Frame(-38.5, -3.75))
    reports = secret.apply(people, Seeded(1)).points
    assert people.distance(secret.inverted(reports)).max() < 1
    assert people.distance(reports).mean() > 100
    a, b = np.arange(150), np.arange(150, 300)
    assert reports.take(a).distance(reports.take(b)) == pytest.approx(people.take(a).distance(people.take(b)), abs=3)
    wrong = KeyedTransform(MapKey(b"another one of 16"), Frame(-38.5, -3.75))
    assert people.distance(wrong.inverted(reports)).mean() > 100
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
    guessed = people.at(np.degrees(np.arctan2(y, x)), np.degrees(np.arcsin(z)))
    assert people.distance(guessed).max() < 20
