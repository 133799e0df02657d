"""Real numbers drawn from random words, right in their tails: what location noise is made of.

A uniform number of 53 bits has no logarithm below −37, so that noise made of it has an edge beyond which nothing is
ever reported, and a report near the edge tells who was not there. Here small words are followed by more bits.

On a machine bearings are steps apart and positions are rounded, so that the law of reports is not quite the planar
Laplace. Snapped to a grid of step u, from locations on the grid, within r_max (Andrés et al. 2013, theorem on the
discretized mechanism): noise of ε′ gives ε-geo-indistinguishability when

    ε′ + 1/u · ln((q + 2·e^(ε′u)) / (q − 2·e^(ε′u))) ≤ ε,    q = u / (r_max · δθ).

r_max·δθ is how far the digits may carry a report. Here the rounding of positions is added to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, log1p, pi

import numpy as np

from cobogo.floor.arrays import Floats, Words
from cobogo.floor.randomness import Source
from cobogo.locate.places.geometry import HALFWAY, RADIUS

BEARING_STEP = 2 * pi * 2.0**-53
"""Radians between neighbouring bearings."""


def uniforms(count: int, source: Source) -> Floats:
    """Uniform numbers strictly between 0 and 1, of 53 bits."""
    return (np.right_shift(source.words(count), np.uint64(11)) + 0.5) * 2.0**-53


def exponentials(words: Words, source: Source) -> Floats:
    """Numbers of the exponential law with mean 1, from words that may be followed by more.

    The first word holds a uniform number's first 64 bits. Where they leave fewer than 53 after its leading zeros, a
    second word is drawn; where all are zero, the number is 2⁻⁶⁴ times that of another draw.
    """
    found = np.empty(len(words))
    first, rest, zeros = np.array(words), np.arange(len(words)), 0
    while rest.size:
        small = np.flatnonzero(first < 2**53)
        value = first.astype(np.float64) + 0.5
        value[small] = first[small] + uniforms(small.size, source)
        found[rest] = (64 * (zeros + 1)) * log(2) - np.log(value)
        again = np.flatnonzero(first == 0)
        rest, first, zeros = rest[again], np.array(source.words(again.size)), zeros + 1
    return found


def bearings(words: Words) -> Floats:
    """Uniform bearings in radians, from the first 53 bits of words."""
    return np.right_shift(words, np.uint64(11)) * BEARING_STEP


def is_kept(turned: Floats, chance: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which steps, drawn as on a plane, a sphere keeps: rings are shorter there, as the sine of the angle is to the
    angle, and nothing lies beyond the other side. Steps that are kept have a density of e^(−ε·metres) on the sphere."""
    return (turned < np.pi) & (chance * turned < np.sin(turned))


def laplace_steps(words: Words, epsilon: float, source: Source) -> tuple[Floats, Floats]:
    """Planar Laplace noise on the globe, of three words a step: the angle that it spans at the centre of the globe, in
    radians, and its bearing. More words are drawn where three do not tell.

    >>> from cobogo.floor.randomness import Seeded
    >>> turned, bearing = laplace_steps(Seeded(1).words(3000).reshape(-1, 3), 0.01, Seeded(2))
    >>> bool(150 < turned.mean() * RADIUS < 250)
    True
    """
    turned, bearing, rest = np.empty(len(words)), np.empty(len(words)), np.arange(len(words))
    while rest.size:
        gamma = exponentials(words[:, 0], source) + exponentials(words[:, 1], source)
        turned[rest], bearing[rest] = gamma / (epsilon * RADIUS), bearings(words[:, 2])
        chance = ((words[:, 2] & np.uint64(2047)) + uniforms(len(words), source)) / 2048
        rest = rest[~is_kept(turned[rest], chance)]
        words = source.words(3 * rest.size).reshape(-1, 3)
    return turned, bearing


@dataclass(frozen=True, eq=False)
class UnitSteps:
    """Steps of planar Laplace noise before it is known with which ε each is taken: for mechanisms that look back."""

    gamma: Floats  # ε times metres
    bearing: Floats
    chance: Floats  # whether the sphere keeps the step: see `is_kept`

    @classmethod
    def draw(cls, count: int, source: Source) -> UnitSteps:
        """Fresh ones."""
        words = source.words(3 * count).reshape(-1, 3)
        gamma = exponentials(words[:, 0], source) + exponentials(words[:, 1], source)
        return cls(gamma, bearings(words[:, 2]), uniforms(count, source))

    def redraw(self, number: int, source: Source) -> None:
        """Another step in the place of one that was not kept."""
        new = UnitSteps.draw(1, source)
        self.gamma[number], self.bearing[number], self.chance[number] = new.gamma[0], new.bearing[0], new.chance[0]


def laplaces(count: int, source: Source) -> Floats:
    """Numbers of the Laplace law with scale 1: exponential ones with a sign."""
    sign = 1.0 - 2.0 * (source.words(count) & np.uint64(1))
    return np.asarray(sign * exponentials(source.words(count), source))


ROUNDING = 1e-7
"""Metres by which floats may misplace a position on the globe: a bound. Measured: below 1e-8."""

GRAIN = HALFWAY * BEARING_STEP + ROUNDING
"""Metres by which digits may carry a report that goes to the other side of the world."""


def drawn_epsilon(epsilon: float, step: float, grain: float = GRAIN) -> float | None:
    """The largest ε′ that the theorem allows, or None when there is none: then the grid must be coarser (or, where
    ε·u is large, finer).

    >>> f"{drawn_epsilon(0.01, 1.0, 100_000 * BEARING_STEP) / 0.01:.8f}"
    '0.99999997'
    >>> drawn_epsilon(0.01, 1.0, 100_000 * 2**-24) is None
    True
    """
    quotient = step / grain

    def asked(drawn: float) -> float:
        edge = 2 * exp(min(drawn * step, 700.0))
        return inf if edge >= quotient else drawn + log1p(2 * edge / (quotient - edge)) / step * (1 + 1e-9)

    low, high = 0.0, epsilon
    if asked(low) >= epsilon:
        return None
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if asked(middle) <= epsilon else (low, middle)
    return low or None
