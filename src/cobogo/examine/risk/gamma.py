"""The digamma function, which the likelihood of Pitman's model needs: NumPy has none, and SciPy is not always there."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cobogo.floor.arrays import Floats

_SHIFT = 10
"""From here on the asymptotic series is exact to the last bits."""

_BERNOULLI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
"""B₂ₙ / 2n."""


def digamma(x: ArrayLike) -> Floats:
    """The derivative of log Γ, for arguments above 0.

    >>> round(float(digamma(1.0)), 12)  # minus Euler's constant
    -0.577215664902
    """
    above = np.array(x, dtype=np.float64)
    shifted = np.zeros_like(above)
    for _ in range(_SHIFT):
        low = above < _SHIFT
        shifted -= np.where(low, 1 / above, 0.0)
        above = np.where(low, above + 1, above)
    inverse = 1 / (above * above)
    series = np.zeros_like(above)
    for coefficient in reversed(_BERNOULLI):
        series = inverse * (coefficient + series)
    return shifted + np.log(above) - 0.5 / above - series
