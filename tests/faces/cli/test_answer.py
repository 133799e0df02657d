"""The commands of the curator: who may ask about what, and who is told why rows cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from cobogo.floor.untrusted import shorten
from support.commands import cobogo

pytestmark = pytest.mark.slow

FILE = """
[datasets.people]
path = "people.csv"
budget = { epsilon = 3 }
analysts = { ana = { epsilon = 2 }, rui = { epsilon = 1 } }
columns = { age = { type = "integer", bounds = [0, 99] } }
[datasets.staff]
path = "staff.csv"
budget = { epsilon = 3 }
analysts = { ana = { epsilon = 2 } }
columns = { wage = { type = "integer" } }
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "curator.toml").write_text(FILE)
    (tmp_path / "people.csv").write_text("age\n" + "30\n" * 9)
    (tmp_path / "staff.csv").write_text("wage\n7\n8,9\n")
    return tmp_path


def test_an_analyst_asks_about_what_the_file_says(home: Path) -> None:
    def dp(command: str, table: str, who: str, code: int) -> str:
        question = f"SELECT COUNT(*) FROM {table}"
        return cobogo("answer", command, question, "--epsilon", "0.1", "--analyst", who, cwd=home, code=code)

    for command in ("sql", "explain"):
        dp(command, "people", "rui", 0)
        assert "wage" not in dp(command, "staff", "rui", 2)
        assert "no data set" in dp(command, "people", "eve", 2)
    dp("explain", "staff", "ana", 0)
    assert "needs a name" in dp("sql", "people", "", 2)
    (home / "curator.toml").write_text(FILE.replace(", rui = { epsilon = 1 }", ""))
    for command in ("sql", "explain"):
        assert "no data set" in dp(command, "people", "rui", 2)


def test_the_data_holder_is_told_which_line_cannot_be_read_and_an_analyst_is_not(home: Path) -> None:
    said = cobogo("answer", "sql", "SELECT COUNT(*) FROM staff", "--epsilon", "1", "--analyst", "ana", cwd=home, code=2)
    assert "nothing was spent" in said
    assert "staff.csv" not in said
    assert "staff.csv, line 3" in cobogo("answer", "check", cwd=home, code=2)
    (home / "staff.csv").write_text("wage\n7\n")
    assert "can be asked about" in cobogo("answer", "check", cwd=home)


@pytest.mark.parametrize("amount", ["1e20000000", "9" * 5000, "much", "-1", "nan"], ids=shorten)
def test_amounts_that_are_none_are_refused_in_words(home: Path, amount: str) -> None:
    question, delta = ("SELECT COUNT(*) FROM people", "--analyst", "ana"), ["--epsilon", "1", "--delta", amount]
    for options in (["--epsilon", amount], ["--rho", amount], delta, ["--error", amount]):
        command = "explain" if "--error" in options else "sql"
        assert "traceback" not in cobogo("answer", command, *question, *options, cwd=home, code=2).lower()
