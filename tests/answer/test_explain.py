"""Curves of error against a price: from declarations, on either measure, written whole or not at all."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from PIL import Image

from cobogo.answer import explain
from cobogo.answer.plan import plan
from cobogo.answer.sql.parse import parse
from cobogo.errors import OutputError, QueryRefused
from cobogo.promises.accounting import Measure
from cobogo.promises.curator_file import DeclaredDataset
from cobogo.promises.mechanisms import Gaussian, Laplace
from cobogo.tell.report.curves import Axis


def found(text: str, measure: Measure, **options: int) -> explain.Curves:
    columns = {"x": {"type": "number", "bounds": [0, 10], "decimals": 1}}
    declared = DeclaredDataset.model_validate({"columns": columns, "budget": {measure: 1}})
    return explain.compute_curves(plan(parse(text, {"d": declared}), declared), measure, **options)  # type: ignore[arg-type]


def test_a_point_is_the_error_of_the_mechanism_at_that_price() -> None:
    epsilon = dict(found("SELECT COUNT(*) AS n, SUM(x) AS s FROM d", "epsilon")["s"])
    assert epsilon[0.1] == pytest.approx(Laplace(100, Fraction("0.05")).error() / 10)  # half of it, in tenths
    rho = dict(found("SELECT COUNT(*) AS n FROM d", "rho")["n"])
    assert rho[0.001] == Gaussian(1, Fraction("0.001")).error()
    for points in (epsilon, rho):
        errors = [points[price] for price in sorted(points)]
        assert errors == sorted(errors, reverse=True)


def test_what_depends_on_the_data_has_no_curve() -> None:
    text = "SELECT COUNT(*) AS n, AVG(x) AS m, MEDIAN(x) AS q FROM d"
    assert found(text, "epsilon").keys() == {"n"}
    assert found(text, "epsilon", rows=100).keys() == {"n", "m"}
    with pytest.raises(QueryRefused, match="depends on the data"):
        found("SELECT STDDEV(x) AS v FROM d", "epsilon")


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_a_curve_is_drawn_in_a_new_file_or_nowhere(measure: Measure, tmp_path: Path) -> None:
    drawn = found("SELECT COUNT(*) AS n, SUM(x) AS s FROM d", measure)
    explain.draw_curves(drawn, measure, tmp_path / "c.png", "a question")
    with Image.open(tmp_path / "c.png") as picture:
        assert picture.size[0] > 1000
    with pytest.raises(OutputError, match="already exists"):
        explain.draw_curves(drawn, measure, tmp_path / "c.png", "a question")
    with pytest.raises(OutputError, match="cannot be written"):
        explain.draw_curves(drawn, measure, tmp_path / "absent" / "c.png", "a question")
    assert [path.name for path in tmp_path.iterdir()] == ["c.png"]


def test_places_on_an_axis() -> None:
    even, logarithmic = Axis("", [0, 10]), Axis("", [0.01, 1], logarithmic=True)
    assert [even.place(value) for value in (-1, 0, 5, 11)] == [0, 0, 0.5, 1]
    assert [logarithmic.place(value) for value in (0, 0.01, 0.1, 1, 7)] == pytest.approx([0, 0, 0.5, 1, 1])
