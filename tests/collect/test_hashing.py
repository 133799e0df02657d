"""Local hashing draws its functions evenly, and each puts every value evenly into its cells.

Public hash functions: the field's arithmetic, and keys that fall independently and evenly.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.collect.hashing import FIELD, _product, _reduce, cells, coefficients
from cobogo.floor.randomness import Entropy
from support.asked import ORACLES
from support.effort import examples

MANY = 1_000_000


NEVER = 1e-7  # of a test that fails a sampler that is right


@pytest.mark.parametrize("name", ["olh", "flh"])
def test_hash_functions_are_drawn_evenly(name):
    """The numbers of functions over a million clients, in 256 parts by their first and by their last bits."""
    oracle = ORACLES[name](10, 1.0)
    drawn = oracle.encode(np.zeros(MANY, dtype=np.int64), Entropy())[{"olh": "function", "flh": "row"}[name]]
    most = {"olh": 2**32, "flh": oracle.rows if name == "flh" else 0}[name]
    for part in (drawn.astype(np.int64) * 256 // most, drawn.astype(np.int64) % 256):
        assert stats.chisquare(np.bincount(part, minlength=256)).pvalue > NEVER


def test_cells_of_hash_functions_are_even_for_every_value():
    """Over the functions that clients draw, every value falls into every cell alike, and two values independently."""
    oracle = ORACLES["olh"](4, 1.0)
    functions = oracle.encode(np.zeros(MANY, dtype=np.int64), Entropy())["function"]
    from cobogo.collect.hashing import cells_of

    cells = [cells_of(functions, np.full(MANY, value), 4) for value in (0, 1, 3, 2**40)]
    for one in cells:
        assert stats.chisquare(np.bincount(one, minlength=4)).pvalue > NEVER
    for other in cells[1:]:
        assert stats.chisquare(np.bincount(4 * cells[0] + other, minlength=16)).pvalue > NEVER


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
