"""Samplers meet their probabilities exactly: whole numbers in, whole numbers out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from cobogo.floor.randomness import STEPS, Entropy, Seeded, below, choices, coins, source

NEVER = 1e-7  # of a test that fails a sampler that is right


def test_a_seed_determines_the_stream_and_entropy_does_not_repeat() -> None:
    assert (below(1000, 500, Seeded(3)) == below(1000, 500, Seeded(3))).all()
    assert (below(1000, 500, Seeded(3)) != below(1000, 500, Seeded(4))).any()
    assert (Entropy().words(100) != Entropy().words(100)).any()
    assert source().safe
    assert not source(1).safe


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 50))
def test_numbers_below_a_bound_are_each_as_likely(bound: int) -> None:
    drawn = below(bound, 5000, Entropy())
    assert drawn.min() >= 0
    assert drawn.max() < bound
    for value in (0, bound - 1):
        assert binomtest(int((drawn == value).sum()), 5000, 1 / bound).pvalue > NEVER


@pytest.mark.parametrize("bound", [0, -3, 2**63])
def test_a_bound_that_makes_no_sense_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="bound"):
        below(bound, 1, Seeded(1))


@settings(deadline=None, max_examples=60)
@given(st.fractions(0, 1, max_denominator=10**6))
def test_coins_show_heads_with_their_probability(share: Fraction) -> None:
    heads = int(coins(share, 4000, Entropy()).sum())
    assert binomtest(heads, 4000, float(share)).pvalue > NEVER


def test_coins_of_all_bytes_show_heads_exactly_as_often_as_they_should() -> None:
    """Every first byte once: 256·p of them below p, and the one that is level is decided by the next bits."""

    class Bytes:
        safe = False

        def words(self, count: int) -> np.ndarray:
            return np.arange(256, dtype=np.uint8).view(np.uint64)[:count] if count >= 32 else np.zeros(count, np.uint64)

    for share in (Fraction(1, 4), Fraction(3, 256), Fraction(255, 256)):
        assert coins(share, 256, Bytes()).sum() == 256 * share
    assert coins(Fraction(1, 3), 256, Bytes()).sum() == 86  # 85 below 85⅓, and the level one, whose next bits are 0


def test_extremes() -> None:
    assert coins(1, 9, Seeded(1)).all()
    assert not coins(Fraction(1, 2**200), 10_000, Entropy()).any()
    with pytest.raises(ValueError, match="probability"):
        coins(1.5, 1, Seeded(1))


def test_choices_follow_their_column() -> None:
    weights = np.array([[STEPS // 2, 0, STEPS], [STEPS // 4, 0, 0], [STEPS // 4, STEPS, 0]])
    which = np.repeat([0, 1, 2], 8000)
    drawn = choices(weights, which, Entropy())
    assert (drawn[8000:16000] == 2).all()
    assert (drawn[16000:] == 0).all()
    for value, share in ((0, 0.5), (1, 0.25), (2, 0.25)):
        assert binomtest(int((drawn[:8000] == value).sum()), 8000, share).pvalue > NEVER
    with pytest.raises(ValueError, match="weights"):
        choices(weights + 1, which, Seeded(1))
