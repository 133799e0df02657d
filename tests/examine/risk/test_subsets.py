"""Combinations of quasi-identifiers, and the special uniques among them, against going through all of them by hand."""

import itertools
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.policy import Data
from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import read
from cobogo.examine.risk.subsets import count, largest_size
from support.risk_tables import Rows, cell, measured, parts, tables

pytestmark = pytest.mark.slow


@settings(max_examples=12, deadline=None)
@given(tables(3))
def test_distinction_and_separation(rows: Rows) -> None:
    found = {one.attributes: one for one in measured(rows).combinations}
    assert len(found) == count(3, 3) == 7
    for size in (1, 2, 3):
        for columns in itertools.combinations(range(3), size):
            values = parts(rows, columns)
            one = found[tuple(f"q{column}" for column in columns)]
            pairs = list(itertools.combinations(values, 2))
            apart = sum(left != right for left, right in pairs) / len(pairs) if pairs else 0.0
            assert one.distinct == len(set(values))
            assert one.distinction == pytest.approx(len(set(values)) / len(rows))
            assert one.separation == pytest.approx(apart)
            assert one.uniques == sum(number == 1 for number in Counter(values).values())


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(cell, cell, st.sampled_from("xyz")), min_size=1, max_size=15))
def test_people_are_counted_and_not_their_records(rows: Rows) -> None:
    report = measured([row[:2] for row in rows], people=[row[2] for row in rows])
    assert report.people == len({row[2] for row in rows})
    for one in report.combinations:
        columns = [int(name[1:]) for name in one.attributes]
        classes: dict[tuple[Any, ...], set[str]] = {}
        for row in rows:
            classes.setdefault(tuple(row[column] for column in columns), set()).add(row[2])
        assert one.uniques == sum(len(who) == 1 for who in classes.values())
    people = [len({other[2] for other in rows if other[:2] == row[:2]}) for row in rows]
    assert report.records_at_risk().people.tolist() == people


def test_many_attributes_are_limited_and_that_is_said() -> None:
    rows = [tuple(str((row * (column + 3)) % 5) for column in range(16)) for row in range(40)]
    report = measured(rows, combinations=3)
    assert report.largest == 3
    assert len(report.combinations) == count(16, 3)
    assert any("up to 3 of the 16 quasi-identifiers" in note for note in report.notes)
    table = read(pa.table({f"q{n}": [row[n] for row in rows] for n in range(16)}), Data())
    counted = frequency_table(table, [f"q{n}" for n in range(16)], [])
    assert largest_size(counted, work=len(counted.counts) * (1 + 16 + 120)) == 2
    assert largest_size(counted, work=1) == 1
    assert largest_size(counted) == 16
