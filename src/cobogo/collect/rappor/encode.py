"""Reports of many clients at once: for simulations, and for collectors that stand in for clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cobogo.collect.bits import chosen, count, drawn
from cobogo.collect.rappor.filters import filters_of
from cobogo.collect.rappor.parameters import Parameters
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


def permanent(filters: NDArray[np.uint8], parameters: Parameters, source: Source) -> NDArray[np.uint8]:
    """The permanent answers of filters, packed into bytes as these are: a fair coin for every bit that is forgotten.
    Drawn once for a client's value, and kept."""
    coin = drawn(Fraction(1, 2), filters.shape, source)
    return chosen(drawn(parameters.f, filters.shape, source), coin, filters)


def instantaneous(answers: NDArray[np.uint8], parameters: Parameters, source: Source) -> NDArray[np.uint8]:
    """Reports of permanent answers, packed as these are: drawn anew each time."""
    shown = drawn(parameters.q, answers.shape, source)
    return chosen(answers, shown, drawn(parameters.p, answers.shape, source))


def encode(values: Sequence[str], held: NDArray[np.int64], parameters: Parameters, source: Source) -> Reports:
    """One report for each client, who holds the value of a number and gets a cohort by chance."""
    cohorts = below(parameters.cohorts, len(held), source)
    reports = np.empty((len(held), parameters.bits // 8), dtype=np.uint8)
    blooms, which = filters_of(values, held, cohorts, parameters)
    for start in range(0, len(held), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        kept = permanent(blooms[which[part]], parameters, source)
        reports[part] = instantaneous(kept, parameters, source)
    return Reports(cohorts, reports)


def counts(reports: Reports, parameters: Parameters) -> NDArray[np.int64]:
    """For each cohort, how many reports there are and how many show each bit: parts of the reports add up."""
    found = np.empty((parameters.cohorts, 1 + parameters.bits), dtype=np.int64)
    found[:, 0] = np.bincount(reports.cohorts, minlength=parameters.cohorts)
    found[:, 1:] = count(reports.bits, reports.cohorts, of=parameters.cohorts)
    return found
