"""Random counting queries, answered by a randomized release and by other releases of equal privacy (its rivals)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.data.policy import Policy, Privacy, Recoding
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table
from cobogo.errors import CobogoError
from cobogo.floor.arrays import Floats, Ints, Mask

SANITY = 0.001
"""Errors are relative to the true count, but to no less than this share of the records."""


@dataclass(frozen=True, eq=False, repr=False)
class CountingQuery:
    """A query for the number of records with some values of quasi-identifiers (by index) and of the sensitive
    attribute. Values are given as masks over the domains."""

    quasi: dict[int, Mask]
    sensitive: Mask

    def matching(self, codes: NDArray[Any]) -> Mask:
        """The tuples that meet the conditions on quasi-identifiers."""
        found = np.ones(len(codes), dtype=np.bool_)
        for column, mask in self.quasi.items():
            found &= mask[codes[:, column]]
        return found


def draw_queries(
    table: FrequencyTable, attribute: str, many: int, selectivity: float, seed: int
) -> Iterator[CountingQuery]:
    """Draw queries for runs of neighbouring values of one or two quasi-identifiers and of the sensitive attribute.

    Each is centred on a random record, and so wide that it would select a share ``selectivity`` of the records if
    attributes were independent.
    """
    random = np.random.default_rng(seed)
    histogram = table.histograms[attribute]
    ends = np.cumsum(histogram.counts)
    width = len(table.quasi_identifiers)
    for _ in range(many):
        entry = int(np.searchsorted(ends, random.integers(ends[-1]), side="right"))
        tuple_ = table.codes[histogram.owners[entry]]
        some = random.choice(width, size=min(width, int(random.integers(1, 3))), replace=False).tolist()
        share = selectivity ** (1 / (len(some) + 1))
        quasi = {c: _run(table.marginal(c), int(tuple_[c]), share, random) for c in some}
        yield CountingQuery(quasi, _run(histogram.domain.total, int(histogram.values[entry]), share, random))


def _run(counts: Ints, anchor: int, share: float, random: np.random.Generator) -> Mask:
    """A run of neighbouring values around an anchor that covers at least a share of the records."""
    wanted, low, high = share * counts.sum(), anchor, anchor + 1
    while counts[low:high].sum() < wanted and (low > 0 or high < len(counts)):
        if low > 0 and (high == len(counts) or random.random() < 0.5):
            low -= 1
        else:
            high += 1
    chosen = np.zeros(len(counts), dtype=np.bool_)
    chosen[low:high] = True
    return chosen


def true_count(table: FrequencyTable, attribute: str, query: CountingQuery) -> float:
    """The true answer."""
    histogram = table.histograms[attribute]
    inside = query.matching(table.codes)[histogram.owners] & query.sensitive[histogram.values]
    return float(histogram.counts[inside].sum())


def relative_errors(
    table: FrequencyTable, attribute: str, asked: Sequence[CountingQuery], answer: Callable[[CountingQuery], float]
) -> Floats:
    """The relative error of each answer."""
    true = np.array([true_count(table, attribute, query) for query in asked])
    given = np.array([answer(query) for query in asked])
    return np.asarray(abs(given - true) / np.maximum(true, SANITY * table.records))


Answer = Callable[[CountingQuery], float]


@dataclass(frozen=True, eq=False, repr=False)
class Rival:
    """Another release of the same table with its answers, or the reason why there is none."""

    name: str
    answer: Answer | None
    why: str = ""


def build_rivals(table: Table, policy: Policy, attribute: str, confidence: float) -> tuple[Rival, ...]:
    """Build the best full-domain generalization and an anatomy in which a value is known with at most ``confidence``.

    In the generalization no value has a larger share of a class; anatomy's buckets have ⌈1/confidence⌉ distinct values.
    """
    l = max(2, math.ceil(1 / confidence - 1e-9))
    bounded = {"model": "alpha-k-anonymity", "attribute": attribute, "alpha": confidence, "k": 2}
    diverse = {"model": "l-diversity", "attribute": attribute, "kind": "distinct", "l": l}
    found = []
    for name, algorithm, model, make in (
        ("generalization", "optimal", bounded, _answer_by_generalization),
        ("anatomy", "anatomy", diverse, _answer_by_anatomy),
    ):
        asked = policy.model_copy(
            update={
                "privacy": Privacy(models=(model,)),
                "recoding": Recoding(algorithm=algorithm, suppression_limit=0.05),
                "randomization": None,
                "utility": None,
            }
        )
        asked._home, asked._name = policy.home, policy.name
        try:
            found.append(Rival(name, make(table, asked, attribute)))
        except CobogoError as error:
            found.append(Rival(name, None, error.what))
    return tuple(found)


def _answer_by_generalization(table: Table, policy: Policy, attribute: str) -> Answer:
    """Answer by spreading each released value uniformly over the leaves under it."""
    from cobogo.examine.utility.sides import recode_values, sides
    from cobogo.publish.anonymize import prepare, solve

    both = sides(solve(prepare(table, policy)).transformation)
    histogram = both.after.histograms[attribute]
    values = recode_values(histogram, both.before.histograms[attribute].domain)

    def answer(query: CountingQuery) -> float:
        inside: Floats = np.ones(len(both.after.counts))
        for column, mask in query.quasi.items():
            known = both.before.values[both.before.quasi_identifiers[column]]
            leaves = np.zeros(len(both.hierarchies[column].leaves), dtype=np.bool_)
            leaves[both.hierarchies[column].encode([known[code] for code in np.flatnonzero(mask)])] = True
            inside = inside * both.share(column, leaves)[both.released[column]]
        return float((inside[histogram.owners] * query.sensitive[values] * histogram.counts).sum())

    return answer


def _answer_by_anatomy(table: Table, policy: Policy, attribute: str) -> Answer:  # noqa: ARG001
    """Answer by the matching records of each bucket times the share of its sensitive values that match."""
    from cobogo.publish.anonymize import prepare, solve
    from cobogo.publish.recode.plans.groups import BucketPlan

    release = solve(prepare(table, policy))
    assert isinstance(release.plan, BucketPlan)
    buckets, counted = release.plan.buckets, release.problem.table
    kept = buckets.owners >= 0
    histogram = buckets.histogram

    def answer(query: CountingQuery) -> float:
        matching = query.matching(counted.codes)[buckets.tuples] & kept
        records = np.bincount(buckets.owners[matching], buckets.counts[matching], len(buckets))
        having = query.sensitive[histogram.values]
        values = np.bincount(histogram.owners[having], histogram.counts[having], len(buckets))
        return float((records * values / buckets.sizes).sum())

    return answer
