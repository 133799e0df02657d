"""Columns of surveys: weights and answers on a scale."""

from __future__ import annotations

import pytest

from cobogo.data.policy import Role
from cobogo.data.schema import suggest
from support.schema_columns import column


def test_a_survey_weight_is_no_quasi_identifier() -> None:
    many = column("PESO", [f"{0.5 + n / 1000:.3f}" for n in range(1000)])
    assert suggest(many).role is Role.IDENTIFIER
    assert "no quasi-identifier" in suggest(many).reason
    few = suggest(column("sample_weight", ["0.8", "1.2", "1.0"] * 50))
    assert (few.role, few.certain) == (Role.NON_SENSITIVE, False)
    kilograms = suggest(column("peso", [f"{40 + n / 10}" for n in range(500)]))
    assert kilograms.role is Role.QUASI_IDENTIFIER


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("x", ["Concordo totalmente", "Concordo", "Discordo", "Não sei"]),
        ("x", ["Never", "Sometimes", "Always"]),
        ("P3", ["1", "2", "3", "4", "5", "99"]),
        ("Q12_a", ["0", "5", "10"]),
    ],
)
def test_answers_on_a_scale_are_not_recoded(name: str, cells: list[str]) -> None:
    found = suggest(column(name, cells * 20))
    assert (found.role, found.certain) == (Role.NON_SENSITIVE, False)
    assert "scale" in found.reason


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("idade", ["1", "2", "3"]),
        ("P3", ["Crato", "Icó", "Iguatu"]),
        ("x", ["1", "2", "3"]),
        ("P3", ["20", "30", "41"]),
    ],
)
def test_other_columns_are_no_answers(name: str, cells: list[str]) -> None:
    assert suggest(column(name, cells * 20)).role is Role.QUASI_IDENTIFIER
