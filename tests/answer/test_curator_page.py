"""The page about the curator says what is true, and its walk-through works."""

from __future__ import annotations

import contextlib
import json
import math
import re
import shlex
import shutil
import sys
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cobogo.data.policy import Data
from cobogo.promises.accounting import epsilon_of
from cobogo.promises.curator_file import CuratorPolicy, DeclaredDataset
from cobogo.promises.declared_columns import DeclaredColumn
from cobogo.promises.mechanisms import ExponentialMechanism, Laplace
from support.pages import COMMAND, HOSPITAL, ROOT, blocks, page, rows, run, section

sys.path.insert(0, str(ROOT))  # figures are not part of the package

from figures import curator
from figures.__main__ import IMAGES

pytestmark = pytest.mark.slow

PAGE, EPSILON = page("curator"), page("epsilon")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(HOSPITAL / "patients.csv", tmp_path)
    (tmp_path / "curator.toml").write_text(blocks(PAGE, "toml")[0], encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("here")
def test_the_walk_through(capsys: pytest.CaptureFixture[str]) -> None:
    (shown,) = blocks(PAGE, "console")
    question, said = re.findall(r'^\$ cobogo answer explain "(.*)" --epsilon 1\n((?s:.*))', shown, re.MULTILINE)[0]
    code, out, _ = run(capsys, "answer", "explain", question, "--epsilon", "1")
    assert (code, out) == (0, said)
    for number in range(3):
        code, out, _ = run(capsys, "answer", "sql", question, "--epsilon", "1")
        assert code == 0
        assert [line.split("  ")[0] for line in out.splitlines()[:5]] == [
            "payer", "SUS", "charity", "company plan", "family plan",
        ]  # fmt: skip
        assert f"Spent ε = 1; left ε = {2 - number}, δ = 1e-06." in out
    code, _, said = run(capsys, "answer", "sql", question, "--epsilon", "1")
    assert code == 1
    assert "ana on patients: this would cost ε = 1, and ε = 0, δ = 1e-06 of the budget is left" in said
    found = json.loads(run(capsys, "answer", "budget", "--json")[1])
    assert [(b["analyst"], b["left"]["amount"]) for b in found] == [(None, 7), ("ana", 0)]


@pytest.mark.usefixtures("here")
def test_commands_of_the_curator(capsys: pytest.CaptureFixture[str]) -> None:
    question = "SELECT diagnosis, COUNT(*) AS n FROM patients GROUP BY diagnosis ORDER BY n DESC"
    code, out, _ = run(capsys, "answer", "sql", question, "--epsilon", "2", "--delta", "1e-6", "--json")
    assert code == 0
    answer = json.loads(out)
    assert answer["columns"] == ["diagnosis", "n"]
    assert "asthma" in [row[0] for row in answer["rows"]]
    assert answer["spent"] == {"epsilon": 2, "delta": 1e-6}
    code, out, _ = run(capsys, "answer", "explain", question, "--error", "10", "--delta", "1e-6", "--json")
    explained = json.loads(out)
    assert explained["threshold"] > 10
    assert explained["errors"]["n"] <= 10
    for words, wanted, code in (
        (["SELECT MAX(salary) FROM patients", "--epsilon", "1"], "MAX is not answered", 2),
        (["SELECT COUNT(*) FROM patients"], "Say how much epsilon", 2),
        (["SELECT COUNT(*) FROM patients", "--epsilon", "1", "--config", "none.toml"], "no such file", 2),
        (["SELECT COUNT(*) FROM patients", "--epsilon", "1", "--analyst", "eve"], "there is no data set", 2),
    ):
        found, out, said = run(capsys, "answer", "sql", *words)
        assert (found, out) == (code, "")
        assert wanted in said


@pytest.mark.usefixtures("here")
def test_its_python() -> None:
    names: dict[str, Any] = {}
    for block in blocks(PAGE, "python"):
        with contextlib.redirect_stdout(None):
            exec(block, names)
    assert 0 <= names["answer"].value <= 10_000
    assert float(names["ana"].budget("patients").spent.amount) == 1.9e9


def test_the_file_is_one() -> None:
    assert CuratorPolicy.of(tomllib.loads(blocks(PAGE, "toml")[0])).datasets["patients"].max_rows == 1


def test_every_key_is_documented() -> None:
    documented = rows(section(PAGE, "The curator's file"))
    own = {field.alias or name for name, field in DeclaredDataset.model_fields.items() if name not in Data.model_fields}
    assert own | {"unit"} <= documented.keys()
    assert {field.alias or name for name, field in DeclaredColumn.model_fields.items()} <= documented.keys()


@pytest.mark.parametrize("name", ["sql", "explain", "budget"])
def test_every_option_is_documented(name: str) -> None:
    parameters = COMMAND.commands["answer"].commands[name].params
    options = {option for parameter in parameters for option in parameter.opts if option.startswith("--")} - {"--help"}
    documented = rows(section(page("commands"), f"cobogo answer {name}"))
    assert {option for option in documented if option.startswith("--")} == options


def test_what_the_ledger_says_of_rho() -> None:
    assert f"ε = {epsilon_of(0.1, 1e-6):.2f}" in PAGE


# The documents' examples


def table(text: str, title: str) -> list[list[str]]:
    """The rows of the table whose heading begins so."""
    lines = text[text.index(f"| {title}") :].split("\n\n", maxsplit=1)[0].splitlines()[2:]
    return [[cell.strip().replace("−", "-").replace(",", "") for cell in line.strip("|").split("|")] for line in lines]


def test_the_properties() -> None:
    found = [[int(cell) for cell in row] for row in table(PAGE, "person")]
    owned = [row[1] for row in found]
    assert owned == [4, 2, 7, 1]
    assert [row[2:] for row in found] == [[sum(owned) - own, own] for own in owned]


def test_the_densities_of_table_3_11() -> None:
    noise = Laplace(10, Fraction(1))
    found = [[float(cell) for cell in row] for row in table(PAGE, "noise | answer")]
    assert [row[0] for row in found] == [-4.58, -0.15, 12.15, -6.43, 2.89]
    assert [row[2] for row in found] == [3.70, 6.98, 1.25, 2.85, 4.72]
    for drawn, answer, said, density, here in found:
        assert answer == round(14 + drawn, 2)
        assert density == round(100 * math.exp(-abs(drawn) / 7) / 14, 2) == pytest.approx(said, abs=0.011)
        assert here == round(100 * curator.probability(noise, round(drawn)), 2)


def test_the_exponential_mechanism_of_the_documents() -> None:
    found = table(PAGE, "name | score")
    owned = dict(zip(["João", "Bruno", "Iago", "Malu"], [4, 2, 7, 1], strict=True))
    assert {row[0]: int(row[1]) for row in found} == {name: len(name) * number for name, number in owned.items()}
    law = ExponentialMechanism(28, Fraction(1)).probabilities([int(row[1]) for row in found])
    assert [float(row[2]) for row in found] == [round(100 * p, 2) for p in law] == [25.35, 22.78, 31.41, 20.46]
    declared = ExponentialMechanism(10, Fraction(1)).probabilities([0, 7, 7])
    assert re.findall(r"([0-9.]+) %", PAGE[PAGE.index("The sums of the three") :])[:2] == [
        f"{100 * p:.2f}" for p in declared[:2]
    ]


# The page about choosing ε


def test_its_table_of_errors() -> None:
    lines = re.findall(r"^\| ([0-9.]+) \| ([0-9,]+) \| ([0-9,]+) \| ([0-9,]+) people \|$", EPSILON, re.MULTILINE)
    assert len(lines) == 5
    for epsilon, count, total, people in lines:
        assert int(count) == Laplace(1, Fraction(epsilon)).error()
        assert int(total.replace(",", "")) == Laplace(100, Fraction(epsilon)).error()
        assert int(people.replace(",", "")) == 100 * int(count)


def test_its_table_of_beliefs() -> None:
    found = table(EPSILON, "ε | from 1 %")
    assert len(found) == 7
    for epsilon, *beliefs in found:
        for before, after in zip((0.01, 0.1, 0.5), beliefs, strict=True):
            grown = before * math.exp(float(epsilon))
            assert after == f"{100 * grown / (1 - before + grown):.1f} %"


@pytest.mark.usefixtures("here")
def test_its_command_draws_a_curve_once(capsys: pytest.CaptureFixture[str]) -> None:
    (shown,) = blocks(EPSILON, "sh")
    words = shlex.split(shown.replace("\\\n", " "))[1:]
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert "Written   error.png" in out
    first = Path("error.png").read_bytes()
    assert first.startswith(b"\x89PNG")
    code, _, said = run(capsys, *words)
    assert (code, "already exists" in said) == (2, True)
    assert run(capsys, *words[:-1], "again.png")[0] == 0
    assert Path("again.png").read_bytes() == first
    assert sorted(path.name for path in Path().iterdir() if path.name.startswith(".")) == []
    code, _, said = run(
        capsys, "answer", "explain", "SELECT MEDIAN(salary) FROM patients", "--epsilon", "1", "--curve", "m.png"
    )
    assert (code, "depends on the data" in said) == (2, True)


def test_curves_come_from_declarations_alone() -> None:
    points = curator.errors_of("SUM(x)")
    assert points[0][0] == 0.01
    for epsilon, error in points[::20]:
        assert error == Laplace(100, Fraction(str(epsilon))).error()
    assert dict(curator.errors_of("COUNT(*)", groups=5, rows=3))[1.0] == Laplace(15, Fraction(1)).error()


def test_neighbouring_laws_are_within_e_of_each_other() -> None:
    noise = Laplace(curator.BOUND, Fraction(1))
    laws = [[curator.probability(noise, x - centre) for x in range(-300, 300)] for centre in (14, 7)]
    assert [sum(law) for law in laws] == pytest.approx([1, 1])
    assert max(max(a / b, b / a) for a, b in zip(*laws, strict=True)) <= math.e


def grey(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("L"), dtype=int)


@pytest.mark.parametrize("name", curator.FIGURES)
def test_figures_are_those_that_the_code_draws(name: str, tmp_path: Path) -> None:
    curator.FIGURES[name](tmp_path / name)
    drawn, kept = (grey(directory / name) for directory in (tmp_path, IMAGES))
    assert drawn.shape == kept.shape
    assert np.mean(np.abs(drawn - kept) > 40) < 0.005  # another release of Matplotlib may smooth edges otherwise
