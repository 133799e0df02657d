"""The exponential mechanism follows its law, however far scores are apart."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cobogo.promises.mechanisms import ExponentialMechanism
from support import laws


@pytest.mark.parametrize("scores", [[16, 10, 28, 4], [0, 0, 0], [-200, 0, 1]])
def test_the_exponential_mechanism_follows_its_law(scores: list[int]) -> None:
    mechanism = ExponentialMechanism(28, Fraction(2))
    law = dict(enumerate(mechanism.probabilities(scores)))
    assert laws.fits((mechanism.choose(scores) for _ in range(4_000)), law)


def test_scores_too_far_apart_for_floats_do_not_confuse_the_exponential_mechanism() -> None:
    assert {ExponentialMechanism(1, Fraction(2)).choose([0, 10**6, 10**6]) for _ in range(200)} == {1, 2}
