"""Randomizing Bloom filters: the permanent answer, the reports of it, and how likely a report is of each string."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cobogo.collect.layout import count_bits, random_bits, select_bits
from cobogo.collect.rappor.parameters import RapporParameters, filters, filters_of
from cobogo.floor.randomness import Source, below

AT_ONCE = 1 << 16
"""Clients whose bits are drawn at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class Reports:
    """One report of each client: its cohort, and its bits, packed into bytes."""

    cohorts: NDArray[np.int64]
    bits: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.cohorts)


def permanent(filters: NDArray[np.uint8], parameters: RapporParameters, source: Source) -> NDArray[np.uint8]:
    """The permanent answers of filters, packed into bytes as these are: a fair coin for every bit that is forgotten.
    Drawn once for a client's value, and kept."""
    coin = random_bits(Fraction(1, 2), filters.shape, source)
    return select_bits(random_bits(parameters.f, filters.shape, source), coin, filters)


def instantaneous(answers: NDArray[np.uint8], parameters: RapporParameters, source: Source) -> NDArray[np.uint8]:
    """Reports of permanent answers, packed as these are: drawn anew each time."""
    shown = random_bits(parameters.q, answers.shape, source)
    return select_bits(answers, shown, random_bits(parameters.p, answers.shape, source))


def encode(values: Sequence[str], held: NDArray[np.int64], parameters: RapporParameters, source: Source) -> Reports:
    """One report for each client, who holds the value of a number and gets a cohort by chance."""
    cohorts = below(parameters.cohorts, len(held), source)
    reports = np.empty((len(held), parameters.bits // 8), dtype=np.uint8)
    blooms, which = filters_of(values, held, cohorts, parameters)
    for start in range(0, len(held), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        kept = permanent(blooms[which[part]], parameters, source)
        reports[part] = instantaneous(kept, parameters, source)
    return Reports(cohorts, reports)


def counts(reports: Reports, parameters: RapporParameters) -> NDArray[np.int64]:
    """For each cohort, how many reports there are and how many show each bit: parts of the reports add up."""
    found = np.empty((parameters.cohorts, 1 + parameters.bits), dtype=np.int64)
    found[:, 0] = np.bincount(reports.cohorts, minlength=parameters.cohorts)
    found[:, 1:] = count_bits(reports.bits, reports.cohorts, of=parameters.cohorts)
    return found


OTHER = "(other)"
"""What stands for every string that is no candidate."""


def likelihoods(
    cohorts: NDArray[np.int64], bits: NDArray[np.uint8], candidates: Sequence[str], parameters: RapporParameters
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
