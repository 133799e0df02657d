"""The release of a mobility model: whole or not at all, verified from its own files, paid for."""

import contextlib
import io
import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cobogo
from cobogo.errors import BudgetSpent, CobogoError, LedgerError, OutputError, PolicyError
from cobogo.faces.cli.main import app
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.ledger import Ledger
from cobogo.release.manifest import NAME, sha256
from cobogo.studies.fortaleza.people import write_people
from support.commands import cobogo as command

pytestmark = pytest.mark.slow

OPTIONS = ["--first", "2024-03-04", "--days", "2", "--utc-offset", "-3"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("people") / "fortaleza"
    write_people(directory, 150, days=2, step=3_600)
    return directory


def run(data: Path, out: Path, *more: str, epsilon: str = "1") -> None:
    words = ["locate", "where", str(data / "calls.csv"), "--cells", str(data / "cells.csv"), "--out", str(out)]
    app(args=[*words, "--epsilon", epsilon, *OPTIONS, *more], standalone_mode=False)


@pytest.fixture(scope="module")
def made(data: Path) -> Path:
    with contextlib.redirect_stdout(io.StringIO()) as said:
        run(data, data.parent / "out", "--json")
    found = json.loads(said.getvalue())
    assert found["holds"]
    assert sum(Fraction(row["epsilon"]) for row in found["parts"]) == 1
    return data.parent / "out"


@pytest.fixture
def release(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "out"))


def test_a_release_verifies_and_its_public_part_alone_does(release: Path) -> None:
    assert {file.name for file in (release / "public").iterdir()} == {
        NAME,
        "model.json",
        "release.csv",
        "dictionary.md",
    }
    assert cobogo.verify(release)
    assert cobogo.verify(release / "public")
    assert "fidelity" in json.loads((release / "evidence/report.json").read_text())
    kept = {file.name for file in (release / "evidence").iterdir()}
    assert kept == {"evidence.json", "report.json", "daily-range.png", "hours.png", "map.html"}
    public = "".join(file.read_text() for file in (release / "public").iterdir())
    assert "fortaleza" not in public
    assert "seed" not in public


def resealed(release: Path, change: Any) -> Path:
    """The public part with a changed model, calls or manifest, and hashes that fit again."""
    public = release / "public"
    model, manifest = (json.loads((public / name).read_text()) for name in ("model.json", NAME))
    rows = (public / "release.csv").read_text().splitlines()
    change(model, manifest, rows)
    (public / "model.json").write_text(json.dumps(model))
    (public / "release.csv").write_text("\n".join([*rows, ""]))
    for name, entry in manifest["files"].items():
        entry.update(sha256=sha256(public / name), bytes=(public / name).stat().st_size)
    (public / NAME).write_text(json.dumps(manifest))
    return public


def _cheaper(model: Any, manifest: Any, rows: Any) -> None:
    model["parts"]["home"]["epsilon"] = "5"


def _noiseless(model: Any, manifest: Any, rows: Any) -> None:
    model["epsilon"] = None


def _smaller_person(model: Any, manifest: Any, rows: Any) -> None:
    next(row for row in manifest["transformation"]["parts"] if row["part"] == "times")["sensitivity"] = 1


def _less_noise(model: Any, manifest: Any, rows: Any) -> None:
    manifest["transformation"]["parts"][0]["scale"] = 0.5


def _seeded(model: Any, manifest: Any, rows: Any) -> None:
    manifest["transformation"]["entropy"] = "seed"


def _elsewhere(model: Any, manifest: Any, rows: Any) -> None:
    rows[1] = rows[1].rpartition(",")[0] + ",nowhere"


def _another_day(model: Any, manifest: Any, rows: Any) -> None:
    rows[1] = rows[1].replace("2024-03-", "2025-03-")


def _fewer_bins(model: Any, manifest: Any, rows: Any) -> None:
    model["parts"]["work"]["fine"].pop()


def _promises_nothing(model: Any, manifest: Any, rows: Any) -> None:
    manifest["models"] = []


CHANGES = [_cheaper, _noiseless, _smaller_person, _less_noise, _seeded, _elsewhere, _another_day, _fewer_bins,
           _promises_nothing]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_does_not_hold_is_found(release: Path, change: Any) -> None:
    assert not cobogo.verify(resealed(release, change))


