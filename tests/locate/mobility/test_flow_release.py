"""The release of flows: whole or not at all, verified from its own files, paid for."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import cobogo
from cobogo.errors import BudgetSpent, DataError, LedgerError
from cobogo.faces.cli.main import app
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.ledger import Ledger
from cobogo.release.manifest import NAME, sha256
from cobogo.studies.fortaleza.people import write_people

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("people") / "fortaleza"
    write_people(directory, 400, days=2, step=600)
    return directory


def run(data: Path, out: Path, *more: str, file: str = "commutes.csv") -> None:
    words = ["locate", "flows", str(data / file), "--areas", str(data / "areas.csv"), "--out", str(out)]
    app(args=[*words, "--epsilon", "1", "--levels", "zone", *more], standalone_mode=False)


@pytest.fixture(scope="module")
def made(data: Path) -> Path:
    run(data, data.parent / "out")
    return data.parent / "out"


@pytest.fixture
def release(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "out"))


def sign(public: Path) -> None:
    """Write the hashes of changed files into the manifest, as somebody who forges a release would."""
    manifest = json.loads((public / NAME).read_text())
    for name, entry in manifest["files"].items():
        entry.update(sha256=sha256(public / name), bytes=(public / name).stat().st_size)
    (public / NAME).write_text(json.dumps(manifest))


def test_a_release_verifies_and_its_public_part_alone_does(release: Path) -> None:
    names = {file.name for file in (release / "public").iterdir()}
    assert names == {NAME, "noisy.json", "release.csv", "dictionary.md"}
    assert cobogo.verify(release)
    shutil.rmtree(release / "evidence")
    assert cobogo.verify(release / "public")


def test_the_table_adds_up_for_whoever_reads_it(release: Path, data: Path) -> None:
    table = pd.read_csv(release / "public" / "release.csv")
    zone = pd.read_csv(data / "areas.csv").set_index("area")["zone"]
    fine = table[table.level == "area"]
    sums = fine.assign(origin=fine.origin.map(zone), destination=fine.destination.map(zone))
    sums = sums.groupby(["origin", "destination"]).journeys.sum()
    coarse = table[table.level == "zone"].set_index(["origin", "destination"]).journeys
    assert sums.sort_index().to_dict() == coarse.sort_index().to_dict()
    assert (table.journeys >= 1).all()


def test_public_tells_nothing_of_the_exact_counts_and_evidence_says_that_it_is_not_private(release: Path) -> None:
    report = json.loads((release / "evidence" / "report.json").read_text())
    assert {row["level"] for row in report["fidelity"]} == {"area", "zone"}
    assert "fidelity" not in (release / "public" / NAME).read_text()
    assert "not private" in (release / "evidence" / "report.html").read_text()
    assert (release / "evidence" / "plots" / "flows.png").exists()


@pytest.mark.parametrize("level", ["area", "zone"])
def test_a_number_that_was_changed_is_found(release: Path, level: str) -> None:
    table = pd.read_csv(release / "public" / "release.csv")
    table.loc[table[table.level == level].index[0], "journeys"] += 1
    table.to_csv(release / "public" / "release.csv", index=False)
    sign(release / "public")
    verdict = cobogo.verify(release / "public")
    assert not verdict
    assert any("not the sums" in problem for problem in verdict.problems)


def test_a_table_that_adds_up_but_follows_from_other_counts_is_found(release: Path) -> None:
    table = pd.read_csv(release / "public" / "release.csv")
    home = table[(table.level == "area")].iloc[0]
    noisy = json.loads((release / "public" / "noisy.json").read_text())
    areas = noisy["areas"]["area"]
    zone = dict(zip(areas, noisy["areas"]["coarser"]["zone"], strict=True))
    table.loc[home.name, "journeys"] += 10
    same = (table.level == "zone") & (table.origin == zone[home.origin]) & (table.destination == zone[home.destination])
    table.loc[same, "journeys"] += 10
    table.to_csv(release / "public" / "release.csv", index=False)
    sign(release / "public")
    assert "the flows are not those that follow from the noisy counts" in cobogo.verify(release / "public").problems


def test_less_noise_than_stated_is_found(release: Path) -> None:
    file = release / "public" / NAME
    manifest = json.loads(file.read_text())
    manifest["transformation"]["parts"][0]["scale"] = 0.1
    file.write_text(json.dumps(manifest))
    assert any("less noise" in problem for problem in cobogo.verify(release / "public").problems)


def test_trips_of_points_are_counted_and_more_of_a_person_cost_more_noise(data: Path, tmp_path: Path) -> None:
    run(data, tmp_path / "out", "--most", "4", file="points.csv")
    manifest = json.loads((tmp_path / "out" / "public" / NAME).read_text())
    assert manifest["transformation"]["journeys_of_a_person"] == 4
    assert [part["scale"] for part in manifest["transformation"]["parts"]] == pytest.approx([8.0, 8.0])


def test_a_ledger_pays_or_refuses_and_nothing_is_written(data: Path, tmp_path: Path) -> None:
    books = Ledger(tmp_path / "ledger.db")
    books.open("city", PrivacyLoss("epsilon", Fraction(3)))
    books.grant("city", "ana", PrivacyLoss("epsilon", Fraction(3, 2)))
    options = ["--ledger", str(tmp_path / "ledger.db"), "--dataset", "city", "--analyst", "ana"]
    run(data, tmp_path / "one", *options)
    with pytest.raises(BudgetSpent):
        run(data, tmp_path / "two", *options)
    with pytest.raises(LedgerError, match="there is no ledger here"):
        run(data, tmp_path / "two", "--ledger", str(tmp_path / "typo.db"), *options[2:])
    assert not any((tmp_path / name).exists() for name in ("two", "typo.db", "typo.db.seal"))


def test_areas_that_are_not_declared_stop_it(data: Path, tmp_path: Path) -> None:
    areas = pd.read_csv(data / "areas.csv")
    areas[areas.area != "Centro"].to_csv(tmp_path / "areas.csv", index=False)
    shutil.copy(data / "commutes.csv", tmp_path)
    with pytest.raises(DataError, match="leave_out_unknown"):
        run(tmp_path, tmp_path / "out")
    run(tmp_path, tmp_path / "out", "--leave-out-unknown")
    assert cobogo.verify(tmp_path / "out")
