"""Points are released like any table: written by the same writer, without a policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cobogo as cb
from cobogo.errors import OutputError
from cobogo.locate.places.points import Points
from cobogo.locate.protect import GeoIndistinguishability, ProtectedPoints
from cobogo.locate.release import release_of
from cobogo.release.contract import ENTROPY, Release

MEANINGS = {"pseudonym": "a number for the person", "time": "when", "lon": "longitude", "lat": "latitude"}
STATEMENT = {"entropy": ENTROPY, "mechanism": "planar-laplace", "epsilon_per_metre": 0.01, "budget_per_metre": 0.03,
             "paid": "each", "unit": "all reports of a person together", "grid": None}  # fmt: skip


@pytest.fixture
def release() -> Release:
    truth = Points.from_columns(
        [-38.52, -38.50, -38.51], [-3.73, -3.72, -3.74], time=[0, 60, 120], user=["ana", "ana", "ana"]
    )
    made = ProtectedPoints(
        truth.move_to(truth.lon + 0.001, truth.lat),
        MEANINGS,
        [GeoIndistinguishability(0.03)],
        STATEMENT,
        "Noise.",
        {"a": 1},
    )
    return release_of(made, truth, "/house/points.csv")


def test_the_evidence_names_the_source_and_the_roles_and_no_policy(release: Release, tmp_path: Path) -> None:
    assert release.write(tmp_path / "out")
    kept = json.loads((tmp_path / "out/evidence/evidence.json").read_text())
    assert kept["source"] == "/house/points.csv"
    assert kept["roles"] == {"user": "identifier", "time": "sensitive", "lon": "sensitive", "lat": "sensitive"}
    assert "policy" not in kept
    assert kept["input"] == {"records": 3}
    assert json.loads((tmp_path / "out/evidence/report.json").read_text()) == {"a": 1}


def test_nothing_of_the_source_is_public_and_both_parts_verify(release: Release, tmp_path: Path) -> None:
    release.write(tmp_path / "out")
    public = tmp_path / "out" / "public"
    assert {file.name for file in public.iterdir()} == {"release.csv", "manifest.json", "dictionary.md"}
    assert "house" not in "".join(file.read_text() for file in public.iterdir())
    assert (public / "release.csv").read_text().splitlines()[0] == "pseudonym,time,lon,lat"
    assert cb.verify(tmp_path / "out")
    assert cb.verify(public)


def test_what_somebody_else_put_there_is_not_replaced(release: Release, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis").write_text("precious")
    with pytest.raises(OutputError):
        release.write(tmp_path / "out")
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
