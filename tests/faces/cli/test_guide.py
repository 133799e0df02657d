"""The command ``cobogo guide``: what it says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cobogo.examples import ceara
from support.commands import called, cobogo

pytestmark = pytest.mark.slow

POLICY = """
[attributes]
city = { role = "quasi-identifier" }
ill = { role = "sensitive" }
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "people.csv").write_text("city,ill\n" + "Sobral,flu\nSobral,gout\nCrato,flu\nCrato,cold\n" * 3)
    (tmp_path / "unsure.csv").write_text("sexo,sapato\n" + "F,38\nM,41\n" * 30)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("city,ill\n")
    (tmp_path / "one.csv").write_text("city,ill\nSobral,flu\n")
    (tmp_path / "names.csv").write_text("nome,cpf\nAna Maria Silva,529.982.247-25\nJosé Dias,111.444.777-35\n")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign/mine.txt").write_text("mine")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["nowhere.csv"], 2, "no such file"),
        (["empty.csv"], 2, "is empty"),
        (["header.csv"], 2, "has no records"),
        (["one.csv", "--policy", "policy.toml"], 1, "could not achieve 2-anonymity"),
        (["names.csv"], 2, "there is no quasi-identifier"),
        (["names.csv", "--policy", "policy.toml"], 2, "is a column of the data"),
        (["unsure.csv"], 2, "--policy policy.toml"),
        (["people.csv", "--policy", "policy.toml", "--out", "foreign"], 2, "did not write"),
        (["people.csv", "--policy", "policy.toml", "--out", "."], 2, "lies in it"),
        (["people.csv", "--policy", "nowhere.toml"], 2, "nowhere.toml"),
        (["people.csv", "--k", "1,2"], 2, "--k: must be whole numbers"),
        (["people.csv", "--l", ""], 2, "--l: must be whole numbers"),
        (["people.csv", "--suppression-limit", "20"], 2, "must be a number from 0 to 1"),
        (["people.csv", "--encoding", "ebcdic"], 2, "--encoding: must be one of"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(words: list[str], code: int, told: str, home: Path) -> None:
    before = sorted(home.rglob("*"))
    assert told in cobogo("--lang", "en", "guide", *words, cwd=home, code=code)
    assert sorted(home.rglob("*")) == before


def test_a_table_of_every_k_and_l_says_which_to_give_away(home: Path) -> None:
    said = cobogo("--lang", "en", "guide", "people.csv", "--policy", "policy.toml", "--k", "2,13", "--l", "2", cwd=home)
    lines = said.splitlines()
    assert lines[0].split() == "k l city precision average class classes suppressed limit file".split()  # noqa: SIM905
    assert [line.endswith("could not achieve it") for line in lines[1:5]] == [False, False, True, True]
    assert sum("(give away)" in line for line in lines) == 1
    assert "alternatives" in said
    assert "guide/public" in said


def test_levels_stand_below_their_columns_whatever_the_order_of_the_policy(home: Path) -> None:
    """Everybody has another street and nobody another sex: the street is generalized, the sex is not."""
    (home / "streets.csv").write_text("street,sex\n" + "".join(f"{n},F\n" for n in range(8)))
    roles = 'sex = { role = "quasi-identifier" }\nstreet = { role = "quasi-identifier" }\n'
    (home / "streets.toml").write_text(f"[attributes]\n{roles}")
    said = cobogo("--lang", "en", "guide", "streets.csv", "--policy", "streets.toml", "--k", "2", cwd=home).splitlines()
    assert said[0].split()[2:4] == ["sex", "street"]
    assert said[1].split()[1:3] == ["0", "1"]


def test_programs_read_the_same_as_json(home: Path) -> None:
    told = called("guide", "people.csv", "--policy", "policy.toml", "--k", "2", "--l", "2,3", "--json", cwd=home)
    found = json.loads(told.stdout)
    assert [(one["k"], one["l"], one["status"]) for one in found["releases"]] == [
        (2, None, "alternative"), (2, 2, "give away"),
    ]  # fmt: skip
    assert found["attacks"]["record_linkage"]["releases/2_2"]["exposed"] == 0
    assert (home / "guide" / found["give_away"] / "release.csv").exists()


def test_suggested_roles_are_said_to_be_suggestions(tmp_path: Path) -> None:
    ceara.write(tmp_path / "casos.csv", 400)
    said = cobogo("--lang", "pt-BR", "guide", "casos.csv", "--k", "2", "--l", "2", cwd=tmp_path)
    assert "cobogo inspect sugere" in said
    assert (tmp_path / "guide/casos_2_2.csv").exists()
    assert "cobogo inspect sugere" in (tmp_path / "guide/index.html").read_text(encoding="utf-8")


def test_a_page_warns_of_a_value_that_the_release_to_give_away_lets_guess(tmp_path: Path) -> None:
    rows = "".join(
        f"{'AB'[n % 2]},{'flu' if n % 2 and n % 16 > 1 else 'gout' if n % 3 else 'cold'}\n" for n in range(80)
    )
    (tmp_path / "people.csv").write_text(f"city,ill\n{rows}")
    (tmp_path / "policy.toml").write_text(
        '[attributes]\ncity = { role = "quasi-identifier" }\nill = { role = "sensitive" }\n'
    )
    cobogo("guide", "people.csv", "--policy", "policy.toml", "--k", "2", "--l", "2", cwd=tmp_path)
    page = (tmp_path / "guide/index.html").read_text(encoding="utf-8")
    assert 'class="verdict caution"' in page
    assert "“ill” of somebody is guessed with probability" in page
