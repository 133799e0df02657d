"""What else could have been published at equal privacy: a generalization, and anatomy's two tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cobogo.data.policy import Policy, Privacy, Recoding
from cobogo.data.table.read import Table
from cobogo.errors import CobogoError
from cobogo.floor.arrays import Floats
from cobogo.publish.randomize.estimate.workload import Query

Answer = Callable[[Query], float]


@dataclass(frozen=True, eq=False, repr=False)
class Rival:
    """Another release of the same table, and what it answers; or why there is none."""

    name: str
    answer: Answer | None
    why: str = ""


def rivals(table: Table, policy: Policy, attribute: str, confidence: float) -> tuple[Rival, ...]:
    """The best full-domain generalization and anatomy by which no value of a class is known with more than the
    confidence: a generalization in which no value has a larger share of a class, and anatomy's buckets of
    ⌈1/confidence⌉ different values."""
    l = max(2, math.ceil(1 / confidence - 1e-9))
    bounded = {"model": "alpha-k-anonymity", "attribute": attribute, "alpha": confidence, "k": 2}
    diverse = {"model": "l-diversity", "attribute": attribute, "kind": "distinct", "l": l}
    found = []
    for name, algorithm, model, make in (
        ("generalization", "optimal", bounded, _generalized),
        ("anatomy", "anatomy", diverse, _anatomized),
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


def _generalized(table: Table, policy: Policy, attribute: str) -> Answer:
    """Each released value is spread evenly over the leaves that it stands for."""
    from cobogo.examine.utility.sides import in_codes_of, sides
    from cobogo.publish.anonymize import prepare, solve
    from cobogo.publish.recoded import recoding_of

    both = sides(recoding_of(solve(prepare(table, policy))))
    histogram = both.after.histograms[attribute]
    values = in_codes_of(histogram, both.before.histograms[attribute].domain)

    def answer(query: Query) -> float:
        inside: Floats = np.ones(len(both.after.counts))
        for column, mask in query.quasi.items():
            known = both.before.values[both.before.quasi_identifiers[column]]
            leaves = np.zeros(len(both.hierarchies[column].leaves), dtype=np.bool_)
            leaves[both.hierarchies[column].encode([known[code] for code in np.flatnonzero(mask)])] = True
            inside = inside * both.share(column, leaves)[both.released[column]]
        return float((inside[histogram.owners] * query.sensitive[values] * histogram.counts).sum())

    return answer


def _anatomized(table: Table, policy: Policy, attribute: str) -> Answer:  # noqa: ARG001
    """Each bucket's records that match, by the share of its sensitive values that do."""
    from cobogo.publish.anonymize import prepare, solve

    release = solve(prepare(table, policy))
    buckets, counted = release.plan.buckets, release.problem.table
    kept = buckets.owners >= 0
    histogram = buckets.histogram

    def answer(query: Query) -> float:
        matching = query.matching(counted.codes)[buckets.tuples] & kept
        records = np.bincount(buckets.owners[matching], buckets.counts[matching], len(buckets))
        having = query.sensitive[histogram.values]
        values = np.bincount(histogram.owners[having], histogram.counts[having], len(buckets))
        return float((records * values / buckets.sizes).sum())

    return answer
