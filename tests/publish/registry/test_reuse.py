"""``cobogo apply``: a registered solution on new rows, from the command line."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import cobogo as cb
from support.registry_commands import command

pytestmark = pytest.mark.slow

POLICY = """
[data]
path = "first.csv"
unit = "who"

[attributes]
who     = { role = "identifier" }
age     = { role = "quasi-identifier", hierarchy = { intervals = [10, 100] } }
city    = { role = "quasi-identifier", hierarchy = { csv = "city.csv" } }
illness = { role = "sensitive" }

[privacy]
models = [{ model = "k-anonymity", k = 3 }]

[recoding]
suppression-limit = 0.2
ALGORITHM

[registry]
path = "registry.db"
dataset = "clinic"
"""
CITIES = "Sobral,Norte\nForquilha,Norte\nCrato,Cariri\nJuazeiro,Cariri\n"


def rows(first: int, last: int) -> list[list[str]]:
    draw = random.Random(11)
    drawn = [
        [f"p{n}", str(draw.randrange(20, 60)), draw.choice(["Sobral", "Forquilha", "Crato", "Juazeiro"]),
         draw.choice(["flu", "gout", "rash"])]
        for n in range(last)
    ]  # fmt: skip
    return drawn[first:]


def write(file: Path, content: list[list[str]]) -> None:
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows([["who", "age", "city", "illness"], *content])


def released(directory: Path) -> list[dict[str, str]]:
    with (directory / "public" / "release.csv").open() as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(params=["", 'algorithm = "mondrian"'], ids=["full-domain", "local"])
def clinic(request: pytest.FixtureRequest, workplace: Path) -> Path:
    (workplace / "policy.toml").write_text(POLICY.replace("ALGORITHM", request.param))
    (workplace / "city.csv").write_text(CITIES)
    write(workplace / "first.csv", rows(0, 120))
    assert command("registry", "init") == 0
    assert command("anonymize", "policy.toml", "--out", "first", "--quiet") == 0
    return workplace


def test_new_rows_are_released_in_the_same_way(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = [*rows(120, 400), ["z1", "30", "Atlantis", "flu"], ["z2", "ninety", "Crato", "flu"]]
    write(clinic / "new.csv", new)
    assert command("apply", "clinic-1", "new.csv", "--out", "new") == 0
    said = capsys.readouterr()
    assert "2 records have values that are not in the hierarchies" in said.err
    assert "Recorded  clinic-2" in said.out
    assert cb.verify(clinic / "new")
    classes = Counter((row["age"], row["city"]) for row in released(clinic / "new"))
    assert min(classes.values()) >= 3
    assert len(released(clinic / "new")) > 200
    before = {(row["age"], row["city"]) for row in released(clinic / "first")}
    assert len(classes.keys() & before) >= len(classes) / 2
    assert not {value for row in classes for value in row} & {"Atlantis", "ninety", "*"}


def test_what_would_give_people_away_is_held_back(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first rows and two more: whoever came to a class alone is not there."""
    write(clinic / "grown.csv", rows(0, 122))
    assert command("apply", "clinic-1", "grown.csv", "--out", "grown") == 0
    assert "held back" in capsys.readouterr().err
    assert len(released(clinic / "grown")) <= 120
    assert cb.verify(clinic / "grown")


def test_what_cannot_be_applied(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(clinic / "few.csv", [["q1", "25", "Crato", "flu"]])
    assert command("apply", "clinic-1", "few.csv", "--out", "few") == 1
    assert "no new row fits" in capsys.readouterr().err
    assert command("apply", "clinic-9", "few.csv", "--out", "few") == 2
    assert 'does not contain the release "clinic-9"' in capsys.readouterr().err
    (clinic / "other.csv").write_text("a,b\n1,2\n")
    assert command("apply", "clinic-1", "other.csv", "--out", "few") == 2
    assert not (clinic / "few").exists()


def test_the_registry_s_commands(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> Any:
        capsys.readouterr()
        assert command(*words) == 0
        return json.loads(capsys.readouterr().out)

    (entry,) = said("registry", "list", "--json")
    assert (entry["release"], entry["state"], entry["records"]) == (
        "clinic-1",
        "released",
        len(released(clinic / "first")),
    )
    assert said("registry", "show", "clinic-1", "--json")["policy"]["registry"]["dataset"] == "clinic"
    assert command("registry", "show", "clinic-1") == 0
    shown = capsys.readouterr().out
    assert not any(f"p{n}" in shown.split() for n in range(120))
    assert command("registry", "init") == 2
    assert command("registry", "remove", "clinic-1") == 2
    assert "--never-left" in capsys.readouterr().err
    assert command("registry", "remove", "clinic-1", "--never-left") == 0
    assert said("registry", "list", "--json") == []
    assert command("registry", "list") == 0


def test_a_release_from_before_the_registry_is_recorded(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone = (clinic / "policy.toml").read_text().partition("[registry]")[0]
    (clinic / "alone.toml").write_text(alone)
    assert command("anonymize", "alone.toml", "--out", "alone", "--quiet") == 0
    capsys.readouterr()
    code = command("registry", "add", "alone", "--dataset", "old")
    said = capsys.readouterr()
    if "algorithm" in alone:
        assert (code, "recoded on its own" in said.err) == (2, True)
        return
    assert (code, said.out) == (0, "Recorded  old-1\n")
    write(clinic / "first.csv", rows(0, 119))
    assert command("registry", "add", "alone", "--dataset", "old") == 2
    assert "no longer those" in capsys.readouterr().err
    (clinic / "grown.toml").write_text(alone + '[registry]\npath = "registry.db"\ndataset = "old"\n')
    assert command("anonymize", "grown.toml", "--out", "grown", "--quiet") == 1, "one left: it is checked against"
    assert "with old-1" in capsys.readouterr().err
