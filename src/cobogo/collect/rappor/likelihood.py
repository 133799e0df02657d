"""How likely a report is, given the string behind it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cobogo.collect.rappor.filters import filters
from cobogo.collect.rappor.parameters import Parameters

OTHER = "(other)"
"""What stands for every string that is no candidate."""


def likelihoods(
    cohorts: NDArray[np.int64], bits: NDArray[np.uint8], candidates: Sequence[str], parameters: Parameters
) -> NDArray[np.float64]:
    """For each report a row: how likely it is of each candidate, and of any other string, up to a factor of the row.

    A bit that the string's filter has is shown with q*, another with p*. The filter of an unknown string has each bit
    with the probability that h hash functions set it, independently; that is exact for one hash function and on average
    over strings.
    """
    q, p = float(parameters.shown_if_set), float(parameters.shown_if_not)
    loaded = 1 - (1 - 1 / parameters.bits) ** parameters.hashes
    other = p + loaded * (q - p)
    shown, hidden = np.log(q / p), np.log((1 - q) / (1 - p))
    found = np.empty((len(cohorts), len(candidates) + 1))
    blooms = filters(candidates, parameters).astype(np.float64)
    for cohort in np.unique(cohorts):
        members = np.flatnonzero(cohorts == cohort)
        seen = np.unpackbits(bits[members], axis=1).astype(np.float64)
        weights = blooms[cohort].T
        found[members, :-1] = hidden * weights.sum(axis=0) + (shown - hidden) * (seen @ weights)
        found[members, -1] = seen.sum(axis=1) * np.log(other / p) + (1 - seen).sum(axis=1) * np.log(
            (1 - other) / (1 - p)
        )
    return np.asarray(np.exp(found - found.max(axis=1, keepdims=True)), dtype=np.float64)
