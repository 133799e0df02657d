"""Anatomy: buckets of records with different sensitive values (Xiao and Tao 2006)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cobogo import randomness
from cobogo.errors import NoSolution, PolicyError, number_of
from cobogo.models import LDiversity, Scope
from cobogo.models.base import Ints
from cobogo.recode.buckets import kernels
from cobogo.recode.buckets.buckets import Buckets
from cobogo.recode.partition.groups import parcels
from cobogo.recode.partition.mend import mended
from cobogo.recode.partition.space import points
from cobogo.recode.problem import Problem
from cobogo.recode.solution import Bucketed

Progress = Callable[[int, int], None]

NOTE = "quasi-identifiers are released as they are: buckets hide whose value is whose, not who is in the table"


def anatomy(problem: Problem, *, time_limit: float | None = None, progress: Progress | None = None) -> Bucketed:  # noqa: ARG001
    """Releases the quasi-identifiers as they are, and apart from them the sensitive values of buckets of records: no
    protection against being found in the table.

    Serves models of one sensitive attribute's distribution. Those of identity (k-anonymity and the like) cannot hold.
    """
    refuse(problem, "anatomy")
    l = least_distinct(problem)
    whole = parcels(problem, divisible=True)
    assert whole.values is not None
    values = whole.values.astype(np.int64)
    asked = any(isinstance(model, LDiversity) for model in problem.models)
    surplus = _surplus(np.bincount(values, whole.counts).astype(np.int64), l) * asked
    if int(surplus.sum()) > problem.limit:
        raise _too_frequent(problem, values, whole.counts, l, int(surplus.sum()))
    records = np.repeat(np.arange(len(whole)), whole.counts)
    records = records[np.argsort(randomness.keys(len(records)))]
    records = records[np.argsort(values[records], kind="stable")]
    starts = np.searchsorted(values[records], np.arange(len(surplus) + 1)).astype(np.int64)
    owner = kernels.drawn(starts[:-1] + surplus, starts[1:], values[records], l)
    if not asked:  # nobody asks that a bucket has different values: what is left over may go anywhere
        over = np.flatnonzero(owner < 0)
        owner[over] = np.arange(len(over)) % max(int(owner.max(initial=-1)) + 1, 1)
    pieces, owners = _parcelled(records, owner)
    counts = np.bincount(pieces)
    places = records[np.unique(pieces, return_index=True)[1]]
    found = type(whole)(problem, whole.tuples[places], counts.astype(np.int64), whole.values[places], divisible=True)
    groups = mended(found, points(found), owners, np.zeros(len(found), dtype=np.int64), 1)
    buckets = Buckets(problem, found.tuples, found.values, found.counts, groups.owners)  # type: ignore[arg-type]
    if buckets.suppressed > problem.limit or not len(buckets) or not buckets.hold():
        raise no_buckets()
    error = buckets.reconstruction_error()
    return Bucketed("anatomy", buckets, error, groups.looked_at, groups.looked_at, notes=(NOTE,))


def refuse(problem: Problem, algorithm: str) -> None:
    """Buckets protect one sensitive attribute of people with one record each, and nothing else."""
    where = "recoding.algorithm"
    if problem.table.people is not None:
        raise PolicyError(
            f"{algorithm} is for people with one record each, and by data.unit some have several",
            where=where,
            remedy="Bring each person's records together into one, or choose another algorithm.",
        )
    if len(problem.table.histograms) != 1:
        raise PolicyError(
            f"{algorithm} parts one sensitive attribute from the rest, and the policy has "
            f"{len(problem.table.histograms)}",
            where=where,
            remedy="Name one sensitive attribute, or choose another algorithm.",
        )
    for model in problem.promised:
        if not model.attributes or model.populations or model.needs_members or model.scope is not Scope.CLASS:
            raise PolicyError(
                f"{model} cannot hold: {algorithm} releases the quasi-identifiers as they are, and protects the "
                "sensitive values only",
                where=where,
                remedy="Ask for models of the sensitive attribute alone, such as l-diversity, or choose another "
                "algorithm.",
            )


def least_distinct(problem: Problem) -> int:
    """How many different values a bucket begins with: the largest l asked for, two where none is."""
    return max([2, *(math.ceil(model.l) for model in problem.models if isinstance(model, LDiversity))])


def _surplus(counts: Ints, l: int) -> Ints:
    """How many records of each value must go so that none is more frequent than one in l."""
    gone = np.zeros_like(counts)
    while True:
        left = counts - gone
        excess = l * left - left.sum()
        worst = int(excess.argmax())
        if excess[worst] <= 0:
            return gone
        gone[worst] += -(-int(excess[worst]) // (l - 1))


def _parcelled(records: Ints, owner: Ints) -> tuple[Ints, Ints]:
    """Records of one parcel and one bucket are one piece: each record's piece, and each piece's bucket."""
    buckets = int(owner.max(initial=-1)) + 2
    keys, pieces = np.unique(records * buckets + owner + 1, return_inverse=True)
    return pieces, keys % buckets - 1


def no_buckets() -> NoSolution:
    """Where even the largest buckets do not do."""
    return NoSolution(
        "even one bucket of all records does not satisfy the models",
        remedy="Ask for less, or raise suppression-limit.",
    )


def _too_frequent(problem: Problem, values: Ints, counts: Ints, l: int, lost: int) -> NoSolution:
    most = int(np.bincount(values, counts).max())
    return NoSolution(
        f"no buckets of {l} different values can be made: the most frequent value is that of {most:,} of "
        f"{number_of(problem.scale.records, 'record')}, and may be that of one in {l} at most",
        remedy=f"Ask for a smaller l, or allow {number_of(lost, 'record')} to be suppressed.",
    )
