"""Samplers meet their probabilities exactly: whole numbers in, whole numbers out."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binomtest

from cobogo.floor.randomness import STEPS, Entropy, Seeded, below, choices, coins, packed_coins, source
from support.effort import examples

NEVER = 1e-7  # of a test that fails a sampler that is right


def test_a_seed_determines_the_stream_and_entropy_does_not_repeat() -> None:
    assert (below(1000, 500, Seeded(3)) == below(1000, 500, Seeded(3))).all()
    assert (below(1000, 500, Seeded(3)) != below(1000, 500, Seeded(4))).any()
    assert (Entropy().words(100) != Entropy().words(100)).any()
    assert source().safe
    assert not source(1).safe


@settings(deadline=None, max_examples=examples(40))
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


@settings(deadline=None, max_examples=examples(60))
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


MANY = 1_000_000


@pytest.mark.parametrize("bound", [2, 3, 10, 64, 100, 1000])
def test_numbers_below_a_bound(bound):
    drawn = np.bincount(below(bound, MANY, Entropy()), minlength=bound)
    assert len(drawn) == bound
    assert stats.chisquare(drawn).pvalue > NEVER


def test_numbers_below_a_bound_whose_remainders_would_favour_the_first():
    """Of 2⁶⁴ words, remainders by 3·2⁶⁰ give the first third of the numbers six times, the others five."""
    drawn = below(3 * 2**60, MANY, Entropy())
    assert stats.chisquare(np.bincount(drawn >> 60, minlength=3)).pvalue > NEVER


@pytest.mark.parametrize(
    "share",
    [
        Fraction(1, 2),
        Fraction(3, 4),
        Fraction(1, 3),
        Fraction(1, 256),
        Fraction(255, 256),
        Fraction(1, 1000),
        0.1,
        2**-30,
    ],
    ids=str,
)
def test_coins_and_packed_coins_show_heads_as_often_as_they_should(share):
    heads = int(coins(share, MANY, Entropy()).sum())
    assert stats.binomtest(heads, MANY, float(share)).pvalue > NEVER
    words = packed_coins(share, MANY // 64, Entropy())
    assert stats.binomtest(int(np.bitwise_count(words).sum()), MANY, float(share)).pvalue > NEVER


def test_packed_coins_are_independent_of_their_neighbours():
    """Bits of a word, two at a time: each pair as often as its law says, at every distance."""
    share = Fraction(3, 10)
    words = packed_coins(share, 200_000, Entropy())
    bits = np.unpackbits(words.view(np.uint8)).reshape(-1, 64)
    law = [float((share if a else 1 - share) * (share if b else 1 - share)) for a, b in product((0, 1), repeat=2)]
    for distance in (1, 2, 8, 32, 63):
        pairs = np.bincount(2 * bits[:, 0] + bits[:, distance], minlength=4)
        assert stats.chisquare(pairs, 200_000 * np.array(law)).pvalue > NEVER
    by_place = bits.sum(axis=0)
    assert np.abs(stats.binom(200_000, 0.3).logsf(by_place)).max() < 25
    assert np.abs(stats.binom(200_000, 0.3).logcdf(by_place)).max() < 25


class Words:
    """A source whose words are given: what is drawn can be followed bit by bit."""

    safe = False

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def words(self, count: int) -> np.ndarray:
        taken, self.left = self.left[:count], self.left[count:]
        return np.array(taken + [0] * (count - len(taken)), dtype=np.uint64)


def test_packed_coins_compare_bit_by_bit():
    """Of 5/8 = 0.101: a first bit of 0 is below; 1 and 1 is above; 1, 0 and 0 is below, and 1 level at the end."""
    first, second, third = 0b1111, 0b0011, 0b0101
    drawn = packed_coins(Fraction(5, 8), 1, Words(first, second, third))
    below_it = {bit for bit in range(64) if not first >> bit & 1}
    below_it |= {bit for bit in range(4) if not second >> bit & 1 and not third >> bit & 1}
    assert {bit for bit in range(64) if int(drawn[0]) >> bit & 1} == below_it


@settings(max_examples=examples(60), deadline=None)
@given(share=st.fractions(0, 1, max_denominator=10**9), count=st.integers(0, 70_000))
def test_packed_coins_of_any_number(share, count):
    words = packed_coins(share, count, Seeded(1))
    assert len(words) == count
    if count > 1000:
        assert stats.binomtest(int(np.bitwise_count(words).sum()), 64 * count, float(share)).pvalue > 1e-9


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_probabilities_that_make_no_sense(share):
    with pytest.raises(ValueError):  # noqa: PT011
        packed_coins(share, 1, Seeded(1))


def test_choices_of_a_million():
    weights = np.array([[2**52, 1], [2**51, 2**53 - 1], [2**51, 0]])
    drawn = choices(weights, np.zeros(MANY, dtype=np.int64), Entropy())
    assert stats.chisquare(np.bincount(drawn, minlength=3), [MANY / 2, MANY / 4, MANY / 4]).pvalue > NEVER
