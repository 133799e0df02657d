"""Distances, steps and frames on the globe."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cobogo.locate.places.geometry import HALFWAY, Frame, distance, may_be_land, move
from support.location_points import lats, lons


@given(lons, lats, st.floats(0, HALFWAY), st.floats(0, 2 * np.pi))
def test_a_step_ends_as_far_away_as_it_was_long(lon: float, lat: float, metres: float, bearing: float) -> None:
    there = move(lon, lat, metres, bearing)
    assert distance(lon, lat, *there) == pytest.approx(metres, abs=0.5)
    assert -180 <= there[0] < 180
    assert -90 <= there[1] <= 90


def test_distances_are_those_of_pyproj_on_the_sphere() -> None:
    pyproj = pytest.importorskip("pyproj")
    rng = np.random.default_rng(1)
    a, b = rng.uniform(-180, 180, (2, 500)), rng.uniform(-90, 90, (2, 500))
    _, _, expected = pyproj.Geod(a=6_371_008.8, b=6_371_008.8).inv(a[0], b[0], a[1], b[1])
    assert distance(a[0], b[0], a[1], b[1]) == pytest.approx(expected, abs=1e-3)


@given(lons, st.floats(-70, 70), st.floats(-20_000, 20_000), st.floats(-20_000, 20_000))
def test_a_frame_goes_there_and_back_and_keeps_lengths(lon: float, lat: float, east: float, north: float) -> None:
    frame = Frame(lon, lat)
    place = frame.degrees(east, north)
    back = frame.metres(*place)
    assert (float(back[0]), float(back[1])) == pytest.approx((east, north), abs=1e-3)
    assert distance(lon, lat, *place) == pytest.approx(np.hypot(east, north), rel=0.01, abs=1e-3)


def test_people_live_on_land() -> None:
    """Paris, São Paulo, Sydney, Honolulu, Ponta Delgada, Réunion, Reykjavík, Suva, Stanley, Malé, Noronha."""
    lon = [2.35, -46.6, 151.2, -157.9, -25.7, 55.5, -21.9, 178.4, -57.9, 73.5, -32.4]
    lat = [48.86, -23.5, -33.9, 21.3, 37.7, -20.9, 64.1, -18.1, -51.7, 4.2, -3.9]
    assert may_be_land(lon, lat).all()
