"""Signatures: new people get sets of values such that everybody finds a group."""

from __future__ import annotations

from random import Random

import numpy as np

from cobogo.publish.recode.partition.signatures import _step


def test_what_leaves_at_once_leaves_the_rest_eligible() -> None:
    """By the definition: no value is more frequent than one in m before, nor afterwards."""
    chance = Random(1)
    for _ in range(500):
        m = chance.randrange(1, 5)
        counts = np.sort(np.array([chance.randrange(0, 9) for _ in range(chance.randrange(m, 8))]))[::-1]
        if counts.sum() and counts[0] * m <= counts.sum():
            wide, many = _step(counts, int(counts.sum()), m)
            rest = counts - many * (np.arange(len(counts)) < wide)
            assert wide >= m
            assert many >= 1
            assert rest.min() >= 0
            assert rest.max() * m <= rest.sum()
