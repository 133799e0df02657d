"""Optimal bucketization: as many buckets, of sizes as equal, as the models leave room for.

The tuples are released as they are, so all that a bucketization can lose is whose value is whose: a record's value is
one of those of its bucket. The criterion is the sum of the squared sizes of the buckets (their discernibility): of each
record, the size of its bucket. For a number of buckets it is least where sizes differ by one at most,
and it falls as the number grows. So the question is how many buckets there can be.

For most models there is an upper bound that holds of any bucketization: a bucket needs so many different values, or so
many records. Records are dealt out, value by value, so that each bucket gets as many different values as can be, and of
each value its even share. Where the bound is reached, the answer is proven; where it is not, smaller numbers are tried.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator

import numpy as np

from cobogo.examine.metrics import METRICS
from cobogo.floor import randomness
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.progress import Steps
from cobogo.promises.models import Model
from cobogo.promises.models.ck_safety import SLACK, CKSafety
from cobogo.promises.models.frequency import SLACK as WITHIN
from cobogo.promises.models.frequency import AlphaK, DeltaDisclosure, PSensitive, TCorruption
from cobogo.promises.models.l_diversity import TOLERANCE, LDiversity
from cobogo.publish.recode.buckets.anatomy import NOTE, divide_parcels, known_counts, no_buckets, refuse, surplus
from cobogo.publish.recode.contract.buckets import Buckets
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Bucketed
from cobogo.publish.recode.partition.groups import Parcels, parcels_by_value

CRITERION = "discernibility"
ONE_BY_ONE = 64
"""Bucket sizes that are tried one after the other; from there on, each is a tenth larger than the last."""


@card("bucketization", group="buckets", guide="algorithms-sensitive", one_table=False)
def bucketization(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Bucketed:
    r"""Releases tuples unchanged, and in a separate table the sensitive values of buckets. The buckets are as small and
    as equal as the models allow, which is proven for l-diversity and similar models.

    The algorithm serves models of the distribution of one sensitive attribute, including (c,k)-safety. Models of
    identity cannot hold. It draws at random which records with a value go to which bucket; this does not depend on the
    quasi-identifiers.

    Formula: $\min \sum_B \lvert B\rvert^2$ over partitions into buckets $B$ that satisfy the models
    Example: Four people with the flu, two with a cough and two with gout go into four buckets of two; more buckets are
        not possible.
        >>> from cobogo.studies.worked_examples import DIVERSE, anonymize_patients
        >>> release = anonymize_patients("bucketization", DIVERSE)
        >>> release.solution.optimal, round(release.metrics["discernibility"])
        (True, 16)

    Guarantee: Every bucket satisfies the models, and with (c,k)-safety all buckets together do. Distinct l-diversity
        and p-sensitivity are reached with the fewest possible collisions, which is proven.
    Limits: Those of anatomy: membership in the table is not hidden. For t-closeness, β-likeness and others, the result
        is not proven to be the best.
    Cost: $O(n \log m)$ for n records and m sensitive values, where the bound is reached.
    Paper: After D. J. Martin, D. Kifer, A. Machanavajjhala, J. Gehrke and J. Y. Halpern 2007 (bucketization) and X.
        Xiao and Y. Tao 2006; the search and its proof are our own.
    """
    refuse(problem, "bucketization", of_table=True)
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    whole = parcels_by_value(problem)
    assert whole.values is not None
    counts = np.bincount(whole.values, whole.counts, len(next(iter(problem.table.domains.values())))).astype(np.int64)
    most = most_buckets(problem.models, counts, known_counts(problem, counts))
    tried = 0
    for number in _numbers(problem.scale.records, most):
        tried += 1
        if progress is not None:
            progress(tried, 0)
        buckets = _deal(whole, np.zeros_like(counts), number)
        if buckets.hold():
            return _answer(buckets, tried, optimal=number == most)
        if time.monotonic() > deadline:
            break
    gone = surplus(known_counts(problem, counts), least_size(problem.models))
    if gone.any() and gone.sum() <= problem.limit:
        left = counts - gone
        for number in _numbers(int(left.sum()), most_buckets(problem.models, left, known_counts(problem, left))):
            tried += 1
            buckets = _deal(whole, gone, number)
            if buckets.hold():
                return _answer(buckets, tried, optimal=False)
    raise no_buckets()


def _answer(buckets: Buckets, tried: int, *, optimal: bool) -> Bucketed:
    value = float(METRICS[CRITERION].value(buckets.outcome(), buckets.problem.scale))
    return Bucketed("bucketization", buckets, value, tried, tried, metric=CRITERION, notes=(NOTE,), optimal=optimal)


def most_buckets(models: tuple[Model, ...], counts: Ints, known: Ints | None = None) -> int:
    """An upper bound of the number of buckets, given the records of each value, for which the models can hold.
    ``known`` are the counts without those of NULL."""
    records = int(counts.sum())
    bounds = [records // least_size(models)]
    for model in models:
        distinct = _least_distinct(model)
        values = counts if known is None or model.counts_missing else known
        if distinct > 1:
            bounds.append(_most_with(values, distinct))
        if isinstance(model, DeltaDisclosure):
            bounds.append(int(values[values > 0].min(initial=records)))  # every bucket has every value
    return max(min(bounds), 0)


def least_size(models: tuple[Model, ...]) -> int:
    """The fewest records of a bucket with which the models can hold."""
    return max([1, *(_least_size(model) for model in models)])


def _least_size(model: Model) -> int:
    """The fewest records with which a model can hold: in the most favourable bucket, all values differ."""
    match model:
        case LDiversity(kind="recursive"):  # r₁ is 1 at least, and r_l + … all but l − 1 records at most
            c = float(model.c or 1)
            return int(model.l) - 1 + _least(1 / c, lambda tail: 1 / tail < c)
        case LDiversity():
            return _least_distinct(model)
        case AlphaK(value=None):
            return max(model.k, _least(1 / model.alpha, lambda size: 1 / size <= model.alpha + WITHIN))
        case AlphaK():
            return model.k
        case PSensitive():
            return max(model.p, model.k)
        case TCorruption():
            return model.t + _least(model.l, lambda size: 1 / size <= 1 / model.l + WITHIN)
        case CKSafety():  # k + 1 statements about one person leave one of size − k values at best
            return model.k + _least(1 / model.c, lambda size: 1 / size < model.c - SLACK)
    return 1


def _least_distinct(model: Model) -> int:
    """How many different values each bucket needs."""
    match model:
        case LDiversity(kind="entropy"):
            return _least(model.l, lambda size: math.log(size) >= math.log(model.l) - TOLERANCE)
        case LDiversity():
            return int(model.l)
        case PSensitive():
            return model.p
        case CKSafety():  # k + 1 statements rule out as many values
            return model.k + 2
    return 1


def _least(about: float, passes: Callable[[int], bool]) -> int:
    """The smallest whole number that passes a test; it is near ``about``.

    >>> _least(1 / 0.3, lambda size: 1 / size <= 0.3)
    4
    """
    return next(size for size in itertools.count(max(1, math.floor(about) - 1)) if passes(size))


def _most_with(counts: Ints, distinct: int) -> int:
    """The most buckets that can have ``distinct`` values each: no value is in more buckets than it has records.

    >>> _most_with(np.array([6, 2, 1]), 2)
    3
    """
    low, high = 0, int(counts.sum()) // distinct
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(counts, middle).sum()) >= distinct * middle:
            low = middle
        else:
            high = middle - 1
    return low


def _numbers(records: int, most: int) -> Iterator[int]:
    """The numbers of buckets to try, the most first, one for each size of buckets."""
    if not most:
        return
    yield most
    size, before = records // most, most
    for turn in range(records):
        size = size + 1 if turn < ONE_BY_ONE else max(size + 1, size * 11 // 10)
        number = records // size
        if number < 1:
            break
        if number < before:
            yield number
            before = number
    if before > 1:
        yield 1


def _deal(whole: Parcels, gone: Ints, number: int) -> Buckets:
    """Deal the records into ``number`` buckets. Of each value, ``gone`` records are left out; each bucket gets one of
    the others in turn, and then, in turn, the rest. The order of records and of values is random."""
    assert whole.values is not None
    records = np.repeat(np.arange(len(whole)), whole.counts)
    records = records[np.argsort(randomness.keys(len(records)))]
    values = whole.values.astype(np.int64)[records]
    places = np.argsort(randomness.keys(len(gone)))[values]
    order = np.argsort(places, kind="stable")
    records, values, places = records[order], values[order], places[order]
    ends = np.cumsum(np.bincount(places, minlength=len(gone)))
    starts = ends - np.bincount(places, minlength=len(gone))
    turn = np.arange(len(records)) - starts[places] - gone[values]
    owner = np.full(len(records), -1, dtype=np.int64)
    first = np.flatnonzero((turn >= 0) & (turn < number))
    rest = np.flatnonzero(turn >= number)
    owner[first] = np.arange(len(first)) % number
    owner[rest] = (len(first) + np.arange(len(rest))) % number
    pieces, owners = divide_parcels(whole, records, owner)
    assert pieces.values is not None
    return Buckets(whole.problem, pieces.tuples, pieces.values, pieces.counts, owners)
