"""Noisy max follows the law of permute-and-flip."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from cobogo.promises.mechanisms import NoisyMax
from support import laws

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("monotonic", [True, False])
def test_noisy_max_follows_the_law_of_permute_and_flip(monotonic: bool) -> None:
    mechanism = NoisyMax(3, Fraction(1), monotonic=monotonic)
    scores = [4, 9, 1, 9]
    assert mechanism.scale == pytest.approx(3 if monotonic else 6)
    drawn = (mechanism.choose(scores)[0] for _ in range(8_000))
    assert laws.fits(drawn, laws.permute_and_flip(scores, mechanism.scale))
    at_once = mechanism.choose_each(np.tile(scores, (20_000, 1)))
    assert laws.fits(at_once, laws.permute_and_flip(scores, mechanism.scale))


def test_the_two_best_follow_their_law() -> None:
    mechanism = NoisyMax(1, Fraction(1), monotonic=True, k=2)
    scores = [4, 6, 1, 5]
    assert mechanism.scale == pytest.approx(2)
    assert laws.fits((tuple(mechanism.choose(scores)) for _ in range(8_000)), laws.peeled(scores, mechanism.scale))
