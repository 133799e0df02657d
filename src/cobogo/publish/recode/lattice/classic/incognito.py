"""Incognito (LeFevre, DeWitt and Ramakrishnan 2005): what fails on some of the attributes fails on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import prod

import numpy as np

from cobogo.data.table.frequency import FrequencyTable, number_tuples
from cobogo.examine.metrics import METRICS
from cobogo.floor.arrays import Mask
from cobogo.floor.catalogue import card
from cobogo.floor.progress import Steps
from cobogo.promises.models import Scope
from cobogo.publish.recode.contract.problem import Problem, merge_rows, sum_by_group
from cobogo.publish.recode.contract.solution import Solution
from cobogo.publish.recode.lattice.classic.tagging import (
    FAILS,
    HOLDS,
    UNKNOWN,
    TaggedSearch,
    Tags,
    caveats,
    refuse_if_larger,
)
from cobogo.publish.recode.lattice.evaluate import Evaluator


@card(
    "incognito",
    title="Incognito",
    group="lattice",
    guide="algorithms-lattice",
    recodings=("full-domain",),
    study="optimal",
)
def incognito(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Solution:
    r"""Searches larger and larger sets of quasi-identifiers, and drops the nodes that fail on a smaller set; the metric
    chooses among the lowest nodes that satisfy the models.

    Models that may fail at a higher node are not used for dropping; every node that is left is then checked.

    Formula: $g \text{ holds on } Q \Rightarrow g|_{S} \text{ holds on } S$ for every $S \subseteq Q$; so a node on $Q$
        is looked at only if it holds on all subsets that are smaller by one
    Example:
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> anonymize_patients("incognito").levels
        {'age': 3, 'sex': 0}

    Guarantee: Every model of the policy holds, and is checked again on the written release. Without suppression the
        node is the optimum, by any metric.
    Limits: With suppression, the best of the minimal nodes is not always the best of all. The number of sets doubles
        with each column: above about nine columns, ola or optimal are faster.
    Cost: $O(2^a)$ sets of a attributes, each with its own lattice.
    Paper: K. LeFevre, D. J. DeWitt and R. Ramakrishnan, Incognito: efficient full-domain k-anonymity, SIGMOD 2005.
    """
    spans = [high - low + 1 for low, high in zip(problem.lowest, problem.highest, strict=True)]
    refuse_if_larger(prod(span + 1 for span in spans), "incognito")
    survey = TaggedSearch(problem, "incognito", time_limit, progress)
    survey.tags.state[~_hopeful_nodes(survey)] = FAILS
    for height in range(survey.tags.height + 1):
        survey.settle_height(height)
    return survey.answer(survey.minimal(), proven=survey.best_is_minimal, notes=caveats(survey.evaluator))


def _hopeful_nodes(survey: TaggedSearch) -> Mask:
    """The nodes that fail on no smaller set of attributes."""
    problem, width = survey.problem, len(survey.problem.hierarchies)
    models = [m for m in problem.models if m.scope is Scope.CLASS and survey.evaluator.rules_out(m)]
    hopeful = np.ones(survey.tags.shape, dtype=np.bool_)
    if not models:
        return hopeful
    below: dict[tuple[int, ...], Mask] = {}
    for size in range(1, width):
        alive = {}
        for columns in combinations(range(width), size):
            part = replace(project(problem, columns), models=tuple(models))
            alive[columns] = _survivors(part, _join_survivors(columns, survey.tags.shape, below), survey)
        below = alive
    return hopeful & _join_survivors(tuple(range(width)), survey.tags.shape, below)


def _join_survivors(columns: tuple[int, ...], shape: Sequence[int], below: dict[tuple[int, ...], Mask]) -> Mask:
    """The nodes over some attributes whose parts have all survived."""
    found = np.ones([shape[column] for column in columns], dtype=np.bool_)
    for absent in range(len(columns)):
        part = below.get(columns[:absent] + columns[absent + 1 :])
        if part is not None:
            found &= np.expand_dims(part, absent)
    return found


def _survivors(part: Problem, candidates: Mask, survey: TaggedSearch) -> Mask:
    """From below, the candidates that are not hopeless on these attributes; when time runs out, all that are left."""
    evaluator = Evaluator(part)
    tags = Tags(part.lowest, part.highest)
    tags.state[~candidates] = FAILS
    for height in range(tags.height + 1):
        for levels in tags.levels((tags.heights == height) & (tags.state == UNKNOWN)):
            if survey.out_of_time():
                break
            if tags.unknown(levels):
                if evaluator.check(levels).hopeless:
                    tags.mark(levels, FAILS)
                else:
                    tags.mark_above(levels, HOLDS)
    survey.evaluator.checked += evaluator.checked
    return np.asarray(tags.state != FAILS)


def project(problem: Problem, columns: Sequence[int]) -> Problem:
    """The problem without some of its quasi-identifiers."""
    table = problem.table
    names = tuple(table.quasi_identifiers[column] for column in columns)
    ids, first = number_tuples(
        [table.codes[:, column] for column in columns], [len(table.values[name]) for name in names], len(table.counts)
    )
    rows, groups = np.arange(len(table.counts)), len(first)
    people = table.people
    return replace(
        problem,
        table=FrequencyTable(
            quasi_identifiers=names,
            values={name: table.values[name] for name in names},
            codes=np.ascontiguousarray(table.codes[first][:, list(columns)]),
            counts=sum_by_group(ids, table.counts, groups),
            histograms={name: merge_rows(found, rows, ids, groups) for name, found in table.histograms.items()},
            populations={name: sum_by_group(ids, counts, groups) for name, counts in table.populations.items()},
            people=None if people is None else replace(people, sets=merge_rows(people.sets, rows, ids, groups)),
        ),
        hierarchies=tuple(problem.hierarchies[column] for column in columns),
        metric=METRICS["height"],
        lowest=tuple(problem.lowest[column] for column in columns),
        highest=tuple(problem.highest[column] for column in columns),
        weights=tuple(problem.weights[column] for column in columns),
        blind=(),
    )
