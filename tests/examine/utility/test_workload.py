"""Counting queries on a release, by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cobogo as cb
from cobogo.examine.utility.sides import sides
from cobogo.examine.utility.workload import Line
from support.utility_tables import few, release


def test_query_errors_by_hand() -> None:
    """Three a and one b, released as four *: each of the two values is estimated at 4 · ½ = 2."""
    made = release({"x": ["a", "a", "a", "b"]}, {"x": 1})
    found = made.utility(queries=400, selectivity=1e-9)["query-error"]
    assert found["median"] == pytest.approx(1 / 3)  # three of four queries are about a: |2 − 3| / 3
    assert found["quartiles"][1] == pytest.approx(1 / 3) or found["quartiles"][1] == pytest.approx(1)
    assert made.utility(queries=10, selectivity=1)["query-error"]["median"] == 0  # all records, all counted


def test_records_that_were_left_out_are_missing_from_the_answers() -> None:
    columns = {"x": ["a"] * 6 + ["b"] * 2}
    content = {
        "attributes": {"x": {"role": "quasi-identifier", "max-level": 0}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 3}]},
        "recoding": {"suppression-limit": 0.5},
    }
    for suppressed, answer in (("drop", 6), ("star", 6)):  # two starred records would break k = 3: they are dropped
        made = cb.anonymize(pa.table(columns), {**content, "output": {"suppressed": suppressed}})
        assert made.utility(queries=10, selectivity=1)["query-error"]["median"] == pytest.approx((8 - answer) / 8)


def test_starred_records_are_spread_over_everything() -> None:
    columns = {"x": ["a"] * 6 + ["b"] * 2 + ["c"] * 2}
    content = {
        "attributes": {"x": {"role": "quasi-identifier", "max-level": 0}},
        "privacy": {"models": [{"model": "k-anonymity", "k": 3}]},
        "recoding": {"suppression-limit": 0.5},
        "output": {"suppressed": "star"},
    }
    compared = sides(cb.anonymize(pa.table(columns), content))
    only_a = np.array([True, False, False])
    estimate = (compared.share(0, only_a)[compared.released[0]] * compared.after.counts).sum()
    assert estimate == pytest.approx(6 + 4 / 3)
    assert compared.kept.tolist() == [True, False, False]


@few
@given(
    counts=st.lists(st.integers(0, 9), min_size=1, max_size=12).filter(any),
    width=st.floats(0.001, 1),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_a_run_holds_its_anchor_and_its_share_without_gaps(
    counts: list[int], width: float, seed: int, data: st.DataObject
) -> None:
    anchor = data.draw(st.sampled_from([number for number, count in enumerate(counts) if count]))
    order = np.random.default_rng(seed).permutation(len(counts))
    chosen = Line.from_counts(order, np.array(counts, dtype=float)).run(anchor, width, np.random.default_rng(seed))
    places = np.flatnonzero(chosen[order])
    assert chosen[anchor]
    assert places[-1] - places[0] + 1 == len(places)
    assert np.array(counts)[chosen].sum() >= width * sum(counts) - 1e-6
