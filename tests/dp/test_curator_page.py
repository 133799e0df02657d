"""The page about the curator says what is true, and its walk-through works."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from cobogo.dp.accounting import epsilon_of
from cobogo.dp.mechanisms import Laplace
from cobogo.dp.metadata import Column, CuratorPolicy, Dataset
from cobogo.policy import Data
from test_docs import COMMAND, HOSPITAL, blocks, page, rows, run, section

PAGE = page("curator")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(HOSPITAL / "patients.csv", tmp_path)
    (tmp_path / "curator.toml").write_text(blocks(PAGE, "toml")[0], encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("here")
def test_the_walk_through(capsys: pytest.CaptureFixture[str]) -> None:
    (shown,) = blocks(PAGE, "console")
    question, said = re.findall(r'^\$ cobogo dp explain "(.*)" --epsilon 1\n((?s:.*))', shown, re.MULTILINE)[0]
    code, out, _ = run(capsys, "dp", "explain", question, "--epsilon", "1")
    assert (code, out) == (0, said)
    for number in range(3):
        code, out, _ = run(capsys, "dp", "sql", question, "--epsilon", "1")
        assert code == 0
        assert [line.split("  ")[0] for line in out.splitlines()[:5]] == [
            "payer", "SUS", "charity", "company plan", "family plan",
        ]  # fmt: skip
        assert f"Spent ε = 1; left ε = {2 - number}, δ = 1e-06." in out
    code, _, said = run(capsys, "dp", "sql", question, "--epsilon", "1")
    assert code == 1
    assert "ana on patients: this would cost ε = 1, and of the budget ε = 0" in said
    found = json.loads(run(capsys, "dp", "budget", "--json")[1])
    assert [(b["analyst"], b["left"]["amount"]) for b in found] == [(None, 7), ("ana", 0)]


@pytest.mark.usefixtures("here")
def test_commands_of_the_curator(capsys: pytest.CaptureFixture[str]) -> None:
    question = "SELECT diagnosis, COUNT(*) AS n FROM patients GROUP BY diagnosis ORDER BY n DESC"
    code, out, _ = run(capsys, "dp", "sql", question, "--epsilon", "2", "--delta", "1e-6", "--json")
    assert code == 0
    answer = json.loads(out)
    assert answer["columns"] == ["diagnosis", "n"]
    assert "asthma" in [row[0] for row in answer["rows"]]
    assert answer["spent"] == {"epsilon": 2, "delta": 1e-6}
    code, out, _ = run(capsys, "dp", "explain", question, "--error", "10", "--delta", "1e-6", "--json")
    explained = json.loads(out)
    assert explained["threshold"] > 10
    assert explained["errors"]["n"] <= 10
    for words, wanted, code in (
        (["SELECT MAX(salary) FROM patients", "--epsilon", "1"], "MAX is not answered", 2),
        (["SELECT COUNT(*) FROM patients"], "Say how much epsilon", 2),
        (["SELECT COUNT(*) FROM patients", "--epsilon", "1", "--config", "none.toml"], "no such curator file", 2),
        (["SELECT COUNT(*) FROM patients", "--epsilon", "1", "--analyst", "eve"], "has no budget", 1),
    ):
        found, out, said = run(capsys, "dp", "sql", *words)
        assert (found, out) == (code, "")
        assert wanted in said


@pytest.mark.usefixtures("here")
def test_its_python() -> None:
    names: dict[str, Any] = {}
    for block in blocks(PAGE, "python"):
        with contextlib.redirect_stdout(None):
            exec(block, names)
    assert 0 <= names["answer"].value <= 10_000
    assert float(names["ana"].budget("patients").spent.amount) == 1.6e9


def test_the_file_is_one() -> None:
    assert CuratorPolicy.of(tomllib.loads(blocks(PAGE, "toml")[0])).datasets["patients"].max_rows == 1


def test_every_key_is_documented() -> None:
    documented = rows(section(PAGE, "The curator's file"))
    own = {field.alias or name for name, field in Dataset.model_fields.items() if name not in Data.model_fields}
    assert own | {"unit"} <= documented.keys()
    assert {field.alias or name for name, field in Column.model_fields.items()} <= documented.keys()


@pytest.mark.parametrize("name", ["sql", "explain", "budget"])
def test_every_option_is_documented(name: str) -> None:
    parameters = COMMAND.commands["dp"].commands[name].params
    options = {option for parameter in parameters for option in parameter.opts if option.startswith("--")} - {"--help"}
    documented = rows(section(page("commands"), f"cobogo dp {name}"))
    assert {option for option in documented if option.startswith("--")} == options


def test_its_table_of_errors() -> None:
    lines = re.findall(r"^\| ([0-9.]+) \| ([0-9,]+) \| ([0-9,]+) \| ([0-9,]+) people \|$", PAGE, re.MULTILINE)
    assert len(lines) == 5
    for epsilon, count, total, people in lines:
        assert int(count) == Laplace(1, Fraction(epsilon)).error()
        assert int(total.replace(",", "")) == Laplace(100, Fraction(epsilon)).error()
        assert int(people.replace(",", "")) == 100 * int(count)
    assert f"ε = {epsilon_of(0.1, 1e-6):.2f}" in PAGE
