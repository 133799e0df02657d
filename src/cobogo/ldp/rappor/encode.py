"""Reports of many clients at once: for simulations, and for collectors that stand in for clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cobogo.ldp.rappor.filters import blooms
from cobogo.ldp.rappor.parameters import Parameters
from cobogo.randomness import Source, below, coins

AT_ONCE = 1 << 16
"""Clients whose bits are drawn at a time."""


@dataclass(frozen=True, eq=False)
class Reports:
    """One report of each client: its cohort, and its bits, packed into bytes."""

    cohorts: NDArray[np.int64]
    bits: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.cohorts)


def permanent(bits: NDArray[np.bool_], parameters: Parameters, source: Source) -> NDArray[np.bool_]:
    """The permanent answers of filters: drawn once for a client's value, and kept."""
    forgotten = coins(parameters.f, bits.size, source).reshape(bits.shape)
    return np.where(forgotten, coins(0.5, bits.size, source).reshape(bits.shape), bits)


def instantaneous(bits: NDArray[np.bool_], parameters: Parameters, source: Source) -> NDArray[np.bool_]:
    """A report of permanent answers: drawn anew each time."""
    shown = coins(parameters.q, bits.size, source).reshape(bits.shape)
    other = coins(parameters.p, bits.size, source).reshape(bits.shape)
    return np.where(bits, shown, other)


def encode(values: Sequence[str], held: NDArray[np.int64], parameters: Parameters, source: Source) -> Reports:
    """One report for each client, who holds the value of a number and gets a cohort by chance."""
    cohorts = below(parameters.cohorts, len(held), source)
    reports = np.empty((len(held), parameters.bits // 8), dtype=np.uint8)
    for start in range(0, len(held), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        kept = permanent(blooms(values, held[part], cohorts[part], parameters), parameters, source)
        reports[part] = np.packbits(instantaneous(kept, parameters, source), axis=1)
    return Reports(cohorts, reports)


def counts(reports: Reports, parameters: Parameters) -> NDArray[np.int64]:
    """For each cohort, how many reports there are and how many show each bit: parts of the reports add up."""
    found = np.zeros((parameters.cohorts, 1 + parameters.bits), dtype=np.int64)
    order = np.argsort(reports.cohorts, kind="stable")
    ends = np.searchsorted(reports.cohorts[order], np.arange(parameters.cohorts + 1))
    found[:, 0] = np.diff(ends)
    for cohort in range(parameters.cohorts):
        rows = reports.bits[order[ends[cohort] : ends[cohort + 1]]]
        found[cohort, 1:] = np.unpackbits(rows, axis=1).sum(axis=0, dtype=np.int64)
    return found
