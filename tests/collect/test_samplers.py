"""What the encoders draw with, by a million draws against the exact law, and at the edges of domains."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cobogo.collect.rappor.parameters import RapporParameters
from cobogo.collect.rappor.reports import instantaneous, permanent
from cobogo.floor.randomness import Entropy, Seeded, below, choices, coins, packed_coins
from support.asked import DISCOVERIES, MEANS, ORACLES

MANY = 1_000_000
NEVER = 1e-7  # of a test that fails a sampler that is right
EDGES = (1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 100, 128, 129)
"""One value, two, powers of two, and what is beside them."""


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


@settings(max_examples=60, deadline=None)
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


@pytest.mark.parametrize("name", ["grr", "hadamard"])
@pytest.mark.parametrize("values", [2, 3, 8, 9])
def test_a_million_reports_follow_their_law(name, values):
    oracle = ORACLES[name](values, 1.0)
    for held in (0, values - 1):
        law = oracle.law(held)
        seen = np.bincount(oracle.encode(np.full(MANY, held), Entropy()), minlength=len(law))
        assert stats.chisquare(seen, [MANY * float(law[report]) for report in sorted(law)]).pvalue > NEVER


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


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("values", EDGES)
def test_the_last_value_is_one_like_the_others(name, values):
    """At a large ε, whoever holds the first or the last value is seen to, and nobody beyond it."""
    oracle = ORACLES[name](values, 8.0)
    held = np.array([0, values - 1] * 400)
    support = oracle.support(oracle.encode(held, Seeded(2)))
    assert support.shape == (values,)
    found = oracle.estimate(support, len(held))
    true = np.bincount(held, minlength=values)
    assert (np.abs(found.counts - true) < 6 * np.maximum(found.errors, 3)).all()


@pytest.mark.parametrize("name", ["sue", "oue"])
@pytest.mark.parametrize("values", EDGES)
def test_bits_beyond_the_last_value_are_never_set(name, values):
    reports = ORACLES[name](values, 0.5).encode(np.full(500, values - 1), Entropy())
    assert np.unpackbits(reports, axis=1)[:, values:].sum() == 0


@pytest.mark.parametrize("name", MEANS)
@pytest.mark.parametrize("steps", [1, 2, 3, 4096])
def test_numbers_at_the_bounds_have_reports_within_them(name, steps):
    mean = MEANS[name](0, 1, 0.5, steps)
    for point in (0, steps):
        reports = mean.encode(np.full(20_000, point), Entropy())
        assert reports.dtype.kind == "i"
        assert 0 <= reports.min() <= reports.max() < len(mean.worth)


def test_floats_that_tie_are_settled_before_anything_is_drawn():
    """Numbers half-way between points, or a unit of the last place apart, give the very same reports from one seed: no
    bit of a float is left to tell them apart."""
    for kind in MEANS.values():
        mean = kind(0.0, 1.0, 1.0, 10)
        for number in (0.25, 0.35, 0.1 + 0.2, 0.7):
            point = mean.points(np.array([number]))
            near = mean.points(np.nextafter([number, number], [0, 1]))
            assert set(near - point) <= {-1, 0, 1}
        same = mean.points(np.array([0.3, np.nextafter(0.3, 1), np.nextafter(0.3, 0), 0.1 + 0.2]))
        assert len(set(same.tolist())) == 1
        one, other = (mean.encode(np.repeat(point, 100), Seeded(4)) for point in same[:2])
        assert (one == other).all()


def test_permanent_and_instantaneous_answers_by_a_million_bits():
    parameters = RapporParameters.of(bits=8, hashes=1, cohorts=1, f="0.3", p="0.45", q="0.8")
    filters = np.full((MANY // 8, 1), 0b11110000, dtype=np.uint8)
    kept = permanent(filters, parameters, Entropy())
    shown = instantaneous(kept, parameters, Entropy())
    for answers, if_set, if_not in (
        (kept, 1 - parameters.f / 2, parameters.f / 2),
        (shown, parameters.shown_if_set, parameters.shown_if_not),
    ):
        bits = np.unpackbits(answers, axis=1)
        assert stats.binomtest(int(bits[:, :4].sum()), MANY // 2, float(if_set)).pvalue > NEVER
        assert stats.binomtest(int(bits[:, 4:].sum()), MANY // 2, float(if_not)).pvalue > NEVER


@pytest.mark.parametrize("name", DISCOVERIES)
def test_groups_are_dealt_evenly(name):
    discovery = DISCOVERIES[name](1.0)
    groups = discovery.encode(np.full(200_000, "oi"), Entropy())["group"]
    assert stats.chisquare(np.bincount(groups, minlength=discovery.groups)).pvalue > NEVER
