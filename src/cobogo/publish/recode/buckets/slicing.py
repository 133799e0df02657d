"""Slicing: attributes that go together stay so, and slices of them are shuffled within buckets (Li et al. 2012)."""

from __future__ import annotations

import itertools

import numpy as np

from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.progress import Steps
from cobogo.publish.recode.buckets.anatomy import no_buckets, refuse
from cobogo.publish.recode.contract.buckets import Buckets
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Bucketed
from cobogo.publish.recode.partition.clusters import join_failing_groups
from cobogo.publish.recode.partition.groups import parcels
from cobogo.publish.recode.partition.mondrian import divide_records
from cobogo.publish.recode.partition.space import points

NOTE = tr(
    "slices of columns were shuffled within buckets: a row is not a record, and a value that is unique in the table "
    "may still reveal that its person is in it"
)


@card("slicing", group="buckets", one_table=False)
def slicing(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Bucketed:  # noqa: ARG001
    r"""Keeps correlated quasi-identifiers together in slices, and shuffles each slice and the sensitive values within
    buckets of similar records.

    Buckets are built like the parts of mondrian, and must satisfy the models. An attacker who knows a person's tuple
    finds the buckets in which the person may be; in each of them the sensitive values are those of the whole bucket.

    Formula: attributes are joined by $\phi^2 = \frac{1}{\min(r, c) - 1} \sum_{ij} \frac{(f_{ij} - f_i f_j)^2}{f_i
        f_j}$, the mean-square contingency, less what chance gives it; $\Pr[t \text{ has } s] = \sum_B p(t,
        B)\,\frac{n_B(s)}{\lvert B\rvert}$
    Example: All patients are there, but a row is no longer a person's record.
        >>> from cobogo.studies.worked_examples import DIVERSE, PATIENTS, anonymize_patients
        >>> rows = anonymize_patients("slicing", DIVERSE).to_arrow().to_pylist()
        >>> sorted(row["age"] for row in rows) == PATIENTS["age"]
        True

    Guarantee: Every bucket satisfies the models: an attacker who finds the buckets in which a person may be learns no
        more than the distribution of a bucket.
    Limits: A value that occurs once shows that its person is in the table: models of identity are refused. Rows may
        combine values of different people.
    Cost: $O(a^2 n + a\,n \log n)$ for n distinct tuples and a attributes.
    Paper: T. Li, N. Li, J. Zhang and I. Molloy, Slicing: a new approach for privacy preserving data publishing, IEEE
        Transactions on Knowledge and Data Engineering, 2012.
    """
    refuse(problem, "slicing")
    parts = divide_records(parcels(problem), 2, progress)
    left = np.where(parts.owners < 0, parts.count, parts.owners)  # a bucket needs no value in common
    anywhere = np.zeros(len(left), dtype=np.int64)
    groups = join_failing_groups(parts.parcels, points(parts.parcels), left, anywhere, 2)
    if groups.suppressed > problem.limit or not groups.count:
        raise no_buckets()
    (known,) = problem.table.histograms.values()
    owners = np.full(len(problem.table.counts), -1, dtype=np.int64)
    owners[groups.parcels.tuples] = groups.owners
    buckets = Buckets(problem, known.owners, known.values, known.counts, owners[known.owners])
    if not buckets.hold():
        raise no_buckets()
    return Bucketed(
        "slicing",
        buckets,
        buckets.reconstruction_error(),
        parts.checked + groups.checked,
        parts.checked + groups.checked,
        notes=(NOTE,),
        slices=slices(problem),
    )


def slices(problem: Problem) -> tuple[tuple[str, ...], ...]:
    """Quasi-identifiers put together, the most correlated first, until there are half as many slices as attributes."""
    names = problem.table.quasi_identifiers
    found = [[column] for column in range(len(names))]
    tied = {pair: _contingency(problem, *pair) for pair in itertools.combinations(range(len(names)), 2)}
    while len(found) > (len(names) + 1) // 2:
        pairs = itertools.combinations(range(len(found)), 2)
        one, other = max(pairs, key=lambda pair: _linkage(found[pair[0]], found[pair[1]], tied))
        found[one] = sorted(found[one] + found.pop(other))
    return tuple(tuple(names[column] for column in part) for part in found)


def _linkage(one: list[int], other: list[int], tied: dict[tuple[int, int], float]) -> float:
    return float(np.mean([tied[min(a, b), max(a, b)] for a in one for b in other]))


def _contingency(problem: Problem, one: int, other: int) -> float:
    """The mean-square contingency of two quasi-identifiers, less its expected value under independence: 0 if they are
    independent, 1 if one determines the other. Without that, any two columns of rare values would seem to depend on
    each other."""
    table = problem.table
    sizes = [len(table.values[table.quasi_identifiers[column]]) for column in (one, other)]
    least = min(sizes) - 1
    if not least:
        return 0.0
    first, second = table.codes[:, one].astype(np.int64), table.codes[:, other].astype(np.int64)
    pairs, inverse = np.unique(first * sizes[1] + second, return_inverse=True)
    joint = np.bincount(inverse, table.counts)
    alone = table.marginal(one)[pairs // sizes[1]] * table.marginal(other)[pairs % sizes[1]].astype(float)
    found = np.divide(joint**2, alone, out=np.zeros(len(pairs)), where=alone > 0).sum() - 1
    return float(found / least - (max(sizes) - 1) / max(table.records - 1, 1))
