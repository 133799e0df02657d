"""The land of Fortaleza, and bairros that tile it."""

import numpy as np
import pytest

from cobogo.examples.places import BAIRROS, OUTLINE, SITES
from cobogo.studies.fortaleza.land import FRAME, bairro_rings, centres, city_land, in_polygon


def on_land(lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
    """By the outline itself, in degrees: not by the squares that people are placed on."""
    return in_polygon(lon, lat, np.array(OUTLINE))


def test_every_bairro_has_a_place_and_residents() -> None:
    assert all(bairro.residents > 0 and bairro.jobs >= 0 for bairro in BAIRROS.values())
    assert all(len(squares) > 0 for squares in city_land().of_bairro)
    assert on_land(*centres()).all()
    assert on_land(np.array([site.lon for site in SITES]), np.array([site.lat for site in SITES])).all()
    assert not on_land(np.array([-38.50]), np.array([-3.70])).any()


def area(ring: np.ndarray) -> float:
    x, y = FRAME.metres(ring[:, 0], ring[:, 1])
    return abs(float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)) / 2)


def test_bairros_tile_the_city_and_hold_their_centres() -> None:
    found = bairro_rings()
    assert sum(area(ring) for ring in found.values()) == pytest.approx(area(np.array(OUTLINE)), rel=1e-6)
    for name, ring in found.items():
        lon, lat = BAIRROS[name].lon, BAIRROS[name].lat
        assert in_polygon(np.array([lon]), np.array([lat]), ring).all(), name
