"""Public hash functions: the field's arithmetic, and keys that fall independently and evenly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.collect.hash_functions import FIELD, _product, _reduce, cells, coefficients
from support.effort import examples

elements = st.one_of(st.integers(0, FIELD - 1), st.sampled_from([0, 1, 2**32, 2**60, FIELD - 1]))


@settings(max_examples=examples(200), deadline=None)
@given(one=elements, other=elements)
def test_products_in_the_field(one, other):
    product = _product(np.uint64(one), np.uint64(other))
    assert int(product) < 3 * 2**61
    assert int(_reduce(np.uint64(product))) == one * other % FIELD


def test_cells_are_those_of_the_polynomial():
    a, b, c = (int(drawn) for drawn in coefficients(3, 9)[2])
    for key in (0, 1, 12345678901234567, FIELD - 1):
        element = (a * key * key + b * key + c) % FIELD
        for width in (3, 1024, 65_536):
            assert cells(np.array([2]), np.array([key]), 3, width, 9).tolist() == [(element >> 29) * width >> 32]


def test_three_keys_fall_independently():
    """Over many functions, all 4³ places of three keys are as likely, for keys that differ in the last bit only too."""
    count = 64_000
    rows = np.arange(count)
    for keys in ([0, 1, 2], [7, FIELD - 1, 2**40]):
        first, second, third = (cells(rows, np.full(count, key), count, 8, seed=3) // 2 for key in keys)
        assert stats.chisquare(np.bincount(16 * first + 4 * second + third, minlength=64)).pvalue > 1e-6


@pytest.mark.parametrize("width", [8, 1024, 65_536])
def test_every_cell_is_reached_and_none_beyond(width):
    found = cells(np.zeros(20 * width, dtype=np.int64), np.arange(20 * width), 1, width, seed=5)
    assert set(found.tolist()) <= set(range(width))
    assert len(set(found.tolist())) > 0.99 * width
