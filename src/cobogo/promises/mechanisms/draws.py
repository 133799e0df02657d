"""Exact draws, many at once: coins of probability exp(−γ), discrete Laplace and discrete Gaussian numbers.

These are the samplers of C. L. Canonne, G. Kamath and T. Steinke (The discrete Gaussian for differential privacy,
NeurIPS 2020), run on whole arrays. Every probability is a fraction of whole numbers and is compared with uniform whole
numbers: no float is rounded and no tail is cut off. Two things are assumed. The words of the source are independent and
uniform. And a run of heads that is less probable than e⁻⁵⁰⁰ does not happen: beyond it, numbers would not fit into 64
bits. How long a draw takes depends on the number drawn, as with every rejection sampler.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.floor.arrays import Ints, Mask
from cobogo.floor.randomness import AT_ONCE, Source, below, coins

SCALES = (Fraction(1, 2**8), Fraction(2**40))
"""Scales whose numbers fit into 64 bits. A float between them is a fraction of at most 2⁵³ over at most 2⁶¹."""

FITS = 2**62
"""What is below it is computed in 64 bits."""

SPARE = 1.8
"""Candidates drawn for each number that is wanted: somewhat more than are mostly needed. More are drawn if too many of
them are rejected."""

Whole = NDArray[Any]
"""Whole numbers, of 64 bits or (objects of Python) of any size."""


def exponential_coins(numerators: Whole, denominator: int, source: Source) -> Mask:
    """Coins that show heads with probability exp(−γ) each, for γ = numerator/denominator ≥ 0.

    One coin of exp(−1) for each whole part of γ, then one for the rest.

    >>> from cobogo.floor.randomness import Seeded
    >>> exponential_coins(np.array([0, 10**6]), 1, Seeded(1)).tolist()
    [True, False]
    """
    whole, rest = numerators // denominator, numerators % denominator
    heads = np.ones(len(numerators), dtype=np.bool_)
    left = np.flatnonzero(whole > 0)
    while left.size:
        shown = _unit_coins(left.size, source)
        heads[left[~shown]] = False
        left = left[shown]
        whole[left] -= 1
        left = left[whole[left] > 0]
    small = np.flatnonzero(heads & (rest > 0))
    heads[small] = _small_coins(rest[small], denominator, source)
    return heads


def _small_coins(numerators: Whole, denominator: int, source: Source) -> Mask:
    """The same for γ < 1: the first k for which a coin of γ/k shows tails is odd with that probability."""
    return _first_tails_is_odd(
        lambda k, which: _share_coins(numerators[which], k * denominator, source), len(numerators), 1
    )


def _unit_coins(count: int, source: Source) -> Mask:
    """The same for γ = 1, where the first coin always shows heads."""
    return _first_tails_is_odd(lambda k, which: below(k, len(which), source) == 0, count, 2)


def _first_tails_is_odd(heads: Callable[[int, Ints], Mask], count: int, k: int) -> Mask:
    """Whether k, counted up from a first one as long as a coin shows heads, is odd in the end."""
    odd = np.empty(count, dtype=np.bool_)
    which = np.arange(count)
    while which.size:
        shown = heads(k, which)
        odd[which[~shown]] = k % 2 == 1
        which, k = which[shown], k + 1
    return odd


def _share_coins(numerators: Whole, denominator: int, source: Source) -> Mask:
    """Coins that show heads with probability numerator/denominator < 1 each."""
    if denominator <= FITS:
        return np.asarray(below(denominator, len(numerators), source) < numerators)
    scaled = numerators.astype(object) << 64
    first = (scaled // denominator).astype(np.uint64)
    drawn = source.words(len(first))
    heads = drawn < first
    for level in np.flatnonzero(drawn == first):  # the next bits decide: once in 2⁶⁴ draws
        heads[level] = coins(Fraction(scaled[level] % denominator, denominator), 1, source)[0]
    return np.asarray(heads)


def laplaces(scale: Fraction, count: int, source: Source) -> Ints:
    """Discrete Laplace numbers: x has a probability proportional to exp(−|x|/scale). The scale is within `SCALES`.

    With scale = t/s: a number below t, kept with probability exp(−number/t), and t more for each coin of exp(−1) that
    shows heads before tails, make a geometric number of steps of 1/t. It is divided by s and gets a sign.

    >>> from cobogo.floor.randomness import Seeded
    >>> bool(4 < np.abs(laplaces(Fraction(5), 10_000, Seeded(1))).mean() < 6)
    True
    """

    def candidates(number: int) -> Ints:
        first = below(scale.numerator, number, source)
        first = first[exponential_coins(first, scale.numerator, source)]
        sizes = (first + scale.numerator * _heads_in_a_row(len(first), source)) // scale.denominator
        negative = below(2, len(sizes), source) == 1
        return np.asarray(np.where(negative, -sizes, sizes)[~negative | (sizes > 0)])  # one zero, not two

    return _draw(candidates, count)


def _heads_in_a_row(count: int, source: Source) -> Ints:
    """How many coins of exp(−1) show heads before the first that shows tails."""
    found = np.zeros(count, dtype=np.int64)
    which = np.arange(count)
    while which.size:
        which = which[_unit_coins(which.size, source)]
        found[which] += 1
    return found


def gaussians(scale: Fraction, count: int, source: Source) -> Ints:
    """Discrete Gaussian numbers: x has a probability proportional to exp(−x²/2·scale²). The scale is within `SCALES`.

    A discrete Laplace number y of scale t is kept with probability exp(−(|y| − scale²/t)²/2·scale²).

    >>> from cobogo.floor.randomness import Seeded
    >>> bool(4 < gaussians(Fraction(5), 10_000, Seeded(1)).std() < 6)
    True
    """
    square = scale**2
    n, d, t = square.numerator, square.denominator, int(scale) + 1

    def candidates(number: int) -> Ints:
        found = laplaces(Fraction(t), number, source)
        away = np.abs(found).astype(object) * (t * d) - n
        return found[exponential_coins(away**2, 2 * n * d * t**2, source)]

    return _draw(candidates, count)


def _draw(candidates: Callable[[int], Ints], count: int) -> Ints:
    """The first so many of independent candidates that were not rejected."""
    found, missing = [np.zeros(0, dtype=np.int64)], count
    while missing > 0:
        found.append(candidates(min(int(SPARE * missing) + 16, AT_ONCE))[:missing])
        missing -= len(found[-1])
    return np.concatenate(found)


def permute_and_flip(scores: Ints, scale: Fraction, source: Source) -> Ints:
    """For each row of scores a column, with the law of the largest score after exponential noise of that scale.

    The columns are looked at in a random order; each is chosen with probability exp(−(best − score)/scale), the best
    one with certainty (R. McKenna and D. Sheldon, Permute-and-flip, NeurIPS 2020).

    >>> from cobogo.floor.randomness import Seeded
    >>> permute_and_flip(np.array([[0, 0, 10**9], [10**9, 0, 0]]), Fraction(1), Seeded(1)).tolist()
    [2, 0]
    """
    rows, columns = scores.shape
    gaps = scores.max(axis=1, keepdims=True) - scores
    fits = int(gaps.max(initial=0)) * scale.denominator < FITS
    gaps = (gaps if fits else gaps.astype(object)) * scale.denominator
    order = np.tile(np.arange(columns), (rows, 1))
    chosen = np.empty(rows, dtype=np.int64)
    left = np.arange(rows)
    for step in range(columns):
        place = step + below(columns - step, len(left), source)
        tried = order[left, place]
        order[left, place] = order[left, step]
        heads = exponential_coins(gaps[left, tried], scale.numerator, source)
        chosen[left[heads]] = tried[heads]
        left = left[~heads]
    return chosen
