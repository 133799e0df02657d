"""Post-randomization (PRAM): each category is replaced by another with known probabilities.

What it guarantees is what its matrix does: see `guarantees`. A matrix with a zero tells some values for certain.
References: Kooiman, Willenborg and Gouweleeuw 1997; Gouweleeuw et al. 1998.
"""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats


def keeping(categories: int, retention: float) -> Floats:
    """The matrix that keeps a category with a probability and else draws one of all, itself among them, evenly."""
    return retention * np.eye(categories) + (1 - retention) / categories


def invariant(matrix: Floats, frequencies: Floats) -> Floats:
    """A matrix made of a given one under which the expected frequencies are those of the table.

    Applies the matrix and then its Bayes inverse for these frequencies: R = B·P with B[x, y] = P[y, x]·f(x) / (P·f)(y).
    So statistics of the one attribute need no correction; its relation with others still does.

    >>> shares = np.array([0.7, 0.2, 0.1])
    >>> bool(np.allclose(invariant(keeping(3, 0.5), shares) @ shares, shares))
    True
    """
    observed = matrix @ frequencies
    back = np.divide(
        matrix.T * frequencies[:, None],
        observed[None, :],
        where=observed[None, :] > 0,
        out=np.tile(frequencies[:, None], (1, len(observed))),
    )
    found: Floats = back @ matrix
    return found
