"""Points and metres: what everything in location privacy stands on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from cobogo.errors import DataError
from cobogo.floor.randomness import Seeded
from cobogo.locate.mechanisms import PlanarLaplace
from cobogo.locate.places.points import Points
from cobogo.locate.places.reading import read_points


def test_points_go_to_arrow_and_pandas_and_come_back(tmp_path) -> None:
    points = Points.from_columns(
        [-38.5, 200.0], [-3.7, 60.0], time=["2026-01-31 08:00:00", "2026-01-31T09:00:00Z"], user=["b", "a"]
    )
    assert points.lon.tolist() == [-38.5, -160.0]
    assert points.user is not None
    assert points.user.tolist() == [1, 0]
    points.to_pandas().to_csv(tmp_path / "points.csv", index=False)
    for again in (
        Points.from_arrow(points.to_arrow()),
        Points.from_pandas(points.to_pandas()),
        read_points(tmp_path / "points.csv"),
    ):
        assert again.lon.tolist() == points.lon.tolist()
        assert again.names == ("a", "b")
        assert again.time is not None
        assert points.time is not None
        assert np.diff(again.time).tolist() == [3600.0] == np.diff(points.time).tolist()


def test_points_go_to_geopandas_and_come_back_from_any_projection() -> None:
    geopandas = pytest.importorskip("geopandas")
    points = Points.from_columns([-38.5, -38.6], [-3.7, -3.8], time=[0, 60], user=["b", "a"])
    frame = points.to_geopandas()
    assert isinstance(frame, geopandas.GeoDataFrame)
    assert frame.crs.to_epsg() == 4326
    for told in (frame, frame.to_crs(31984), frame.rename_geometry("onde")):  # 31984: metres, UTM 24 south
        again = Points.from_pandas(told)
        assert again.lon == pytest.approx(points.lon, abs=1e-7)
        assert again.lat == pytest.approx(points.lat, abs=1e-7)
        assert again.names == ("a", "b")
    assert read_points(frame).users == 2


def test_traces_are_people_in_the_order_of_time() -> None:
    points = Points.from_columns([1, 2, 3, 4], [0] * 4, time=[9, 2, 1, 3], user=["x", "y", "x", "y"])
    assert [trace.lon.tolist() for trace in points.traces()] == [[3, 1], [2, 4]]
    assert Points.from_columns([], [], time=[], user=[]).traces() == []


@pytest.mark.parametrize(
    ("columns", "place"),
    [
        ({"lon": [0, 999], "lat": [0, 0]}, "row 2, column lon"),
        ({"lon": [0, 1], "lat": [95, 0]}, "row 1, column lat"),
        ({"lon": [0, None], "lat": [0, 0]}, "row 2, column lon"),
        ({"lon": ["0", "east"], "lat": [0, 0]}, "row 2, column lon"),
        ({"lon": [0.0], "lat": [0.0], "time": ["31/02/2026"]}, "row 1, column time"),
        ({"lon": [0.0], "lat": [0.0], "user": [None]}, "row 1, column user"),
    ],
    ids=["lon", "lat", "missing", "text", "time", "user"],
)
def test_what_is_no_point_is_named_by_its_row_and_not_shown(columns, place) -> None:
    with pytest.raises(DataError) as caught:
        Points.from_pandas(pd.DataFrame(columns))
    assert place in str(caught.value)
    assert "999" not in str(caught.value)
    assert "east" not in str(caught.value)


def test_columns_go_by_several_names_or_as_said() -> None:
    table = pa.table({"Longitude": [1.0], "Latitude": [2.0], "quem": ["a"]})
    assert Points.from_arrow(table).user is None
    assert Points.from_arrow(table, user="quem").names == ("a",)
    with pytest.raises(DataError, match='no column "nobody"'):
        Points.from_arrow(table, user="nobody")
    with pytest.raises(DataError, match="no column of latitudes"):
        Points.from_arrow(pa.table({"lon": [1.0]}))


@pytest.mark.parametrize("unit", [1, 1000, 10**6, 10**9])
@pytest.mark.parametrize("kind", [int, float, str])
def test_times_count_seconds_or_parts_of_them(unit: int, kind: type) -> None:
    seconds = [1_767_254_400, 1_767_254_460]
    points = Points.from_columns([0, 0], [0, 0], time=[kind(one * unit) for one in seconds])
    assert points.time == pytest.approx(seconds, abs=1e-3)


@pytest.mark.parametrize(
    "times",
    [
        [0, 1_767_254_400_000],
        [1_767_254_400_000, 1_767_254_400_000_000],
        [0, 8e9],
        [0, 5e10],
        [0, -3e9],
        [0, 1e20],
        ["2026-01-31", "0201-01-31"],
        ["2026-01-31", "2926-01-31"],
    ],
    ids=str,
)
def test_a_time_that_cannot_be_is_refused_and_not_shown(times: list[object]) -> None:
    with pytest.raises(
        DataError, match=r"row 2, column time: the (time is not between|time has another unit|value is not a time)"
    ) as caught:
        Points.from_columns([0, 0], [0, 0], time=times)
    assert str(times[1]) not in str(caught.value)


def test_the_index_of_a_frame_may_be_its_clock() -> None:
    """As in MovingPandas, whose frames have no column of times."""
    frame = pd.DataFrame({"lon": [1.0, 2.0], "lat": [3.0, 4.0], "id": ["a", "b"]})
    clock = pd.to_datetime(["2026-01-31 08:00", "2026-01-31 09:00"])
    for index in (pd.DatetimeIndex(clock, name="t"), pd.MultiIndex.from_arrays([["x", "y"], clock])):
        points = read_points(frame.set_index(index))
        assert points.time is not None
        assert np.diff(points.time).tolist() == [3600.0]
        assert points.names == ("a", "b")


def test_geometries_must_be_points_and_say_on_which_globe() -> None:
    geopandas, shapely = pytest.importorskip("geopandas"), pytest.importorskip("shapely")
    line = geopandas.GeoDataFrame(geometry=[shapely.Point(1, 2), shapely.LineString([(0, 0), (1, 1)])], crs=4326)
    with pytest.raises(DataError, match="geometry in row 2 is not a point"):
        read_points(line)
    with pytest.raises(DataError, match="no coordinate reference system") as caught:
        read_points(geopandas.GeoDataFrame(geometry=[shapely.Point(1, 2)]))
    assert "set_crs" in str(caught.value)


def test_longitude_and_latitude_that_look_exchanged_are_refused_unless_said() -> None:
    table = pa.table({"lon": [-3.7, -3.8], "lat": [-38.5, -38.6]})
    with pytest.raises(DataError, match="longitude and latitude were exchanged") as caught:
        read_points(table)
    assert "38.5" not in str(caught.value)
    assert read_points(table, lon="lon", lat="lat").lat.tolist() == [-38.5, -38.6]
    assert read_points(pa.table({"lon": [-38.5, -3.7], "lat": [-3.7, -38.5]})).lat.tolist() == [-3.7, -38.5]


def test_a_mechanism_takes_points_and_says_so() -> None:
    with pytest.raises(DataError, match=r"takes points\. Got DataFrame") as caught:
        PlanarLaplace(0.01).apply(pd.DataFrame({"lon": [1.0], "lat": [2.0]}), Seeded(1))  # type: ignore[arg-type]
    assert "from_pandas" in str(caught.value)
