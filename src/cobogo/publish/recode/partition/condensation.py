"""Condensation: groups of at least k similar records, each released as records drawn from the group's statistics."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cobogo.errors import PolicyError
from cobogo.examine.metrics import AGGREGATED, Outcome
from cobogo.floor import randomness
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.progress import Steps
from cobogo.publish.recode.contract.assignment import Assignment, leaf_tuples
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.partition.aggregate import (
    Aggregation,
    Labels,
    aggregate,
    aggregation_methods,
    digits,
    format_numbers,
    squared_error,
)
from cobogo.publish.recode.partition.groups import (
    RecordGroups,
    generalize_groups,
    name_groups,
    retry_with_suppression,
    solve_by_groups,
)
from cobogo.publish.recode.partition.mdav import grouping
from cobogo.publish.recode.partition.ranges import numbers

NOTE = tr(
    "numbers were drawn from the mean and covariance of groups, and are not those of any person; the models hold "
    "for the groups, which the release names"
)
NO_NUMBERS = tr(
    "no quasi-identifier is a number that may change: nothing was drawn, and groups are released as common ancestors"
)


@retry_with_suppression
@card("condensation", group="partition")
def condensation(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:  # noqa: ARG001
    r"""Groups at least k similar records, keeps only the mean and covariance of their numbers, and releases records
    drawn from these: correlations are kept, and single values belong to no person.

    The groups are those of mdav. A column that is not a number is released with the lowest value of its hierarchy that
    covers the whole group. The group of each record is released, too, because the models are measured on it.

    Formula: $x = \mu_G + \sum_i u_i \sqrt{\lambda_i}\, v_i$ with $u_i$ uniform of variance 1, and $\lambda_i$, $v_i$
        the eigenvalues and eigenvectors of the covariance of the group $G$
    Example: Every row names its group, and every group has at least two records.
        >>> from collections import Counter
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> rows = anonymize_patients("condensation").to_arrow().to_pylist()
        >>> sorted(Counter(row["group"] for row in rows).values())
        [2, 2, 2, 2]

    Guarantee: Every group has at least k people, and its sensitive values satisfy the models. This is not differential
        privacy: no budget bounds the draws.
    Limits: There are not k rows with the same quasi-identifiers: most tuples are unique, and belong to no person. A
        released value may happen to be a person's true value. A person far from the rest makes a group wide, which can
        be seen.
    Cost: $O(n^2 / k + n\,a^3)$ for n distinct tuples and a numeric columns.
    Paper: C. C. Aggarwal and P. S. Yu, A condensation approach to privacy preserving data mining, EDBT 2004.
    """
    if problem.blind:
        raise PolicyError(
            tr(
                "{model} exchanges values within classes of equal records, and condensation has no such classes",
                model=problem.blind[0],
            ),
            where="recoding.algorithm",
            remedy=tr('Choose another algorithm, such as "mdav".'),
        )
    chosen = _choose_methods(problem)
    stand_in = tuple("mode" if how == "drawn" else how for how in chosen)

    def publish(groups: RecordGroups) -> Assignment:
        assignment = generalize_groups(groups, joined=False)
        return condense(assignment, chosen, aggregate(assignment, stand_in).errors)

    return solve_by_groups(
        problem,
        "condensation",
        grouping(problem, chosen),
        publish=publish,
        measured=(AGGREGATED, lambda assignment: assignment.outcome().others[AGGREGATED]),
        notes=(NOTE if "drawn" in chosen else NO_NUMBERS,),
    )


def _choose_methods(problem: Problem) -> tuple[str, ...]:
    """The method for each attribute: numbers are drawn unless the policy bounds their levels or asks for an ancestor;
    the rest are ancestors."""
    found = []
    for h, how, asked in zip(
        problem.hierarchies,
        aggregation_methods(problem),
        problem.aggregates or (None,) * len(problem.hierarchies),
        strict=True,
    ):
        if asked in ("median", "mode", "range"):
            raise PolicyError(
                tr(
                    "condensation draws numbers from a group's mean and covariance, and cannot release its {asked}",
                    asked=asked,
                ),
                where=tr('attribute "{attribute}", aggregate', attribute=h.attribute),
                remedy=tr('Set "mean" (numbers are drawn around it) or "ancestor".'),
            )
        found.append("drawn" if how == "mean" else "ancestor")
    return tuple(found)


@dataclass(frozen=True, eq=False, repr=False)
class Condensed(Aggregation):
    """An assignment whose classes are groups, named in a released column. A ``"drawn"`` attribute has in each record a
    number drawn from the group's mean and covariance; the others have the group's common ancestor."""

    drawn: dict[int, Floats] = field(default_factory=dict)  # by attribute, one number a kept record; NaN is NULL

    @cached_property
    def records(self) -> tuple[Ints, Ints]:
        """The parcel, and the group, of each kept record."""
        kept = np.flatnonzero(self.owners >= 0)
        parcels = np.repeat(kept, self.counts[kept])
        return parcels, self.owners[parcels]

    @cached_property
    def group_names(self) -> Labels:
        """The name of each group: a number in random order."""
        return name_groups(len(self))

    def released_values(self) -> list[Labels]:
        """For each quasi-identifier, what each kept record is released with."""
        found, (_, owners) = [], self.records
        for column, h in enumerate(self.problem.hierarchies):
            if column in self.drawn:
                found.append(format_numbers(self.drawn[column], digits(h, self.problem.decimal), self.problem.decimal))
            else:
                found.append(self.names[column][owners])
        return found

    def _class_fields(self, chosen: NDArray[np.intp]) -> dict[str, Any]:
        raise NotImplementedError("groups that are released alike in some values are groups of their own")

    def outcome(self) -> Outcome:
        """The outcome with the squared error of the drawn numbers."""
        found = super().outcome()
        weights, errors = self.problem.scale.weights, list(self.errors)
        parcels, _ = self.records
        leaves = leaf_tuples(self.problem)[self.tuples[parcels]]
        ones = np.ones(len(parcels), dtype=np.int64)
        for column, values in self.drawn.items():
            own = numbers(self.problem.hierarchies[column], self.problem.decimal)[leaves[:, column]]
            errors[column] = squared_error(own, values, ones)
        lost = float((weights * errors).sum() / weights.sum())
        kept = 1 - self.suppressed / max(self.problem.scale.records, 1)
        return replace(found, others={AGGREGATED: lost * kept + (1 - kept)})


def condense(assignment: Assignment, methods: tuple[str, ...], errors: tuple[float, ...]) -> Condensed:
    """Draw numbers for each record from the mean and covariance of its group.

    Along each eigenvector of the group's covariance a number is drawn, uniform around the mean and with the group's
    variance there, so that the mean and covariance of the draws are the group's own on average. NULL counts as the mean
    of the known numbers, and is released where most of the group's values are NULL.
    """
    a = assignment
    columns = [column for column, how in enumerate(methods) if how == "drawn"]
    nothing = np.empty(len(a), dtype=object)
    empty = Condensed(
        a.problem,
        a.levels,
        a.leaves,
        a.tuples,
        a.owners,
        a.counts,
        a.values,
        (nothing,) * len(methods),
        methods,
        errors,
    )
    if not columns or not len(a):
        return empty
    parcels, owners = empty.records
    leaves = leaf_tuples(a.problem)[a.tuples[parcels]]
    known = np.stack([numbers(a.problem.hierarchies[n], a.problem.decimal)[leaves[:, n]] for n in columns], axis=1)
    means, covariances, missing = _statistics(known, owners, len(a))
    drawn = _draw_records(means, covariances, owners)
    drawn[missing[owners]] = np.nan
    return Condensed(
        a.problem, a.levels, a.leaves, a.tuples, a.owners, a.counts, a.values, (nothing,) * len(methods), methods,
        errors, drawn={column: drawn[:, place] for place, column in enumerate(columns)},
    )  # fmt: skip


def _statistics(values: Floats, owners: Ints, groups: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Means and covariances of each group, and where most of a group's values are NULL."""
    there = ~np.isnan(values)
    sizes = np.maximum(np.bincount(owners, minlength=groups), 1)
    many = np.stack([np.bincount(owners, column, groups) for column in there.T], axis=1)
    filled = np.where(there, values, 0.0)
    means = np.stack([np.bincount(owners, column, groups) for column in filled.T], axis=1) / np.maximum(many, 1)
    apart = np.where(there, values - means[owners], 0.0)
    width = values.shape[1]
    covariances = np.empty((groups, width, width))
    for one in range(width):
        for other in range(width):
            covariances[:, one, other] = np.bincount(owners, apart[:, one] * apart[:, other], groups) / sizes
    return means, covariances, 2 * many < sizes[:, None]


def _draw_records(means: Floats, covariances: Floats, owners: Ints) -> Floats:
    """A point for each record. Uniform numbers of −1 … 1 have the variance 1/3."""
    spreads, axes = np.linalg.eigh(covariances)
    words = randomness.Entropy().words(len(owners) * means.shape[1]).reshape(len(owners), means.shape[1])
    uniform = (words >> np.uint64(11)).astype(np.float64) / 2**52 - 1.0
    along = uniform * np.sqrt(3 * np.maximum(spreads, 0.0))[owners]
    return np.asarray(means[owners] + np.einsum("nij,nj->ni", axes[owners], along))
