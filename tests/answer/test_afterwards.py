"""What is computed after the noise is what SQL would compute from the same figures, and never fails."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.answer.afterwards import evaluate, find_ends, holds, shown
from cobogo.answer.query import QueryAggregate
from cobogo.answer.sql.parse import parse
from support import questions as q

DATASET = q.declared()
FORMS = [
    "{c} + {s}", "{s} / {c}", "{c} // 7", "{s} % 5", "-{c} * 2.5", "round({s} / 3, 2)", "floor({s} / 7)",
    "ceil({s} / 7)", "abs({c} - {s})", "least({c}, {s}, 3)", "greatest({c}, 2)", "nullif({c}, 0)",
    "coalesce(nullif({c}, 0), 5)", "CASE WHEN {c} > 3 THEN {s} WHEN {s} < 0 THEN 1 ELSE NULL END",
    "CASE WHEN NOT ({c} > 3 OR {s} < 0) AND {s} IN (1, 2) THEN 1 ELSE 0 END", "{s} / nullif({c}, 0)",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(form=st.sampled_from(FORMS), count=st.integers(-20, 20), total=st.integers(-60, 60))
def test_figures_are_computed_as_sql_does(form: str, count: int, total: int) -> None:
    query = parse(f"SELECT {form.format(c='COUNT(*)', s='SUM(age)')} AS x FROM people", {"people": DATASET})
    row: dict[Any, Any] = {one: count if one.kind == "count" else total for one in query.aggregates}
    found = shown(evaluate(query.shown[0][1], row))
    (expected,) = duckdb.sql(f"SELECT CAST({form.format(c=f'({count})', s=f'({total})')} AS DOUBLE)").fetchone() or ()
    if expected is None or not math.isfinite(expected):
        assert found is None
    else:
        assert found == pytest.approx(expected, abs=0.0051 if "round" in form else 1e-9)


@settings(max_examples=150, deadline=None)
@given(
    form=st.sampled_from(FORMS[:10]),
    count=st.integers(-20, 20),
    total=st.integers(-60, 60),
    widths=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    share=st.tuples(st.integers(0, 8), st.integers(0, 8)),
)
def test_intervals_hold_every_figure_within_their_parts(
    form: str, count: int, total: int, widths: tuple[int, int], share: tuple[int, int]
) -> None:
    query = parse(f"SELECT {form.format(c='COUNT(*)', s='SUM(age)')} AS x FROM people", {"people": DATASET})
    middles = {one: count if one.kind == "count" else total for one in query.aggregates}
    width = {one: widths[one.kind == "count"] for one in query.aggregates}
    ends: Any = {one: (Fraction(at - width[one]), Fraction(at + width[one])) for one, at in middles.items()}
    row: Any = {
        one: at - width[one] + Fraction(share[one.kind == "count"] * width[one], 4) for one, at in middles.items()
    }
    value, found = evaluate(query.shown[0][1], row), find_ends(query.shown[0][1], ends, row)
    if found is not None and value is not None:
        assert found[0] <= value <= found[1]


def test_a_missing_figure_leaves_a_condition_open() -> None:
    query = parse("SELECT COUNT(*) AS n FROM people HAVING n / 0 > 1 OR n > 3", {"people": DATASET})
    assert query.having is not None
    count = QueryAggregate("count", None, "count")
    assert holds(query.having, {count: 4}) is True
    assert holds(query.having, {count: 2}) is None


def test_no_figure_is_too_large_for_a_float() -> None:
    query = parse(f"SELECT COUNT(*) * {'9' * 290} * {'9' * 290} AS n FROM people", {"people": DATASET})
    assert shown(evaluate(query.shown[0][1], {query.aggregates[0]: Fraction(1, 2)})) is None
