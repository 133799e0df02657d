"""The exponential mechanism follows its law, however far scores are apart."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from cobogo.promises.mechanisms import ExponentialMechanism
from cobogo.promises.mechanisms.exponential import exponential_coin
from support import laws


@pytest.mark.parametrize("scores", [[16, 10, 28, 4], [0, 0, 0], [-200, 0, 1]])
def test_the_exponential_mechanism_follows_its_law(scores: list[int]) -> None:
    mechanism = ExponentialMechanism(28, Fraction(2))
    law = dict(enumerate(mechanism.probabilities(scores)))
    assert laws.fits((mechanism.choose(scores) for _ in range(4_000)), law)


def test_scores_too_far_apart_for_floats_do_not_confuse_the_exponential_mechanism() -> None:
    assert {ExponentialMechanism(1, Fraction(2)).choose([0, 10**6, 10**6]) for _ in range(200)} == {1, 2}


@pytest.mark.parametrize("gamma", ["0", "1/7", "1", "5/3"])
def test_exponential_coins_follow_their_law(gamma: str) -> None:
    heads = math.exp(-Fraction(gamma))
    assert laws.fits((exponential_coin(Fraction(gamma)) for _ in range(8_000)), {True: heads, False: 1 - heads})
