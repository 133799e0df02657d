"""Attacks on releases, and what randomization makes of them: each returns how sure the attacker becomes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from cobogo.models.base import Floats, Ints
from cobogo.perturb.operators.base import Operator


@dataclass(frozen=True)
class Corrupted:
    """How sure an attacker is of a person's value who knows the values of so many others of the class."""

    known: int
    confidence: float


def corruption(classes: Sequence[Ints], threshold: float = 1.0) -> Corrupted | None:
    """The corruption attack on a partition (Tao, Xiao, Li and Zhang 2008): ``classes`` count the sensitive values of
    each class. What the known members have is struck off; what remains is the victim's.

    The fewest known members by which a value reaches the threshold: max_x c_x/(s − t) over t ≤ s − c_x. None where no
    number of them does.

    >>> corruption([np.array([1, 1])])
    Corrupted(known=1, confidence=1.0)
    """
    best: Corrupted | None = None
    for counts in classes:
        size = int(counts.sum())
        for count in counts[counts > 0].tolist():
            known = max(0, math.ceil(size - count / threshold - 1e-9))
            if known <= size - count and known < size and (best is None or known < best.known):
                best = Corrupted(known, count / (size - known))
    return best


def corrupted_posterior(operator: Operator, prior: Floats, released: int) -> Floats:
    """The posterior of a person's value under independent draws, whoever else is corrupted: nobody else's record is in
    it. That is why the corruption attack fails on a randomized column."""
    likelihood = operator.probability(np.full(operator.size, released), np.arange(operator.size))
    joint = prior * likelihood
    return np.asarray(joint / joint.sum())


def duplicated(records: Sequence[Hashable]) -> set[Hashable]:
    """The duplicate attack: the records that stand in a release more than once. Where made-up records are added at
    most once each, one of the two must be an original."""
    return {record for record, times in Counter(records).items() if times > 1}


def republished(operator: Operator, prior: Floats, released: Sequence[int]) -> Floats:
    """The averaging attack: the posterior after several independent draws of one value. The odds change by up to γ
    each time, so that a value that is drawn often enough is known."""
    posterior = np.asarray(prior, dtype=float)
    for value in released:
        posterior = corrupted_posterior(operator, posterior, value)
    return posterior
