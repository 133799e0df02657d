"""Mechanisms × attacks, and the commands that release points: what is printed, written and refused."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cobogo.errors import CobogoError, DataError, PolicyError
from cobogo.faces.cli import console
from cobogo.faces.cli.main import app
from cobogo.floor.randomness import Seeded
from cobogo.locate.attacks import (
    ATTACKS,
    CentreOfCloak,
    IntersectionOfCloaks,
    ShortObservation,
    Tracking,
)
from cobogo.locate.attacks.inference import likelihood_of, posterior, prior_of
from cobogo.locate.crowds import CLOAKS, Hilbert, NearestNeighbours
from cobogo.locate.mechanisms import Predictive
from cobogo.locate.mechanisms.base import join_points
from cobogo.locate.places.points import Points
from cobogo.locate.protect import _visible_cost
from cobogo.locate.spec import MechanismSpec, build_attack, build_mechanism, mechanisms, parse_specs
from cobogo.locate.trips import closeness
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.ledger import Ledger
from cobogo.studies.fortaleza import people
from cobogo.studies.locations import evaluate, sample_points
from support.paths import SHARED
from support.stand_ins import Noise, scattered, square, walkers

pytestmark = pytest.mark.slow


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """The command as its entry point runs it."""
    capsys.readouterr()
    code: Any = 0
    try:
        app(args=[str(argument) for argument in arguments])
    except CobogoError as error:
        console.complain(error)
        code = error.exit_code
    except SystemExit as stop:
        code = stop.code or 0
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "walks.csv"
    walkers(20, 40, 1).to_pandas().to_csv(path, index=False)
    return path


# Asking


def test_several_values_ask_for_one_of_each() -> None:
    asked = parse_specs("disc:radius=100|200,how=shift|reduce", "--mechanism")
    assert [one.label for one in asked] == [
        "disc:radius=100,how=shift",
        "disc:radius=100,how=reduce",
        "disc:radius=200,how=shift",
        "disc:radius=200,how=reduce",
    ]
    points = walkers(3, 5, 1)
    assert [build_mechanism(one, points).options()["radius"] for one in asked] == [100, 100, 200, 200]
    assert build_attack(parse_specs("tracking:speed=10", "--attack")[0]) == Tracking(speed=10)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("planar-laplac:epsilon=1", 'Did you mean "planar-laplace"'),
        ("planar-laplace:epsilon", "is not an option"),
        ("planar-laplace:eps=1", "has no parameter 'eps'"),
        ("planar-laplace", "needs the parameter 'epsilon'"),
        ("planar-laplace:epsilon=-1", "must be a number above 0"),
    ],
    ids=["name", "form", "option", "missing", "value"],
)
def test_what_is_asked_for_wrongly_is_told(text: str, said: str) -> None:
    with pytest.raises(PolicyError) as caught:
        build_mechanism(parse_specs(text, "--mechanism")[0], walkers(2, 3, 1))
    assert said in str(caught.value)
    assert "mechanism" in str(caught.value)


OPTIONS = {
    "planar-laplace": "epsilon=0.01", "remapped-laplace": "epsilon=0.01", "optimal": "epsilon=0.0005,grid=9000",
    "grid-exponential": "epsilon=0.01", "elastic": "epsilon=0.01", "predictive": "epsilon=0.01",
    "adaptive": "epsilon=0.01", "several": "epsilon=0.01", "centroid": "epsilon=0.01", "disc": "radius=100",
    "dummies": "k=4", "eclipse": "epsilon=0.01", "cached-dummies": "k=4",
    "quad-tree": "k=3", "casper": "k=3", "hilbert": "k=3", "nearest-neighbours": "k=3",
    "clique": "k=2,dx=9000,dy=9000", "crowd-positions": "k=3",
}  # fmt: skip


UNHEARD = {
    "centre-of-cloak": ("needs rectangles", lambda name: name not in CLOAKS),
    "intersection-of-cloaks": (
        "needs regions or sets of positions",
        lambda name: name not in (*CLOAKS, "disc", "dummies", "cached-dummies", "crowd-positions"),
    ),
    "trilateration": ("needs reports that are positions", lambda name: name in CLOAKS),
    "mix-zone-linkage": ("needs crossings of a mix zone", lambda _: True),
}
"""Which attacks cannot hear what, and why; all other pairs are tried."""


def test_every_mechanism_is_tried_by_every_attack_that_can_hear_it() -> None:
    points = people(6, days=1).trajectories(3600)
    home = points.take(points.time == points.time[0])
    together = join_points(points, Points(points.lon, points.lat, points.time, points.user + 6))  # in pairs
    made = {
        name: build_mechanism(parse_specs(f"{name}:{OPTIONS.get(name, '')}", "--mechanism")[0], together)
        for name in mechanisms()
    }
    attacks = [kind() for kind in ATTACKS.values()]
    found = evaluate(together, made, attacks, grid=square(8, 2000.0), places=home, raw=False, source=Seeded(1))
    assert [run.label for run in found.runs] == list(mechanisms())
    for run in found.runs:
        reasons = {attack: why for attack, (why, unheard) in UNHEARD.items() if unheard(run.label)}
        assert run.skipped == reasons, run.label
        assert set(run.findings) == set(ATTACKS) - set(reasons)
    told = json.loads(json.dumps(found.to_dict()))
    assert all(isinstance(one["baseline"], float) for run in told["mechanisms"] for one in run["attacks"])


# Evaluating


def test_more_noise_costs_more_and_hides_more() -> None:
    points = walkers(6, 30, 3)
    made = {str(epsilon): Noise(epsilon) for epsilon in (0.1, 0.01, 0.002)}
    found = evaluate(points, made, [ShortObservation()], source=Seeded(1))
    assert [run.label for run in found.runs] == ["none", "0.1", "0.01", "0.002"]
    losses = [run.quality_loss for run in found.runs]
    errors = [run.findings["short-observation"].error.mean() for run in found.runs]
    assert losses == sorted(losses)
    assert errors == sorted(errors)
    recalls = [run.recall for run in found.runs]
    assert recalls == sorted(recalls, reverse=True)
    assert recalls[0] == 1.0


def test_a_law_that_is_a_table_is_looked_up() -> None:
    grid = square(5, 300.0)
    points = scattered(30, grid, 1)
    made = build_mechanism(parse_specs("grid-exponential:epsilon=0.01", "-")[0], points)
    released = made.apply(points, Seeded(1))
    prior = prior_of(points, made.grid)
    found = posterior(likelihood_of(released, made.grid, made), prior)
    told = made.grid.nearest_cell(released.points.lon, released.points.lat)
    for row in range(len(points)):
        weights = prior * made.matrix[:, told[row]]
        assert found[row] == pytest.approx(weights / weights.sum())


def test_people_are_chosen_whole_and_points_thinned() -> None:
    points = walkers(10, 60, 1, minutes=0.5)
    few = sample_points(points, 60, 10_000)
    assert len(few.points) == 300
    assert "300 of 600 points" in few.notes[0]
    fewer = sample_points(points, 0, 200, Seeded(1))
    assert (len(fewer.points), fewer.points.users, fewer.everyone.users) == (180, 3, 10)
    assert len(fewer.points.names) == 3
    assert (fewer.everyone.take(fewer.rows).lon == fewer.points.lon).all()
    assert "3 of 10 people" in fewer.notes[0]
    assert len(sample_points(points, 0, 20, Seeded(1)).points) == 20
    assert len(sample_points(Points(points.lon, points.lat), 60, 50, Seeded(1)).points) == 50


def test_cloaks_are_made_from_everybody_and_attacked_on_a_sample() -> None:
    points = walkers(60, 10, 4, minutes=15)
    made = {"hilbert": Hilbert(5), "centre": NearestNeighbours(5)}
    attacks = [CentreOfCloak(), IntersectionOfCloaks()]
    whole = evaluate(points, made, attacks, raw=False)
    few = evaluate(sample_points(points, 0, 100, Seeded(2)), made, attacks, raw=False)
    assert (few.truth.users, few.to_dict()["people_cloaked"]) == (10, 60)
    mine = np.isin(points.names, few.truth.names)[points.user]
    for one, other in zip(whole.runs, few.runs, strict=True):
        assert one.released.box is not None
        assert other.released.box is not None
        assert (one.released.box[0][mine] == other.released.box[0]).all()
        assert other.findings["centre-of-cloak"].figures["smallest_crowd"] >= 5


def test_the_command_prints_a_table_or_json_and_no_positions(file: Path, capsys) -> None:
    common = ["locate", "evaluate", file, "--mechanism", "planar-laplace:epsilon=0.01", "--cells", "100"]
    attacks = ["--attack", "short-observation", "--attack", "identification:points=2"]
    code, out, _ = run(capsys, *common, *attacks)
    assert code == 0
    assert out.splitlines()[1].split()[:2] == ["mechanism", "loss"]
    assert [line.split()[0] for line in out.splitlines()[2:4]] == ["none", "planar-laplace:epsilon=0.01"]
    code, out, _ = run(capsys, *common, *attacks, "--json")
    told = json.loads(out)
    assert [one["mechanism"] for one in told["mechanisms"]] == ["none", "planar-laplace:epsilon=0.01"]
    assert "-38.5" not in out
    empty = file.with_name("empty.csv")
    empty.write_text(file.read_text().splitlines()[0] + "\n")
    for command in (["evaluate", empty], ["protect", empty, "--mechanism", "planar-laplace:epsilon=1"]):
        code, _, err = run(capsys, "locate", *command)
        assert code == 2
        assert "has no points" in err
    code, _, err = run(capsys, *common, "--attack", "guessing")
    assert code == 2
    assert "cobogo list attacks" in err


# Releasing


def test_anonymized_trajectories_are_verified_and_tampering_is_seen(file: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    code, said, err = run(capsys, "locate", "anonymize", file, "--k", 3, "--delta", 200, "--out", out)
    assert (code, err) == (0, "")
    assert "k = 3 within 200 m at all times" in said
    released = Points.from_pandas(pd.read_csv(out / "public" / "release.csv"), user="trajectory")
    assert closeness(released, 200).k >= 3
    assert run(capsys, "verify", out)[0] == 0
    manifest = out / "public" / "manifest.json"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace('"delta": 200.0', '"delta": 20.0'), encoding="utf-8")
    assert run(capsys, "verify", out / "public")[0] == 1
    assert run(capsys, "locate", "anonymize", file, "--k", 30, "--delta", 200, "--out", tmp_path / "no")[0] == 1
    assert not (tmp_path / "no").exists()
    assert run(capsys, "locate", "anonymize", file, "--k", 3, "--delta", 0.1, "--out", tmp_path / "no")[0] == 2


def test_made_up_trips_are_verified_and_a_cheaper_claim_is_seen(file: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    region = "--region=-38.56,-3.81,-38.44,-3.69"
    ask = ["locate", "synthesize", file, "--epsilon", "5", region, "--cell", 1000, "--number", 30, "--out", out]
    code, said, _ = run(capsys, *ask, "--json")
    assert code == 0
    told = json.loads(said)
    assert told["trips"] == 30
    assert sum(float(Fraction(part["epsilon"])) for part in told["parts"]) == pytest.approx(5)
    assert run(capsys, "verify", out)[0] == 0
    public = "".join(path.read_text(encoding="utf-8") for path in (out / "public").iterdir())
    assert "likeness" not in public
    manifest = out / "public" / "manifest.json"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace('"moves_of_a_person": 100', '"moves_of_a_person": 200'), encoding="utf-8")
    assert run(capsys, "verify", out / "public")[0] == 1
    code, _, err = run(capsys, *ask[:5], "--region", "here", "--out", out)
    assert code == 2
    assert "without looking at the data" in err


def test_protected_reports_are_on_the_public_grid_and_cost_what_they_say(file: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    ask = ["locate", "protect", file, "--out", out]
    plain = ["--mechanism", "planar-laplace:epsilon=0.01"]
    code, said, _ = run(capsys, *ask, *plain, "--budget", 0.4, "--json")
    assert code == 0
    told = json.loads(said)
    assert told["most_spent_by_a_person_per_metre"] == pytest.approx(0.4)
    assert told["quality_loss_metres"]["mean"] == pytest.approx(200, rel=0.3)
    assert run(capsys, "verify", out)[0] == 0
    rows = (out / "public" / "release.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "pseudonym,time,lon,lat"
    assert len(rows) == 801
    code, _, err = run(capsys, *ask, "--mechanism", "disc:radius=100")
    assert code == 2
    assert "no guarantee" in err
    assert run(capsys, *ask, "--mechanism", "planar-laplace:epsilon=0.01|0.02")[0] == 2


def test_a_release_says_what_all_reports_of_a_person_promise(file: Path, tmp_path: Path, capsys) -> None:
    """Forty reports of one person are not one: without a budget nothing is released, with one no more than it pays."""
    out = tmp_path / "out"
    ask = ["locate", "protect", file, "--out", out, "--mechanism", "planar-laplace:epsilon=0.01"]
    code, _, err = run(capsys, *ask)
    assert code == 2
    assert "40 reports of one person spend ε = 0.4 per metre together" in err
    assert "--budget 0.4" in err
    assert not out.exists()
    code, said, err = run(capsys, *ask, "--budget", 0.05, "--round-times", 600)
    assert code == 0
    told = _told(out)  # about 89 m, of random noise
    warning = f"little is hidden: an attacker who averages the reports of one place finds it to about {told:,.0f} m"
    assert (warning in err) == (told < 100)
    assert "ε = 0.05 per metre for all reports of a person, at most 5" in said
    rows = pd.read_csv(out / "public" / "release.csv")
    assert rows.groupby("pseudonym").size().tolist() == [5] * 20
    assert rows["time"].str.endswith("0:00").all()
    assert '"epsilon": 0.05' in (out / "public" / "manifest.json").read_text(encoding="utf-8")
    assert "All reports of a person together" in (out / "public" / "dictionary.md").read_text(encoding="utf-8")
    _, said, _ = run(capsys, "verify", out)
    assert "0.05" in said
    extra = rows.iloc[[0]].assign(pseudonym=rows["pseudonym"].iloc[-1])
    assert (
        run(capsys, *ask, "--every", 7200, "--json")[0] == 0
    )  # one report of each in the two hours: nothing to add up
    table = Points.from_pandas(pd.concat([rows, extra]), user="pseudonym")
    stated = {"epsilon_per_metre": 0.01, "budget_per_metre": 0.05, "paid": "each"}
    assert _visible_cost(table, stated, 0.01) == pytest.approx(0.06)  # what verify would measure


def _told(out: Path) -> float:
    return float(json.loads((out / "evidence" / "report.json").read_text(encoding="utf-8"))["place_told_to_metres"])


def test_rows_out_of_order_cost_no_more(tmp_path: Path) -> None:
    """Who looks back looks at the report before, whatever row it stands in."""
    points = walkers(10, 60, 3)
    shuffled = points.take(np.random.default_rng(1).permutation(len(points)))
    one, other = (Predictive(0.01).apply(some, Seeded(1)).cost.sum() for some in (points, shuffled))
    assert other == pytest.approx(one, rel=0.1)  # in a random order it would be half as much again


PUBLIC = "-38.56/-3.81/-38.44/-3.69"


@pytest.mark.parametrize(
    "words",
    [
        f"optimal:epsilon=0.001,grid={PUBLIC}/4500", f"grid-exponential:epsilon=0.005,grid={PUBLIC}/1000",
        f"remapped-laplace:epsilon=0.01,grid={PUBLIC}/1000,prior=even",
        f"elastic:epsilon=0.005,grid={PUBLIC}/1500,mass=FILE", f"centroid:epsilon=0.01,area={PUBLIC}/1000",
        "planar-laplace:epsilon=0.01,grid=100", f"planar-laplace:epsilon=0.01,region={PUBLIC}/500",
        f"remapped-laplace:epsilon=0.01,grid={PUBLIC}/1000,prior=FILE", "predictive:epsilon=0.01", "several:epsilon=1",
    ],
)  # fmt: skip
def test_every_mechanism_that_promises_something_releases_a_file(
    words: str, file: Path, tmp_path: Path, capsys
) -> None:
    out = tmp_path / "out"
    ask = ["--mechanism", words.replace("FILE", str(file)), "--budget", 1]
    code, said, err = run(capsys, "locate", "protect", file, "--out", out, *ask, "--json")
    assert (code, err) == (0, "")
    assert json.loads(said)["reports"] > 0
    assert run(capsys, "verify", out)[0] == 0
    assert str(tmp_path) not in "".join(path.read_text(encoding="utf-8") for path in (out / "public").iterdir())


def test_options_that_are_no_numbers_are_told_how_to_be_written() -> None:
    points = walkers(3, 4, 1)
    for name, kind in mechanisms().items():
        for one in fields(kind):
            for value in ("x", "nan", "1/2/3/4/5", "/", "100"):
                asked = {"epsilon": "0.01", one.name: value} if "epsilon" in names_of(kind) else {one.name: value}
                for some in (None, points):
                    with suppress(PolicyError, DataError):  # wrong input, and nothing else
                        build_mechanism(MechanismSpec(name, asked), some)
    with pytest.raises(PolicyError, match="west/south/east/north"):
        build_mechanism(MechanismSpec("optimal", {"epsilon": "0.01"}), None)


def names_of(kind: Any) -> set[str]:
    return {one.name for one in fields(kind)}


def test_positions_of_nobody_in_particular_are_protected_too(tmp_path: Path, capsys) -> None:
    (tmp_path / "places.csv").write_text("lon,lat\n-38.5,-3.7\n-38.6,-3.8\n", encoding="utf-8")
    ask = ["locate", "protect", tmp_path / "places.csv", "--out", tmp_path / "out"]
    assert run(capsys, *ask, "--mechanism", "planar-laplace:epsilon=0.01")[0] == 0
    assert run(capsys, "verify", tmp_path / "out")[0] == 0
    assert (tmp_path / "out" / "public" / "release.csv").read_text(encoding="utf-8").startswith("lon,lat\n")


GPS = SHARED / "data" / "geolife" / "geolife_sample.txt.gz"


@pytest.mark.skipif(not GPS.is_file(), reason="the GPS sample of ../shared is not here")
def test_on_real_trips_tracking_beats_single_reports(tmp_path: Path) -> None:
    rows = pd.read_csv(GPS, nrows=40_000)
    points = sample_points(Points.from_pandas(rows), 60, 700, Seeded(1)).points
    found = evaluate(points, {"noise": Noise(0.005)}, [ShortObservation(), Tracking()], source=Seeded(1), raw=False)
    errors = {name: one.error.mean() for name, one in found.runs[0].findings.items()}
    assert errors["tracking"] < found.runs[0].quality_loss
    assert np.isfinite(list(errors.values())).all()


def test_a_synthesis_is_paid_for_by_a_ledger_or_not_made(file: Path, tmp_path: Path, capsys) -> None:
    books = Ledger(tmp_path / "ledger.db")
    books.open("trips", PrivacyLoss("epsilon", Fraction(3)))
    books.grant("trips", "ana", PrivacyLoss("epsilon", Fraction(3)))
    ask = ["locate", "synthesize", file, "--epsilon", 2, "--region=-38.56,-3.81,-38.44,-3.69", "--cell", 2000]
    pay = ["--ledger", tmp_path / "ledger.db", "--dataset", "trips", "--analyst", "ana"]
    assert run(capsys, *ask, *pay, "--out", tmp_path / "one")[0] == 0
    assert run(capsys, *ask, *pay, "--out", tmp_path / "two")[0] == 1
    assert not (tmp_path / "two").exists()
    assert [entry.question.split(",")[0] for entry in books.entries("trips")] == ["locate synthesize"]
    books.close()
