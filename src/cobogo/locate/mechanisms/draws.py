"""Random numbers of location noise, drawn from random words and exact in their tails.

A uniform number of 53 bits has no logarithm below −37, so that noise made of it ends at an edge, and a report near the
edge of one place rules other places out. Here small words are followed by more bits.

On a machine bearings are steps apart and positions are rounded, so that the law of reports is not quite the planar
Laplace. Snapped to a grid of step u, from locations on the grid, within r_max (Andrés et al. 2013, theorem on the
discretized mechanism): noise of ε′ gives ε-geo-indistinguishability when

    ε′ + 1/u · ln((q + 2·e^(ε′u)) / (q − 2·e^(ε′u))) ≤ ε,    q = u / (r_max · δθ).

r_max·δθ is how far finite digits may misplace a report. Here the rounding of positions is added to it.
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
    """Exponential numbers with mean 1, from words; more words are drawn where needed.

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
    """Which steps, drawn as on a plane, are kept on a sphere, where rings are shorter by the ratio of the sine of the
    angle to the angle, and end at the other side. Kept steps have a density of e^(−ε·metres) on the sphere."""
    return (turned < np.pi) & (chance * turned < np.sin(turned))


def laplace_steps(words: Words, epsilon: float, source: Source) -> tuple[Floats, Floats]:
    """Planar Laplace noise on the globe, of three words a step: the angle that it spans at the centre of the globe in
    radians, and its bearing. More words are drawn where three are not enough.

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
    """Steps of planar Laplace noise for ε = 1, for mechanisms that choose the ε of each step as they go."""

    gamma: Floats  # ε times metres
    bearing: Floats
    uniform: Floats  # decides whether the sphere keeps the step: see `is_kept`

    @classmethod
    def draw(cls, count: int, source: Source) -> UnitSteps:
        """Draw new steps."""
        words = source.words(3 * count).reshape(-1, 3)
        gamma = exponentials(words[:, 0], source) + exponentials(words[:, 1], source)
        return cls(gamma, bearings(words[:, 2]), uniforms(count, source))

    def redraw(self, number: int, source: Source) -> None:
        """Draw another step in place of one that was not kept."""
        new = UnitSteps.draw(1, source)
        self.gamma[number], self.bearing[number], self.uniform[number] = new.gamma[0], new.bearing[0], new.uniform[0]


def laplaces(count: int, source: Source) -> Floats:
    """Laplace numbers with scale 1: exponential numbers with a random sign."""
    sign = 1.0 - 2.0 * (source.words(count) & np.uint64(1))
    return np.asarray(sign * exponentials(source.words(count), source))


ROUNDING = 1e-7
"""Metres by which floats may misplace a position on the globe: ten times the most that was measured."""

GRAIN = HALFWAY * BEARING_STEP + ROUNDING
"""Metres by which finite digits may misplace a report at the other side of the world."""


def epsilon_to_draw(epsilon: float, step: float, grain: float = GRAIN) -> float | None:
    """The largest ε′ that the theorem allows, to draw the noise with; None where there is none, and the grid must be
    coarser (or, where ε·u is large, finer).

    >>> f"{epsilon_to_draw(0.01, 1.0, 100_000 * BEARING_STEP) / 0.01:.8f}"
    '0.99999997'
    >>> epsilon_to_draw(0.01, 1.0, 100_000 * 2**-24) is None
    True
    """
    quotient = step / grain

    def promised(drawn: float) -> float:
        edge = 2 * exp(min(drawn * step, 700.0))
        return inf if edge >= quotient else drawn + log1p(2 * edge / (quotient - edge)) / step * (1 + 1e-9)

    low, high = 0.0, epsilon
    if promised(low) >= epsilon:
        return None
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if promised(middle) <= epsilon else (low, middle)
    return low or None
