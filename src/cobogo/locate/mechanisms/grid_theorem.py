"""What a machine's digits cost: the ε to draw with, so that the ε asked for holds on a grid.

On a machine bearings are steps apart and positions are rounded, so that the law of reports is not quite the planar
Laplace. Snapped to a grid of step u, from locations on the grid, within r_max (Andrés et al. 2013, theorem on the
discretized mechanism): noise of ε′ gives ε-geo-indistinguishability when

    ε′ + 1/u · ln((q + 2·e^(ε′u)) / (q − 2·e^(ε′u))) ≤ ε,    q = u / (r_max · δθ).

r_max·δθ is how far the digits may carry a report. Here the rounding of positions is added to it.
"""

from __future__ import annotations

from math import exp, inf, log1p

from cobogo.locate.mechanisms.draws import BEARING_STEP
from cobogo.locate.places.geometry import HALFWAY

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
