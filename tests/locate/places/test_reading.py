"""Points read from files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from cobogo.errors import DataError
from cobogo.locate.places.cells import Cells
from cobogo.locate.places.points import Points
from cobogo.locate.places.reading import read_calls, read_cells, read_points


def test_of_what_is_no_table_of_points_nothing_is_shown(tmp_path: Path) -> None:
    track = "".join(f'<trkpt lat="-3.7{n}" lon="-38.5{n}"><time>2026-01-0{n}T08:00:00Z</time></trkpt>' for n in (1, 2))
    point = '{"type":"Feature","geometry":{"type":"Point","coordinates":[-38.51,-3.71]}}'
    files = {
        "one line.gpx": f'<?xml version="1.0"?><gpx><trk><trkseg>{track}</trkseg></trk></gpx>',
        "blank.kml": f"\ufeff\n  <kml>{track}</kml>",
        "one.geojson": point,
        "many.json": f"[{point}]",
        "no header.csv": "ana;Rua -38.51;-3.71 S\nbia;Rua -38.52;-3.72 S\n",
        "receiver.nmea": "$GPGGA,at-38.51,-3.71S,M\n$GPGGA,at-38.52,-3.72S,M\n",
    }
    cells = Cells.from_columns(["a"], [0.0], [0.0])
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        for read in (read_points, read_cells, lambda file: read_calls(file, cells)):
            with pytest.raises(DataError) as caught:
                read(tmp_path / name)
            assert "38.5" not in str(caught.value)
            assert "ana" not in str(caught.value)
            assert caught.value.remedy
    with pytest.raises(DataError, match=r"Its columns: Lat, where\."):
        Points.from_pandas(pd.DataFrame({"Lat": [1.0], "where": [2.0]}))


def test_names_are_read_in_the_encoding_that_is_given(tmp_path: Path) -> None:
    file = tmp_path / "cells.csv"
    file.write_bytes("cell,lon,lat\nMaracanaú,-38.6,-3.9\n".encode("utf-16"))
    assert read_cells(file, encoding="utf-16").names == ("Maracanaú",)
    with pytest.raises(DataError, match="is not UTF-8"):
        read_cells(file, encoding="utf-8")
