"""Combinations of quasi-identifiers, and the special uniques among them, against going through all of them by hand."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.policy import Data
from cobogo.data.table.frequency import frequency_table
from cobogo.data.table.read import read
from cobogo.examine.risk.combinations import count, largest_size, right_match
from support.effort import examples
from support.risk_tables import Rows, cell, measured, parts, tables

pytestmark = pytest.mark.slow


@settings(max_examples=examples(12), deadline=None)
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


def minimal_uniques(rows: Rows, row: int, most: int) -> list[tuple[int, ...]]:
    """The combinations that single a row out and of which no part does, tried one by one."""
    found: list[tuple[int, ...]] = []
    for size in range(1, most + 1):
        for columns in itertools.combinations(range(len(rows[0])), size):
            if not any(set(other) <= set(columns) for other in found):
                values = parts(rows, columns)
                if values.count(values[row]) == 1:
                    found.append(columns)
    return found


@settings(max_examples=examples(12), deadline=None)
@given(tables(4), st.integers(1, 4))
def test_minimal_sample_uniques_and_their_scores(rows: Rows, most: int) -> None:
    report = measured(rows, combinations=most, fraction=0.3)
    by_hand = [minimal_uniques(rows, row, most) for row in range(len(rows))]
    sizes = Counter(len(columns) for one in by_hand for columns in one)
    assert dict(report.special.found) == {size: sizes[size] for size in range(1, most + 1)}
    smallest = Counter(min(map(len, one)) for one in by_hand if one)
    assert dict(report.special.smallest) == {size: smallest[size] for size in range(1, most + 1)}
    total = sum(sizes.values())
    for column in range(4):
        share = sum(column in columns for one in by_hand for columns in one) / max(total, 1)
        assert report.special.attributes[f"q{column}"] == pytest.approx(share)
    scores = [
        sum(math.prod(4 - i for i in range(len(columns), min(most, 3) + 1)) for columns in one) for one in by_hand
    ]
    records = report.records_at_risk()
    assert records.suda.tolist() == pytest.approx(scores)
    copies = Counter(rows)
    alone = [copies[row] == 1 for row in rows]
    dis = right_match(sum(alone), sum(number == 2 for number in copies.values()), 0.3)
    assert report.special.dis == pytest.approx(dis)
    adjusted = sum(score**-1.2 for score in scores if score)
    for score, found in zip(scores, records.dis_suda, strict=True):
        expected = 1 / (1 + sum(alone) * (1 / dis - 1) / (score**1.2 * adjusted)) if score else 0
        assert found == pytest.approx(expected)


def test_a_worked_table_of_special_uniques() -> None:
    """Nobody else is 16 and a widow; as a widow she is one of two, and there is another of 16."""
    rows = [("16", "widow", "f"), ("16", "single", "f"), ("80", "widow", "f"), ("80", "married", "m"),
            ("30", "single", "f"), ("30", "married", "m"), ("30", "married", "m")]  # fmt: skip
    report = measured(rows)
    assert minimal_uniques(rows, 0, 3) == [(0, 1)]
    assert report.records_at_risk().suda.tolist()[0] == 1
    assert report.records_at_risk().people.tolist() == [1, 1, 1, 1, 1, 2, 2]
    assert report.special.dis is None
