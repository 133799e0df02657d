"""The compiled GROUP BY, however it finds the place of a key."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from cobogo.data.table.kernels import roll_up

VALUES = 3  # of each digit


@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize(
    "spans",
    [[3, 3], [3, 3, 3], [3, 3, 3, 3], [25, 30], [30, 40], [300, 400], [2**31, 2**31, 2**31]],
    ids=[
        "few keys for the rows",
        "of three",
        "of four",
        "a cell for every key",
        "a place for every key",
        "hashed",
        "numbered in between",
    ],
)
def test_equal_rows_are_one_class_with_all_their_records(spans: list[int], numbered: bool) -> None:
    draws, rows, width = np.random.default_rng(5), 200, len(spans)
    digits = draws.integers(0, VALUES, (rows, width)).astype(np.int32)
    counts = draws.integers(1, 9, rows)
    maps, starts = np.tile(np.arange(VALUES), width), VALUES * np.arange(width + 1)
    slots, ids = np.full(2048, -1, dtype=np.int32), np.empty(rows, dtype=np.int32)
    found, sums = np.empty_like(digits), np.empty(rows, dtype=np.int64)
    cells, (places, keys) = np.zeros(1024, dtype=np.int64), np.empty((2, rows), dtype=np.int64)
    groups = roll_up(
        digits, counts, maps, starts, np.array(spans), slots, cells, places, keys, numbered, ids, found, sums
    )
    expected: Counter[tuple[int, ...]] = Counter()
    for row, count in zip(digits.tolist(), counts.tolist(), strict=True):
        expected[tuple(row)] += count
    assert {tuple(row): size for row, size in zip(found[:groups].tolist(), sums[:groups], strict=True)} == expected
    assert not numbered or (found[ids] == digits).all()
    assert (slots == -1).all()
    assert not cells.any()
