"""Another package adds a model, a metric, an attack, a location mechanism and a collector: all work by their names."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.commands import ONE_AFTER_ANOTHER

pytestmark = pytest.mark.slow

PLUGIN = Path(__file__).parent / "support" / "plugin"
POLICY = """
[data]
path = "people.csv"

[attributes]
city = { role = "quasi-identifier" }
age = { role = "quasi-identifier", hierarchy = { intervals = [10], top = true } }
ill = { role = "sensitive" }

[privacy]
models = [{ model = "parity", pairs = 2 }]

[recoding]
metric = "suppression"
suppression-limit = 0.5
"""
PEOPLE = "city,age,ill\n" + "".join(
    f"{city},{age},{ill}\n"
    for city, age, ill in [("Crato", 31, "flu"), ("Crato", 34, "cold")] * 4 + [("Icó", 51, "flu")]
)


def install(home: Path, *, broken: bool = False) -> Path:
    """The package as an installer leaves it: its modules, and beside them a record of its entry points."""
    place = home / "site"
    shutil.copytree(PLUGIN / "cobogo_extra", place / "cobogo_extra")
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    record = place / f"cobogo_extra-{project['version']}.dist-info"
    record.mkdir()
    name = f"Name: {project['name']}\nVersion: {project['version']}\n"
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\n{name}", encoding="utf-8")
    groups = project["entry-points"]
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in of.items()) for group, of in groups.items()
    ]
    (record / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    if broken:
        (place / "cobogo_extra" / "model.py").write_text("import no_such_library\n", encoding="utf-8")
    return place


def run(place: Path, *commands: list[str], codes: tuple[int, ...] = ()) -> list[str]:
    """What commands say with the package installed, one after another in one process."""
    told = json.loads(run_python(place, ONE_AFTER_ANOTHER, json.dumps(commands)))
    assert [code for code, _ in told] == list(codes or [0] * len(commands)), told
    assert not [said for _, said in told if "Traceback" in said]
    return [said for _, said in told]


def run_python(place: Path, program: str, *words: object) -> str:
    """What a program prints with the package installed."""
    paths = os.pathsep.join([str(place), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=place.parent,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("plugin")
    (home / "policy.toml").write_text(POLICY, encoding="utf-8")
    (home / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return install(home)


def test_they_are_listed_and_explained(place: Path) -> None:
    named = {
        "parity": "models", "suppression": "metrics", "loneliness": "attacks", "rounding": "mechanisms",
        "one-question": "mechanisms",
    }  # fmt: skip
    lists = (["list", what, "--json"] for what in named.values())
    texts = run(place, *lists, *(["explain", name, "--json"] for name in named))
    outputs = [json.loads(text) for text in texts]
    for name, listed, explained in zip(named, outputs[: len(named)], outputs[len(named) :], strict=True):
        assert name in {entry["name"] for entry in listed}
        assert explained["definition"]
        assert explained["guarantee"]


def test_a_policy_asks_for_them_and_search_verification_and_report_know_them(place: Path) -> None:
    _, verified, attacked = run(
        place,
        ["anonymize", "policy.toml", "--out", "release"],
        ["verify", "release"],
        ["attack", "loneliness", "release"],
    )
    home = place.parent / "release"
    report = json.loads((home / "evidence" / "report.json").read_text(encoding="utf-8"))
    assert report["models"] == [{"model": "parity", "pairs": 2, "satisfied": True, "measured": 2}]
    assert report["metrics"]["suppression"] == pytest.approx(1 / 9)
    page = (home / "evidence" / "report.html").read_text(encoding="utf-8")
    assert "The people of every class can be paired off" in page
    assert "suppressed share" in page
    assert "parity" in verified
    assert "No" in attacked


def test_its_parameters_are_refused_and_positions_go_through_its_mechanism(place: Path) -> None:
    home = place.parent
    (home / "wrong.toml").write_text(POLICY.replace("pairs = 2", "pairs = 0"), encoding="utf-8")
    rows = "".join(f"{user},{60 * n},{-38.527 + 0.001 * n},-3.731\n" for user in "ab" for n in range(30))
    (home / "points.csv").write_text("user,time,lon,lat\n" + rows, encoding="utf-8")
    mechanism = ["--mechanism", "rounding:decimals=2", "--attack", "short-observation", "--json"]
    refused, evaluated, unpromised = run(
        place,
        ["anonymize", "wrong.toml", "--out", "none"],
        ["locate", "evaluate", "points.csv", *mechanism],
        ["locate", "protect", "points.csv", "--mechanism", "rounding", "--out", "points"],
        codes=(2, 0, 2),
    )
    assert "The 'pairs' parameter of parity must be a whole number of at least 1. Got 0 instead" in refused
    assert "rounding:decimals=2" in evaluated
    assert "rounding has no guarantee" in unpromised


def test_a_collection_asks_through_its_mechanism(place: Path) -> None:
    home = place.parent
    (home / "pets.toml").write_text(
        '[collection]\nname = "pets"\nquestion = "pet"\nmechanism = "one-question"\nepsilon = 8\n'
        'values = ["cat", "dog", "none"]\n',
        encoding="utf-8",
    )
    (home / "pets.csv").write_text("pet\n" + "cat\n" * 2_000 + "dog\n" * 1_000, encoding="utf-8")
    *_, decoded = run(
        place,
        ["collect", "encode", "pets.toml", "pets.csv", "--column", "pet", "--out", "pets.bin"],
        ["collect", "aggregate", "pets.toml", "pets.bin", "--out", "pets.agg"],
        ["collect", "decode", "pets.toml", "pets.agg", "--json"],
    )
    found = json.loads(decoded)
    shares = {one["value"]: one["share"] for one in found["found"]}
    assert shares["cat"] == pytest.approx(2 / 3, abs=0.2)
    assert shares["none"] == pytest.approx(0, abs=0.2)


@pytest.mark.parametrize(
    "file", ["pyproject.toml", *(f"cobogo_extra/{name}.py" for name in ("model", "metric", "attack", "mechanism",
                                                                         "collector")),
             "test_extra.py"],
)  # fmt: skip
def test_the_page_shows_the_package_as_it_is(file: str) -> None:
    page = (PLUGIN.parents[2] / "docs" / "extend.md").read_text(encoding="utf-8")
    assert f"\n{(PLUGIN / file).read_text(encoding='utf-8').rstrip()}\n```\n" in page


def test_it_passes_the_suite_that_ours_pass(place: Path) -> None:
    program = "import pytest, sys; sys.exit(pytest.main(sys.argv[1:]))"
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", "/dev/null"]
    run_python(place, program, PLUGIN / "test_extra.py", *options)


def test_a_broken_package_is_named_and_breaks_nothing_else(tmp_path: Path) -> None:
    place = install(tmp_path, broken=True)
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    ours = POLICY.replace('"parity", pairs = 2', '"k-anonymity", k = 2')
    (tmp_path / "ours.toml").write_text(ours, encoding="utf-8")
    models, asked, explained, _ = run(
        place,
        ["list", "models", "--json"],
        ["anonymize", "policy.toml", "--out", "release"],
        ["explain", "parity"],
        ["anonymize", "ours.toml", "--out", "release"],
        codes=(0, 2, 2, 0),
    )
    listed = {entry["name"]: entry["about"] for entry in json.loads(models)}
    assert "cobogo-extra 1.0 offers model 'parity', which cannot be used" in listed["parity"]
    assert "k-anonymity" in listed
    assert "cobogo-extra 1.0 offers model 'parity', which cannot be used: ModuleNotFoundError" in asked
    assert "cobogo-extra 1.0 offers model 'parity', which cannot be used" in explained
