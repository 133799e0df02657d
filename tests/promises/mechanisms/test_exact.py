"""Coins whose probability is the exponential of a fraction, exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from cobogo.promises.mechanisms.exact import exponential_coin
from support import laws


@pytest.mark.parametrize("gamma", ["0", "1/7", "1", "5/3"])
def test_exponential_coins_follow_their_law(gamma: str) -> None:
    heads = math.exp(-Fraction(gamma))
    assert laws.fits((exponential_coin(Fraction(gamma)) for _ in range(8_000)), {True: heads, False: 1 - heads})
