"""Local hashing draws its functions evenly, and each puts every value evenly into its cells."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cobogo.floor.randomness import Entropy
from support.asked import ORACLES

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
