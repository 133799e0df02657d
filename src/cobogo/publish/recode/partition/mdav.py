"""Microaggregation: groups of at least k similar records, each released with what the group has in common."""

from __future__ import annotations

import numpy as np

from cobogo.examine.metrics import AGGREGATED
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.floor.progress import Steps
from cobogo.publish.recode.contract.assignment import Assignment
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Assigned
from cobogo.publish.recode.partition import kernels
from cobogo.publish.recode.partition.aggregate import NUMERIC, aggregate, aggregation_methods
from cobogo.publish.recode.partition.clusters import Pieces, cluster_regions
from cobogo.publish.recode.partition.groups import (
    Grouping,
    Parcels,
    generalize_groups,
    parcels,
    retry_with_suppression,
    solve_by_groups,
)
from cobogo.publish.recode.partition.space import points


@retry_with_suppression
@card("mdav", title="MDAV", group="partition")
def mdav(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Assigned:  # noqa: ARG001
    r"""Groups at least k similar records and releases each with the mean, median or most frequent value of its group:
    statistics stay close, but single values are no longer true.

    MDAV means maximum distance to average vector. The ``aggregate`` of each attribute says with which value a group is
    released: a mean, median or mode, the lowest common value of its hierarchy, or a range.

    Formula: the k records nearest to $r = \arg\max_r d(r, \bar{x})$ form a group, and so do those nearest to the record
        farthest from $r$; what is lost is $\frac{\sum (x - \hat{x})^2}{\sum (x - \bar{x})^2}$
    Example:
        >>> from cobogo.studies.worked_examples import classes, anonymize_patients
        >>> release = anonymize_patients("mdav")
        >>> classes(release), round(release.metrics["squared_error"], 3)
        ({('38', 'f'): 2, ('40', 'm'): 2, ('56', 'f'): 2, ('62', 'm'): 2}, 0.072)

    Guarantee: Every model of the policy holds, and is checked again on the written release. k-anonymity holds because
        all quasi-identifiers are aggregated together.
    Limits: Means, medians and modes are not true of single records; the manifest says so for each column. Variances
        shrink: see condensation.
    Cost: $O(n^2 / k)$ for n distinct tuples.
    Paper: J. Domingo-Ferrer and V. Torra, Ordinal, continuous and heterogeneous k-anonymity through microaggregation,
        Data Mining and Knowledge Discovery, 2005.
    """
    chosen = aggregation_methods(problem)

    def release(assignment: Assignment) -> Assignment:
        return aggregate(assignment, chosen)

    return solve_by_groups(
        problem,
        "mdav",
        grouping(problem, chosen),
        publish=lambda groups: release(generalize_groups(groups, joined=False)).canonical(),
        measured=(AGGREGATED, lambda assignment: assignment.outcome().others[AGGREGATED]),
        notes=_notes(problem, chosen),
    )


def grouping(problem: Problem, chosen: tuple[str, ...]) -> Grouping:
    """Groups by maximum distance to average vector; ``chosen`` says what each attribute is released as."""
    whole = parcels(problem, divisible=True)
    where = points(whole, [column for column, how in enumerate(chosen) if how in NUMERIC])
    regions = _regions(whole, chosen)

    def cluster(block: Ints, counts: Ints, k: int) -> Pieces:
        found: Pieces = kernels.mdav(np.ascontiguousarray(where[block]), counts, k)
        return found

    return lambda least: cluster_regions(whole, where, regions, least, cluster)


def _regions(whole: Parcels, chosen: tuple[str, ...]) -> Ints:
    """Values that are released as an ancestor must have one within the levels allowed."""
    problem = whole.problem
    bound = [column for column, how in enumerate(chosen) if how == "ancestor"]
    columns = [problem.hierarchies[n].maps[problem.highest[n]][whole.leaves[:, n]] for n in bound]
    sizes = [len(problem.hierarchies[n].labels[problem.highest[n]]) for n in bound]
    return whole.number_values(columns, sizes)


def _notes(problem: Problem, chosen: tuple[str, ...]) -> tuple[str, ...]:
    pairs = zip(problem.hierarchies, chosen, strict=True)
    untrue = [f"{h.attribute} ({how})" for h, how in pairs if how != "ancestor"]
    if not untrue:
        return ()
    what = tr(
        "these attributes have the values of groups, not those collected for each record: {attributes}",
        attributes=", ".join(untrue),
    )
    return (what,)
