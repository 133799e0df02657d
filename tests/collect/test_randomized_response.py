"""Randomized response with a bit for each value: no bit tells more than values there are."""

from __future__ import annotations

import numpy as np
import pytest

from cobogo.floor.randomness import Entropy
from support.asked import ORACLES

EDGES = (1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 100, 128, 129)
"""One value, two, powers of two, and what is beside them."""


@pytest.mark.parametrize("name", ["sue", "oue"])
@pytest.mark.parametrize("values", EDGES)
def test_bits_beyond_the_last_value_are_never_set(name, values):
    reports = ORACLES[name](values, 0.5).encode(np.full(500, values - 1), Entropy())
    assert np.unpackbits(reports, axis=1)[:, values:].sum() == 0
