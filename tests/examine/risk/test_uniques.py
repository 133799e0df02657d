"""Special uniques against a plain search, and a worked table."""

import itertools
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.examine.risk.uniques import right_match
from support.risk_tables import Rows, measured, parts, tables

pytestmark = pytest.mark.slow


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


@settings(max_examples=12, deadline=None)
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
