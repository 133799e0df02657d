"""Marginals and associations before and after."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cobogo as cb
from cobogo.examine.utility.statistics import cramers_v
from support.utility_tables import few, population, release


def test_marginal_distances_are_what_suppression_did() -> None:
    columns = {"x": ["a"] * 6 + ["b"] * 2, "s": ["u"] * 5 + ["v"] * 3}
    content = {
        "attributes": {"x": {"role": "quasi-identifier", "max-level": 0}, "s": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 3}]},
        "recoding": {"suppression-limit": 0.5},
    }
    found = cb.anonymize(pa.table(columns), content).utility(queries=1)["marginal-distance"]
    assert found == pytest.approx({"x": 2 / 8, "s": abs(5 / 8 - 5 / 6)})


def test_associations_before_and_after() -> None:
    found = release(population(300), {"sex": 1, "town": 0}).utility(queries=1)["association-distance"]
    pairs = {tuple(pair["attributes"]): pair for pair in found["pairs"]}
    assert pairs["sex", "label"]["before"] == pytest.approx(1)
    assert pairs["sex", "label"]["after"] == 0
    assert pairs["town", "label"]["before"] == pairs["town", "label"]["after"] > 0.5
    assert pairs["town", "ill"]["before"] < 0.2
    assert found["largest"] == pytest.approx(1)
    assert found["pairs"][0]["attributes"] == ["sex", "label"]
    assert found["mean"] == pytest.approx(np.mean([abs(pair["before"] - pair["after"]) for pair in found["pairs"]]))


@few
@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40))
def test_cramers_v_is_what_a_full_table_gives(rows: list[tuple[int, int]]) -> None:
    counted = Counter(rows)
    one, other, counts = zip(*((a, b, n) for (a, b), n in counted.items()), strict=True)
    # A square root turns a rounding error of 1e-16 into one of 1e-8.
    assert cramers_v(one, other, counts) == pytest.approx(plain_cramers_v(rows), abs=1e-6)


def plain_cramers_v(rows: list[tuple[int, int]]) -> float:
    """With the bias correction of Bergsma, from the definition of χ²."""
    records = len(rows)
    left, right, cells = Counter(a for a, _ in rows), Counter(b for _, b in rows), Counter(rows)
    tall, wide = len(left), len(right)
    if min(tall, wide) < 2:
        return 0.0
    square = 0.0
    for a in left:
        for b in right:
            expected = left[a] * right[b] / records
            square += (cells[a, b] - expected) ** 2 / expected
    square = max(0.0, square / records - (tall - 1) * (wide - 1) / (records - 1))
    room = min(tall - (tall - 1) ** 2 / (records - 1), wide - (wide - 1) ** 2 / (records - 1)) - 1
    return min(math.sqrt(square / room), 1.0) if room > 1e-9 else 0.0