def test_nothing_is_left_where_something_else_is(data: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.doc").write_text("precious")
    with pytest.raises(OutputError):
        run(data, tmp_path / "mine")
    assert [file.name for file in tmp_path.rglob("*")] == ["mine", "thesis.doc"]


def test_the_budget_pays_before_anything_is_drawn(data: Path, tmp_path: Path) -> None:
    books = Ledger(tmp_path / "ledger.db")
    books.open("calls", PrivacyLoss("epsilon", Fraction(3)))
    books.grant("calls", "ana", PrivacyLoss("epsilon", Fraction(3, 2)))
    asked = ["--ledger", str(tmp_path / "ledger.db"), "--dataset", "calls", "--analyst", "ana"]
    run(data, tmp_path / "one", *asked)
    assert [entry.cost.amount for entry in books.entries("calls")] == [10**9]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.doc").write_text("precious")
    with pytest.raises(OutputError):
        run(data, tmp_path / "mine", *asked, epsilon="0.1")
    with pytest.raises(BudgetSpent):
        run(data, tmp_path / "two", *asked)
    assert not (tmp_path / "two").exists()
    with pytest.raises(PolicyError, match="analyst"):
        run(data, tmp_path / "two", *asked[:4])
    assert len(books.entries("calls")) == 1
    with pytest.raises(LedgerError, match="not in this ledger"):
        run(data, tmp_path / "two", *asked[:2], "--dataset", "others", "--analyst", "ana")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--first", "tomorrow"], "first"),
        (["--days", "0"], "days"),
        (["--epsilon", "-1"], "epsilon"),
        (["--epsilon", "1e-300"], "epsilon"),
    ],
)
def test_wrong_options_are_named(data: Path, tmp_path: Path, words: list[str], named: str) -> None:
    with pytest.raises(CobogoError, match=named):
        run(data, tmp_path / "out", *words)
    assert not (tmp_path / "out").exists()


def test_days_that_cannot_be_and_regions_at_sea_are_refused_and_what_is_empty_is_warned_of(
    data: Path, tmp_path: Path
) -> None:
    calls = ["locate", "where", data / "calls.csv", "--cells", data / "cells.csv", "--epsilon", 1, "--people", 5]
    ahead = command(*calls, "--first", "2190-01-01", "--days", 2, cwd=tmp_path, code=2)
    assert "in the future" in ahead
    early = command(*calls, "--first", "2014-03-04", "--days", 2, "--out", "early", cwd=tmp_path)
    assert "no call is from these days" in early
    trips = ["locate", "synthesize", data / "points.csv", "--epsilon", 1, "--cell", 2000, "--number", 5]
    for region, said in (
        ("-3.90,-38.64,-3.68,-38.40", "longitude and latitude exchanged"),
        ("-38.40,-3.90,-38.64,-3.68", "west and east are exchanged"),
    ):
        assert said in command(*trips, f"--region={region}", cwd=tmp_path, code=2)
    assert not (tmp_path / "synthetic-trips").exists()
    assert "no point is in --region" in command(*trips, "--region=2.2,48.8,2.4,48.9", cwd=tmp_path)


def test_a_release_with_times_that_cannot_be_does_not_verify(data: Path, tmp_path: Path) -> None:
    """As those were that read milliseconds as seconds."""
    points = pd.read_csv(data / "points.csv").head(20)
    points["time"] = (pd.to_datetime(points["time"]).astype("datetime64[ms]")).astype("int64")
    points.to_csv(tmp_path / "ms.csv", index=False)
    noise = ["--mechanism", "planar-laplace:epsilon=0.01", "--budget", "1", "--out", "out"]
    command("locate", "protect", "ms.csv", *noise, cwd=tmp_path)
    released = pd.read_csv(tmp_path / "out/public/release.csv")
    assert sorted(pd.to_datetime(released["time"])) == sorted(pd.to_datetime(points["time"], unit="ms"))
    public = tmp_path / "out/public"
    manifest, rows = json.loads((public / NAME).read_text()), (public / "release.csv").read_text().splitlines()
    rows[3] = rows[3].replace(",2024-", ",-9393-")
    (public / "release.csv").write_text("\n".join([*rows, ""]))
    size = (public / "release.csv").stat().st_size
    manifest["files"]["release.csv"].update(sha256=sha256(public / "release.csv"), bytes=size)
    (public / NAME).write_text(json.dumps(manifest))
    assert "row 3, column time: the time is not" in command("verify", public, cwd=tmp_path, code=1)
