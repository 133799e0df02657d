"""How likely a report of a frequency oracle is of each value, up to a factor of the report."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from cobogo.collect.base import Oracle, Reports
from cobogo.collect.direct import Direct
from cobogo.collect.hadamard import Hadamard
from cobogo.collect.hashing import LocalHashing, cells_of
from cobogo.collect.unary import Unary
from cobogo.floor.arrays import Floats


@singledispatch
def likelihoods(oracle: Oracle, reports: Reports) -> Floats:
    """A row for each report, a column for each value.

    >>> likelihoods(Direct(3, 1.0), np.array([2])).round(3).tolist()
    [[0.212, 0.212, 0.576]]
    """
    raise NotImplementedError(f"{oracle.name} does not tell how likely a report is ({len(reports)} reports)")


@likelihoods.register
def _(oracle: Direct, reports: Reports) -> Floats:
    return np.where(reports[:, None] == np.arange(oracle.values), oracle.p, oracle.q)


@likelihoods.register
def _(oracle: Unary, reports: Reports) -> Floats:
    bits = np.unpackbits(reports, axis=1, count=oracle.values).astype(np.bool_)
    return np.where(bits, oracle.p / oracle.q, (1 - oracle.p) / (1 - oracle.q))


@likelihoods.register
def _(oracle: Hadamard, reports: Reports) -> Floats:
    negative = np.bitwise_count(reports[:, None] & np.arange(1, oracle.values + 1)) % 2
    return np.where(negative == 0, oracle.p, 1 - oracle.p)


@likelihoods.register
def _(oracle: LocalHashing, reports: Reports) -> Floats:
    values = np.arange(oracle.values)
    cells = cells_of(np.repeat(reports["function"], len(values)), np.tile(values, len(reports)), oracle.answer.values)
    named = cells.reshape(len(reports), -1) == reports["cell"][:, None]
    return np.where(named, oracle.answer.p, oracle.answer.q)
