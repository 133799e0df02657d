"""An answer as a file: both ends of each interval, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io

import pandas as pd
import pytest

pytest.importorskip("nicegui")

from cobogo.answer import Curator
from cobogo.faces.workbench.pages.asking.answers import AskedQuestion, amount, small
from cobogo.faces.workbench.session import PageSession


def test_the_file_of_an_answer_has_its_intervals_and_runs_nowhere(tmp_path) -> None:
    curator = Curator(ledger=tmp_path / "ledger.db")
    keys = ["=1+1", "@x", "plain"]
    rows = pd.DataFrame({"who": keys * 20, "age": [30, 40, 50] * 20})
    columns = {"who": {"type": "text", "keys": keys}, "age": {"type": "integer", "bounds": [0, 99]}}
    curator.register("people", rows, columns=columns, budget={"epsilon": 50})
    curator.grant("people", "ana", epsilon=50)
    sql = "SELECT who, COUNT(*) AS n, MEDIAN(age) AS middle FROM people GROUP BY who"
    asked = AskedQuestion(sql, "people", curator.session("ana").sql(sql, epsilon=20), 0.0)
    header, *lines = csv.reader(io.StringIO(asked.as_csv().decode()))
    assert header == ["who", "n", "n low", "n high", "middle", "middle low", "middle high"]
    assert [line[0] for line in lines] == ["'=1+1", "'@x", "plain"]
    for line in lines:
        assert float(line[2]) <= float(line[1]) <= float(line[3])
        assert line[5:] == ["", ""]
    assert asked.labels() == keys


def test_small_chances_are_powers_of_ten_and_amounts_are_told_to_the_last_digit() -> None:
    english, portuguese = PageSession(), PageSession(language="pt-BR")
    assert [small(english, share) for share in (0, 1e-6, 2.5e-7)] == ["0", "10⁻⁶", "2.5 · 10⁻⁷"]
    assert small(portuguese, 2.5e-7) == "2,5 · 10⁻⁷"
    assert (amount(english, 0.123456), amount(portuguese, 0.1)) == ("0.123456", "0,1")
